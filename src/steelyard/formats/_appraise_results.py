"""Appraise's export of scores, as judgements.

The export (ExportSystemScoresToCSV) has no header: username, targetID, itemID, itemType, source and
target language, score, in document campaigns documentID and isCompleteDocument and in newer ones the
marked errors, start and end in Unix seconds, and on demand batchNo and a number of the database. Copies
with a header are read too, under any of the names in use. Appraise has a row for each system that
gave the same text: such rows share one judgement_id.

A HIT is a batch, or, where the export lacks it, a login: most campaigns give each login one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import polars as pl

from steelyard.domain.wording import Note, counted
from steelyard.domain.work import KNOWN_KINDS, ItemKind
from steelyard.formats._appraise_names import (
    ITEM_TYPES,
    KINDS_BY_TYPE,
    document_name,
    fills_up,
    is_copy,
    numbers_run_through,
)
from steelyard.formats._appraise_rows import without_documents, without_second_rows, without_superseded
from steelyard.formats._appraise_spans import spans_table
from steelyard.formats._appraise_texts import in_characters, texts_of_rows
from steelyard.formats._judgement_columns import as_text, named
from steelyard.formats._judgement_table import JudgementTable, is_nested, with_languages_apart
from steelyard.formats._key_file import Key, keys_in
from steelyard.formats._records import first_record, is_float

# What the columns are called, in lower case and without underscores, best first.
_NAMES: dict[str, tuple[str, ...]] = {
    "worker": ("login", "username", "annotator"),
    "system": ("system", "systemid", "targetid"),
    "item": ("item", "itemid", "segmentid"),
    "type": ("itemtype",),
    "rating": ("score",),
    "start": ("start", "starttime", "timestart"),
    "end": ("end", "endtime", "timeend"),
    "source": ("src", "srclang", "sourcelanguage"),
    "target": ("trg", "trglang", "targetlanguage"),
    "document": ("doc", "docid", "documentid"),
    "is_document": ("isdocscore", "iscompletedocument"),
    "batch": ("batchno", "batchnumber", "batch", "taskid"),
    "errors": ("errors", "errorspans", "mqm"),
}
_NEEDED = ("worker", "system", "item", "type", "rating", "start", "end")
# A table without times is recognised by its documents: copies are marked.
_NEEDED_WITHOUT_TIMES = ("worker", "system", "item", "type", "rating", "document")
# One submission, whatever systems are credited with it.
_SUBMISSION = (
    *("worker", "batch", "source", "target", "document", "item", "type", "rating", "errors", "start", "end"),
)


def missing_header(text: str, separator: str) -> tuple[str, ...] | None:
    """The columns of an export as Appraise writes it; None if the first line is not a row of one."""
    cells = first_record(text, separator)
    if len(cells) < 9 or cells[3] not in KINDS_BY_TYPE:
        return None
    names = ("username", "targetID", "itemID", "itemType", "sourceLanguage", "targetLanguage", "score")
    document = ("documentID", "isCompleteDocument")
    times, batch = ("startTime", "endTime"), ("batchNo", "databaseID")
    layouts = (
        (*names, *times),
        (*names, *times, *batch),
        (*names, *document, *times),
        (*names, *document, "errors", *times),
        (*names, *document, *times, *batch),
        (*names, *document, "errors", *times, *batch),
    )
    return next((layout for layout in layouts if _fits(dict(zip(layout, cells, strict=False)), cells)), None)


def _fits(row: dict[str, str], cells: Sequence[str]) -> bool:
    """Whether a row laid out so makes sense."""
    return (
        len(row) == len(cells)
        and row.get("isCompleteDocument", "True") in ("True", "False")
        and all(is_float(row[name]) for name in ("startTime", "endTime"))
    )


def is_export(columns: Sequence[str]) -> bool:
    """Whether these are the columns of an export."""
    return _are_there(_NEEDED, columns)


def has_marked_copies(cells: pl.DataFrame) -> bool:
    """Whether this is an export without its times: it holds copies of documents, marked as Appraise does."""
    if not _are_there(_NEEDED_WITHOUT_TIMES, cells.columns):
        return False
    taken, _ = _choose(cells.columns)
    return any(is_copy(name) for name in as_text(cells[taken["document"]]).unique().drop_nulls())


def _are_there(names: Sequence[str], columns: Sequence[str]) -> bool:
    plain = {_plain(column) for column in columns}
    return all(plain & set(_NAMES[name]) for name in names)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "")


def from_export(table: JudgementTable, where: str, *, folder: Path | None) -> JudgementTable:
    """The judgements of an export under our names. A key in `folder` that knows the items names them.

    Errors that were marked come as spans beside the ratings, or instead of them where no score was asked for.
    """
    taken, warnings = _choose([column.name for column in table.cells if not is_nested(column.dtype)])
    blank = pl.Series(values=[None] * len(table.cells), dtype=pl.String)
    rows = pl.DataFrame(
        [(as_text(table.cells[taken[name]]) if name in taken else blank).alias(name) for name in _NAMES]
    ).with_columns(pl.all().replace("", None))
    rows = rows.with_row_index("row")
    if _plain(taken["system"]) == "targetid":
        rows = rows.with_columns(pl.col("system").str.split("+")).explode("system")
    rows = rows.with_columns(
        _number("start").alias("start_number"),
        _number("end").alias("end_number"),
        _number("item").alias("item_number"),
    )
    # Before tutorials go: they have the first numbers.
    through = _is_numbered_through(rows)
    rows = without_documents(rows, warnings)
    rows = without_second_rows(rows, _SUBMISSION, warnings)
    # Where errors are marked, people may change their answers, and copies of a document say that they are.
    if through or "errors" in taken:
        rows = without_superseded(rows, warnings)
    rows = _with_segments(rows, through).sort("end_number", maintain_order=True, nulls_last=True)
    if n_fillers := int(rows["filler"].sum()):
        warnings.append(
            Note(
                f"{counted(n_fillers, 'row')} of documents that only fill up HITs (marked #dup or "
                "#incomplete) count like others; the recipes of WMT24 and later leave them out."
            )
        )
    key = _key_of(rows, keys_in(folder, ("batch", "item")), warnings)
    texts = texts_of_rows(rows, folder, key)
    rows = _with_key(rows, key)
    cells, noted = with_languages_apart(_under_our_names(rows, warnings))
    origin = rows["row"].to_list()

    def places(chosen: Sequence[int]) -> list[str]:
        return table.places([origin[row] for row in chosen])

    ratings = JudgementTable(cells, places, (*table.warnings, *warnings, *noted))
    return ratings if "errors" not in taken else _with_spans(ratings, rows["errors"], texts, where)


def _with_spans(
    ratings: JudgementTable, errors: pl.Series, texts: pl.Series | None, where: str
) -> JudgementTable:
    """The ratings with the errors marked; those alone where MQM was asked for, which has no scores."""
    spans, notes = spans_table(ratings.cells, errors, where, ratings.places)
    if texts is not None:
        spans, more = in_characters(spans, texts, where, ratings.places)
        notes = (*notes, *more)
    ratings = replace(ratings, warnings=(*ratings.warnings, *notes))
    rows = spans["row"].to_list()
    beside = JudgementTable(
        spans.drop("row"), lambda chosen: ratings.places([rows[row] for row in chosen]), frame="spans"
    )
    has_scores = (ratings.cells["rating"].cast(pl.Float64, strict=False) != 0).any()
    if has_scores or not spans["category"].count():
        return replace(ratings, beside=beside)
    note = Note("All scores are 0 and errors have categories, as in MQM: the scores were not read.")
    return replace(beside, warnings=(*ratings.warnings, note))


def _choose(columns: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The column taken for each of ours, and what is said about the others."""
    warnings: list[str] = []
    taken, used = {}, set()
    for name, aliases in _NAMES.items():
        found = sorted(
            (column for column in columns if _plain(column) in aliases),
            key=lambda column: aliases.index(_plain(column)),
        )
        used.update(found)
        if found:
            taken[name] = found[0]
        if found[1:]:
            others = ", ".join(map(repr, found[1:]))
            warnings.append(Note(f"Took column {found[0]!r} as {name}, not {others}."))
    ignored = [column for column in columns if column not in used]
    if ignored:
        warnings.append(Note(f"Ignored columns: {named(ignored)}."))
    return taken, warnings


def _number(name: str) -> pl.Expr:
    return pl.col(name).str.strip_chars().cast(pl.Float64, strict=False)


def _with_segments(rows: pl.DataFrame, through: bool) -> pl.DataFrame:
    """Adds `segment`, `position` and `kind`, and takes the marks of copies off the documents."""
    names = rows.select("document", "system").unique().drop_nulls("document")
    parsed = [document_name(document, system or "") for document, system in names.iter_rows()]
    bases = names.with_columns(
        pl.Series("base", [name.document for name in parsed], pl.String),
        pl.Series("is_copy", [name.is_copy for name in parsed], pl.Boolean),
        pl.Series("filler", [fills_up(document) for document in names["document"]], pl.Boolean),
    )
    rows = rows.join(bases, on=["document", "system"], how="left", maintain_order="left").with_columns(
        pl.col("is_copy").fill_null(False)
    )
    within = ("worker", "batch", "document", "system")
    in_document = pl.col("item_number") - pl.col("item_number").min().over(within) + 1
    number = in_document.cast(pl.Int64).cast(pl.String) if through else pl.col("item")
    segment = pl.concat_str("base", number, separator=":", ignore_nulls=True)
    rows = rows.with_columns(
        pl.when(pl.col("item").is_not_null()).then(segment).alias("segment"),
        (pl.col("item") if through else pl.lit(None, pl.String)).alias("position"),
        pl.col("base").alias("document"),
    )
    translation = ["worker", "batch", "source", "target", "system", "segment"]
    is_target = pl.col("type") == "TGT"
    again = is_target & pl.col("is_copy") & (is_target & ~pl.col("is_copy")).any().over(translation)
    return rows.with_columns(pl.when(again).then(pl.lit("CHK")).otherwise("type").alias("kind"))


def _is_numbered_through(rows: pl.DataFrame) -> bool:
    if rows["document"].null_count() or rows["item_number"].null_count():
        return False
    hits = rows.group_by("worker", "batch").agg("document", "item")
    return numbers_run_through(
        list(zip(*hit, strict=True)) for hit in hits.select("document", "item").iter_rows()
    )


def _key_of(rows: pl.DataFrame, keys: Sequence[Key], warnings: list[str]) -> Key | None:
    """The key that knows every item of the export."""
    wanted = set(rows.select("item", "system").unique().iter_rows())
    for key in keys:
        known = {(name[1], entry.system) for name, entries in key.entries.items() for entry in entries}
        strangers = len(wanted - known)
        if not strangers:
            warnings.append(Note(f"Took HITs, segments and kinds from {key.name}."))
            return key
        if strangers < len(wanted):
            warnings.append(
                f"{key.name} does not know {strangers} of {len(wanted)} items and was not used: "
                "it belongs to another campaign, or to another export of this one."
            )
    return None


def _with_key(rows: pl.DataFrame, key: Key | None) -> pl.DataFrame:
    """Segments, kinds, items and HITs as our campaign has them; those we do not know stay as they are."""
    if key is None:
        blank = ("hit", "item_id", "known", "known_sd")
        return rows.with_columns(pl.lit(None, pl.String).alias(name) for name in blank)
    entries = pl.DataFrame(
        [
            {"batch": batch, "item": item, "type": ITEM_TYPES[ItemKind(entry.kind)], **asdict(entry)}
            for (batch, item), found in key.entries.items()
            for entry in found
        ],
        infer_schema_length=None,
    ).cast(pl.String)
    ours = entries.unique(["item", "system"], keep="first").select(
        "item",
        "system",
        pl.col("segment").alias("our_segment"),
        pl.col("document").alias("our_document"),
        pl.when(pl.col("kind").is_in([str(kind) for kind in KNOWN_KINDS])).then("kind").alias("our_kind"),
        "known",
        "known_sd",
    )
    hits = entries.select("batch", "hit").unique("batch")
    # Without batches in the export an item is certain only where it stands in one HIT.
    place = ["item", "system", "type"] if rows["batch"].null_count() else ["batch", "item", "system", "type"]
    items = entries.group_by(place).agg(
        pl.when(pl.col("item_id").n_unique() == 1).then(pl.col("item_id").first()).alias("item_id")
    )
    return (
        rows.join(ours, on=["item", "system"], how="left", maintain_order="left")
        .join(hits, on="batch", how="left", maintain_order="left")
        .join(items, on=place, how="left", maintain_order="left")
        .with_columns(
            pl.col("our_segment").alias("segment"),
            pl.col("our_document").alias("document"),
            pl.coalesce("our_kind", "kind").alias("kind"),
        )
    )


def _under_our_names(rows: pl.DataFrame, warnings: list[str]) -> pl.DataFrame:
    """The columns of a judgements file."""
    seconds = pl.col("end_number") - pl.col("start_number")
    backwards = rows.select((seconds < 0).sum()).item()
    if backwards:
        warnings.append(f"{backwards} judgements end before they start; their seconds are unknown.")
    # Rows without times cannot be recognised as one submission.
    alone = pl.when(pl.col("end").is_null()).then(pl.col("row")).alias("alone")
    rows = rows.with_columns(alone)
    submission = [*_SUBMISSION, "alone"]
    number = pl.struct(submission).is_first_distinct().cast(pl.Int64).cum_sum().over("worker")
    rows = rows.with_columns(number.alias("number")).with_columns(
        pl.col("number").first().over(submission).alias("number")
    )
    return rows.select(
        "worker",
        "segment",
        "rating",
        "system",
        "kind",
        pl.coalesce("hit", "batch", "worker").alias("hit"),
        "position",
        "document",
        "filler",
        pl.when(seconds >= 0).then(seconds).alias("seconds"),
        pl.col("end").alias("submitted_at"),
        pl.format("{}:{}", "worker", "number").alias("judgement_id"),
        "item_id",
        "known",
        "known_sd",
        pl.concat_str("source", "target", separator="-").alias("languages"),
    )
