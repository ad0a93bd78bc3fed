"""Cloning a campaign: all that was decided comes along, nothing that was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from steelyard.domain.campaign import Campaign, DesignSettings, GivenItem
from steelyard.domain.errors import CampaignError, ChoiceError, Conflict
from steelyard.domain.running import CampaignState
from steelyard.domain.work import ItemKind
from steelyard.flows.clone import clone
from steelyard.flows.create import create, design_source, write
from steelyard.flows.extend import extend
from steelyard.flows.links import links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.progress import campaign_progress
from steelyard.flows.simulate import simulate
from steelyard.formats.campaign_toml import CampaignSource
from steelyard.store import running
from steelyard.store.audit import AuditRow, audit_rows


def audit(campaign: OpenCampaign) -> list[AuditRow]:
    with campaign.store.read() as connection:
        return audit_rows(connection)


def without_ids(rows: list[AuditRow]) -> list[AuditRow]:
    return [replace(row, item_id="") for row in rows]


@pytest.fixture
def other_address(address: str, tmp_path: Path, new_postgres_database: Callable[[], str]) -> str:
    """An empty database of the same kind."""
    return new_postgres_database() if "://" in address else str(tmp_path / "other.db")


def test_a_clone_has_the_same_hits_under_other_ids_and_nobody_at_work(
    address, other_address, texts, noon
) -> None:
    create(replace(texts, copied=True).write(), address, now=noon)
    with open_campaign(address) as campaign:
        simulate(campaign, 2, seed=1)
        created = clone(campaign, other_address, now=noon, name="again")
        with open_campaign(other_address) as other:
            assert without_ids(audit(other)) == without_ids(audit(campaign))
            assert {row.item_id for row in audit(other)}.isdisjoint(row.item_id for row in audit(campaign))
            progress = campaign_progress(other)
            assert replace(other.settings, name=campaign.settings.name) == campaign.settings

    assert created.settings.name == "again"
    assert (progress.n_openings, progress.n_taken, progress.n_judgements, progress.workers) == (
        *(created.n_openings, 0, 0),
        (),
    )


def test_rules_and_words_are_those_of_the_latest_revision(texts, tmp_path, noon) -> None:
    create(texts.write(), str(tmp_path / "one.db"), now=noon)
    with open_campaign(str(tmp_path / "one.db")) as campaign:
        with campaign.store.write() as connection:
            words = dict(campaign.settings.presentation) | {"texts_as_images": True}
            running.add_revision(connection, "Corrected", words, now=noon)
            running.set_rules(connection, replace(campaign.settings.rules, wage=12.0))
        clone(campaign, str(tmp_path / "two.db"), now=noon, draft=True)
    with open_campaign(str(tmp_path / "two.db")) as other:
        with other.store.read() as connection:
            state, revisions = running.state(connection), running.revisions(connection)

        assert other.settings.rules.wage == 12.0
    assert state is CampaignState.DRAFT
    assert [(each.revision, each.title) for each in revisions] == [(1, "Corrected")]
    assert revisions[0].presentation["texts_as_images"]


def test_a_clone_has_from_the_start_what_was_added_later(texts, tmp_path, noon) -> None:
    create(texts.write(), str(tmp_path / "one.db"), now=noon)
    with open_campaign(str(tmp_path / "one.db")) as campaign:
        wider = replace(texts, systems=(*texts.systems, "delta"), segments=range(1, 61))
        extend(campaign, texts=wider.write("wider.toml"), by="manager", now=noon)
        created = clone(campaign, str(tmp_path / "two.db"), now=noon)
    with open_campaign(str(tmp_path / "two.db")) as other:
        rows = audit(other)

    assert (created.n_systems, created.n_segments) == (4, 60)
    assert {row.round for row in rows} == {1}
    regular = [row for row in rows if row.kind is ItemKind.REGULAR]
    assert len({(row.system, row.segment) for row in regular}) == 240


def test_hits_that_were_laid_out_elsewhere_are_copied(toy_campaign: Campaign, tmp_path, noon) -> None:
    hits = tuple(
        tuple(
            GivenItem(kind, system, segment)
            for kind, system, segment in (
                (ItemKind.REGULAR, first, "s1"),
                (ItemKind.REGULAR, second, "s2"),
                (ItemKind.REFERENCE, first, "s1"),
                (ItemKind.REPEAT, second, "s2"),
            )
        )
        for first, second in (("alpha", "beta"), ("beta", "alpha"))
    )
    settings = replace(toy_campaign.settings, design=DesignSettings(hit_size=4, order="given"))
    campaign = replace(toy_campaign, settings=settings, given=hits)
    write(design_source(CampaignSource(campaign)), str(tmp_path / "one.db"), now=noon)
    with open_campaign(str(tmp_path / "one.db")) as first:
        extend(first, ratings=2, by="manager", now=noon)
        n_openings = campaign_progress(first).n_openings
        clone(first, str(tmp_path / "two.db"), now=noon)
        with open_campaign(str(tmp_path / "two.db")) as second:
            assert without_ids(audit(second)) == without_ids(audit(first))
    assert n_openings == 6


def test_texts_that_no_hit_shows_cannot_be_cloned(texts, tmp_path, noon: datetime) -> None:
    create(replace(texts, weights={"gamma": 0.5}).write(), str(tmp_path / "one.db"), now=noon)
    with (
        open_campaign(str(tmp_path / "one.db")) as campaign,
        pytest.raises(CampaignError, match="from the campaign file"),
    ):
        clone(campaign, str(tmp_path / "two.db"), now=noon)
    assert not (tmp_path / "two.db").exists()


def test_a_clone_needs_an_empty_database_and_a_proper_name(texts, tmp_path, noon) -> None:
    create(texts.write(), str(tmp_path / "one.db"), now=noon)
    with open_campaign(str(tmp_path / "one.db")) as campaign:
        with pytest.raises(Conflict, match="already holds"):
            clone(campaign, str(tmp_path / "one.db"), now=noon)
        for name in ("no spaces", campaign.settings.name):
            with pytest.raises(ChoiceError, match="name"):
                clone(campaign, str(tmp_path / "two.db"), now=noon, name=name)


def test_a_clone_has_links_of_its_own_where_both_share_a_secret(texts, tmp_path, noon, monkeypatch) -> None:
    monkeypatch.setenv("STEELYARD_SECRET", "5" * 64)
    create(texts.write(), str(tmp_path / "one.db"), now=noon)
    with open_campaign(str(tmp_path / "one.db")) as campaign:
        clone(campaign, str(tmp_path / "two.db"), now=noon)
        with open_campaign(str(tmp_path / "two.db")) as other:
            assert other.settings.name == "toy-2"
            assert links(campaign, base_url="").manager_url != links(other, base_url="").manager_url
