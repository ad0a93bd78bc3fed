"""For monitoring the server: is the process up, can it reach its database."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from steelyard.web.auth import DeskOf, require

router = APIRouter(include_in_schema=False, default_response_class=PlainTextResponse)


@router.get("/healthz")
async def healthz() -> str:
    """The process is up."""
    return "ok"


@router.get("/readyz")
def readyz(desk: DeskOf) -> str:
    """The database answers; 503 otherwise."""
    desk.campaign.ping()
    return "ok"


@router.get("/metrics", dependencies=[require("viewer")])
def metrics_now(request: Request) -> Response:
    """Numbers for Prometheus. Of a series they are at its root, with the token of the series."""
    return metrics_reply(request)


def metrics_reply(request: Request) -> Response:
    """The numbers of this server; 404 where nobody counts."""
    counted = getattr(request.app.state, "metrics", None)
    if counted is None:
        raise HTTPException(404, "There are no metrics here; those of a series are at its root.")
    return Response(counted.text(), media_type=CONTENT_TYPE_PLAIN_0_0_4)
