from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send
from tests.loops import run_apart

from steelyard.web.guards import Guards


def answered(messages: Iterator[Message]) -> list[Scope]:
    """The requests that an app behind the guards was given."""
    given: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        given.append(scope)

    async def receive() -> Message:
        return next(messages)

    async def send(message: Message) -> None:
        raise AssertionError(f"nobody is there to read {message}")

    scope = {"type": "http", "method": "POST", "path": "/api/v1/work/next", "root_path": ""}
    run_apart(Guards(app)(scope, receive, send))
    return given


def test_a_request_that_breaks_off_does_nothing() -> None:
    begun = {"type": "http.request", "body": b'{"rea', "more_body": True}

    assert answered(iter([begun, {"type": "http.disconnect"}])) == []
    assert len(answered(iter([{**begun, "more_body": False}]))) == 1


@pytest.mark.parametrize(("path", "status"), [("/healthz", 200), ("/", 200), ("/api/v1/campaign", 405)])
def test_monitors_may_ask_for_the_head_of_a_page(site: Any, path: str, status: int) -> None:
    assert site.client.head(path).status_code == status


def test_a_link_can_be_looked_at_without_opening_it(site: Any) -> None:
    assert site.client.head(f"/w/{site.worker_token}").status_code == 200
    assert site.client.head("/w/" + "x" * 32).status_code == 404


@pytest.mark.parametrize(
    ("accept", "kind"), [("text/html,*/*;q=0.8", "text/html"), ("application/json", "application/json")]
)
def test_an_address_without_a_page_has_words_for_people_and_json_for_programs(
    site: Any, accept: str, kind: str
) -> None:
    reply = site.client.get("/w/", headers={"Accept": accept})

    assert reply.status_code == 404
    assert reply.headers["content-type"].startswith(kind)
