"""Everybody's marks in a translation, for a manager who decides what its errors are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from steelyard.domain.judgement import SpanSide
from steelyard.domain.marks import ErrorMark
from steelyard.flows.adjudicate import LONGEST_CATEGORY, LONGEST_NOTE, MOST_MARKS, adjudicate
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.replies import json_reply
from steelyard.web.schemas import NoNul, StrictBody

router = APIRouter(prefix="/api/v1/marks", tags=["manage"])
Name = Annotated[str, Field(min_length=1, max_length=1000), NoNul]
Words = Annotated[str, Field(min_length=1, max_length=LONGEST_CATEGORY), NoNul]
Place = Annotated[int, Field(ge=0, le=10_000_000)]


class MarkBody(StrictBody):
    """One error: where, how grave, of which category. Without start and end it is a mark after the text."""

    start: Place | None = None
    end: Place | None = None
    severity: Words
    category: Words | None = None
    side: SpanSide = "target"


class DecisionBody(StrictBody):
    """What the errors of a translation are; null withdraws the decision there is."""

    system_id: Name
    segment_id: Name
    marks: Annotated[list[MarkBody], Field(max_length=MOST_MARKS)] | None
    note: Annotated[str, Field(max_length=LONGEST_NOTE), NoNul] = ""


class DecisionView(BaseModel):
    """Which translation was decided on, and how many errors it has; null: the decision was withdrawn."""

    system_id: str
    segment_id: str
    n_marks: int | None


@router.get("", response_model=dict[str, Any], dependencies=[require("viewer")])
async def disputed(desk: DeskOf, most: Annotated[int, Query(ge=1, le=10_000)] = 1000) -> Response:
    """The translations in which errors were marked, those that workers marked most differently first."""
    return json_reply(await desk.ask("marks", {"most": most}))


@router.get("/translation", response_model=dict[str, Any], dependencies=[require("viewer")])
async def marked_text(
    desk: DeskOf,
    segment: Annotated[str, Query(max_length=1000)],
    system: Annotated[str, Query(max_length=1000)],
) -> Response:
    """One translation with the marks and scores of all its workers, and what was decided."""
    return json_reply(await desk.ask("marked-text", {"system": system, "segment": segment}))


@router.post("/decision", dependencies=[require("manager")])
def decide(desk: DeskOf, caller: CallerOf, body: DecisionBody) -> DecisionView:
    """Decide what the errors of a translation are. Judgements stay as they are; the log has the decision."""
    marks = None if body.marks is None else [ErrorMark(**each.model_dump()) for each in body.marks]
    adjudicate(
        desk.campaign,
        body.system_id,
        body.segment_id,
        marks,
        note=body.note,
        by=caller.by,
        now=datetime.now(UTC),
    )
    n_marks = None if marks is None else len(marks)
    return DecisionView(system_id=body.system_id, segment_id=body.segment_id, n_marks=n_marks)
