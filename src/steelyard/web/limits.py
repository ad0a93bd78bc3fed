"""How much one caller may ask for. Counted in the memory of this process, which stays small whoever calls."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steelyard.domain.errors import TooMany
from steelyard.web.callers import caller_key
from steelyard.web.pages import message_page, wants_page
from steelyard.web.schemas import error_body

# Callers that are remembered; those seen longest ago are forgotten. A few megabytes [our choice].
MOST_KEYS = 20_000
# HITs that are remembered as taken and perhaps not begun [our choice].
MOST_TAKEN = 50_000
# A person who reloads a page makes ten requests in a second, once; a script makes hundreds [our choices].
REQUESTS_PER_SECOND = 20.0
REQUESTS_AT_ONCE = 60
# Somebody who mistypes a link tries five times; a class that was sent the wrong one, thirty [our choice].
GUESSES_PER_MINUTE = 30
HOUR, MINUTE = 3600.0, 60.0

WORK_PATH = "/api/v1/work"
COUNTED = "steelyard.is_counted"
LINK_PAGES = ("/w/", "/m/", "/join/")
TOO_FAST = "These are more requests than a person makes. Wait as many seconds as Retry-After says."
TOO_MANY_GUESSES = (
    "Too many links that are not valid were tried from this address. Links that are valid work as before; "
    "check yours, and try again in a minute."
)

Clock = Callable[[], float]


class Buckets:
    """How often each caller may do something: `burst` times at once, and then `rate` times a second."""

    def __init__(self, *, clock: Clock = time.monotonic, most_keys: int = MOST_KEYS) -> None:
        self._clock = clock
        self._most_keys = most_keys
        self._lock = threading.Lock()
        # For each caller, when everything they took will have come back.
        self._full_at: OrderedDict[Hashable, float] = OrderedDict()

    def take(self, key: Hashable, *, rate: float, burst: float) -> float:
        """Take one; or the seconds until there is one to take, if there is none now."""
        interval = 1 / rate
        with self._lock:
            now = self._clock()
            start = max(self._full_at.get(key, now), now)
            wait = start - now - (burst - 1) * interval
            # Not for the last digits of sums of fractions.
            if wait > 1e-6 * interval:
                return wait
            self._full_at[key] = start + interval
            self._full_at.move_to_end(key)
            if len(self._full_at) > self._most_keys:
                self._full_at.popitem(last=False)
            return 0.0

    def __len__(self) -> int:
        """How many callers are remembered."""
        return len(self._full_at)


class TakenHits:
    """Which HITs each caller has taken. Which of them are begun by now is the database's to say."""

    def __init__(self, *, most: int = MOST_TAKEN) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._turns = tuple(threading.Lock() for _ in range(64))
        self._takers: OrderedDict[str, Hashable] = OrderedDict()
        self._by_taker: dict[Hashable, dict[str, None]] = {}

    @contextmanager
    def turn(self, key: Hashable) -> Iterator[list[str]]:
        """What the caller has taken, oldest first. Callers of one key take turns, so that all count."""
        with self._turns[hash(key) % len(self._turns)]:
            with self._lock:
                taken = list(self._by_taker.get(key, ()))
            yield taken

    def add(self, key: Hashable, assignment_id: str) -> None:
        """Remember that the caller has taken this HIT."""
        with self._lock:
            self._forget(assignment_id)
            self._takers[assignment_id] = key
            self._by_taker.setdefault(key, {})[assignment_id] = None
            if len(self._takers) > self._most:
                self._forget(next(iter(self._takers)))

    def forget(self, assignment_ids: list[str]) -> None:
        """These count no more: they are begun, returned, released or expired."""
        with self._lock:
            for assignment_id in assignment_ids:
                self._forget(assignment_id)

    def __len__(self) -> int:
        """How many HITs are remembered."""
        return len(self._takers)

    def _forget(self, assignment_id: str) -> None:
        key = self._takers.pop(assignment_id, None)
        if key is not None:
            of_key = self._by_taker[key]
            del of_key[assignment_id]
            if not of_key:
                del self._by_taker[key]


@dataclass(frozen=True, slots=True)
class Limits:
    """What the callers of one server process have used. None: requests of workers are not counted."""

    requests_per_second: float | None
    requests: Buckets
    guesses: Buckets
    joins: Buckets
    taken: TakenHits

    @classmethod
    def new(
        cls, *, requests_per_second: float | None = REQUESTS_PER_SECOND, clock: Clock = time.monotonic
    ) -> Limits:
        """Limits that nobody has used yet."""
        requests, guesses, joins = (Buckets(clock=clock) for _ in range(3))
        return cls(requests_per_second, requests, guesses, joins, TakenHits())

    def request(self, token: bytes) -> float:
        """Count a request of a worker; the seconds to wait if it is one too many."""
        if not self.requests_per_second:
            return 0.0
        at_once = REQUESTS_AT_ONCE / REQUESTS_PER_SECOND * self.requests_per_second
        return self.requests.take(token, rate=self.requests_per_second, burst=max(at_once, 1))

    def guess(self, scope: Scope) -> float:
        """Count a link that was not valid; the seconds to wait if it is one too many."""
        rate = GUESSES_PER_MINUTE / MINUTE
        return self.guesses.take(caller_key(scope), rate=rate, burst=GUESSES_PER_MINUTE)

    def join(self, scope: Scope, campaign: str, per_hour: int) -> None:
        """Count somebody who joins a campaign; TooMany if it is one too many for their address."""
        if not per_hour:
            return
        key = (campaign, caller_key(scope))
        wait = self.joins.take(key, rate=per_hour / HOUR, burst=per_hour)
        if wait:
            raise TooMany(
                f"More than {per_hour} people have joined from this address within an hour. Try again in "
                f"{math.ceil(wait)} s. The organiser can allow more: it is the rule joins_per_hour.",
                wait=wait,
            )


def limits_of(request: Request) -> Limits:
    """The limits of the process that serves this request."""
    limits = request.app.state.limits
    assert isinstance(limits, Limits)
    return limits


class Limiter:
    """ASGI wrapper that slows down scripts of workers, and whoever tries one link after another."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self.limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        # Not what managers ask about workers, which begins with the same letters.
        is_work = path == WORK_PATH or path.startswith(f"{WORK_PATH}/")
        if is_work and not scope.get(COUNTED):
            wait = self.limits.request(_token(scope))
            if wait:
                await _too_many(Request(scope), TOO_FAST, wait)(scope, receive, send)
                return
        is_page = path.startswith(LINK_PAGES)
        refused: Response | None = None

        async def send_counted(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start":
                # Neither is ever the reply to a link that is valid.
                is_guess = message["status"] == 401 or (is_page and message["status"] == 404)
                wait = self.limits.guess(scope) if is_guess else 0.0
                if wait:
                    refused = _too_many(Request(scope), TOO_MANY_GUESSES, wait)
                    await refused(scope, receive, send)
            if refused is None:
                await send(message)

        await self.app(scope, receive, send_counted)


def _token(scope: Scope) -> bytes:
    """The token of a request, without the word before it, which may be written in many ways."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            return bytes(value.partition(b" ")[2])
    return b""


def _too_many(request: Request, message: str, wait: float) -> Response:
    reply: Response
    if wants_page(request):
        reply = message_page(request, "One moment, please", message, 429)
    else:
        reply = JSONResponse(error_body("too_many", message), 429)
    reply.headers["Retry-After"] = str(math.ceil(wait))
    return reply
