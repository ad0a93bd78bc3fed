"""People: personal links with a name or an address beside them, for the manager only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from steelyard.domain.errors import ChoiceError, NotFound
from steelyard.domain.people import Person, person_problems, tidy
from steelyard.domain.running import By
from steelyard.flows.links import WorkerLink, worker_links
from steelyard.flows.open import OpenCampaign
from steelyard.flows.secrets import usable_secret
from steelyard.formats.people_file import people_csv
from steelyard.store import links as stored
from steelyard.store import work
from steelyard.store.actions import log_action
from steelyard.store.links import LinkedWorker
from steelyard.store.turns import take_turns

# What a letter to a worker needs.
MERGED = ("worker_id", "name", "email", "url")


@dataclass(frozen=True, slots=True)
class Invited:
    """The links of the people asked for, in their order; `n_new` of them were made now."""

    links: tuple[WorkerLink, ...]
    n_new: int


def invite(
    campaign: OpenCampaign,
    people: Sequence[Person],
    *,
    base_url: str,
    by: By,
    now: datetime,
    again: bool = False,
) -> Invited:
    """A link for each of these people. Who has one already keeps it, unless asked to make one `again`."""
    _check(people)
    usable_secret(campaign)
    worker_ids, added = [], []
    with campaign.store.write() as connection:
        # New workers are numbered in turn, so nobody is added between looking and adding.
        take_turns(connection, "worker")
        known = [] if again else stored.linked_workers(connection)
        for person in people:
            worker = next((worker for worker in known if person.is_same(_person(worker))), None)
            if worker is None:
                worker_id = work.add_worker(connection, now=now).worker_id
                stored.set_person(connection, worker_id, person)
                worker = LinkedWorker(worker_id, 1, False, False, person.name, person.email)
                added.append(worker_id)
                if not again:
                    known.append(worker)
            worker_ids.append(worker.worker_id)
        if added:
            log_action(connection, "add-workers", by=by, now=now, detail={"workers": added})
    found = {link.worker_id: link for link in worker_links(campaign, worker_ids, base_url=base_url)}
    return Invited(tuple(found[worker_id] for worker_id in worker_ids), len(added))


def mail_merge(campaigns: Mapping[str, Sequence[WorkerLink]]) -> str:
    """Names, addresses and links as a table, for a program that sends everyone their own link.

    Campaigns are named in it if there are several. Links that are revoked are left out.
    """
    rows = [
        {"campaign": campaign, **{column: getattr(link, column) for column in MERGED}}
        for campaign, links in campaigns.items()
        for link in links
        if not link.is_revoked
    ]
    columns = MERGED if len(campaigns) == 1 else ("campaign", *MERGED)
    return people_csv([{column: row[column] for column in columns} for row in rows], columns)


def name_worker(
    campaign: OpenCampaign,
    worker_id: str,
    *,
    by: By,
    now: datetime,
    name: str | None = None,
    email: str | None = None,
) -> None:
    """Write down a worker's name, address or both; an empty one is taken back.

    The log says that it was done, not what was written.
    """
    with campaign.store.write() as connection:
        stored.hold_worker(connection, worker_id)
        known = stored.linked_workers(connection, [worker_id])
        if not known:
            raise NotFound(f"There is no worker {worker_id}.")
        before = _person(known[0])
        after = Person(
            before.name if name is None else tidy(name), before.email if email is None else tidy(email)
        )
        _check([after])
        if after != before:
            stored.set_person(connection, worker_id, after)
            log_action(connection, "name-worker", by=by, now=now, worker_id=worker_id)


def _person(worker: LinkedWorker) -> Person:
    return Person(worker.name, worker.email)


def _check(people: Sequence[Person]) -> None:
    problems = [problem for person in people for problem in person_problems(person)]
    if problems:
        raise ChoiceError(" ".join(problems))
