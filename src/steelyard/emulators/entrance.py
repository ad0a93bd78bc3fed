"""An emulated platform as simulated people see it: what is offered, taking a place, and the ends of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from steelyard.emulators.wire import Wire, as_json, refusal

_CONFLICT = 409
_JSON = {"Content-Type": "application/json"}


class OfferedListing(NamedTuple):
    """A listing that somebody could take part in."""

    listing: str
    title: str
    reward: int
    places_left: int


class TakenPlace(NamedTuple):
    """A place that somebody has taken, and the address that the platform sends them to."""

    session: str
    url: str


class Entrance:
    """The doors of an emulator for people, who have no key: see its control API."""

    def __init__(self, wire: Wire, url: str) -> None:
        self._wire = wire
        self._url = url.rstrip("/")

    def new_people(self, n: int) -> list[str]:
        """The ids of people who have just signed up."""
        people: list[str] = self._post("people", {"n": n})["people"]
        return people

    def listings(self, person: str) -> list[OfferedListing]:
        """What somebody could take part in now."""
        found = self._get(f"listings?{urlencode({'person': person})}")
        return [OfferedListing(**{name: each[name] for name in OfferedListing._fields}) for each in found]

    def take(self, person: str, listing: str) -> TakenPlace | None:
        """A place for somebody; None if there is none for them."""
        found = self._post("take", {"person": person, "listing": listing}, may_conflict=True)
        return None if found is None else TakenPlace(found["session"], found["url"])

    def open(self, session: str) -> None:
        """Somebody follows the platform's link."""
        self._post("open", {"session": session})

    def finish(self, session: str, code: str | None) -> bool:
        """Somebody is done, with this code or without one; False if the platform has ended it before."""
        return self._post("finish", {"session": session, "code": code}, may_conflict=True) is not None

    def leave(self, session: str) -> bool:
        """Somebody gives their place back; False if the platform has ended it before."""
        return self._post("leave", {"session": session}, may_conflict=True) is not None

    def session(self, session: str) -> dict[str, Any]:
        """The state of a session, and whether the organiser asks for it back."""
        found: dict[str, Any] = self._get(f"session/{session}")
        return found

    def advance(self, seconds: float) -> None:
        """Let time pass on the platform."""
        self._post("clock", {"advance_seconds": seconds})

    def books(self) -> dict[str, Any]:
        """What the platform has been paid, and what for."""
        found: dict[str, Any] = self._get("books")
        return found

    def submit_form(self, url: str, fields: Mapping[str, str]) -> bool:
        """Send a form to the platform, as a page in its frame does; False if it ended the session before."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        reply = self._wire.send("platform", "POST", url, headers=headers, content=urlencode(fields).encode())
        if reply.is_error and reply.status_code != _CONFLICT:
            raise refusal("the platform's form", reply)
        return not reply.is_error

    def _get(self, path: str) -> Any:
        reply = self._wire.send("platform", "GET", f"{self._url}/emulator/{path}")
        if not reply.is_success:
            raise refusal(f"the emulator's {path}", reply)
        return reply.json()

    def _post(self, path: str, body: Any, *, may_conflict: bool = False) -> Any:
        content = as_json(body)
        reply = self._wire.send(
            "platform", "POST", f"{self._url}/emulator/{path}", headers=_JSON, content=content
        )
        if may_conflict and reply.status_code == _CONFLICT:
            return None
        if not reply.is_success:
            raise refusal(f"the emulator's {path}", reply)
        return reply.json() if reply.content else {}
