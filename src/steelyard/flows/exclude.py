"""A person's verdicts: exclude and reinstate a worker or one HIT of theirs, block and unblock a worker.

Verdicts stand in the log of actions. Analyses read them there; nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.domain.errors import ChoiceError, Conflict, NotFound
from steelyard.domain.running import By, Exclusion
from steelyard.flows.open import OpenCampaign
from steelyard.store import actions, verdicts, work
from steelyard.store.leases import retake_place
from steelyard.store.verdicts import TakenHit

if TYPE_CHECKING:
    from sqlalchemy import Connection

# Words that a judgements file takes for a plain yes or no, and that explain nothing.
_NO_REASONS = ("true", "false", "yes", "no", "0", "1", "0.0", "1.0")


@dataclass(frozen=True, slots=True)
class Decision:
    """Whom a person's verdict is about: a worker, or one HIT of the worker's; by whom and why."""

    worker_id: str
    by: By
    reason: str = ""
    hit_id: str | None = None


@dataclass(frozen=True, slots=True)
class ExcludedWork:
    """What was excluded. `offered`: the HITs on which a place went back to the pool."""

    worker_id: str
    hit_id: str | None
    reason: str
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReinstatedWork:
    """What counts again. `taken_back`: the HITs whose place was still free. `surplus`: those whose place
    somebody else has taken by now, which have one judgement of each item more than wanted."""

    worker_id: str
    hit_id: str | None
    taken_back: tuple[str, ...]
    surplus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BlockedWorker:
    """Whether a worker gets further work. `released`: the HITs under way whose places others may take."""

    worker_id: str
    is_blocked: bool
    released: tuple[str, ...] = ()


def exclude(
    campaign: OpenCampaign, decision: Decision, *, now: datetime, replace: bool = True
) -> ExcludedWork:
    """Leave a worker's judgements, or those of one HIT, out of analyses, until `reinstate`.

    The judgements stay. `replace`: their places are offered to others, so that the campaign gets as many
    judgements as wanted; a HIT under way is ended. ChoiceError without a reason, NotFound if there is no such
    worker or the worker has not taken that HIT. Excluding again changes the reason.
    """
    reason = _given_reason(decision.reason)
    with campaign.store.write() as connection:
        taken = _concerned(connection, decision)
        offered = _give_up(connection, taken, now=now) if replace else ()
        _log(connection, "exclude", decision, now=now, reason=reason, hits={"offered": offered})
    return ExcludedWork(decision.worker_id, decision.hit_id, reason, offered)


def reinstate(campaign: OpenCampaign, decision: Decision, *, now: datetime) -> ReinstatedWork:
    """Let a worker's judgements, or those of one HIT, count again.

    Places that were offered to others are taken back as far as they are free. The two kinds of verdict are
    separate: a HIT that was excluded for itself stays so when its worker is reinstated. Conflict if it
    is not excluded.
    """
    with campaign.store.write() as connection:
        taken = _concerned(connection, decision)
        held = actions.exclusions(connection)
        _require_excluded(decision, held)
        still = {
            (each.worker_id, each.hit_id)
            for each in held
            if (each.worker_id, each.hit_id) != (decision.worker_id, decision.hit_id)
        }
        counting = [
            each
            for each in taken
            if each.is_submitted
            and not each.has_place
            and not still.intersection({(decision.worker_id, None), (decision.worker_id, each.hit_id)})
        ]
        found = {each.hit_id: retake_place(connection, each.assignment_id) for each in counting}
        taken_back = tuple(hit_id for hit_id, is_free in found.items() if is_free)
        surplus = tuple(hit_id for hit_id, is_free in found.items() if not is_free)
        hits = {"taken back": taken_back, "surplus": surplus}
        _log(connection, "reinstate", decision, now=now, reason=decision.reason, hits=hits)
    return ReinstatedWork(decision.worker_id, decision.hit_id, taken_back, surplus)


def block(campaign: OpenCampaign, decision: Decision, *, now: datetime) -> BlockedWorker:
    """Give a worker no further work; a HIT under way is ended. What was judged counts."""
    with campaign.store.write() as connection:
        under_way = [taken for taken in _concerned(connection, decision) if taken.is_open]
        released = _give_up(connection, under_way, now=now)
        if not work.is_blocked(connection, decision.worker_id):
            verdicts.set_blocked(connection, decision.worker_id, blocked=True)
            _log(connection, "block", decision, now=now, reason=decision.reason, hits={"offered": released})
    return BlockedWorker(decision.worker_id, True, released)


def unblock(campaign: OpenCampaign, decision: Decision, *, now: datetime) -> BlockedWorker:
    """Let a worker take HITs again."""
    with campaign.store.write() as connection:
        verdicts.require_worker(connection, decision.worker_id)
        if work.is_blocked(connection, decision.worker_id):
            verdicts.set_blocked(connection, decision.worker_id, blocked=False)
            _log(connection, "unblock", decision, now=now, reason=decision.reason)
    return BlockedWorker(decision.worker_id, False)


def _given_reason(reason: str) -> str:
    """The reason on one line; ChoiceError if it explains nothing."""
    line = " ".join(reason.split())
    if not line or line.lower() in _NO_REASONS:
        raise ChoiceError(
            "Say why with {reason=TEXT}: whoever reads the analysis sees that these judgements were left out."
        )
    return line


def _concerned(connection: Connection, decision: Decision) -> list[TakenHit]:
    """The HITs that a verdict is about; NotFound if there is no such worker, or the HIT is not theirs."""
    verdicts.require_worker(connection, decision.worker_id)
    taken = verdicts.taken_hits(connection, decision.worker_id)
    if decision.hit_id is None:
        return taken
    of_hit = [each for each in taken if each.hit_id == decision.hit_id]
    if not of_hit:
        known = ", ".join(each.hit_id for each in taken) or "none"
        raise NotFound(
            f"Worker {decision.worker_id} has not taken HIT {decision.hit_id!r}; HITs taken: {known}."
        )
    return of_hit


def _give_up(connection: Connection, taken: list[TakenHit], *, now: datetime) -> tuple[str, ...]:
    """Offer the places of these HITs to others; the HITs of which one was held."""
    return tuple(each.hit_id for each in taken if verdicts.give_up_place(connection, each, now=now))


def _require_excluded(decision: Decision, held: list[Exclusion]) -> None:
    own = [each.hit_id for each in held if each.worker_id == decision.worker_id]
    if decision.hit_id in own:
        return
    if decision.hit_id is None:
        single = [hit_id for hit_id in own if hit_id is not None]
        advice = f"; excluded are only the HITs {', '.join(single)}, each for itself" if single else ""
        raise Conflict(f"Worker {decision.worker_id} is not excluded{advice}.")
    advice = "; the worker is excluded as a whole" if None in own else ""
    raise Conflict(f"HIT {decision.hit_id} of worker {decision.worker_id} is not excluded{advice}.")


def _log(
    connection: Connection,
    verb: str,
    decision: Decision,
    *,
    now: datetime,
    reason: str,
    hits: Mapping[str, tuple[str, ...]] | None = None,
) -> None:
    actions.log_action(
        connection,
        verb,
        by=decision.by,
        now=now,
        worker_id=decision.worker_id,
        hit_id=decision.hit_id,
        reason=" ".join(reason.split()),
        detail={name: list(found) for name, found in (hits or {}).items() if found},
    )
