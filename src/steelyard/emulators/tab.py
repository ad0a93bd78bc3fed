"""One tab of a simulated browser: what our pages send, and how they send it again."""

from __future__ import annotations

import uuid
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import httpx2
import numpy as np

from steelyard.emulators.steps import TURN, Steps, later
from steelyard.emulators.wire import RequestRefused, Wire, as_json, refusal

WORK = "/api/v1/work"
# Replies that say where a worker stands, as in static/delivery.js.
STANDING = (
    *("place_taken", "blocked", "returned", "submitted"),
    *("closed", "draft", "paused", "entry", "screened"),
)
# How often the same is asked for until the person gives up, and the first and the longest wait between two
# tries [our choices: about a minute in all; a real page goes on for ever].
MOST_TRIES = 12
PATIENCE, LONGEST_WAIT = 0.2, 10.0


class Delivery(NamedTuple):
    """What became of an answer, and what comes next; None: one must look where one stands."""

    is_stored: bool
    next: dict[str, Any] | None


class Tab:
    """A page of ours, opened by the address that a platform gave; `token` is known once it has joined."""

    def __init__(self, wire: Wire, url: str, *, address: str, rng: np.random.Generator) -> None:
        self.url = url
        self.home, _, rest = url.partition("/join/")
        self.open_token, _, self.query = rest.partition("?")
        self.parameters = dict(parse_qsl(self.query))
        self.token = ""
        self._own_query = ""
        self.rng = rng
        self._wire = wire
        self._address = address

    def join(self) -> Steps[dict[str, Any]]:
        """Open the link, press the button, and look where one stands."""
        yield from self._reply("GET", self.url)
        query = f"?{self.query}" if self.query else ""
        joined = yield from self._asked("POST", f"/api/v1/join{query}", token=self.open_token)
        self.token = joined["token"]
        # Where sets are posted back to the platform, the worker's page knows in which session it was opened.
        _, _, own_query = joined["url"].partition("?")
        self._own_query = f"?{own_query}" if own_query else ""
        yield from self._reply("GET", f"{self.home}/w/{self.token}{self._own_query}")
        return (yield from self.status())

    def status(self) -> Steps[dict[str, Any]]:
        """Where the worker stands."""
        return (yield from self._asked("GET", f"{WORK}{self._own_query}"))

    def own_session(self) -> dict[str, str]:
        """The platform's session in which the worker's page was opened, and where it is handed in."""
        told = dict(parse_qsl(self._own_query.removeprefix("?")))
        return {"session_id": told.get("session", ""), "submit_to": told.get("submit_to", "")}

    def post(self, path: str, body: Any = None) -> Steps[dict[str, Any]]:
        """What the worker's page sends to a path below /api/v1/work."""
        return (yield from self._asked("POST", f"{WORK}{path}{self._own_query}", body))

    def deliver(self, view: dict[str, Any], answer: Any, milliseconds: int) -> Steps[Delivery]:
        """Send an answer until it has arrived, or is refused since it was answered elsewhere meanwhile.

        It keeps its id however often it is sent, so that it is stored once.
        """
        body = {
            "judgement_id": str(uuid.UUID(bytes=self.rng.bytes(16), version=4)),
            "assignment_id": view["assignment_id"],
            "item_id": view["item"]["item_id"],
            "answer": answer,
            "shown_ms": milliseconds,
            "revision": view["revision"],
            "behaviour": self._behaviour(),
        }
        try:
            reply = yield from self.post("/judgements", body)
        except RequestRefused as refused:
            # Anything but a conflict is a fault of this program, not of a second window.
            if refused.status != 409:
                raise
            if refused.code in STANDING:
                return Delivery(is_stored=False, next=None)
            return Delivery(is_stored=False, next=(yield from self.post("/next")))
        return Delivery(is_stored=True, next=reply["next"])

    def _behaviour(self) -> dict[str, Any]:
        straightness = round(float(self.rng.uniform(0.3, 0.9)), 3)
        return {"hidden_ms": 0, "n_pastes": 0, "straightness": straightness, "is_automated": False}

    def _asked(self, method: str, path: str, body: Any = None, token: str = "") -> Steps[dict[str, Any]]:
        url, content = f"{self.home}{path}", None if body is None else as_json(body)
        reply = yield from self._reply(method, url, content, token or self.token)
        said: dict[str, Any] = reply.json()
        return said

    def _reply(
        self, method: str, url: str, content: bytes | None = None, token: str = ""
    ) -> Steps[httpx2.Response]:
        """The reply to a request that is repeated, as our pages do, while the server is in trouble."""
        # Everybody comes from somewhere else, as far as the server trusts what it is told.
        headers = {"X-Forwarded-For": self._address}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if content is not None:
            headers["Content-Type"] = "application/json"
        what, wait = f"{method} {httpx2.URL(url).path}", PATIENCE
        for _ in range(MOST_TRIES):
            yield TURN
            try:
                reply = self._wire.send("campaign", method, url, headers=headers, content=content)
                if not _is_temporary(reply):
                    if reply.is_success:
                        return reply
                    raise refusal(what, reply)
                asked = float(reply.headers.get("Retry-After") or 0)
            except httpx2.TransportError:
                asked = 0.0
            self._wire.repeated()
            yield later(max(wait * float(self.rng.uniform(0.75, 1.25)), asked))
            wait = min(2 * wait, LONGEST_WAIT)
        raise RequestRefused(what, 0, "no_reply", f"no reply in {MOST_TRIES} tries")


def _is_temporary(reply: httpx2.Response) -> bool:
    return reply.status_code in (408, 429) or reply.status_code >= 500
