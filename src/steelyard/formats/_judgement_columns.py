"""Columns of a judgements file: their names and aliases, their values, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import polars as pl

from steelyard.domain.plugin import Scale
from steelyard.domain.work import ItemKind
from steelyard.frames import ratings_frame

REQUIRED = ("worker", "segment", "rating")
# Our name, then the names of earlier systems, best first, in lower case.
ALIASES: dict[str, tuple[str, ...]] = {
    "worker": ("worker", "login", "annotator", "workerid", "worker_id"),
    "segment": ("segment", "item", "segment_id"),
    "rating": ("rating", "raw_score", "score", "response"),
    "system": ("system", "system_id"),
    "kind": ("kind", "item_type", "item_kind"),
    "hit": ("hit", "hitid", "hit_id"),
    "position": ("position",),
    "document": ("document", "doc_key", "doc", "document_id"),
    "attribute": ("attribute",),
    "seconds": ("seconds",),
    "submitted_at": ("submitted_at",),
    "judgement_id": ("judgement_id",),
    "known": ("known", "known_rating"),
    "known_sd": ("known_sd",),
}
KINDS: dict[str, ItemKind] = {
    **dict.fromkeys(("regular", "system", "tgt"), ItemKind.REGULAR),
    **dict.fromkeys(("repeat", "chk"), ItemKind.REPEAT),
    **dict.fromkeys(("degraded", "bad_ref", "bad", "cal"), ItemKind.DEGRADED),
    **dict.fromkeys(("reference", "ref"), ItemKind.REFERENCE),
    "gold": ItemKind.GOLD,
    "calibration": ItemKind.CALIBRATION,
}
DEFAULT_SCALE = Scale(0.0, 100.0)
ONE_SYSTEM = "all"
# What all rows of one judgement agree in, whichever systems they credit: our column, its name in a file.
_OF_A_JUDGEMENT = {
    "worker_id": "worker",
    "hit_id": "hit",
    "segment_id": "segment",
    "item_kind": "kind",
    "rating": "rating",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which column of the file is taken for which of ours."""

    taken: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def choose_columns(found: Sequence[str], wanted: Mapping[str, str]) -> Choice:
    """Match the file's columns with ours by what the caller wants, then by name, then by alias."""
    problems = [
        f"there is no column {name!r} to choose: use one of {', '.join(ALIASES)}."
        for name in wanted
        if name not in ALIASES
    ]
    problems += [
        f"there is no column {column!r} to take as {name}. Columns found: {', '.join(found)}."
        for name, column in wanted.items()
        if column not in found
    ]
    taken = {name: column for name, column in wanted.items() if column in found and name in ALIASES}
    free = [column for column in found if column not in taken.values()]
    warnings: list[str] = []
    passed_over: set[str] = set()
    for name, aliases in ALIASES.items():
        matches = sorted(
            (column for column in free if column.strip().lower() in aliases),
            key=lambda column: aliases.index(column.strip().lower()),
        )
        if name not in taken and matches:
            taken[name] = matches.pop(0)
            if matches:
                warnings.append(f"Took column {taken[name]!r} as {name}, not {_quoted(matches)}.")
                passed_over.update(matches)
    missing = [name for name in REQUIRED if name not in taken]
    if missing and not problems:
        problems.append(_missing(missing, found))
    extra = [column for column in free if column not in {*taken.values(), *passed_over}]
    if extra:
        warnings.append(f"Ignored columns: {', '.join(extra)}.")
    return Choice(taken=taken, warnings=tuple(warnings), problems=tuple(problems))


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _missing(missing: Sequence[str], found: Sequence[str]) -> str:
    names = " and no column ".join(missing)
    text = f"there is no column {names}. Columns found: {', '.join(found) or 'none'}."
    if len(found) == 1 and any(mark in found[0] for mark in ",;\t"):
        return f"{text} Separate columns by commas in a .csv file, by tabs in a .tsv file."
    return f"{text} Name the right one with --columns {missing[0]}=COLUMN."


def as_text(column: pl.Series) -> pl.Series:
    """A column as strings, whole numbers without a point.

    >>> as_text(pl.Series("segment", [7.0, None])).to_list()
    ['7', None]
    """
    if (
        column.dtype.is_float()
        and ((column.drop_nulls() % 1 == 0) & (column.drop_nulls().abs() < 2**53)).all()
    ):
        # Data frames turn whole numbers into floats where one is missing.
        column = column.cast(pl.Int64)
    return column.cast(pl.String)


class ColumnReader:
    """Turns columns of strings, numbers or times into those of the ratings frame, noting problems.

    `problems` pairs the row (from 0) with what is wrong in it, so that the caller can say where.
    """

    def __init__(self, table: pl.DataFrame) -> None:
        self.table = table
        self.problems: list[tuple[int, str]] = []

    def ratings(self, *, scale: Scale) -> pl.DataFrame | None:
        """The ratings frame, or None if there were problems."""
        rating = self._number("rating", required=True)
        outside = (rating < scale.minimum) | (rating > scale.maximum)
        limits = f"{scale.minimum:g} to {scale.maximum:g}"
        self._refuse("rating", outside, f"is outside the scale {limits} (for another: --scale MIN,MAX)")
        document = self._text("document")
        columns = [
            self._judgement_id(),
            self._text("worker", required=True).alias("worker_id"),
            self._text("hit").fill_null("").alias("hit_id"),
            self._kind(),
            document.alias("document_id"),
            self._text("segment", required=True).alias("segment_id"),
            self._system(),
            self._text("attribute").fill_null(""),
            self._position(),
            rating,
            self._not_negative("seconds"),
            self._time(),
            self._number("known"),
            self._not_negative("known_sd"),
            self._text("assignment_id"),
            self._text("item_id"),
        ]
        if not self.problems:
            self._refuse_contradictions(pl.DataFrame(columns))
        return None if self.problems else ratings_frame(pl.DataFrame(columns))

    def _refuse_contradictions(self, frame: pl.DataFrame) -> None:
        """Rows that share an id are one judgement credited to several systems, and must look like it."""
        keys = ["judgement_id", "attribute"]
        shared = frame.with_row_index("row").filter(pl.struct(keys).is_duplicated())
        if shared.is_empty():
            return
        differing = shared.select(
            "row",
            "judgement_id",
            "system_id",
            *(pl.col(name) != pl.col(name).first().over(keys) for name in _OF_A_JUDGEMENT),
            again=pl.struct(*keys, "system_id").is_first_distinct().not_(),
        )
        advice = "rows that share an id are one judgement credited to several systems"
        for found in differing.iter_rows(named=True):
            others = [name for column, name in _OF_A_JUDGEMENT.items() if found[column]]
            text = f"judgement_id {found['judgement_id']}"
            if others:
                said = " and another ".join(others)
                self.problems.append((found["row"], f"{text} has another {said} than above; {advice}"))
            elif found["again"]:
                self.problems.append(
                    (found["row"], f"{text} is there twice for system {found['system_id']}; {advice}")
                )

    def _has(self, name: str) -> bool:
        return name in self.table.columns

    def _refuse(self, name: str, where: pl.Series, complaint: str, *, show: bool = True) -> None:
        rows = where.fill_null(False).arg_true().to_list()
        for row in rows:
            value = f" {self.table[name][row]}" if show else ""
            self.problems.append((row, f"{name}{value} {complaint}"))

    def _text(self, name: str, *, required: bool = False) -> pl.Series:
        if not self._has(name):
            return pl.Series(name, [None] * len(self.table), pl.String)
        text = as_text(self.table[name]).replace("", None)
        if required:
            self._refuse(name, text.is_null(), "is empty", show=False)
        return text

    def _number(self, name: str, *, required: bool = False) -> pl.Series:
        """The column as finite numbers; null where empty or refused."""
        if not self._has(name):
            return pl.Series(name, [None] * len(self.table), pl.Float64)
        column = self.table[name]
        if column.dtype == pl.Boolean:
            column = column.cast(pl.String)
        text = column.cast(pl.String).str.strip_chars()
        empty = text.is_null() | (text == "")
        if required:
            self._refuse(name, empty, "is empty", show=False)
        source = column if column.dtype.is_numeric() else text
        number = source.cast(pl.Float64, strict=False)
        finite = number.is_finite().fill_null(False)
        self._refuse(name, ~empty & ~finite, "is not a number")
        return pl.select(pl.when(finite).then(number).alias(name)).to_series()

    def _kind(self) -> pl.Series:
        if not self._has("kind"):
            return pl.Series("item_kind", [str(ItemKind.REGULAR)] * len(self.table), pl.String)
        text = self._text("kind")
        known = {name: str(kind) for name, kind in KINDS.items()}
        kind = (
            text.str.strip_chars()
            .str.to_lowercase()
            .replace_strict(known, default=None, return_dtype=pl.String)
        )
        choices = ", ".join(ItemKind)
        self._refuse("kind", text.is_not_null() & kind.is_null(), f"is unknown; use one of {choices}")
        return kind.fill_null(str(ItemKind.REGULAR)).alias("item_kind")

    def _system(self) -> pl.Series:
        if not self._has("system"):
            return pl.Series("system_id", [ONE_SYSTEM] * len(self.table), pl.String)
        return self._text("system", required=True).alias("system_id")

    def _position(self) -> pl.Series:
        number = self._number("position")
        self._refuse("position", number % 1 != 0, "is not a whole number")
        return number.cast(pl.Int64, strict=False)

    def _not_negative(self, name: str) -> pl.Series:
        number = self._number(name)
        self._refuse(name, number < 0, "is negative")
        return number

    def _time(self) -> pl.Series:
        dtype = pl.Datetime("us", "UTC")
        if not self._has("submitted_at"):
            return pl.Series("submitted_at", [None] * len(self.table), dtype)
        times: list[datetime | None] = []
        for row, value in enumerate(self.table["submitted_at"].to_list()):
            try:
                times.append(_moment(value))
            except (ValueError, OverflowError, OSError):
                times.append(None)
                self.problems.append((row, f"submitted_at {value} is neither ISO 8601 nor Unix seconds"))
        return pl.Series("submitted_at", times, dtype)

    def _judgement_id(self) -> pl.Series:
        numbered = pl.select(pl.format("row-{}", pl.int_range(1, len(self.table) + 1))).to_series()
        return self._text("judgement_id").fill_null(numbered).alias("judgement_id")


def _moment(value: object) -> datetime | None:
    """A time of day anywhere: ISO 8601 (without zone: UTC) or Unix seconds, as text or as it is."""
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        moment = value
    else:
        text = str(value).strip()
        try:
            return datetime.fromtimestamp(float(text), UTC)
        except ValueError:
            moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
