"""Decide on sessions of a platform: approve, reject with evidence, ask for a return, pay in part.

Approving pays. Rejecting needs the evidence that `review/payment.py` asks for, or that nothing at all was
judged, and a manager's word; a failed check alone refuses nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from steelyard.domain.crowd import CrowdClient, Rejection, SessionState
from steelyard.domain.errors import ChoiceError, Conflict, NotFound, PlatformError
from steelyard.domain.nearest import no_such
from steelyard.domain.running import By
from steelyard.flows.crowd_client import noted, platform_of
from steelyard.flows.exclude import Decision, exclude
from steelyard.flows.mirror import mirror_decision
from steelyard.flows.open import OpenCampaign
from steelyard.store import crowd, running, work
from steelyard.store.actions import log_action
from steelyard.store.crowd import CrowdSession
from steelyard.store.worker_hits import hits_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

# Of the reward, in per cent: what the one platform that pays in part allows.
LEAST_PART, MOST_PART = 8, 99
# By these a platform refuses one session, and not whoever asks.
REFUSALS = (400, 404, 409, 422)


@dataclass(frozen=True, slots=True)
class Decided:
    """Whose sessions were decided on, in the order asked for. `rewards`: what is paid for them, in cents."""

    state: SessionState
    workers: tuple[str, ...]
    rewards: int = 0


def approve(
    campaign: OpenCampaign, client: CrowdClient, worker_ids: Sequence[str], *, by: By, now: datetime
) -> Decided:
    """Pay for finished work that waits for a decision: of these workers, or with none named, of everybody.

    Somebody who handed in without having finished a set is only paid if named.
    """
    with campaign.store.read() as connection:
        waiting = _to_approve(connection, worker_ids)
        rewards = _rewards(connection, waiting)
    approve_sessions(campaign, client, waiting, by=by, now=now)
    people = tuple(each.worker_id or each.session_id for each in waiting)
    return Decided(SessionState.APPROVED, people, rewards)


def to_approve(campaign: OpenCampaign, worker_ids: Sequence[str]) -> Decided:
    """Whom `approve` would pay now, and what, without asking the platform."""
    with campaign.store.read() as connection:
        waiting = _to_approve(connection, worker_ids)
        people = tuple(each.worker_id or each.session_id for each in waiting)
        return Decided(SessionState.SUBMITTED, people, _rewards(connection, waiting))


def _to_approve(connection: Connection, worker_ids: Sequence[str]) -> list[CrowdSession]:
    waiting = [each for each in crowd.sessions(connection) if each.state is SessionState.SUBMITTED]
    if worker_ids:
        return [_waiting_of(connection, waiting, worker_id) for worker_id in dict.fromkeys(worker_ids)]
    return [each for each in waiting if each.assignment_id is not None]


def _rewards(connection: Connection, sessions: Sequence[CrowdSession]) -> int:
    rewards = {each.tag: each.reward for each in crowd.listings(connection)}
    return sum(rewards[each.tag] for each in sessions)


def approve_sessions(
    campaign: OpenCampaign,
    client: CrowdClient,
    sessions: Sequence[CrowdSession],
    *,
    by: By,
    now: datetime,
    reason: str = "",
) -> None:
    """Approve these sessions there and then here, one by one: one that is refused holds up no other.

    What was refused is raised once all have had their turn; a platform that cannot be asked is left alone.
    """
    with campaign.store.read() as connection:
        listings = {each.tag: each for each in crowd.listings(connection)}
    refused: PlatformError | None = None
    for each in sessions:
        listing = listings[each.tag]
        try:
            client.approve(listing.listing_id or "", [each.session_id])
        except PlatformError as error:
            if error.status not in REFUSALS:
                raise
            refused = refused or error
            continue
        with noted(campaign, client) as connection:
            crowd.set_session(connection, each.session_id, SessionState.APPROVED, reward=listing.reward)
            mirror_decision(connection, each.session_id, now=now)
            log_action(connection, "approve", by=by, now=now, worker_id=each.worker_id, reason=reason)
    if refused is not None:
        raise refused


@dataclass(frozen=True, slots=True)
class Refusal:
    """That a session is to be rejected: what its worker reads, and under which of the platform's categories.

    `is_confirmed`: a person has looked at the evidence and means it.
    """

    worker_id: str
    category: str
    message: str = ""
    is_confirmed: bool = False


def reject(
    campaign: OpenCampaign,
    client: CrowdClient,
    refusal: Refusal,
    finding: Mapping[str, Any],
    *,
    by: By,
    now: datetime,
) -> Decided:
    """Refuse to pay for a session, and leave its HIT out of the scores; its place goes to somebody else.

    `finding`: what the check found about this worker, empty if nothing. Conflict without the evidence, and
    unless a manager confirms it.
    """
    with campaign.store.read() as connection:
        platform = platform_of(running.rules(connection))
        waiting = [each for each in crowd.sessions(connection) if each.state is SessionState.SUBMITTED]
        session = _waiting_of(connection, waiting, refusal.worker_id)
        n_judged = _n_judged_for(connection, session)
    evidence = evidence_against(finding, n_judged=n_judged)
    message = refusal.message.strip() or evidence
    _require_message(message, platform.least_message)
    if platform.rejection_categories and not refusal.category:
        known = ", ".join(platform.rejection_categories)
        raise ChoiceError(f"Say under which category (--category NAME), one of: {known}.")
    if platform.rejection_categories and refusal.category not in platform.rejection_categories:
        raise ChoiceError(no_such("category", refusal.category, platform.rejection_categories))
    if not refusal.is_confirmed:
        told = "They would read this." if message == evidence else f"They would read: {message}"
        raise Conflict(
            f"{refusal.worker_id} would not be paid. The evidence: {evidence} {told} "
            "Look at their ratings, and confirm it if you mean it.",
            code="unconfirmed",
        )
    client.reject(session.session_id, Rejection(message, refusal.category))
    with noted(campaign, client) as connection:
        crowd.set_session(connection, session.session_id, SessionState.REJECTED)
        mirror_decision(connection, session.session_id, now=now)
        log_action(connection, "reject", by=by, now=now, worker_id=session.worker_id, reason=message)
        done = None if session.assignment_id is None else work.assignment(connection, session.assignment_id)
    if done is not None and not client.is_dry:
        exclude(campaign, Decision(done.worker_id, by, message, done.hit_id), now=now)
    return Decided(SessionState.REJECTED, (refusal.worker_id,))


def _n_judged_for(connection: Connection, session: CrowdSession) -> int:
    """How much was judged for a session: by its worker, and not in sets that other sessions have brought."""
    if session.worker_id is None:
        return 0
    others = {
        each.assignment_id
        for each in crowd.sessions(connection)
        if each.session_id != session.session_id and each.assignment_id is not None
    }
    hits = hits_of(connection, session.worker_id)
    return sum(each.n_done for each in hits if each.assignment_id not in others)


def evidence_against(finding: Mapping[str, Any], *, n_judged: int) -> str:
    """Why somebody need not be paid, in a sentence that they may read; Conflict if nothing says so."""
    if not n_judged:
        return (
            "You handed in the task, but none of its items was judged under your ID, so there is no work "
            "that we could pay for. If you think that this is a mistake, please write to us."
        )
    if finding.get("suggestion") == "refuse":
        return (
            f"{finding.get('reason') or 'The ratings do not differ from random ones.'} Several signs "
            "together show that the texts were not read. If you think this is a mistake, please write to us."
        )
    raise Conflict(
        "There is no evidence for refusing to pay. A failed check alone is none: careful people fail it too. "
        "Refusing takes a failed check and two signs that nobody read the texts, or that nothing was judged.",
        code="no_evidence",
    )


def request_return(
    campaign: OpenCampaign, client: CrowdClient, worker_id: str, reason: str, *, by: By, now: datetime
) -> Decided:
    """Ask somebody to give their place back, without a mark against them."""
    if not reason.strip():
        raise ChoiceError("Say why, in words for the person to read (--message TEXT).")
    with campaign.store.read() as connection:
        session = _waiting_of(connection, crowd.sessions(connection), worker_id)
    client.request_return(session.session_id, [reason.strip()])
    with noted(campaign, client) as connection:
        crowd.mark_return_requested(connection, session.session_id)
        about = session.worker_id
        log_action(connection, "request-return", by=by, now=now, worker_id=about, reason=reason.strip())
    return Decided(session.state, (worker_id,))


def pay_partly(
    campaign: OpenCampaign, client: CrowdClient, worker_id: str, percent: int, *, by: By, now: datetime
) -> Decided:
    """Pay part of the reward for work that is not whole. The rest of what is owed can be a bonus."""
    if not LEAST_PART <= percent <= MOST_PART:
        raise ChoiceError(f"A part is from {LEAST_PART} to {MOST_PART} per cent of the reward.")
    with campaign.store.read() as connection:
        session = _waiting_of(connection, crowd.sessions(connection), worker_id)
        whole = next(each.reward for each in crowd.listings(connection) if each.tag == session.tag)
    client.pay_partly(session.session_id, percent, "This part of the task was done. Thank you for it.")
    with noted(campaign, client) as connection:
        # At most a cent too much, until the platform says what it paid.
        part = -(-whole * percent // 100)
        crowd.set_session(connection, session.session_id, SessionState.PARTLY_APPROVED, reward=part)
        mirror_decision(connection, session.session_id, now=now)
        detail = {"percent": percent}
        log_action(connection, "pay-partly", by=by, now=now, worker_id=session.worker_id, detail=detail)
    return Decided(SessionState.PARTLY_APPROVED, (worker_id,))


def _waiting_of(connection: Connection, sessions: Sequence[CrowdSession], worker_id: str) -> CrowdSession:
    """The session of a worker that waits for a decision, or is under way.

    Those who never came here are no workers: they are named by the platform's id of their session.
    """
    open_states = (SessionState.SUBMITTED, SessionState.ACTIVE, SessionState.RESERVED)
    named = [each for each in sessions if worker_id in (each.worker_id, each.session_id)]
    own = [each for each in named if each.state in open_states]
    if own:
        return min(own, key=lambda each: open_states.index(each.state))
    if not named and not work.has_worker(connection, worker_id):
        raise NotFound(f"There is no worker and no session {worker_id!r}: see `steelyard participants DB`.")
    raise Conflict(
        f"Nothing of {worker_id} waits for a decision: see `steelyard status`, after `steelyard sync`."
    )


def _require_message(message: str, least: int) -> None:
    if len(message) < least:
        raise ChoiceError(
            f"The platform wants a reason of at least {least} letters, for the person to read; this one has "
            f"{len(message)}."
        )
