"""Every statement of a worker's click finds its rows by an index, however many there are.

No row is read for every judgement there is, on SQLite without any statistics.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Connection, Engine
from sqlalchemy.event import listen, remove

from steelyard.domain.campaign import Campaign
from steelyard.domain.running import Rules
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.store import judgements, prepared, running
from steelyard.store.database import Store, open_store
from steelyard.web.app import create_app

# Tables that grow with the campaign or the work done in it.
GROWING = (
    *("judgements", "assignments", "hit_items", "items", "segments", "openings", "workers", "hits"),
    *("entries", "remarks"),
)
# Indexes of some rows only, few at any time: who is at work now, and what is still to be given out.
FEW = ("assignments_one_open", "openings_free")

Sent = tuple[str, Any]


@pytest.fixture
def clicks(
    toy_store: Store, toy_campaign: Campaign, noon: datetime, ask_first: Callable[..., None]
) -> list[Sent]:
    """What a worker's clicks send to the database: before the first set, then to the end of a HIT."""
    sent: list[Sent] = []

    def note(*args: Any) -> None:
        sent.append((args[2], args[3][0] if args[5] else args[3]))

    # In context, so that what was judged before in a document is asked for as well.
    campaign = OpenCampaign(toy_store, replace(toy_campaign.settings, presentation={"context": True}))
    with toy_store.write() as connection:
        # Whoever takes a HIT is asked whether the one before was begun.
        running.set_rules(connection, Rules(unbegun_hits=1, tell_pay=True, wage=12.0))
    ask_first(campaign)
    [worker] = add_workers(campaign, 1, base_url="", now=noon)
    headers = {"Authorization": f"Bearer {worker.token}"}
    with TestClient(create_app(campaign)) as client:
        listen(Engine, "before_cursor_execute", note)
        try:
            enter(client, headers)
            click(client, headers)
        finally:
            remove(Engine, "before_cursor_execute", note)
    return sent


def enter(client: TestClient, headers: dict[str, str]) -> None:
    """All that comes before the first set, and a remark."""
    remark = {"remark_id": str(uuid.uuid4()), "kind": "comment", "text": "Hello."}
    for path, body in (
        ("consent", {"agrees": True, "revision": 2}),
        ("questions", {"answers": {"native": "Yes"}}),
        ("training", {"number": 1, "answer": {"rating": 50}}),
        ("training", {"number": 2, "answer": {"rating": 50}}),
        ("remarks", remark),
    ):
        reply = client.post(f"/api/v1/work/{path}", headers=headers, json=body)
        assert reply.status_code in (200, 201), reply.text


def click(client: TestClient, headers: dict[str, str]) -> None:
    """One HIT of four items, and the beginning of another."""
    assert client.get("/api/v1/work", headers=headers).status_code == 200
    for _ in range(5):
        view = client.post("/api/v1/work/next", headers=headers).json()
        answer = {
            "judgement_id": str(uuid.uuid4()),
            "assignment_id": view["assignment_id"],
            "item_id": view["item"]["item_id"],
            "answer": {"rating": 50},
            "shown_ms": 9000,
        }
        reply = client.post("/api/v1/work/judgements", headers=headers, json=answer)
        assert reply.status_code == 201, reply.text
    assert client.get("/api/v1/work", headers=headers).status_code == 200


def readers(connection: Connection, statement: str, values: Any = ()) -> Iterator[str]:
    """How a statement reads the growing tables: a line for each that is read from one end to the other."""
    names = {alias: table for table, alias in re.findall(r"\b(\w+) AS (\w+)", statement)}
    if connection.dialect.name == "sqlite":
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        for detail in (row[3] for row in rows):
            verb, _, rest = detail.partition(" ")
            alias = rest.partition(" ")[0]
            # Nearly all judgements replace none: to look for those is to read them all. Where the index alone
            # suffices, it is whether a judgement was replaced.
            by_nothing = "(replaces=?)" in rest and "COVERING" not in rest
            is_whole = verb == "SCAN" or "AUTOMATIC" in rest or by_nothing
            if is_whole and names.get(alias, alias) in GROWING and not any(few in rest for few in FEW):
                yield detail
        return
    # What PostgreSQL prefers for a handful of rows, it no longer does for many.
    for way in ("seqscan", "mergejoin", "hashjoin"):
        connection.exec_driver_sql(f"SET LOCAL enable_{way} = off")
    [(plan,)] = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", values)
    for node in _nodes(plan[0]["Plan"] if isinstance(plan, list) else json.loads(plan)[0]["Plan"]):
        is_found = "Index Cond" in node or node.get("Index Name") in FEW
        if node.get("Relation Name") in GROWING and "Scan" in node["Node Type"] and not is_found:
            children = node.get("Plans", [])
            if not any("Index Cond" in child for child in children):
                yield f"{node['Node Type']} on {node['Relation Name']}"


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from _nodes(child)


def is_question(statement: str) -> bool:
    return statement.lstrip().startswith(("SELECT", "INSERT", "UPDATE", "WITH"))


@pytest.fixture
def unknown_store(address: str, clicks: list[Sent]) -> Iterator[Store]:
    """The same database, opened anew; on SQLite nobody has ever counted what is in it."""
    with open_store(address) as store:
        if store.dialect == "sqlite":
            with store.write() as connection:
                connection.exec_driver_sql("DELETE FROM sqlite_stat1")
    # Without foreign keys: SQLite plans to read what hangs on a new row, and then never does.
    with open_store(address, loading=True) as store:
        yield store


def test_no_click_reads_a_table_from_one_end_to_the_other(unknown_store: Store, clicks: list[Sent]) -> None:
    asked = {statement: values for statement, values in clicks if is_question(statement)}
    # Answers as they arrive go the quick way, the last one of a HIT the careful one.
    assert {prepared.STANDINGS[unknown_store.dialect], judgements.INSERT[unknown_store.dialect]} <= set(asked)
    assert [statement for statement in asked if "UPDATE assignments" in statement]

    with unknown_store.read() as connection:
        found = [
            f"{line}: {statement}"
            for statement, values in asked.items()
            for line in readers(connection, statement, values)
        ]

    assert not found, "\n".join(found)


def test_a_statement_that_reads_a_whole_table_is_recognised(toy_store: Store) -> None:
    whole = [
        "SELECT count(*) FROM judgements WHERE shown_ms > 5",
        "SELECT count(*) FROM judgements AS judged WHERE shown_ms > 5",
        "SELECT text FROM items ORDER BY item_id",
        "SELECT count(assignment_id) FROM openings",
    ]

    with toy_store.read() as connection:
        assert [statement for statement in whole if list(readers(connection, statement))] == whole


def test_the_count_of_judgements_that_replace_none_is_recognised(unknown_sqlite: Store) -> None:
    count = "SELECT count(*) FROM judgements WHERE assignment_id = 'a1' AND replaces IS NULL"

    with unknown_sqlite.read() as connection:
        assert list(readers(connection, count))


@pytest.fixture
def unknown_sqlite(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "unknown.db"), create=True) as store:
        yield store
