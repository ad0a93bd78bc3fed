"""What a worker's browser sends before the first set, and what workers write to the organiser."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field, JsonValue, StringConstraints

from steelyard.domain.entry import Remark, RemarkKind
from steelyard.domain.judgement import Preference
from steelyard.flows import entry_answers
from steelyard.flows.remarks import add_remark
from steelyard.flows.work_status import WorkStatus, work_status
from steelyard.web.auth import DeskOf, WorkerId
from steelyard.web.schemas import MOST_FIELDS, NoNul, OpaqueId, SessionId, StrictBody, tried_record

# Letters of a remark: half a page [our choice].
LONGEST_REMARK = 2000

router = APIRouter(prefix="/api/v1/work", tags=["work"])

Answers = Annotated[dict[str, JsonValue], Field(max_length=MOST_FIELDS)]


class ConsentBody(StrictBody):
    """Whether the worker agrees, and to the text of which revision."""

    agrees: bool
    revision: Annotated[int, Field(ge=1)]


class QuestionsBody(StrictBody):
    """The answers to all questions, by name; questions that are optional may be left out."""

    answers: Answers


class TrainingBody(StrictBody):
    """An answer to a training item, of the shape that the campaign's protocol publishes."""

    number: Annotated[int, Field(ge=1)]
    answer: Answers


class RemarkBody(StrictBody):
    """What a worker writes. The client makes the id and sends the same one when it tries again."""

    # UUIDs come as text.
    remark_id: Annotated[UUID, Field(strict=False)]
    kind: RemarkKind
    text: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_REMARK), NoNul
    ]
    assignment_id: OpaqueId | None = None
    item_id: OpaqueId | None = None


class TrainedView(BaseModel):
    """What is said about an answer to a training item, and where the worker stands now.

    `is_expected`: null where any answer is. `side`: the ratings lie below or above what is expected.
    `expected`: the range of the rating, or one for each of several translations. `spans`: for each
    translation, the errors that should be marked; `found` and `missed` count them, `extra` what was marked
    elsewhere. All of these are null where the example does not say.
    """

    is_expected: bool | None
    side: Literal["low", "high"] | None
    expected: tuple[float, float] | tuple[tuple[float, float], ...] | None
    spans: list[list[dict[str, Any]]] | None
    found: int | None
    missed: int | None
    extra: int | None
    preferred: list[Preference] | None
    feedback: str
    work: WorkStatus


class KeptView(BaseModel):
    """The reply to a remark that is stored."""


@router.post("/consent")
def give_consent(
    desk: DeskOf, worker_id: WorkerId, body: ConsentBody, session: SessionId = None
) -> WorkStatus:
    """Say whether one agrees to the campaign's consent text. It can be taken back at any time."""
    now = datetime.now(UTC)
    entry_answers.give_consent(desk.campaign, worker_id, agrees=body.agrees, revision=body.revision, now=now)
    return work_status(desk.campaign, worker_id, now=now, session_id=session)


@router.post("/questions")
def answer_questions(
    desk: DeskOf, worker_id: WorkerId, body: QuestionsBody, session: SessionId = None
) -> WorkStatus:
    """Answer the questions that come before the first set, once; the same answers again are harmless."""
    now = datetime.now(UTC)
    entry_answers.answer_questions(desk.campaign, worker_id, body.answers, now=now)
    return work_status(desk.campaign, worker_id, now=now, session_id=session)


@router.post("/training")
def try_training(
    desk: DeskOf, worker_id: WorkerId, body: TrainingBody, session: SessionId = None
) -> TrainedView:
    """Try out a training item and read what an expert says. Each try is recorded."""
    now = datetime.now(UTC)
    tried = entry_answers.try_training(desk.campaign, worker_id, body.number, body.answer, now=now)
    work = work_status(desk.campaign, worker_id, now=now, session_id=session)
    return TrainedView(**tried_record(tried), work=work)


@router.post("/remarks", status_code=201, responses={200: {"model": KeptView}})
def write_remark(desk: DeskOf, worker_id: WorkerId, body: RemarkBody, response: Response) -> KeptView:
    """Write to the organiser. 201: stored now; 200: it was stored before."""
    remark = Remark(
        remark_id=str(body.remark_id),
        worker_id=worker_id,
        kind=body.kind,
        text=body.text,
        made_at=datetime.now(UTC),
        assignment_id=body.assignment_id,
        item_id=body.item_id,
    )
    if not add_remark(desk.campaign, remark):
        response.status_code = 200
    return KeptView()
