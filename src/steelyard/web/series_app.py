"""The app of a series: each campaign below /c/NAME, as if it were alone; the series itself at the root."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from steelyard.domain.errors import as_command_line
from steelyard.flows.open import OpenCampaign
from steelyard.flows.release import n_held_hits
from steelyard.flows.series import Outcome, Series
from steelyard.flows.series_links import series_door
from steelyard.version import __version__
from steelyard.web import errors, series_routes
from steelyard.web.analyst import Analyst, AnalystHere
from steelyard.web.app import ERROR_STATUSES, create_app
from steelyard.web.compressed import Compressed
from steelyard.web.guards import Guards
from steelyard.web.limits import Limiter, Limits
from steelyard.web.logs import RequestLog
from steelyard.web.metrics import Metrics
from steelyard.web.observed import Observed, Observer
from steelyard.web.pages import message_page
from steelyard.web.schemas import ErrorView, error_body
from steelyard.web.series_routes import SeriesDesk
from steelyard.web.static_files import StaticFiles

UNUSABLE = "This campaign cannot be used right now; nothing was lost. Try again later, or tell the organiser."


class SeriesApp:
    """ASGI app that hands each request to the campaign its path names, or to the series."""

    def __init__(self, home: ASGIApp, campaigns: Mapping[str, ASGIApp]) -> None:
        self.home = home
        self.campaigns = campaigns

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.home(scope, receive, send)
            return
        root = scope.get("root_path", "")
        inside = scope["path"].removeprefix(root)
        name, slash, _ = inside.removeprefix("/c/").partition("/")
        app = self.campaigns.get(name) if inside.startswith("/c/") else None
        if app is None:
            await self.home(scope, receive, send)
        elif not slash:
            await RedirectResponse(f"{quote(name)}/")(scope, receive, send)
        else:
            await app({**scope, "root_path": f"{root}/c/{name}"}, receive, send)


def create_series_app(
    series: Series,
    opened: list[Outcome[OpenCampaign]],
    limits: Limits | None = None,
    log: RequestLog | None = None,
    *,
    analyst: Analyst | None = None,
    media: Path | None = None,
) -> SeriesApp:
    """The web app over the campaigns of a series. One that could not be opened answers 503."""
    if analyst is None:
        analyst = AnalystHere({each.name: each.result for each in opened if each.result is not None})
    limits = limits or Limits.new()
    held = {each.name: partial(n_held_hits, each.result) for each in opened if each.result is not None}
    observer = Observer(log or RequestLog("none"), Metrics(held))
    apps: dict[str, ASGIApp] = {}
    desks, broken = {}, {}
    for outcome in opened:
        if outcome.result is None:
            assert outcome.error is not None
            broken[outcome.name] = outcome.error.spelt(as_command_line)
            apps[outcome.name] = Observed(Guards(_unusable), observer, outcome.name)
        else:
            app = create_app(outcome.result, limits, analyst=analyst, name=outcome.name, media=media)
            observer.metrics.add_writer(outcome.name, app.state.collector)
            apps[outcome.name] = Observed(app, observer, outcome.name)
            desks[outcome.name] = app.state.desk
    home = _home(SeriesDesk(series.name, series_door(series), desks, broken, analyst), limits)
    home.state.metrics = observer.metrics
    return SeriesApp(Observed(home, observer), apps)


def _home(desk: SeriesDesk, limits: Limits) -> FastAPI:
    app = FastAPI(
        title="Steelyard series",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        responses={status: {"model": ErrorView} for status in ERROR_STATUSES},
    )
    app.state.series = desk
    errors.install(app)
    app.include_router(series_routes.router)
    app.include_router(series_routes.pages)
    app.mount("/static", StaticFiles(), name="static")
    app.add_middleware(Compressed)
    app.add_middleware(Limiter, limits=limits)
    app.add_middleware(Guards)
    return app


async def _unusable(scope: Scope, receive: Receive, send: Send) -> None:
    """The reply to every request about a campaign that could not be opened."""
    request = Request(scope)
    reply: Response
    if request.url.path.removeprefix(scope["root_path"]).startswith("/api/"):
        reply = JSONResponse(error_body("database", UNUSABLE), 503)
    else:
        reply = message_page(request, "Not available", UNUSABLE, 503)
    await reply(scope, receive, send)
