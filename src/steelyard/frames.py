"""The frames of ratings, preferences and spans: their columns, checked once, where a frame is built.

Ratings have one row per judged translation and attribute, preferences one per compared pair, spans one
per marked error. Everything from here upwards that needs many judgements takes these frames;
everything below takes arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from steelyard.domain.judgement import PREFERENCES, SPAN_ORIGINS, SPAN_SIDES
from steelyard.domain.result import MethodSettings
from steelyard.domain.scale import Scale
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.pooling import rating_units
from steelyard.stats.standardise import WorkerMoments, standardised, worker_moments

# Which judgement a row is of, and what was judged.
_OF_JUDGEMENT: dict[str, pl.DataType] = {
    "judgement_id": pl.String(),
    "worker_id": pl.String(),
    "assignment_id": pl.String(),
    "hit_id": pl.String(),
    "item_id": pl.String(),
    "item_kind": pl.String(),
    "document_id": pl.String(),
    # What kind of text the document is, such as news.
    "domain": pl.String(),
    "segment_id": pl.String(),
    # Whether the worker's browser said that a program controls it; null where that was not recorded.
    "is_automated": pl.Boolean(),
    # Whether the item was there only to fill up a HIT, such as a document once more; null if unknown.
    "is_filler": pl.Boolean(),
}
RATINGS_SCHEMA: dict[str, pl.DataType] = {
    **_OF_JUDGEMENT,
    "system_id": pl.String(),
    "attribute": pl.String(),
    "position": pl.Int64(),
    "rating": pl.Float64(),
    "seconds": pl.Float64(),
    "submitted_at": pl.Datetime("us", "UTC"),
    # What is known of the item's quality in advance, on gold and calibration items.
    "known": pl.Float64(),
    "known_sd": pl.Float64(),
    # Other systems that gave exactly the same text.
    "credited": pl.List(pl.String()),
}
PREFERENCES_SCHEMA: dict[str, pl.DataType] = {
    **_OF_JUDGEMENT,
    # The translation shown first (left, or on top), then the other.
    "system_a": pl.String(),
    "system_b": pl.String(),
    # Which side is the degraded copy or the reference, in such a control.
    "control_side": pl.String(),
    "attribute": pl.String(),
    "position": pl.Int64(),
    "preference": pl.String(),
    "seconds": pl.Float64(),
    "submitted_at": pl.Datetime("us", "UTC"),
    "credited_a": pl.List(pl.String()),
    "credited_b": pl.List(pl.String()),
}
# A translation judged to have no error has one row without severity.
SPANS_SCHEMA: dict[str, pl.DataType] = {
    **_OF_JUDGEMENT,
    "system_id": pl.String(),
    "attribute": pl.String(),
    "position": pl.Int64(),
    # Half-open, in Unicode code points; both null: something is missing.
    "start": pl.Int64(),
    "end": pl.Int64(),
    "severity": pl.String(),
    "category": pl.String(),
    "side": pl.String(),
    "seconds": pl.Float64(),
    "submitted_at": pl.Datetime("us", "UTC"),
    "credited": pl.List(pl.String()),
    # How long the item had been on the screen when the error was marked.
    "marked_seconds": pl.Float64(),
    # Of errors marked beforehand: what the worker did with this one, and how many of the translation's they
    # removed. Null where none were.
    "origin": pl.String(),
    "n_removed": pl.Int64(),
    # Where the text was damaged on purpose, in degraded items.
    "injected_start": pl.Int64(),
    "injected_end": pl.Int64(),
}
# The texts that errors are marked in, where a source has them.
TEXTS_SCHEMA: dict[str, pl.DataType] = {
    "system_id": pl.String(),
    "segment_id": pl.String(),
    "item_kind": pl.String(),
    "side": pl.String(),
    "text": pl.String(),
}
# How long a worker's HIT took, where a platform or the store knows; what is unknown is null.
HIT_TIMES_SCHEMA: dict[str, pl.DataType] = {
    "worker_id": pl.String(),
    "hit_id": pl.String(),
    "work_seconds": pl.Float64(),
    "accepted_at": pl.Datetime("us", "UTC"),
    "submitted_at": pl.Datetime("us", "UTC"),
    "is_rejected": pl.Boolean(),
    # Of campaigns of our own only: answers, those that came faster than reading, and how much more time the
    # browser claims than passed.
    "n_answers": pl.Int64(),
    "n_unread": pl.Int64(),
    "overclaimed_seconds": pl.Float64(),
}
_JUDGED = ("worker_id", "hit_id", "item_kind", "segment_id", "attribute")
NEVER_NULL = (*_JUDGED, "system_id", "rating")
_PREFERENCE_NEVER_NULL = (*_JUDGED, "system_a", "system_b", "preference")
_SPAN_NEVER_NULL = (*_JUDGED, "system_id", "side")
CONTROL_SIDES = ("a", "b")
# Names that stand in many rows: see `with_categories`.
_NAMES = ("worker_id", "hit_id", "document_id", "segment_id", "system_id", "attribute", "item_kind")
# What fewer people than this do may be their habit: it says nothing about others, nor does resampling
# them [our choice].
ENOUGH_WORKERS = 5
# Ratings this close together are on a scale of few points, if there are enough of them [our choices].
_SPAN_OF_FEW_POINTS, _ENOUGH_RATINGS = 10, 100


def ratings_frame(columns: pl.DataFrame | None = None) -> pl.DataFrame:
    """The ratings frame with exactly the declared columns; empty without `columns`.

    Absent optional columns become null. Raises ValueError on a missing or null required column or an
    unknown kind: the readers above report problems to people, so reaching that here is our own mistake.
    """
    if columns is None:
        return pl.DataFrame(schema=RATINGS_SCHEMA)
    frame = _with_schema(columns, RATINGS_SCHEMA)
    _require("ratings", frame, NEVER_NULL, {"item_kind": ItemKind})
    return frame


def preferences_frame(columns: pl.DataFrame | None = None) -> pl.DataFrame:
    """The preferences frame with exactly the declared columns; empty without `columns`.

    Raises ValueError as `ratings_frame` does.
    """
    if columns is None:
        return pl.DataFrame(schema=PREFERENCES_SCHEMA)
    frame = _with_schema(columns, PREFERENCES_SCHEMA)
    choices = {"item_kind": ItemKind, "preference": PREFERENCES, "control_side": CONTROL_SIDES}
    _require("preferences", frame, _PREFERENCE_NEVER_NULL, choices)
    return frame


def spans_frame(columns: pl.DataFrame | None = None) -> pl.DataFrame:
    """The spans frame with exactly the declared columns; empty without `columns`.

    Raises ValueError as `ratings_frame` does, and on a span that ends before it begins or lacks one end.
    """
    if columns is None:
        return pl.DataFrame(schema=SPANS_SCHEMA)
    frame = _with_schema(columns, SPANS_SCHEMA)
    allowed = {"item_kind": ItemKind, "side": SPAN_SIDES, "origin": SPAN_ORIGINS}
    _require("spans", frame, _SPAN_NEVER_NULL, allowed)
    start, end = pl.col("start"), pl.col("end")
    wrong = (start.is_null() != end.is_null()) | (start < 0) | (end <= start)
    if frame.select(wrong.fill_null(False).any()).item():
        raise ValueError("spans frame: a span needs both ends, from 0 on, the second after the first")
    return frame


def texts_frame(columns: pl.DataFrame | None = None) -> pl.DataFrame:
    """The texts frame with exactly the declared columns, each text once; empty without `columns`."""
    if columns is None:
        return pl.DataFrame(schema=TEXTS_SCHEMA)
    frame = _with_schema(columns, TEXTS_SCHEMA).unique(
        list(TEXTS_SCHEMA)[:-1], keep="first", maintain_order=True
    )
    _require("texts", frame, tuple(TEXTS_SCHEMA), {"item_kind": ItemKind, "side": SPAN_SIDES})
    return frame


def _require(
    name: str, frame: pl.DataFrame, never_null: Sequence[str], choices: Mapping[str, Iterable[str]]
) -> None:
    for column in never_null:
        if frame[column].null_count():
            raise ValueError(f"{name} frame: column {column} must have no empty cells")
    for column, allowed in choices.items():
        unknown = set(frame[column].drop_nulls().unique()) - set(allowed)
        if unknown:
            raise ValueError(f"{name} frame: unknown {column} {sorted(unknown)}")


def hit_times_frame(columns: pl.DataFrame | None = None) -> pl.DataFrame:
    """The frame of HIT times with exactly the declared columns; without `columns` nothing is known of any."""
    if columns is None:
        return pl.DataFrame(schema=HIT_TIMES_SCHEMA)
    return _with_schema(columns, HIT_TIMES_SCHEMA)


def _with_schema(columns: pl.DataFrame, schema: dict[str, pl.DataType]) -> pl.DataFrame:
    return columns.select(
        (pl.col(name) if name in columns.columns else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in schema.items()
    )


def with_categories(frame: pl.DataFrame, hit_times: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The same two frames with names as ordered categories, which group and join like numbers.

    Everything that takes a ratings frame takes it in this form too, in a quarter of the memory and the
    time; what is made from it has categories for names. The categories cover both frames.
    """
    dtypes: dict[str, pl.DataType] = {}
    for name in _NAMES:
        found = [frame[name], *([hit_times[name]] if name in hit_times.columns else [])]
        if name == "system_id":
            found.append(frame["credited"].drop_nulls().explode())
        if name == "item_kind":
            # All kinds, also absent ones: Polars before 1.32 compares a column with its own categories only.
            found.append(pl.Series([str(kind) for kind in ItemKind]))
        dtypes[name] = pl.Enum(pl.concat([column.unique() for column in found]).drop_nulls().unique().sort())
    coded = frame.with_columns(
        *(pl.col(name).cast(dtype) for name, dtype in dtypes.items()),
        pl.col("credited").cast(pl.List(dtypes["system_id"])),
    )
    times = hit_times.with_columns(pl.col(name).cast(dtypes[name]) for name in ("worker_id", "hit_id"))
    return coded, times


def as_categories(column: pl.Series) -> pl.Series:
    """A column of names as ordered categories."""
    return column if isinstance(column.dtype, pl.Enum) else column.cast(pl.Enum(column.unique().sort()))


def index_of(column: pl.Series) -> tuple[list[str], IntArray]:
    """The distinct names of a column in order, and for each row the place of its name among them."""
    column = as_categories(column)
    assert isinstance(column.dtype, pl.Enum)
    code = column.to_physical().to_numpy().astype(np.int64)
    # A part of the rows need not have all the categories of the whole.
    present = np.bincount(code, minlength=len(column.dtype.categories)) > 0
    if present.all():
        return column.dtype.categories.to_list(), code
    return column.dtype.categories.filter(present).to_list(), (np.cumsum(present) - 1)[code]


def in_order_of(frame: pl.DataFrame, *names: str, then: Sequence[str] = ()) -> pl.DataFrame:
    """The rows sorted by columns of names, then by other columns; rows alike in all keep their order.

    Sorting by one number made of all names is twenty times faster than by the names.
    """
    key = np.zeros(len(frame), dtype=np.int64)
    for name in names:
        categories, code = index_of(frame[name])
        key = key * len(categories) + code
    if _is_sorted(key, [frame[name] for name in then]):
        return frame
    keyed = frame.with_columns(pl.Series("_key", key))
    return keyed.sort("_key", *then, maintain_order=True).drop("_key")


def _is_sorted(key: IntArray, then: Sequence[pl.Series]) -> bool:
    """Whether rows are in order of the key, and of one more column of whole numbers where keys are equal."""
    # Unordered rows are recognised early.
    if len(then) > 1 or bool((np.diff(key[:10_000]) < 0).any()):
        return False
    step = np.diff(key)
    if bool((step < 0).any()):
        return False
    if not then:
        return True
    if not then[0].dtype.is_integer() or then[0].null_count():
        return False
    return not bool((np.diff(then[0].to_numpy())[step == 0] < 0).any())


def scored(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that belong to a system: regular and repeat, never degraded or reference.

    A judgement of a text that several systems gave is there once for each of them.
    """
    rows = frame.filter(pl.col("item_kind").is_in([str(kind) for kind in SCORED_KINDS]))
    return spread_credit(rows)


def spread_credit(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per judgement and system that it counts for; `credited` is then empty."""
    if frame["credited"].null_count() == len(frame):
        return frame
    several = pl.List(frame["system_id"].dtype)
    others = pl.col("credited").cast(several).fill_null(pl.lit([], several))
    systems = pl.concat_list(pl.concat_list("system_id"), others)
    return (
        frame.with_columns(system_id=systems, credited=pl.lit(None, several))
        .explode("system_id")
        .select(frame.columns)
    )


def gather_credit(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per judgement and attribute: rows that share both are credited to all their systems.

    The reverse of `spread_credit`. Rows without a judgement_id stand for themselves.
    """
    if frame["judgement_id"].null_count() == len(frame):
        return frame
    judged = ["judgement_id", "attribute"]
    shared = pl.struct(judged).is_duplicated() & pl.col("judgement_id").is_not_null()
    if not frame.select(shared.any()).item():
        return frame
    groups = frame.filter(shared).group_by(judged).agg(pl.col("system_id").slice(1).alias("credited"))
    first = frame.filter(~shared | pl.struct(judged).is_first_distinct())
    return (
        first.drop("credited")
        .join(groups, on=judged, how="left", maintain_order="left")
        .select(frame.columns)
    )


class StandardisedRatings(NamedTuple):
    """Ratings on one common scale. All arrays: (rows,).

    `z` is NaN where there is none. `defines_worker`: the rows that workers' means and deviations are over;
    `n_defining`: how many of these the row's worker has.
    """

    z: FloatArray
    defines_worker: BoolArray
    n_defining: IntArray


def standardise_ratings(frame: pl.DataFrame, settings: MethodSettings) -> StandardisedRatings:
    """Each rating's distance from its worker's mean in that worker's deviations, as the settings say.

    Means and deviations are over the rows that `standardise_over` says, those of the systems
    `standardise_without` left out, for all attributes together or each alone (`standardise_per`). With
    `minimum_ratings` as `standardise_by_worker` has it; without, as `rating_units` draws them together.
    """
    workers, judge = index_of(frame["worker_id"])
    n_crowds = 1
    if settings.standardise_per == "attribute":
        names, attribute = index_of(frame["attribute"])
        n_crowds = len(names)
        judge = attribute * len(workers) + judge
    defines = np.ones(len(frame), dtype=np.bool_)
    if settings.standardise_over == "system":
        kinds = [str(kind) for kind in SCORED_KINDS]
        defines = frame.select(pl.col("item_kind").is_in(kinds)).to_series().to_numpy()
    if settings.standardise_without:
        defines &= ~frame["system_id"].is_in(list(settings.standardise_without)).to_numpy()
    ordered = pl.DataFrame({"rating": frame["rating"], "judge": judge, "defines": defines})
    if not (ordered["rating"] % 1 == 0).all():
        # In a fixed order the sums come out the same to the last bit; those of whole numbers do anyway.
        ordered = ordered.sort("judge", "rating")
    moments = worker_moments(
        ordered["rating"].to_numpy(), ordered["judge"].to_numpy(), over=ordered["defines"].to_numpy()
    )
    rating = frame["rating"].to_numpy()
    if settings.minimum_ratings is not None:
        z = standardised(rating, judge, moments=moments, minimum=settings.minimum_ratings)
        return StandardisedRatings(z, defines, moments.n[judge])
    z = np.full(len(rating), np.nan)
    for crowd in range(n_crowds):
        one = slice(crowd * len(workers), (crowd + 1) * len(workers))
        units = rating_units(WorkerMoments(moments.n[one], moments.mean[one], moments.sd[one]))
        rows = np.flatnonzero(judge // len(workers) == crowd)
        worker = judge[rows] - one.start
        z[rows] = (rating[rows] - units.centre[worker]) / units.deviation[worker]
    return StandardisedRatings(z, defines, moments.n[judge])


def with_occurrence(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The rows with `occurrence`: the number, from 0, of earlier rows that have the same keys."""
    again = rows.select(pl.struct(keys).hash()).to_series().is_duplicated()
    # Counting within groups is slow, and few rows share their keys with others.
    counted = rows.filter(again).select(pl.int_range(pl.len(), dtype=pl.Int64).over(keys)).to_series()
    occurrence = pl.zeros(len(rows), pl.Int64, eager=True).scatter(again.arg_true(), counted)
    return rows.with_columns(occurrence.alias("occurrence"))


def has_few_points(rating: FloatArray, scale: Scale, *, n_workers: int) -> bool:
    """Whether these ratings by `n_workers` workers are on a scale of few points, such as Likert's.

    The scale decides: few points lie within ten of each other. Such ratings that are analysed as if they
    were on a line show it: they differ, lie within a span of ten, and are at least a hundred, from at
    least five workers. Fewer people may simply agree, and two values far apart are a habit, not a scale.
    """
    if scale.width <= _SPAN_OF_FEW_POINTS:
        # Even such a scale may be a line, with all its fractions.
        return len(np.unique(rating)) <= _SPAN_OF_FEW_POINTS + 1
    if n_workers < ENOUGH_WORKERS or len(rating) < _ENOUGH_RATINGS:
        return False
    return 0 < float(rating.max()) - float(rating.min()) <= _SPAN_OF_FEW_POINTS
