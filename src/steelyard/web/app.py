"""The app: routes over one campaign. Importing this opens nothing."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from steelyard.flows.collect import Collector
from steelyard.flows.media import folder_of
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.release import n_held_hits
from steelyard.flows.series import find_series, opened_campaigns
from steelyard.protocols import protocols
from steelyard.version import __version__
from steelyard.web import (
    analysis_routes,
    crowd_routes,
    entry_routes,
    errors,
    extend_routes,
    health,
    hit_routes,
    links_routes,
    manager_routes,
    managers_routes,
    marks_routes,
    media_routes,
    pages,
    remark_routes,
    running_routes,
    verdict_routes,
    worker_routes,
)
from steelyard.web.analyst import Analyst
from steelyard.web.analyst_process import AnalystBeside
from steelyard.web.base_path import AtUrl
from steelyard.web.callers import BehindProxies
from steelyard.web.closing import ClosedInTheEnd
from steelyard.web.compressed import Compressed
from steelyard.web.crowd_watch import CrowdWatch
from steelyard.web.guards import Guards
from steelyard.web.identity import Identified
from steelyard.web.limits import Limiter, Limits
from steelyard.web.logs import RequestLog
from steelyard.web.metrics import Metrics
from steelyard.web.observed import Observed, Observer
from steelyard.web.schemas import ErrorView
from steelyard.web.serving import ServerSettings
from steelyard.web.state import Desk
from steelyard.web.static_files import StaticFiles
from steelyard.web.submit_route import JUDGEMENTS_PATH, SubmitRoute, deliver

ERROR_STATUSES = (400, 401, 403, 404, 409, 413, 422, 429, 503)


class CampaignApp(FastAPI):
    """The app of one campaign. What every click asks for is answered before all else."""

    submit_route: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        await self.submit_route(scope, receive, send)


# How the description says who may call a route.
LINK_SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "description": "The token at the end of a link: a worker's for /work, that of the open link for /join, a "
    "manager's for everything else. What a manager's link allows depends on its role.",
}


def create_app(
    campaign: OpenCampaign,
    limits: Limits | None = None,
    *,
    analyst: Analyst | None = None,
    name: str = "",
    media: Path | None = None,
) -> FastAPI:
    """The web app over an open campaign. `limits`: those of the process, if other apps share them.

    `analyst`: who makes analyses, under which `name` of the campaign; by default, threads of this process.
    `media`: the folder of the files that sources show, if not that beside the database.
    """
    limits = limits or Limits.new()
    app = CampaignApp(
        title="Steelyard",
        version=__version__,
        docs_url=None,
        redoc_url=None,
    )
    app.state.desk = Desk.over(campaign) if analyst is None else Desk(campaign, analyst, name)
    app.state.media = media or folder_of(campaign)
    app.state.limits = limits
    protocol = protocols()[campaign.settings.protocol]
    # The description says what this campaign's answers look like.
    app.openapi = cache(partial(_described, app, protocol.answer_schema))  # type: ignore[method-assign]
    errors.install(app)
    app.router.routes.extend(_routes())
    app.mount("/static", StaticFiles(), name="static")
    app.add_middleware(Compressed)
    app.add_middleware(Limiter, limits=limits)
    app.add_middleware(Guards)
    app.state.collector = Collector(campaign, deliver)
    app.submit_route = SubmitRoute(super(CampaignApp, app).__call__, app.state.collector, limits)
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """What every campaign's app answers to; worked out once, since a series has many apps."""
    every = APIRouter(responses={status: {"model": ErrorView} for status in ERROR_STATUSES})
    for router in (
        worker_routes.router,
        worker_routes.join_router,
        entry_routes.router,
        manager_routes.router,
        links_routes.router,
        managers_routes.router,
        running_routes.router,
        remark_routes.router,
        analysis_routes.router,
        hit_routes.router,
        extend_routes.router,
        verdict_routes.router,
        crowd_routes.router,
        crowd_routes.notice_router,
        marks_routes.router,
        pages.router,
        media_routes.router,
        health.router,
    ):
        every.include_router(router)
    return tuple(every.routes)


def _described(app: FastAPI, answer_schema: Mapping[str, Any]) -> dict[str, Any]:
    """The OpenAPI description, with answers as the campaign's protocol publishes them."""
    description = deepcopy(FastAPI.openapi(app))
    request = description["paths"][JUDGEMENTS_PATH]["post"]["requestBody"]
    submission = request["content"]["application/json"]["schema"]
    # Only a whole document may name its dialect.
    answer = {key: value for key, value in answer_schema.items() if key != "$schema"}
    training = description["components"]["schemas"]["TrainingBody"]
    for body in (submission, training):
        body["properties"]["answer"] = {"title": "Answer", **answer}
    description.setdefault("components", {})["securitySchemes"] = {"link": LINK_SCHEME}
    for path, operations in description["paths"].items():
        for operation in operations.values():
            # Every route below this needs somebody's token; health and pages are not described here.
            operation["security"] = [{"link": []}] if path.startswith("/api/") else []
    return description


def observed_app(app: FastAPI, campaign: OpenCampaign, log: RequestLog) -> ASGIApp:
    """The app of one campaign with a log and metrics."""
    name = campaign.settings.name
    app.state.metrics = Metrics({name: partial(n_held_hits, campaign)})
    app.state.metrics.add_writer(name, app.state.collector)
    return Observed(app, Observer(log, app.state.metrics), name)


def app_at(address: str, settings: ServerSettings) -> ASGIApp:
    """The app of a server process, which opens the campaign or series itself."""
    series = find_series(address)
    limits = Limits.new(requests_per_second=settings.requests_per_second)
    analyst = AnalystBeside(settings.read_replica or address, log=settings.log)
    app: ASGIApp
    log = RequestLog(settings.log)
    if series is None:
        campaigns = [open_campaign(address)]
        app = observed_app(
            create_app(campaigns[0], limits, analyst=analyst, media=settings.media), campaigns[0], log
        )
    else:
        from steelyard.web.series_app import create_series_app

        opened = opened_campaigns(series)
        campaigns = [outcome.result for outcome in opened if outcome.result is not None]
        app = create_series_app(series, opened, limits, log, analyst=analyst, media=settings.media)
    app = ClosedInTheEnd(app, [CrowdWatch(campaigns), analyst, *campaigns])
    app = AtUrl(app, settings.url) if settings.url else app
    app = Identified(app, settings.identity_header) if settings.identity_header else app
    return BehindProxies(app, settings.trusted_proxies) if settings.trusted_proxies else app
