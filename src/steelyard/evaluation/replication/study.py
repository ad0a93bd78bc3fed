"""Replication: would a second collection of ratings give the same scores, and how many ratings does it take?

Two collections of ratings of the same items are compared with each other; a single one is split into two
by its workers [Graham2015].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.wording import counted
from steelyard.evaluation.replication.conclusion import replication_conclusion
from steelyard.evaluation.replication.draws import SCALES, Curves, Drawn, draw_means
from steelyard.evaluation.replication.fit import expected_r, fit_rho
from steelyard.evaluation.replication.opinions import Collection, Opinions, affordable, matched, opinions
from steelyard.evaluation.replication.settings import (
    LEAST_ITEMS,
    CollectionCounts,
    Replication,
    ReplicationSettings,
    Requirement,
)
from steelyard.frames import ENOUGH_WORKERS
from steelyard.planning.sample_size import ratings_for_reliability
from steelyard.stats.arrays import IntArray
from steelyard.stats.replication_rho import RatedItems, Rho, rho_with_interval

# There are as many draws behind the interval of rho as behind the curves, so that its width is right within a
# few per cent. Each looks at every rating three times: of very many ratings there are fewer [our choices].
LEAST_RHO_DRAWS, MOST_LOOKS = 100, 8_000_000
# More ratings than this are no plan [our choice].
_MOST_RATINGS = 1_000_000
_TAIL = 0.025


@dataclass(frozen=True)
class ReplicationStudy:
    """A study made ready: two collections whose items are equally numbered, or one to be split.

    `n_items`: how many there are, of which `parts` may have some drawn at random.
    """

    parts: tuple[Opinions, ...]
    n_items: int
    settings: ReplicationSettings
    warnings: tuple[str, ...]

    @property
    def n_steps(self) -> int:
        """How many steps `run_replication` will report."""
        return self.settings.draws + len(SCALES) * len(_groups(self.parts))


def ready_replication(
    first: Collection, second: Collection | None, settings: ReplicationSettings
) -> ReplicationStudy:
    """Everything that draws need; NotEnoughData if the ratings cannot support them."""
    rng = np.random.default_rng((settings.analysis.seed, 0))
    warned: tuple[str, ...] = ()
    if second is None:
        found = [opinions(first)]
        _require_halves(found[0])
    else:
        one, other, warned = matched(*_told_apart(first, second))
        found = [one, other]
    warnings = [
        *(warning for part in found for warning in (*part.warnings, *_few_workers(part))),
        *warned,
    ]
    parts, sampled = affordable(found, rng=rng)
    warnings += [sampled] if sampled else []
    return ReplicationStudy(tuple(parts), len(found[0].items), settings, tuple(warnings))


def run_replication(study: ReplicationStudy, *, step: Callable[[int], None] = lambda _: None) -> Replication:
    """The whole study; `step` is called with 1 after each of its `n_steps`."""
    settings = study.settings
    drawn = draw_means(
        study.parts,
        draws=settings.draws,
        rng=np.random.default_rng((settings.analysis.seed, 1)),
        step=step,
    )
    rho, of_z = _reliabilities(study, step)
    rows = _rows(drawn, rho)
    if rows.is_empty():
        raise NotEnoughData(
            f"There is no correlation to compute: fewer than {LEAST_ITEMS} translations have ratings in both "
            "collections or halves, or their means do not vary. Collect more ratings of each translation."
        )
    needed = tuple(_requirement(wanted, of_z) for wanted in settings.reliability)
    counts = tuple(map(_counts, study.parts))
    return Replication(
        settings=settings,
        title=" against ".join(part.title for part in study.parts),
        is_split=len(study.parts) == 1,
        collections=counts,
        n_items=study.n_items,
        rho=rho,
        fitted_rho=_fitted(rows),
        rows=rows,
        scatter=_scatter(drawn, study.parts[0]),
        needed=needed,
        conclusion=replication_conclusion(of_z, needed, rows, counts),
        warnings=study.warnings,
    )


def replicate_collections(
    first: Collection, second: Collection | None, settings: ReplicationSettings
) -> Replication:
    """How well mean ratings of one collection are replicated by another, or by the halves of one."""
    return run_replication(ready_replication(first, second, settings))


def _told_apart(first: Collection, second: Collection) -> tuple[Collection, Collection]:
    """The two with titles that differ."""
    if first.title != second.title:
        return first, second
    one, other = (
        Collection(f"{part.title} ({place})", part.frame, part.settings)
        for part, place in ((first, "first"), (second, "second"))
    )
    return one, other


def _require_halves(found: Opinions) -> None:
    """NotEnoughData unless workers can be split and enough items then are in both halves."""
    n_workers = len(np.unique(found.worker))
    if n_workers < 2:
        raise NotEnoughData(
            "There are good ratings of one worker only, and one worker cannot be split in two halves. "
            "Collect ratings of other workers, or compare it with a second collection."
        )
    n_shared = int((np.bincount(found.item) > 1).sum())
    if n_shared < LEAST_ITEMS:
        raise NotEnoughData(
            f"To be split in two halves, workers must have judged the same translations: {LEAST_ITEMS} or "
            f"more need good ratings of two workers, and {n_shared} have them. Collect more ratings of each "
            "translation."
        )


def _few_workers(found: Opinions) -> tuple[str, ...]:
    n_workers = len(np.unique(found.worker))
    if n_workers >= ENOUGH_WORKERS:
        return ()
    return (
        f"The collection {found.title} has {counted(n_workers, 'worker')}: what others "
        "would have said is uncertain from so few, so the interval of its rho is too narrow.",
    )


def _counts(part: Opinions) -> CollectionCounts:
    return CollectionCounts(
        title=part.title,
        workers=len(np.unique(part.worker)),
        ratings=len(part.item),
        ratings_per_item=len(part.item) / len(part.items),
    )


def _groups(parts: tuple[Opinions, ...]) -> list[tuple[str, tuple[Opinions, ...]]]:
    """The collections that have a rho each: all together, and of two each alone."""
    return [("", parts), *([(part.title, (part,)) for part in parts] if len(parts) > 1 else [])]


def _reliabilities(study: ReplicationStudy, step: Callable[[int], None]) -> tuple[pl.DataFrame, Rho]:
    """The rows of `Replication.rho`, and the rho of all z."""
    found: dict[tuple[str, str], Rho] = {}
    for place, (of, parts) in enumerate(_groups(study.parts)):
        values = np.concatenate([part.values for part in parts], axis=1)
        item = np.concatenate([part.item for part in parts])
        # The same name in two collections need not be the same person: every campaign has names of its own.
        worker = np.concatenate([part.worker * len(parts) + number for number, part in enumerate(parts)])
        draws = min(study.settings.draws, max(LEAST_RHO_DRAWS, MOST_LOOKS // len(item)))
        _, worker = np.unique(worker, return_inverse=True)
        used, item = np.unique(item, return_inverse=True)
        _, document = np.unique(_documents(study.parts)[used], return_inverse=True)
        for scale, name in enumerate(SCALES):
            rng = np.random.default_rng((study.settings.analysis.seed, 2, place))
            found[of, name] = rho_with_interval(
                RatedItems(values[scale], item, worker, document), draws=draws, rng=rng
            )
            step(1)
    names = {"of": pl.String(), "scale": pl.String(), "rho": pl.Float64(), "lower": pl.Float64()}
    table = pl.DataFrame(
        [(*key, *rho) for key, rho in found.items()], schema={**names, "upper": pl.Float64()}, orient="row"
    )
    return table.with_columns(pl.col(pl.Float64).fill_nan(None)), found["", "z"]


def _documents(parts: Sequence[Opinions]) -> IntArray:
    """The document of each item, from the collection that knows most of them: not all may name any."""
    return min((part.document for part in parts), key=lambda document: len(np.unique(document)))


def _requirement(reliability: float, rho: Rho) -> Requirement:
    """How many ratings it takes; a rho that may be larger takes fewer."""

    def ratings(of_one: float) -> int | None:
        # A perfect rating needs no second, and one that says nothing gains nothing by others.
        if not of_one > 0:
            return None
        number = ratings_for_reliability(reliability, rho=min(of_one, 1.0))
        return number if number <= _MOST_RATINGS else None

    return Requirement(reliability, ratings(rho.value), ratings(rho.upper), ratings(rho.lower))


def _rows(drawn: Drawn, rho: pl.DataFrame) -> pl.DataFrame:
    """The rows of `Replication.rows`."""
    of_scale = dict(rho.filter(pl.col("of") == "").select("scale", "rho").iter_rows())
    found = []
    for against, curves in (("full", drawn.full), ("same", drawn.same)):
        for scale, name in enumerate(SCALES):
            found += [
                (against, name, number, *summed)
                for number in range(1, curves.until() + 1)
                if (summed := _summed(curves, scale, number, of_scale[name], is_full=against == "full"))
            ]
    schema = {"against": pl.String(), "scale": pl.String(), "ratings": pl.Int64()}
    numbers = ("n_items", "r", "lower", "upper", "expected")
    return pl.DataFrame(found, schema={**schema, **dict.fromkeys(numbers, pl.Float64())}, orient="row")


def _summed(
    curves: Curves, scale: int, number: int, rho: float | None, *, is_full: bool
) -> tuple[float | None, ...] | None:
    """Mean items, mean r, ends of its band and what is expected; None if no draw has one."""
    r = curves.r[:, scale, number - 1]
    known = np.isfinite(r)
    if not known.any():
        return None
    expected = None
    if rho is not None and rho > 0:
        # The harmonic mean is what decides how much noise the other side's means have.
        full = 1.0 / float(curves.inverse[known, number - 1].mean()) if is_full else None
        expected = expected_r(number, rho=rho, full=full)
    lower, upper = np.quantile(r[known], [_TAIL, 1 - _TAIL])
    return (
        float(curves.n_items[known, number - 1].mean()),
        float(r[known].mean()),
        float(lower),
        float(upper),
        expected,
    )


def _fitted(rows: pl.DataFrame) -> float | None:
    """The rho that fits the observed correlations of N z against N."""
    observed = rows.filter((pl.col("against") == "same") & (pl.col("scale") == "z"))
    r = observed["r"].to_list()
    if max(r, default=0.0) <= 0:
        return None
    return fit_rho(observed["ratings"].to_list(), r).rho


def _scatter(drawn: Drawn, part: Opinions) -> pl.DataFrame:
    """The rows of `Replication.scatter`."""
    schema = {"ratings": pl.Int64(), "system_id": pl.String(), "segment_id": pl.String()}
    empty = pl.DataFrame(schema={**schema, "first": pl.Float64(), "second": pl.Float64()})
    frames = [
        part.items[points.item].select(
            pl.lit(points.ratings, pl.Int64).alias("ratings"),
            pl.col("system_id", "segment_id").cast(pl.String),
            pl.Series("first", points.first),
            pl.Series("second", points.second),
        )
        for points in drawn.scatter
    ]
    return pl.concat([empty, *frames])
