"""Nothing but what a pool and distributed kinds of PostgreSQL support, looked up in real statements.

The list is what PgBouncer (transaction pooling), Citus (sharding by schema) and YugabyteDB leave out.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event

from steelyard.flows.create import create
from steelyard.flows.links import add_workers, links
from steelyard.flows.open import open_campaign
from steelyard.flows.release import release_idle
from steelyard.store.addresses import address_with_schema
from steelyard.web.app import create_app

FORBIDDEN = {
    "messages between sessions": r"\b(un)?listen\b|\bnotify\b|\bpg_notify\b",
    "locks of a session": r"\bpg_(try_)?advisory_(?!xact|try_xact)\w*lock",
    "locks of a whole table": r"\block\s+table\b|^\s*lock\s",
    "temporary tables": r"\b(create|into)\s+(temp|temporary)\b",
    "settings of a session": r"(^|;)\s*(set\s+(?!local\b|transaction\b)|reset\s|discard\s)",
    "statements prepared by hand": r"(^|;)\s*(prepare|deallocate|load)\b",
    "cursors that outlive their transaction": r"\bwith\s+hold\b",
    "transactions in two phases": r"\bprepare\s+transaction\b",
    "sequences": r"\b(big|small)?serial\b|\bnextval\b|\bcurrval\b|\bgenerated\s+(always|by\s+default)\b",
    "rules and stored views": r"\bcreate\s+(or\s+replace\s+)?(rule|materialized)\b",
    "extensions and other databases": r"\bcreate\s+extension\b|\bdblink\b|\bforeign\s+(server|table)\b",
    "changes of kinds of values": r"\bcreate\s+type\b|\balter\s+type\b",
}
ALSO_FORBIDDEN = {
    "sequences": "SELECT count(*) FROM pg_class WHERE relkind = 'S' AND relnamespace = :schema",
    "stored views": "SELECT count(*) FROM pg_class WHERE relkind = 'm' AND relnamespace = :schema",
    "computed columns": "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
    "WHERE c.relnamespace = :schema AND (a.attgenerated <> '' OR a.attidentity <> '')",
    "checks at the end of a transaction": "SELECT count(*) FROM pg_constraint "
    # But for one, which docs/explanation/scaling.md names: a control may be written before its base.
    "WHERE connamespace = :schema AND condeferrable AND conname <> 'items_base_item_id_fkey'",
    "exclusion": "SELECT count(*) FROM pg_constraint WHERE connamespace = :schema AND contype = 'x'",
    "references to another schema": "SELECT count(*) FROM pg_constraint k "
    "JOIN pg_class c ON c.oid = k.confrelid WHERE k.connamespace = :schema AND c.relnamespace <> :schema",
    "inheritance": "SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
    "WHERE c.relnamespace = :schema",
    "indexes of other kinds": "SELECT count(*) FROM pg_class c JOIN pg_am a ON a.oid = c.relam "
    "WHERE c.relkind = 'i' AND c.relnamespace = :schema AND a.amname <> 'btree'",
}


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """Every statement that is sent to any database, as it is sent."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    yield sent
    event.remove(Engine, "before_cursor_execute", note)


def walk(address: str, campaign_file: Path, noon: datetime) -> None:
    """Make a campaign, work on it, look at it from all sides."""
    create(campaign_file, address, now=noon)
    with open_campaign(address) as campaign:
        [worker] = add_workers(campaign, 1, base_url="", now=noon)
        manager = links(campaign, base_url="").manager_url.rpartition("/")[2]
        with TestClient(create_app(campaign), raise_server_exceptions=False) as client:
            as_worker = {"Authorization": f"Bearer {worker.token}"}
            view = client.post("/api/v1/work/next", headers=as_worker).json()
            for _ in range(3):
                body = {
                    "judgement_id": str(uuid.uuid4()),
                    "assignment_id": view["assignment_id"],
                    "item_id": view["item"]["item_id"],
                    "answer": {"rating": 50},
                    "shown_ms": 900,
                }
                reply = client.post("/api/v1/work/judgements", headers=as_worker, json=body)
                assert reply.status_code == 201
                view = reply.json()["next"]
            as_manager = {"Authorization": f"Bearer {manager}"}
            for path in (
                "campaign",
                "hits",
                "links",
                "actions",
                "rules",
                "revisions",
                "payments",
                "verdicts",
            ):
                client.get(f"/api/v1/{path}", headers=as_manager)
            client.post("/api/v1/extend", headers=as_manager, json={"ratings": 1})
            client.post("/api/v1/state", headers=as_manager, json={"state": "paused"})
        release_idle(campaign, by="command line", now=noon)


def test_no_statement_needs_what_pools_and_distributed_databases_leave_out(
    postgres_address: str, campaign_file: Path, noon: datetime, statements: list[str]
) -> None:
    walk(address_with_schema(postgres_address, "en-de"), campaign_file, noon)
    kinds = {statement.split()[0].upper() for statement in statements if statement.split()}
    assert kinds >= {"BEGIN", "SELECT", "INSERT", "UPDATE", "CREATE"}
    plain = [re.sub(r"'(?:[^']|'')*'", "''", statement).lower() for statement in statements]
    assert {
        (what, statement)
        for what, pattern in FORBIDDEN.items()
        for statement in plain
        if re.search(pattern, statement)
    } == set()
    with psycopg.connect(postgres_address) as database:
        schema = "(SELECT oid FROM pg_namespace WHERE nspname = 'en-de')"
        counts = {
            what: database.execute(query.replace(":schema", schema)).fetchone()
            for what, query in ALSO_FORBIDDEN.items()
        }
    assert counts == dict.fromkeys(ALSO_FORBIDDEN, (0,))


@pytest.mark.parametrize(
    ("what", "statement"),
    [
        ("messages between sessions", "LISTEN judged"),
        ("locks of a session", "SELECT pg_advisory_lock(1)"),
        ("temporary tables", "CREATE TEMP TABLE wanted (n int)"),
        ("settings of a session", "BEGIN; SET search_path = other"),
        ("sequences", "CREATE TABLE rows (n BIGSERIAL)"),
    ],
)
def test_the_list_would_find_it(what: str, statement: str) -> None:
    assert re.search(FORBIDDEN[what], statement.lower())


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT pg_advisory_xact_lock(1)",
        "BEGIN; SET LOCAL search_path = a",
        "UPDATE workers SET is_blocked = true",
    ],
)
def test_the_list_lets_ours_pass(statement: str) -> None:
    assert [what for what, pattern in FORBIDDEN.items() if re.search(pattern, statement.lower())] == []
