"""Connections that come to nothing are closed: half a request, a reply that nobody reads, too many at once.

uvicorn waits for the rest of a request as long as the other side likes. Here one look a second at all
connections finds those that are overdue, so that a request in good order costs no timer of its own.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakSet

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# Files that the process needs for other things than connections [our choice].
OTHER_FILES = 128
# Servers of this process whose connections are looked at.
_LOOKED_AFTER: WeakSet[Any] = WeakSet()
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How long the other side may take, in seconds, and how much it may have [our choices]."""

    head: float = 10.0
    """For the head of a request, from its first byte; also for the first byte of a new connection."""
    body: float = 30.0
    """For the body of a request, and longer for a long one:"""
    body_rate: float = 10_000.0
    """Bytes per second that a body must come at once it has had that time."""
    stall: float = 30.0
    """For reading any of a reply that is waiting to be sent."""
    head_size: int = 32 * 1024
    """Bytes of the head of a request."""
    most: int = 10_000
    """Connections at once. Room for more is made by closing those with half a request, oldest first, and then
    those that have waited longest for a request."""
    look_every: float = 1.0


class TimedConnection(HttpToolsProtocol):
    """uvicorn's protocol for one connection, with a time by which the next thing must have happened."""

    limits = ConnectionLimits()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # By when the rest of a request is due; None while nothing is: the app is working, or all is quiet.
        self.due_at: float | None = None
        # Since when.
        self.owing_since = 0.0
        self.head_bytes = 0
        # Since when there is no request to answer.
        self.idle_since: float | None = None
        # How much of replies was waiting to be sent, and since when none of it was.
        self.unsent = 0
        self.unsent_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for a request."""
        super().connection_made(transport)
        now = self.loop.time()
        self.due_at, self.owing_since, self.idle_since = now + self.limits.head, now, now
        if self.server_state not in _LOOKED_AFTER:
            _LOOKED_AFTER.add(self.server_state)
            self.loop.call_later(self.limits.look_every, _look_after, self)
        if len(self.connections) > min(self.limits.most, room_for_connections()):
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Give some bytes to the parser. Those of a head are counted, and so is the time from the first."""
        if self.due_at is None and self.idle_since is not None:
            self.owing_since = self.loop.time()
            self.due_at = self.owing_since + self.limits.head
        if self.idle_since is not None:
            self.head_bytes += len(data)
        super().data_received(data)
        if self.idle_since is not None and self.head_bytes > self.limits.head_size:
            self.transport.write(TOO_LARGE)
            self.transport.close()

    def on_headers_complete(self) -> None:
        """From now on the body is due."""
        self.idle_since = None
        self.head_bytes = 0
        now = self.loop.time()
        if self.due_at is None:
            self.owing_since = now
        self.due_at = now + self.limits.body
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Whoever sends much gets the time for it."""
        if self.due_at is not None:
            self.due_at += len(body) / self.limits.body_rate
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is here: now it is our turn."""
        self.due_at = None
        super().on_message_complete()
        self._wait_for_next()

    def on_response_complete(self) -> None:
        """The connection is free for the next request."""
        super().on_response_complete()
        self._wait_for_next()

    def is_overdue(self, now: float) -> bool:
        """Whether the other side has taken longer than it may."""
        # While we do not read, nobody can send.
        if self.due_at is not None and now > self.due_at and not self.flow.read_paused:
            return True
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or unsent != self.unsent:
            self.unsent, self.unsent_since = unsent, now
            return False
        return now - self.unsent_since > self.limits.stall

    def drop(self) -> None:
        """Close the connection at once, whatever is on its way."""
        # It counts no more, also before the loop comes round to it.
        self.connections.discard(self)
        self.transport.abort()

    def _wait_for_next(self) -> None:
        # A reply may be complete before its request is.
        if self.cycle.response_complete and self.due_at is None:
            self.idle_since = self.loop.time()

    def _make_room(self) -> None:
        others = [each for each in self.connections if isinstance(each, TimedConnection) and each is not self]
        # Those that owe us the rest of a request go first: a person's is here at once.
        owing = [(each.owing_since, id(each), each) for each in others if each.due_at is not None]
        idle = [
            (each.idle_since, id(each), each)
            for each in others
            if each.due_at is None and each.idle_since is not None
        ]
        waiting = [*sorted(owing), *sorted(idle)]
        # Several at once: sorting for each new one would be what an attacker wants.
        for *_, connection in waiting[: max(1, self.limits.most // 50)]:
            connection.drop()
        if not waiting:
            self.drop()


def _look_after(one: TimedConnection) -> None:
    """Close what is overdue among all connections of the server, and look again while there are any."""
    now = one.loop.time()
    for connection in list(one.connections):
        if isinstance(connection, TimedConnection) and connection.is_overdue(now):
            connection.drop()
    if one.connections:
        one.loop.call_later(one.limits.look_every, _look_after, one)
    else:
        _LOOKED_AFTER.discard(one.server_state)


@cache
def room_for_connections() -> int:
    """How many connections this process has room for, once it may have as many open files as it can."""
    try:
        import resource
    except ImportError:
        # Windows has no such limit.
        return ConnectionLimits().most
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ConnectionLimits().most + OTHER_FILES
    if resource.RLIM_INFINITY not in (soft, hard) and soft < wanted:
        soft = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else max(soft - OTHER_FILES, 1)
