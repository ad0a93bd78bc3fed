"""Pairs from the campaign file to the ranking: who sees what, what is stored of it, what comes out."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.main import run
from steelyard.domain.result import AnalysisSettings
from steelyard.flows.analyse import analyse
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.create import create
from steelyard.flows.export import export
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.simulate import simulate
from steelyard.flows.source import from_campaign, read_source
from steelyard.flows.submit import Submission, submit
from steelyard.protocols import protocols
from steelyard.report.json import analysis_record
from steelyard.store.audit import audit_rows

# Best first, as the demo texts were made; workers should find out.
SYSTEMS = ["brass", "copper", "iron", "tin", "lead"]


def create_pairs(folder: Path, address: str, now: datetime) -> None:
    """The example campaign with two rounds."""
    example = (protocols()["pairwise"].folder / "example.toml").read_text("utf-8")
    path = folder / "pairs.toml"
    path.write_text(example.replace("ratings_per_item = 5", "ratings_per_item = 2"), "utf-8")
    create(path, address, now=now)


@pytest.fixture
def pairs(tmp_path: Path, address: str, noon: datetime) -> Iterator[OpenCampaign]:
    """A campaign that nobody has judged yet, on each database."""
    create_pairs(tmp_path, address, noon)
    with open_campaign(address) as opened:
        yield opened


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenCampaign]:
    """A campaign that a simulated crowd has judged; no test changes it."""
    folder = tmp_path_factory.mktemp("pairs")
    create_pairs(folder, str(folder / "pairs.db"), datetime(2026, 5, 4, 12, tzinfo=UTC))
    with open_campaign(str(folder / "pairs.db")) as opened:
        simulate(opened, 8, seed=3)
        yield opened


def texts_of_all(campaign: OpenCampaign) -> dict[tuple[str, str], set[str]]:
    """What was ever shown as if by a system for a segment: its translation, and damaged copies."""
    with campaign.store.read() as connection:
        rows = audit_rows(connection)
    found: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        found.setdefault((row.system, row.segment), set()).add(row.text)
    return found


def test_what_is_stored_as_a_is_what_the_worker_saw_first(pairs: OpenCampaign, noon: datetime) -> None:
    [link] = add_workers(pairs, 1, base_url="", now=noon)
    texts = texts_of_all(pairs)
    view = next_item(pairs, link.worker_id, now=noon)
    seen: list[list[str]] = []
    while isinstance(view, NextItem):
        assert set(view.item.texts) == {"source"}
        seen.append([each["text"] for each in view.item.translations])
        answer = {"preference": ("a", "b", "tie", "both_bad")[len(seen) % 4]}
        submission = Submission(str(uuid.uuid4()), view.assignment_id, view.item.item_id, answer, 900)
        view = submit(pairs, link.worker_id, submission, now=noon).next

    rows = judged_frames(pairs).preferences.sort("position").to_dicts()
    assert len(rows) == len(seen) == 50
    for (first, second), row in zip(seen, rows, strict=True):
        assert first in texts[row["system_a"], row["segment_id"]]
        assert second in texts[row["system_b"], row["segment_id"]]
    assert [row["preference"] for row in rows[:4]] == ["b", "tie", "both_bad", "a"]


def test_controls_say_on_which_side_the_damaged_copy_was(judged: OpenCampaign) -> None:
    rows = judged_frames(judged).preferences.to_dicts()

    degraded = [row for row in rows if row["item_kind"] == "degraded"]
    assert degraded
    assert all(row["system_a"] == row["system_b"] for row in degraded)
    sides = Counter(row["control_side"] for row in degraded)
    assert set(sides) == {"a", "b"}
    assert all(row["control_side"] is None for row in rows if row["item_kind"] != "degraded")
    others = [row for row in rows if row["item_kind"] != "degraded"]
    assert all(row["system_a"] != row["system_b"] for row in others)


def test_either_side_comes_first_about_equally_often(judged: OpenCampaign) -> None:
    rows = judged_frames(judged).preferences.to_dicts()

    regular = [row for row in rows if row["item_kind"] == "regular"]
    first = Counter(row["system_a"] for row in regular)
    either = first + Counter(row["system_b"] for row in regular)
    # Four standard errors of a fair coin.
    assert all(abs(first[name] - either[name] / 2) < 4 * (either[name] / 4) ** 0.5 for name in SYSTEMS)


def test_nobody_sees_a_translation_twice_but_in_controls(judged: OpenCampaign) -> None:
    seen: Counter[tuple[Any, ...]] = Counter()
    for row in judged_frames(judged).preferences.to_dicts():
        if row["item_kind"] == "regular":
            seen.update((row["worker_id"], row["segment_id"], row[side]) for side in ("system_a", "system_b"))

    assert set(seen.values()) == {1}


def test_a_simulated_crowd_finds_the_order_and_the_export_says_the_same(
    judged: OpenCampaign, tmp_path: Path
) -> None:
    export(judged, tmp_path / "judgements.csv")

    settings = AnalysisSettings(method="bradley-terry", check="preferred-original")
    live = analysis_record(analyse(from_campaign(judged), settings))
    filed = analysis_record(analyse(read_source(str(tmp_path / "judgements.preferences.csv")), settings))

    assert [system["system_id"] for system in live["systems"]] == SYSTEMS
    assert filed["systems"] == live["systems"]
    assert filed["workers"] == live["workers"]


def test_an_option_of_the_usual_method_of_preferences_needs_no_method(
    judged: OpenCampaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export(judged, tmp_path / "judgements.csv")
    file = str(tmp_path / "judgements.preferences.csv")

    assert run(["analyse", file, "--ties", "rao-kupper", "--json", "-"]) == 0
    assert "|method:bradley-terry|" in (signature := json.loads(capsys.readouterr().out)["signature"])
    assert "|ties:rao-kupper|" in signature
    assert run(["analyse", file, "--gold-form", "printed"]) == 2
    assert "--gold-form is an option of two-stage, not of bradley-terry." in capsys.readouterr().err
