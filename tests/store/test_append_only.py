"""Nothing that gives a judgement its meaning can be changed, not even by SQL from outside the program."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from sqlalchemy import insert

from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.judgement import Judgement
from steelyard.domain.text import Segment, System
from steelyard.domain.work import Hit, Item, ItemKind, PlacedItem
from steelyard.store import actions, campaigns, judgements, tables, work
from steelyard.store.database import open_store
from steelyard.store.migrations import m0005_safety as safety

NOW = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
KEYS = {
    **safety.WRITTEN_ONCE,
    "prefilled": ("item_id", "place"),
    "judgements": ("judgement_id",),
    **{table: (key,) for table, key in safety.KEYS.items()},
}
# Every column that must stay as it is.
FIXED = [
    (table.name, column.name)
    for table in tables.metadata.sorted_tables
    if table.name in KEYS
    for column in table.columns
    if column.name in safety.FIXED_COLUMNS.get(table.name, table.columns)
]
# Columns outside the key, to be changed by a row that comes in over another. Some tables have none.
BESIDE_KEY = {table: column for table, column in FIXED if column not in KEYS[table]}


@dataclass(frozen=True)
class Outsider:
    """Somebody with the database's address and a driver, and nothing of ours."""

    connection: Any
    refusals: type[Exception]

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        return sorted(self.connection.execute(f"SELECT * FROM {table}").fetchall(), key=str)

    def attack(self, table: str, *statements: str) -> None:
        """Statements, one of which at least is refused or passed over: afterwards nothing has changed."""
        before = self.rows(table)
        assert before
        try:
            for statement in statements:
                self.connection.execute(statement)
        except self.refusals:
            self.connection.rollback()
        else:
            # A judgement that has arrived before is passed over in silence.
            assert statements[-1].startswith("INSERT")
            assert table == "judgements"
            self.connection.commit()
        assert self.rows(table) == before
        self.connection.rollback()


@pytest.fixture(scope="module")
def postgres_database(postgres_databases: Any) -> Iterator[str]:
    name = postgres_databases.take()
    yield postgres_databases.address_of(name)
    postgres_databases.give_back(name)


@pytest.fixture(scope="module")
def sqlite_outsider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outsider]:
    address = str(tmp_path_factory.mktemp("append-only") / "toy.db")
    fill(address)
    with closing(sqlite3.connect(address)) as connection:
        yield Outsider(connection, sqlite3.IntegrityError)


@pytest.fixture(scope="module")
def postgresql_outsider(postgres_database: str) -> Iterator[Outsider]:
    fill(postgres_database)
    with closing(psycopg.connect(postgres_database)) as connection:
        yield Outsider(connection, psycopg.errors.IntegrityError)


@pytest.fixture(params=["sqlite", "postgresql"])
def outsider(request: pytest.FixtureRequest) -> Outsider:
    """A database that is filled once: no attack changes it."""
    found: Outsider = request.getfixturevalue(f"{request.param}_outsider")
    return found


def fill(address: str) -> None:
    """Two rows or more in every table that must stay as it is, but for the only campaign."""
    segments = tuple(Segment(f"s{k}", "d1", f"Quelle {k}", f"source {k}") for k in (1, 2))
    settings = CampaignSettings("toy", "Toy", "da", "adequacy", "de", "en", design=DesignSettings(hit_size=2))
    texts = {"alpha": ("a1", "a2"), "beta": ("b1", "b2")}
    campaign = Campaign(settings, (System("alpha"), System("beta")), segments, texts)
    items = [
        Item(f"i-{text.system_id}-{text.segment_id}", ItemKind.REGULAR, text.system_id, text.segment_id, "x")
        for text in campaign.each_translation()
    ]
    placed = (PlacedItem(items[0].item_id, 1, 1), PlacedItem(items[3].item_id, 2, 1))
    hits = [Hit(f"h{number}", number, number, placed) for number in (1, 2, 3)]
    with open_store(address, create=True) as store, store.write() as connection:
        campaigns.add_campaign(
            connection, campaign, items=items, hits=hits, openings_per_hit=1, now=NOW, created_with="test"
        )
        for number in (1, 2):
            worker_id = work.add_worker(connection, now=NOW).worker_id
            work.claim_opening(connection, worker_id, assignment_id=f"a{number}", now=NOW)
            actions.log_action(connection, "block", by="manager", now=NOW, worker_id=worker_id)
        for number, (assignment, position) in enumerate((("a1", 1), ("a1", 2), ("a2", 1)), start=1):
            item_id = placed[position - 1].item_id
            judgements.append(
                connection, Judgement(f"j{number}", assignment, item_id, position, {}, 9000, NOW)
            )
        connection.exec_driver_sql(
            "INSERT INTO judgements (judgement_id, assignment_id, item_id, position, answer, shown_ms, "
            "submitted_at, replaces, revision) SELECT 'j4', assignment_id, item_id, position, answer, "
            "shown_ms, submitted_at, 'j1', revision FROM judgements WHERE judgement_id = 'j1'"
        )
        beside = {"segment_id": "s1", "kind": "regular", "text": "x"}
        for number in (0, 1):
            item = {"item_id": items[number].item_id, "system_id": "beta"}
            connection.execute(insert(tables.item_credits), [item])
            connection.execute(insert(tables.item_translations), [{**item, **beside, "place": 2}])
            marked = {"item_id": items[number].item_id, "place": 1, "spans": "[]"}
            connection.execute(insert(tables.prefilled), [marked])
            shared = {"item_id": items[number].item_id, "hit_id": "h1"}
            connection.execute(insert(tables.shared_places), [shared])
        words = {"title": "T", "presentation": "{}", "made_at": NOW, "reason": "r"}
        connection.execute(insert(tables.revisions), [{"revision": 2, **words}])


def other_value(table: str, column: str) -> str:
    """SQL of a value that differs from the one stored."""
    kind = type(tables.metadata.tables[table].c[column].type).__name__
    if kind == "Boolean":
        return f"NOT {column}"
    if kind == "Instant":
        return "'2020-01-01 00:00:00+00:00'"
    return f"COALESCE({column}, '') || 'x'" if kind == "Text" else f"COALESCE({column}, 0) + 7"


@pytest.mark.parametrize(("table", "column"), FIXED)
def test_no_column_that_matters_can_be_updated(outsider: Outsider, table: str, column: str) -> None:
    outsider.attack(table, f"UPDATE {table} SET {column} = {other_value(table, column)}")


@pytest.mark.parametrize("table", KEYS)
def test_no_row_can_be_deleted(outsider: Outsider, table: str) -> None:
    outsider.attack(table, f"DELETE FROM {table}")


@pytest.mark.parametrize("table", KEYS)
def test_no_table_can_be_emptied(postgresql_outsider: Outsider, table: str) -> None:
    postgresql_outsider.attack(table, f"TRUNCATE {table} CASCADE")


def over_another(table: str) -> str:
    """A row that has the key of another and differs from it in one column."""
    names = [column.name for column in tables.metadata.tables[table].columns]
    changed = BESIDE_KEY.get(table)
    values = [other_value(table, name) if name == changed else name for name in names]
    return f"INTO {table} ({', '.join(names)}) SELECT {', '.join(values)} FROM {table}"


@pytest.mark.parametrize("table", KEYS)
def test_a_row_cannot_come_in_over_another(outsider: Outsider, table: str) -> None:
    changed = BESIDE_KEY.get(table, KEYS[table][0])
    key = ", ".join(KEYS[table])
    update = f"WHERE true ON CONFLICT ({key}) DO UPDATE SET {changed} = EXCLUDED.{changed}"

    outsider.attack(table, f"INSERT {over_another(table)} {update}")


@pytest.mark.parametrize("table", KEYS)
def test_a_row_cannot_replace_one_with_its_key(sqlite_outsider: Outsider, table: str) -> None:
    sqlite_outsider.attack(table, f"INSERT OR REPLACE {over_another(table)}")


@pytest.mark.parametrize("table", KEYS)
def test_a_row_cannot_replace_one_with_its_rowid(sqlite_outsider: Outsider, table: str) -> None:
    names = [column.name for column in tables.metadata.tables[table].columns]
    is_key = {name: name in KEYS[table] for name in names}
    values = [other_value(table, name) if is_key[name] else name for name in names]
    rowid = "" if KEYS[table][0] in ("opening_id", "revision", "number") else "rowid, "
    if not rowid:
        values = names
    columns = f"({rowid}{', '.join(names)})"

    sqlite_outsider.attack(
        table,
        f"INSERT OR REPLACE INTO {table} {columns} SELECT {rowid}{', '.join(values)} FROM {table} LIMIT 1",
    )


@pytest.mark.parametrize("table", KEYS)
def test_a_row_cannot_be_moved_over_another(sqlite_outsider: Outsider, table: str) -> None:
    rowids = f"SELECT {{}}(rowid) FROM {table}"
    first, last = rowids.format("min"), rowids.format("max")
    moved = f"({last})" if table != "campaigns" else f"({last}) + 1"

    sqlite_outsider.attack(table, f"UPDATE OR REPLACE {table} SET rowid = {moved} WHERE rowid = ({first})")


# OR REPLACE deletes whatever stands in the way of a unique column that is not the key.
SECOND_KEYS = {
    "a second correction of a judgement": (
        "judgements",
        "INSERT OR REPLACE INTO judgements SELECT 'j5', assignment_id, item_id, position, answer, 1, "
        "submitted_at, replaces, shown_order, revision, item_hash, chain_hash, behaviour FROM judgements "
        "WHERE judgement_id = 'j4'",
    ),
    "a second judgement of a position": (
        "judgements",
        "INSERT OR REPLACE INTO judgements SELECT 'j5', assignment_id, item_id, position, answer, 1, "
        "submitted_at, replaces, shown_order, revision, item_hash, chain_hash, behaviour FROM judgements "
        "WHERE judgement_id = 'j2'",
    ),
    "a second assignment of a worker to a HIT": (
        "assignments",
        "INSERT OR REPLACE INTO assignments SELECT 'a9', hit_id, worker_id, 'expired', accepted_at, NULL, "
        "NULL, NULL FROM assignments WHERE assignment_id = 'a1'",
    ),
    "a second open assignment": (
        "assignments",
        "INSERT OR REPLACE INTO assignments SELECT 'a9', 'h3', worker_id, status, accepted_at, NULL, NULL, "
        "NULL FROM assignments WHERE assignment_id = 'a1'",
    ),
    "an opening for somebody who holds one": (
        "openings",
        "INSERT OR REPLACE INTO openings SELECT 99, hit_id, assignment_id, turn FROM openings "
        "WHERE assignment_id = 'a1'",
    ),
}


@pytest.mark.parametrize("attack", SECOND_KEYS)
def test_a_row_cannot_replace_one_by_a_second_key(sqlite_outsider: Outsider, attack: str) -> None:
    sqlite_outsider.attack(*SECOND_KEYS[attack])


def test_opening_an_assignment_again_cannot_replace_another(sqlite_outsider: Outsider) -> None:
    other = "INSERT INTO assignments SELECT 'a9', 'h3', worker_id, 'expired', accepted_at, NULL, NULL, NULL "
    reopen = "UPDATE OR REPLACE assignments SET status = 'accepted' WHERE assignment_id = 'a9'"

    sqlite_outsider.attack("assignments", f"{other} FROM assignments WHERE assignment_id = 'a1'", reopen)


def test_handing_an_opening_on_cannot_replace_another(sqlite_outsider: Outsider) -> None:
    second = "INSERT INTO openings VALUES (99, 'h1', NULL, 0)"
    hand_on = "UPDATE OR REPLACE openings SET assignment_id = 'a1' WHERE opening_id = 99"

    sqlite_outsider.attack("openings", second, hand_on)


def test_an_opening_goes_only_to_an_assignment_of_its_own_hit(outsider: Outsider) -> None:
    free = "UPDATE openings SET assignment_id = NULL WHERE assignment_id = 'a1'"
    hand_on = "UPDATE openings SET assignment_id = 'a1' WHERE hit_id = 'h3'"

    outsider.attack("openings", free, hand_on)


def test_a_new_opening_is_of_the_hit_of_its_assignment(outsider: Outsider) -> None:
    free = "UPDATE openings SET assignment_id = NULL WHERE assignment_id = 'a1'"

    outsider.attack("openings", free, "INSERT INTO openings VALUES (99, 'h3', 'a1', 0)")


def test_a_campaign_that_was_created_is_guarded_as_before(sqlite_outsider: Outsider) -> None:
    query = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%no_replace'"

    assert sqlite_outsider.connection.execute(query).fetchone() == (len(KEYS),)
