"""What goes wrong between a program and a platform, on purpose: busy, in trouble, slow, or cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

FaultName = Literal["throttle", "trouble", "slow", "lose", "duplicate", "late"]
# The participants' side, where nothing ever goes wrong.
CONTROL = "/emulator"


@dataclass(slots=True)
class PlannedFault:
    """The next `times` calls that match `path`, a pattern such as `*/pay/`, suffer this fault."""

    fault: FaultName
    path: str = "*"
    times: int = 1

    def __post_init__(self) -> None:
        if self.fault not in get_args(FaultName):
            raise ValueError(f"{self.fault!r} is no fault; there are {', '.join(get_args(FaultName))}.")


@dataclass(slots=True)
class Faults:
    """How often each fault happens, as a probability, and those planned for the next calls.

    `throttle`: 429, with the seconds to wait. `trouble`: 503, before anything is done. `slow`: the call has
    to wait. `lose`: all is done, and the connection is closed without a reply. `duplicate`: a notice is sent
    twice. `late`: a notice is sent after later ones. Patterns match what a call is named: `POST /api/…` or,
    where all calls have one path, the operation; for notices, the kind of event.
    """

    throttle: float = 0.0
    trouble: float = 0.0
    slow: float = 0.0
    lose: float = 0.0
    duplicate: float = 0.0
    late: float = 0.0
    retry_after: int = 1
    slow_seconds: float = 1.0
    next: list[PlannedFault] = field(default_factory=list)

    def change(self, given: Mapping[str, Any]) -> None:
        """Set what is named and leave the rest; ValueError for what there is not."""
        known = {each.name for each in fields(self)}
        if unknown := sorted(set(given) - known):
            raise ValueError(f"There is no {', '.join(unknown)} among {', '.join(sorted(known))}.")
        try:
            planned = [PlannedFault(**each) for each in given.get("next", [])]
            numbers = {name: float(number) for name, number in given.items() if name != "next"}
        except TypeError as error:
            raise ValueError(str(error)) from None
        for name, number in numbers.items():
            setattr(self, name, int(number) if name == "retry_after" else number)
        if "next" in given:
            self.next = planned

    def told(self) -> dict[str, Any]:
        """The settings as they now are."""
        return asdict(self)

    def strikes(self, fault: FaultName, name: str, rng: np.random.Generator) -> bool:
        """Whether a call of this name suffers this fault; a planned one is used up."""
        for planned in self.next:
            if planned.fault == fault and fnmatchcase(name, planned.path):
                planned.times -= 1
                self.next = [each for each in self.next if each.times > 0]
                return True
        share: float = getattr(self, fault)
        return share > 0 and float(rng.random()) < share


def _path_of(scope: Scope) -> str:
    return f"{scope['method']} {scope['path']}"


@dataclass(frozen=True, slots=True)
class BusyReply:
    """How a platform says that it is busy or in trouble."""

    status: int
    body: bytes
    headers: Sequence[tuple[bytes, bytes]] = ()


class FaultyApp:
    """An app whose calls suffer faults, all but those of the participants' side.

    `refusal(status)` is what the platform says with 429 or 503; `name_of` names a call for the patterns.
    """

    def __init__(
        self,
        app: ASGIApp,
        faults: Faults,
        rng: np.random.Generator,
        refusal: Callable[[int], BusyReply],
        name_of: Callable[[Scope], str] = _path_of,
    ) -> None:
        self._app = app
        self._faults = faults
        self._rng = rng
        self._refusal = refusal
        self._name_of = name_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(CONTROL):
            await self._app(scope, receive, send)
            return
        name = self._name_of(scope)
        if self._strikes("slow", name):
            await asyncio.sleep(self._faults.slow_seconds)
        if self._strikes("throttle", name):
            wait = (b"retry-after", str(self._faults.retry_after).encode())
            await _refuse(self._refusal(429), [wait], send)
        elif self._strikes("trouble", name):
            await _refuse(self._refusal(503), [], send)
        elif self._strikes("lose", name):
            await self._app(scope, receive, _into_nothing)
            await _hang_up(receive, send)
        else:
            await self._app(scope, receive, send)

    def _strikes(self, fault: FaultName, name: str) -> bool:
        return self._faults.strikes(fault, name, self._rng)


async def _refuse(refusal: BusyReply, more: Sequence[tuple[bytes, bytes]], send: Send) -> None:
    headers = [*refusal.headers, *more, (b"content-length", str(len(refusal.body)).encode())]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": refusal.body})


async def _into_nothing(message: Message) -> None:
    """Where a reply goes that nobody gets."""


async def _hang_up(receive: Receive, send: Send) -> None:
    """Close the connection without a word; the caller cannot know whether anything was done."""
    # The server gives an app no way to do this, but its own `send` belongs to what holds the connection.
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    if transport is None:
        raise RuntimeError("This server does not let go of a connection: use uvicorn, as `serving` does.")
    transport.close()
    # Once the server has noticed, it does not try to reply in our place.
    while (await receive())["type"] != "http.disconnect":
        pass
