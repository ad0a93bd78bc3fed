"""Creating a campaign: same design for the same seed, other ids, and a look at its progress."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from steelyard.flows.analyse import analyse
from steelyard.flows.create import create
from steelyard.flows.export import export
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.progress import campaign_progress
from steelyard.flows.settings import settings_from
from steelyard.flows.simulate import simulate
from steelyard.flows.source import from_campaign, read_source
from steelyard.protocols import protocols
from steelyard.store import campaigns
from steelyard.store.audit import AuditRow, audit_rows


def audit(campaign: OpenCampaign) -> list[AuditRow]:
    with campaign.store.read() as connection:
        return audit_rows(connection)


def without_ids(rows: list[AuditRow]) -> list[AuditRow]:
    return [replace(row, item_id="") for row in rows]


def item_ids(campaign: OpenCampaign) -> set[str]:
    with campaign.store.read() as connection:
        return {fact.item_id for fact in campaigns.item_facts(connection)}


def test_the_same_seed_gives_the_same_hits_under_other_ids(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    for name in ("one.db", "two.db"):
        create(campaign_file, str(tmp_path / name), now=noon)

    with open_campaign(str(tmp_path / "one.db")) as one, open_campaign(str(tmp_path / "two.db")) as two:
        assert without_ids(audit(one)) == without_ids(audit(two))
        assert item_ids(one).isdisjoint(item_ids(two))


def test_another_seed_gives_other_hits(campaign_file: Path, tmp_path: Path, noon: datetime) -> None:
    create(campaign_file, str(tmp_path / "one.db"), now=noon)
    campaign_file.write_text(campaign_file.read_text("utf-8").replace("seed = 7", "seed = 8"), "utf-8")
    create(campaign_file, str(tmp_path / "two.db"), now=noon)

    with open_campaign(str(tmp_path / "one.db")) as one, open_campaign(str(tmp_path / "two.db")) as two:
        assert without_ids(audit(one)) != without_ids(audit(two))


def test_ids_give_no_kind_away(campaign: OpenCampaign) -> None:
    with campaign.store.read() as connection:
        facts = campaigns.item_facts(connection)

    # Sorted by id, the kinds are well mixed: no kind sits at one end.
    kinds = [fact.kind for fact in sorted(facts, key=lambda fact: fact.item_id)]
    first_half = kinds[: len(kinds) // 2]
    for kind in set(kinds):
        share = first_half.count(kind) / kinds.count(kind)
        assert 0.2 < share < 0.8, kind


def test_a_campaign_has_one_link_for_the_manager_and_one_for_anyone(campaign: OpenCampaign) -> None:
    found = links(campaign, base_url="http://here")

    assert found.manager_url.startswith("http://here/m/")
    assert found.open_url.startswith("http://here/join/")
    assert found.workers == ()


def test_progress_reaches_the_length_of_each_step(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    steps: dict[str, list[int]] = {}

    @contextmanager
    def watched(step: str, length: int) -> Iterator[Callable[[int], None]]:
        steps[step] = [length, 0]

        def advance(amount: int) -> None:
            steps[step][1] += amount

        yield advance

    create(campaign_file, str(tmp_path / "watched.db"), now=noon, progress=watched)

    assert {step: length == reached for step, (length, reached) in steps.items()} == {
        "Designing": True,
        "Writing": True,
    }


def test_settings_survive_the_way_through_the_database(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    created = create(campaign_file, str(tmp_path / "kept.db"), now=noon)

    with open_campaign(str(tmp_path / "kept.db")) as campaign:
        assert campaign.settings == created.settings


def test_how_items_are_shown_is_recorded(campaign: OpenCampaign) -> None:
    presentation = campaign.settings.presentation

    assert (presentation["line_width_px"], presentation["start"]) == (600, "none")
    assert presentation["words"]["anchors"] == {"low": "strongly disagree", "high": "strongly agree"}


@pytest.fixture
def two_alike(campaign_file: Path) -> Path:
    """The example with a sixth system that is a copy of one of the five."""
    text = campaign_file.read_text("utf-8")
    copy = '[[systems]]\nname = "zinc"\ntranslations = "demo:tin.en.txt"\n\n[design]'
    campaign_file.write_text(text.replace("[design]", copy), "utf-8")
    return campaign_file


def test_a_copy_of_a_system_costs_no_judgement(
    two_alike: Path, small_example: str, tmp_path: Path, noon: datetime
) -> None:
    (tmp_path / "plain.toml").write_text(small_example, "utf-8")
    plain = create(tmp_path / "plain.toml", str(tmp_path / "plain.db"), now=noon)

    created = create(two_alike, str(tmp_path / "alike.db"), now=noon)

    assert (created.n_systems, created.n_hits) == (plain.n_systems + 1, plain.n_hits)


def test_judgements_of_a_shared_text_count_for_both_systems_in_file_and_database(
    two_alike: Path, tmp_path: Path, noon: datetime
) -> None:
    create(two_alike, str(tmp_path / "alike.db"), now=noon)
    with open_campaign(str(tmp_path / "alike.db")) as campaign:
        simulate(campaign, 10, seed=3)
        n_judgements = export(campaign, tmp_path / "judgements.csv").n_judgements

    sources = [read_source(str(tmp_path / name)) for name in ("alike.db", "judgements.csv")]
    from_database, from_file = (analyse(source, settings_from(source)) for source in sources)

    assert from_database.systems.equals(from_file.systems)
    assert from_database.counts == from_file.counts
    assert from_database.counts.judgements == n_judgements
    twins = [from_database.systems.filter(pl.col("system_id") == name).row(0)[5:] for name in ("tin", "zinc")]
    assert twins[0] == twins[1]


def test_a_fixed_partition_offers_every_hit_as_often_as_ratings_are_wanted(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    text = campaign_file.read_text("utf-8")
    once = create(campaign_file, str(tmp_path / "once.db"), now=noon)
    text = text.replace("ratings_per_item = 1", 'ratings_per_item = 15\npartition = "fixed"')
    campaign_file.write_text(text, "utf-8")

    created = create(campaign_file, str(tmp_path / "fixed.db"), now=noon)

    assert (created.n_hits, created.n_openings) == (once.n_hits, 15 * once.n_hits)
    with open_campaign(str(tmp_path / "fixed.db")) as campaign:
        assert campaign_progress(campaign).n_openings == created.n_openings


@pytest.mark.parametrize("name", sorted(protocols()))
def test_every_example_becomes_a_database_whose_references_hold(
    name: str, tmp_path: Path, noon: datetime
) -> None:
    (tmp_path / "campaign.toml").write_bytes((protocols()[name].folder / "example.toml").read_bytes())

    create(tmp_path / "campaign.toml", str(tmp_path / "eval.db"), now=noon)

    with closing(sqlite3.connect(tmp_path / "eval.db")) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_calibration_texts_are_judged_and_known_but_score_nobody(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    rows = [f"c{k},An old text number {k}.,Its reference {k}.,{k / 10}" for k in range(20)]
    (tmp_path / "old.csv").write_text("\n".join(["id,text,reference,score", *rows]) + "\n", "utf-8")
    text = campaign_file.read_text("utf-8") + '\n[calibration]\nfile = "old.csv"\nper_hit = 4\n'
    campaign_file.write_text(text, "utf-8")
    create(campaign_file, str(tmp_path / "eval.db"), now=noon)

    with open_campaign(str(tmp_path / "eval.db")) as campaign:
        simulate(campaign, 20, seed=3)
        frame = judged_frames(campaign).ratings.filter(pl.col("item_kind") == "calibration")
        source = from_campaign(campaign)

    assert set(frame["known"]) == {k / 10 for k in range(20)}
    analysis = analyse(source, settings_from(source, check="none"))
    assert "calibration" not in set(analysis.systems["system_id"])


def test_the_collector_is_as_it_was_after_creation(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    create(campaign_file, str(tmp_path / "eval.db"), now=noon)

    assert gc.isenabled()
