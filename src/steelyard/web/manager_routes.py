"""What the manager's dashboard calls."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response

from steelyard.domain.judgement import FrameName
from steelyard.flows.export import marked_rows
from steelyard.flows.judged import judged_frames
from steelyard.protocols import protocols
from steelyard.web.auth import DeskOf, require_manager
from steelyard.web.links_routes import links_here
from steelyard.web.overview_schemas import DashboardView, overview_view

router = APIRouter(prefix="/api/v1", tags=["manage"], dependencies=[require_manager])


@router.get("/campaign")
def campaign(desk: DeskOf, request: Request) -> DashboardView:
    """The campaign, how far it is, when it ends, what it costs, and its links."""
    seen = overview_view(desk.watch.overview(now=datetime.now(UTC)))
    return DashboardView(**dict(seen), links=links_here(desk, request))


@router.get("/judgements.csv", response_class=Response)
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
