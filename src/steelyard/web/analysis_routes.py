"""What the manager's dashboard asks about the judgements: verdicts, scores, ranking, pay."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from steelyard.domain.managers import allows
from steelyard.domain.payment import Payments
from steelyard.flows.managers import Caller
from steelyard.flows.offered import offered_choices
from steelyard.flows.payments import payments as make_payments
from steelyard.flows.precision import precision_record
from steelyard.flows.verdicts import verdicts_record
from steelyard.flows.worker import worker_detail, worker_record
from steelyard.report.payments import payments_record, payments_sheet
from steelyard.web.auth import CallerOf, DeskOf, require, require_role
from steelyard.web.choices import chosen, parameters
from steelyard.web.state import Desk

router = APIRouter(prefix="/api/v1", tags=["analyse"])


@router.get("/analysis", openapi_extra={"parameters": parameters()}, dependencies=[require("viewer")])
def analysis(desk: DeskOf, request: Request) -> dict[str, Any]:
    """The analysis of everything judged so far, as `steelyard analyse --json` with the same options."""
    from steelyard.report.json import analysis_record

    return analysis_record(desk.analyses.get(chosen(request)).analysis)


@router.get("/verdicts", openapi_extra={"parameters": parameters()}, dependencies=[require("viewer")])
def found_verdicts(desk: DeskOf, request: Request) -> dict[str, Any]:
    """What the check found about each worker so far, whether or not systems can be ranked yet."""
    return verdicts_record(desk.analyses.verdicts(chosen(request)))


@router.get("/precision", openapi_extra={"parameters": parameters()}, dependencies=[require("viewer")])
def precision_over_time(desk: DeskOf, request: Request) -> dict[str, Any]:
    """How wide the intervals of systems were after more and more judgements, and as planned."""
    return precision_record(desk.analyses.precision(chosen(request)))


@router.get("/methods", dependencies=[require("viewer")])
def offered(desk: DeskOf) -> dict[str, Any]:
    """The methods and checks that can be chosen for this campaign's judgements, and the usual ones."""
    return asdict(offered_choices(desk.campaign))


@router.get("/workers/{worker_id}", dependencies=[require("viewer")])
def worker(desk: DeskOf, caller: CallerOf, worker_id: str, request: Request) -> dict[str, Any]:
    """One worker in full: verdict, ratings, control pairs, HITs, pay, and what was done about them.

    Viewers do not get the name and the e-mail address.
    """
    found = desk.analyses.verdicts(chosen(request))
    detail = worker_detail(desk.watch, found, worker_id, now=datetime.now(UTC))
    return worker_record(detail if allows(caller.role, "manager") else replace(detail, name="", email=""))


@router.get("/payments", dependencies=[require("viewer")])
def payments(desk: DeskOf, caller: CallerOf, people: bool = False) -> dict[str, Any]:
    """What each worker is owed, and why; names and e-mail addresses only if a manager asks for them."""
    _require_for_people(caller, people)
    return payments_record(_payments(desk), people=people)


@router.get("/payments.csv", response_class=Response, dependencies=[require("viewer")])
def payments_file(desk: DeskOf, caller: CallerOf, people: bool = False) -> Response:
    """The same as a table for a spreadsheet; names and e-mail addresses only if a manager asks for them."""
    from steelyard.report.tables_csv import table_csv

    _require_for_people(caller, people)
    content = table_csv(payments_sheet(_payments(desk), people=people))
    name = f"{desk.campaign.settings.name}.payments.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="text/csv", headers=headers)


def _require_for_people(caller: Caller, people: bool) -> None:
    """403 for a viewer who asks for names."""
    if people:
        require_role(caller, "manager")


def _payments(desk: Desk) -> Payments:
    return make_payments(desk.watch, desk.analyses.verdicts(), now=datetime.now(UTC))
