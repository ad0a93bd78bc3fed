"""The participants' side of an emulator, the same for all: people come, take places, finish and leave.

Every emulator answers these below `/emulator/`, beside the platform's own paths. Bodies and replies are JSON.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from steelyard.emulators.control_page import control_page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Receive, Scope, Send

    from steelyard.emulators.books import Books
    from steelyard.emulators.clock import EmulatorClock
    from steelyard.emulators.faults import Faults

# Seconds between two looks at what has fallen due, where nobody asks for anything [our choice].
TICK = 0.2


class ControlError(Exception):
    """What a person cannot do there: 404 for what there is not, 409 for what its state forbids."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


class Stage(Protocol):
    """An emulated platform as the people see it who work there. Refuses by ControlError."""

    title: str
    clock: EmulatorClock
    faults: Faults
    books: Books

    def add_people(self, n: int) -> list[str]:
        """So many new people; their ids."""
        ...

    def offers(self, person: str) -> list[dict[str, Any]]:
        """Listings open to this person: `listing`, `title`, `reward`, `places_left`."""
        ...

    def listings(self) -> list[dict[str, Any]]:
        """All listings: `listing`, `title`, `state`, `reward`, `places`, `places_left`."""
        ...

    def take(self, person: str, listing: str) -> dict[str, Any]:
        """A place for this person: `session` and `url`; 409 if full, paused, or taken before."""
        ...

    def open_session(self, session: str) -> dict[str, Any]:
        """The person has opened the address: `state`."""
        ...

    def finish(self, session: str, code: str | None) -> dict[str, Any]:
        """The person has finished, with a code, a wrong one, or none: `state`."""
        ...

    def leave(self, session: str) -> dict[str, Any]:
        """The person gives the place back: `state`."""
        ...

    def session(self, session: str) -> dict[str, Any]:
        """`session`, `person`, `listing`, `state`, `return_requested` and what else there is to know."""
        ...

    def sessions(self) -> list[dict[str, str]]:
        """All sessions, with `session`, `person` and `state`."""
        ...

    def stop_listing(self, listing: str) -> dict[str, Any]:
        """Somebody stops it by hand on the platform's own page: `state`."""
        ...

    def pause_listing(self, listing: str) -> dict[str, Any]:
        """Somebody pauses it by hand: `state`."""
        ...

    def rotate_secret(self) -> dict[str, Any]:
        """The secret that signs notices is replaced."""
        ...

    async def idle(self) -> None:
        """Wait until everything has been sent that is to be sent by now."""
        ...


def emulator_app(stage: Stage, routes: Sequence[BaseRoute]) -> ASGIApp:
    """An app of a platform's own routes and of the participants' side; what falls due happens in time."""

    @asynccontextmanager
    async def ticking(_app: Starlette) -> AsyncIterator[None]:
        ticks = asyncio.create_task(_tick(stage.clock))
        yield
        ticks.cancel()
        with suppress(asyncio.CancelledError):
            await ticks

    app = Starlette(routes=[*routes, *control_routes(stage)], lifespan=ticking)

    async def settled(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            stage.clock.settle()
        await app(scope, receive, send)

    return settled


async def _tick(clock: EmulatorClock) -> None:
    while True:
        await asyncio.sleep(TICK)
        clock.settle()


def control_routes(stage: Stage) -> list[Route]:
    """What the participants' side answers to."""

    async def advance(request: Request) -> Response:
        seconds = _number(await _body(request), "advance_seconds")
        for _ in stage.clock.advancing(seconds):
            await stage.idle()
        return JSONResponse({"now": stage.clock.now().isoformat()})

    return [
        *(
            Route(f"/emulator/{path}", _guarded(read), methods=["GET"])
            for path, read in _asked(stage).items()
        ),
        *(
            Route(f"/emulator/{path}", _guarded(_posting(status, act)), methods=["POST"])
            for path, (status, act) in _posted(stage).items()
        ),
        Route("/emulator/clock", _guarded(advance), methods=["POST"]),
    ]


def _asked(stage: Stage) -> dict[str, Callable[[Request], Awaitable[Response]]]:
    """What is read, by path."""

    async def offers(request: Request) -> Response:
        return JSONResponse(stage.offers(request.query_params.get("person", "")))

    async def session(request: Request) -> Response:
        return JSONResponse(stage.session(request.path_params["session"]))

    async def faults(_request: Request) -> Response:
        return JSONResponse(stage.faults.told())

    async def books(_request: Request) -> Response:
        return JSONResponse(stage.books.statement(stage.sessions()))

    async def page(_request: Request) -> Response:
        statement = stage.books.statement(stage.sessions())
        return HTMLResponse(control_page(stage.title, stage.clock.now(), stage.listings(), statement))

    return {
        "": page,
        "listings": offers,
        "session/{session}": session,
        "faults": faults,
        "books": books,
    }


def _posted(stage: Stage) -> dict[str, tuple[int, Callable[[Mapping[str, Any]], Any]]]:
    """What changes something, by path, with the status of its reply."""

    def faults(body: Mapping[str, Any]) -> dict[str, Any]:
        try:
            stage.faults.change(body)
        except ValueError as error:
            raise ControlError(400, str(error)) from None
        return stage.faults.told()

    return {
        "people": (201, lambda body: {"people": stage.add_people(_number(body, "n"))}),
        "take": (201, lambda body: stage.take(_word(body, "person"), _word(body, "listing"))),
        "open": (200, lambda body: stage.open_session(_word(body, "session"))),
        "finish": (200, lambda body: stage.finish(_word(body, "session"), _code(body))),
        "leave": (200, lambda body: stage.leave(_word(body, "session"))),
        "faults": (200, faults),
        "stop": (200, lambda body: stage.stop_listing(_word(body, "listing"))),
        "pause": (200, lambda body: stage.pause_listing(_word(body, "listing"))),
        "rotate-secret": (200, lambda _body: stage.rotate_secret()),
    }


def _posting(
    status: int, act: Callable[[Mapping[str, Any]], Any]
) -> Callable[[Request], Awaitable[Response]]:
    async def reply(request: Request) -> Response:
        return JSONResponse(act(await _body(request)), status)

    return reply


def _guarded(
    reply: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    async def guarded(request: Request) -> Response:
        try:
            return await reply(request)
        except ControlError as error:
            return JSONResponse({"error": str(error)}, error.status)

    return guarded


async def _body(request: Request) -> Mapping[str, Any]:
    try:
        found = json.loads(await request.body() or b"{}")
    except ValueError:
        raise ControlError(400, "The body is not JSON.") from None
    if not isinstance(found, dict):
        raise ControlError(400, "The body must be a JSON object.")
    return found


def _word(body: Mapping[str, Any], name: str) -> str:
    if not isinstance(body.get(name), str):
        raise ControlError(400, f"{name} must be given, as a text.")
    return str(body[name])


def _number(body: Mapping[str, Any], name: str) -> int:
    number = body.get(name)
    if not isinstance(number, int | float) or isinstance(number, bool) or number < 0:
        raise ControlError(400, f"{name} must be given, as a number of at least 0.")
    return int(number)


def _code(body: Mapping[str, Any]) -> str | None:
    return None if body.get("code") is None else _word(body, "code")
