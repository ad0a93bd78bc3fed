"""What the manager's dashboard calls."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from steelyard.domain.judgement import FrameName
from steelyard.domain.managers import allows
from steelyard.formats.judgements_writing import neighbour
from steelyard.protocols import protocols
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.links_routes import links_here
from steelyard.web.overview_schemas import CallerView, DashboardView, WhoAsks
from steelyard.web.replies import csv_reply, json_reply

router = APIRouter(prefix="/api/v1", tags=["manage"])


@router.get("/campaign", response_model=DashboardView, dependencies=[require("viewer")])
async def campaign(desk: DeskOf, caller: CallerOf, request: Request) -> Response:
    """The campaign, how far it is, when it ends, what it costs, and its links for those who may have them."""
    links = None
    if allows(caller.role, "manager"):
        links = await run_in_threadpool(links_here, desk, request, caller)
    you = CallerView(role=caller.role, manager_id=caller.manager_id, name=caller.name)
    return json_reply(await desk.ask("overview"), WhoAsks(links=links, you=you))


@router.get("/judgements.csv", response_class=Response, dependencies=[require("viewer")])
async def judgements(desk: DeskOf, frame: FrameName | None = None) -> Response:
    """All judgements as a file that `steelyard analyse` reads: what the protocol gives first, or `frame`."""
    settings = desk.campaign.settings
    wanted = frame or protocols()[settings.protocol].gives[0]
    name = Path(f"{settings.name}.judgements.csv")
    # Saved in one folder, the files are found with the ratings.
    name = name if wanted == "ratings" else neighbour(name, wanted)
    return csv_reply(await desk.ask("judgements-file", {"frame": wanted}), str(name))
