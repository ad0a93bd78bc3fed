"""What workers are told about pay: the price of a set, and what they have earned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.running import CampaignState, Conditions, Rules
from steelyard.domain.wording import payable
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.flows.progress import WorkerProgress, due_work
from steelyard.planning.spending import PayTerms, Workload, pay_terms
from steelyard.protocols import protocols
from steelyard.store import assignments, leases
from steelyard.store.progress import HeldHit

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class ToldPay:
    """Pay as a worker reads it. `per_hour`: None where sets have a price of their own.

    `per_set`: of a set of the usual size. `earned`: what `steelyard payments` says they are owed.
    """

    currency: str
    per_hour: float | None
    per_set: float | None
    earned: float | None


def told_pay(
    connection: Connection,
    settings: CampaignSettings,
    conditions: Conditions,
    worker_id: str,
    *,
    n_items: int,
    idle_before: datetime,
) -> ToldPay | None:
    """What a worker is told; None unless the organiser wants it and a wage or price is known.

    `n_items`: of the set they have or would get; 0: of a usual one. One last heard of before `idle_before`
    counts as given back.
    """
    rules = conditions.rules
    terms, per_set = _price_of_set(settings, rules, n_items=n_items)
    if not rules.tell_pay or per_set is None:
        return None
    idle = leases.idle_assignments(connection, before=idle_before)
    progress = _progress(worker_id, assignments.assignments_of(connection, worker_id), idle)
    due = due_work(progress, is_closed=conditions.state is CampaignState.CLOSED)
    return ToldPay(
        currency=rules.currency,
        per_hour=_per_hour(rules),
        per_set=per_set,
        earned=terms.due([Workload(due.hits, due.items)]).pay,
    )


def offered_pay(settings: CampaignSettings, *, n_items: int = 0) -> ToldPay | None:
    """What a set pays, for those who have not begun; None if no wage or price is known.

    `n_items`: of the set; 0: of a usual one.

    Whoever reads it comes from a platform that says so itself, so it is no secret.
    """
    rules = settings.rules
    _, per_set = _price_of_set(settings, rules, n_items=n_items)
    return None if per_set is None else ToldPay(rules.currency, _per_hour(rules), per_set, None)


def _per_hour(rules: Rules) -> float | None:
    return rules.wage if rules.pay_per_hit is None else None


def _price_of_set(settings: CampaignSettings, rules: Rules, *, n_items: int) -> tuple[PayTerms, float | None]:
    """On what terms work is paid, and what a set of so many items comes to; 0: of the usual number."""
    seconds = protocols()[settings.protocol].seconds_per_item[settings.attribute]
    terms = pay_terms(rules, seconds_per_item=seconds)
    per_set = terms.pay(hits=1, items=n_items or settings.design.hit_size)
    return terms, None if per_set is None else payable(per_set, rules.currency)


def _progress(worker_id: str, taken: Sequence[Assignment], idle: Sequence[str]) -> WorkerProgress:
    """What the worker has done, as far as pay depends on it."""
    held = next((each for each in taken if each.status is AssignmentStatus.ACCEPTED), None)
    submitted = [each for each in taken if each.submitted_at is not None]
    given_back = [each for each in taken if each.submitted_at is None and each is not held]
    return WorkerProgress(
        worker_id=worker_id,
        n_assignments=len(taken),
        n_submitted=len(submitted),
        n_done=sum(each.n_done for each in taken),
        n_items=sum(each.n_items for each in taken),
        seconds_per_item=None,
        last_at=None,
        n_released=len(given_back),
        hits_worked=len(submitted) + sum(each.n_done / each.n_items for each in given_back if each.n_items),
        open=_held(held, is_idle=held.assignment_id in idle) if held else None,
    )


def _held(held: Assignment, *, is_idle: bool) -> HeldHit:
    return HeldHit(
        assignment_id=held.assignment_id,
        hit_id=held.hit_id,
        n_items=held.n_items,
        n_done=held.n_done,
        # How long it took changes no pay.
        seconds=0.0,
        since=held.accepted_at,
        last_at=held.accepted_at,
        is_idle=is_idle,
    )
