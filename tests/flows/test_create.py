"""Creating a campaign: same design for the same seed, other ids, and a look at its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from steelyard.flows.create import create
from steelyard.flows.links import links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.store import campaigns


def audit(campaign: OpenCampaign) -> list[campaigns.AuditRow]:
    with campaign.store.read() as connection:
        return campaigns.audit_rows(connection)


def without_ids(rows: list[campaigns.AuditRow]) -> list[campaigns.AuditRow]:
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
