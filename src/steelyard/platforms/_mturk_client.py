"""The requester's side of Mechanical Turk, through Amazon's own library.

A listing is one HIT type with HITs of at most nine assignments, since Amazon charges more from ten on. All
carry our tag as RequesterAnnotation. Sources: the operations' pages in the Mechanical Turk API reference.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.sax.saxutils import escape

import boto3
from botocore import exceptions
from botocore.config import Config

from steelyard.domain.crowd import (
    Account,
    Bonus,
    BonusOrder,
    ClientSettings,
    Listing,
    ListingState,
    ListingTerms,
    Price,
    Rejection,
    SessionReport,
    SessionState,
)
from steelyard.domain.errors import PlatformError, ReplyLost
from steelyard.domain.wording import in_units
from steelyard.platforms._http_calls import MOST_TRIES, pause_after

LIVE = "https://mturk-requester.us-east-1.amazonaws.com"
SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
REGION = "us-east-1"
# From ten assignments of one HIT on, Amazon takes twice the fee.
MOST_ASSIGNMENTS = 9
LIFETIME = timedelta(days=14)
FRAME_HEIGHT = 800
PAGE = 100
BUSY = 429
DRY_TYPE = "HIT_TYPE_ID"
# Percentage of assignments approved, and country: Amazon's own qualifications.
APPROVED_SHARE, LOCALE = "000000000000000000L0", "00000000000000000071"
SCHEMA = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
STATES = {
    "Submitted": SessionState.SUBMITTED,
    "Approved": SessionState.APPROVED,
    "Rejected": SessionState.REJECTED,
}


class MTurkClient:
    """What a requester's programs ask for."""

    def __init__(self, settings: ClientSettings) -> None:
        self.is_dry = settings.tell is not None
        self._tell = settings.tell
        self._settings = settings.settings
        key_id, secret, token = [*(settings.key or "").split(":"), "", ""][:3]
        made = boto3.session.Session(key_id or None, secret or None, token or None, region_name=REGION)
        if made.get_credentials() is None:
            raise PlatformError(
                "There are no keys for Mechanical Turk. Give them where Amazon's own tools look for them, "
                "such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
            )
        address = settings.address or (LIVE if self._settings.get("live") else SANDBOX)
        self._again = _client(made, address, Config(retries={"mode": "standard", "total_max_attempts": 6}))
        # What pays is sent once: its token would make a second time harmless only for a day.
        self._once = _client(made, address, Config(retries={"total_max_attempts": 1}))

    def account(self) -> Account:
        balance = self._ask("get_account_balance")["AvailableBalance"]
        return Account("", "USD", _cents(balance))

    def cost(self, terms: ListingTerms) -> Price:
        """A fifth of the reward on top, at least a cent for each."""
        return Price(terms.reward * terms.places, _fee(terms.reward) * terms.places)

    def fee(self, amount: int) -> int:
        return _fee(amount)

    def find(self, tag: str) -> Listing | None:
        if self.is_dry:
            return None
        hits = self._hits(tag)
        return _listing(f"{hits[0]['HITTypeId']}/{tag}", hits) if hits else None

    def draft(self, terms: ListingTerms) -> Listing:
        """Only the HIT type: Amazon has no drafts. The same type again is the same."""
        listing_id = f"{self._hit_type(terms)}/{terms.tag}"
        return Listing(listing_id, terms.tag, ListingState.DRAFT, terms.places, terms.reward, "USD")

    def publish(self, listing_id: str, terms: ListingTerms) -> Listing:
        """Make the HITs that are not there yet; each has a token by which Amazon makes it once."""
        there = self._hits(terms.tag)
        question = _question(terms.url)
        left = terms.places - sum(hit["MaxAssignments"] for hit in there)
        self._make_hits(listing_id, question, left, first=len(there))
        return self.listing(listing_id)

    def pause(self, listing_id: str) -> Listing:
        """Let the HITs expire; those who have accepted one go on."""
        self._expire(listing_id, datetime.fromtimestamp(0, UTC))
        return self.listing(listing_id)

    def resume(self, listing_id: str) -> Listing:
        self._expire(listing_id, datetime.now(UTC) + LIFETIME)
        return self.listing(listing_id)

    def stop(self, listing_id: str) -> Listing:
        found = self.pause(listing_id)
        return Listing(listing_id, found.tag, ListingState.ENDED, found.places, found.reward, "USD")

    def discard(self, listing_id: str) -> None:
        """Nothing to do: a HIT type without HITs is seen by nobody."""

    def set_places(self, listing_id: str, places: int) -> Listing:
        """More places, in further HITs with the question of those that are there."""
        hits = self._hits(_tag(listing_id))
        before = sum(hit["MaxAssignments"] for hit in hits)
        if places <= before:
            return self.listing(listing_id)
        question = self._ask("get_hit", HITId=hits[0]["HITId"])["HIT"]["Question"]
        self._make_hits(listing_id, question, places - before, first=len(hits))
        return self.listing(listing_id)

    def listing(self, listing_id: str) -> Listing:
        return _listing(listing_id, [] if listing_id.startswith(DRY_TYPE) else self._hits(_tag(listing_id)))

    def sessions(self, listing_id: str) -> Sequence[SessionReport]:
        """Those who have handed in: Amazon does not tell of people who have only accepted a HIT."""
        reports = []
        for hit in self._hits(_tag(listing_id)):
            paid: dict[str, list[int]] = {}
            for bonus in self._pages("list_bonus_payments", "BonusPayments", HITId=hit["HITId"]):
                paid.setdefault(bonus["AssignmentId"], []).append(_cents(bonus["BonusAmount"]))
            found = self._pages("list_assignments_for_hit", "Assignments", HITId=hit["HITId"])
            reward = _cents(hit["Reward"])
            reports += [_report(each, reward, paid.get(each["AssignmentId"], [])) for each in found]
        return reports

    def approve(self, listing_id: str, session_ids: Sequence[str]) -> None:
        for session_id in session_ids:
            self._decide("approve_assignment", "Approved", AssignmentId=session_id)

    def reject(self, session_id: str, rejection: Rejection) -> None:
        self._decide(
            "reject_assignment",
            "Rejected",
            AssignmentId=session_id,
            RequesterFeedback=rejection.message[:1024],
        )

    def request_return(self, session_id: str, reasons: Sequence[str]) -> None:
        raise PlatformError("Mechanical Turk cannot ask people to return a HIT. Approve it, or reject it.")

    def pay_partly(self, session_id: str, percent: int, message: str) -> None:
        raise PlatformError("Mechanical Turk pays no part of a reward. Approve it, or pay a bonus.")

    def bar_from_more(self, listing_id: str, participant_ids: Sequence[str]) -> None:
        """Give people the qualification that keeps them from taking another HIT of this listing."""
        kind = self._took_part(_tag(listing_id))
        for worker_id in participant_ids if kind else ():
            self._ask(
                "associate_qualification_with_worker",
                changes=True,
                QualificationTypeId=kind,
                WorkerId=worker_id,
                IntegerValue=1,
                SendNotification=False,
            )

    def prepare_bonuses(self, listing_id: str, bonuses: Sequence[Bonus]) -> BonusOrder:
        """Amazon has no orders: what will be paid, and its fee."""
        pay, fee = sum(each.amount for each in bonuses), sum(_fee(each.amount) for each in bonuses)
        return BonusOrder(bonuses[0].token, Price(pay, fee))

    def pay_bonuses(self, order_id: str, bonuses: Sequence[Bonus]) -> None:
        """Send each once. If one is refused or lost after others were sent, nobody knows without asking."""
        lost: ReplyLost | None = None
        for number, bonus in enumerate(bonuses):
            try:
                self._ask(
                    "send_bonus",
                    changes=True,
                    once=True,
                    WorkerId=bonus.participant_id,
                    AssignmentId=bonus.session_id,
                    BonusAmount=in_units(bonus.amount),
                    Reason=bonus.reason or "Thank you for your work.",
                    UniqueRequestToken=bonus.token,
                )
            except ReplyLost as error:
                lost = error
            except PlatformError as error:
                if "already processed" in str(error):
                    continue
                if number == 0:
                    raise
                lost = ReplyLost(str(error))
        if lost is not None:
            raise lost

    def close(self) -> None:
        self._again.close()
        self._once.close()

    def _hit_type(self, terms: ListingTerms) -> str:
        settings = terms.settings
        seconds = round(60 * (settings.get("assignment_minutes") or max(4 * terms.minutes, 60)))
        made = self._ask(
            "create_hit_type",
            changes=True,
            otherwise={"HITTypeId": DRY_TYPE},
            Title=terms.title[:128],
            Description=terms.description[:2000],
            Keywords=str(settings.get("keywords", "translation, rating")),
            Reward=in_units(terms.reward),
            AssignmentDurationInSeconds=seconds,
            AutoApprovalDelayInSeconds=round(86400 * min(settings.get("auto_approval_days", 7), 30)),
            QualificationRequirements=self._requirements(terms),
        )
        return str(made["HITTypeId"])

    def _requirements(self, terms: ListingTerms) -> list[dict[str, Any]]:
        settings = terms.settings
        wanted: list[dict[str, Any]] = list(settings.get("qualifications", []))
        if "least_approved" in settings:
            share = {"Comparator": "GreaterThanOrEqualTo", "IntegerValues": [settings["least_approved"]]}
            wanted.append({"QualificationTypeId": APPROVED_SHARE, **share})
        if "countries" in settings:
            places = [{"Country": name} for name in settings["countries"]]
            wanted.append({"QualificationTypeId": LOCALE, "Comparator": "In", "LocaleValues": places})
        if settings.get("once"):
            kind = (
                self._took_part(terms.tag)
                or self._ask(
                    "create_qualification_type",
                    changes=True,
                    otherwise={"QualificationType": {"QualificationTypeId": "QUALIFICATION_ID"}},
                    Name=_kind_name(terms.tag),
                    Description="Has taken part in this task already.",
                    QualificationTypeStatus="Active",
                )["QualificationType"]["QualificationTypeId"]
            )
            wanted.append({"QualificationTypeId": kind, "Comparator": "DoesNotExist"})
        return wanted

    def _took_part(self, tag: str) -> str | None:
        """The qualification of those who have taken part, if this listing has one."""
        if self.is_dry:
            return None
        asked = {"Query": _kind_name(tag), "MustBeRequestable": False, "MustBeOwnedByCaller": True}
        for kind in self._pages("list_qualification_types", "QualificationTypes", **asked):
            if kind["Name"] == _kind_name(tag):
                return str(kind["QualificationTypeId"])
        return None

    def _make_hits(self, listing_id: str, question: str, places: int, *, first: int) -> None:
        hit_type, _, tag = listing_id.partition("/")
        tagged: dict[str, Any] = {"RequesterAnnotation": tag}
        number = first
        while places > 0:
            size = min(places, MOST_ASSIGNMENTS)
            try:
                self._ask(
                    "create_hit_with_hit_type",
                    changes=True,
                    HITTypeId=hit_type,
                    Question=question,
                    MaxAssignments=size,
                    LifetimeInSeconds=round(LIFETIME.total_seconds()),
                    **tagged,
                    UniqueRequestToken=f"{tag}-{number}"[-64:],
                )
            except PlatformError as error:
                # A reply that was lost before: the HIT is there.
                if "already created" not in str(error):
                    raise
            places, number = places - size, number + 1

    def _expire(self, listing_id: str, moment: datetime) -> None:
        for hit in self._hits(_tag(listing_id)):
            self._ask("update_expiration_for_hit", changes=True, HITId=hit["HITId"], ExpireAt=moment)

    def _hits(self, tag: str) -> list[dict[str, Any]]:
        """The HITs of a listing, the oldest first."""
        found = [hit for hit in self._pages("list_hits", "HITs") if hit.get("RequesterAnnotation") == tag]
        return sorted(found, key=lambda hit: (hit["CreationTime"], hit["HITId"]))

    def _pages(self, operation: str, name: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        token: dict[str, Any] = {}
        while True:
            said = self._ask(operation, MaxResults=PAGE, **parameters, **token)
            yield from said.get(name, [])
            if not said.get("NextToken") or not said.get(name):
                return
            token = {"NextToken": said["NextToken"]}

    def _decide(self, operation: str, wanted: str, **parameters: Any) -> None:
        try:
            self._ask(operation, changes=True, **parameters)
        except PlatformError:
            found = self._ask("get_assignment", AssignmentId=parameters["AssignmentId"])["Assignment"]
            if found["AssignmentStatus"] != wanted:
                raise

    def _ask(
        self,
        operation: str,
        *,
        changes: bool = False,
        once: bool = False,
        otherwise: Mapping[str, Any] | None = None,
        **parameters: Any,
    ) -> Any:
        if self._tell is not None:
            self._tell(f"{operation} {json.dumps(parameters, default=str, ensure_ascii=False)}")
            if changes:
                return otherwise or {}
        send: Callable[..., Any] = getattr(self._once if once else self._again, operation)
        try:
            return _let_in(send, parameters) if once else send(**parameters)
        except exceptions.ClientError as error:
            said = error.response.get("Error", {})
            status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400))
            if changes and status >= 500:
                raise ReplyLost("Mechanical Turk was asked, and no clear reply came.") from None
            raise PlatformError(
                f"Mechanical Turk refuses: {said.get('Message') or said.get('Code')}",
                status=BUSY if _is_throttled(error) else status,
            ) from None
        except (exceptions.EndpointConnectionError, exceptions.NoCredentialsError) as error:
            raise PlatformError(f"Mechanical Turk cannot be reached: {type(error).__name__}.") from None
        except exceptions.ParamValidationError as error:
            raise PlatformError(f"Mechanical Turk would refuse this: {error}") from None
        except exceptions.BotoCoreError:
            if changes:
                raise ReplyLost("Mechanical Turk was asked, and no clear reply came.") from None
            raise PlatformError("Mechanical Turk does not answer. Try again later.") from None


def _let_in(send: Callable[..., Any], parameters: Mapping[str, Any]) -> Any:
    """Send once, again only where it was turned away at the door, before anything was done."""
    for n_tried in range(1, MOST_TRIES):
        try:
            return send(**parameters)
        except exceptions.ClientError as error:
            if not _is_throttled(error):
                raise
        time.sleep(pause_after(n_tried))
    return send(**parameters)


def _is_throttled(error: exceptions.ClientError) -> bool:
    return bool(error.response.get("Error", {}).get("Code") == "ThrottlingException")


def _client(made: Any, address: str, config: Config) -> Any:
    return made.client("mturk", endpoint_url=address, config=config)


def _question(url: str) -> str:
    return (
        f'<ExternalQuestion xmlns="{SCHEMA}"><ExternalURL>{escape(url)}</ExternalURL>'
        f"<FrameHeight>{FRAME_HEIGHT}</FrameHeight></ExternalQuestion>"
    )


def _listing(listing_id: str, hits: Sequence[Mapping[str, Any]]) -> Listing:
    places = sum(hit["MaxAssignments"] for hit in hits)
    reward = _cents(hits[0]["Reward"]) if hits else 0
    if not hits:
        state = ListingState.DRAFT
    elif any(hit["HITStatus"] == "Assignable" for hit in hits):
        state = ListingState.ACTIVE
    elif any(hit["NumberOfAssignmentsAvailable"] for hit in hits):
        state = ListingState.PAUSED
    else:
        state = ListingState.FULL
    return Listing(listing_id, _tag(listing_id), state, places, reward, "USD")


def _report(assignment: Mapping[str, Any], reward: int, bonuses: Sequence[int]) -> SessionReport:
    state = STATES[assignment["AssignmentStatus"]]
    times = [assignment.get(name) for name in ("ApprovalTime", "RejectionTime", "SubmitTime")]
    return SessionReport(
        session_id=assignment["AssignmentId"],
        participant_id=assignment["WorkerId"],
        state=state,
        changed_at=next((each for each in times if each is not None), assignment["AcceptTime"]),
        reward=reward if state is SessionState.APPROVED else 0,
        bonuses=tuple(bonuses),
    )


def _tag(listing_id: str) -> str:
    return listing_id.partition("/")[2]


def _kind_name(tag: str) -> str:
    return f"Took part in {tag}"


def _fee(amount: int) -> int:
    """A fifth, rounded half up, at least a cent."""
    return max(1, (2 * amount + 5) // 10)


def _cents(dollars: str) -> int:
    return round(100 * float(dollars))
