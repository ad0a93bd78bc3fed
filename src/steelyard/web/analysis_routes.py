"""What the manager's dashboard asks about the judgements: verdicts, scores, ranking."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from steelyard.web.auth import DeskOf, require_manager
from steelyard.web.choices import chosen, parameters

router = APIRouter(prefix="/api/v1", tags=["analyse"], dependencies=[require_manager])


@router.get("/analysis", openapi_extra={"parameters": parameters()})
def analysis(desk: DeskOf, request: Request) -> dict[str, Any]:
    """The analysis of everything judged so far, as `steelyard analyse --json` with the same options."""
    from steelyard.report.json import analysis_record

    return analysis_record(desk.analyses.get(chosen(request)).analysis)
