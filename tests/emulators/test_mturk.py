"""The emulated Mechanical Turk over HTTP: boto3 as requesters use it, and forms as browsers send them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import httpx2
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError

from steelyard.emulators import emulators
from steelyard.emulators.clock import EmulatorClock
from steelyard.emulators.mturk_api import OPERATIONS
from steelyard.emulators.offer import EmulatorSettings
from steelyard.emulators.serving import serving

KEY = "AKIDREHEARSAL"
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
BALANCE = 100_000
SCHEMA = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
QUESTION = (
    f'<ExternalQuestion xmlns="{SCHEMA}"><ExternalURL>http://127.0.0.1:9/join?a=1&amp;b=2</ExternalURL>'
    "<FrameHeight>600</FrameHeight></ExternalQuestion>"
)
TERMS = {
    "Title": "Rate <translations>",
    "Description": "Twenty sentences.",
    "Reward": "0.50",
    "AssignmentDurationInSeconds": 3600,
    "LifetimeInSeconds": 86_400,
    "AutoApprovalDelayInSeconds": 3 * 86_400,
    "Question": QUESTION,
}


@dataclass(frozen=True)
class Turk:
    """An emulator with its two sides: the requester's client, and whoever else calls it."""

    url: str
    client: Any
    http: httpx2.Client

    def post(self, path: str, status: int = 200, **body: Any) -> Any:
        reply = self.http.post(f"{self.url}/emulator/{path}", json=body)
        assert reply.status_code == status, reply.text
        return reply.json()

    def get(self, path: str) -> Any:
        return self.http.get(f"{self.url}/emulator/{path}").json()

    def hit(self, **more: Any) -> str:
        return str(self.client.create_hit(**{**TERMS, **more})["HIT"]["HITId"])

    def people(self, n: int) -> list[str]:
        return list(self.post("people", 201, n=n)["people"])

    def take(self, listing: str, person: str | None = None) -> Any:
        return self.post("take", 201, person=person or self.people(1)[0], listing=listing)

    def submit(self, **fields: str) -> httpx2.Response:
        return self.http.post(f"{self.url}/mturk/externalSubmit", data=fields)

    def done(self, hit: str) -> tuple[str, str]:
        """A new worker's submitted assignment: its id, and the worker's."""
        worker = self.people(1)[0]
        session = self.take(hit, worker)["session"]
        assert self.submit(assignmentId=session, ready="yes").status_code == 200
        return session, worker

    def totals(self) -> tuple[int, ...]:
        total = self.get("books")["total"]
        return tuple(total[name] for name in ("rewards", "bonuses", "fees", "cost"))


def client_of(url: str, key: str = KEY) -> Any:
    return boto3.client(
        "mturk",
        region_name="us-east-1",
        endpoint_url=url,
        aws_access_key_id=key,
        aws_secret_access_key="secret",
        config=Config(retries={"total_max_attempts": 1}, proxies={}),
    )


@pytest.fixture(scope="module")
def turk() -> Iterator[Turk]:
    settings = EmulatorSettings(token=KEY, balance=BALANCE, clock=EmulatorClock(lambda: START))
    with (
        serving(emulators()["mturk"].create_app(settings)) as url,
        httpx2.Client(trust_env=False) as http,
    ):
        yield Turk(url, client_of(url), http)


def code_of(error: pytest.ExceptionInfo[ClientError]) -> str:
    return str(error.value.response["TurkErrorCode"]).removeprefix("AWS.MechanicalTurk.")


def test_boto3_knows_every_operation(turk: Turk) -> None:
    assert set(OPERATIONS) <= set(turk.client.meta.service_model.operation_names)
    with pytest.raises(ClientError, match="UnknownOperationException"):
        turk.client.list_qualification_requests()


def test_a_hit_from_creation_to_payment(turk: Turk) -> None:
    hit = turk.client.create_hit(**TERMS, MaxAssignments=2, RequesterAnnotation="tag-1")["HIT"]
    assert hit["CreationTime"] <= hit["Expiration"]
    assert (hit["Expiration"] - hit["CreationTime"]).total_seconds() == 86_400
    assert hit["Question"] == QUESTION

    (worker,) = turk.people(1)
    assert re.fullmatch("A[A-Z0-9]{13}", worker)
    listings = [each["listing"] for each in turk.get(f"listings?person={worker}")]
    assert hit["HITTypeId"] in listings
    taken = turk.take(hit["HITTypeId"], worker)
    parts = urlsplit(taken["url"])
    assert (parts.netloc, parts.path) == ("127.0.0.1:9", "/join")
    assert parse_qs(parts.query) == {
        "a": ["1"],
        "b": ["2"],
        "assignmentId": [taken["session"]],
        "hitId": [hit["HITId"]],
        "turkSubmitTo": [turk.url],
        "workerId": [worker],
    }
    # Who has only accepted is in a number, and in no list.
    assert turk.client.list_assignments_for_hit(HITId=hit["HITId"])["NumResults"] == 0
    assert turk.client.get_hit(HITId=hit["HITId"])["HIT"]["NumberOfAssignmentsPending"] == 1
    with pytest.raises(ClientError, match="Submitted,Approved,Rejected"):
        turk.client.get_assignment(AssignmentId=taken["session"])

    assert turk.post("open", session=taken["session"]) == {"state": "Accepted"}
    assert "submitted" in turk.submit(assignmentId=taken["session"], receipt="r & <s>").text
    (listed,) = turk.client.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert (listed["WorkerId"], listed["AssignmentStatus"]) == (worker, "Submitted")
    assert "<FreeText>r &amp; &lt;s&gt;</FreeText>" in listed["Answer"]
    turk.client.approve_assignment(AssignmentId=taken["session"], RequesterFeedback="Thank you.")
    (listed,) = turk.client.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert (listed["AssignmentStatus"], listed["RequesterFeedback"]) == ("Approved", "Thank you.")
    assert listed["ApprovalTime"] >= listed["SubmitTime"] >= listed["AcceptTime"]
    assert turk.get(f"session/{taken['session']}")["state"] == "Approved"


def test_books_agree_with_sums_by_hand(turk: Turk) -> None:
    before, held_before = turk.totals(), turk.client.get_account_balance()
    small, large = turk.hit(Reward="0.13"), turk.hit(Reward="0.25", MaxAssignments=10)
    balance = turk.client.get_account_balance()
    # 13 + 3 (2.6 goes up), and ten times 25 + 10 (40 %).
    assert cents(balance["OnHoldBalance"]) - cents(held_before["OnHoldBalance"]) == 16 + 10 * 35
    one, first = turk.done(small)
    two, second = turk.done(large)
    three, _ = turk.done(large)
    for each in (one, two):
        turk.client.approve_assignment(AssignmentId=each)
    turk.client.reject_assignment(AssignmentId=three, RequesterFeedback="Nothing was judged.")
    # Fees: 0.4 is a cent, the least; 22.6 goes up to 23; bonuses know no 40 %.
    for assignment, worker, amount in ((one, first, "0.02"), (two, second, "1.13")):
        turk.client.send_bonus(
            AssignmentId=assignment, WorkerId=worker, BonusAmount=amount, Reason="More work."
        )

    spent = [now - then for now, then in zip(turk.totals(), before, strict=True)]
    rewards, bonuses, fees = 13 + 25, 2 + 113, 3 + 10 + 1 + 23
    assert spent == [rewards, bonuses, fees, rewards + bonuses + fees]
    books = turk.get("books")
    lines = {each["session"]: each for each in books["sessions"]}
    assert (lines[one]["reward"], lines[one]["fee"], lines[one]["bonuses"]) == (13, 3, [2])
    assert (lines[two]["reward"], lines[two]["fee"], lines[two]["bonus_fees"]) == (25, 10, 23)
    assert (lines[three]["state"], lines[three]["reward"]) == ("Rejected", 0)
    assert books["balance"] == BALANCE - books["total"]["cost"]
    balance = turk.client.get_account_balance()
    # Of the large HIT, eight places are open.
    assert cents(balance["OnHoldBalance"]) - cents(held_before["OnHoldBalance"]) == 8 * 35
    assert cents(balance["AvailableBalance"]) + cents(balance["OnHoldBalance"]) == books["balance"]


def cents(amount: str) -> int:
    whole, part = amount.split(".")
    return int(whole) * 100 + int(part)


def bonuses_of(turk: Turk, assignment: str) -> list[str]:
    found = turk.client.list_bonus_payments(AssignmentId=assignment)["BonusPayments"]
    return [each["BonusAmount"] for each in found]


def test_a_bonus_is_paid_once_by_its_token_and_twice_without(turk: Turk) -> None:
    hit = turk.hit()
    assignment, worker = turk.done(hit)
    bonus = {"AssignmentId": assignment, "WorkerId": worker, "BonusAmount": "0.30", "Reason": "More work."}

    turk.client.send_bonus(**bonus, UniqueRequestToken="t-1")
    with pytest.raises(turk.client.exceptions.RequestError) as error:
        turk.client.send_bonus(**bonus, UniqueRequestToken="t-1")
    assert code_of(error) == "DuplicateCall"
    assert bonuses_of(turk, assignment) == ["0.30"]

    turk.client.send_bonus(**{**bonus, "BonusAmount": "0.05"})
    turk.client.send_bonus(**{**bonus, "BonusAmount": "0.05"})
    assert bonuses_of(turk, assignment) == ["0.30", "0.05", "0.05"]
    assert turk.client.list_bonus_payments(HITId=hit)["NumResults"] == 3
    with pytest.raises(ClientError, match="another worker"):
        turk.client.send_bonus(**{**bonus, "WorkerId": turk.people(1)[0]})


def test_a_lost_reply_to_a_bonus_has_paid_it(turk: Turk) -> None:
    assignment, worker = turk.done(turk.hit())
    bonus = {"AssignmentId": assignment, "WorkerId": worker, "BonusAmount": "0.30", "Reason": "More work."}
    before = turk.totals()
    turk.post("faults", next=[{"fault": "lose", "path": "SendBonus"}])

    with pytest.raises(ConnectionClosedError):
        turk.client.send_bonus(**bonus, UniqueRequestToken="t-2")

    assert bonuses_of(turk, assignment) == ["0.30"]
    with pytest.raises(ClientError, match="already processed"):
        turk.client.send_bonus(**bonus, UniqueRequestToken="t-2")
    assert [now - then for now, then in zip(turk.totals(), before, strict=True)] == [0, 30, 6, 36]


def test_a_lost_reply_to_a_hit_has_created_it(turk: Turk) -> None:
    turk.post("faults", next=[{"fault": "lose", "path": "CreateHIT"}])

    with pytest.raises(ConnectionClosedError):
        turk.hit(UniqueRequestToken="t-3", RequesterAnnotation="tag-3")

    with pytest.raises(ClientError) as error:
        turk.hit(UniqueRequestToken="t-3", RequesterAnnotation="tag-3")
    pages = turk.client.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 100})
    found = [hit["HITId"] for page in pages for hit in page["HITs"] if hit["RequesterAnnotation"] == "tag-3"]
    assert code_of(error) == "HitAlreadyExists"
    assert len(found) == 1
    assert found[0] in str(error.value)


def test_busy_in_trouble_and_a_wrong_key(turk: Turk) -> None:
    turk.post("faults", next=[{"fault": "throttle", "path": "GetAccountBalance"}])
    with pytest.raises(ClientError, match="ThrottlingException"):
        turk.client.get_account_balance()
    turk.post("faults", next=[{"fault": "trouble"}])
    with pytest.raises(turk.client.exceptions.ServiceFault):
        turk.client.get_account_balance()
    with pytest.raises(ClientError, match="UnrecognizedClientException"):
        client_of(turk.url, "AKIDSOMEBODY").get_account_balance()
    unsigned = turk.http.post(turk.url, headers={"X-Amz-Target": "MTurkRequesterServiceV20170117.ListHITs"})
    assert (unsigned.status_code, unsigned.json()["__type"]) == (400, "UnrecognizedClientException")


def test_long_lists_come_in_pages(turk: Turk) -> None:
    made = [turk.hit(Reward="0.01") for _ in range(12)]

    first = turk.client.list_hits()
    assert first["NumResults"] == len(first["HITs"]) == 10
    pages = list(turk.client.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 7}))
    found = [hit["HITId"] for page in pages for hit in page["HITs"]]
    assert set(made) <= set(found)
    assert len(found) == len(set(found))
    assert {len(page["HITs"]) for page in pages[:-1]} == {7}
    with pytest.raises(ClientError, match="between 1 and 100"):
        turk.client.list_hits(MaxResults=101)
    with pytest.raises(ClientError, match="given out"):
        turk.client.list_hits(NextToken="elsewhere")


def test_the_clock_lets_hits_expire_and_pays(turk: Turk) -> None:
    hit = turk.hit(MaxAssignments=3)
    assignment, _ = turk.done(hit)
    late = turk.take(hit)["session"]
    turk.post("clock", advance_seconds=2 * 3600)
    assert turk.get(f"session/{late}")["state"] == "Abandoned"
    again = turk.take(hit)
    assert again["session"] == late

    turk.client.update_expiration_for_hit(HITId=hit, ExpireAt=datetime(2015, 1, 1, tzinfo=UTC))
    assert turk.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Unassignable"
    turk.post("take", 409, person=turk.people(1)[0], listing=hit)
    assert turk.post("leave", session=again["session"]) == {"state": "Returned"}
    reviewable = turk.client.list_reviewable_hits(MaxResults=100)["HITs"]
    assert hit in [each["HITId"] for each in reviewable]

    turk.post("clock", advance_seconds=3 * 86_400)
    shown = turk.client.get_assignment(AssignmentId=assignment)
    assert shown["Assignment"]["AssignmentStatus"] == "Approved"
    assert shown["Assignment"]["ApprovalTime"] == shown["Assignment"]["AutoApprovalTime"]
    # Everybody who had this place is in the books, once.
    states = [each["state"] for each in turk.get("books")["sessions"] if each["session"].startswith(late)]
    assert sorted(states) == ["Abandoned", "Returned"]
    turk.client.delete_hit(HITId=hit)
    assert turk.client.get_hit(HITId=hit)["HIT"]["HITStatus"] == "Disposed"


def test_an_assignment_that_was_given_on_is_in_the_books_once(turk: Turk) -> None:
    hit = turk.hit()
    before = turk.totals()
    left = turk.take(hit)["session"]
    turk.post("leave", session=left)

    assignment, worker = turk.done(hit)
    turk.client.approve_assignment(AssignmentId=assignment)

    assert assignment == left
    assert [now - then for now, then in zip(turk.totals(), before, strict=True)] == [50, 0, 10, 60]
    lines = [each for each in turk.get("books")["sessions"] if each["session"].startswith(left)]
    assert [(each["state"], each["reward"]) for each in lines] == [("Returned", 0), ("Approved", 50)]
    assert [each["person"] for each in lines if each["session"] == left] == [worker]


def test_who_took_part_is_kept_out(turk: Turk) -> None:
    kind = turk.client.create_qualification_type(
        Name="Took part", Description="In a campaign.", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    former, new = turk.people(2)
    turk.client.associate_qualification_with_worker(
        QualificationTypeId=kind, WorkerId=former, IntegerValue=1, SendNotification=False
    )
    requirement = {
        "QualificationTypeId": kind,
        "Comparator": "DoesNotExist",
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    }
    hit = turk.hit(QualificationRequirements=[requirement])

    assert hit not in str(turk.get(f"listings?person={former}"))
    refused = turk.post("take", 409, person=former, listing=hit)
    assert "qualification" in refused["error"]
    assert turk.take(hit, new)

    listed = turk.client.list_qualification_types(
        Query="took", MustBeRequestable=False, MustBeOwnedByCaller=True
    )
    assert [each["QualificationTypeId"] for each in listed["QualificationTypes"]] == [kind]
    has = turk.client.list_workers_with_qualification_type(QualificationTypeId=kind, Status="Granted")
    assert [each["WorkerId"] for each in has["Qualifications"]] == [former]
    turk.client.update_qualification_type(QualificationTypeId=kind, Description="In ours.")
    shown = turk.client.get_qualification_type(QualificationTypeId=kind)["QualificationType"]
    assert (shown["Description"], shown["QualificationTypeStatus"]) == ("In ours.", "Active")
    with pytest.raises(ClientError) as error:
        turk.client.create_qualification_type(
            Name="Took part", Description="Again.", QualificationTypeStatus="Active"
        )
    assert code_of(error) == "QualificationTypeAlreadyExists"
    turk.client.disassociate_qualification_from_worker(QualificationTypeId=kind, WorkerId=former)
    assert turk.client.list_workers_with_qualification_type(QualificationTypeId=kind)["NumResults"] == 0


def test_blocks_and_messages(turk: Turk) -> None:
    assignment, worker = turk.done(turk.hit())
    turk.client.approve_assignment(AssignmentId=assignment)
    (stranger,) = turk.people(1)
    told = turk.client.notify_workers(Subject="More work", MessageText="Come.", WorkerIds=[worker, stranger])
    failures = [each["WorkerId"] for each in told["NotifyWorkersFailureStatuses"]]
    assert failures == [stranger]

    turk.client.create_worker_block(WorkerId=stranger, Reason="Automated answers.")
    assert turk.client.list_worker_blocks()["WorkerBlocks"] == [
        {"WorkerId": stranger, "Reason": "Automated answers."}
    ]
    turk.client.delete_worker_block(WorkerId=stranger)
    assert turk.client.list_worker_blocks()["NumResults"] == 0


def test_types_are_shared_and_more_places_are_made(turk: Turk) -> None:
    names = ("Title", "Description", "Reward", "AssignmentDurationInSeconds", "AutoApprovalDelayInSeconds")
    common = {**{name: TERMS[name] for name in names}, "Reward": "0.77"}
    kind = turk.client.create_hit_type(**common)["HITTypeId"]
    assert turk.client.create_hit_type(**common)["HITTypeId"] == kind
    hit = turk.client.create_hit_with_hit_type(
        HITTypeId=kind, MaxAssignments=9, LifetimeInSeconds=600, Question=QUESTION
    )["HIT"]["HITId"]

    with pytest.raises(ClientError) as error:
        turk.client.create_additional_assignments_for_hit(HITId=hit, NumberOfAdditionalAssignments=1)
    assert code_of(error) == "InvalidMaximumAssignmentsIncrease"
    with pytest.raises(ClientError, match="does not exist"):
        turk.client.get_hit(HITId="3NOTHING")
    with pytest.raises(ClientError) as error:
        turk.client.update_hit_review_status(HITId=hit)
    assert code_of(error) == "InvalidHITState"


def test_a_form_that_cannot_be_taken_shows_why_and_changes_nothing(turk: Turk) -> None:
    session = turk.take(turk.hit())["session"]

    assert turk.submit(assignmentId=session).status_code == 400
    assert turk.submit(assignmentId="<b>", ready="yes").status_code == 404
    assert "<b>" not in turk.submit(assignmentId="<b>", ready="yes").text
    assert turk.submit(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE", ready="yes").status_code == 409
    assert turk.submit(assignmentId=session, ready="yes").status_code == 200
    second = turk.submit(assignmentId=session, ready="no")
    assert (second.status_code, "problem" in second.text) == (409, True)
    assert turk.get(f"session/{session}")["fields"] == {"ready": "yes"}
    turk.post("finish", 409, session=session, code="X")

    other = turk.take(turk.hit())["session"]
    assert turk.post("finish", session=other, code=None) == {"state": "Submitted"}


def test_pages_hold_the_task_in_a_frame(turk: Turk) -> None:
    hit = turk.hit()
    address = turk.get(f"preview?listing={hit}")["url"]
    assert parse_qs(urlsplit(address).query)["assignmentId"] == ["ASSIGNMENT_ID_NOT_AVAILABLE"]
    assert turk.http.get(f"{turk.url}/emulator/preview?listing=none").status_code == 404

    page = turk.http.get(f"{turk.url}/emulator/").text
    assert f"/emulator/frame?listing={hit}" in page
    assert "<translations>" not in page
    accepted = turk.http.post(f"{turk.url}/emulator/accept", data={"listing": hit})
    assert accepted.status_code == 303
    framed = turk.http.get(f"{turk.url}{accepted.headers['location']}").text
    source = re.search(r'<iframe [^>]*src="([^"]*)"', framed)
    assert source
    session = parse_qs(urlsplit(unescape(source[1])).query)["assignmentId"][0]
    assert turk.get(f"session/{session}")["state"] == "Accepted"
    preview = turk.http.get(f"{turk.url}/emulator/frame?listing={hit}").text
    assert unescape(preview).count("ASSIGNMENT_ID_NOT_AVAILABLE") == 1


def test_a_hit_can_be_stopped_by_hand_but_not_paused(turk: Turk) -> None:
    hit = turk.hit()

    assert turk.post("stop", listing=hit) == {"state": "Reviewable"}
    turk.post("take", 409, person=turk.people(1)[0], listing=hit)
    turk.post("pause", 409, listing=hit)
    turk.post("rotate-secret", 409)
