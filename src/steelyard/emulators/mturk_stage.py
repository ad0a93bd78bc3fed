"""Mechanical Turk as the people see it who work there: what the participants' side of every emulator asks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from steelyard.emulators.books import Books
from steelyard.emulators.control import ControlError
from steelyard.emulators.mturk_market import CURRENCY, FEE, TurkAssignment, TurkHit, TurkMarket, fee_of
from steelyard.emulators.mturk_people import (
    accept_hit,
    listed_hits,
    offered_hits,
    return_hit,
    running_session,
    sign_up,
    submit_fields,
    task_address,
    worker_session,
)
from steelyard.emulators.offer import EmulatorSettings


class MTurkStage:
    """One emulated Mechanical Turk. A listing is a HIT or, as people find them, a group of the same type."""

    title = "Mechanical Turk, emulated"

    def __init__(self, settings: EmulatorSettings) -> None:
        share = FEE if settings.fee is None else settings.fee
        self.clock = settings.clock
        self.faults = settings.faults
        self.books = Books(
            currency=settings.currency or CURRENCY,
            balance=settings.balance,
            fee_on=lambda cents: fee_of(cents, share),
            vat_on=lambda _fee: 0,
        )
        self.market = TurkMarket(self.clock, self.books, share, settings.seed)
        self.origin = ""
        """Where this emulator is, as its last caller named it: workers' pages post back to it."""

    def add_people(self, n: int) -> list[str]:
        return sign_up(self.market, n)

    def offers(self, person: str) -> list[dict[str, Any]]:
        groups: dict[str, list[TurkHit]] = {}
        for hit in offered_hits(self.market, person):
            groups.setdefault(hit.hit_type.hit_type_id, []).append(hit)
        return [
            {
                "listing": listing,
                "title": hits[0].hit_type.title,
                "reward": hits[0].hit_type.reward,
                "places_left": sum(hit.open_places for hit in hits),
            }
            for listing, hits in groups.items()
        ]

    def listings(self) -> list[dict[str, Any]]:
        now = self.clock.now()
        return [
            {
                "listing": hit.hit_id,
                "title": hit.hit_type.title,
                "state": hit.status(now),
                "reward": hit.hit_type.reward,
                "places": hit.places,
                "places_left": hit.open_places,
            }
            for hit in self.market.hits.values()
        ]

    def take(self, person: str, listing: str) -> dict[str, Any]:
        taken = accept_hit(self.market, person, listing)
        return {"session": taken.assignment_id, "url": self.address(taken)}

    def address(self, assignment: TurkAssignment) -> str:
        """What a worker's frame shows."""
        return task_address(self.market, assignment, self.origin)

    def open_session(self, session: str) -> dict[str, Any]:
        return _state(running_session(self.market, session))

    def finish(self, session: str, code: str | None) -> dict[str, Any]:
        return _state(submit_fields(self.market, session, [("code", code or "")]))

    def leave(self, session: str) -> dict[str, Any]:
        return _state(return_hit(self.market, session))

    def session(self, session: str) -> dict[str, Any]:
        found = worker_session(self.market, session)
        return {
            "session": session,
            "person": found.worker_id,
            "listing": found.hit_id,
            **_state(found),
            "return_requested": False,
            "fields": dict(found.fields),
            "feedback": found.feedback,
        }

    def sessions(self) -> list[dict[str, str]]:
        """Who gave an assignment back whose id somebody else has now is told apart by a number behind it."""
        earlier: Counter[str] = Counter()
        rows = []
        for each in (each for hit in self.market.hits.values() for each in hit.assignments):
            name = each.assignment_id
            if self.market.current[name] is not each:
                earlier[name] += 1
                name = f"{name}~{earlier[name]}"
            rows.append({"session": name, "person": each.worker_id, "state": str(each.state)})
        return rows

    def stop_listing(self, listing: str) -> dict[str, Any]:
        """The requester lets HITs expire by hand; who works on one goes on."""
        now = self.clock.now()
        hits = listed_hits(self.market, listing)
        for hit in hits:
            hit.expires_at = min(hit.expires_at, now)
        return {"state": hits[0].status(now)}

    def pause_listing(self, listing: str) -> dict[str, Any]:
        raise ControlError(409, "HITs cannot be paused on Mechanical Turk; they can be stopped.")

    def rotate_secret(self) -> dict[str, Any]:
        raise ControlError(409, "Mechanical Turk signs nothing that it tells.")

    async def idle(self) -> None:
        """Nothing is ever sent from here."""


def _state(assignment: TurkAssignment) -> dict[str, Any]:
    return {"state": str(assignment.state)}
