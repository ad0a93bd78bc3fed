"""Requests to Mechanical Turk: what parameters may be, pages of long answers, errors as AWS names them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

CODES = "AWS.MechanicalTurk."
DEFAULT_PAGE = 10
LARGEST_PAGE = 100
_Row = TypeVar("_Row")
_AMOUNT = re.compile(r"([0-9]+)\.?([0-9]{0,2})")


class TurkError(Exception):
    """What is refused, as boto3 sees it: the kind is its `Error.Code`, the code its `TurkErrorCode`."""

    def __init__(
        self, message: str, code: str = "", *, kind: str = "RequestError", status: int = 400
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = f"{CODES}{code}" if code else ""
        self.kind = kind
        self.status = status


def invalid(name: str, why: str) -> TurkError:
    """A parameter that does not do."""
    return TurkError(f"{name}: {why}", "InvalidParameterValue")


def text_parameter(
    request: Mapping[str, Any], name: str, *, most: int = 65535, default: str | None = None
) -> str:
    """A text of at most this many letters; without a default it must be there."""
    value = request.get(name, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise invalid(name, "a text is needed.")
    if len(value) > most:
        raise invalid(name, f"must not have more than {most} letters.")
    return value


def whole_parameter(
    request: Mapping[str, Any], name: str, *, least: int, most: int, default: int | None = None
) -> int:
    """A whole number between these; without a default it must be there."""
    value = request.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise invalid(name, f"must be a whole number between {least} and {most}.")
    return value


def money_parameter(request: Mapping[str, Any], name: str) -> int:
    """An amount such as "1.5", in cents."""
    match = _AMOUNT.fullmatch(str(request.get(name, "")))
    if match is None:
        raise invalid(name, 'must be an amount in US dollars, such as "0.25".')
    return int(match[1]) * 100 + int(match[2].ljust(2, "0"))


def page_of(
    request: Mapping[str, Any], name: str, rows: Sequence[_Row], shown: Callable[[_Row], Any]
) -> dict[str, Any]:
    """The part of a list that was asked for, under its name, and the token of the next part."""
    size = whole_parameter(request, "MaxResults", least=1, most=LARGEST_PAGE, default=DEFAULT_PAGE)
    token = request.get("NextToken", "from-0")
    match = re.fullmatch(r"from-([0-9]+)", str(token))
    if match is None:
        raise invalid("NextToken", "is not one that was given out.")
    start = int(match[1])
    part = rows[start : start + size]
    answer: dict[str, Any] = {"NumResults": len(part), name: [shown(row) for row in part]}
    if start + size < len(rows):
        answer["NextToken"] = f"from-{start + size}"
    return answer
