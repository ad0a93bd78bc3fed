"""What a requester does with submitted work: lists, approvals, rejections, bonuses, messages, the account."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from steelyard.domain.wording import in_units
from steelyard.emulators.mturk_hits import shown_hit
from steelyard.emulators.mturk_market import (
    SHOWN_STATES,
    TurkAssignment,
    TurkBonus,
    TurkMarket,
    TurkState,
)
from steelyard.emulators.mturk_parameters import (
    TurkError,
    invalid,
    money_parameter,
    page_of,
    text_parameter,
)
from steelyard.emulators.mturk_question import answers_document

# How long after it was submitted a rejected assignment can still be approved.
SECOND_THOUGHTS = timedelta(days=30)
_MOST_TOLD = 100


def list_assignments(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    """Submitted, approved and rejected ones: who has only accepted is not shown."""
    hit = market.hit(request.get("HITId"))
    wanted = request.get("AssignmentStatuses") or list(SHOWN_STATES)
    rows = [each for each in hit.assignments if each.state in SHOWN_STATES and each.state in wanted]
    rows.sort(key=lambda each: each.submitted_at or each.accepted_at)
    return page_of(request, "Assignments", rows, shown_assignment)


def get_assignment(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    assignment = market.assignment(request.get("AssignmentId"))
    _need_state(assignment, *SHOWN_STATES)
    hit = market.hits[assignment.hit_id]
    return {"Assignment": shown_assignment(assignment), "HIT": shown_hit(market, hit)}


def approve_assignment(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    assignment = market.assignment(request.get("AssignmentId"))
    overrides = bool(request.get("OverrideRejection"))
    feedback = text_parameter(request, "RequesterFeedback", most=1024, default="")
    if overrides and assignment.state == TurkState.REJECTED:
        _check_second_thoughts(market, assignment)
        market.need(market.price(market.hits[assignment.hit_id]).cost)
    else:
        _need_state(assignment, TurkState.SUBMITTED)
    assignment.feedback = feedback
    market.approve(assignment)
    return {}


def _check_second_thoughts(market: TurkMarket, assignment: TurkAssignment) -> None:
    submitted_at = assignment.submitted_at
    if submitted_at is None or market.now() - submitted_at > SECOND_THOUGHTS:
        raise TurkError("The assignment was submitted more than 30 days ago.", "InvalidAssignmentState")
    if market.hits[assignment.hit_id].is_disposed:
        raise TurkError("The HIT of this assignment has been deleted.", "InvalidAssignmentState")


def reject_assignment(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    assignment = market.assignment(request.get("AssignmentId"))
    feedback = text_parameter(request, "RequesterFeedback", most=1024)
    _need_state(assignment, TurkState.SUBMITTED)
    assignment.state, assignment.feedback = TurkState.REJECTED, feedback
    assignment.decided_at = market.now()
    return {}


def _need_state(assignment: TurkAssignment, *allowed: TurkState) -> None:
    if assignment.state not in allowed:
        raise TurkError(
            f"This operation can be called with a status of: {','.join(allowed)}", "InvalidAssignmentState"
        )


def send_bonus(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    """Pay a bonus. With a token that was used within a day: an error, and nothing is paid."""
    token = request.get("UniqueRequestToken")
    if market.seen_token("SendBonus", token) is not None:
        raise TurkError(f"The request {token} was already processed.", "DuplicateCall")
    assignment = market.assignment(request.get("AssignmentId"))
    if request.get("WorkerId") != assignment.worker_id:
        raise invalid("WorkerId", f"assignment {assignment.assignment_id} is another worker's.")
    _need_state(assignment, *SHOWN_STATES)
    reason = text_parameter(request, "Reason")
    amount = money_parameter(request, "BonusAmount")
    if amount <= 0:
        raise invalid("BonusAmount", "must be more than 0.")
    charge = market.books.charge(amount)
    market.need(charge.cost)
    assignment_id, worker_id = assignment.assignment_id, assignment.worker_id
    market.books.pay_bonus(assignment_id, worker_id, charge)
    paid = TurkBonus(market.now(), assignment_id, assignment.hit_id, worker_id, amount, reason)
    market.bonuses.append(paid)
    market.keep_token("SendBonus", token, assignment_id)
    return {}


def list_bonus_payments(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    hit_id, assignment_id = request.get("HITId"), request.get("AssignmentId")
    if assignment_id is not None:
        market.assignment(assignment_id)
    elif hit_id is not None:
        market.hit(hit_id)
    else:
        raise invalid("HITId", "either HITId or AssignmentId is needed.")
    rows = [
        each
        for each in market.bonuses
        if assignment_id in (None, each.assignment_id) and hit_id in (None, each.hit_id)
    ]
    return page_of(request, "BonusPayments", rows, _shown_bonus)


def get_account_balance(market: TurkMarket, _request: Mapping[str, Any]) -> dict[str, Any]:
    return {"AvailableBalance": in_units(market.available), "OnHoldBalance": in_units(market.held)}


def notify_workers(market: TurkMarket, request: Mapping[str, Any]) -> dict[str, Any]:
    """Keep a message for those whose work was approved or rejected before; the others are failures."""
    subject = text_parameter(request, "Subject", most=200)
    text = text_parameter(request, "MessageText", most=4096)
    workers = request.get("WorkerIds", [])
    if not isinstance(workers, list) or not 1 <= len(workers) <= _MOST_TOLD:
        raise invalid("WorkerIds", f"must be a list of 1 to {_MOST_TOLD}.")
    decided = (TurkState.APPROVED, TurkState.REJECTED)
    known = {each.worker_id for each in market.current.values() if each.state in decided}
    market.messages += [(worker, subject, text) for worker in workers if worker in known]
    failures = [
        {
            "NotifyWorkersFailureCode": "HardFailure",
            "NotifyWorkersFailureMessage": "You have neither approved nor rejected work of this worker.",
            "WorkerId": worker,
        }
        for worker in workers
        if worker not in known
    ]
    return {"NotifyWorkersFailureStatuses": failures}


def _shown_bonus(bonus: TurkBonus) -> dict[str, Any]:
    return {
        "WorkerId": bonus.worker_id,
        "BonusAmount": in_units(bonus.amount),
        "AssignmentId": bonus.assignment_id,
        "Reason": bonus.reason,
        "GrantTime": bonus.paid_at.timestamp(),
    }


def shown_assignment(assignment: TurkAssignment) -> dict[str, Any]:
    """An assignment as the API shows it: what is not known yet is left out."""
    state = assignment.state
    shown = {
        "AssignmentId": assignment.assignment_id,
        "WorkerId": assignment.worker_id,
        "HITId": assignment.hit_id,
        "AssignmentStatus": str(state),
        "AutoApprovalTime": _seconds(assignment.approves_at),
        "AcceptTime": _seconds(assignment.accepted_at),
        "SubmitTime": _seconds(assignment.submitted_at),
        "ApprovalTime": _seconds(assignment.decided_at) if state == TurkState.APPROVED else None,
        "RejectionTime": _seconds(assignment.decided_at) if state == TurkState.REJECTED else None,
        "Deadline": _seconds(assignment.deadline),
        "Answer": answers_document(assignment.fields),
        "RequesterFeedback": assignment.feedback or None,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _seconds(at: datetime | None) -> float | None:
    return None if at is None else at.timestamp()
