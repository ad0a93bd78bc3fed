"""What a platform says about people's sessions, carried over to their assignments here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.domain.crowd import PAID_STATES, Notice, SessionReport, SessionState
from steelyard.domain.work import AssignmentStatus
from steelyard.store import crowd, leases, work
from steelyard.store.actions import exclusions
from steelyard.store.crowd import CrowdSession, StoredListing
from steelyard.store.transfers import UNSETTLED, TransferState, set_transfer, transfers

if TYPE_CHECKING:
    from sqlalchemy import Connection

# A person is never before one of these after having been at a later one, unless the platform itself says so
# when it is asked.
_ORDER = {SessionState.RESERVED: 0, SessionState.ACTIVE: 1, SessionState.SUBMITTED: 2}
_DECIDED = 3
_GONE = {SessionState.RETURNED: AssignmentStatus.RETURNED, SessionState.TIMED_OUT: AssignmentStatus.EXPIRED}


def mirror_report(
    connection: Connection,
    listing: StoredListing,
    report: SessionReport,
    *,
    worker_id: str | None,
    fee: int | None = None,
    now: datetime,
) -> CrowdSession:
    """Write down what the platform says when it is asked, which is how it is, and carry it over."""
    known = crowd.put_session(connection, listing.tag, report, worker_id=worker_id, fee=fee, now=now)
    return _carried_over(connection, known, now=now)


def mirror_notice(connection: Connection, notice: Notice, *, now: datetime) -> CrowdSession | None:
    """Carry over what the platform told by itself; None if it is nothing new.

    Notices come late, twice and out of order: one that is older than what is known, or that does not lead on
    from it, is left alone.
    """
    if notice.session_id is None or notice.state is None:
        return None
    known = crowd.session(connection, notice.session_id)
    # Which of two decisions came last, only the platform itself can say.
    if known is None or _ORDER.get(notice.state, _DECIDED) <= _ORDER.get(known.state, _DECIDED):
        return None
    if notice.sent_at <= known.changed_at:
        return None
    crowd.move_session(connection, notice.session_id, notice.state, changed_at=notice.sent_at)
    moved = crowd.session(connection, notice.session_id)
    return None if moved is None else _carried_over(connection, moved, now=now)


def mirror_decision(connection: Connection, session_id: str, *, now: datetime) -> None:
    """Carry over what has just been decided about a session."""
    known = crowd.session(connection, session_id)
    if known is not None:
        _carried_over(connection, known, now=now)


def settle_transfers(connection: Connection, sessions: Sequence[CrowdSession], *, now: datetime) -> int:
    """Count bonuses as paid that the platform shows; returns how many. Nothing is ever sent again."""
    every = transfers(connection)
    n_settled = 0
    for session in sessions:
        own = [each for each in every if each.session_id == session.session_id]
        shown = Counter(session.bonuses)
        shown.subtract(each.amount for each in own if each.state is TransferState.PAID)
        for each in own:
            if each.state in UNSETTLED and each.order_id is not None and shown[each.amount] > 0:
                shown[each.amount] -= 1
                set_transfer(connection, each.token, state=TransferState.PAID, settled_at=now)
                n_settled += 1
    return n_settled


def _carried_over(connection: Connection, known: CrowdSession, *, now: datetime) -> CrowdSession:
    if known.worker_id is None:
        return known
    if known.state in _GONE:
        _free_place(connection, known, now=now)
    if _ORDER.get(known.state, _DECIDED) >= _ORDER[SessionState.SUBMITTED] and known.state not in _GONE:
        assignment_id = crowd.tie_assignment(connection, known)
        if assignment_id is not None:
            _decide(connection, assignment_id, known.state, now=now)
    return crowd.session(connection, known.session_id) or known


def _free_place(connection: Connection, known: CrowdSession, *, now: datetime) -> None:
    """Give the place of somebody who has left to others, unless they are at work in another session.

    That may be one of another listing, or one that the platform has not told of yet.
    """
    assert known.worker_id is not None, "they came here"
    held = work.open_assignment(connection, known.worker_id)
    if held is None or crowd.latest_session(connection, known.worker_id) not in (None, known.session_id):
        return
    if any(
        each.worker_id == known.worker_id and each.state in (SessionState.RESERVED, SessionState.ACTIVE)
        for each in crowd.sessions(connection)
    ):
        return
    if leases.end_lease(connection, held.assignment_id, _GONE[known.state], now=now):
        reason = f"{known.state} on the platform"
        leases.log_lease(connection, "release", held, by="server", now=now, reason=reason)


def _decide(connection: Connection, assignment_id: str, state: SessionState, *, now: datetime) -> None:
    """Carry a decision over to the assignment; one that is rejected gives its place up until it is paid.

    Of others that are paid, the place stays where it is: a person may have given it away on purpose.
    """
    if state in PAID_STATES:
        before = work.assignment(connection, assignment_id)
        crowd.decide_assignment(connection, assignment_id, AssignmentStatus.APPROVED)
        if before is not None and before.status is AssignmentStatus.REJECTED:
            excluded = exclusions(connection, before.worker_id)
            if not any(each.hit_id in (None, before.hit_id) for each in excluded):
                leases.retake_place(connection, assignment_id)
    elif state is SessionState.REJECTED and crowd.decide_assignment(
        connection, assignment_id, AssignmentStatus.REJECTED
    ):
        leases.release_place(connection, assignment_id, now=now)
