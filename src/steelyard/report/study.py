"""Studies for the terminal and for scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from textwrap import wrap
from typing import Any

import polars as pl

from steelyard.domain.study import StudyResult
from steelyard.planning.plan import Plan
from steelyard.report import tables
from steelyard.report.characters import printable
from steelyard.report.plain import plain, records
from steelyard.report.plan import to_dict as plan_dict
from steelyard.report.words import labelled


def study_text(result: StudyResult) -> str:
    """The study for a terminal: what it rests on, tables, conclusion, notes, warnings and signature."""
    # A table that bears the study's own title needs no second heading.
    is_headed = result.tables[0].title.startswith(result.title) and not result.lead
    heading = [] if is_headed else [printable(result.title)]
    blocks = [
        "\n".join([*heading, *_paragraph(result.lead)]),
        *map(tables.table_text, result.tables),
        _lines(result.conclusion),
        _lines(result.notes),
        _lines(labelled(result.warnings)),
        "\n".join(map(printable, result.signature.split("\n"))),
    ]
    return "\n\n".join(block for block in blocks if block)


def study_json(results: Sequence[StudyResult]) -> str:
    """One study, or several under "studies", as indented JSON: null for what is unknown, nothing rounded."""
    found = [_written_out(result.record) for result in results]
    document = found[0] if len(found) == 1 else {"studies": found}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _written_out(value: Any) -> Any:
    """A part of a record in types that JSON knows."""
    if isinstance(value, pl.DataFrame):
        return records(value)
    if isinstance(value, Plan):
        return plan_dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return _written_out(asdict(value))
    if isinstance(value, Mapping):
        return {name: _written_out(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_written_out(part) for part in value]
    return plain(value)


def _lines(sentences: Sequence[str]) -> str:
    return "\n".join(line for sentence in sentences for line in _paragraph(sentence))


def _paragraph(text: str) -> list[str]:
    # A signature is longer than a line, and stays whole so that it can be copied.
    return wrap(printable(text), tables.WIDTH, break_on_hyphens=False, break_long_words=False)
