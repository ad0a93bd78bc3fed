"""Connections that come to nothing end, whatever the other side does; real sockets, short times."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from steelyard.web.connections import ConnectionLimits, TimedConnection

SHORT = 0.25
REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
HEAD_OF_POST = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\n"
MUCH = 8_000_000


class ShortConnection(TimedConnection):
    limits = ConnectionLimits(
        head=SHORT, body=SHORT, body_rate=10_000, stall=SHORT, head_size=2000, most=20, look_every=0.02
    )


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    request = Request(scope, receive)
    body = await request.body()
    content = b"x" * MUCH if request.url.path == "/much" else b"got %d" % len(body)
    await Response(content)(scope, receive, send)


@dataclass(frozen=True)
class Running:
    server: uvicorn.Server
    port: int

    def call(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=5)

    def n_open(self) -> int:
        return len(self.server.server_state.connections)


@pytest.fixture(scope="module", params=["uvloop", "asyncio"])
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            app, http=ShortConnection, loop=request.param, log_level="error", lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield Running(server, listening.getsockname()[1])
        server.should_exit = True
        thread.join()


def is_ended(caller: socket.socket) -> bool:
    """Whether the server closes this connection without a word."""
    try:
        return caller.recv(1000) == b""
    except ConnectionResetError:
        return True


def hears(caller: socket.socket, words: bytes) -> bool:
    """Whether a reply ends with these words."""
    reply = b""
    while not reply.endswith(words):
        piece = caller.recv(1000)
        if not piece:
            return False
        reply += piece
    return True


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HTTP/1.1\r\nX-Half: ", b"\r\n", HEAD_OF_POST + b"abc"],
    ids=["nothing", "half a head", "an empty line", "half a body"],
)
def test_half_a_request_is_not_waited_for_for_ever(running: Running, sent: bytes) -> None:
    with running.call() as caller:
        caller.sendall(sent)

        assert is_ended(caller)


def test_a_byte_now_and_then_holds_nothing_open(running: Running) -> None:
    with running.call() as caller, pytest.raises(OSError):  # noqa: PT011 (whichever way it ends)
        for byte in b"GET / HTTP/1.1\r\n" + b"X-Slow: 1\r\n" * 100:
            caller.sendall(bytes([byte]))
            time.sleep(0.01)


def test_the_second_request_of_a_connection_has_no_more_time_than_the_first(running: Running) -> None:
    with running.call() as caller:
        caller.sendall(REQUEST)
        assert hears(caller, b"got 0")
        caller.sendall(b"GET /again")

        assert is_ended(caller)


def test_somebody_who_pauses_between_requests_keeps_the_connection(running: Running) -> None:
    with running.call() as caller:
        caller.sendall(REQUEST)
        assert hears(caller, b"got 0")
        time.sleep(1.5 * SHORT)
        caller.sendall(REQUEST)

        assert hears(caller, b"got 0")


def test_a_long_body_that_keeps_coming_is_taken(running: Running) -> None:
    piece = b"y" * 1000
    with running.call() as caller:
        caller.sendall(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 20000\r\n\r\n")
        for _ in range(20):
            caller.sendall(piece)
            time.sleep(SHORT / 10)

        assert hears(caller, b"got 20000")


def test_a_reply_that_nobody_reads_is_given_up(running: Running) -> None:
    with running.call() as caller:
        caller.sendall(b"GET /much HTTP/1.1\r\nHost: here\r\n\r\n")
        deadline = time.monotonic() + 5
        while running.n_open() == 0:
            assert time.monotonic() < deadline
        while running.n_open() > 0:
            assert time.monotonic() < deadline, "it is still waiting for somebody to read"
            time.sleep(0.01)


def test_a_head_without_end_is_refused(running: Running) -> None:
    with running.call() as caller:
        caller.sendall(b"GET / HTTP/1.1\r\n" + b"X-Long: " + b"z" * 3000)

        assert caller.recv(1000).startswith(b"HTTP/1.1 431 ")


def test_400_half_open_connections_keep_nobody_out(running: Running) -> None:
    with ExitStack() as callers:
        for _ in range(400):
            callers.enter_context(running.call()).sendall(b"GET")
        person = callers.enter_context(running.call())
        person.sendall(REQUEST)

        assert hears(person, b"got 0")
        assert running.n_open() <= ShortConnection.limits.most


def test_bodies_that_do_not_come_keep_out_neither_who_is_there_nor_who_comes(running: Running) -> None:
    with ExitStack() as callers:
        reader = callers.enter_context(running.call())
        reader.sendall(REQUEST)
        assert hears(reader, b"got 0")
        for _ in range(60):
            callers.enter_context(running.call()).sendall(HEAD_OF_POST)
        newcomer = callers.enter_context(running.call())
        newcomer.sendall(REQUEST)
        reader.sendall(REQUEST)

        assert hears(newcomer, b"got 0")
        assert hears(reader, b"got 0")
