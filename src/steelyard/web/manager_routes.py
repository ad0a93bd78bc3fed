"""What the manager's dashboard calls."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response

from steelyard.domain.judgement import FrameName
from steelyard.domain.managers import allows
from steelyard.flows.export import marked_rows
from steelyard.flows.judged import judged_frames
from steelyard.protocols import protocols
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.links_routes import links_here
from steelyard.web.overview_schemas import CallerView, DashboardView, overview_view

router = APIRouter(prefix="/api/v1", tags=["manage"])


@router.get("/campaign", dependencies=[require("viewer")])
def campaign(desk: DeskOf, caller: CallerOf, request: Request) -> DashboardView:
    """The campaign, how far it is, when it ends, what it costs, and its links for those who may have them."""
    seen = overview_view(desk.watch.overview(now=datetime.now(UTC)))
    links = links_here(desk, request, caller) if allows(caller.role, "manager") else None
    you = CallerView(role=caller.role, manager_id=caller.manager_id, name=caller.name)
    return DashboardView(**dict(seen), links=links, you=you)


@router.get("/judgements.csv", response_class=Response, dependencies=[require("viewer")])
def judgements(desk: DeskOf, frame: FrameName | None = None) -> Response:
    """All judgements as a file that `steelyard analyse` reads: what the protocol gives first, or `frame`."""
    from steelyard.formats.judgements_file import neighbour, write_judgements

    settings = desk.campaign.settings
    wanted = frame or protocols()[settings.protocol].gives[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judgements.csv"
        write_judgements(marked_rows(desk.campaign, judged_frames(desk.campaign), wanted), path, name=wanted)
        content = path.read_bytes()
    name = Path(f"{settings.name}.judgements.csv")
    # Saved in one folder, the files are found with the ratings.
    name = name if wanted == "ratings" else neighbour(name, wanted)
    disposition = f'attachment; filename="{name}"'
    return Response(content, media_type="text/csv", headers={"Content-Disposition": disposition})
