"""What a worker's browser calls."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError

from steelyard.domain.judgement import Behaviour
from steelyard.flows import assign, links
from steelyard.flows.participants import welcome
from steelyard.flows.release import return_work
from steelyard.flows.rules import campaign_rules
from steelyard.flows.sessions import Posting, hand_in
from steelyard.flows.submit import Submission, Submitted, submit
from steelyard.flows.work_status import WorkStatus, work_status
from steelyard.web.auth import DeskOf, WorkerId, bearer, require_visitor, worker_of
from steelyard.web.base_path import base_url_of
from steelyard.web.callers import caller_key
from steelyard.web.limits import limits_of
from steelyard.web.schemas import (
    FinishBody,
    FinishedView,
    JoinedView,
    NextItemView,
    ReturnBody,
    SessionId,
    SubmissionBody,
    SubmittedView,
    parse,
    work_view,
)
from steelyard.web.state import Desk, desk_of


def _submission_schema() -> dict[str, Any]:
    """What a submission looks like, its behaviour in place: the description of the API has no name for it."""
    schema = SubmissionBody.model_json_schema()
    behaviour = schema["$defs"].pop("BehaviourBody")
    schema["properties"]["behaviour"]["anyOf"] = [behaviour, {"type": "null"}]
    return schema


SUBMISSION_SCHEMA = {
    "required": True,
    "content": {"application/json": {"schema": _submission_schema()}},
}

router = APIRouter(prefix="/api/v1/work", tags=["work"])
join_router = APIRouter(prefix="/api/v1", tags=["work"])


@router.get("")
def status(desk: DeskOf, worker_id: WorkerId, session: SessionId = None) -> WorkStatus:
    """Where the worker stands; takes nothing."""
    return work_status(desk.campaign, worker_id, now=datetime.now(UTC), session_id=session)


@router.post("/next")
def next_item(desk: DeskOf, request: Request, worker_id: WorkerId) -> NextItemView | FinishedView:
    """The item to judge now; begins a HIT if none is open. Asking again gives the same item."""
    now, taken = datetime.now(UTC), limits_of(request).taken
    caller = (desk.campaign.settings.name, caller_key(request.scope))
    with taken.turn(caller) as earlier:
        most = campaign_rules(desk.campaign).unbegun_hits
        held = assign.unbegun(desk.campaign, earlier, now=now) if 0 < most <= len(earlier) else earlier
        taken.forget([each for each in earlier if each not in held])
        may_take = not 0 < most <= len(held)
        view = assign.next_item(desk.campaign, worker_id, now=now, may_take=may_take)
        if view.assignment_id is not None and not view.n_done:
            taken.add(caller, view.assignment_id)
    return work_view(view)


@router.post("/return")
def give_back(desk: DeskOf, worker_id: WorkerId, body: ReturnBody, session: SessionId = None) -> WorkStatus:
    """Return the open HIT to the pool. What was judged in it stays."""
    now = datetime.now(UTC)
    return_work(desk.campaign, worker_id, body.assignment_id, now=now)
    return work_status(desk.campaign, worker_id, now=now, session_id=session)


@router.post("/finish")
def hand_in_set(desk: DeskOf, worker_id: WorkerId, body: FinishBody) -> Posting:
    """Credit a session of the platform with a finished set; replies what to post there, and where."""
    return hand_in(desk.campaign, worker_id, body.session_id, body.submit_to, now=datetime.now(UTC))


@router.post(
    "/judgements",
    status_code=201,
    responses={200: {"model": SubmittedView}, 201: {"model": SubmittedView}},
    openapi_extra={"requestBody": SUBMISSION_SCHEMA},
)
async def submit_judgement(request: Request) -> Response:
    """Store an answer and get the next item. 201: stored now; 200: it was stored before.

    Answers that are in order never come here: `SubmitRoute` stores them together.
    """
    desk, token = desk_of(request), bearer(request)
    try:
        body = parse(SubmissionBody, await request.body())
    except RequestValidationError:
        await run_in_threadpool(worker_of, desk, token)
        raise
    submitted = await run_in_threadpool(_submit, desk, token, body)
    status = 201 if submitted.is_new else 200
    return Response(submitted_content(submitted), status, media_type="application/json")


def _submit(desk: Desk, token: str, body: SubmissionBody) -> Submitted:
    return submit(desk.campaign, worker_of(desk, token), submission_of(body), now=datetime.now(UTC))


def submission_of(body: SubmissionBody) -> Submission:
    """What a request's body says."""
    return Submission(
        judgement_id=str(body.judgement_id),
        assignment_id=body.assignment_id,
        item_id=body.item_id,
        answer=body.answer,
        shown_ms=body.shown_ms,
        revision=body.revision,
        behaviour=Behaviour(**body.behaviour.model_dump()) if body.behaviour else None,
    )


def submitted_content(submitted: Submitted) -> bytes:
    """What the reply to an answer that is stored says."""
    # Plain values and the plain encoder: every click waits for this.
    return json.dumps(SubmittedView(next=work_view(submitted.next)), ensure_ascii=False).encode()


@join_router.post("/join", status_code=201, dependencies=[require_visitor])
def join_campaign(desk: DeskOf, request: Request) -> JoinedView:
    """A worker's link, for someone who came by the open link: a new one, unless a platform knows them.

    The parameters by which a platform says who comes are those of the open link itself.
    """
    query = request.query_params.multi_items()
    # Whoever comes back takes no place of the address they come from.
    if welcome(desk.campaign, query) == "open":
        most = campaign_rules(desk.campaign).joins_per_hour
        limits_of(request).join(request.scope, desk.campaign.settings.name, most)
    now = datetime.now(UTC)
    link = links.join_campaign(desk.campaign, base_url=base_url_of(request), now=now, query=query)
    return JoinedView(token=link.token, url=link.url)
