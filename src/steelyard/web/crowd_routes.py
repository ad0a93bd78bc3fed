"""What a manager does on the campaign's crowd platform, and what the platform tells us by itself."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from steelyard.domain.errors import NotFound, PlatformError
from steelyard.domain.managers import allows
from steelyard.flows import approve as decisions
from steelyard.flows import bonus, listings, notices
from steelyard.flows import publish as publishing
from steelyard.flows import sync as syncing
from steelyard.flows.crowd_client import crowd_client, reach_of
from steelyard.flows.crowd_status import crowd_status, status_record
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.base_path import base_url_of
from steelyard.web.replies import json_reply
from steelyard.web.schemas import NoNul, OpaqueId, StrictBody

router = APIRouter(prefix="/api/v1/platform", tags=["platform"])
notice_router = APIRouter(prefix="/api/v1/notices", tags=["platform"])
MANAGER = [require("manager")]
Words = Annotated[str, Field(max_length=2000), NoNul]
# More than any platform pays at once, in cents [our choice].
Cents = Annotated[int, Field(ge=1, le=1_000_000)]
CHANGES = {
    "pause": listings.pause_listing,
    "resume": listings.resume_listing,
    "stop": listings.stop_listing,
}


class PublishBody(StrictBody):
    """For how many people; null: a place for every HIT that is free. `draft`: only to look at there."""

    places: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    draft: bool = False


class PlacesBody(StrictBody):
    """How many places more."""

    add: Annotated[int, Field(ge=1, le=1_000_000)]


class ListingBody(StrictBody):
    """What to do with the listing: `pause`, `resume`, or `stop`."""

    action: Literal["pause", "resume", "stop"]


class ApproveBody(StrictBody):
    """Whom to pay; nobody named: everybody whose set is finished and waits."""

    workers: list[OpaqueId] = Field(default=[], max_length=10_000)


class RejectBody(StrictBody):
    """Whom not to pay, under which of the platform's categories, and what they read; empty: the evidence."""

    worker_id: OpaqueId
    category: Annotated[str, Field(max_length=64), NoNul] = ""
    message: Words = ""
    confirmed: bool = False


class ReturnBodyOfManager(StrictBody):
    """Who is asked to give the place back, and why, in words for them."""

    worker_id: OpaqueId
    reason: Words


class PartBody(StrictBody):
    """Who is paid in part, and how many per cent."""

    worker_id: OpaqueId
    percent: int


class BonusBody(StrictBody):
    """A bonus in cents. `before`: what the worker had got, or was going to, when it was worked out."""

    worker_id: OpaqueId
    amount: Cents
    reason: Words
    before: Annotated[int, Field(ge=0)] | None = None


class BonusesBody(StrictBody):
    """The bonuses to pay, all of them or none."""

    bonuses: Annotated[list[BonusBody], Field(min_length=1, max_length=bonus.MOST_AT_ONCE)]


def _now() -> datetime:
    return datetime.now(UTC)


@router.get("", dependencies=[require("viewer")])
def platform_status(desk: DeskOf, caller: CallerOf) -> dict[str, Any]:
    """The platform's state beside ours, as of when it was last asked. Viewers see nobody's sessions."""
    people = allows(caller.role, "manager")
    return {**status_record(crowd_status(desk.campaign), people=people), **asdict(reach_of(desk.campaign))}


@router.post("/price", dependencies=MANAGER)
def platform_price(desk: DeskOf, request: Request, body: PublishBody) -> dict[str, Any]:
    """What publishing would cost now, as the platform says."""
    wish = publishing.Wish(base_url_of(request), body.places)
    with crowd_client(desk.campaign) as client:
        terms = publishing.listing_terms(desk.campaign, wish, now=_now())
        price = client.cost(terms)
    return {
        "places": terms.places,
        "reward": terms.reward,
        "minutes": terms.minutes,
        "pay": price.pay,
        "fee": price.fee,
        "currency": terms.currency,
    }


@router.post("/publish", dependencies=MANAGER)
def platform_publish(desk: DeskOf, caller: CallerOf, request: Request, body: PublishBody) -> dict[str, Any]:
    """Put the campaign in front of the platform's people; called again, it goes on where it broke off."""
    wish = publishing.Wish(base_url_of(request), body.places, body.draft)
    with crowd_client(desk.campaign) as client:
        done = publishing.publish(desk.campaign, client, wish, by=caller.by, now=_now())
    return {"state": done.listing.state, "warnings": list(done.warnings)}


@router.post("/places", dependencies=MANAGER)
def platform_places(desk: DeskOf, caller: CallerOf, body: PlacesBody) -> dict[str, Any]:
    """Offer more places."""
    with crowd_client(desk.campaign) as client:
        done = listings.add_places(desk.campaign, client, body.add, by=caller.by, now=_now())
    return {"state": done.listing.state, "places": done.listing.places}


@router.post("/listing", dependencies=MANAGER)
def platform_listing(desk: DeskOf, caller: CallerOf, body: ListingBody) -> dict[str, Any]:
    """Pause the listing, let people come again, or stop it."""
    with crowd_client(desk.campaign) as client:
        found = CHANGES[body.action](desk.campaign, client, by=caller.by, now=_now())
    return {"state": found.state}


@router.post("/sync", dependencies=MANAGER)
def platform_sync(desk: DeskOf, caller: CallerOf) -> syncing.Synced:
    """Ask the platform how things stand, and carry it over."""
    with crowd_client(desk.campaign) as client:
        return syncing.sync(desk.campaign, client, by=caller.by, now=_now())


@router.post("/approve", dependencies=MANAGER)
def platform_approve(desk: DeskOf, caller: CallerOf, body: ApproveBody) -> decisions.Decided:
    """Pay for finished work."""
    with crowd_client(desk.campaign) as client:
        return decisions.approve(desk.campaign, client, body.workers, by=caller.by, now=_now())


@router.post("/reject", dependencies=MANAGER)
async def platform_reject(desk: DeskOf, caller: CallerOf, body: RejectBody) -> decisions.Decided:
    """Refuse to pay: 409 without the evidence, and until it is confirmed (`unconfirmed`, with what it is)."""
    found = json.loads((await desk.ask("verdicts", {"choices": {}})).content)
    by_worker: dict[str, dict[str, Any]] = {each["worker_id"]: each for each in found["workers"]}
    finding = by_worker.get(body.worker_id, {})
    refusal = decisions.Refusal(body.worker_id, body.category, body.message, body.confirmed)

    def run() -> decisions.Decided:
        with crowd_client(desk.campaign) as client:
            return decisions.reject(desk.campaign, client, refusal, finding, by=caller.by, now=_now())

    return await run_in_threadpool(run)


@router.post("/request-return", dependencies=MANAGER)
def platform_request_return(desk: DeskOf, caller: CallerOf, body: ReturnBodyOfManager) -> decisions.Decided:
    """Ask somebody to give the place back."""
    with crowd_client(desk.campaign) as client:
        return decisions.request_return(
            desk.campaign, client, body.worker_id, body.reason, by=caller.by, now=_now()
        )


@router.post("/pay-partly", dependencies=MANAGER)
def platform_pay_partly(desk: DeskOf, caller: CallerOf, body: PartBody) -> decisions.Decided:
    """Pay part of the reward."""
    with crowd_client(desk.campaign) as client:
        return decisions.pay_partly(
            desk.campaign, client, body.worker_id, body.percent, by=caller.by, now=_now()
        )


@router.get("/bonuses", response_model=dict[str, Any], dependencies=MANAGER)
async def platform_bonuses(desk: DeskOf) -> Response:
    """What is owed beyond rewards, in cents."""
    return json_reply(await desk.ask("owed-bonuses"))


@router.post("/bonuses", dependencies=MANAGER)
def platform_pay_bonuses(desk: DeskOf, caller: CallerOf, body: BonusesBody) -> dict[str, Any]:
    """Pay bonuses, once: 504 (`reply_lost`) if nobody knows whether they were paid; never send them again."""
    owed = [bonus.Owed(each.worker_id, each.amount, each.reason, each.before) for each in body.bonuses]
    with crowd_client(desk.campaign) as client:
        done = bonus.pay_bonuses(desk.campaign, client, owed, by=caller.by, now=_now())
    return {"bonuses": len(done.transfers)}


@router.post("/bonuses/{token}/give-up", dependencies=MANAGER)
def platform_give_up_bonus(desk: DeskOf, caller: CallerOf, token: OpaqueId) -> dict[str, Any]:
    """Say that a bonus in doubt was not paid, an hour later at the earliest."""
    found = bonus.give_up_bonus(desk.campaign, token, by=caller.by, now=_now())
    return {"worker_id": found.worker_id, "amount": found.amount}


@notice_router.post("/{platform}", status_code=204, include_in_schema=False)
async def take_notice(desk: DeskOf, platform: OpaqueId, request: Request) -> Response:
    """What the platform tells us, with its signature. Nothing is said about what was wrong with one."""
    body, headers = await request.body(), {name.lower(): value for name, value in request.headers.items()}
    if platform != reach_of(desk.campaign).platform:
        raise NotFound("Nothing is expected here.")
    try:
        await run_in_threadpool(
            notices.take_notice, desk.campaign, headers, body, now=_now(), environ=os.environ
        )
    except PlatformError:
        return Response(status_code=401)
    return Response(status_code=204)
