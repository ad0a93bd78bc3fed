"""The one route that every click goes through, in front of all others.

An answer that is in order is stored with those that arrived with it, and gets its reply here. Any other
request goes on to the app as it came, which finds out what is wrong.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steelyard.domain.errors import SourceError
from steelyard.flows.collect import Arrival, Collector, Delivered, Outcome
from steelyard.web.errors import evaluation_reply
from steelyard.web.guards import HEADERS, LARGEST_BODY
from steelyard.web.limits import COUNTED, Limits
from steelyard.web.schemas import SubmissionBody
from steelyard.web.worker_routes import submission_of, submitted_content

JUDGEMENTS_PATH = "/api/v1/work/judgements"


# Of those that guard pages, the ones that mean something for data.
_HEADERS = [
    (b"content-type", b"application/json"),
    *(
        (name.lower().encode(), HEADERS[name].encode())
        for name in ("Cache-Control", "X-Content-Type-Options")
    ),
]


class SubmitRoute:
    """ASGI wrapper that answers submissions which are in order, and hands on everything else."""

    def __init__(self, app: ASGIApp, collector: Collector, limits: Limits) -> None:
        self.app = app
        self.collector = collector
        self.limits = limits
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="steelyard-writer")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if (
            scope["type"] != "http"
            or scope["method"] != "POST"
            or scope["path"].removeprefix(scope.get("root_path", "")) != JUDGEMENTS_PATH
        ):
            await self.app(scope, receive, send)
            return
        messages = [await receive()]
        arrival = None if messages[0].get("more_body") else self._arrival(scope, messages[0])
        outcome = None if arrival is None else await self._stored(arrival)
        if outcome is None:
            await self.app(scope, _once_more(messages, receive), send)
        elif isinstance(outcome, SourceError):
            reply = await evaluation_reply(Request(scope), outcome)
            reply.headers.update(HEADERS)
            await reply(scope, receive, send)
        else:
            content = submitted_content(outcome)
            headers = [*_HEADERS, (b"content-length", b"%d" % len(content))]
            await send({"type": "http.response.start", "status": 201, "headers": headers})
            await send({"type": "http.response.body", "body": content})

    def _arrival(self, scope: Scope, message: Message) -> Arrival | None:
        """The answer in a request; None if something is wrong with it."""
        header = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        kind, _, token = header.partition(b" ")
        content = message.get("body", b"")
        if kind.lower() != b"bearer" or not token.isascii() or len(content) > LARGEST_BODY:
            return None
        try:
            body = SubmissionBody.model_validate_json(content)
        except ValidationError:
            return None
        # However the word before it is written. One too many is refused further on.
        if self.limits.request(token):
            return None
        scope[COUNTED] = True
        waiting = asyncio.get_running_loop().create_future()
        return Arrival(token.decode(), submission_of(body), datetime.now(UTC), waiting)

    async def _stored(self, arrival: Arrival) -> Outcome:
        if self.collector.add(arrival):
            self._writer.submit(self.collector.collect)
        outcome: Outcome = await arrival.waiting
        return outcome


def _once_more(messages: list[Message], receive: Receive) -> Receive:
    """Where to receive what was received already, and then the rest."""

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    return again


def deliver(delivered: list[Delivered]) -> None:
    """Wake those who wait for these replies; called in the writer's thread, after the commit."""
    by_loop: dict[Any, list[Delivered]] = defaultdict(list)
    for arrival, outcome in delivered:
        by_loop[arrival.waiting.get_loop()].append((arrival, outcome))
    for loop, of_loop in by_loop.items():
        # A loop that has been closed waits for nothing.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_wake, of_loop)


def _wake(delivered: list[Delivered]) -> None:
    for arrival, outcome in delivered:
        # Somebody who hung up has cancelled theirs.
        if not arrival.waiting.done():
            arrival.waiting.set_result(outcome)
