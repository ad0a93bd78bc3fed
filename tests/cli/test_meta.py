"""`steelyard meta`: what it prints and writes, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.cli.main import DONE, UNSUPPORTED, UNUSABLE, run

SYSTEMS = ("brass", "copper", "iron", "lead", "tin", "zinc")
CHOICE = ("--pair", "is-fo", "--gold", "dqm")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores of six systems by people and three metrics, of which one counts errors."""
    made = tmp_path_factory.mktemp("scores")
    rng = np.random.default_rng(6)
    quality = rng.normal(0, 1, (6, 12)) + np.arange(6)[:, None] / 2
    for place, sign, noise in (
        ("human-scores/is-fo.dqm", 1, 0.3),
        ("metric-scores/near-refA", 1, 0.4),
        ("metric-scores/far-src", 1, 3.0),
        ("metric-scores/errors-src", -1, 0.8),
    ):
        path = made / f"{place}.seg.score"
        path.parent.mkdir(exist_ok=True)
        values = sign * (quality + rng.normal(0, noise, quality.shape))
        rows = zip(SYSTEMS, values.tolist(), strict=True)
        path.write_text("".join(f"{name}\t{score}\n" for name, row in rows for score in row), "utf-8")
    (made / "is-fo.docs").write_text("news\td1\n" * 6 + "chat\td2\n" * 6, "utf-8")
    return made


def test_the_study_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["meta", str(folder), *CHOICE]) == DONE

    printed = capsys.readouterr().out
    assert printed.startswith("How well metrics agree with people: is-fo, dqm\n")
    assert "flip it: name it as flip." in " ".join(printed.split())
    assert printed.rstrip().endswith("|draws:1000|seed:7")


def test_json_is_the_contracts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["meta", str(folder), *CHOICE, "--test", "spa,sys_pearson", "--json", "-"]) == DONE

    document = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert list(document["significance"]) == ["spa", "sys_pearson"]
    assert {"metrics", "p_values", "clusters"} <= document["significance"]["spa"].keys()
    assert {"lp", "gold", "metric", "n_sys", "sys_pearson", "seg_tau23_opt_eps"} <= document["metrics"][
        0
    ].keys()
    assert document["signature"].startswith("steelyard:")


def test_every_choice_is_heard(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "study.json"
    options = [
        *("--metric", "near,errors-src", "--metric", "far", "--flip", "errors-src", "--exclude", "tin, zinc"),
        *("--by", "domain", "--test", "none", "--draws", "5", "--da-least", "30", "--spa-seed", "9"),
        *("--pearson-test", "permutation", "--accuracy-test", "verdicts", "--seed", "2", "--with-references"),
        *("--unit", "segment"),
    ]

    assert run(["meta", str(folder), *CHOICE, *options, "--json", str(target)]) == DONE

    document = json.loads(target.read_text("utf-8"))
    assert [row["metric"] for row in document["metrics"]] == ["near-refA", "errors-src", "far-src"]
    assert document["systems"] == list(SYSTEMS[:4])
    assert document["settings"] == {
        "exclude": ["tin", "zinc"],
        "with_references": True,
        "flip": ["errors-src"],
        "level": "segment",
        "by": "domain",
        "tests": [],
        "pearson_test": "permutation",
        "accuracy_test": "verdicts",
        "unit": "segment",
        "draws": 5,
        "seed": 2,
        "soft_seed": 9,
        "least_difference": 30.0,
        "threshold": 0.05,
    }
    assert {row["group"] for row in document["groups"]} == {"news", "chat"}


@pytest.mark.parametrize("ending", [".csv", ".tex"])
def test_the_numbers_become_a_table(folder: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"study{ending}"

    assert run(["meta", str(folder), *CHOICE, "--test", "none", "--to", str(target)]) == DONE

    written = target.read_text("utf-8")
    assert written.count("is-fo") >= 3
    if ending == ".csv":
        assert pl.read_csv(target).columns[:4] == ["lp", "gold", "metric", "n_sys"]


def test_the_tests_become_a_picture(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "metrics.svg"

    assert run(["meta", str(folder), *CHOICE, "--level", "document", "--plot", str(target)]) == DONE

    assert "near-refA" in target.read_text("utf-8")
    assert "r, documents" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pair", "is-fo"], "give --gold"),
        ([*CHOICE, "--test", "vibes"], "Use any of: sys_pearson"),
        ([*CHOICE, "--exclude", "gold", "--flip", "silver"], "2 problems"),
        ([*CHOICE, "--plot", "metrics.gif"], "ends in .svg, .png or .pdf"),
        ([*CHOICE, "--to", "metrics.xls"], "cannot tell the format"),
        ([*CHOICE, "--scores", "absent.csv"], "absent.csv"),
        ([*CHOICE, "--by", "genre"], "genre"),
    ],
)
def test_a_mistake_is_one_message(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert run(["meta", str(folder), *options]) == UNUSABLE

    assert message in capsys.readouterr().err


def test_too_few_systems_are_not_enough_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--exclude", ",".join(SYSTEMS[1:])]

    assert run(["meta", str(folder), *CHOICE, *options]) == UNSUPPORTED

    assert "two are the least" in capsys.readouterr().err


def test_nothing_is_written_over_what_is_read(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text("metric,system,segment,score\nown,brass,1,2\n", "utf-8")

    assert run(["meta", str(folder), *CHOICE, "--scores", str(table), "--to", str(table)]) == UNUSABLE

    assert table.read_text("utf-8").endswith("own,brass,1,2\n")
