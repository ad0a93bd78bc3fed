"""What a person reads while something is wrong, and what a program gets."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.domain.errors import SourceError

PATHS = ["/w/W0001-" + "x" * 32, "/join/o-" + "x" * 32, "/m/m-" + "x" * 32]


@pytest.fixture
def gone(site: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A site whose database file is gone."""

    def fail(*_: Any, **__: Any) -> None:
        raise SourceError("eval.db", ["it is gone."])

    monkeypatch.setattr("steelyard.flows.links.stored.door", fail)
    return site


@pytest.mark.parametrize("path", PATHS)
def test_a_page_without_its_database_says_so_in_words_and_comes_back_by_itself(gone: Any, path: str) -> None:
    reply = gone.client.get(path, headers={"Accept": "text/html"})

    assert reply.status_code == 503
    assert "Leave this page open" in reply.text
    assert reply.headers["refresh"] == "15"


def test_a_program_gets_the_same_as_json(gone: Any) -> None:
    reply = gone.client.get("/api/v1/campaign", headers={"Authorization": "Bearer m-" + "x" * 32})

    assert (reply.status_code, reply.json()["error"]["code"]) == (503, "database")
