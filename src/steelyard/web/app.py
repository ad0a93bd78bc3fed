"""The app: routes over one campaign. Importing this opens nothing."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.version import __version__
from steelyard.web import errors, health, manager_routes, pages, worker_routes
from steelyard.web.guards import Guards
from steelyard.web.schemas import ErrorView
from steelyard.web.state import Desk, LatestAnalysis

ERROR_STATUSES = (400, 401, 404, 409, 413, 422, 503)


def create_app(campaign: OpenCampaign) -> FastAPI:
    """The web app over an open campaign."""
    app = FastAPI(
        title="Steelyard",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        responses={status: {"model": ErrorView} for status in ERROR_STATUSES},
    )
    app.state.desk = Desk(campaign, LatestAnalysis(campaign))
    errors.install(app)
    for router in (
        worker_routes.router,
        worker_routes.join_router,
        manager_routes.router,
        pages.router,
        health.router,
    ):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    app.add_middleware(Guards)
    return app


def app_at(address: str) -> FastAPI:
    """The app of a process of its own, which opens the campaign itself."""
    return create_app(open_campaign(address))
