"""Errors as replies: one table, the same shape everywhere, never a stack trace."""

from __future__ import annotations

import logging
import math

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from steelyard.domain.errors import (
    AnswerError,
    CampaignError,
    ChoiceError,
    Conflict,
    EvaluationError,
    NotEnoughData,
    NotFound,
    PlatformError,
    ReplyLost,
    SourceError,
    TooMany,
    as_command_line,
)
from steelyard.web.analyst import AnalystError
from steelyard.web.observed import route_of
from steelyard.web.pages import message_page, wants_page
from steelyard.web.schemas import error_body

logger = logging.getLogger(__name__)

STATUS: dict[type[EvaluationError], tuple[int, str]] = {
    CampaignError: (400, "campaign"),
    NotFound: (404, "not_found"),
    Conflict: (409, "conflict"),
    NotEnoughData: (409, "not_enough_data"),
    ReplyLost: (504, "reply_lost"),
    PlatformError: (502, "platform"),
    TooMany: (429, "too_many"),
    AnswerError: (422, "answer"),
    ChoiceError: (422, "choice"),
    SourceError: (503, "database"),
    AnalystError: (503, "unavailable"),
}
CODES = {
    400: "bad_request",
    401: "unknown_link",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
}
TRY_AGAIN = "The campaign's database cannot be used right now; nothing was lost. Try again in a moment."
NOT_NOW = (
    "The server cannot reach the campaign at the moment. Nothing that was saved is lost. Leave this page "
    "open: it tries again every 15 seconds."
)
WRONG_HERE = "Something went wrong here; nothing was lost. Try again."
# Seconds until a page that says so is loaded again [our choice].
RELOAD_AFTER = 15

NOTHING_HERE = (
    "There is no page at this address. Links are long: check that yours is complete, or ask the organiser "
    "of the campaign to send it again."
)


def install(app: FastAPI) -> None:
    """Let every error of this app reach the client as `{"error": {...}}`."""
    app.add_exception_handler(EvaluationError, evaluation_reply)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _unexpected)


async def evaluation_reply(request: Request, error: Exception) -> Response:
    """The reply to a request that ended in an error of ours."""
    status, code = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), (400, "error"))
    code = error.code if isinstance(error, Conflict) else code
    message = error.spelt(as_command_line) if isinstance(error, EvaluationError) else str(error)
    if isinstance(error, SourceError):
        logger.error("%s %s: %s", request.method, route_of(request.scope), error)
        if wants_page(request):
            page = message_page(request, "One moment, please", NOT_NOW, status)
            page.headers["Refresh"] = str(RELOAD_AFTER)
            return page
        message = TRY_AGAIN
    field = getattr(error, "field", None)
    headers = {"Retry-After": str(math.ceil(error.wait))} if isinstance(error, TooMany) else None
    return JSONResponse(error_body(code, message, field), status, headers)


async def _validation_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = [str(part) for part in first["loc"] if part not in ("body", "query", "path", "header")]
    field = ".".join(where) or None
    code, status = ("bad_request", 400) if first["type"] == "json_invalid" else ("invalid", 422)
    return JSONResponse(error_body(code, f"{field or 'The request'}: {first['msg']}.", field), status)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    # Somebody who mistyped an address, or whose mail program cut it off, reads words.
    if error.status_code == 404 and wants_page(request):
        return message_page(request, "Nothing here", NOTHING_HERE, 404)
    code = CODES.get(error.status_code, "error")
    return JSONResponse(error_body(code, str(error.detail)), error.status_code, headers=error.headers)


async def _unexpected(request: Request, error: Exception) -> Response:
    if wants_page(request):
        return message_page(request, "Something went wrong", WRONG_HERE, 500)
    return JSONResponse(error_body("unexpected", WRONG_HERE), 500)
