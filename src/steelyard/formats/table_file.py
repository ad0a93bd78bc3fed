"""Tables as files: .csv, .tsv, .jsonl (each also .gz) or .parquet. Written whole or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.spreadsheet import BEGINS_FORMULA
from steelyard.formats._judgement_columns import shown
from steelyard.formats._records import (
    Record,
    column_names,
    columns_of,
    is_float,
    lines_of,
    plain_records,
    quoted_records,
)
from steelyard.formats._spreadsheets import (
    SeparatedText,
    read_separated_text,
    unclear_numbers,
    with_decimal_point,
)
from steelyard.formats.text_file import decode, read_content, whole_file

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")
# Rows of a Parquet file that are written, and may be read, at a time [our choice].
ROWS_OF_A_GROUP = 100_000
# JSON may spell what no text may hold; in most lines it does not.
_SPELT_UNSTORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
READ_ENDINGS = (*ENDINGS, ".csv.gz", ".tsv.gz", ".jsonl.gz")


@dataclass(frozen=True, slots=True)
class CellTable:
    """The cells of a table as strings, column by column; None where a record has no such cell."""

    columns: Mapping[str, Sequence[str | None]]
    lines: Sequence[int] | None
    """Where each row begins in the file (the header is line 1); None where a file has no lines."""
    warnings: tuple[str, ...] = ()
    separator: str = ","
    """What stands between the cells: where it is no comma, numbers may have decimal commas."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def place(self, row: int) -> str:
        """How to say where a row (from 0) is."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def numeral(self, cell: str) -> str:
        """A cell that should be a number, as Python writes it."""
        return cell if self.separator == "," else with_decimal_point(cell)

    def refuse_unclear(self, names: Iterable[str], where: str) -> None:
        """SourceError if numbers of these columns can be read in two ways."""
        columns = [pl.Series(name, list(self.columns[name]), pl.String) for name in names]
        unclear = unclear_numbers(columns, self.separator)
        problems = [
            f"{self.place(row)}: {name} {shown(self.columns[name][row] or '')} {unclear.complaint}."
            for name, rows in unclear.rows.items()
            for row in rows.arg_true()
        ]
        if problems:
            raise SourceError(where, problems)


def table_ending(path: Path) -> str | None:
    """The ending that says which kind of table a file is, without .gz; None if it is none."""
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    is_packed = path.suffix.lower() == ".gz"
    return ending if ending in ENDINGS and not (is_packed and ending == ".parquet") else None


def read_table(path: Path) -> CellTable:
    """The table in a file, by its ending; SourceError lists every line that cannot be read."""
    where = str(path)
    match table_ending(path):
        case ".parquet":
            return _read_parquet(path)
        case ".jsonl":
            return read_jsonl(decode(read_content(path), where), where)
        case ".csv" | ".tsv" as ending:
            written = read_separated_text(path, ending, keep_line_ends=True)
            read = _read_tsv if written.separator == "\t" else _read_csv
            table = read(written, where)
            return replace(
                table,
                warnings=(*written.warnings, *table.warnings),
                separator=written.separator,
            )
    raise unknown_format(path, READ_ENDINGS)


def _read_csv(written: SeparatedText, where: str) -> CellTable:
    return _table(quoted_records(written.text, written.separator, where), where)


def _read_tsv(written: SeparatedText, where: str) -> CellTable:
    """Tabs between cells. Quotation marks may enclose cells or belong to the texts: see which."""
    text = written.text
    if '"' not in text:
        return _table(plain_records(text), where)
    if _marks_enclose_cells(text, where):
        return _table(quoted_records(text, "\t", where), where)
    table = _table(plain_records(text), where)
    return replace(table, warnings=("Quotation marks were taken as part of the texts.",))


def _marks_enclose_cells(text: str, where: str) -> bool:
    """Whether quotation marks look like a writer's: around cells that need them, or around all."""
    n_inside = n_needing = n_words = 0
    try:
        for _, record in quoted_records(text, "\t", where):
            for cell in filter(None, record):
                n_inside += cell.count('"')
                n_needing += "," in cell or '"' in cell
                n_words += not is_float(cell)
    except SourceError:
        return False
    n_tabs = {line.count("\t") for line in lines_of(text) if line.strip("\r\n")}
    if len(n_tabs) > 1:
        # Taken as they are, the lines make no table: some cell holds a tab or a line end.
        return True
    n_empty = len(re.findall(r'(?<![^\t\r\n])""(?![^\t\r\n])', text))
    n_enclosed = len(re.findall(r'(?<![^\t\r\n])"', text)) - n_empty
    # A writer doubles the marks inside a cell and encloses it; a bare mark inside is an author's.
    if text.count('"') != 2 * (n_enclosed + n_empty + n_inside):
        return False
    return n_inside > 0 or n_enclosed in (0, n_needing) or n_enclosed >= n_words


def _table(records: Iterator[Record], where: str) -> CellTable:
    _, header = next(records, (1, []))
    if not header:
        raise SourceError(where, ["is empty: the first line must name the columns."])
    names = column_names(header, where)
    columns, lines = columns_of(records, len(names), where)
    return CellTable(dict(zip(names, columns, strict=True)), lines)


def read_jsonl(text: str, where: str) -> CellTable:
    """One JSON object per line; cells become strings, so that all formats are checked alike."""
    found, lines = json_records(text, where)
    records = [{name: cell_of_json(value) for name, value in record.items()} for record in found]
    names = dict.fromkeys(name for record in records for name in record)
    return CellTable({name: [record.get(name) for record in records] for name in names}, lines)


def json_records(text: str, where: str) -> tuple[list[dict[str, Any]], list[int]]:
    """The JSON objects of a file with one on each line, and their lines; SourceError lists other lines."""
    records: list[dict[str, Any]] = []
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
        if _SPELT_UNSTORABLE.search(line) and not _are_storable(record):
            problems.append(f"line {number}: holds \\u0000 or half a character (\\ud800 and the like).")
        records.append(record)
        lines.append(number)
    if problems:
        raise SourceError(where, problems)
    return records, lines


def _are_storable(value: object) -> bool:
    """Whether all texts in a JSON value are."""
    if isinstance(value, dict):
        return all(map(_are_storable, (*value, *value.values())))
    if isinstance(value, list):
        return all(map(_are_storable, value))
    return not isinstance(value, str) or is_storable(value)


def is_storable(text: str) -> bool:
    """Whether a text can be saved anywhere: JSON can spell zero bytes and half characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


def cell_of_json(value: object) -> str | None:
    """A JSON value as the text of a cell."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _read_parquet(path: Path) -> CellTable:
    try:
        frame = pl.read_parquet(path)
    except FileNotFoundError:
        raise SourceError(str(path), ["there is no such file."]) from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise SourceError(str(path), [f"is not a readable Parquet file ({error})."]) from None
    table = CellTable({column.name: _strings(column) for column in frame}, None)
    problems = [
        f"{table.place(row)}: {name} holds a zero byte, which no text has; remove it."
        for name, cells in table.columns.items()
        for row, cell in enumerate(cells)
        if cell and "\x00" in cell
    ]
    if problems:
        raise SourceError(str(path), problems)
    return table


def _strings(column: pl.Series) -> list[str | None]:
    if (
        column.dtype.is_float()
        and ((column.drop_nulls() % 1 == 0) & (column.drop_nulls().abs() < 2**53)).all()
    ):
        # Data frames turn whole numbers into floats where one is missing.
        column = column.cast(pl.Int64)
    if column.dtype.is_nested() or column.dtype == pl.Binary:
        return [None if value is None else str(value) for value in column]
    return column.cast(pl.String).to_list()


def write_table(frame: pl.DataFrame, path: Path, *, raw: bool = False, private: bool = False) -> None:
    """Write the frame in the format its ending names, whole or not at all.

    In .csv and .tsv no text can be a formula of a spreadsheet, unless they are for another program: `raw`.
    A `private` file is about people: only its owner may read it.
    """
    if not raw and path.suffix in (".csv", ".tsv"):
        frame = safe_cells(frame)
    with whole_file(path, private=private) as partial:
        match path.suffix:
            case ".csv":
                frame.write_csv(partial)
            case ".tsv":
                frame.write_csv(partial, separator="\t")
            case ".jsonl":
                frame.write_ndjson(partial)
            case ".parquet":
                _write_parquet(frame, partial)
            case _:
                raise unknown_format(path, ENDINGS)


def safe_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with an apostrophe before every text that a spreadsheet would take for a formula."""
    texts = [name for name, dtype in frame.schema.items() if dtype in (pl.String, pl.Categorical, pl.Enum)]
    return frame.with_columns(pl.col(texts).cast(pl.String).str.replace(BEGINS_FORMULA, "'$1"))


def write_pieces(pieces: Sequence[Path], columns: Sequence[pl.Expr], path: Path) -> None:
    """Write these columns of a table that lies in pieces (Arrow IPC files), never all of it in memory."""
    separator = {".csv": ",", ".tsv": "\t"}.get(path.suffix)
    with whole_file(path) as partial:
        if path.suffix == ".parquet":
            _write_parquet(pl.scan_ipc(list(pieces)).select(columns), partial)
            return
        if separator is None and path.suffix != ".jsonl":
            raise unknown_format(path, ENDINGS)
        with partial.open("wb") as file:
            for number, piece in enumerate(pieces):
                table = pl.read_ipc(piece).select(columns)
                if separator is None:
                    table.write_ndjson(file)
                else:
                    safe_cells(table).write_csv(file, separator=separator, include_header=number == 0)


def unknown_format(path: Path, endings: Sequence[str]) -> SourceError:
    """The error for a table whose name has none of these endings."""
    problem = f"cannot tell the format; end the name in {', '.join(endings)}."
    if path.suffix.lower() == ".txt":
        problem += " If it is Excel's Unicode text, which has tabs between its cells, name it .tsv."
    if path.suffix.lower() in (".xlsx", ".xls", ".ods"):
        problem += " Workbooks are neither read nor written: use .csv, which spreadsheets save and open."
    return SourceError(str(path), [problem])


def _write_parquet(frame: pl.DataFrame | pl.LazyFrame, path: Path) -> None:
    try:
        frame.lazy().sink_parquet(path, row_group_size=ROWS_OF_A_GROUP)
    except pl.exceptions.ComputeError as error:
        # What the system says about a full disk, as this format tells it.
        raise OSError(str(error)) from error
