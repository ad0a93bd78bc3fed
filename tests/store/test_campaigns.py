from __future__ import annotations

import dataclasses
from datetime import datetime

import pytest

from steelyard.domain.campaign import Campaign, DesignSettings
from steelyard.domain.errors import Conflict, SourceError
from steelyard.domain.text import CALIBRATION_SYSTEM, CalibrationText
from steelyard.domain.work import Hit, Item, ItemKind, SegmentTexts
from steelyard.store import campaigns
from steelyard.store.audit import AuditRow, audit_rows
from steelyard.store.campaigns import ItemFacts
from steelyard.store.database import Store


def test_settings_come_back_as_they_were(toy_store: Store, toy_campaign: Campaign) -> None:
    with toy_store.read() as connection:
        assert campaigns.settings(connection) == toy_campaign.settings


def test_every_choice_of_the_design_comes_back(store: Store, toy_campaign: Campaign, noon: datetime) -> None:
    design = DesignSettings(
        hit_size=60,
        ratings_per_item=3,
        layout="2013",
        order="free",
        groups=6,
        quota={ItemKind.DEGRADED: 6, ItemKind.CALIBRATION: 4},
        gold_every=6,
        partition="fixed",
        degradation="delete-words",
        merge_duplicates=False,
        n_translations=2,
        degraded_as="adequacy",
    )
    usual = DesignSettings()
    settings = dataclasses.replace(toy_campaign.settings, design=design)

    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            dataclasses.replace(toy_campaign, settings=settings),
            items=[],
            hits=[],
            openings_per_hit=1,
            now=noon,
            created_with="test",
        )

    with store.read() as connection:
        assert campaigns.settings(connection).design == design
    assert not [f for f in dataclasses.fields(design) if getattr(design, f.name) == getattr(usual, f.name)]


def test_calibration_items_are_filed_under_no_system_of_the_campaign(
    store: Store, toy_campaign: Campaign, noon: datetime
) -> None:
    text = CalibrationText("k7", "A hat.", "One hat.", "Ein Hut.", score=0.4, sd=0.1)
    item = Item(
        "i1", ItemKind.CALIBRATION, CALIBRATION_SYSTEM, text.segment_id, text.text, known=0.4, known_sd=0.1
    )

    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            dataclasses.replace(toy_campaign, calibration=(text,)),
            items=[item],
            hits=[],
            openings_per_hit=1,
            now=noon,
            created_with="test",
        )

    with store.read() as connection:
        assert campaigns.systems(connection) == list(toy_campaign.systems)
        assert campaigns.item_facts(connection)[0].reference == "One hat."


def test_systems_come_back_in_the_campaigns_order(
    store: Store, toy_campaign: Campaign, noon: datetime
) -> None:
    systems = (dataclasses.replace(toy_campaign.systems[1], weight=0.5), toy_campaign.systems[0])
    campaign = dataclasses.replace(toy_campaign, systems=systems)

    with store.write() as connection:
        campaigns.add_campaign(
            connection, campaign, items=[], hits=[], openings_per_hit=1, now=noon, created_with="test"
        )

    with store.read() as connection:
        assert campaigns.systems(connection) == list(campaign.systems)


def test_a_database_without_a_campaign_says_how_to_make_one(store: Store) -> None:
    with store.read() as connection, pytest.raises(SourceError, match=r"steelyard\.create"):
        campaigns.settings(connection)


def test_a_second_campaign_is_refused_by_name(
    toy_store: Store, toy_campaign: Campaign, noon: datetime
) -> None:
    other = dataclasses.replace(
        toy_campaign, settings=dataclasses.replace(toy_campaign.settings, name="other")
    )

    with (
        pytest.raises(Conflict, match="already holds the campaign toy-de-en; choose another one"),
        toy_store.write() as connection,
    ):
        campaigns.add_campaign(
            connection, other, items=[], hits=[], openings_per_hit=1, now=noon, created_with="test"
        )


def test_nothing_stays_of_a_campaign_that_failed_half_way(
    store: Store, toy_campaign: Campaign, noon: datetime
) -> None:
    orphan = Item("i1", ItemKind.REGULAR, "no-such-system", "s1", "text")

    with pytest.raises(Conflict), store.write() as connection:
        campaigns.add_campaign(
            connection,
            toy_campaign,
            items=[orphan],
            hits=[],
            openings_per_hit=1,
            now=noon,
            created_with="test",
        )

    with store.read() as connection:
        assert campaigns.systems(connection) == []


def test_audit_rows_follow_the_hits(toy_store: Store, toy_hits: list[Hit]) -> None:
    with toy_store.read() as connection:
        rows = audit_rows(connection)

    places = [(hit.round, hit.hit_id, placed.position) for hit in toy_hits for placed in hit.placed]
    assert [(row.round, row.hit, row.position) for row in rows] == places


def test_an_audit_row_tells_where_its_base_is(toy_store: Store) -> None:
    with toy_store.read() as connection:
        degraded = audit_rows(connection)[10]

    assert degraded == AuditRow(
        hit="h3",
        round=2,
        position=3,
        group=1,
        kind=ItemKind.DEGRADED,
        system="alpha",
        segment="s1",
        document="news-1",
        base_position=2,
        text="The tax sleeps.",
        item_id="i-degraded",
        source="Der Hund schläft.",
        reference="The dog is asleep.",
        known=None,
        known_sd=None,
        credited=(),
    )


def test_item_facts_join_each_item_with_its_reference(toy_store: Store, toy_items: list[Item]) -> None:
    with toy_store.read() as connection:
        facts = campaigns.item_facts(connection)

    assert [fact.item_id for fact in facts] == sorted(item.item_id for item in toy_items)
    assert facts[-1] == ItemFacts(
        *("i-repeat", ItemKind.REPEAT, "alpha", "s1", "The dog sleeps."),
        segment=SegmentTexts("Der Hund schläft.", "The dog is asleep."),
        document_id="news-1",
        base_item_id="i-alpha-s1",
    )


def test_texts_come_back_to_the_character(store: Store, toy_campaign: Campaign, noon: datetime) -> None:
    text = "  ‫مرحبا‬ 🐕‍🦺 e\u0301 'quoted'; DROP TABLE items; --\r\n\t%s :name \\ "
    item = Item("i1", ItemKind.REGULAR, "alpha", "s1", text)

    with store.write() as connection:
        campaigns.add_campaign(
            connection, toy_campaign, items=[item], hits=[], openings_per_hit=1, now=noon, created_with="test"
        )

    with store.read() as connection:
        assert [fact.text for fact in campaigns.item_facts(connection)] == [text]


def test_progress_hears_of_every_item_and_every_place(
    store: Store, toy_campaign: Campaign, toy_items: list[Item], toy_hits: list[Hit], noon: datetime
) -> None:
    heard: list[int] = []

    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            toy_campaign,
            items=iter(toy_items),
            hits=iter(toy_hits),
            openings_per_hit=2,
            now=noon,
            created_with="test",
            progress=heard.append,
        )

    assert sum(heard) == len(toy_items) + sum(len(hit.placed) for hit in toy_hits)
