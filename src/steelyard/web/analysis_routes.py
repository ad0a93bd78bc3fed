"""What the manager's dashboard asks about the judgements: verdicts, scores, ranking, pay."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from steelyard.domain.payment import Payments
from steelyard.flows.offered import offered_choices
from steelyard.flows.payments import payments as make_payments
from steelyard.flows.precision import precision_record
from steelyard.flows.verdicts import verdicts_record
from steelyard.flows.worker import worker_detail, worker_record
from steelyard.report.payments import payments_record, payments_sheet
from steelyard.web.auth import DeskOf, require_manager
from steelyard.web.choices import chosen, parameters
from steelyard.web.state import Desk

router = APIRouter(prefix="/api/v1", tags=["analyse"], dependencies=[require_manager])


@router.get("/analysis", openapi_extra={"parameters": parameters()})
def analysis(desk: DeskOf, request: Request) -> dict[str, Any]:
    """The analysis of everything judged so far, as `steelyard analyse --json` with the same options."""
    from steelyard.report.json import analysis_record

    return analysis_record(desk.analyses.get(chosen(request)).analysis)


@router.get("/verdicts", openapi_extra={"parameters": parameters()})
def found_verdicts(desk: DeskOf, request: Request) -> dict[str, Any]:
    """What the check found about each worker so far, whether or not systems can be ranked yet."""
    return verdicts_record(desk.analyses.verdicts(chosen(request)))


@router.get("/precision", openapi_extra={"parameters": parameters()})
def precision_over_time(desk: DeskOf, request: Request) -> dict[str, Any]:
    """How wide the intervals of systems were after more and more judgements, and as planned."""
    return precision_record(desk.analyses.precision(chosen(request)))


@router.get("/methods")
def offered(desk: DeskOf) -> dict[str, Any]:
    """The methods and checks that can be chosen for this campaign's judgements, and the usual ones."""
    return asdict(offered_choices(desk.campaign))


@router.get("/workers/{worker_id}")
def worker(desk: DeskOf, worker_id: str, request: Request) -> dict[str, Any]:
    """One worker in full: verdict, ratings, control pairs, HITs, pay, and what was done about them."""
    found = desk.analyses.verdicts(chosen(request))
    return worker_record(worker_detail(desk.watch, found, worker_id, now=datetime.now(UTC)))


@router.get("/payments")
def payments(desk: DeskOf, people: bool = False) -> dict[str, Any]:
    """What each worker is owed, and why; names and e-mail addresses only if asked for."""
    return payments_record(_payments(desk), people=people)


@router.get("/payments.csv", response_class=Response)
def payments_file(desk: DeskOf, people: bool = False) -> Response:
    """The same as a table for a spreadsheet; names and e-mail addresses only if asked for."""
    from steelyard.report.tables_csv import table_csv

    content = table_csv(payments_sheet(_payments(desk), people=people))
    name = f"{desk.campaign.settings.name}.payments.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="text/csv", headers=headers)


def _payments(desk: Desk) -> Payments:
    return make_payments(desk.watch, desk.analyses.verdicts(), now=datetime.now(UTC))
