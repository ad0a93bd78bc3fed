"""Mistakes in the tables and keys of a campaign file, as sentences that name them the way the file does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from steelyard.formats.campaign_tables import CampaignFile

_ADDRESS = "needs a complete address that begins with https:// or http://"
# What stands in a file instead of the kind of value that is wanted.
_WANTED = {
    "string_type": "needs text in quotes",
    "int_type": "needs a whole number",
    "float_type": "needs a number",
    "bool_type": "needs true or false",
    "string_too_short": "may not be empty",
    "finite_number": "needs a finite number",
    "web_address": _ADDRESS,
    "id_pattern": "needs a simple regular expression, such as [0-9]{5}: no groups, and at most three "
    "repetitions without a fixed number",
}
# By key, what is wanted where the general sentence would mislead.
_WANTED_OF_KEY = {
    ("currency", "string_pattern_mismatch"): 'needs a code of three capital letters, such as "EUR"',
    ("title", "string_pattern_mismatch"): "must be one line, without control characters",
    ("completion_url", "string_pattern_mismatch"): _ADDRESS,
    **{
        (
            key,
            "string_pattern_mismatch",
        ): "needs a code of up to 100 letters, digits and signs, without spaces"
        for key in ("completion_code", "screened_code", "blocked_code")
    },
    ("fee", "less_than_equal"): "is a share of the pay: write 0.4 for 40 %",
}

# Lists in which one value does not show how they are written.
_LISTS = {"shows": '["source"]', "choices": '["Yes", "No"]', "expected": "[70, 100]"}


def parse_tables(raw: Mapping[str, Any]) -> tuple[CampaignFile | None, list[str]]:
    """The tables of a campaign file, and what is wrong with their keys.

    Keys that are unknown or unusable are left out, so that the rest can be looked at too; None
    if too little remains.
    """
    try:
        return CampaignFile.model_validate(raw), []
    except ValidationError as error:
        found = error.errors()
    problems = [_sentence(problem) for problem in found]
    try:
        return CampaignFile.model_validate(_without(raw, [problem["loc"] for problem in found])), problems
    except ValidationError:
        return None, problems


def table_problems(table: str, values: Mapping[str, Any]) -> list[str]:
    """What is wrong with these keys of one table of a campaign file; others may be missing.

    >>> table_problems("rules", {"lease_minutes": 0.0})
    ['[rules] "lease_minutes" should be greater than 0, not 0.0.']
    """
    try:
        _model_at([table]).model_validate(values)
    except ValidationError as error:
        found = [problem for problem in error.errors() if problem["type"] != "missing"]
        return [_sentence({**problem, "loc": (table, *problem["loc"])}) for problem in found]
    return []


def _without(raw: Any, places: Sequence[tuple[int | str, ...]]) -> Any:
    """A copy of the raw tables in which what stands at these places is missing."""
    inner: dict[int | str, list[tuple[int | str, ...]]] = {}
    for place in places:
        if place:
            inner.setdefault(place[0], []).append(place[1:])
    if isinstance(raw, Mapping):
        pairs = [(key, value, inner.get(key, [])) for key, value in raw.items()]
        return {key: _without(value, rest) for key, value, rest in pairs if () not in rest}
    if isinstance(raw, list):
        entries = [(value, inner.get(number, [])) for number, value in enumerate(raw)]
        return [_without(value, rest) for value, rest in entries if () not in rest]
    return raw


def _sentence(problem: ErrorDetails) -> str:
    """One of pydantic's findings in words."""
    *tables, key = problem["loc"]
    name = f'"{key}"'
    if isinstance(key, int) and len(tables) > 1:
        # An entry of a list in brackets; lists of tables stand at the top of the file.
        name = f'"{tables.pop()}", entry {key + 1},'
    where, kind, value = _where(tables), problem["type"], problem.get("input")
    if kind == "extra_forbidden":
        what = f"the table [{key}]" if not tables else f'the key "{key}"'
        return f"{where or 'The file '}does not know {what}.{_suggestion(tables, str(key))}"
    if kind == "missing":
        what = f"the table [{key}]" if not tables else f'the key "{key}"'
        return f"{where or 'The file '}lacks {what}."
    if kind in ("model_type", "model_attributes_type"):
        name = _where([*tables, key]).strip().removesuffix(":")
        return f"{name} must be a table: write [{'.'.join(map(str, [*tables, key]))}] on a line of its own."
    if kind == "list_type" and tables:
        example = _LISTS.get(str(key)) or json.dumps([value], ensure_ascii=False)
        return f"{where}{name} needs a list in brackets, such as {example}."
    if kind == "list_type":
        return f"[[{key}]] must be written with two brackets on each side, once for each entry."
    if kind in ("too_short", "too_long"):
        return f"{where}{name} {_length_wanted(problem['ctx'])}."
    wanted = _WANTED_OF_KEY.get((str(key), kind)) or _WANTED.get(kind)
    if kind == "string_pattern_mismatch" and wanted is None:
        return f'{where}"{key}" may hold letters, digits, dots, dashes and underscores only.'
    shown = f", not {value!r}" if isinstance(value, str | int | float) and value != "" else ""
    if wanted is None:
        message = problem["msg"].removeprefix("Input should ").removeprefix("String should ")
        wanted = f"should {message[0].lower()}{message[1:]}"
    return f"{where}{name} {wanted}{shown}."


def _length_wanted(limits: Mapping[str, int]) -> str:
    """How many entries a list should have, and has."""
    bound = (
        f"at least {limits['min_length']}" if "min_length" in limits else f"at most {limits['max_length']}"
    )
    noun = "entry" if bound.endswith(" 1") else "entries"
    return f"needs {bound} {noun} in its brackets, and has {limits['actual_length'] or 'none'}"


def _where(tables: Sequence[int | str]) -> str:
    """The table a key belongs to: "[design.quota] ", "[[systems]] number 2: "."""
    names = [str(table) for table in tables if isinstance(table, str)]
    numbers = [table + 1 for table in tables if isinstance(table, int)]
    if numbers:
        return f"[[{'.'.join(names)}]] number {numbers[0]}: "
    return f"[{'.'.join(names)}] " if names else ""


def _suggestion(tables: Sequence[int | str], key: str) -> str:
    known = list(_model_at(tables).model_fields)
    close = get_close_matches(key, known, n=1)
    return f' Did you mean "{close[0]}"?' if close else f" It knows: {', '.join(known)}."


def _model_at(tables: Sequence[int | str]) -> type[BaseModel]:
    model: type[BaseModel] = CampaignFile
    for table in tables:
        if isinstance(table, str):
            model = _model_in(get_type_hints(model)[table]) or model
    return model


def _model_in(hint: Any) -> type[BaseModel] | None:
    """The model inside a type such as `list[SystemTable]` or `QuotaTable | None`."""
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return hint
    return next(filter(None, map(_model_in, get_args(hint))), None)
