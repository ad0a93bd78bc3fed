"""Amazon Mechanical Turk, emulated: the API of requesters, as boto3 speaks it, and what workers open."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import numpy as np
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from steelyard.domain.wording import in_units
from steelyard.emulators.control import ControlError, emulator_app
from steelyard.emulators.control_page import control_page, plain_page
from steelyard.emulators.faults import BusyReply, FaultyApp
from steelyard.emulators.mturk_api import CONTENT_TYPE, TARGET, error_answer, turk_reply
from steelyard.emulators.mturk_market import CURRENCY
from steelyard.emulators.mturk_pages import framed, rehearsal_links
from steelyard.emulators.mturk_parameters import TurkError
from steelyard.emulators.mturk_people import listed_hits, preview_address, submit_fields, worker_session
from steelyard.emulators.mturk_stage import MTurkStage
from steelyard.emulators.offer import Emulator, EmulatorSettings

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send


def create_mturk_app(settings: EmulatorSettings) -> ASGIApp:
    """An emulated Mechanical Turk; `settings.token` is the access key id by which requests are signed."""
    stage = MTurkStage(settings)
    app = emulator_app(stage, [Route("/", _api(stage, settings.token), methods=["POST"]), *_pages(stage)])
    rng = np.random.default_rng(settings.seed)
    faulty = FaultyApp(app, settings.faults, rng, lambda status: _refusal(stage, status), _operation)

    async def entry(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
            stage.origin = f"{scope['scheme']}://{host}"
        # Only programs suffer faults: workers' browsers do as they would.
        is_api = scope["type"] == "http" and scope["path"] == "/"
        await (faulty if is_api else app)(scope, receive, send)

    return entry


def _operation(scope: Scope) -> str:
    """What a call asks for: all of them have the same path."""
    target: bytes = dict(scope["headers"]).get(b"x-amz-target", b"")
    return target.decode("latin-1").removeprefix(TARGET)


def _refusal(stage: MTurkStage, status: int) -> BusyReply:
    """How AWS says that it is busy, or in trouble."""
    if status == 429:
        error = TurkError("Rate exceeded", kind="ThrottlingException")
    else:
        what = "Amazon Mechanical Turk is temporarily unable to process your request. Try your call again."
        error = TurkError(what, "ServiceFault", kind="ServiceFault", status=500)
    body = json.dumps(error_answer(error, stage.market)).encode()
    return BusyReply(error.status, body, [(b"content-type", CONTENT_TYPE.encode())])


def _api(stage: MTurkStage, access_key: str) -> Any:
    async def reply(request: Request) -> Response:
        status, answer = turk_reply(stage.market, access_key, request.headers, await request.body())
        return Response(json.dumps(answer), status, media_type=CONTENT_TYPE)

    return reply


def _pages(stage: MTurkStage) -> list[Route]:
    """What workers open, and what somebody opens who rehearses."""

    async def submit(request: Request) -> Response:
        fields = [*parse_qsl(request.url.query, keep_blank_values=True), *await _form(request)]
        given = dict(fields)
        try:
            submit_fields(stage.market, given.get("assignmentId", ""), fields, given.get("workerId"))
        except ControlError as error:
            said = f"There was a problem submitting your results for this HIT. {error}"
            return HTMLResponse(plain_page("Not submitted", f"<p>{escape(said)}</p>"), error.status)
        return HTMLResponse(plain_page("Submitted", "<p>Your results have been submitted. Thank you.</p>"))

    async def preview(request: Request) -> Response:
        try:
            return JSONResponse(
                {"url": preview_address(stage.market, request.query_params.get("listing", ""))}
            )
        except ControlError as error:
            return JSONResponse({"error": str(error)}, error.status)

    async def frame(request: Request) -> Response:
        return _shown(stage, request.path_params.get("session"), request.query_params.get("listing", ""))

    async def accept(request: Request) -> Response:
        listing = dict(await _form(request)).get("listing", "")
        try:
            taken = stage.take(stage.add_people(1)[0], listing)
        except ControlError as error:
            return HTMLResponse(plain_page("Not accepted", f"<p>{escape(str(error))}</p>"), error.status)
        return RedirectResponse(f"/emulator/frame/{taken['session']}", 303)

    async def overview(_request: Request) -> Response:
        listings, sessions = stage.listings(), stage.sessions()
        links, statement = rehearsal_links(listings, sessions), stage.books.statement(sessions)
        now = stage.clock.now()
        return HTMLResponse(control_page(stage.title, now, listings, statement, more=links))

    return [
        Route("/mturk/externalSubmit", submit, methods=["POST"]),
        Route("/emulator/preview", preview, methods=["GET"]),
        Route("/emulator/frame", frame, methods=["GET"]),
        Route("/emulator/frame/{session}", frame, methods=["GET"]),
        Route("/emulator/accept", accept, methods=["POST"]),
        Route("/emulator/", overview, methods=["GET"]),
    ]


def _shown(stage: MTurkStage, session: str | None, listing: str) -> Response:
    """A HIT in its frame: accepted, or as a preview."""
    try:
        if session is None:
            hit, note = listed_hits(stage.market, listing)[0], "A preview: nobody has accepted this HIT yet."
            address = preview_address(stage.market, listing)
        else:
            assignment = worker_session(stage.market, session)
            hit = stage.market.hits[assignment.hit_id]
            note = (
                f"{assignment.worker_id}: {assignment.state}, until {assignment.deadline:%Y-%m-%d %H:%M} UTC."
            )
            address = stage.address(assignment)
    except ControlError as error:
        return HTMLResponse(plain_page("There is no such HIT", f"<p>{escape(str(error))}</p>"), error.status)
    note = f"{note} Reward: {in_units(hit.hit_type.reward)} {stage.books.currency}."
    return HTMLResponse(framed(hit.hit_type.title, note, address, hit.frame_height))


async def _form(request: Request) -> list[tuple[str, str]]:
    """The fields of a form, as browsers send them where it holds no files."""
    return parse_qsl((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)


EMULATOR = Emulator(
    name="mturk",
    title="Mechanical Turk",
    currency=CURRENCY,
    create_app=create_mturk_app,
    environment={
        "MTURK_URL": "{url}",
        "AWS_ACCESS_KEY_ID": "{token}",
        "AWS_SECRET_ACCESS_KEY": "{token}",
    },
)
