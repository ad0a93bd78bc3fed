"""An app that lets go of its databases when its server has stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Closeable(Protocol):
    """What must be let go of: a campaign, an analyst."""

    def close(self) -> None:
        """Let go of it."""


class ClosedInTheEnd:
    """ASGI wrapper that closes what it holds once all requests are answered: SQLite then leaves one file."""

    def __init__(self, app: ASGIApp, held: Sequence[Closeable]) -> None:
        self.app = app
        self.held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or the start and the end of the server."""
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return

        async def closing(message: Message) -> None:
            if message["type"] == "lifespan.shutdown.complete":
                for each in self.held:
                    each.close()
            await send(message)

        await self.app(scope, receive, closing)
