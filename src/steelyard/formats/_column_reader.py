"""Values of a judgements file: columns under our names become the ratings frame, or a list of problems."""

from __future__ import annotations

import polars as pl

from steelyard.domain.scale import Scale
from steelyard.domain.work import ItemKind
from steelyard.formats._hit_times import from_judgements
from steelyard.formats._judgement_columns import KINDS, ONE_SYSTEM, as_text, shown
from steelyard.formats._judgement_gold import contradictions, on_scale
from steelyard.formats._moments import moments
from steelyard.frames import hit_times_frame, ratings_frame

# Our choice: nobody reads on; further problems are only counted.
MOST_TOLD = 10_000
# 72,5 is a number where the comma is the decimal mark; a table cannot tell it from two cells.
_DECIMAL_COMMA = r"^\s*[-+]?\d+,\d+\s*$"
# What all rows of one judgement agree in, whichever systems they credit: our column, its name in a file.
_OF_A_JUDGEMENT = {
    "worker_id": "worker",
    "hit_id": "hit",
    "segment_id": "segment",
    "item_kind": "kind",
    "rating": "rating",
}


class ColumnReader:
    """Turns columns of strings, numbers or times into those of the ratings frame, noting problems.

    `problems` pairs the row (from 0) with what is wrong in it, so that the caller can say where;
    there are `n_untold` more. Columns of numbers are never made into texts: with ten million rows
    that would cost more than all the rest.
    """

    def __init__(self, table: pl.DataFrame) -> None:
        self.table = table
        self.problems: list[tuple[int, str]] = []
        self.n_untold = 0
        self.warnings: list[str] = []
        self.hit_times = hit_times_frame()

    def ratings(self, *, scale: Scale, gold_scale: Scale | None = None) -> pl.DataFrame | None:
        """The ratings frame, or None if there were problems. Then `hit_times` is filled as well."""
        rating = self._number("rating", required=True)
        outside = (rating < scale.minimum) | (rating > scale.maximum)
        limits = f"{scale.minimum:g} to {scale.maximum:g}"
        self._refuse("rating", outside, f"is outside the scale {limits} (for another: --scale MIN,MAX)")
        kind = self._kind()
        columns = [
            self._text("judgement_id"),
            self._text("worker", required=True).alias("worker_id"),
            self._filled("hit", "are taken as one HIT without a name").alias("hit_id"),
            kind,
            self._text("document").alias("document_id"),
            self._text("segment", required=True).alias("segment_id"),
            self._system(),
            self._filled("attribute", "are taken as one attribute without a name"),
            self._position(),
            rating,
            self._not_negative("seconds"),
            self._time(),
            *self._known(kind, scale=scale, gold_scale=gold_scale),
            self._text("assignment_id"),
            self._text("item_id"),
        ]
        hit_seconds = self._number("hit_seconds")
        if not self.problems:
            frame = pl.DataFrame(columns)
            self._refuse_contradictions(frame)
            self._refuse_two_golds(frame)
        if self.problems:
            return None
        if self._has("hit_seconds"):
            self.hit_times, noted = from_judgements(frame["worker_id"], frame["hit_id"], hit_seconds)
            self.warnings += noted
        return ratings_frame(frame)

    def _refuse_contradictions(self, frame: pl.DataFrame) -> None:
        """Rows that share an id are one judgement credited to several systems, and must look like it."""
        ids = frame["judgement_id"]
        if not ids.count() or ids.drop_nulls().n_unique() == ids.count():
            return
        keys = ["judgement_id", "attribute"]
        shared = frame.with_row_index("row").filter(
            pl.col("judgement_id").is_not_null() & pl.struct(keys).is_duplicated()
        )
        differing = shared.select(
            "row",
            "judgement_id",
            "system_id",
            *(pl.col(name) != pl.col(name).first().over(keys) for name in _OF_A_JUDGEMENT),
            again=pl.struct(*keys, "system_id").is_first_distinct().not_(),
        ).filter(pl.any_horizontal(*_OF_A_JUDGEMENT, "again"))
        self.n_untold += max(len(differing) - MOST_TOLD, 0)
        advice = "rows that share an id are one judgement credited to several systems"
        for found in differing.head(MOST_TOLD).iter_rows(named=True):
            others = [name for column, name in _OF_A_JUDGEMENT.items() if found[column]]
            text = f"judgement_id {shown(found['judgement_id'])}"
            if others:
                said = " and another ".join(others)
                self.problems.append((found["row"], f"{text} has another {said} than above; {advice}"))
            else:
                twice = f"{text} appears twice for system {shown(found['system_id'])}; {advice}"
                self.problems.append((found["row"], twice))

    def _refuse_two_golds(self, frame: pl.DataFrame) -> None:
        """A translation has one known rating, whoever judges it."""
        if not frame["known"].count():
            return
        found = contradictions(frame)
        self.n_untold += max(len(found) - MOST_TOLD, 0)
        for row, first, translation in found.head(MOST_TOLD).iter_rows():
            known, above = (shown(str(self.table["known"][place])) for place in (row, first))
            text = (
                f"known {known} differs from {above} above, for the same translation ({shown(translation)})"
            )
            self.problems.append((row, f"{text}; give one known rating each"))

    def _has(self, name: str) -> bool:
        return name in self.table.columns

    def _nothing(self, name: str, dtype: pl.DataType) -> pl.Series:
        return pl.repeat(None, len(self.table), dtype=dtype, eager=True).alias(name)

    def _refuse(self, name: str, where: pl.Series, complaint: str, *, show: bool = True) -> None:
        rows = where.fill_null(False).arg_true()
        if rows.is_empty():
            return
        self.n_untold += max(len(rows) - MOST_TOLD, 0)
        rows = rows.head(MOST_TOLD)
        cells = self.table[name].gather(rows).to_list() if show else []
        texts = [f"{name} {shown(str(cell))} {complaint}" for cell in cells]
        self.problems += zip(rows, texts or [f"{name} {complaint}"] * len(rows), strict=True)

    def _text(self, name: str, *, required: bool = False) -> pl.Series:
        if not self._has(name):
            return self._nothing(name, pl.String())
        text = as_text(self.table[name])
        blank = text == ""
        if blank.any():
            text = text.set(blank.fill_null(False), None)
        if required:
            self._refuse(name, text.is_null(), "is empty", show=False)
        return text

    def _filled(self, name: str, fate: str) -> pl.Series:
        """A column of names, the empty one where there is none; some gaps among names are worth a warning."""
        text = self._text(name)
        if self._has(name):
            self._warn_of_gaps(name, text, fate)
        return text.fill_null("")

    def _warn_of_gaps(self, name: str, text: pl.Series, fate: str) -> None:
        gaps = text.null_count()
        if 0 < gaps < len(text):
            self.warnings.append(
                f"{gaps:,} of {len(text):,} rows have an empty cell for {name}: they {fate}."
            )

    def _number(self, name: str, *, required: bool = False) -> pl.Series:
        """The column as finite numbers; null where empty or refused."""
        if not self._has(name):
            return self._nothing(name, pl.Float64())
        column = self.table[name]
        if column.dtype.is_numeric():
            number, filled = column.cast(pl.Float64), column.is_not_null()
        else:
            text = column.cast(pl.String).str.strip_chars()
            number, filled = text.cast(pl.Float64, strict=False), (text != "").fill_null(False)
        finite = number.is_finite().fill_null(False)
        if required:
            self._refuse(name, ~filled, "is empty", show=False)
        if finite.all():
            return number
        self._refuse_numbers(name, filled & ~finite)
        return number.set(~finite, None)

    def _refuse_numbers(self, name: str, wrong: pl.Series) -> None:
        column = self.table[name]
        if column.dtype == pl.String:
            with_comma = wrong & column.str.contains(_DECIMAL_COMMA)
            self._refuse(name, with_comma, "has a decimal comma; write a point instead")
            wrong &= ~with_comma
        self._refuse(name, wrong, "is not a number")

    def _kind(self) -> pl.Series:
        if not self._has("kind"):
            return pl.repeat(str(ItemKind.REGULAR), len(self.table), eager=True).alias("item_kind")
        text = self._text("kind")
        written = text.unique().drop_nulls()
        known = [KINDS.get(name.strip().lower()) for name in written]
        names = pl.Series([kind and str(kind) for kind in known], dtype=pl.String)
        kind = text.replace_strict(written, names, default=None)
        choices = ", ".join(ItemKind)
        self._refuse("kind", text.is_not_null() & kind.is_null(), f"is unknown; use one of {choices}")
        self._warn_of_gaps("kind", text, "count as regular")
        return kind.fill_null(str(ItemKind.REGULAR)).alias("item_kind")

    def _system(self) -> pl.Series:
        if not self._has("system"):
            return pl.repeat(ONE_SYSTEM, len(self.table), eager=True).alias("system_id")
        return self._text("system", required=True).alias("system_id")

    def _position(self) -> pl.Series:
        number = self._number("position")
        self._refuse("position", number % 1 != 0, "is not a whole number")
        return number.cast(pl.Int64, strict=False)

    def _not_negative(self, name: str) -> pl.Series:
        number = self._number(name)
        self._refuse(name, number < 0, "is negative")
        return number

    def _known(self, kind: pl.Series, *, scale: Scale, gold_scale: Scale | None) -> list[pl.Series]:
        """What is known of items and its deviation: gold on the scale of the ratings, the rest as it is.

        Texts of an earlier campaign have scores in its units, which need not be on any scale.
        """
        known, deviation = self._number("known"), self._not_negative("known_sd")
        is_gold = kind != str(ItemKind.CALIBRATION)
        given = gold_scale or scale
        outside = is_gold & ((known < given.minimum) | (known > given.maximum))
        limits = f"{'gold ' if gold_scale else ''}scale {given.minimum:g} to {given.maximum:g}"
        advice = "" if gold_scale else " (of an expert on another: --gold-scale MIN,MAX)"
        self._refuse("known", outside, f"is outside the {limits}{advice}")
        if gold_scale is None:
            return [known, deviation]
        if not known.count():
            self.warnings.append("No item has a known rating, so the gold scale was not used.")
        stretched = deviation * (scale.width / gold_scale.width)
        return [
            on_scale(known, is_gold, gold_scale=gold_scale, scale=scale),
            stretched.zip_with(is_gold, deviation).alias(deviation.name),
        ]

    def _time(self) -> pl.Series:
        name = "submitted_at"
        if not self._has(name):
            return self._nothing(name, pl.Datetime("us", "UTC"))
        column = self.table[name]
        moment = moments(column)
        filled = column.is_not_null()
        if column.dtype == pl.String:
            filled &= column.str.strip_chars() != ""
        self._refuse(name, filled & moment.is_null(), "is neither ISO 8601 nor Unix seconds")
        return moment.alias(name)
