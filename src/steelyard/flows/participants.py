"""People whom a crowd platform sends: known again by their id, and kept apart from what they judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.domain.errors import ChoiceError, Conflict
from steelyard.domain.participants import Participant, Visit
from steelyard.domain.running import By, Rules
from steelyard.flows.erase import hold_people, require_settled
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.platform import Query, identification
from steelyard.flows.secrets import usable_secret
from steelyard.flows.tokens import pseudonym_for
from steelyard.formats.participants_file import read_participant_ids
from steelyard.store import participants as stored
from steelyard.store import running
from steelyard.store.actions import log_action
from steelyard.store.forgetting import forget_sessions
from steelyard.store.turns import take_turns

if TYPE_CHECKING:
    from sqlalchemy import Connection

NO_ID = (
    "The address does not say who you are on the site that sent you here, or it is damaged. Go back there "
    "and open the link again as it stands."
)
ONLY_LOOKING = (
    "You are looking at a preview. Accept the task on the site that shows it to you, and then begin."
)
BARRED = "You have taken part in a study like this one before, so there is no place for you in this one."
# How somebody stands who opens the open link: they may join, have joined, or cannot.
Welcome = Literal["open", "known", "no_id", "barred", "preview"]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who came from a platform, and what stands for them here."""

    visit: Visit
    platform: str
    pseudonym: str


@dataclass(frozen=True, slots=True)
class Participants:
    """Everybody whom a platform sent, and how many ids may not join."""

    workers: tuple[Participant, ...]
    n_barred: int


@dataclass(frozen=True, slots=True)
class Barring:
    """What became of a list of people who may not join, or may again."""

    n_changed: int
    """How many ids were not in this state before."""
    n_here: int = 0
    """How many of them are workers of this campaign already: they go on."""
    n_forgotten: int = 0
    """How many could not be taken over, since the other campaign has forgotten their ids."""


def visitor_in(rules: Rules, query: Query, *, secret: str, mark: str) -> Visitor | None:
    """Who comes by the open link; None where no platform says so, Conflict where it should and does not.

    Whoever only looks at a preview is nobody yet: Conflict too.
    """
    asked = identification(rules)
    if asked is None:
        return None
    query = list(query)
    if asked.is_preview(query):
        raise Conflict(ONLY_LOOKING, code="preview")
    visit = asked.visit_in(query)
    if visit is None:
        raise Conflict(NO_ID, code="no_id")
    return Visitor(visit, asked.platform.name, pseudonym_for(secret, mark, visit.participant_id))


def welcome(campaign: OpenCampaign, query: Query) -> Welcome:
    """How somebody stands who opens the open link; nothing is recorded."""
    secret, mark = usable_secret(campaign)
    with campaign.store.read() as connection:
        try:
            visitor = visitor_in(running.rules(connection), query, secret=secret, mark=mark)
            if visitor is None:
                return "open"
            return "open" if worker_for(connection, visitor) is None else "known"
        except Conflict as conflict:
            turned_away: dict[str, Welcome] = {"no_id": "no_id", "preview": "preview"}
            return turned_away.get(conflict.code, "barred")


def worker_for(connection: Connection, visitor: Visitor) -> str | None:
    """The worker that a visitor is already; None for a new one, Conflict for one who may not join.

    Whoever adds a new one must hold the turn "worker", so that two pages of one visitor make one worker.
    """
    worker_id = stored.participating_worker(connection, visitor.pseudonym)
    if worker_id is None and stored.is_barred(connection, visitor.pseudonym):
        raise Conflict(BARRED, code="barred")
    return worker_id


def record_visit(
    connection: Connection, visitor: Visitor, worker_id: str, *, is_new: bool, now: datetime
) -> None:
    """Remember that a visitor is this worker, and in which session of the platform they came."""
    if is_new:
        stored.add_participant(
            *(connection, worker_id, visitor.visit),
            platform=visitor.platform,
            pseudonym=visitor.pseudonym,
            now=now,
        )
    stored.add_session(connection, worker_id, visitor.visit, now=now)


def participants(campaign: OpenCampaign) -> Participants:
    """Everybody whom a platform sent, in the order in which they came."""
    with campaign.store.snapshot() as connection:
        return Participants(tuple(stored.all_participants(connection)), stored.n_barred(connection))


def exclude_participants(campaign: OpenCampaign, source: str, *, by: By, now: datetime) -> Barring:
    """Let nobody join who is in a file of ids, or took part in the campaign of another database.

    Whoever is a worker here already goes on: to stop them, block them.
    """
    return _change_barred(campaign, source, "exclude-participants", by=by, now=now)


def admit_participants(campaign: OpenCampaign, source: str, *, by: By, now: datetime) -> Barring:
    """Let those join again who are in a file of ids or took part in the campaign of another database."""
    return _change_barred(campaign, source, "admit-participants", by=by, now=now)


def _change_barred(campaign: OpenCampaign, source: str, verb: str, *, by: By, now: datetime) -> Barring:
    ids, n_forgotten = _ids_of(campaign, source)
    secret, mark = usable_secret(campaign)
    pseudonyms = [pseudonym_for(secret, mark, each) for each in ids]
    with campaign.store.write() as connection:
        take_turns(connection, "worker")
        n_here = sum(stored.participating_worker(connection, each) is not None for each in pseudonyms)
        if verb == "exclude-participants":
            n_changed = stored.bar(connection, pseudonyms, now=now)
        else:
            n_changed = stored.admit(connection, pseudonyms)
        if n_changed:
            log_action(connection, verb, by=by, now=now, detail={"participants": n_changed})
    return Barring(n_changed, n_here, n_forgotten)


def forget_ids(campaign: OpenCampaign, *, by: By, now: datetime) -> int:
    """Forget the ids of all participants once everybody is paid; returns how many were known.

    They are still known again if they come back, and they can still be kept from joining. What the platform
    said of their sessions stays, under ids of our own, with the workers and what they were paid. Conflict
    while a platform still owes somebody something.
    """
    with campaign.store.write() as connection:
        hold_people(connection)
        require_settled(connection)
        n_sessions = forget_sessions(connection, unlink=False)
        n_known = stored.drop_ids(connection)
        if n_known or n_sessions:
            log_action(connection, "forget-participants", by=by, now=now, detail={"participants": n_known})
    return n_known


def _ids_of(campaign: OpenCampaign, source: str) -> tuple[Iterable[str], int]:
    """The ids in a file, or in the campaign of another database; and how many that one has forgotten."""
    if "://" not in source and not _is_database(Path(source)):
        return read_participant_ids(Path(source)), 0
    with open_campaign(source) as other:
        if other.store.address == campaign.store.address:
            raise ChoiceError("This is the campaign itself. Give another one, or a file of ids.")
        found = participants(other).workers
    known = [each.participant_id for each in found if each.participant_id is not None]
    return known, len(found) - len(known)


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(15) == b"SQLite format 3"
    except OSError:
        return False
