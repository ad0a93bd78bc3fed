"""Workers who click at random, put among the others to see what methods make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.aggregation.two_stage import METHOD as TWO_STAGE
from steelyard.aggregation.two_stage import TwoStageSettings
from steelyard.domain.result import MethodSettings
from steelyard.domain.scale import Scale
from steelyard.domain.work import ItemKind
from steelyard.evaluation.normalisation.figures import gold_figures
from steelyard.evaluation.normalisation.fits import WORKER_STREAM, Fitted
from steelyard.evaluation.normalisation.gold import GoldStudy, gold_study
from steelyard.stats.arrays import FloatArray
from steelyard.stats.correlation import pearson
from steelyard.stats.gold import RatingPoints, expected_from_gold, gold_differences, k_delta, rating_points

# Two who click anywhere, three whose clicks gather at these shares of the scale, with a deviation of a third
# of it: means 2, 2.5 and 3 and deviation 1 on four points [Denkowski2010, section 4.1].
_UNIFORM = ("uniform-a", "uniform-b")
_CENTRES, _DEVIATION = (1 / 3, 1 / 2, 2 / 3), 1 / 3
_RANDOM_HIT = "random workers"


@dataclass(frozen=True)
class RandomWorkers:
    """The study with random workers in it, their names, and their ratings: (workers, cells)."""

    study: GoldStudy
    names: tuple[str, ...]
    worker_ids: tuple[str, ...]
    ratings: FloatArray


def with_random_workers(study: GoldStudy, scale: Scale, *, seed: int) -> RandomWorkers:
    """The study with five more workers, who each judged every translation once, at random.

    Their ratings lie on the scale, and are whole where everybody's are.
    """
    rng = np.random.default_rng((seed, WORKER_STREAM))
    names, ratings = _clicks(study, scale, rng)
    taken = set(study.frame["worker_id"].unique().cast(pl.String))
    prefix = "random "
    while taken & {prefix + name for name in names}:
        prefix += "'"
    worker_ids = tuple(prefix + name for name in names)
    rows = [
        _judgements(study, worker_id, given) for worker_id, given in zip(worker_ids, ratings, strict=True)
    ]
    everybody = gold_study(pl.concat([_as_text(study.frame), *rows]))
    assert everybody.n_cells == study.n_cells
    return RandomWorkers(everybody, names, worker_ids, ratings)


def random_worker_rows(
    random: RandomWorkers, fits: Mapping[str, Fitted], settings: MethodSettings
) -> pl.DataFrame:
    """Each random worker's distance from gold, K_Delta, and weight under the methods that weigh workers.

    Distances are of ratings as they were given, before anything is added to them [Denkowski2010].
    """
    study = random.study
    at = np.flatnonzero(study.is_gold)
    n = len(random.names)
    given, worker = random.ratings[:, at].ravel(), np.repeat(np.arange(n, dtype=np.int64), len(at))
    gold = np.tile(study.gold[at], n)
    points = rating_points(study.judged.rating, settings.scale)
    distance = gold_differences(given, gold, worker, n_workers=n).distance
    expected = expected_from_gold(gold, worker, points=points, n_workers=n)
    chosen = TWO_STAGE.own_settings(settings)
    assert isinstance(chosen, TwoStageSettings)
    weights = k_delta(
        distance,
        points,
        form=chosen.gold_form,
        expected=expected if chosen.gold_expected == "gold" else None,
    )
    table = pl.DataFrame({"worker": random.names, "delta": distance, "k_delta": weights})
    return table.with_columns(
        _weights(fit, random.worker_ids) for fit in fits.values() if fit.entry.method.votes
    )


def resistance_rows(before: Sequence[Fitted], after: Mapping[str, Fitted], gold: FloatArray) -> pl.DataFrame:
    """How far random workers move the final scores of each method, and its closeness to the expert."""
    rows = []
    for fit in before:
        name = fit.entry.name
        first, second = fit.score, after[name].score
        both = np.isfinite(first) & np.isfinite(second)
        change = float(np.abs(second[both] - first[both]).mean()) if both.any() else None
        r = pearson(first[both], second[both])
        closeness = (gold_figures(score, gold, None).r for score in (first, second))
        rows.append((name, change, r if np.isfinite(r) else None, *closeness))
    schema = {name: pl.Float64() for name in ("change", "r_scores", "r_before", "r_after")}
    return pl.DataFrame(rows, schema={"method": pl.String(), **schema}, orient="row")


def _clicks(study: GoldStudy, scale: Scale, rng: np.random.Generator) -> tuple[tuple[str, ...], FloatArray]:
    """The names of the random workers and what each gives to every cell: (workers, cells)."""
    points = rating_points(study.judged.rating, scale)
    is_whole = bool(np.all(study.judged.rating == np.rint(study.judged.rating)))
    n = study.n_cells
    uniform = [_uniform(points, n, rng, is_whole=is_whole) for _ in _UNIFORM]
    centres = [scale.minimum + share * scale.width for share in _CENTRES]
    gathered = [rng.normal(centre, _DEVIATION * scale.width, n) for centre in centres]
    names = (*_UNIFORM, *(f"gaussian at {centre:.3g}" for centre in centres))
    return names, np.stack([*uniform, *(_on_scale(given, points, is_whole=is_whole) for given in gathered)])


def _uniform(points: RatingPoints, n: int, rng: np.random.Generator, *, is_whole: bool) -> FloatArray:
    if points.n_points is not None:
        return rng.choice(points.values(), n)
    if is_whole:
        return rng.integers(int(np.ceil(points.low)), int(np.floor(points.high)) + 1, n).astype(np.float64)
    return rng.uniform(points.low, points.high, n)


def _on_scale(given: FloatArray, points: RatingPoints, *, is_whole: bool) -> FloatArray:
    """Numbers as ratings: brought to the nearest point or whole number, halves upwards, and to the ends."""
    if points.n_points is not None:
        step = points.width / (points.n_points - 1)
        given = points.low + step * np.floor((given - points.low) / step + 0.5)
    elif is_whole:
        given = np.floor(given + 0.5)
    return np.clip(given, points.low, points.high)


def _judgements(study: GoldStudy, worker_id: str, given: FloatArray) -> pl.DataFrame:
    """A judgement of every cell by one worker, like the first that somebody made of it."""
    rows = np.flatnonzero(study.cell >= 0)
    _, first = np.unique(study.cell[rows], return_index=True)
    shown = _as_text(study.frame[rows[first]])
    gold = pl.Series(study.gold, dtype=pl.Float64).fill_nan(None)
    unknown = ("judgement_id", "assignment_id", "item_id", "position", "seconds", "submitted_at")
    return shown.with_columns(
        *(pl.lit(None, shown.schema[name]).alias(name) for name in unknown),
        worker_id=pl.lit(worker_id),
        hit_id=pl.lit(_RANDOM_HIT),
        item_kind=pl.lit(str(ItemKind.REGULAR)),
        rating=pl.Series(given),
        known=gold,
    )


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with its names as text, so that there may be new ones."""
    return frame.with_columns(pl.col(pl.Enum).cast(pl.String), pl.col("credited").cast(pl.List(pl.String)))


def _weights(fitted: Fitted, worker_ids: Sequence[str]) -> pl.Series:
    """What a method makes the votes of these workers count; null where it had no answer."""
    name = fitted.entry.name.replace("-", "_")
    if fitted.fit is None:
        return pl.Series(name, [None] * len(worker_ids), pl.Float64)
    weights = dict(fitted.fit.workers.select("worker_id", "weight").iter_rows())
    return pl.Series(name, [weights.get(worker_id) for worker_id in worker_ids], pl.Float64)
