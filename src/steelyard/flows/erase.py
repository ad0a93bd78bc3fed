"""Erase what could tell who a worker is, at their wish. Judgements stay, under a number that names nobody."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from steelyard.domain.errors import NotFound
from steelyard.domain.people import Person
from steelyard.domain.running import By
from steelyard.flows.open import OpenCampaign
from steelyard.store import entries, links, participants, remarks, work
from steelyard.store.actions import log_action


@dataclass(frozen=True, slots=True)
class ErasedPerson:
    """What there was of a worker: whether a name or address, how many answers and how many remarks."""

    worker_id: str
    had_name: bool
    n_answers: int
    n_remarks: int
    was_participant: bool = False
    """Whether a platform had sent them, under an id that is gone now."""


def erase(campaign: OpenCampaign, worker_id: str, *, by: By, now: datetime, reason: str = "") -> ErasedPerson:
    """Erase name, e-mail address, id on a platform, answers, training and remarks of a worker, for good.

    Whoever came from a platform is a new worker if they come again. That they agreed stays, as proof; so do
    their judgements, which nothing deletes. Logged without what was erased. NotFound if there is no
    such worker.
    """
    with campaign.store.write() as connection:
        if not work.has_worker(connection, worker_id):
            raise NotFound(f"There is no worker {worker_id!r}; `steelyard progress` lists them.")
        [person] = links.linked_workers(connection, [worker_id])
        links.set_person(connection, worker_id, Person("", ""))
        erased = ErasedPerson(
            worker_id,
            had_name=bool(person.name or person.email),
            n_answers=entries.erase_answers(connection, worker_id),
            n_remarks=remarks.erase_remarks(connection, worker_id),
            was_participant=participants.erase_participant(connection, worker_id),
        )
        detail = {"answers": erased.n_answers, "remarks": erased.n_remarks}
        log_action(connection, "erase", by=by, now=now, worker_id=worker_id, reason=reason, detail=detail)
        return erased
