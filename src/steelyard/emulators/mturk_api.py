"""The requester's API of Mechanical Turk: one address, the operation in a header, JSON in and out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from steelyard.emulators import mturk_assignments, mturk_hits, mturk_qualifications
from steelyard.emulators.mturk_market import TurkMarket
from steelyard.emulators.mturk_parameters import TurkError

TARGET = "MTurkRequesterServiceV20170117."
CONTENT_TYPE = "application/x-amz-json-1.1"
OPERATIONS: Mapping[str, Callable[[TurkMarket, Mapping[str, Any]], dict[str, Any]]] = {
    "CreateHITType": mturk_hits.create_hit_type,
    "CreateHIT": mturk_hits.create_hit,
    "CreateHITWithHITType": mturk_hits.create_hit_with_hit_type,
    "CreateAdditionalAssignmentsForHIT": mturk_hits.create_additional_assignments,
    "UpdateExpirationForHIT": mturk_hits.update_expiration,
    "UpdateHITReviewStatus": mturk_hits.update_review_status,
    "GetHIT": mturk_hits.get_hit,
    "ListHITs": mturk_hits.list_hits,
    "ListReviewableHITs": mturk_hits.list_reviewable_hits,
    "DeleteHIT": mturk_hits.delete_hit,
    "ListAssignmentsForHIT": mturk_assignments.list_assignments,
    "GetAssignment": mturk_assignments.get_assignment,
    "ApproveAssignment": mturk_assignments.approve_assignment,
    "RejectAssignment": mturk_assignments.reject_assignment,
    "SendBonus": mturk_assignments.send_bonus,
    "ListBonusPayments": mturk_assignments.list_bonus_payments,
    "GetAccountBalance": mturk_assignments.get_account_balance,
    "NotifyWorkers": mturk_assignments.notify_workers,
    "CreateQualificationType": mturk_qualifications.create_qualification_type,
    "ListQualificationTypes": mturk_qualifications.list_qualification_types,
    "GetQualificationType": mturk_qualifications.get_qualification_type,
    "UpdateQualificationType": mturk_qualifications.update_qualification_type,
    "AssociateQualificationWithWorker": mturk_qualifications.associate_qualification,
    "DisassociateQualificationFromWorker": mturk_qualifications.disassociate_qualification,
    "ListWorkersWithQualificationType": mturk_qualifications.list_workers_with_qualification,
    "CreateWorkerBlock": mturk_qualifications.create_worker_block,
    "DeleteWorkerBlock": mturk_qualifications.delete_worker_block,
    "ListWorkerBlocks": mturk_qualifications.list_worker_blocks,
}
_CREDENTIAL = re.compile(r"AWS4-HMAC-SHA256 .*Credential=([^/,\s]+)/")


def operation_of(headers: Mapping[str, str]) -> str:
    """The operation that a request asks for, or "" for none."""
    return headers.get("x-amz-target", "").removeprefix(TARGET)


def turk_reply(
    market: TurkMarket, access_key: str, headers: Mapping[str, str], body: bytes
) -> tuple[int, dict[str, Any]]:
    """Do what a request asks, and give the status and the answer. Header names are in lower case.

    Who asks is told by the access key in the signature; the signature itself is not checked.
    """
    try:
        signed = _CREDENTIAL.match(headers.get("authorization", ""))
        if signed is None or signed[1] != access_key:
            raise TurkError(
                "The security token included in the request is invalid.", kind="UnrecognizedClientException"
            )
        operation = OPERATIONS.get(operation_of(headers))
        if operation is None:
            raise TurkError(
                f"This emulator does not know {operation_of(headers)!r}.", kind="UnknownOperationException"
            )
        request = _parameters(body)
        market.clock.settle()
        answer = operation(market, request)
    except TurkError as error:
        return error.status, error_answer(error, market)
    return 200, answer


def _parameters(body: bytes) -> dict[str, Any]:
    try:
        request = json.loads(body or b"{}")
    except ValueError as error:
        raise TurkError(f"The body is not JSON: {error}", kind="SerializationException") from error
    if not isinstance(request, dict):
        raise TurkError("The body is not a JSON object.", kind="SerializationException")
    return request


def error_answer(error: TurkError, market: TurkMarket) -> dict[str, Any]:
    """An error as AWS writes it: with the time, in milliseconds, at the end of the message."""
    if not error.code:
        return {"__type": error.kind, "message": error.message}
    message = f"{error.message} ({int(market.now().timestamp() * 1000)} s)"
    return {"__type": error.kind, "Message": message, "TurkErrorCode": error.code}
