"""The one route that every click goes through, in front of all others.

An answer that is in order is stored with those that arrived with it, and gets its reply here. Any other
request goes on to the app as it came, which finds out what is wrong.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from steelyard.domain.errors import SourceError
from steelyard.flows.collect import Arrival, Collector, Delivered, Outcome
from steelyard.web.errors import evaluation_reply
from steelyard.web.guards import replay
from steelyard.web.schemas import SubmissionBody
from steelyard.web.worker_routes import submission_of, submitted_reply

JUDGEMENTS_PATH = "/api/v1/work/judgements"


class SubmitRoute:
    """ASGI wrapper that answers submissions which are in order, and hands on everything else."""

    def __init__(self, app: ASGIApp, collector: Collector) -> None:
        self.app = app
        self.collector = collector
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
        # Guards have read all of it.
        message = await receive()
        arrival = _arrival(scope, message["body"])
        outcome = None if arrival is None else await self._stored(arrival)
        if outcome is None:
            await self.app(scope, replay(message["body"], receive), send)
            return
        if isinstance(outcome, SourceError):
            reply: Response = await evaluation_reply(Request(scope), outcome)
        else:
            reply = submitted_reply(outcome)
        await reply(scope, receive, send)

    async def _stored(self, arrival: Arrival) -> Outcome:
        if self.collector.add(arrival):
            self._writer.submit(self.collector.collect)
        outcome: Outcome = await arrival.waiting
        return outcome


def _arrival(scope: Scope, content: bytes) -> Arrival | None:
    """The answer in a request's body; None if something is wrong with it."""
    header = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    kind, _, token = header.partition(b" ")
    if kind.lower() != b"bearer" or not token.isascii():
        return None
    try:
        body = SubmissionBody.model_validate_json(content)
    except ValidationError:
        return None
    return Arrival(
        token.decode(),
        submission_of(body),
        datetime.now(UTC),
        asyncio.get_running_loop().create_future(),
    )


def deliver(delivered: list[Delivered]) -> None:
    """Wake those who wait for these replies; called in the writer's thread, after the commit."""
    by_loop: dict[Any, list[Delivered]] = defaultdict(list)
    for arrival, outcome in delivered:
        by_loop[arrival.waiting.get_loop()].append((arrival, outcome))
    for loop, of_loop in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_wake, of_loop)


def _wake(delivered: list[Delivered]) -> None:
    for arrival, outcome in delivered:
        # Somebody who hung up has cancelled theirs.
        if not arrival.waiting.done():
            arrival.waiting.set_result(outcome)
