"""Shared by the methods that compare: ratings to comparisons of two systems on one segment, to scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from steelyard.aggregation._order import CELL, in_canonical_order
from steelyard.aggregation._segment_draws import (
    Scores,
    SegmentDraws,
    draw_segments,
    fit_scores,
    lacking_attributes,
    mean_values,
)
from steelyard.aggregation._segment_means import scored_rows, worker_table
from steelyard.aggregation._standardised import with_z
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit, MethodSettings
from steelyard.domain.work import SCORED_KINDS
from steelyard.frames import index_of, spread_credit
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.rounding import TIE_DECIMALS

# Counts of pairs of systems held at once: an array of 8 MB.
_COUNTS_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Comparisons:
    """How often which of two systems was better on which segment, each result once. All arrays: (n,).

    `outcome` is 1 if the first system was better, -1 if the second was, 0 for a tie. In order of
    segment, first, second (always the later name) and outcome. `n_judgements` entered any of them.
    """

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
class Compared:
    """A frame's comparisons by attribute, and what else a Fit needs. Indices are places in the names."""

    rows: pl.DataFrame
    systems: list[str]
    segments: list[str]
    by_attribute: dict[str, Comparisons]
    workers: pl.DataFrame
    warnings: tuple[str, ...]


Scorer = Callable[[Comparisons, SegmentDraws, int], FloatArray]
"""(comparisons, draws, number of systems) -> scores of the data and of every draw, (1 + draws, S)."""


def compare_systems(frame: pl.DataFrame, settings: MethodSettings, *, method: str) -> Compared:
    """Every comparison of two systems on one segment that the ratings of a frame allow.

    Two ratings by the same worker of the same attribute are compared as they are: how that worker
    uses the scale does not matter, and of a translation judged twice the mean counts. Most designs
    avoid two translations of a segment in one HIT, so that few judgements could be compared in this
    way, and those by chance; if it is less than half of them, the segments' mean standardised ratings
    are compared instead, and a difference is then one between other workers as well. One rule serves
    the whole frame, and a warning says which.
    """
    rows = in_canonical_order(scored_rows(frame, method=method))
    systems, segments = (rows[name].unique().sort().cast(pl.String).to_list() for name in CELL)
    if len(systems) < 2:
        raise NotEnoughData(
            f"{method}: all ratings are of one system, {systems[0]!r}, and this method scores systems by "
            "comparing them. Use --method mean-z or mean-rating, which score a system by itself."
        )
    within = _mostly_within_workers(frame, rows)
    judged = rows.with_columns(value="rating") if within else _standardised(frame, settings, method=method)
    by_attribute = {}
    for name in rows["attribute"].unique().sort().cast(pl.String):
        of_attribute = judged.filter(pl.col("attribute") == name)
        found = _pair_up(of_attribute, systems=systems, segments=segments, within=within)
        if found.total:
            by_attribute[name] = found
    if not by_attribute:
        raise NotEnoughData(
            f"{method}: no two systems were judged on the same segment, so none can be compared. Use "
            "--method mean-z or mean-rating, or let all systems translate and be judged on common segments."
        )
    warnings = _rule(list(by_attribute.values()), n_rows=len(rows), within=within)
    if len(judged) < len(rows):
        few = f"fewer than {settings.minimum_ratings} ratings, or always the same one"
        left_out = f"{len(rows) - len(judged):,} judgements of workers with {few}"
        warnings = (*warnings, f"Left out because they cannot be standardised: {left_out}.")
    return Compared(rows, systems, segments, by_attribute, worker_table(frame), warnings)


def fit_comparisons(
    compared: Compared, settings: MethodSettings, rng: np.random.Generator, *, score: Scorer
) -> Fit:
    """A Fit from the scores that a method makes of the comparisons.

    Segments are resampled for intervals and p-values, the same for all attributes. A segment's score
    is the system's share of wins in its decided comparisons there. Where ratings are of several
    attributes, each is scored alone, and the scores over all are the means of theirs.
    """
    n_systems = len(compared.systems)
    draws = draw_segments(len(compared.segments), draws=settings.draws, rng=rng)
    values, graphs = {}, {}
    for name, comparisons in compared.by_attribute.items():
        graphs[name] = _met(comparisons, n_systems)
        values[name] = score(comparisons, draws, n_systems)
        values[name][:, ~graphs[name].any(axis=0)] = np.nan

    def fit_of(rows: pl.DataFrame, names: Sequence[str]) -> Fit:
        scores = Scores(
            compared.systems,
            values=mean_values([values[name] for name in names]),
            comparable=_linked(np.logical_or.reduce([graphs[name] for name in names])),
            segments=_shares(compared, [compared.by_attribute[name] for name in names]),
        )
        return fit_scores(rows, scores, settings, workers=compared.workers)

    together = fit_of(compared.rows, list(values))
    warnings = (
        *compared.warnings,
        *_never_compared(compared.systems, together),
        *lacking_attributes(compared.systems, values),
    )
    alone: tuple[tuple[str, Fit], ...] = ()
    if compared.rows["attribute"].n_unique() > 1:
        of_attribute = pl.col("attribute")
        alone = tuple((name, fit_of(compared.rows.filter(of_attribute == name), [name])) for name in values)
    return replace(together, warnings=warnings, attributes=alone)


def score_counts(
    comparisons: Comparisons,
    draws: SegmentDraws,
    n_systems: int,
    *,
    score: Callable[[FloatArray, FloatArray], FloatArray],
) -> FloatArray:
    """Scores by a function of wins and ties (draws, S, S), for the data and every draw (1 + draws, S)."""
    first, second, outcome = comparisons.first, comparisons.second, comparisons.outcome
    better, worse = np.where(outcome < 0, (second, first), (first, second))
    group, decided = draws.group[comparisons.segment], outcome != 0

    def per_group(rows: IntArray, columns: IntArray, among: BoolArray) -> csr_array:
        places = ((rows * n_systems + columns)[among], group[among])
        shape = (n_systems**2, draws.times.shape[1])
        return csr_array((comparisons.count[among].astype(np.float64), places), shape=shape)

    wins = per_group(better, worse, decided)
    ties = per_group(first, second, ~decided) + per_group(second, first, ~decided)
    size = max(1, _COUNTS_AT_ONCE // n_systems**2)
    chunks = [draws.times[start : start + size] for start in range(0, len(draws.times), size)]

    def counted(table: csr_array, times: FloatArray) -> FloatArray:
        counts: FloatArray = (table @ times.T).T.reshape(len(times), n_systems, n_systems)
        return counts

    return np.concatenate([score(counted(wins, times), counted(ties, times)) for times in chunks])


def _mostly_within_workers(frame: pl.DataFrame, rows: pl.DataFrame) -> bool:
    """Whether at least half of the judgements have another system's beside them, by the same worker.

    Told from judgements, not from what they are credited for: one judgement of a text that two
    systems share compares nothing.
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
            f"worker has given {settings.minimum_ratings} ratings yet that are not all the same, so there is "
            "nothing to compare. Use --method mean-rating, or wait for more judgements."
        )
    return rows


def _pair_up(rows: pl.DataFrame, *, systems: list[str], segments: list[str], within: bool) -> Comparisons:
    """Comparisons of all systems with a value in the same unit: a worker's segment, or a segment."""
    n, n_segments = len(systems), len(segments)
    worker = index_of(rows["worker_id"])[1] if within and len(rows) else np.zeros(len(rows), dtype=np.int64)
    cell = _places(rows["segment_id"], segments) * n + _places(rows["system_id"], systems)
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
        pair = ((unit[row] % n_segments) * n + system[row]) * n + system[row + gap]
        code = pair * 3 + outcome + 1
        tables.append(pl.DataFrame({"code": code}).group_by("code").agg(count=pl.len().cast(pl.Int64)))
    counted = pl.concat(tables).group_by("code").agg(pl.col("count").sum()).sort("code")
    pair, outcome = np.divmod(counted["code"].to_numpy(), 3)
    cell, second = np.divmod(pair, n)
    segment, first = np.divmod(cell, n)
    # Units of a single system have no neighbour of their kind.
    alone = np.diff(unit, prepend=-1) * np.diff(unit, append=-1) != 0
    n_judgements = int(means["n"].to_numpy()[~alone].sum())
    return Comparisons(segment, first, second, outcome - 1, counted["count"].to_numpy(), n_judgements)


def _places(column: pl.Series, names: list[str]) -> IntArray:
    """For each row the place of its value among the names."""
    return column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)


def _met(comparisons: Comparisons, n_systems: int) -> BoolArray:
    """Which systems were compared with which (S, S)."""
    met = np.zeros((n_systems, n_systems), dtype=np.bool_)
    met[comparisons.first, comparisons.second] = True
    return met | met.T


def _linked(met: BoolArray) -> BoolArray:
    """Which systems can be compared at least through others (S, S)."""
    linked: BoolArray = met | np.eye(len(met), dtype=np.bool_)
    # Each squaring doubles the number of opponents that a link may pass through.
    for _ in range(int(np.ceil(np.log2(len(met))))):
        linked = linked @ linked
    return linked


def _shares(compared: Compared, parts: Sequence[Comparisons]) -> pl.DataFrame:
    """Each cell's share of wins among decided comparisons, or 1/2, and the deviation of a single one."""
    sides = []
    for number, part in enumerate(parts):
        for system, sign in ((part.first, 1), (part.second, -1)):
            side = {"part": number, "system": system, "segment": part.segment}
            won, lost = part.outcome == sign, part.outcome == -sign
            sides.append(pl.DataFrame({**side, "wins": part.count * won, "losses": part.count * lost}))
    cell = ("system", "segment")
    total = pl.col("wins") + pl.col("losses")
    share = pl.when(total > 0).then(pl.col("wins") / total).otherwise(0.5)
    by_part = pl.concat(sides).group_by(*cell, "part").agg(pl.col("wins", "losses").sum())
    deviation = (pl.col("wins") * pl.col("losses") / (total * (total - 1))).sqrt()
    cells = (
        by_part.with_columns(score=share)
        .sort(*cell, "part")
        .group_by(cell, maintain_order=True)
        .agg(pl.col("score").mean(), pl.col("wins", "losses").sum())
        .with_columns(sd=pl.when(total > 1).then(deviation))
    )
    return cells.select(
        pl.Series("system_id", compared.systems).gather(cells["system"]),
        pl.Series("segment_id", compared.segments).gather(cells["segment"]),
        "score",
        "sd",
    )


def _rule(parts: Sequence[Comparisons], *, n_rows: int, within: bool) -> tuple[str, ...]:
    total, used = sum(part.total for part in parts), sum(part.n_judgements for part in parts)
    ties = sum(int(part.count[part.outcome == 0].sum()) for part in parts)
    numbers = f"{total:,} comparisons, {ties:,} of them ties, from {used:,} of {n_rows:,} judgements"
    if within:
        return (f"Systems were compared where one worker rated two of them on the same segment: {numbers}.",)
    return (
        "Few workers rated two systems on the same segment, so the systems' mean standardised ratings of "
        f"each segment were compared: {numbers}.",
    )


def _never_compared(systems: list[str], fit: Fit) -> tuple[str, ...]:
    left_out = sorted(set(systems) - set(fit.systems["system_id"]))
    if not left_out:
        return ()
    return (f"These systems were compared with no other, so they have no score: {', '.join(left_out)}.",)
