"""The options of an analysis as a query names them: the same as on the command line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import Request

from steelyard.aggregation import method_options
from steelyard.domain.analysis_options import AnalysisOptions
from steelyard.domain.errors import ChoiceError
from steelyard.domain.options import Option, options_of
from steelyard.domain.result import MethodSettings
from steelyard.qc import check_options

# Draws take memory for each segment. Who wants more runs `steelyard analyse` [our choice].
MOST_DRAWS = 10_000
_TRUTHS = {"true": True, "false": False}


def analysis_choices() -> list[Option]:
    """Every option that an analysis may be given."""
    return [*options_of(AnalysisOptions), *options_of(MethodSettings), *method_options(), *check_options()]


def chosen(request: Request) -> dict[str, Any]:
    """The options given in the query, which may be written with dashes; ChoiceError for unknown ones."""
    known = {found.name: found for found in analysis_choices()}
    choices: dict[str, Any] = {}
    for written, value in request.query_params.multi_items():
        name = written.replace("-", "_")
        if name in choices:
            raise ChoiceError(f"The option {written!r} was given twice.")
        if name == "draws":
            replace(known[name], maximum=MOST_DRAWS).read(value)
        is_flag = name in known and known[name].is_flag
        choices[name] = _truth(name, value) if is_flag else value
    return choices


def _truth(name: str, value: str) -> bool:
    if value.lower() not in _TRUTHS:
        raise ChoiceError(f"{{{name}}} must be true or false, not {value!r}.")
    return _TRUTHS[value.lower()]


def parameters() -> list[dict[str, Any]]:
    """The options for the description of a route."""
    return [
        {
            "name": found.name,
            "in": "query",
            "required": False,
            "description": found.help,
            "schema": {"type": "string", **({"enum": list(found.choices)} if found.choices else {})},
        }
        for found in analysis_choices()
    ]
