"""HIT times as a separate table: one row per worker and HIT, as a platform or WMT reports them.

Columns: worker, hit, and what is known about work_seconds, accept_time, submit_time and approval, under our
names or those of Mechanical Turk and of WMT's ad-hit-time.csv. A time without a zone is taken as UTC: only
distances between times are ever used, so it matters only that one file has one zone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.formats._hit_times import IS_REJECTED, combined
from steelyard.formats._judgement_columns import named, shown
from steelyard.formats._moments import MOMENT, moments
from steelyard.formats._separated import read_separated
from steelyard.formats._spaced import spaced_names, with_tabs
from steelyard.formats._spreadsheets import unclear_numbers, with_decimal_points
from steelyard.formats.table_file import read_table, table_ending
from steelyard.formats.text_file import decode_any, read_content
from steelyard.frames import hit_times_frame

# Our name, then the names in use, best first, in lower case. WMT's file has HITId beside its own number.
ALIASES: dict[str, tuple[str, ...]] = {
    "worker": ("worker", "workerid", "worker_id"),
    "hit": ("hitid", "hit_id", "hit"),
    "work_seconds": ("work_seconds", "work-seconds", "worktimeinseconds", "hit_seconds"),
    "accept_time": ("accept_time", "accepted_at", "accept", "accepttime"),
    "submit_time": ("submit_time", "submitted_at", "submit", "submittime"),
    "approval": ("approval", "assignmentstatus"),
}
_Places = Callable[[Sequence[int]], list[str]]


def read_hit_times(path: str | Path) -> pl.DataFrame:
    """The frame of HIT times of a file (.csv, .tsv, .jsonl, each also .gz, or .parquet).

    Raises SourceError with every problem found and its line. Negative seconds are unknown; without a
    column of seconds they are the time from acceptance to submission. A HIT that appears twice for a
    worker is one: accepted first, submitted last, its longest time, and rejected if it ever was.
    """
    path, where = Path(path), str(path)
    if path.is_dir():
        raise SourceError(where, ["is a folder; name the file with the HIT times."])
    cells, places, separator = _cells(path, where)
    taken = _choose(cells.columns, where)
    cells = cells.select(pl.col(column).alias(name) for name, column in taken.items())
    reader = _Reader(cells, places, separator)
    columns = [
        reader.text("worker").alias("worker_id"),
        reader.text("hit").alias("hit_id"),
        reader.seconds(),
        reader.moment("accept_time").alias("accepted_at"),
        reader.moment("submit_time").alias("submitted_at"),
        reader.rejected(),
    ]
    if reader.problems:
        raise SourceError(where, reader.sentences())
    frame = pl.DataFrame(columns)
    if "work_seconds" not in taken:
        lasted = (pl.col("submitted_at") - pl.col("accepted_at")).dt.total_milliseconds() / 1000
        frame = frame.with_columns(pl.when(lasted >= 0).then(lasted).alias("work_seconds"))
    return combined(hit_times_frame(frame))


def _cells(path: Path, where: str) -> tuple[pl.DataFrame, _Places, str]:
    """The cells of the file as strings, how to say where rows are, what stands between cells."""
    if table_ending(path) in (".csv", ".tsv"):
        text, _ = decode_any(read_content(path), where)
        if is_spaced_times(text):
            table = read_separated(with_tabs(text), "\t", where)
            return table.cells, table.places, "\t"
    read = read_table(path)
    cells = pl.DataFrame([pl.Series(name, list(column), pl.String) for name, column in read.columns.items()])
    return cells, lambda rows: [read.place(row) for row in rows], read.separator


def is_spaced_times(text: str) -> bool:
    """Whether this is a table of HIT times whose header has spaces between names, as WMT's has."""
    return {"worker", "hit", "work_seconds"} <= _matches(spaced_names(text)).keys()


def _matches(found: Sequence[str]) -> dict[str, str]:
    """The column taken for each of ours: the best of its names."""
    by_name = {name.strip().lower(): name for name in reversed(found)}
    taken = {ours: [by_name[name] for name in names if name in by_name] for ours, names in ALIASES.items()}
    return {ours: columns[0] for ours, columns in taken.items() if columns}


def _choose(found: Sequence[str], where: str) -> dict[str, str]:
    taken = _matches(found)
    missing = [name for name in ("worker", "hit") if name not in taken]
    listed = f"Columns found: {named(found) or 'none'}."
    others = {name: [other for other in ALIASES[name] if other != name] for name in missing}
    problems = [f"there is no column {name} (or {', '.join(others[name])}). {listed}" for name in missing]
    if not missing and len(taken) == 2:
        problems = [
            "there is no work_seconds, accept_time, submit_time and approval beside worker and hit: "
            f"it says nothing about any HIT. {listed}"
        ]
    if problems:
        raise SourceError(where, problems)
    return taken


class _Reader:
    """Turns columns of strings into those of the frame, noting problems by row."""

    def __init__(self, cells: pl.DataFrame, places: _Places, separator: str) -> None:
        self.cells = cells.with_columns(pl.all().str.strip_chars().replace("", None))
        self.places = places
        self.separator = separator
        self.problems: list[tuple[int, str]] = []

    def sentences(self) -> list[str]:
        """The problems in order of rows, each with its place."""
        ordered = sorted(self.problems, key=lambda problem: problem[0])
        places = self.places([row for row, _ in ordered])
        return [f"{place}: {text}." for place, (_, text) in zip(places, ordered, strict=True)]

    def text(self, name: str) -> pl.Series:
        """A column that has no empty cells."""
        column = self.cells[name]
        self.problems += [(row, f"{name} is empty") for row in column.is_null().arg_true()]
        return column

    def seconds(self) -> pl.Series:
        """The seconds of work; unknown where negative."""
        column = self._column("work_seconds").replace("NA", None)
        for unclear in (found := unclear_numbers([column], self.separator)).rows.values():
            self._refuse(column, unclear, found.complaint)
            column = column.set(unclear, None)
        points = column if self.separator == "," else with_decimal_points(column)
        number = points.cast(pl.Float64, strict=False)
        self._refuse(column, ~number.is_finite().fill_null(False), "is not a number")
        return number.set((number < 0).fill_null(False), None)

    def moment(self, name: str) -> pl.Series:
        """A column of times."""
        column = self._column(name)
        found = moments(column).cast(MOMENT)
        self._refuse(
            column,
            found.is_null(),
            "is not a time: write ISO 8601, Unix seconds or Tue Mar 03 09:30:05 PDT 2020",
        )
        return found

    def rejected(self) -> pl.Series:
        """Whether the work was rejected."""
        column = self._column("approval")
        known = column.str.to_lowercase().replace_strict(IS_REJECTED, default=None, return_dtype=pl.Boolean)
        self._refuse(column, known.is_null(), "is unknown; use Submitted, Approved or Rejected")
        return known.alias("is_rejected")

    def _column(self, name: str) -> pl.Series:
        if name in self.cells.columns:
            return self.cells[name]
        return pl.repeat(None, len(self.cells), dtype=pl.String(), eager=True).alias(name)

    def _refuse(self, column: pl.Series, wrong: pl.Series, complaint: str) -> None:
        rows = (wrong & column.is_not_null()).arg_true()
        self.problems += [(row, f"{column.name} {shown(column[row])} {complaint}") for row in rows]
