from __future__ import annotations

from datetime import datetime

import pytest
from sqlalchemy import insert

from steelyard.domain.errors import NotFound
from steelyard.store import links, tables, work
from steelyard.store.database import Store
from steelyard.store.links import Link


@pytest.fixture
def worker_id(toy_store: Store, noon: datetime) -> str:
    """A worker with a stored token, beside stored tokens of the manager and for anyone."""
    with toy_store.write() as connection:
        worker_id = work.add_worker(connection, now=noon).worker_id
        rows = [("t-manager", "manager", None), ("t-open", "open", None), ("t-worker", "worker", worker_id)]
        for token, role, owner in rows:
            row = {"token": token, "role": role, "worker_id": owner, "created_at": noon}
            connection.execute(insert(tables.links), [row])
    return worker_id


def stored_tokens(store: Store) -> set[str]:
    with store.read() as connection:
        return {link.token for link in links.stored_links(connection)}


def test_a_stored_link_is_found_by_its_token(toy_store: Store, worker_id: str) -> None:
    with toy_store.read() as connection:
        assert links.find_link(connection, "t-worker") == Link("t-worker", "worker", worker_id)


@pytest.mark.parametrize("token", ["other", "", "T-OPEN", "t-open ", "nul\x00", "half\ud800", "' OR 1=1 --"])
def test_a_wrong_token_finds_no_stored_link(toy_store: Store, worker_id: str, token: str) -> None:
    with toy_store.read() as connection:
        assert links.find_link(connection, token) is None


def test_workers_made_at_one_moment_follow_their_numbers(toy_store: Store, noon: datetime) -> None:
    fields = {"created_at": noon, "link_version": 1, "is_revoked": False}
    fields |= {"is_blocked": False, "is_simulated": False}
    with toy_store.write() as connection:
        rows = [{"worker_id": worker_id, **fields} for worker_id in ("W10000", "W9999")]
        connection.execute(insert(tables.workers), rows)

    with toy_store.read() as connection:
        assert [worker.worker_id for worker in links.linked_workers(connection)] == ["W9999", "W10000"]


def test_a_door_of_nobody_has_no_version(toy_store: Store, worker_id: str) -> None:
    with toy_store.read() as connection:
        assert links.door(connection, "worker", worker_id).version == 1
        assert links.door(connection, "worker", "W9999").version is None


def test_renewing_raises_the_version_and_ends_the_stored_link(toy_store: Store, worker_id: str) -> None:
    with toy_store.write() as connection:
        links.renew_worker_link(connection, worker_id)

    assert stored_tokens(toy_store) == {"t-manager", "t-open"}
    with toy_store.read() as connection:
        assert links.door(connection, "worker", worker_id) == (None, 2, False)


def test_a_revoked_link_is_renewed_under_a_new_version(toy_store: Store, worker_id: str) -> None:
    with toy_store.write() as connection:
        links.revoke_worker_link(connection, worker_id)
        links.renew_worker_link(connection, worker_id)

    with toy_store.read() as connection:
        assert links.door(connection, "worker", worker_id) == (None, 3, False)


def test_renewing_the_open_link_leaves_the_managers(toy_store: Store, worker_id: str) -> None:
    with toy_store.write() as connection:
        links.renew_shared_link(connection, "open")

    assert stored_tokens(toy_store) == {"t-manager", "t-worker"}
    with toy_store.read() as connection:
        assert links.shared_versions(connection) == {"manager": 1, "open": 2}


def test_only_links_of_known_workers_are_renewed(toy_store: Store) -> None:
    with pytest.raises(NotFound, match="There is no worker W0009"), toy_store.write() as connection:
        links.renew_worker_link(connection, "W0009")
