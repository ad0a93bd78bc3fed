from __future__ import annotations

from typing import Any

import pytest
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Message
from tests.loops import run_apart

from steelyard.web.compressed import SMALLEST_IN_THREAD, Compressed

WORDS = "All that was judged so far. " * 100


def sent(app: ASGIApp, accepted: str = "gzip, deflate") -> list[Message]:
    """The messages of a reply, as the server gets them."""
    found: list[Message] = []

    async def receive() -> Message:
        raise AssertionError("there is nothing to receive")

    async def send(message: Message) -> None:
        found.append(message)

    headers = [(b"accept-encoding", accepted.encode())]
    scope = {"type": "http", "asgi": {"spec_version": "2.4"}, "method": "GET", "headers": headers}
    run_apart(Compressed(app)(scope, receive, send))
    return found


def encoding(messages: list[Message]) -> str:
    return dict(messages[0]["headers"]).get(b"content-encoding", b"").decode()


@pytest.mark.parametrize(
    "reply", [HTMLResponse(WORDS), JSONResponse(WORDS), HTMLResponse("x" * SMALLEST_IN_THREAD)]
)
def test_pages_and_data_are_compressed(reply: Response) -> None:
    start, body = sent(reply)

    headers = dict(start["headers"])
    assert encoding([start]) == "gzip"
    assert int(headers[b"content-length"]) == len(body["body"]) < 300
    assert headers[b"vary"] == b"Accept-Encoding"


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "deflate, gzip; q=0.000"])
def test_whoever_does_not_want_it_gets_plain_text(accepted: str) -> None:
    start, body = sent(HTMLResponse(WORDS), accepted)

    assert encoding([start]) == ""
    assert body["body"] == WORDS.encode()
    assert dict(start["headers"])[b"vary"] == b"Accept-Encoding"


@pytest.mark.parametrize(
    "reply",
    [
        HTMLResponse("short"),
        PlainTextResponse(WORDS, media_type="text/csv"),
        Response(WORDS, media_type="application/vnd.sqlite3"),
        HTMLResponse(WORDS, headers={"Content-Encoding": "br"}),
        Response(status_code=304),
    ],
)
def test_what_is_short_or_a_download_or_compressed_is_left_alone(reply: Response) -> None:
    expected = list(reply.raw_headers)

    start, body = sent(reply)

    assert start["headers"] == expected
    assert body["body"] == reply.body


def test_what_comes_in_pieces_goes_out_in_pieces() -> None:
    async def pieces() -> Any:
        for number in range(3):
            yield f"{number} {WORDS}"

    messages = sent(StreamingResponse(pieces(), media_type="text/html"))

    assert encoding(messages) == ""
    assert [message["body"][:1] for message in messages[1:]] == [b"0", b"1", b"2", b""]


def test_replies_to_workers_and_pages_say_the_same_either_way(site: Any) -> None:
    page = f"/w/{site.worker_token}"
    plain = site.client.get(page, headers={"Accept-Encoding": "identity"})
    squeezed = site.client.get(page, headers={"Accept-Encoding": "gzip"})

    assert squeezed.headers["content-encoding"] == "gzip"
    assert squeezed.text == plain.text
    assert squeezed.headers["cache-control"] == plain.headers["cache-control"] == "no-store"
    assert dict(site.client.head(page).headers) == dict(site.client.get(page).headers)
