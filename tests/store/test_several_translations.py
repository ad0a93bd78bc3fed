"""Items that show several translations: written, read for a worker, answered, read for the analysis."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.event import listen, remove

from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import Conflict
from steelyard.domain.judgement import Judgement
from steelyard.domain.text import Translation
from steelyard.domain.work import Assignment, Hit, Item, ItemKind, PlacedItem, SegmentTexts, ShownText
from steelyard.store import campaigns, judgements, tables, work
from steelyard.store.audit import audit_rows
from steelyard.store.database import Store

ALPHA, BETA = "The dog sleeps.", "The hound is sleeping."
PAIR = Item(
    "i-pair",
    ItemKind.REGULAR,
    "alpha",
    "s1",
    ALPHA,
    beside=(ShownText("beta", "s1", BETA, credited=("alpha",)),),
)
CONTROL = Item(
    "i-control",
    ItemKind.DEGRADED,
    "beta",
    "s1",
    BETA,
    base_item_id="i-pair",
    beside=(ShownText("beta", "s1", "The tax is sleeping.", ItemKind.DEGRADED),),
)
TWO_SEGMENTS = Item(
    "i-two", ItemKind.REGULAR, "alpha", "s1", ALPHA, beside=(ShownText("alpha", "s3", "She laughs loudly."),)
)
ITEMS = (PAIR, CONTROL, TWO_SEGMENTS)


@pytest.fixture
def pair_store(store: Store, toy_campaign: Campaign, noon: datetime) -> Store:
    """A store with one HIT of three items, each with two translations."""
    placed = tuple(PlacedItem(item.item_id, position, 1) for position, item in enumerate(ITEMS, start=1))
    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            toy_campaign,
            items=ITEMS,
            hits=[Hit("h1", 1, 1, placed)],
            openings_per_hit=1,
            now=noon,
            created_with="steelyard test",
        )
    return store


@pytest.fixture
def claimed(pair_store: Store, noon: datetime) -> Assignment:
    with pair_store.write() as connection:
        worker = work.add_worker(connection, now=noon)
        found = work.claim_opening(connection, worker.worker_id, assignment_id="a1", now=noon)
    assert found is not None
    return found


@pytest.mark.parametrize(("position", "item"), list(enumerate(ITEMS, start=1)))
def test_an_item_comes_back_with_all_its_translations(
    pair_store: Store, claimed: Assignment, position: int, item: Item
) -> None:
    with pair_store.read() as connection:
        placed = work.placed_item(connection, claimed, position, n_translations=2)

    assert placed.item_id == item.item_id
    assert placed.translations[1:] == item.beside
    assert placed.translations[0].text == item.text


def test_each_translation_of_a_control_has_its_own_kind(pair_store: Store, claimed: Assignment) -> None:
    with pair_store.read() as connection:
        placed = work.placed_item(connection, claimed, 2, n_translations=2)

    assert [text.kind for text in placed.translations] == [ItemKind.REGULAR, ItemKind.DEGRADED]


def test_translations_of_two_segments_come_with_their_own_texts(
    pair_store: Store, claimed: Assignment
) -> None:
    with pair_store.read() as connection:
        placed = work.placed_item(connection, claimed, 3, n_translations=2)

    assert placed.segments == (
        SegmentTexts("Der Hund schläft.", "The dog is asleep."),
        SegmentTexts("Sie lacht laut.", "She laughs out loud."),
    )


def test_a_judgement_keeps_the_order_in_which_translations_were_shown(
    pair_store: Store, claimed: Assignment, noon: datetime
) -> None:
    judgement = Judgement("j1", "a1", "i-pair", 1, {"preference": "a"}, 900, noon, shown_order=(2, 1))
    with pair_store.write() as connection:
        judgements.append(connection, judgement)

    with pair_store.read() as connection:
        found = judgements.find(connection, "j1")
        [columns] = judgements.stored_judgements(connection, n_translations=2)

    assert found == judgement
    assert columns.shown_order == ((2, 1),)
    [beside] = columns.beside["i-pair"]
    assert (beside.shown, beside.document_id) == (PAIR.beside[0], "news-1")


def test_the_audit_lists_every_translation_with_its_own_kind(pair_store: Store) -> None:
    with pair_store.read() as connection:
        rows = audit_rows(connection)

    found = [(row.position, row.place, row.kind, row.system, row.segment) for row in rows]
    assert found == [
        (1, 1, "regular", "alpha", "s1"),
        (1, 2, "regular", "beta", "s1"),
        (2, 1, "regular", "beta", "s1"),
        (2, 2, "degraded", "beta", "s1"),
        (3, 1, "regular", "alpha", "s1"),
        (3, 2, "regular", "alpha", "s3"),
    ]


def test_each_translation_counts_once_however_many_items_show_it(pair_store: Store) -> None:
    with pair_store.read() as connection:
        found = campaigns.translations(connection)

    # The text of beta is credited to alpha too; nothing degraded is anybody's translation.
    assert sorted(found, key=lambda each: (each.system_id, each.segment_id, each.text)) == [
        Translation("alpha", "s1", ALPHA),
        Translation("alpha", "s1", BETA),
        Translation("alpha", "s3", "She laughs loudly."),
        Translation("beta", "s1", BETA),
    ]


def test_no_translation_stands_at_the_first_place_twice(pair_store: Store) -> None:
    with pytest.raises(Conflict), pair_store.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO item_translations VALUES ('i-pair', 1, 'beta', 's1', 'regular', 'x', NULL)"
        )


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """Every statement that reaches the database during the test."""
    sent: list[str] = []

    def note(*args: object) -> None:
        sent.append(str(args[2]))

    listen(Engine, "before_cursor_execute", note)
    yield sent
    remove(Engine, "before_cursor_execute", note)


def test_a_campaign_of_single_translations_never_looks_for_others(
    toy_store: Store, noon: datetime, statements: list[str]
) -> None:
    with toy_store.write() as connection:
        worker = work.add_worker(connection, now=noon)
        claimed = work.claim_opening(connection, worker.worker_id, assignment_id="a1", now=noon)
        assert claimed is not None
        placed = work.placed_item(connection, claimed, 1)
        judgements.append(connection, Judgement("j1", "a1", placed.item_id, 1, {"rating": 1}, 1, noon))
        list(judgements.stored_judgements(connection))

    assert statements
    assert not [sent for sent in statements if "item_translations" in sent]


def test_items_with_one_translation_leave_the_table_of_others_empty(toy_store: Store) -> None:
    with toy_store.read() as connection:
        n = connection.execute(select(func.count()).select_from(tables.item_translations)).scalar_one()

    assert n == 0
