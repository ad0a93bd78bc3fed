"""What the manager's dashboard asks about the judgements: verdicts, scores, ranking, pay."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from steelyard.domain.managers import allows
from steelyard.flows.managers import Caller
from steelyard.flows.offered import offered_choices
from steelyard.web.auth import CallerOf, DeskOf, require, require_role
from steelyard.web.choices import chosen, parameters
from steelyard.web.replies import csv_reply, json_reply

router = APIRouter(prefix="/api/v1", tags=["analyse"])
OPTIONS = {"parameters": parameters()}


@router.get(
    "/analysis", response_model=dict[str, Any], openapi_extra=OPTIONS, dependencies=[require("viewer")]
)
async def analysis(desk: DeskOf, request: Request) -> Response:
    """The analysis of everything judged so far, as `steelyard analyse --json` with the same options."""
    return json_reply(await desk.ask("analysis", {"choices": chosen(request)}))


@router.get(
    "/verdicts", response_model=dict[str, Any], openapi_extra=OPTIONS, dependencies=[require("viewer")]
)
async def found_verdicts(desk: DeskOf, request: Request) -> Response:
    """What the check found about each worker so far, whether or not systems can be ranked yet."""
    return json_reply(await desk.ask("verdicts", {"choices": chosen(request)}))


@router.get(
    "/precision", response_model=dict[str, Any], openapi_extra=OPTIONS, dependencies=[require("viewer")]
)
async def precision_over_time(desk: DeskOf, request: Request) -> Response:
    """How wide the intervals of systems were after more and more judgements, and as planned."""
    return json_reply(await desk.ask("precision", {"choices": chosen(request)}))


@router.get("/methods", dependencies=[require("viewer")])
def offered(desk: DeskOf) -> dict[str, Any]:
    """The methods and checks that can be chosen for this campaign's judgements, and the usual ones."""
    return asdict(offered_choices(desk.campaign))


@router.get("/workers/{worker_id}", response_model=dict[str, Any], dependencies=[require("viewer")])
async def worker(desk: DeskOf, caller: CallerOf, worker_id: str, request: Request) -> Response:
    """One worker in full: verdict, ratings, control pairs, HITs, pay, and what was done about them.

    Viewers do not get the name, the e-mail address and what the worker answered at the start.
    """
    people = allows(caller.role, "manager")
    arguments = {"worker_id": worker_id, "choices": chosen(request), "people": people}
    return json_reply(await desk.ask("worker", arguments))


@router.get("/payments", response_model=dict[str, Any], dependencies=[require("viewer")])
async def payments(desk: DeskOf, caller: CallerOf, people: bool = False) -> Response:
    """What each worker is owed, and why; names and e-mail addresses only if a manager asks for them."""
    _require_for_people(caller, people)
    return json_reply(await desk.ask("payments", {"people": people}))


@router.get("/payments.csv", response_class=Response, dependencies=[require("viewer")])
async def payments_file(desk: DeskOf, caller: CallerOf, people: bool = False) -> Response:
    """The same as a table for a spreadsheet; names and e-mail addresses only if a manager asks for them."""
    _require_for_people(caller, people)
    found = await desk.ask("payments-file", {"people": people})
    return csv_reply(found, f"{desk.campaign.settings.name}.payments.csv")


def _require_for_people(caller: Caller, people: bool) -> None:
    """403 for a viewer who asks for names."""
    if people:
        require_role(caller, "manager")
