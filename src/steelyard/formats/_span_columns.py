"""Rows of spans: columns under our names become the spans frame, or a list of problems."""

from __future__ import annotations

import polars as pl

from steelyard.domain.judgement import SPAN_ORIGINS, SPAN_SIDES
from steelyard.domain.wording import counted
from steelyard.domain.work import ItemKind
from steelyard.formats._column_reader import ColumnReader
from steelyard.formats._judgement_columns import shown
from steelyard.frames import spans_frame, texts_frame

_OF_TEXT = ("system_id", "segment_id", "item_kind")
_TRANSLATION = ("system_id", "segment_id", "attribute")


def read_spans(reader: ColumnReader) -> pl.DataFrame | None:
    """The spans frame of a table, or None if there were problems."""
    start, end, severity = reader.whole("start"), reader.whole("end"), reader.text("severity")
    reader.refuse("end", end <= start, "is not after start; a span ends after its last character")
    reader.refuse("start", start.is_not_null() & end.is_null(), "has no end: give both, or neither")
    reader.refuse("end", end.is_not_null() & start.is_null(), "has no start: give both, or neither")
    unsaid = severity.is_null() & start.is_not_null() & end.is_not_null()
    reader.refuse("severity", unsaid, "is empty; only a translation without error has none", show=False)
    injected = {name: reader.whole(name) for name in ("injected_start", "injected_end")}
    _refuse_odd_places(reader, *injected.values())
    columns = {
        **reader.judged(),
        "system_id": reader.text("system", required=True),
        "start": start,
        "end": end,
        "severity": severity,
        "category": reader.text("category"),
        "side": reader.one_of("side", SPAN_SIDES).fill_null(SPAN_SIDES[0]),
        "credited": reader.names("credited"),
        "marked_seconds": reader.number("marked_seconds"),
        "origin": reader.one_of("origin", SPAN_ORIGINS),
        "n_removed": reader.whole("n_removed"),
        **injected,
    }
    beyond = end > reader.text("text").str.len_chars()
    reader.refuse("end", beyond, "is beyond the end of the text")
    if not reader.problems:
        frame = pl.DataFrame(columns)
        reader.refuse_credited_twice(frame, ["credited"], pl.col("system_id"))
        shared = reader.shared_judgements(frame)
        reader.refuse_mixed(shared)
        _refuse_errors_of_none(reader, shared)
    if reader.problems:
        return None
    reader.take_hit_times(frame)
    return spans_frame(frame)


def _refuse_odd_places(reader: ColumnReader, first: pl.Series, last: pl.Series) -> None:
    """An injected error has two ends or none."""
    reader.refuse("injected_end", last <= first, "is not after injected_start")
    reader.refuse("injected_start", first.is_not_null() & last.is_null(), "has no injected_end: give both")
    reader.refuse("injected_end", last.is_not_null() & first.is_null(), "has no injected_start: give both")


def marked_texts(reader: ColumnReader, spans: pl.DataFrame) -> pl.DataFrame:
    """The texts that the rows of a spans frame were marked in; empty where the table has none.

    Readers of other formats may know both sides of a row: `text` is that of its own side, and `source_text`
    and, on rows of the source, `target_text` the others.
    """
    sides = {"text": pl.col("side"), "target_text": pl.lit("target"), "source_text": pl.lit("source")}
    known = [reader.text(name).alias(name) for name in sides if reader.has(name)]
    if not known:
        return texts_frame()
    # Most rows have the texts of others.
    rows = spans.select(*_OF_TEXT, "side", *known).unique(maintain_order=True)
    texts = pl.concat(
        rows.select(*_OF_TEXT, sides[text.name].alias("side"), pl.col(text.name).alias("text"))
        for text in known
    ).drop_nulls("text")
    regular = texts.filter(pl.col("item_kind") == str(ItemKind.REGULAR), pl.col("side") == "target")
    seen = regular.group_by("system_id", "segment_id").agg(pl.col("text").str.strip_chars_end().n_unique())
    if differing := int((seen["text"] > 1).sum()):
        reader.warnings.append(
            f"Of {counted(differing, 'translation')} workers saw different texts, so what they marked there "
            "cannot be compared."
        )
    return texts_frame(texts)


def _refuse_errors_of_none(reader: ColumnReader, shared: pl.DataFrame) -> None:
    """A translation without error has one row in a judgement. Errors may look the same: two omissions do."""
    several = pl.len().over("judgement_id", *_TRANSLATION) > 1
    rows = shared.filter(pl.col("severity").is_null() & several)
    texts = [
        f"severity is empty, which means no error, but judgement_id {shown(each)} has other rows for it"
        for each in rows["judgement_id"]
    ]
    reader.complain(rows.with_columns(pl.Series("text", texts, pl.String)))
