"""Erase what could tell who workers are. Judgements stay, under numbers that name nobody."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from steelyard.domain.errors import Conflict, NotFound
from steelyard.domain.people import Person
from steelyard.domain.running import By, CampaignState
from steelyard.domain.wording import counted
from steelyard.flows.open import OpenCampaign
from steelyard.store import entries, forgetting, links, participants, remarks, running, work
from steelyard.store.actions import log_action
from steelyard.store.turns import take_turns

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class ErasedPerson:
    """What there was of a worker: whether a name or address, how many answers and how many remarks."""

    worker_id: str
    had_name: bool
    n_answers: int
    n_remarks: int
    was_participant: bool = False
    """Whether a platform had sent them, under an id that is gone now."""
    n_sessions: int = 0
    """How many sessions the platform has told of: what they were paid stays, without them."""


def erase(campaign: OpenCampaign, worker_id: str, *, by: By, now: datetime, reason: str = "") -> ErasedPerson:
    """Erase name, e-mail address, ids on a platform, answers, training and remarks of a worker, for good.

    Whoever came from a platform is a new worker if they come again. That they agreed stays, as proof; so do
    their judgements, which nothing deletes, and the amounts that they were paid. Logged without what was
    erased. NotFound if there is no such worker, Conflict while the platform still owes them something.
    """
    with campaign.store.write() as connection:
        if not work.has_worker(connection, worker_id):
            raise NotFound(f"There is no worker {worker_id!r}; `steelyard progress` lists them.")
        hold_people(connection)
        require_settled(connection, worker_id)
        [person] = links.linked_workers(connection, [worker_id])
        links.set_person(connection, worker_id, Person("", ""))
        erased = ErasedPerson(
            worker_id,
            had_name=bool(person.name or person.email),
            n_answers=entries.erase_answers(connection, worker_id),
            n_remarks=remarks.erase_remarks(connection, worker_id),
            was_participant=participants.erase_participant(connection, worker_id),
            n_sessions=forgetting.forget_sessions(connection, worker_id, unlink=True),
        )
        detail = {"answers": erased.n_answers, "remarks": erased.n_remarks}
        log_action(connection, "erase", by=by, now=now, worker_id=worker_id, reason=reason, detail=detail)
        return erased


def erase_all(campaign: OpenCampaign, *, by: By, now: datetime, reason: str = "") -> int:
    """Erase the same of everybody, with the lists of those who may not join; returns of how many people.

    Conflict unless the campaign is closed, and while a platform still owes somebody something.
    """
    with campaign.store.write() as connection:
        hold_people(connection)
        if running.conditions(connection).state is not CampaignState.CLOSED:
            raise Conflict(
                "People may still come, and would be strangers without what is erased. Close the campaign "
                "first: steelyard close DB",
                code="not_closed",
            )
        require_settled(connection)
        n_people = forgetting.n_recognisable(connection)
        forgetting.erase_everybody(connection)
        if n_people:
            log_action(connection, "erase-all", by=by, now=now, reason=reason, detail={"people": n_people})
        return n_people


@dataclass(frozen=True, slots=True)
class Recognisable:
    """How many people a campaign's records point to, and until when they may."""

    n_people: int
    until: date | None


def recognisable(campaign: OpenCampaign) -> Recognisable:
    """How many people `erase_all` would erase."""
    with campaign.store.snapshot() as connection:
        until = running.rules(connection).retain_until
        n_people = forgetting.n_recognisable(connection)
    return Recognisable(n_people, None if until is None else date.fromisoformat(until))


def hold_people(connection: Connection) -> None:
    """Let nobody join, and no platform be heard or paid through, until this transaction ends."""
    take_turns(connection, "worker")
    take_turns(connection, "crowd")
    running.hold_campaign(connection)


def require_settled(connection: Connection, worker_id: str | None = None) -> None:
    """Conflict while a session of a worker, or of anybody, is not decided, or a bonus not settled."""
    n_open = forgetting.n_unsettled_sessions(connection, worker_id)
    if n_open:
        whose = f" of {worker_id}" if worker_id else ""
        raise Conflict(
            f"{counted(n_open, 'session')}{whose} on the platform {'is' if n_open == 1 else 'are'} not yet "
            "decided or not yet paid, and nobody can be paid whose id is gone. Decide, ask the platform how "
            "things stand (steelyard sync DB), and try again.",
            code="unsettled",
        )
