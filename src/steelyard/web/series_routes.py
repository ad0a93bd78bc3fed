"""A series: its page, and what that page calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from pydantic import BaseModel, Field, TypeAdapter
from starlette.concurrency import run_in_threadpool

from steelyard.domain.errors import EvaluationError, NotFound, SourceError, as_command_line
from steelyard.domain.running import CampaignState
from steelyard.flows.links import manager_url
from steelyard.flows.series_links import SeriesDoor
from steelyard.flows.series_overview import CampaignGlance
from steelyard.flows.state import StateChange, change_state
from steelyard.web.analyst import Analyst, AnalystError, Question
from steelyard.web.auth import TOKEN, bearer
from steelyard.web.base_path import base_of, base_url_of
from steelyard.web.errors import TRY_AGAIN
from steelyard.web.health import metrics_reply
from steelyard.web.identity import STRANGER, is_signed_in, signed_in_caller
from steelyard.web.pages import NOT_SIGNED_IN, REPORT_POLICY, message_page, rendered
from steelyard.web.running_routes import StateBody
from steelyard.web.state import Desk

Result = TypeVar("Result")
GLANCE = TypeAdapter(CampaignGlance)


@dataclass(frozen=True)
class SeriesDesk:
    """Everything the routes of a series need. `broken`: what is wrong with campaigns that did not open."""

    name: str
    door: SeriesDoor
    desks: Mapping[str, Desk]
    broken: Mapping[str, str]
    analyst: Analyst

    @property
    def names(self) -> list[str]:
        """All campaigns, in order."""
        return sorted({*self.desks, *self.broken})

    def of_each(self, act: Callable[[str, Desk], Result]) -> list[tuple[str, Result | None, str]]:
        """What came of each campaign: its name, the result, and the problem if there is none."""
        found: list[tuple[str, Result | None, str]] = []
        for name in self.names:
            if name in self.broken:
                found.append((name, None, self.broken[name]))
                continue
            try:
                found.append((name, act(name, self.desks[name]), ""))
            except EvaluationError as error:
                found.append((name, None, _problem(error)))
        return found


def _problem(error: EvaluationError) -> str:
    return TRY_AGAIN if isinstance(error, SourceError) else error.spelt(as_command_line)


class SeriesCampaignView(BaseModel):
    """A campaign of the series: what it looks like now, or what is wrong with it."""

    campaign: str
    manager_url: str | None = None
    glance: CampaignGlance | None = None
    error: str | None = None


class SeriesView(BaseModel):
    """All campaigns of the series."""

    series: str
    campaigns: list[SeriesCampaignView]


class SeriesStateBody(StateBody):
    """The state to bring campaigns into, and why; `among`: only those that are in one of these states."""

    among: list[Annotated[CampaignState, Field(strict=False)]] | None = None


class ChangedView(BaseModel):
    """The state a campaign is in now and was in before, or why it could not be brought there."""

    campaign: str
    state: CampaignState | None = None
    before: CampaignState | None = None
    error: str | None = None


def series_desk_of(request: Request) -> SeriesDesk:
    """The desk of the series that this request is about."""
    desk = request.app.state.series
    assert isinstance(desk, SeriesDesk)
    return desk


SeriesDeskOf = Annotated[SeriesDesk, Depends(series_desk_of)]


def _manager(desk: SeriesDeskOf, token: Annotated[str, Depends(bearer)]) -> None:
    try:
        desk.door.require_manager(token)
    except NotFound as error:
        raise HTTPException(401, str(error), headers={"WWW-Authenticate": "Bearer"}) from None


router = APIRouter(prefix="/api/v1/series", tags=["series"], dependencies=[Depends(_manager)])
pages = APIRouter(include_in_schema=False)


@router.get("")
async def series_now(desk: SeriesDeskOf, request: Request) -> SeriesView:
    """All campaigns at a glance."""
    urls = await run_in_threadpool(_manager_urls, desk, request)

    async def look(name: str, url: str | None, problem: str) -> SeriesCampaignView:
        if url is None:
            return SeriesCampaignView(campaign=name, error=problem)
        try:
            found = await desk.desks[name].ask("glance")
        except EvaluationError as error:
            return SeriesCampaignView(campaign=name, error=_problem(error))
        seen = GLANCE.validate_json(found.content)
        return SeriesCampaignView(campaign=name, glance=seen, manager_url=url)

    return SeriesView(series=desk.name, campaigns=await asyncio.gather(*(look(*each) for each in urls)))


def _manager_urls(desk: SeriesDesk, request: Request) -> list[tuple[str, str | None, str]]:
    """By campaign, its manager's link, or the problem that there is none."""
    return desk.of_each(lambda name, one: manager_url(one.campaign, base_url=_place(request, name)))


@router.post("/state")
def change_all(desk: SeriesDeskOf, body: SeriesStateBody) -> list[ChangedView]:
    """Open, pause or close campaigns. Those that cannot be brought into the state say why."""
    now = datetime.now(UTC)

    def change(_name: str, one: Desk) -> StateChange:
        return change_state(
            one.campaign, body.state, by="manager", now=now, reason=body.reason, among=body.among
        )

    return [
        ChangedView(campaign=name, error=problem)
        if found is None
        else ChangedView(campaign=name, state=found.state, before=found.before)
        for name, found, problem in desk.of_each(change)
    ]


@pages.get("/metrics", dependencies=[Depends(_manager)])
def series_metrics(request: Request) -> Response:
    """Numbers of all campaigns for Prometheus."""
    return metrics_reply(request)


@pages.get("/", response_class=HTMLResponse)
def series_home(request: Request) -> HTMLResponse:
    """What this address is, without giving anything away."""
    return message_page(
        request, "Steelyard", "This server runs evaluations of translations. Open the link you were given."
    )


@pages.get("/m/", response_class=HTMLResponse)
def own_campaigns(desk: SeriesDeskOf, request: Request) -> HTMLResponse:
    """The campaigns of a manager whom a proxy has signed in; the series itself has none but its link."""
    if not is_signed_in(request):
        return message_page(request, "Link not valid", NOT_SIGNED_IN, 404)
    known = desk.of_each(lambda _name, one: signed_in_caller(one.campaign, request))
    names = [name for name, caller, _ in known if caller is not None]
    if not names:
        return message_page(request, "Not a manager", STRANGER, 403)
    about = {"base": base_of(request), "title": desk.name, "words": {"language": "en"}, "names": names}
    return rendered("campaigns.html", about)


@pages.get("/m/{token}", response_class=HTMLResponse)
def series_page(desk: SeriesDeskOf, request: Request, token: str) -> HTMLResponse:
    """The page of the series' manager."""
    try:
        _require(desk, token)
    except NotFound as error:
        return message_page(request, "Link not valid", str(error), 404)
    desk.analyst.wake()
    return rendered(
        "series.html", {"base": base_of(request), "title": desk.name, "words": {"language": "en"}}
    )


@pages.get("/m/{token}/report", response_class=HTMLResponse)
async def series_report(desk: SeriesDeskOf, request: Request, token: str) -> HTMLResponse:
    """Every ranking in short, with links to the full reports."""
    try:
        await run_in_threadpool(_require, desk, token)
    except NotFound as error:
        return message_page(request, "Link not valid", str(error), 404)
    urls = await run_in_threadpool(_manager_urls, desk, request)
    arguments = {
        "title": desk.name,
        "pages": {name: f"{url}/report" for name, url, _ in urls if url is not None},
        "broken": {name: problem for name, url, problem in urls if url is None},
        "unusable": TRY_AGAIN,
    }
    try:
        found = await desk.analyst.ask(Question("series-report", arguments=arguments))
    except AnalystError as error:
        return message_page(request, "Not now", str(error), 503)
    return HTMLResponse(found.content, headers={"Content-Security-Policy": REPORT_POLICY})


def _require(desk: SeriesDesk, token: str) -> None:
    if not TOKEN.fullmatch(token):
        raise NotFound("This link is incomplete: copy all of it, from https or http to its last letter.")
    desk.door.require_manager(token)


def _place(request: Request, name: str) -> str:
    """The address of a campaign of the series."""
    return f"{base_url_of(request)}/c/{quote(name)}"


@pages.get("/healthz", response_class=PlainTextResponse)
async def series_up() -> str:
    """The process is up."""
    return "ok"


@pages.get("/readyz", response_class=PlainTextResponse)
def series_ready(desk: SeriesDeskOf) -> PlainTextResponse:
    """The databases of all campaigns answer; 503 with the names of those that do not."""
    failing = [name for name, _, problem in desk.of_each(lambda _name, one: one.campaign.ping()) if problem]
    if failing:
        return PlainTextResponse(f"not ready: {', '.join(failing)}", 503)
    return PlainTextResponse("ok")
