"""The emulated Mechanical Turk without HTTP: states over time, and money counted by hand, in cents."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from steelyard.emulators.books import Books
from steelyard.emulators.clock import EmulatorClock
from steelyard.emulators.control import ControlError
from steelyard.emulators.mturk_api import turk_reply
from steelyard.emulators.mturk_market import TurkMarket, TurkState, fee_of
from steelyard.emulators.mturk_people import (
    accept_hit,
    offered_hits,
    preview_address,
    return_hit,
    sign_up,
    submit_fields,
    task_address,
)

SIGNED = "AWS4-HMAC-SHA256 Credential=KEY/20260101/us-east-1/mturk-requester/aws4_request, Signature=0"
PAGE = "https://example.org/join?campaign=a"


class Turk:
    """A market with a clock that stands still until it is moved."""

    def __init__(self, deposit: int = 10_000) -> None:
        clock = EmulatorClock(lambda: datetime(2026, 1, 1, tzinfo=UTC))
        books = Books(
            currency="USD", balance=deposit, fee_on=lambda cents: fee_of(cents, 0.2), vat_on=lambda _: 0
        )
        self.market = TurkMarket(clock, books)

    @property
    def time(self) -> datetime:
        return self.market.now()

    def pass_time(self, **amount: float) -> None:
        self.market.clock.advance(timedelta(**amount).total_seconds())

    def ask(self, operation: str, **request: Any) -> dict[str, Any]:
        headers = {"authorization": SIGNED, "x-amz-target": f"MTurkRequesterServiceV20170117.{operation}"}
        status, answer = turk_reply(self.market, "KEY", headers, json.dumps(request).encode())
        assert (status == 200) == ("__type" not in answer)
        return answer

    def hit(self, places: int = 2, reward: str = "0.50", **more: Any) -> str:
        terms = {
            "Title": "Rate translations",
            "Description": "Twenty sentences.",
            "Reward": reward,
            "AssignmentDurationInSeconds": 3600,
            "LifetimeInSeconds": 86_400,
            "AutoApprovalDelayInSeconds": 259_200,
            "MaxAssignments": places,
            "Question": question(PAGE),
        }
        answer = self.ask("CreateHIT", **{**terms, **more})
        return str(answer.get("HIT", answer).get("HITId", answer))

    def status(self, hit_id: str) -> str:
        return str(self.ask("GetHIT", HITId=hit_id)["HIT"]["HITStatus"])

    @property
    def money(self) -> tuple[int, int]:
        """What is available, and what is held back."""
        return self.market.available, self.market.held


def question(address: str) -> str:
    schema = (
        "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
    )
    url = address.replace("&", "&amp;")
    return (
        f'<ExternalQuestion xmlns="{schema}"><ExternalURL>{url}</ExternalURL>'
        "<FrameHeight>0</FrameHeight></ExternalQuestion>"
    )


@pytest.mark.parametrize(
    ("cents", "share", "fee"),
    # Half a cent goes up, and a cent is the least: 2.4 -> 2, 2.5 -> 3, 0.2 -> 1, 0 -> 1.
    [
        (12, 0.2, 2),
        (50, 0.2, 10),
        (1, 0.2, 1),
        (0, 0.2, 1),
        (13, 0.2, 3),
        (50, 0.4, 20),
        (104, 0.2, 21),
        (3, 0.4, 1),
    ],
)
def test_fees_are_rounded_half_up(cents: int, share: float, fee: int) -> None:
    assert fee_of(cents, share) == fee


def test_a_hit_holds_money_until_its_work_is_reviewed() -> None:
    turk = Turk()
    hit = turk.hit(places=3)  # 3 x (50 + 10)
    assert turk.money == (9820, 180)

    first, second = (accept_hit(turk.market, worker, hit) for worker in sign_up(turk.market, 2))
    for each in (first, second):
        submit_fields(turk.market, each.assignment_id, [("code", "X")])
    turk.ask("ApproveAssignment", AssignmentId=first.assignment_id)
    turk.ask("RejectAssignment", AssignmentId=second.assignment_id, RequesterFeedback="Empty.")
    # One is paid, one is given back, one place is still open.
    assert turk.money == (9880, 60)

    turk.pass_time(days=1)
    assert turk.money == (9940, 0)
    turk.ask("ApproveAssignment", AssignmentId=second.assignment_id, OverrideRejection=True)
    assert turk.money == (9880, 0)


def test_ten_assignments_cost_forty_percent() -> None:
    turk = Turk()
    turk.hit(places=10)

    assert turk.market.held == 10 * (50 + 20)


def test_a_hit_cannot_be_extended_across_ten() -> None:
    turk = Turk()
    nine, ten = turk.hit(places=8), turk.hit(places=10)

    turk.ask("CreateAdditionalAssignmentsForHIT", HITId=nine, NumberOfAdditionalAssignments=1)
    refused = turk.ask("CreateAdditionalAssignmentsForHIT", HITId=nine, NumberOfAdditionalAssignments=1)
    turk.ask("CreateAdditionalAssignmentsForHIT", HITId=ten, NumberOfAdditionalAssignments=5)

    assert refused["TurkErrorCode"] == "AWS.MechanicalTurk.InvalidMaximumAssignmentsIncrease"
    assert turk.market.held == 9 * 60 + 15 * 70


def test_no_more_is_spent_than_there_is() -> None:
    turk = Turk(deposit=130)

    assert turk.hit(places=3).startswith("{'__type': 'RequestError'")
    assert turk.market.hits == {}
    hit = turk.hit(places=2)
    assert turk.money == (10, 120)
    worker = sign_up(turk.market, 1)[0]
    done = submit_fields(turk.market, accept_hit(turk.market, worker, hit).assignment_id, [("a", "b")])
    bonus = {"WorkerId": worker, "AssignmentId": done.assignment_id, "Reason": "Good."}
    assert turk.ask("SendBonus", BonusAmount="0.09", **bonus)["TurkErrorCode"].endswith(".InsufficientFunds")
    assert turk.ask("SendBonus", BonusAmount="0.08", **bonus) == {}  # 8 + 2
    assert turk.money == (0, 120)


def test_status_follows_places_and_time() -> None:
    turk = Turk()
    hit = turk.hit(places=1)
    assert turk.status(hit) == "Assignable"

    worker, other = sign_up(turk.market, 2)
    accept_hit(turk.market, worker, hit)
    assert turk.status(hit) == "Unassignable"
    # An hour is what a worker has; then the place is free again, with the same id.
    turk.pass_time(minutes=61)
    assert turk.status(hit) == "Assignable"

    late = accept_hit(turk.market, other, hit)
    turk.pass_time(minutes=30)
    submit_fields(turk.market, late.assignment_id, [("a", "b")])
    assert turk.status(hit) == "Reviewable"
    assert turk.ask("DeleteHIT", HITId=hit)["TurkErrorCode"].endswith(".InvalidHITState")
    turk.ask("UpdateHITReviewStatus", HITId=hit)
    assert turk.status(hit) == "Reviewing"
    turk.ask("UpdateHITReviewStatus", HITId=hit, Revert=True)

    turk.ask("ApproveAssignment", AssignmentId=late.assignment_id)
    assert turk.ask("DeleteHIT", HITId=hit) == {}
    assert turk.status(hit) == "Disposed"
    assert turk.ask("ListHITs")["HITs"] == []


def test_work_goes_on_after_a_hit_has_expired() -> None:
    turk = Turk()
    hit = turk.hit(places=2, LifetimeInSeconds=600)
    taken = accept_hit(turk.market, sign_up(turk.market, 1)[0], hit)

    turk.pass_time(minutes=20)
    assert turk.status(hit) == "Unassignable"
    # The open place no longer holds money, the taken one does.
    assert turk.market.held == 60
    submit_fields(turk.market, taken.assignment_id, [("a", "b")])
    assert turk.status(hit) == "Reviewable"

    later = (turk.time + timedelta(hours=2)).timestamp()
    turk.ask("UpdateExpirationForHIT", HITId=hit, ExpireAt=later)
    assert turk.status(hit) == "Assignable"
    assert turk.market.held == 120
    sooner = turk.ask("UpdateExpirationForHIT", HITId=hit, ExpireAt=later - 60)
    assert sooner["TurkErrorCode"].endswith(".InvalidParameterValue")
    turk.ask("UpdateExpirationForHIT", HITId=hit, ExpireAt=0)
    assert turk.status(hit) == "Reviewable"


def test_work_is_approved_by_itself_at_its_time() -> None:
    turk = Turk()
    hit = turk.hit(places=1)
    work = accept_hit(turk.market, sign_up(turk.market, 1)[0], hit)
    submit_fields(turk.market, work.assignment_id, [("a", "b")])
    due = turk.time + timedelta(days=3)

    turk.pass_time(days=2.9)
    assert work.state == TurkState.SUBMITTED
    turk.pass_time(days=5)

    assert work.state == TurkState.APPROVED
    shown = turk.ask("GetAssignment", AssignmentId=work.assignment_id)["Assignment"]
    assert shown["ApprovalTime"] == shown["AutoApprovalTime"] == due.timestamp()
    assert turk.market.books.balance == 10_000 - 60
    again = turk.ask("ApproveAssignment", AssignmentId=work.assignment_id)
    assert again["TurkErrorCode"].endswith(".InvalidAssignmentState")


def test_a_rejection_can_be_taken_back_for_thirty_days() -> None:
    turk = Turk()
    hit = turk.hit(places=1)
    work = accept_hit(turk.market, sign_up(turk.market, 1)[0], hit)
    submit_fields(turk.market, work.assignment_id, [("a", "b")])
    turk.ask("RejectAssignment", AssignmentId=work.assignment_id, RequesterFeedback="Empty.")

    assert "__type" in turk.ask("ApproveAssignment", AssignmentId=work.assignment_id)
    turk.pass_time(days=31)
    assert "__type" in turk.ask("ApproveAssignment", AssignmentId=work.assignment_id, OverrideRejection=True)
    assert turk.market.books.balance == 10_000


def test_a_rejected_assignment_keeps_its_place() -> None:
    turk = Turk()
    hit = turk.hit(places=1)
    first, second = sign_up(turk.market, 2)
    work = submit_fields(turk.market, accept_hit(turk.market, first, hit).assignment_id, [("a", "b")])
    turk.ask("RejectAssignment", AssignmentId=work.assignment_id, RequesterFeedback="Empty.")

    with pytest.raises(ControlError, match="no more"):
        accept_hit(turk.market, second, hit)


def test_an_id_goes_on_to_the_next_worker_after_a_return() -> None:
    turk = Turk()
    hit = turk.hit(places=1)
    first, second = sign_up(turk.market, 2)
    left = return_hit(turk.market, accept_hit(turk.market, first, hit).assignment_id)

    taken = accept_hit(turk.market, second, hit)

    assert taken.assignment_id == left.assignment_id
    assert taken.worker_id != left.worker_id
    with pytest.raises(ControlError, match="no longer"):
        submit_fields(turk.market, taken.assignment_id, [("a", "b")], first)
    submit_fields(turk.market, taken.assignment_id, [("a", "b")], second)
    (shown,) = turk.ask("ListAssignmentsForHIT", HITId=hit)["Assignments"]
    assert shown["WorkerId"] == second


def test_a_form_needs_a_field_of_its_own_and_is_taken_once() -> None:
    turk = Turk()
    work = accept_hit(turk.market, sign_up(turk.market, 1)[0], turk.hit()).assignment_id

    with pytest.raises(ControlError, match="no field"):
        submit_fields(turk.market, work, [("assignmentId", work), ("workerId", ""), ("hitId", "x")])
    submit_fields(turk.market, work, [("assignmentId", work), ("comment", "<fine>")])
    with pytest.raises(ControlError, match="submitted already"):
        submit_fields(turk.market, work, [("comment", "again")])
    with pytest.raises(ControlError, match="must be accepted"):
        submit_fields(turk.market, "ASSIGNMENT_ID_NOT_AVAILABLE", [("comment", "x")])

    answer = turk.ask("GetAssignment", AssignmentId=work)["Assignment"]["Answer"]
    assert "<QuestionIdentifier>comment</QuestionIdentifier><FreeText>&lt;fine&gt;</FreeText>" in answer
    assert "assignmentId" not in answer


def test_addresses_carry_who_comes() -> None:
    turk = Turk()
    hit = turk.hit()
    worker = sign_up(turk.market, 1)[0]
    work = accept_hit(turk.market, worker, hit)

    assert task_address(turk.market, work, "http://127.0.0.1:1") == (
        f"{PAGE}&assignmentId={work.assignment_id}&hitId={hit}"
        f"&turkSubmitTo=http%3A%2F%2F127.0.0.1%3A1&workerId={worker}"
    )
    assert preview_address(turk.market, hit) == f"{PAGE}&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId={hit}"


@pytest.mark.parametrize(
    "bad",
    [
        {"Question": question("http://example.org/")},
        {"Question": "<ExternalQuestion/>"},
        {"Question": "<ExternalQuestion"},
        {"Question": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"},
        {"LifetimeInSeconds": 29},
        {"Title": "x" * 129},
        {"Reward": "0.255"},
        {"Reward": "-1"},
        {"MaxAssignments": 0},
        {"AutoApprovalDelayInSeconds": 2_592_001},
        {"QualificationRequirements": [{"QualificationTypeId": "3NONE", "Comparator": "Exists"}]},
        {"QualificationRequirements": [{"QualificationTypeId": "00000000000000000040", "Comparator": "In"}]},
    ],
)
def test_a_hit_that_makes_no_sense_is_refused(bad: dict[str, Any]) -> None:
    turk = Turk()

    assert "RequestError" in turk.hit(**bad)
    assert turk.market.hits == {}


def test_a_type_offers_its_hits_one_after_the_other() -> None:
    turk = Turk()
    hits = [turk.hit(places=1), turk.hit(places=1)]
    kind = turk.market.hits[hits[0]].hit_type.hit_type_id
    (worker, other) = sign_up(turk.market, 2)

    assert [hit.hit_id for hit in offered_hits(turk.market, worker)] == hits
    assert accept_hit(turk.market, worker, kind).hit_id == hits[0]
    assert accept_hit(turk.market, worker, kind).hit_id == hits[1]
    with pytest.raises(ControlError, match="no more"):
        accept_hit(turk.market, other, kind)
    with pytest.raises(ControlError):
        accept_hit(turk.market, other, "3NOTHING")


def test_requirements_say_who_may_see_and_accept() -> None:
    turk = Turk()
    made = turk.ask(
        "CreateQualificationType", Name="Took part", Description=".", QualificationTypeStatus="Active"
    )
    kind = made["QualificationType"]["QualificationTypeId"]
    new, former = sign_up(turk.market, 2)
    turk.ask("AssociateQualificationWithWorker", QualificationTypeId=kind, WorkerId=former, IntegerValue=7)

    def open_to(comparator: str, **more: Any) -> list[str]:
        requirement = {"QualificationTypeId": kind, "Comparator": comparator, **more}
        hit = turk.hit(places=2, reward="0.01", QualificationRequirements=[requirement])
        seen = []
        for worker in (new, former):
            visible = hit in [each.hit_id for each in offered_hits(turk.market, worker)]
            try:
                accept_hit(turk.market, worker, hit)
                seen.append("takes")
            except ControlError:
                seen.append("sees" if visible else "nothing")
        return seen

    assert open_to("DoesNotExist") == ["takes", "sees"]
    assert open_to("DoesNotExist", ActionsGuarded="DiscoverPreviewAndAccept") == ["takes", "nothing"]
    assert open_to("Exists") == ["sees", "takes"]
    assert open_to("EqualTo", IntegerValues=[7]) == ["sees", "takes"]
    assert open_to("GreaterThan", IntegerValues=[7]) == ["sees", "sees"]
    assert open_to("NotIn", IntegerValues=[1, 7]) == ["sees", "sees"]
    turk.ask("DisassociateQualificationFromWorker", QualificationTypeId=kind, WorkerId=former)
    assert open_to("DoesNotExist") == ["takes", "takes"]


def test_who_is_blocked_accepts_nothing() -> None:
    turk = Turk()
    hit, worker = turk.hit(), sign_up(turk.market, 1)[0]
    turk.ask("CreateWorkerBlock", WorkerId=worker, Reason="Automated answers.")
    with pytest.raises(ControlError, match="blocked"):
        accept_hit(turk.market, worker, hit)

    turk.ask("DeleteWorkerBlock", WorkerId=worker)
    assert accept_hit(turk.market, worker, hit)


def test_a_request_token_is_good_for_a_day() -> None:
    turk = Turk()
    first = turk.hit(UniqueRequestToken="t")
    again = turk.ask("GetHIT", HITId=first) and turk.hit(UniqueRequestToken="t")
    assert "HitAlreadyExists" in again
    assert first in again
    more = {"HITId": first, "NumberOfAdditionalAssignments": 1, "UniqueRequestToken": "t"}
    assert turk.ask("CreateAdditionalAssignmentsForHIT", **more) == {}
    assert "__type" in turk.ask("CreateAdditionalAssignmentsForHIT", **more)
    assert turk.market.hits[first].places == 3

    turk.pass_time(hours=24)
    assert turk.hit(UniqueRequestToken="t") not in (first, again)
    assert len(turk.market.hits) == 2
