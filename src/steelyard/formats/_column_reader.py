"""Cells of a judgements file: columns under our names become values, and a list of problems."""

from __future__ import annotations

import json
from collections.abc import Sequence

import polars as pl

from steelyard.domain.work import ItemKind
from steelyard.formats._hit_times import from_judgements
from steelyard.formats._judgement_columns import KINDS, as_text, shown
from steelyard.formats._moments import moments
from steelyard.formats._spreadsheets import THOUSANDS, unclear_numbers, with_decimal_points
from steelyard.frames import hit_times_frame

# Columns that are read as numbers in some frame.
_NUMBERS = ("rating", "known", "known_sd", "position", "seconds", "hit_seconds", "start", "end")
# Our choice: nobody reads more; further problems are only counted.
MOST_TOLD = 10_000
# Words for true and false; numbers may have been written as fractions.
YES, NO = ("true", "yes", "1"), ("false", "no", "0")
ROUNDED = {"0.0": "0", "1.0": "1"}
# Beyond this, numbers read as floats are no longer exact.
_LARGEST = 2**53


class ColumnReader:
    """Turns columns of strings, numbers or times into those of a frame, noting problems.

    `problems` pairs the row (from 0) with what is wrong in it, so that the caller can say where;
    there are `n_untold` more. Columns of numbers are never made into texts: with ten million rows
    that would cost more than all the rest.
    """

    def __init__(self, table: pl.DataFrame, *, separator: str = ",") -> None:
        self.table = table
        self._decimal_comma = separator != ","
        self._unclear = unclear_numbers(
            (table[name] for name in _NUMBERS if name in table.columns), separator
        )
        self.problems: list[tuple[int, str]] = []
        self.n_untold = 0
        self.warnings: list[str] = []
        self.hit_times = hit_times_frame()
        self._hit_seconds = self.nothing("hit_seconds", pl.Float64())

    def judged(self) -> dict[str, pl.Series]:
        """The columns that rows of all frames have: whose judgement it is, of which segment, when."""
        kind = self.kind()
        self._hit_seconds = self.number("hit_seconds")
        return {
            "judgement_id": self.text("judgement_id"),
            "worker_id": self.text("worker", required=True),
            "hit_id": self.filled("hit", "are taken as one HIT without a name"),
            "item_kind": kind,
            "document_id": self.text("document"),
            "domain": self.text("domain"),
            "segment_id": self.text("segment", required=True),
            "attribute": self.filled("attribute", "are taken as one attribute without a name"),
            "position": self.position(),
            "seconds": self.not_negative("seconds"),
            "submitted_at": self.time(),
            "assignment_id": self.text("assignment_id"),
            "item_id": self.text("item_id"),
            "is_automated": self.truth("automated"),
            "is_filler": self.truth("filler"),
        }

    def take_hit_times(self, frame: pl.DataFrame) -> None:
        """Fill `hit_times` from the seconds that the rows of each HIT give for the whole of it."""
        if self.has("hit_seconds"):
            self.hit_times, noted = from_judgements(frame["worker_id"], frame["hit_id"], self._hit_seconds)
            self.warnings += noted

    def complain(self, found: pl.DataFrame) -> None:
        """Note problems given as rows (`row`, `text`); of very many only the first."""
        self.n_untold += max(len(found) - MOST_TOLD, 0)
        self.problems += found.select("row", "text").head(MOST_TOLD).rows()

    def has(self, name: str) -> bool:
        return name in self.table.columns

    def nothing(self, name: str, dtype: pl.DataType) -> pl.Series:
        return pl.repeat(None, len(self.table), dtype=dtype, eager=True).alias(name)

    def refuse(self, name: str, where: pl.Series, complaint: str, *, show: bool = True) -> None:
        rows = where.fill_null(False).arg_true()
        if rows.is_empty():
            return
        self.n_untold += max(len(rows) - MOST_TOLD, 0)
        rows = rows.head(MOST_TOLD)
        cells = self.table[name].gather(rows).to_list() if show else []
        texts = [f"{name} {shown(str(cell))} {complaint}" for cell in cells]
        self.problems += zip(rows, texts or [f"{name} {complaint}"] * len(rows), strict=True)

    def text(self, name: str, *, required: bool = False) -> pl.Series:
        if not self.has(name):
            return self.nothing(name, pl.String())
        text = as_text(self.table[name])
        blank = text == ""
        if blank.any():
            text = text.set(blank.fill_null(False), None)
        if required:
            self.refuse(name, text.is_null(), "is empty", show=False)
        return text

    def filled(self, name: str, fate: str) -> pl.Series:
        """A column of names, the empty one where there is none; some gaps among names are worth a warning."""
        text = self.text(name)
        if self.has(name):
            self.warn_of_gaps(name, text, fate)
        return text.fill_null("")

    def warn_of_gaps(self, name: str, text: pl.Series, fate: str) -> None:
        gaps = text.null_count()
        if 0 < gaps < len(text):
            self.warnings.append(
                f"{gaps:,} of {len(text):,} rows have an empty cell for {name}: they {fate}."
            )

    def number(self, name: str, *, required: bool = False) -> pl.Series:
        """The column as finite numbers; null where empty or refused."""
        if not self.has(name):
            return self.nothing(name, pl.Float64())
        column = self.table[name]
        if column.dtype.is_numeric():
            number, filled = column.cast(pl.Float64), column.is_not_null()
        else:
            text = self._with_points(column.cast(pl.String).str.strip_chars())
            number, filled = text.cast(pl.Float64, strict=False), (text != "").fill_null(False)
        finite = number.is_finite().fill_null(False)
        if required:
            self.refuse(name, ~filled, "is empty", show=False)
        if name in self._unclear.rows:
            self.refuse(name, self._unclear.rows[name], self._unclear.complaint)
            filled &= ~self._unclear.rows[name]
        if finite.all():
            return number
        self._refuse_numbers(name, filled & ~finite)
        return number.set(~finite, None)

    def _refuse_numbers(self, name: str, wrong: pl.Series) -> None:
        column = self.table[name]
        if column.dtype == pl.String:
            grouped = wrong & column.str.contains(THOUSANDS)
            self.refuse(name, grouped, "has marks between its thousands; write it without")
            with_comma = wrong & ~grouped & (with_decimal_points(column) != column)
            self.refuse(name, with_comma, "has a decimal comma; write a point instead")
            wrong &= ~(grouped | with_comma)
        self.refuse(name, wrong, "is not a number")

    def _with_points(self, text: pl.Series) -> pl.Series:
        return with_decimal_points(text) if self._decimal_comma else text

    def kind(self) -> pl.Series:
        if not self.has("kind"):
            return pl.repeat(str(ItemKind.REGULAR), len(self.table), eager=True).alias("item_kind")
        text = self.text("kind")
        written = text.unique().drop_nulls()
        known = [KINDS.get(name.strip().lower()) for name in written]
        names = pl.Series([kind and str(kind) for kind in known], dtype=pl.String)
        kind = text.replace_strict(written, names, default=None)
        choices = ", ".join(ItemKind)
        self.refuse("kind", text.is_not_null() & kind.is_null(), f"is unknown; use one of {choices}")
        self.warn_of_gaps("kind", text, "count as regular")
        return kind.fill_null(str(ItemKind.REGULAR)).alias("item_kind")

    def one_of(self, name: str, choices: Sequence[str], *, required: bool = False) -> pl.Series:
        """The column as one of these words, however its letters are written; null where empty or refused."""
        text = self.text(name, required=required)
        word = text.str.strip_chars().str.to_lowercase().str.replace_all(r"[\s-]+", "_")
        known = word.is_in(choices)
        self.refuse(name, text.is_not_null() & ~known, f"is unknown; use one of {', '.join(choices)}")
        return word.set(~known.fill_null(False), None)

    def truth(self, name: str) -> pl.Series:
        """The column as true or false; null where empty or refused."""
        if not self.has(name):
            return self.nothing(name, pl.Boolean())
        word = self.text(name).str.strip_chars().str.to_lowercase().replace(ROUNDED)
        unknown = word.is_not_null() & ~word.is_in([*YES, *NO, ""])
        self.refuse(name, unknown, "is neither true nor false")
        truth = word.is_in(YES)
        return truth.set(~word.is_in([*YES, *NO]).fill_null(False), None)

    def names(self, name: str) -> pl.Series:
        """The column as lists of names, each cell a JSON list; null where empty or refused."""
        text = self.text(name)
        lists = [None if cell is None else _list_of_names(cell) for cell in text]
        wrong = pl.Series([found == [] for found in lists], dtype=pl.Boolean)
        self.refuse(name, wrong, 'is not a list of names such as ["A", "B"]')
        return pl.Series(name, [found or None for found in lists], dtype=pl.List(pl.String))

    def shared_judgements(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows that are not alone in their judgement, with their number in `row`."""
        ids = frame["judgement_id"]
        if ids.drop_nulls().n_unique() == ids.count():
            return frame.clear().with_row_index("row")
        return frame.with_row_index("row").filter(ids.is_not_null() & ids.is_duplicated())

    def refuse_mixed(self, shared: pl.DataFrame) -> None:
        """Refuse rows whose judgement has another worker or HIT than in the first of its rows."""
        for name, column in {"worker": "worker_id", "hit": "hit_id"}.items():
            rows = shared.filter(pl.col(column) != pl.col(column).first().over("judgement_id"))
            texts = [
                f"judgement_id {shown(each)} has another {name} than above" for each in rows["judgement_id"]
            ]
            self.complain(rows.with_columns(pl.Series("text", texts, pl.String)))

    def refuse_credited_twice(self, frame: pl.DataFrame, credited: Sequence[str], *systems: pl.Expr) -> None:
        """Refuse rows that name a system more than once, among `systems` and those `credited` with them."""
        filled = [name for name in credited if frame[name].count()]
        if not filled:
            return
        lists = (pl.col(name).fill_null(pl.lit([], pl.List(pl.String))) for name in filled)
        named = pl.concat_list(*systems, *lists).list.drop_nulls()
        twice = frame.select(named.list.n_unique() < named.list.len()).to_series()
        self.refuse(filled[0], twice, "names a system that the row has already")

    def whole(self, name: str) -> pl.Series:
        """The column as whole numbers from 0 on; null where empty or refused."""
        return self._as_whole(name, self.not_negative(name))

    def position(self) -> pl.Series:
        return self._as_whole("position", self.number("position"))

    def _as_whole(self, name: str, number: pl.Series) -> pl.Series:
        self.refuse(name, number % 1 != 0, "is not a whole number")
        self.refuse(name, number.abs() > _LARGEST, "is too large")
        return number.cast(pl.Int64, strict=False)

    def not_negative(self, name: str) -> pl.Series:
        number = self.number(name)
        self.refuse(name, number < 0, "is negative")
        return number

    def time(self) -> pl.Series:
        name = "submitted_at"
        if not self.has(name):
            return self.nothing(name, pl.Datetime("us", "UTC"))
        column = self.table[name]
        if column.dtype == pl.String:
            column = self._with_points(column)
        moment = moments(column)
        filled = column.is_not_null()
        if column.dtype == pl.String:
            filled &= column.str.strip_chars() != ""
        self.refuse(name, filled & moment.is_null(), "is neither ISO 8601 nor Unix seconds")
        return moment.alias(name)


def _list_of_names(cell: str) -> list[str]:
    """The names of a JSON list; none if it is no such list."""
    try:
        found = json.loads(cell)
    except ValueError:
        return []
    is_list = isinstance(found, list) and all(isinstance(name, str) and name for name in found)
    return found if is_list else []
