"""MQM ratings in ten columns between tabs, as annotation tools and WMT publish them: a row for each error.

system, doc, docSegId, globalSegId, rater, source, target, category, severity, metadata; older files call some
of these otherwise, and the header may be missing. The error stands between <v> and </v> in target or source;
a translation without error has one row "No-error". Quotation marks are characters like any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.span_weights import SEVERITIES
from steelyard.domain.wording import Note, counted
from steelyard.formats._judgement_columns import shown
from steelyard.formats._judgement_table import JudgementTable, line_numbers
from steelyard.formats._records import MOST_COLUMNS, columns_of, plain_records

# In the order of a file without a header.
_NAMES: dict[str, tuple[str, ...]] = {
    "system": ("system",),
    "doc": ("doc",),
    "docSegId": ("docsegid", "docid"),
    "globalSegId": ("globalsegid", "segid"),
    "rater": ("rater",),
    "source": ("source",),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
    "metadata": ("metadata", "comment", "note"),
}
_NEEDED = tuple(name for name in _NAMES if name != "metadata")
MQM_COLUMNS = tuple(_NAMES)
NO_ERROR = "No-error"
_NO_ERROR = NO_ERROR.lower()
# The outcome of a test whether the rater still pays attention: no judgement of the translation.
_ATTENTION = "hotw-test"
# Raters that are programs.
_PROGRAM = "AutoMQM"
_OPEN, _CLOSE, _MARK = "<v>", "</v>", "</?v>"
_SIDES = ("target", "source")
_JUDGEMENT = ("rater", "system", "doc", "segment")


def is_mqm(columns: Sequence[str]) -> bool:
    """Whether these are the columns of such a file."""
    plain = {_plain(column) for column in columns}
    return all(plain & set(_NAMES[name]) for name in _NEEDED)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "")


def header_of(text: str) -> tuple[list[str], bool] | None:
    """The columns of such a file, and whether its first line names them; None if it is another file."""
    # Files are long: no copies.
    start = _n_empty(text)
    end = text.find("\n", start)
    cells = text[start : end if end >= 0 else None].rstrip("\r").split("\t")
    if is_mqm(cells):
        return [cell.strip() for cell in cells], True
    known = (*SEVERITIES, _NO_ERROR, _ATTENTION)
    if len(cells) in (len(_NEEDED), len(_NAMES)) and _severity_word(cells[8]) in known:
        return list(_NAMES)[: len(cells)], False
    return None


def holds_marks(text: str) -> bool:
    """Whether a text holds what would be taken for a mark."""
    return _OPEN in text or _CLOSE in text


def with_mark(text: str, start: int | None, end: int | None) -> str:
    """The text with the mark of an error; where something is missing, around nothing after the text.

    >>> with_mark("Er sagte ja.", 9, 11)
    'Er sagte <v>ja</v>.'
    >>> with_mark("Er sagte.", None, None)
    'Er sagte.<v></v>'
    """
    first, last = (len(text),) * 2 if start is None or end is None else (start, end)
    return f"{text[:first]}{_OPEN}{text[first:last]}{_CLOSE}{text[last:]}"


def _n_empty(text: str) -> int:
    """The number of empty lines that a text begins with."""
    found = re.match("\n*", text)
    return found.end() if found else 0


def _severity_word(cell: str) -> str:
    return cell.strip().lower().replace(" ", "-").replace("_", "-")


def read_mqm(text: str, header: tuple[list[str], bool], where: str) -> JudgementTable:
    """The cells of such a file, as strings, null where empty."""
    names, is_named = header
    n_before = _n_empty(text) + is_named
    if len(names) > MOST_COLUMNS or len(set(names)) < len(names):
        raise SourceError(where, ["line 1: two columns have the same name."])
    schema = dict.fromkeys(names, pl.String)
    try:
        cells = pl.read_csv(
            text.encode(),
            separator="\t",
            has_header=False,
            schema=schema,
            quote_char=None,
            skip_lines=n_before,
        )
    except pl.exceptions.NoDataError:
        cells = pl.DataFrame(schema=schema)
    except pl.exceptions.PolarsError:
        # Some line has too many cells: slower, but it says which.
        records = (found for found in plain_records(text) if found[0] > n_before)
        columns, lines = columns_of(records, len(names), where, expected="there are {} columns")
        cells = pl.DataFrame(dict(zip(names, columns, strict=True)), schema=schema)
        return JudgementTable(cells.with_columns(pl.all().replace("", None)), line_numbers(lines))
    filled = cells.select(~pl.all_horizontal(pl.all().is_null())).to_series()
    return JudgementTable(cells.filter(filled), line_numbers(filled.arg_true() + n_before + 1))


def from_mqm(table: JudgementTable, where: str) -> JudgementTable:
    """The spans of such a file under our names; SourceError lists every row that cannot be understood."""
    by_plain = {_plain(column): column for column in table.cells.columns}
    taken = {
        name: next((by_plain[alias] for alias in aliases if alias in by_plain), None)
        for name, aliases in _NAMES.items()
    }
    rows = table.cells.select(
        (pl.lit(None, pl.String) if column is None else pl.col(column).cast(pl.String)).alias(name)
        for name, column in taken.items()
    ).with_row_index("row")
    notes: list[str] = []
    severity = pl.col("severity").str.strip_chars().str.to_lowercase().str.replace_all(r"[\s_]+", "-")
    rows = rows.with_columns(severity)
    rows = _without(rows, pl.col("rater").is_null(), notes, "they have no rater, so they are no judgements")
    attention = pl.col("severity") == _ATTENTION
    rows = _without(rows, attention, notes, "tests of raters' attention, not judgements of translations")
    rows = _with_marks(rows.with_columns(_segment(rows).alias("segment")))
    problems = _problems(rows)
    if len(problems):
        places = table.places(problems["row"].to_list())
        raise SourceError(
            where, [f"{at}: {text}." for at, text in zip(places, problems["text"], strict=True)]
        )
    notes += _remarks(rows)
    rows = rows.filter(
        ~pl.col("is_clean") | (pl.col("is_clean").all() & (pl.int_range(pl.len()) == 0)).over(_JUDGEMENT)
    )
    origin = rows["row"].to_list()
    return JudgementTable(
        _under_our_names(rows),
        lambda chosen: table.places([origin[row] for row in chosen]),
        tuple(notes),
        frame="spans",
    )


def _without(rows: pl.DataFrame, where: pl.Expr, notes: list[str], why: str) -> pl.DataFrame:
    left = rows.filter(~where.fill_null(False))
    if n := len(rows) - len(left):
        notes.append(Note(f"Left out {counted(n, 'row')}: {why}."))
    return left


def _segment(rows: pl.DataFrame) -> pl.Expr:
    """The number in the test set, or where that is none the document with the number in it."""
    documents = rows.group_by("globalSegId").agg(
        n=pl.col("doc").n_unique(), places=pl.struct("doc", "docSegId").n_unique()
    )
    one_document_each = bool((documents["n"] == 1).all()) and not rows["globalSegId"].null_count()
    # A constant number says nothing, even if there is one document.
    tells = one_document_each and (len(documents) > 1 or documents["places"].max() == 1)
    if tells:
        return pl.col("globalSegId")
    return pl.concat_str("doc", "docSegId", separator=":")


def _with_marks(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with `start` and `end` in code points, `side`, `is_clean`, and what is odd about the marks."""
    plain = [pl.col(side).str.replace_all(_MARK, "").alias(f"{side}_text") for side in _SIDES]
    found = rows.with_columns(*plain, _is_empty("target").alias("no_target"))
    for side in _SIDES:
        found = found.join(_marks_of(rows, side), on="row", how="left", maintain_order="left").with_columns(
            pl.col(f"{side}_open", f"{side}_close").fill_null(0), pl.col(f"{side}_backwards").fill_null(False)
        )
    on_target = pl.col("target_open") > 0
    marked = on_target | (pl.col("source_open") > 0)
    start = pl.when(on_target).then("target_start").otherwise("source_start")
    end = pl.when(on_target).then("target_end").otherwise("source_end")
    # Nothing between the marks: something is missing there.
    return found.drop(_SIDES).with_columns(
        pl.when(marked & (end > start)).then(start).alias("start"),
        pl.when(marked & (end > start)).then(end).alias("end"),
        pl.when(~on_target & marked).then(pl.lit("source")).otherwise(pl.lit("target")).alias("side"),
        (pl.col("severity") == _NO_ERROR).fill_null(False).alias("is_clean"),
        marked.alias("is_marked"),
        (marked & (end <= start)).fill_null(False).alias("is_empty"),
    )


def _marks_of(rows: pl.DataFrame, side: str) -> pl.DataFrame:
    """Of rows with marks in this text: how many, and where the first begins and the last ends."""
    text = pl.col(side)
    before = text.str.splitn(_OPEN, 2).struct.field("field_0")
    until = text.str.extract(r"(?s)^(.*)</v>", 1).fill_null(text)
    return (
        rows.select("row", side)
        .filter(text.str.contains_any([_OPEN, _CLOSE]))
        .select(
            "row",
            text.str.count_matches(_OPEN, literal=True).cast(pl.Int64).alias(f"{side}_open"),
            text.str.count_matches(_CLOSE, literal=True).cast(pl.Int64).alias(f"{side}_close"),
            before.str.contains(_CLOSE, literal=True).alias(f"{side}_backwards"),
            before.str.len_chars().cast(pl.Int64).alias(f"{side}_start"),
            until.str.replace_all(_MARK, "").str.len_chars().cast(pl.Int64).alias(f"{side}_end"),
        )
    )


def _is_empty(name: str) -> pl.Expr:
    return pl.col(name).fill_null("") == ""


def _problems(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows that cannot be understood, with what is wrong: `row`, `text`."""
    known = pl.col("severity").is_in(SEVERITIES) | pl.col("is_clean")
    text = pl.col("target_text").str.strip_chars_end().hash()
    other_text = text != text.first().over(_JUDGEMENT)
    checks: dict[str, pl.Expr] = {
        f"severity {{}} is unknown; use one of {', '.join(SEVERITIES)} or No-error": ~known,
        "severity is empty; a translation without error has No-error there": pl.col("severity").is_null(),
        "the row says No-error, but marks a part of the text": pl.col("is_clean") & pl.col("is_marked"),
        "the target is another text than in the rater's first row for the same translation": other_text,
        "target is empty": pl.col("no_target"),
        **{f"{name} is empty": _is_empty(name) for name in ("system", "segment")},
    }
    for side in _SIDES:
        more = pl.col(f"{side}_open") - pl.col(f"{side}_close")
        unmatched = ~more.is_in([0, 1]) | pl.col(f"{side}_backwards")
        checks[f"the marks <v> and </v> in the {side} do not match"] = unmatched
    masks = rows.select(where.fill_null(False).alias(text) for text, where in checks.items())
    found = [
        rows.filter(mask).select(
            "row",
            text=pl.lit(mask.name) if "{}" not in mask.name else pl.format(mask.name, _readable("severity")),
        )
        for mask in masks
        if mask.any()
    ]
    nothing = pl.DataFrame(schema={"row": rows["row"].dtype, "text": pl.String})
    return pl.concat([nothing, *found]).sort("row", maintain_order=True)


def _readable(name: str) -> pl.Expr:
    return pl.col(name).map_elements(shown, pl.String)


def _remarks(rows: pl.DataFrame) -> list[str]:
    """What was read otherwise than it stands, counted."""
    is_error = ~pl.col("is_clean")
    unclosed = pl.any_horizontal(pl.col(f"{side}_open") > pl.col(f"{side}_close") for side in _SIDES)
    several = pl.any_horizontal(pl.col(f"{side}_open") > 1 for side in _SIDES)
    both = (pl.col("target_open") > 0) & (pl.col("source_open") > 0)
    mixed = pl.col("is_clean") & (pl.len() > 1).over(_JUDGEMENT)
    cases = {
        "Marked without an end, so taken to end with the text": unclosed,
        "Marked in several parts, so taken to run from the first to the last": several,
        "Marked in both texts, of which the mark in the target was taken": both,
        "Marked around nothing, so read as something missing": pl.col("is_empty"),
        "Marked nowhere, so counted without a place": is_error & ~pl.col("is_marked"),
        "Called No-error beside other rows of the same judgement, so left out": mixed,
    }
    numbers = rows.select(where.sum().alias(text) for text, where in cases.items()).row(0)
    return [Note(f"{text}: {counted(n, 'row')}.") for n, text in zip(numbers, cases, strict=True) if n]


def _under_our_names(rows: pl.DataFrame) -> pl.DataFrame:
    milliseconds = pl.col("metadata").str.extract(r'"timestamp":\s*"?(\d{10,14})\b', 1).cast(pl.Int64)
    is_program = pl.col("rater").str.starts_with(_PROGRAM)
    on_source = pl.col("side") == "source"
    cells = rows.select(
        pl.col("rater").alias("worker"),
        "system",
        "segment",
        pl.col("doc").alias("document"),
        "start",
        "end",
        pl.when(~pl.col("is_clean")).then("severity").alias("severity"),
        pl.when(~pl.col("is_clean")).then("category").alias("category"),
        "side",
        pl.from_epoch(milliseconds, "ms").dt.replace_time_zone("UTC").alias("submitted_at"),
        pl.format("{}:{}:{}", "rater", "system", "segment").alias("judgement_id"),
        pl.when(on_source).then("source_text").otherwise("target_text").alias("text"),
        "source_text",
        pl.when(on_source).then("target_text").alias("target_text"),
        is_program.alias("simulated"),
    )
    return cells if cells["simulated"].any() else cells.drop("simulated")
