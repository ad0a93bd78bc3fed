"""Judgements as a table, one row per rating: .csv, .tsv, .jsonl (each also .gz) or .parquet."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.plugin import Scale
from steelyard.formats._judgement_columns import ALIASES, DEFAULT_SCALE, ColumnReader, choose_columns
from steelyard.formats.table_file import write_table
from steelyard.formats.text_file import read_text

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".tsv.gz", ".jsonl.gz")
# Our choice: far more than any export has, few enough to read at once.
MOST_COLUMNS = 1000
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_WRITTEN = {
    "worker_id": "worker",
    "segment_id": "segment",
    "rating": "rating",
    "system_id": "system",
    "item_kind": "kind",
    "hit_id": "hit",
    "position": "position",
    "document_id": "document",
    "attribute": "attribute",
    "seconds": "seconds",
    "submitted_at": "submitted_at",
    "judgement_id": "judgement_id",
}


@dataclass(frozen=True, slots=True)
class JudgementsFile:
    """What a judgements file says: a ratings frame, and what a reader should know about it."""

    frame: pl.DataFrame
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """A table as read, and how to say where its rows (from 0) are."""

    cells: pl.DataFrame
    places: Callable[[Sequence[int]], list[str]]


def read(
    path: str | Path, *, columns: Mapping[str, str] | None = None, scale: Scale | None = None
) -> JudgementsFile:
    """The ratings of a file. `columns` maps our names to the file's: {"worker": "login"}.

    Raises SourceError with every problem found and its line (the header is line 1); then nothing
    has been read. Ratings must lie on `scale`, 0 to 100 unless given.
    """
    path, where = Path(path), str(path)
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    if ending == ".parquet" and path.suffix != ".gz":
        table = _Table(_read_parquet(path), _row_numbers)
    elif ending == ".jsonl":
        table = _read_jsonl(read_text(path), where)
    elif ending in _SEPARATORS:
        table = _read_separated(read_text(path), _SEPARATORS[ending], where)
    else:
        raise SourceError(where, [f"cannot tell the format; end the name in {', '.join(ENDINGS)}."])
    return _judgements(table, where, columns=columns, scale=scale)


def from_table(
    table: IntoDataFrame, *, columns: Mapping[str, str] | None = None, scale: Scale | None = None
) -> JudgementsFile:
    """The ratings of a pandas, polars or pyarrow table; problems name the row, counted from 1."""
    import narwhals as nw

    where = "table"
    try:
        cells = nw.from_native(table, eager_only=True).to_polars()
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise SourceError(where, [f"cannot be read as a table ({error})."]) from None
    return _judgements(_Table(cells, _row_numbers), where, columns=columns, scale=scale)


def write(frame: pl.DataFrame, path: str | Path) -> None:
    """Write a ratings frame as a judgements file; reading it back gives the same ratings."""
    path = Path(path)
    table = frame.select(pl.col(ours).alias(name) for ours, name in _WRITTEN.items())
    if path.suffix != ".parquet":
        table = table.with_columns(pl.col("submitted_at").dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"))
    write_table(table, path)


def _judgements(
    table: _Table, where: str, *, columns: Mapping[str, str] | None, scale: Scale | None
) -> JudgementsFile:
    choice = choose_columns(table.cells.columns, columns or {})
    if choice.problems:
        raise SourceError(where, choice.problems)
    cells = table.cells.select(pl.col(column).alias(name) for name, column in choice.taken.items())
    warnings = list(choice.warnings)
    if choice.taken["segment"].strip().lower() == "item" and "document" in choice.taken:
        # Earlier systems number items from 0 in every document.
        together = pl.concat_str(["document", "segment"], separator=":", ignore_nulls=True)
        cells = cells.with_columns(together.alias("segment"))
        warnings.append(
            f"Took {choice.taken['document']!r} and {choice.taken['segment']!r} together as segment, "
            "since items are numbered within documents."
        )
    reader = ColumnReader(cells)
    frame = reader.ratings(scale=scale or DEFAULT_SCALE)
    if frame is None:
        problems = sorted(reader.problems, key=lambda problem: problem[0])
        places = table.places([row for row, _ in problems])
        raise SourceError(
            where, [f"{place}: {text}." for place, (_, text) in zip(places, problems, strict=True)]
        )
    return JudgementsFile(frame=frame, warnings=tuple(warnings))


def _row_numbers(rows: Sequence[int]) -> list[str]:
    return [f"row {row + 1}" for row in rows]


def _line_numbers(lines: Sequence[int]) -> Callable[[Sequence[int]], list[str]]:
    return lambda rows: [f"line {lines[row]}" for row in rows]


def _read_parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except FileNotFoundError:
        raise SourceError(str(path), ["there is no such file."]) from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise SourceError(str(path), [f"is not a readable Parquet file ({error})."]) from None


def _read_separated(text: str, separator: str, where: str) -> _Table:
    """A .csv or .tsv file, all cells as strings; empty lines are skipped."""
    text = text.replace("\r", "\n")
    if not text.strip():
        raise SourceError(where, ["is empty: the first line must name the columns."])
    if '"' in text:
        return _read_quoted(text, separator, where)
    first, _, rest = text.partition("\n")
    header = _header(first.split(separator), where)
    try:
        cells = pl.read_csv(
            rest.encode(), separator=separator, has_header=False, schema=dict.fromkeys(header, pl.String)
        )
    except pl.exceptions.NoDataError:
        cells = pl.DataFrame(schema=dict.fromkeys(header, pl.String))
    except pl.exceptions.PolarsError:
        # Some line has too many cells: slower, but it says which.
        return _read_quoted(text, separator, where)
    # Without quotes a record is a line, and the header is line 1.
    filled = cells.select(~pl.all_horizontal(pl.all().is_null())).to_series()
    return _Table(cells.filter(filled), _line_numbers((filled.arg_true() + 2).to_list()))


def _header(names: Sequence[str], where: str) -> list[str]:
    """The names of the columns; those without one are numbered."""
    if len(names) > MOST_COLUMNS:
        problem = f"line 1 has {len(names):,} cells; a judgements file has a column for each thing it says."
        raise SourceError(where, [problem])
    header = [name.strip() or f"column {number}" for number, name in enumerate(names, start=1)]
    repeated = sorted(name for name, times in Counter(header).items() if times > 1)
    if repeated:
        raise SourceError(where, [f"line 1: the column {name!r} is there twice." for name in repeated])
    return header


def _read_quoted(text: str, separator: str, where: str) -> _Table:
    """As above for cells in quotes, which may hold separators, quotes and line ends."""
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    records: list[list[str]] = []
    lines: list[int] = []
    problems: list[str] = []
    end = 0
    try:
        header = _header(next(reader), where)
        end = reader.line_num
        for record in reader:
            if len(record) > len(header):
                problems.append(
                    f"line {end + 1}: {len(record)} cells, but the header names {len(header)} columns."
                )
            elif record:
                records.append(record + [""] * (len(header) - len(record)))
                lines.append(end + 1)
            end = reader.line_num
    except csv.Error as error:
        problems.append(f"line {end + 1}: cannot be split into cells ({error}); look at its quotes.")
    if problems:
        raise SourceError(where, problems)
    columns = zip(*records, strict=True) if records else ([] for _ in header)
    cells = pl.DataFrame(
        [pl.Series(name, column, pl.String) for name, column in zip(header, columns, strict=True)]
    )
    return _Table(cells, _line_numbers(lines))


def _read_jsonl(text: str, where: str) -> _Table:
    """One JSON object per line. Cells become strings, so that all formats are checked alike."""
    records: list[dict[str, str | None]] = []
    lines, problems = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            problems.append(f"line {number}: not JSON ({error}).")
            continue
        if not isinstance(record, dict):
            problems.append(f"line {number}: not a JSON object.")
            continue
        records.append({name: _cell(value) for name, value in record.items()})
        lines.append(number)
    if problems:
        raise SourceError(where, problems)
    names = dict.fromkeys(name for record in records for name in record)
    if not names:
        # An export without judgements: there are no columns to miss.
        names = dict.fromkeys(ALIASES)
    cells = pl.DataFrame(
        {name: [record.get(name) for record in records] for name in names},
        schema=dict.fromkeys(names, pl.String),
    )
    return _Table(cells, _line_numbers(lines))


def _cell(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)
