"""What the manager reads of what workers wrote and said before their first set."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from steelyard.domain.entry import QuestionKind, RemarkKind
from steelyard.flows.background import Background, backgrounds
from steelyard.flows.remarks import campaign_remarks
from steelyard.web.auth import DeskOf, require

router = APIRouter(prefix="/api/v1", tags=["manage"])


class RemarkView(BaseModel):
    """What a worker wrote, when, and about which item; null where it is about none."""

    remark_id: str
    worker_id: str
    kind: RemarkKind
    text: str
    made_at: datetime
    hit_id: str | None
    position: int | None
    segment_id: str | None
    item_id: str | None


class RemarksView(BaseModel):
    """The newest remarks, newest first. `n_remarks`: how many there are in all."""

    remarks: list[RemarkView]
    n_remarks: int


class AskedView(BaseModel):
    """A question as it is asked. `accept`: answers that let workers go on; empty: all do."""

    name: str
    text: str
    kind: QuestionKind
    choices: list[str]
    accept: list[str]
    optional: bool


class EntriesView(BaseModel):
    """The questions, the number of training items, and what every worker did before the first set."""

    questions: list[AskedView]
    n_training: int
    workers: list[Background]


@router.get("/remarks", dependencies=[require("viewer")])
def written_remarks(desk: DeskOf, limit: Annotated[int, Query(ge=1, le=1000)] = 200) -> RemarksView:
    """What workers wrote to the organiser, newest first."""
    found = campaign_remarks(desk.campaign, limit=limit)
    shown = [
        RemarkView(
            remark_id=each.remark.remark_id,
            worker_id=each.remark.worker_id,
            kind=each.remark.kind,
            text=each.remark.text,
            made_at=each.remark.made_at,
            hit_id=each.hit_id,
            position=each.position,
            segment_id=each.segment_id,
            item_id=each.remark.item_id,
        )
        for each in found.remarks
    ]
    return RemarksView(remarks=shown, n_remarks=found.n_remarks)


@router.get("/entries", dependencies=[require("manager")])
def entries(desk: DeskOf) -> EntriesView:
    """Who agreed to take part, what workers answered at the start, and how training went."""
    found = backgrounds(desk.campaign)
    questions = [
        AskedView(
            name=question.name,
            text=question.text,
            kind=question.kind,
            choices=list(question.choices),
            accept=list(question.accept),
            optional=question.optional,
        )
        for question in found.questions
    ]
    return EntriesView(questions=questions, n_training=found.n_training, workers=list(found.workers))
