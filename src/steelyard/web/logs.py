"""Lines about requests and problems, for whoever runs the server: never who asked, nor what for exactly.

No token, address, name or query is written: a route stands for all requests to it, such as `/w/{token}`.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

LogStyle = Literal["none", "text", "json"]


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that was answered."""

    campaign: str
    """Empty for the pages of a series itself."""
    method: str
    route: str
    status: int
    milliseconds: float


class RequestLog:
    """Writes a line for each request, if that was asked for."""

    def __init__(self, style: LogStyle, stream: TextIO | None = None) -> None:
        self._style = style
        self._stream = stream

    def write(self, seen: Seen) -> None:
        """One line, in one go: lines of several processes do not mix."""
        if self._style == "none":
            return
        (self._stream or sys.stderr).write(self._line(seen))

    def _line(self, seen: Seen) -> str:
        time = _time(datetime.now(UTC))
        if self._style == "json":
            level = "error" if seen.status >= 500 else "info"
            line = {"time": time, "level": level, "event": "request", **asdict(seen)}
            return json.dumps(line | {"milliseconds": round(seen.milliseconds, 1)}) + "\n"
        place = f"{seen.campaign} " if seen.campaign else ""
        return f"{time} {place}{seen.method} {seen.route} {seen.status} {seen.milliseconds:.1f} ms\n"


class ProblemLines(logging.Formatter):
    """Problems as such lines. Of an exception only its class and place: its words may name people."""

    def __init__(self, style: LogStyle) -> None:
        super().__init__()
        self._lines = style

    def format(self, record: logging.LogRecord) -> str:
        """The line of one problem."""
        time = _time(datetime.fromtimestamp(record.created, UTC))
        level = record.levelname.lower()
        reason = record.getMessage().partition("\n")[0]
        raised = record.exc_info[1] if record.exc_info else None
        error = None if raised is None else _place_of(raised)
        if self._lines == "json":
            line = {"time": time, "level": level, "event": "problem", "reason": reason}
            return json.dumps(line | ({"error": error} if error else {}), ensure_ascii=False)
        return f"{time} {level}: {reason}" + (f" ({error})" if error else "")


def log_settings(style: LogStyle) -> dict[str, Any] | None:
    """The settings of Python's logging in each server process; None: as they usually are."""
    if style == "none":
        return None
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"problems": {"()": ProblemLines, "style": style}},
        "handlers": {"problems": {"class": "logging.StreamHandler", "formatter": "problems"}},
        "root": {"level": "WARNING", "handlers": ["problems"]},
        "loggers": {"uvicorn": {"level": "WARNING"}},
    }


def _place_of(error: BaseException) -> str:
    """The class of an error and where it came from, such as `KeyError at steelyard/web/pages.py:12`."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return type(error).__name__
    last = next((frame for frame in reversed(frames) if "steelyard" in frame.filename), frames[-1])
    place = last.filename.replace("\\", "/").rpartition("/src/")[2].rpartition("/site-packages/")[2]
    return f"{type(error).__name__} at {place}:{last.lineno}"


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
