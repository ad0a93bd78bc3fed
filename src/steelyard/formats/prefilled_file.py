"""Errors that are marked before any worker comes: a spans file without workers."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.judgement import SPAN_SIDES, Span
from steelyard.formats._named_cells import KnownTexts, NamedCells
from steelyard.formats.campaign_spans import choice_problems
from steelyard.formats.campaign_texts import TextsOfFiles
from steelyard.protocols import SpanSettings

# By system and segment.
Prefilled = dict[tuple[str, str], tuple[Span, ...]]


def read_prefilled(path: Path, *, settings: SpanSettings, texts: TextsOfFiles | None) -> Prefilled:
    """The errors that a file marks, in its order; SourceError lists what is wrong, line by line.

    `settings`: how the campaign marks errors. The texts may be unknown because of other problems; then less
    is checked.
    """
    cells = NamedCells.of(path, required=("system", "segment", "start", "end", "severity"))
    known = KnownTexts.of(texts) if texts is not None else None
    found: dict[tuple[str, str], list[Span]] = {}
    for row, (system, segment) in enumerate(zip(cells.names("system"), cells.names("segment"), strict=True)):
        if not system or not segment:
            cells.refuse(row, f"has no {'system' if not system else 'segment'}.")
            continue
        problem = None if known is None else known.problem_with(system, segment)
        if problem is not None:
            cells.refuse(row, problem)
            continue
        if not any(cells.has(name, row) for name in ("start", "end", "severity")):
            # As a spans file says that a translation has no error.
            continue
        span = _span(cells, row, settings)
        if span is None:
            continue
        text = None if known is None else known.text(system, segment, span.side)
        if text is not None and span.end is not None and span.end > len(text):
            cells.refuse(row, f"the end {span.end} is beyond the text, which has {len(text)} characters.")
        found.setdefault((system, segment), []).append(span)
    cells.stop_if_problems()
    if not found:
        raise SourceError(str(path), ["marks no errors; add some, or leave out [spans] prefilled."])
    return {place: tuple(spans) for place, spans in found.items()}


def _span(cells: NamedCells, row: int, settings: SpanSettings) -> Span | None:
    """The error of a row, or None with the problems noted."""
    start, end = (_whole(cells, name, row) for name in ("start", "end"))
    severity, category, side = (cells.text(name, row).strip() for name in ("severity", "category", "side"))
    side = side or "target"
    problems = [*choice_problems(settings, severity=severity, category=category or None, side=side)]
    if side not in SPAN_SIDES:
        problems.append(f'the side "{side}" is neither target nor source.')
    if start is not None and end is not None and start >= end:
        problems.append(f"the end {end} is not after the start {start}.")
    for problem in problems:
        cells.refuse(row, problem)
    if problems or start is None or end is None:
        return None
    return Span(0, start, end, severity, category or None, "source" if side == "source" else "target")


def _whole(cells: NamedCells, name: str, row: int) -> int | None:
    number = cells.number(name, row)
    if number is None:
        return None
    if number < 0 or number != int(number):
        cells.refuse(row, f"the {name} {number:g} is no whole number from 0 on.")
        return None
    return int(number)
