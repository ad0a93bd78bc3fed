"""Rows of spans: columns under our names become the spans frame, or a list of problems."""

from __future__ import annotations

import polars as pl

from steelyard.domain.judgement import SPAN_SIDES
from steelyard.formats._column_reader import ColumnReader
from steelyard.frames import spans_frame


def read_spans(reader: ColumnReader) -> pl.DataFrame | None:
    """The spans frame of a table, or None if there were problems."""
    start, end, severity = reader.whole("start"), reader.whole("end"), reader.text("severity")
    reader.refuse("end", end <= start, "is not after start; a span ends after its last character")
    reader.refuse("start", start.is_not_null() & end.is_null(), "has no end: give both, or neither")
    reader.refuse("end", end.is_not_null() & start.is_null(), "has no start: give both, or neither")
    unsaid = severity.is_null() & start.is_not_null() & end.is_not_null()
    reader.refuse("severity", unsaid, "is empty; only a translation without error has none", show=False)
    columns = {
        **reader.judged(),
        "system_id": reader.text("system", required=True),
        "start": start,
        "end": end,
        "severity": severity,
        "category": reader.text("category"),
        "side": reader.one_of("side", SPAN_SIDES).fill_null(SPAN_SIDES[0]),
        "credited": reader.names("credited"),
    }
    if reader.problems:
        return None
    frame = pl.DataFrame(columns)
    reader.take_hit_times(frame)
    return spans_frame(frame)
