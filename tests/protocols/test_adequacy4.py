"""Adequacy on four points: its examples, and the expert's ratings that ship with the demo texts."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from importlib.resources import files

from steelyard.domain.work import ShownItem, ShownText
from steelyard.protocols import protocols

ADEQUACY4 = protocols()["adequacy4"]
DEMO = files("steelyard") / "demo"


def gold() -> list[dict[str, str]]:
    text = (DEMO / "gold.tsv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


def demo_lines(name: str) -> list[str]:
    return (DEMO / f"{name}.en.txt").read_text("utf-8").splitlines()


def test_a_campaign_gives_an_example_for_each_answer_best_first() -> None:
    assert ADEQUACY4.examples_at == (4, 3, 2, 1)


def test_the_expert_rated_thirty_demo_translations_once_each() -> None:
    keys = Counter((row["system"], row["segment"]) for row in gold())

    assert len(keys) == 30
    assert max(keys.values()) == 1


def test_the_expert_rated_translations_that_exist() -> None:
    missing = [row for row in gold() if not 1 <= int(row["segment"]) <= len(demo_lines(row["system"]))]

    assert missing == []


def test_the_expert_used_the_whole_scale() -> None:
    item = ShownItem("adequacy", (ShownText("alpha", "s1", "The dog sleeps."),))
    answers = [ADEQUACY4.check(item, {"rating": int(row["rating"])}) for row in gold()]
    ratings = {row.rating for answer in answers for row in ADEQUACY4.rows(item, answer).ratings}

    assert ratings == {1, 2, 3, 4}


def test_the_examples_are_translations_of_the_campaign() -> None:
    text = (ADEQUACY4.folder / "example.toml").read_text("utf-8")
    campaign = tomllib.loads(text)
    systems = [system["name"] for system in campaign["systems"]]
    references = demo_lines("reference")
    translated = {
        (reference, translation)
        for system in systems
        for reference, translation in zip(references, demo_lines(system), strict=True)
    }

    examples = {(example["reference"], example["text"]) for example in campaign["examples"]}

    assert examples <= translated
