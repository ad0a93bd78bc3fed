"""Wrapped around an app: what was asked of it goes to the log and into the metrics, by route."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steelyard.web.logs import RequestLog, Seen
from steelyard.web.metrics import SUBMITTING, Metrics

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
UNKNOWN = "(none)"
# What nginx writes for somebody who hung up before there was a reply.
HUNG_UP = 499
# Seconds after a request in which the numbers that others keep are noted [our choice].
SAMPLED_AFTER = 1.0


@dataclass
class Observer:
    """The log and the metrics of a server process."""

    log: RequestLog
    metrics: Metrics
    _is_sampling: bool = field(default=False, init=False)

    def saw(self, seen: Seen) -> None:
        """Note one request."""
        self.metrics.count(seen)
        self.log.write(seen)
        if not self._is_sampling:
            self._is_sampling = True
            asyncio.get_running_loop().call_later(SAMPLED_AFTER, self._sample)

    def _sample(self) -> None:
        self._is_sampling = False
        self.metrics.sample()


class Observed:
    """ASGI wrapper that tells an observer of every request. `campaign`: whose app it is; empty: a series'."""

    def __init__(self, app: ASGIApp, observer: Observer, campaign: str = "") -> None:
        self.app = app
        self.observer = observer
        self.campaign = campaign

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, began = HUNG_UP, perf_counter()

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        finally:
            method = scope["method"] if scope["method"] in METHODS else UNKNOWN
            took = (perf_counter() - began) * 1000
            self.observer.saw(Seen(self.campaign, method, route_of(scope), status, took))


def route_of(scope: Scope) -> str:
    """The route that a request went to, such as `/w/{token}`: the path itself may hold a token."""
    path = getattr(scope.get("route"), "path", None)
    if path is not None:
        return str(path)
    # Neither is a route of its own: the app has a folder there, and the hot path comes before all routes.
    whole = scope["path"]
    if "/static/" in whole:
        return "/static/{path}"
    return SUBMITTING if whole.endswith(SUBMITTING) else UNKNOWN
