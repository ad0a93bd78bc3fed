"""A rehearsal in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from steelyard.domain.wording import cents_in_words, counted, in_json
from steelyard.emulators.crowd_report import crowd_lines
from steelyard.emulators.rehearsal import Rehearsal
from steelyard.emulators.rehearsal_advice import both_sums
from steelyard.flows.crowd_status import status_record


def rehearsal_text(found: Rehearsal) -> str:
    """What happened, what it would cost, whether the books agree, and what to see to."""
    parts = [
        [f"Rehearsal of {found.campaign} on {found.platform}"],
        crowd_lines(found.crowd),
        [*_work_lines(found)],
        [*_money_lines(found)],
        [*_open_lines(found)],
        [*_advice_lines(found)],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _work_lines(found: Rehearsal) -> Iterator[str]:
    places = found.reached.places
    yield f"{places.submitted} of {counted(found.reached.n_openings, 'set')} are done, {places.free} free."
    yield (
        f"{counted(found.n_approved, 'session')} approved, {found.n_asked_to_return} asked to return, "
        f"{found.n_rejected} rejected, {found.n_bonuses} bonuses paid."
    )
    states = ", ".join(f"{count} {state}" for state, count in sorted(found.crowd.states().items()) if state)
    yield f"The platform says: {states}."
    if found.crowd.problems:
        yield "Replies that no browser should get:"
        yield from (f"  {problem}" for problem in found.crowd.problems)


def _money_lines(found: Rehearsal) -> Iterator[str]:
    ledger = found.status.ledger

    def said(cents: int) -> str:
        return cents_in_words(cents, ledger.currency)

    price, places = found.price, counted(found.published.listing.places, "place")
    parts = f"{said(price.pay)} for people, {said(price.fee)} in fees"
    yield f"All {places} would cost {said(price.total)}: {parts}."
    yield f"{'What this crowd cost':<22} {'our ledger':>14} {'the platform':>14}"
    for name, mine, theirs in both_sums(ledger, found.books):
        yield f"  {name:<20} {said(mine):>14} {said(theirs):>14}"
    if ledger.pending:
        yield f"  still promised       {said(ledger.pending):>14}"
    if found.differences:
        yield "! The books differ:"
        yield from (f"!   {difference}" for difference in found.differences)
    else:
        yield "The books agree to the cent."


def _open_lines(found: Rehearsal) -> Iterator[str]:
    odd = [each for each in found.status.sessions if each.difference]
    if odd or found.status.in_doubt:
        yield "Left for a person to decide, as it will be in earnest:"
        yield from (f"  {each.worker_id or '(nobody here)'}: {each.difference}" for each in odd)
        yield from (f"  a bonus of {each.worker_id} is {each.state}" for each in found.status.in_doubt)


def _advice_lines(found: Rehearsal) -> Iterator[str]:
    if not found.advice:
        yield "Nothing is left to see to before you publish."
        return
    yield "Before you publish:"
    yield from (f"  - {each}" for each in found.advice)


def rehearsal_record(found: Rehearsal) -> dict[str, Any]:
    """A rehearsal in plain types, money in cents."""
    return {
        "campaign": found.campaign,
        "platform": found.platform,
        "price": {"pay": found.price.pay, "fee": found.price.fee},
        "crowd": asdict(found.crowd),
        "status": status_record(found.status),
        "books": dict(found.books),
        "n_approved": found.n_approved,
        "n_asked_to_return": found.n_asked_to_return,
        "n_rejected": found.n_rejected,
        "n_bonuses": found.n_bonuses,
        "differences": list(found.differences),
        "advice": list(found.advice),
    }


def rehearsal_json(found: Rehearsal) -> str:
    """The record as text."""
    return json.dumps(rehearsal_record(found), indent=2, default=in_json, ensure_ascii=False) + "\n"
