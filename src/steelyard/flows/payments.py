"""Payments: what each worker's work is worth, with the evidence of the check beside it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from steelyard.domain.payment import Payment, Payments, PaymentTotal
from steelyard.domain.running import CampaignState, Exclusion
from steelyard.domain.wording import counted, in_currency
from steelyard.flows.open import OpenCampaign
from steelyard.flows.progress import Overview, Watch, WorkerProgress, due_work
from steelyard.flows.verdicts import Verdicts, campaign_verdicts
from steelyard.planning.spending import PayTerms, Workload, pay_terms
from steelyard.store.actions import exclusions
from steelyard.store.links import LinkedWorker, linked_workers


def campaign_payments(campaign: OpenCampaign, *, check: str | None = None, now: datetime) -> Payments:
    """What everybody of a campaign is owed, beside what a check finds about them; None: its own."""
    return payments(Watch(campaign), campaign_verdicts(campaign, check=check), now=now)


def payments(watch: Watch, verdicts: Verdicts, *, now: datetime) -> Payments:
    """What everybody is owed at this moment.

    Those who failed the check or were excluded are listed like the others, with what their work is worth.
    """
    overview = watch.overview(now=now)
    with watch.campaign.store.read() as connection:
        excluded = exclusions(connection)
        people = {worker.worker_id: worker for worker in linked_workers(connection)}
    terms = pay_terms(overview.rules, seconds_per_item=overview.money.seconds_per_item)
    found = verdicts.by_worker()
    is_closed = overview.state is CampaignState.CLOSED
    workers = tuple(
        _payment(
            worker,
            terms,
            people.get(worker.worker_id),
            found.get(worker.worker_id, {}),
            excluded=exclusion_words(excluded, worker.worker_id),
            is_closed=is_closed,
        )
        for worker in overview.progress.workers
        if worker.n_done
    )
    return Payments(
        campaign=overview.settings.name,
        currency=terms.currency,
        check=verdicts.check,
        workers=workers,
        total=_total(workers, terms),
        notes=(*_simulated(workers), *_notes(terms), *overview.money.warnings),
    )


def payment_of(
    overview: Overview, worker: WorkerProgress, finding: dict[str, Any], excluded: Sequence[Exclusion]
) -> Payment:
    """What one worker is owed; without a name."""
    terms = pay_terms(overview.rules, seconds_per_item=overview.money.seconds_per_item)
    return _payment(
        worker,
        terms,
        None,
        finding,
        excluded=exclusion_words(excluded, worker.worker_id),
        is_closed=overview.state is CampaignState.CLOSED,
    )


def exclusion_words(excluded: Sequence[Exclusion], worker_id: str) -> str:
    """Why a worker, or single HITs of theirs, were excluded; empty if they were not."""
    return "; ".join(
        (f"HIT {one.hit_id}: " if one.hit_id else "") + (one.reason or "no reason given")
        for one in excluded
        if one.worker_id == worker_id
    )


def _payment(
    worker: WorkerProgress,
    terms: PayTerms,
    person: LinkedWorker | None,
    finding: dict[str, Any],
    *,
    excluded: str,
    is_closed: bool,
) -> Payment:
    due = due_work(worker, is_closed=is_closed)
    hours = due.seconds / 3600
    pay = terms.due([Workload(due.hits, due.items)]).pay
    return Payment(
        worker_id=worker.worker_id,
        name=person.name if person else "",
        email=person.email if person else "",
        participant_id=person.participant_id if person else "",
        hits=due.hits,
        items=due.items,
        hours=hours,
        pay=pay,
        hourly_pay=_hourly(pay, hours),
        open_items=due.open_items,
        verdict=finding.get("verdict"),
        suggestion=finding.get("suggestion"),
        reason=finding.get("reason"),
        n_pairs=finding.get("n_pairs"),
        mean_difference=finding.get("mean_difference"),
        p_value=finding.get("p_value"),
        flags=tuple(finding.get("flags") or ()),
        remarks=tuple(finding.get("remarks") or ()),
        excluded=excluded,
        is_simulated=worker.is_simulated,
    )


def _hourly(pay: float | None, hours: float) -> float | None:
    return None if pay is None or hours <= 0 else pay / hours


def _total(workers: Sequence[Payment], terms: PayTerms) -> PaymentTotal:
    hours = sum(worker.hours for worker in workers)
    due = terms.due([Workload(worker.hits, worker.items) for worker in workers])
    return PaymentTotal(
        workers=len(workers),
        hits=due.hits,
        items=sum(worker.items for worker in workers),
        hours=hours,
        pay=due.pay,
        fee=due.fee,
        cost=due.cost,
        hourly_pay=_hourly(due.pay, hours),
    )


def _simulated(workers: Sequence[Payment]) -> tuple[str, ...]:
    n = sum(worker.is_simulated for worker in workers)
    return (
        (f"{n} of {counted(len(workers), 'worker')} are simulated: nobody is owed their pay.",) if n else ()
    )


def _notes(terms: PayTerms) -> tuple[str, ...]:
    if terms.pay(hits=0, items=0) is None:
        return ("No wage is known, so only hours are shown. Set one: steelyard settings DB --wage 12",)
    if terms.per_hit is not None:
        basis = f"A HIT is paid {in_currency(terms.per_hit, terms.currency)}"
    else:
        basis = (
            f"An hour is paid {in_currency(terms.wage, terms.currency)}, and an item counts as "
            f"{terms.seconds_per_item:g} s"
        )
    return (
        f"{basis}; of a HIT that was not finished, the part that was judged is paid.",
        "A failed check alone is no reason to refuse pay.",
    )
