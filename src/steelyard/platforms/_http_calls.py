"""Requests to a platform: repeated where that is safe, told in a dry run, sent once where it pays."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx2

from steelyard.domain.errors import PlatformError, ReplyLost

# What is done if no clear reply comes: ask again, since a second time changes nothing; or never again.
# Where something was to be changed and no try had a clear reply, it ends in ReplyLost either way.
Repeatable = Literal["again", "once"]
MOST_TRIES = 6
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
TIMEOUT = 30.0
_BUSY = (429, 500, 502, 503, 504)


@dataclass
class HttpCalls:
    """Sends requests with a key. `describe`: what a reply that is no success says, in a sentence.

    With `tell`, every request is told, and one that changes something is not sent.
    """

    address: str
    headers: Mapping[str, str] = field(repr=False)
    describe: Callable[[int, Any], str]
    tell: Callable[[str], None] | None = None
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        self._http = httpx2.Client(
            base_url=self.address, headers=dict(self.headers), timeout=TIMEOUT, follow_redirects=False
        )

    def get(self, path: str, **parameters: Any) -> Any:
        """What the platform says."""
        self._told("GET", path, parameters or None)
        return self._send("GET", path, None, "again", parameters, changes=False)

    def ask(self, path: str, body: Any) -> Any:
        """What the platform says to a question that it wants posted; nothing is changed by it."""
        self._told("POST", path, body)
        return self._send("POST", path, body, "again", {}, changes=False)

    def change(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        repeatable: Repeatable = "again",
        otherwise: Any = None,
    ) -> Any:
        """Ask for a change; in a dry run it is told only, and the reply is `otherwise`."""
        self._told(method, path, body)
        if self.tell is not None:
            return otherwise
        return self._send(method, path, body, repeatable, {})

    def close(self) -> None:
        self._http.close()

    def _told(self, method: str, path: str, body: Any) -> None:
        if self.tell is not None:
            said = "" if body is None else f"\n{json.dumps(body, indent=2, ensure_ascii=False)}"
            self.tell(f"{method} {self.address}{path}{said}")

    def _send(
        self,
        method: str,
        path: str,
        body: Any,
        repeatable: Repeatable,
        parameters: Mapping[str, Any],
        *,
        changes: bool = True,
    ) -> Any:
        is_in_doubt = False
        for n_tried in range(1, MOST_TRIES + 1):
            is_last = repeatable == "once" or n_tried == MOST_TRIES
            wait = 0.0
            try:
                reply = self._http.request(method, path, json=body, params=dict(parameters) or None)
            except httpx2.ConnectError:
                # Nothing was sent, so it may be tried again in any case.
                if n_tried == MOST_TRIES:
                    raise self._failed(f"{self._host} cannot be reached.", is_in_doubt) from None
            except httpx2.RequestError:
                is_in_doubt = changes
                if is_last:
                    raise self._failed(f"{self._host} does not answer.", is_in_doubt) from None
            else:
                if reply.status_code == 429:
                    # It was turned away before anything was done.
                    is_last, wait = n_tried == MOST_TRIES, _asked_wait(reply)
                is_in_doubt = is_in_doubt or (changes and reply.status_code >= 500)
                if reply.status_code not in _BUSY or is_last:
                    return self._understood(reply, is_in_doubt, changes=changes)
            self.sleep(max(pause_after(n_tried, self.chance), wait))
        raise AssertionError("every way out is above")

    def _understood(self, reply: httpx2.Response, is_in_doubt: bool, *, changes: bool) -> Any:
        try:
            said = reply.json() if reply.content else {}
        except ValueError:
            said = None
        if not reply.is_success:
            raise self._failed(self.describe(reply.status_code, said or {}), is_in_doubt, reply.status_code)
        if not isinstance(said, Mapping):
            # Something in between may have answered in its place.
            raise self._failed(f"{self._host} answers with something else than JSON.", changes)
        return said

    def _failed(self, said: str, is_in_doubt: bool, status: int | None = None) -> PlatformError:
        """What to raise. `is_in_doubt`: a try may have changed something without our having heard of it."""
        if is_in_doubt:
            return ReplyLost(
                f"{self._host} was asked, and no clear reply came: it may have acted or not. {said}"
            )
        return PlatformError(said, status=status)

    @property
    def _host(self) -> str:
        return httpx2.URL(self.address).host


def pause_after(n_tried: int, chance: Callable[[], float] = random.random) -> float:
    """How long to wait after so many tries: longer each time, and not the same for everybody."""
    longest: float = min(FIRST_WAIT * 2 ** (n_tried - 1), LONGEST_WAIT)
    return longest * chance()


def _asked_wait(reply: httpx2.Response) -> float:
    try:
        return min(float(reply.headers.get("retry-after", "0")), LONGEST_WAIT)
    except ValueError:
        return 0.0
