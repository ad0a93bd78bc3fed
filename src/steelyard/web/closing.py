"""An app that lets go of its databases when its server has stopped."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steelyard.flows.open import OpenCampaign


class ClosedInTheEnd:
    """ASGI wrapper that closes campaigns once all requests are answered: SQLite then leaves one file."""

    def __init__(self, app: ASGIApp, campaigns: Sequence[OpenCampaign]) -> None:
        self.app = app
        self.campaigns = campaigns

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or the start and the end of the server."""
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return

        async def closing(message: Message) -> None:
            if message["type"] == "lifespan.shutdown.complete":
                for campaign in self.campaigns:
                    campaign.close()
            await send(message)

        await self.app(scope, receive, closing)
