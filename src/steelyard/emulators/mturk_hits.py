"""What a requester does with HITs: types, creation, more places, expiry, review, deletion, lists."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from steelyard.domain.wording import in_units
from steelyard.emulators.mturk_market import MANY, HitType, TurkHit, TurkMarket, TurkState
from steelyard.emulators.mturk_parameters import (
    TurkError,
    invalid,
    money_parameter,
    page_of,
    text_parameter,
    whole_parameter,
)
from steelyard.emulators.mturk_qualifications import checked_requirements
from steelyard.emulators.mturk_question import external_page

Request = Mapping[str, Any]
YEAR = 31_536_000
_MOST_PLACES = 1_000_000_000


def create_hit_type(market: TurkMarket, request: Request) -> dict[str, Any]:
    return {"HITTypeId": _hit_type(market, request).hit_type_id}


def create_hit(market: TurkMarket, request: Request) -> dict[str, Any]:
    return _create(market, request, lambda: _hit_type(market, request))


def create_hit_with_hit_type(market: TurkMarket, request: Request) -> dict[str, Any]:
    return _create(market, request, lambda: _known_type(market, request))


def _known_type(market: TurkMarket, request: Request) -> HitType:
    type_id = request.get("HITTypeId")
    if type_id not in market.types:
        raise TurkError(f"Hit type {type_id} does not exist.", "HITTypeDoesNotExist")
    return market.types[type_id]


def _hit_type(market: TurkMarket, request: Request) -> HitType:
    """The type with these properties, which may be there already."""
    terms: dict[str, Any] = {
        "title": text_parameter(request, "Title", most=128),
        "description": text_parameter(request, "Description", most=2000),
        "keywords": text_parameter(request, "Keywords", most=1000, default=""),
        "reward": money_parameter(request, "Reward"),
        "duration": whole_parameter(request, "AssignmentDurationInSeconds", least=30, most=YEAR),
        "approval_delay": whole_parameter(
            request, "AutoApprovalDelayInSeconds", least=0, most=2_592_000, default=2_592_000
        ),
        "requirements": checked_requirements(market, request.get("QualificationRequirements", [])),
    }
    key = json.dumps(terms, sort_keys=True)
    for known in market.types.values():
        if key == json.dumps({name: getattr(known, name) for name in terms}, sort_keys=True):
            return known
    made = HitType(market.new_id("3", 30), **terms)
    market.types[made.hit_type_id] = made
    return made


def _create(market: TurkMarket, request: Request, find_type: Any) -> dict[str, Any]:
    token = request.get("UniqueRequestToken")
    before = market.seen_token("CreateHIT", token)
    if before is not None:
        raise TurkError(f"A HIT was already created by this request token: {before}.", "HitAlreadyExists")
    if "Question" not in request:
        raise invalid("Question", "is needed; this emulator knows no layouts.")
    question = text_parameter(request, "Question")
    page = external_page(question)
    now = market.now()
    lifetime = whole_parameter(request, "LifetimeInSeconds", least=30, most=YEAR)
    hit = TurkHit(
        hit_id=market.new_id("3", 30),
        hit_type=find_type(),
        question=question,
        address=page.address,
        frame_height=page.frame_height,
        places=whole_parameter(request, "MaxAssignments", least=1, most=_MOST_PLACES, default=1),
        created_at=now,
        expires_at=now + timedelta(seconds=lifetime),
        note=text_parameter(request, "RequesterAnnotation", most=255, default=""),
    )
    market.need(hit.places * market.price(hit).cost)
    market.hits[hit.hit_id] = hit
    market.keep_token("CreateHIT", token, hit.hit_id)
    return {"HIT": shown_hit(market, hit)}


def create_additional_assignments(market: TurkMarket, request: Request) -> dict[str, Any]:
    token = request.get("UniqueRequestToken")
    if market.seen_token("CreateAdditionalAssignmentsForHIT", token) is not None:
        raise TurkError(f"The request {token} was already processed.", "DuplicateCall")
    hit = _live(market, request)
    more = whole_parameter(request, "NumberOfAdditionalAssignments", least=1, most=_MOST_PLACES)
    if hit.places < MANY <= hit.places + more:
        raise TurkError(
            f"HITs created with fewer than {MANY} assignments cannot be extended to have {MANY} or more.",
            "InvalidMaximumAssignmentsIncrease",
        )
    now = market.now()
    if now < hit.expires_at:
        market.need(more * market.price(hit).cost)
    hit.places += more
    hit.is_reviewing = hit.is_reviewing and now >= hit.expires_at
    market.keep_token("CreateAdditionalAssignmentsForHIT", token, hit.hit_id)
    return {}


def update_expiration(market: TurkMarket, request: Request) -> dict[str, Any]:
    hit, now = _live(market, request), market.now()
    at = request.get("ExpireAt")
    if not isinstance(at, int | float) or isinstance(at, bool):
        raise invalid("ExpireAt", "must be a time, in seconds since 1970.")
    expires_at = datetime.fromtimestamp(at, UTC)
    if expires_at <= now:
        hit.expires_at = min(hit.expires_at, now)
        return {}
    if expires_at < hit.expires_at:
        raise invalid("ExpireAt", "the expiration can be moved to a later time, or to now, but not earlier.")
    if expires_at > now + timedelta(seconds=YEAR):
        raise invalid("ExpireAt", "must be within 365 days.")
    if hit.expires_at <= now:
        market.need(hit.open_places * market.price(hit).cost)
        hit.is_reviewing = hit.is_reviewing and not hit.open_places
    hit.expires_at = expires_at
    return {}


def update_review_status(market: TurkMarket, request: Request) -> dict[str, Any]:
    hit = market.hit(request.get("HITId"))
    needed = "Reviewing" if request.get("Revert") else "Reviewable"
    _need_status(market, hit, needed)
    hit.is_reviewing = needed == "Reviewable"
    return {}


def delete_hit(market: TurkMarket, request: Request) -> dict[str, Any]:
    hit = market.hit(request.get("HITId"))
    _need_status(market, hit, "Reviewable", "Reviewing")
    if hit.count(TurkState.SUBMITTED):
        raise TurkError("This HIT has assignments that are neither approved nor rejected.", "InvalidHITState")
    hit.is_disposed = True
    return {}


def get_hit(market: TurkMarket, request: Request) -> dict[str, Any]:
    return {"HIT": shown_hit(market, market.hit(request.get("HITId")))}


def list_hits(market: TurkMarket, request: Request) -> dict[str, Any]:
    rows = [hit for hit in market.hits.values() if not hit.is_disposed]
    return page_of(request, "HITs", rows, lambda hit: shown_hit(market, hit))


def list_reviewable_hits(market: TurkMarket, request: Request) -> dict[str, Any]:
    wanted, type_id, now = request.get("Status", "Reviewable"), request.get("HITTypeId"), market.now()
    rows = [
        hit
        for hit in market.hits.values()
        if hit.status(now) == wanted and type_id in (None, hit.hit_type.hit_type_id)
    ]
    return page_of(request, "HITs", rows, lambda hit: shown_hit(market, hit))


def _need_status(market: TurkMarket, hit: TurkHit, *allowed: str) -> None:
    if hit.status(market.now()) not in allowed:
        raise TurkError(
            f"This HIT is currently in the state '{hit.status(market.now())}'. "
            f"This operation can be called with a status of: {','.join(allowed)}",
            "InvalidHITState",
        )


def _live(market: TurkMarket, request: Request) -> TurkHit:
    """The HIT that a request is about, unless it has been deleted."""
    hit = market.hit(request.get("HITId"))
    _need_status(market, hit, "Assignable", "Unassignable", "Reviewable", "Reviewing")
    return hit


def shown_hit(market: TurkMarket, hit: TurkHit) -> dict[str, Any]:
    """A HIT as the API shows it."""
    kind = hit.hit_type
    return {
        "HITId": hit.hit_id,
        "HITTypeId": kind.hit_type_id,
        "HITGroupId": f"3{kind.hit_type_id[:0:-1]}",
        "CreationTime": hit.created_at.timestamp(),
        "Title": kind.title,
        "Description": kind.description,
        "Question": hit.question,
        "Keywords": kind.keywords,
        "HITStatus": hit.status(market.now()),
        "MaxAssignments": hit.places,
        "Reward": in_units(kind.reward),
        "AutoApprovalDelayInSeconds": kind.approval_delay,
        "Expiration": hit.expires_at.timestamp(),
        "AssignmentDurationInSeconds": kind.duration,
        "RequesterAnnotation": hit.note,
        "QualificationRequirements": list(kind.requirements),
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": hit.pending,
        "NumberOfAssignmentsAvailable": hit.open_places,
        "NumberOfAssignmentsCompleted": hit.count(TurkState.APPROVED, TurkState.REJECTED),
    }
