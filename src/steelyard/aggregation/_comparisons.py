"""Shared by the methods that compare: two systems on one segment, by preferences or ratings, to scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from steelyard.aggregation._order import CELL, in_canonical_order
from steelyard.aggregation._preferences import (
    compared_preferences,
    judged_sides,
    mostly_undecided,
    preference_workers,
    undecided,
)
from steelyard.aggregation._segment_means import scored_rows, worker_table
from steelyard.aggregation._standardised import with_z
from steelyard.documents import Documents, segment_documents
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import MethodSettings
from steelyard.domain.wording import Note
from steelyard.domain.work import SCORED_KINDS
from steelyard.frames import index_of, spread_credit
from steelyard.preferences import is_of_preferences
from steelyard.stats.arrays import IntArray
from steelyard.stats.rounding import TIE_DECIMALS

_WORKERS_AS_GIVEN = (
    "Intervals and p-values of this method allow for other documents, not for other workers. Where workers "
    "differ in what they prefer, equal systems are often found to differ; bradley-terry allows for that."
)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """How often which of two systems was better on which segment, each result once. All arrays: (n,).

    `outcome` is 1 if the first system was better, -1 if the second was, 0 for a tie. In order of worker,
    segment, first, second (always the later name) and outcome. Workers are all 0 unless they were asked
    for, and where comparisons are between the ratings of several. `n_judgements` entered any of them.
    """

    worker: IntArray
    segment: IntArray
    first: IntArray
    second: IntArray
    outcome: IntArray
    count: IntArray
    n_judgements: int

    @property
    def total(self) -> int:
        """The number of comparisons."""
        return int(self.count.sum())


@dataclass(frozen=True, slots=True)
class ComparedSystems:
    """A frame's comparisons by attribute, and what else a Fit needs. Indices are places in the names.

    `documents`: that of each segment.
    """

    rows: pl.DataFrame
    systems: list[str]
    segments: list[str]
    documents: Documents
    worker_ids: list[str]
    by_attribute: dict[str, Comparisons]
    workers: pl.DataFrame
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()


class _Names(NamedTuple):
    """The names behind the indices of comparisons; no workers if results are not kept apart by worker."""

    systems: list[str]
    segments: list[str]
    workers: list[str]


def compare_systems(
    frame: pl.DataFrame, settings: MethodSettings, *, method: str, by_worker: bool = False
) -> ComparedSystems:
    """Every comparison of two systems on one segment that a frame of preferences or ratings allows.

    Preferences are comparisons already; one for neither, bad or not, is a tie. Of ratings, two by the
    same worker of the same attribute are compared as they are: how that worker uses the scale does not
    matter, and of a translation judged twice the mean counts. Most designs avoid two translations of a
    segment in one HIT, so that few ratings could be compared in this way, and those by chance; if it is
    less than half of them, the segments' mean standardised ratings are compared instead, and a difference
    is then one between other workers as well. One rule serves the whole frame, and a warning says which.

    With `by_worker` every worker's results are counted apart, where comparisons are one worker's.
    """
    if is_of_preferences(frame):
        preferences = compared_preferences(frame, method=method)
        rows = judged_sides(preferences)
    else:
        rows = in_canonical_order(scored_rows(frame, method=method))
    systems, segments = (rows[name].unique().sort().cast(pl.String).to_list() for name in CELL)
    worker_ids = rows["worker_id"].unique().sort().cast(pl.String).to_list()
    names = _Names(systems, segments, worker_ids if by_worker else [])
    documents = segment_documents(frame, segments)
    if is_of_preferences(frame):
        by_attribute = _by_attribute(preferences, lambda part: _preferred(part, names))
        as_given = () if by_worker or not settings.draws else (_WORKERS_AS_GIVEN,)
        return ComparedSystems(
            rows,
            systems,
            segments,
            documents,
            worker_ids,
            by_attribute,
            preference_workers(frame),
            warnings=(*mostly_undecided(preferences), *as_given),
            notes=undecided(preferences),
        )
    if len(systems) < 2:
        raise NotEnoughData(
            f"{method}: all ratings are of one system, {systems[0]!r}, and this method scores systems by "
            "comparing them. Use {method=mean-z} or {method=mean-rating}, which score a system by itself."
        )
    within = _mostly_within_workers(frame, rows)
    judged = rows.with_columns(value="rating") if within else _standardised(frame, settings, method=method)
    by_attribute = _by_attribute(judged, lambda part: _pair_up(part, names, within=within))
    if not by_attribute:
        raise NotEnoughData(
            f"{method}: no two systems were judged on the same segment, so none can be compared. Use "
            "{method=mean-z} or {method=mean-rating}, or let all systems translate and be judged on common "
            "segments."
        )
    warnings = _rule(list(by_attribute.values()), n_rows=len(rows), within=within)
    if len(judged) < len(rows):
        few = f"fewer than {settings.fewest_ratings} ratings, or always the same one"
        left_out = f"{len(rows) - len(judged):,} judgements of workers with {few}"
        warnings = (*warnings, Note(f"Left out because they cannot be standardised: {left_out}."))
    return ComparedSystems(
        rows, systems, segments, documents, worker_ids, by_attribute, worker_table(frame), warnings
    )


def _by_attribute(
    rows: pl.DataFrame, compare: Callable[[pl.DataFrame], Comparisons]
) -> dict[str, Comparisons]:
    """The comparisons of every attribute that has any, by its name."""
    names = rows["attribute"].unique().sort().cast(pl.String)
    found = {name: compare(rows.filter(pl.col("attribute") == name)) for name in names}
    return {name: comparisons for name, comparisons in found.items() if comparisons.total}


def _mostly_within_workers(frame: pl.DataFrame, rows: pl.DataFrame) -> bool:
    """Whether at least half of the judgements have another system's beside them, by the same worker.

    Judgements count, not what they are credited for: one judgement of a text that two systems share
    compares nothing.
    """
    nothing_shared = frame["credited"].null_count() == len(frame)
    judged = rows if nothing_shared else in_canonical_order(_of_systems(frame))
    worker, segment, attribute, system = (
        judged[name].to_physical().cast(pl.Int64).to_numpy()
        for name in ("worker_id", "segment_id", "attribute", "system_id")
    )
    unit = (worker * (segment.max() + 1) + segment) * (attribute.max() + 1) + attribute
    n_systems = system.max() + 1
    code, count = np.unique(unit * n_systems + system, return_counts=True)
    step = np.diff(code // n_systems)
    beside = np.append(step, 1) * np.append(1, step) == 0
    return 2 * int(count[beside].sum()) >= len(judged)


def _of_systems(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("item_kind").is_in([str(kind) for kind in SCORED_KINDS]))


def _standardised(frame: pl.DataFrame, settings: MethodSettings, *, method: str) -> pl.DataFrame:
    """The scored rows with `value`, the standardised rating; those of workers who have none are left out."""
    valued = with_z(frame, settings).filter(pl.col("value").is_not_null())
    rows = spread_credit(_of_systems(valued))
    if rows.is_empty():
        raise NotEnoughData(
            f"{method}: too few judgements are of two systems on one segment by the same worker, and no "
            f"worker has given {settings.fewest_ratings} ratings yet that are not all the same, so there is "
            "nothing to compare. Use {method=mean-rating}, or wait for more judgements."
        )
    return rows


def _preferred(rows: pl.DataFrame, names: _Names) -> Comparisons:
    """Comparisons from preferences with their outcomes, whichever side was shown first."""
    n = len(names.systems)
    segment = _places(rows["segment_id"], names.segments)
    first, second = (_places(rows[name], names.systems) for name in ("system_a", "system_b"))
    outcome = np.where(first < second, 1, -1) * rows["outcome"].to_numpy()
    unit = segment
    if names.workers:
        unit = _places(rows["worker_id"], names.workers) * len(names.segments) + segment
    pair = (unit * n + np.minimum(first, second)) * n + np.maximum(first, second)
    counts = pl.DataFrame({"code": pair * 3 + outcome + 1}).group_by("code").agg(count=pl.len())
    return _comparisons(counts, names, n_judgements=len(rows))


def _pair_up(rows: pl.DataFrame, names: _Names, *, within: bool) -> Comparisons:
    """Comparisons of all systems with a value in the same unit: a worker's segment, or a segment."""
    n, n_segments = len(names.systems), len(names.segments)
    worker = np.zeros(len(rows), dtype=np.int64)
    if within and len(rows):
        worker = (
            _places(rows["worker_id"], names.workers) if names.workers else index_of(rows["worker_id"])[1]
        )
    cell = _places(rows["segment_id"], names.segments) * n + _places(rows["system_id"], names.systems)
    means = (
        pl.DataFrame({"key": worker * (n_segments * n) + cell, "value": rows["value"]})
        .group_by("key")
        .agg(pl.col("value").mean(), n=pl.len())
        .sort("key")
    )
    unit, system = np.divmod(means["key"].to_numpy(), n)
    value = means["value"].to_numpy()
    tables = [pl.DataFrame(schema={"code": pl.Int64, "count": pl.Int64})]
    # Rows of a unit follow each other, so those that stand `gap` apart in it are pairs, each once.
    for gap in range(1, n):
        row = np.flatnonzero(unit[gap:] == unit[:-gap])
        if not len(row):
            break
        outcome = np.sign(np.round(value[row] - value[row + gap], TIE_DECIMALS)).astype(np.int64)
        place = unit[row] if names.workers else unit[row] % n_segments
        pair = (place * n + system[row]) * n + system[row + gap]
        code = pair * 3 + outcome + 1
        tables.append(pl.DataFrame({"code": code}).group_by("code").agg(count=pl.len().cast(pl.Int64)))
    # Units of a single system have no neighbour of their kind.
    alone = np.diff(unit, prepend=-1) * np.diff(unit, append=-1) != 0
    n_judgements = int(means["n"].to_numpy()[~alone].sum())
    return _comparisons(pl.concat(tables), names, n_judgements=n_judgements)


def _comparisons(counts: pl.DataFrame, names: _Names, *, n_judgements: int) -> Comparisons:
    """Comparisons from how often each code was counted: worker, segment, first, second and outcome in one."""
    n = len(names.systems)
    table = counts.group_by("code").agg(pl.col("count").sum().cast(pl.Int64)).sort("code")
    pair, outcome = np.divmod(table["code"].to_numpy(), 3)
    cell, second = np.divmod(pair, n)
    unit, first = np.divmod(cell, n)
    worker, segment = np.divmod(unit, len(names.segments))
    return Comparisons(worker, segment, first, second, outcome - 1, table["count"].to_numpy(), n_judgements)


def _places(column: pl.Series, names: list[str]) -> IntArray:
    """For each row the place of its value among the names."""
    return column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)


def _rule(parts: Sequence[Comparisons], *, n_rows: int, within: bool) -> tuple[str, ...]:
    total, used = sum(part.total for part in parts), sum(part.n_judgements for part in parts)
    ties = sum(int(part.count[part.outcome == 0].sum()) for part in parts)
    numbers = f"{total:,} comparisons, {ties:,} of them ties, from {used:,} of {n_rows:,} judgements"
    if within:
        said = f"Systems were compared where one worker rated two of them on the same segment: {numbers}."
        return (Note(said),)
    return (
        "Few workers rated two systems on the same segment, so the systems' mean standardised ratings of "
        f"each segment were compared: {numbers}.",
    )
