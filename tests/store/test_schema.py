from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from threading import Barrier

import pytest
from sqlalchemy import Connection, inspect, make_url, select

from steelyard.domain.campaign import DesignSettings
from steelyard.domain.errors import Conflict, SourceError
from steelyard.domain.judgement import Span
from steelyard.domain.text import System
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.open import OpenCampaign
from steelyard.flows.submit import Submission, submit
from steelyard.flows.verify import verify
from steelyard.store import campaigns, entries, judgements, schema, tables, work
from steelyard.store.copying import copy_from_file
from steelyard.store.database import Store, open_store
from steelyard.store.engines import postgresql_engine, sqlite_engine
from steelyard.store.prefilled import add_prefilled, prefilled_spans


def applied(store: Store) -> list[int]:
    with store.read() as connection:
        query = select(tables.schema_versions.c.version).order_by(tables.schema_versions.c.applied_at)
        return list(connection.execute(query).scalars())


def test_migrations_are_numbered_without_gaps() -> None:
    numbers = list(schema.known_upgrades())

    assert numbers == list(range(1, len(numbers) + 1))


def test_a_new_database_has_every_migration(store: Store) -> None:
    assert applied(store) == list(schema.known_upgrades())


def test_opening_again_runs_no_migration_again(store: Store, address: str) -> None:
    before = applied(store)

    open_store(address, create=True).close()

    assert applied(store) == before


def test_upgrades_run_in_order_and_only_those_that_are_new(store: Store) -> None:
    newest = max(schema.known_upgrades())
    ran: list[int] = []
    upgrades = {number: lambda _, number=number: ran.append(number) for number in range(newest + 2, 0, -1)}

    schema.upgrade(store.write, upgrades=upgrades)
    schema.upgrade(store.write, upgrades=upgrades)

    assert ran == [newest + 1, newest + 2]


def test_an_upgrade_that_fails_leaves_the_schema_as_it_was(store: Store) -> None:
    before = applied(store)

    def fails(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE half_done (name TEXT)")
        connection.exec_driver_sql("SELECT * FROM no_such_table")

    with pytest.raises(SourceError):
        schema.upgrade(store.write, upgrades={before[-1] + 1: fails})

    with store.read() as connection:
        assert not inspect(connection).has_table("half_done")
    assert applied(store) == before


def test_several_openers_at_once_run_each_migration_once(address: str) -> None:
    start = Barrier(6)

    def open_it(_: int) -> list[int]:
        start.wait()
        store = open_store(address, create=True)
        found = applied(store)
        store.close()
        return found

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(open_it, range(6)))

    assert found == [list(schema.known_upgrades())] * 6


FIRST_CAMPAIGN = """
INSERT INTO campaigns VALUES ('old', 'Old', 'da', 'adequacy', 'de', 'en', 'paired-t', 7, 50, 2, '{}',
    '2024-05-01T12:00:00.000000+00:00', 'steelyard 0.1.0');
INSERT INTO systems VALUES ('alpha', false, 1);
INSERT INTO segments VALUES ('s1', 1, 'd1', 'Ein Hut.', 'A hat.');
INSERT INTO items VALUES ('i1', 'regular', 'alpha', 's1', 'One hat.', NULL)
"""


def test_a_campaign_of_the_first_schema_lives_on(empty_store: Store) -> None:
    known = schema.known_upgrades()
    schema.upgrade(empty_store.write, upgrades={1: known[1]})
    with empty_store.write() as connection:
        for statement in FIRST_CAMPAIGN.split(";"):
            connection.exec_driver_sql(statement)

    schema.upgrade(empty_store.write, upgrades=known)

    with empty_store.read() as connection:
        assert campaigns.settings(connection).design == DesignSettings(hit_size=50, ratings_per_item=2)
        assert campaigns.systems(connection) == [System("alpha")]
        assert [fact.text for fact in campaigns.item_facts(connection)] == ["One hat."]


# What a campaign of the second schema may hold: someone at work, one judgement and its correction.
SECOND_CAMPAIGN = """
INSERT INTO campaigns VALUES ('old', 'Old', 'da', 'adequacy', 'de', 'en', 'paired-t', 7, 50, 2, '{}',
    '2024-05-01T12:00:00.000000+00:00', 'steelyard 0.2.0', '{}');
INSERT INTO systems VALUES ('alpha', false, 1, 1.0);
INSERT INTO segments VALUES ('s1', 1, 'd1', 'Ein Hut.', 'A hat.');
INSERT INTO items VALUES ('i1', 'regular', 'alpha', 's1', 'One hat.', NULL, NULL, NULL);
INSERT INTO hits VALUES ('h1', 1, 1);
INSERT INTO hit_items VALUES ('h1', 1, 'i1', 1, false);
INSERT INTO workers VALUES ('W0001', '2024-05-01T12:00:00.000000+00:00');
INSERT INTO assignments VALUES ('a1', 'h1', 'W0001', 'accepted', '2024-05-01T12:00:00.000000+00:00', NULL);
INSERT INTO judgements VALUES ('j1', 'a1', 'i1', 1, '{"rating": 73}', 5200,
    '2024-05-01T12:00:00.000000+00:00', NULL);
INSERT INTO judgements VALUES ('j2', 'a1', 'i1', 1, '{"rating": 37}', 5200,
    '2024-05-01T12:01:00.000000+00:00', 'j1')
"""


@pytest.fixture
def upgraded_store(empty_store: Store) -> Store:
    """A campaign with judgements, made under the second schema and brought to the present one."""
    known = schema.known_upgrades()
    schema.upgrade(empty_store.write, upgrades={number: known[number] for number in (1, 2)})
    with empty_store.write() as connection:
        for statement in SECOND_CAMPAIGN.split(";"):
            connection.exec_driver_sql(statement)
    schema.upgrade(empty_store.write, upgrades=known)
    return empty_store


def test_judgements_of_the_second_schema_are_read_as_they_were(upgraded_store: Store) -> None:
    with upgraded_store.read() as connection:
        [columns] = judgements.stored_judgements(connection)
        first = judgements.find(connection, "j1")

    assert (columns.judgement_id, columns.answer, columns.shown_order) == (
        ("j2",),
        ({"rating": 37},),
        (None,),
    )
    assert first is not None
    assert (first.answer, first.shown_order) == ({"rating": 73}, None)


@pytest.mark.parametrize("change", ["UPDATE judgements SET shown_order = '[1]'", "DELETE FROM judgements"])
def test_judgements_of_an_upgraded_campaign_cannot_be_changed(upgraded_store: Store, change: str) -> None:
    with pytest.raises(Conflict, match="append-only"), upgraded_store.write() as connection:
        connection.exec_driver_sql(change)


def test_the_worker_of_an_upgraded_campaign_goes_on(upgraded_store: Store, noon: datetime) -> None:
    with upgraded_store.write() as connection:
        assignment = work.open_assignment(connection, "W0001")
        assert assignment is not None
        placed = work.placed_item(connection, assignment, 1)
        work.submit_assignment(connection, "a1", now=noon)

    assert (assignment.n_items, assignment.n_done) == (1, 1)
    assert [text.text for text in placed.translations] == ["One hat."]


# Three places on each of two HITs. One place of h1 was released, one is held; nobody has had those of h2.
PLACES_OF_FOURTH = """
INSERT INTO hits (hit_id, round, number) VALUES ('h1', 1, 1), ('h2', 1, 2);
INSERT INTO workers (worker_id, created_at) VALUES ('W0001', '2024-05-01T12:00:00.000000+00:00'),
    ('W0002', '2024-05-01T12:00:00.000000+00:00');
INSERT INTO assignments (assignment_id, hit_id, worker_id, status, accepted_at, released_at) VALUES
    ('a1', 'h1', 'W0001', 'expired', '2024-05-01T12:00:00.000000+00:00', '2024-05-01T13:00:00.000000+00:00'),
    ('a2', 'h1', 'W0002', 'accepted', '2024-05-01T12:00:00.000000+00:00', NULL);
INSERT INTO openings (opening_id, hit_id, assignment_id) VALUES (1, 'h1', NULL), (2, 'h2', NULL),
    (3, 'h1', 'a2'), (4, 'h2', NULL), (5, 'h1', NULL), (6, 'h2', NULL)
"""


def test_places_released_before_the_upgrade_come_after_those_that_nobody_has_had(empty_store: Store) -> None:
    known = schema.known_upgrades()
    schema.upgrade(empty_store.write, upgrades={number: known[number] for number in (1, 2, 3, 4)})
    with empty_store.write() as connection:
        for statement in PLACES_OF_FOURTH.split(";"):
            connection.exec_driver_sql(statement)

    schema.upgrade(empty_store.write, upgrades=known)

    places = tables.openings.c
    free = select(places.hit_id).where(places.assignment_id.is_(None)).order_by(places.turn)
    with empty_store.read() as connection:
        assert list(connection.execute(free).scalars()) == ["h2", "h2", "h1", "h2", "h1"]


SECOND_ITEM = """;
INSERT INTO items VALUES ('i2', 'regular', 'alpha', 's1', 'Some hat.', NULL, NULL, NULL);
INSERT INTO hit_items VALUES ('h1', 2, 'i2', 1, false)
"""


def test_a_campaign_of_the_fifth_schema_goes_on_with_its_judgements(
    empty_store: Store, noon: datetime
) -> None:
    known = schema.known_upgrades()
    schema.upgrade(empty_store.write, upgrades={number: known[number] for number in (1, 2)})
    with empty_store.write() as connection:
        for statement in (SECOND_CAMPAIGN.rstrip() + SECOND_ITEM).split(";"):
            connection.exec_driver_sql(statement)
    schema.upgrade(empty_store.write, upgrades={number: known[number] for number in range(1, 6)})
    assert applied(empty_store) == [1, 2, 3, 4, 5]

    schema.upgrade(empty_store.write, upgrades=known)

    with empty_store.write() as connection:
        settings = campaigns.settings(connection)
        stored = judgements.find(connection, "j2")
        assert stored is not None
        assert (stored.answer, stored.behaviour) == ({"rating": 37}, None)
        assert entries.worker_entries(connection, "W0001") == []
        entries.append_entry(connection, "W0001", "consent", {"agrees": True}, revision=1, now=noon)
    campaign = OpenCampaign(empty_store, settings)
    view = next_item(campaign, "W0001", now=noon)
    assert isinstance(view, NextItem)
    done = submit(campaign, "W0001", Submission("j3", "a1", "i2", {"rating": 50}, 900), now=noon)
    assert (view.position, done.next.n_done) == (2, 2)


def test_a_campaign_of_the_sixth_schema_goes_on_and_its_chains_still_fit(
    empty_store: Store, noon: datetime
) -> None:
    known = schema.known_upgrades()
    schema.upgrade(empty_store.write, upgrades={number: known[number] for number in (1, 2)})
    with empty_store.write() as connection:
        for statement in (SECOND_CAMPAIGN.rstrip() + SECOND_ITEM).split(";"):
            connection.exec_driver_sql(statement)
    schema.upgrade(empty_store.write, upgrades={number: known[number] for number in range(1, 7)})
    assert applied(empty_store) == [1, 2, 3, 4, 5, 6]

    schema.upgrade(empty_store.write, upgrades=known)

    with empty_store.write() as connection:
        settings = campaigns.settings(connection)
        assert prefilled_spans(connection) == {}
        add_prefilled(connection, [("i1", 1, [Span(0, 0, 3, "major")])])
    with empty_store.read() as connection:
        assert prefilled_spans(connection, ["i1"]) == {"i1": {1: (Span(0, 0, 3, "major"),)}}
    campaign = OpenCampaign(empty_store, settings)
    done = submit(campaign, "W0001", Submission("j3", "a1", "i2", {"rating": 50}, 900), now=noon)
    assert done.next.n_done == 2
    assert verify(campaign).is_sound


def test_a_backup_of_the_second_schema_is_restored_into_either_database(address: str, tmp_path: Path) -> None:
    file = tmp_path / "old backup.db"
    file.touch()
    with Store(sqlite_engine(file, patience=5), address="old") as old:
        known = schema.known_upgrades()
        schema.upgrade(old.write, upgrades={number: known[number] for number in (1, 2)})
        with old.write() as connection:
            for statement in SECOND_CAMPAIGN.split(";"):
                connection.exec_driver_sql(statement)
    before = file.read_bytes()

    copy_from_file(file, address, watch=lambda _: nullcontext(lambda _: None))

    with open_store(address) as restored, restored.read() as connection:
        [columns] = judgements.stored_judgements(connection)
        assert columns.answer == ({"rating": 37},)
        assert applied(restored) == list(known)
    assert file.read_bytes() == before


def test_a_backup_of_a_newer_schema_is_refused(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "new.db"), create=True) as newer, newer.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO schema_versions VALUES (999, '2099-01-01T00:00:00.000000+00:00')"
        )
        for statement in FIRST_CAMPAIGN.split(";")[:1]:
            columns = "name, title, protocol, attribute, source_language, target_language, check_name, seed,"
            columns += "hit_size, ratings_per_item, presentation, created_at, created_with"
            connection.exec_driver_sql(statement.replace("campaigns VALUES", f"campaigns ({columns}) VALUES"))

    with pytest.raises(SourceError, match="made by a newer Steelyard"):
        copy_from_file(
            tmp_path / "new.db", str(tmp_path / "to.db"), watch=lambda _: nullcontext(lambda _: None)
        )

    assert not (tmp_path / "to.db").exists()


@pytest.fixture
def empty_store(address: str) -> Iterator[Store]:
    """A store on a database without any table."""
    if "://" in address:
        engine = postgresql_engine(make_url(address), patience=5)
    else:
        Path(address).touch()
        engine = sqlite_engine(Path(address), patience=5)
    store = Store(engine, address=address)
    yield store
    store.close()
