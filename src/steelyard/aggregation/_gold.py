"""Shared by the methods that hold workers against gold or against each other [Denkowski2010]."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from steelyard.aggregation._order import CELL
from steelyard.aggregation._segment_means import fit_means, scored_rows, worker_table
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.options import option
from steelyard.domain.result import Fit, MethodSettings
from steelyard.domain.wording import counted
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.frames import as_categories, has_few_points, in_order_of, index_of, spread_credit
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.crowded import crowded_category
from steelyard.stats.gold import RatingPoints, categories, rating_points
from steelyard.stats.gold_agreement import Votes

# Kinds of items that show a translation as it is: what is known of it is known of these.
_GOLD_KINDS = (*SCORED_KINDS, ItemKind.GOLD)
# With fewer gold items, what is found about workers is rough [our choice].
FEW_GOLD_ITEMS = 10
_NAMES = (*CELL, "attribute", "worker_id")
# How to treat workers who judged no gold item.
WithoutGold = Literal["exclude", "shrunk"]


def without_gold_option() -> Any:
    """The option that the methods with gold have in common, declared by each after its own."""
    return option(
        "exclude",
        help="Treatment of workers who judged no gold item: left out, or taken to be average (shrunk).",
        signature="without-gold",
    )


@dataclass(frozen=True)
class Crowd:
    """Who judged what, for the method of this name.

    `rows`: the judgements that score, once each, in an order that shuffling cannot change. `worker` and
    `item` are their numbers (rows,); `workers` are all workers of the frame. An item is a translation in
    one attribute.
    """

    method: str
    frame: pl.DataFrame
    settings: MethodSettings
    rows: pl.DataFrame
    worker: IntArray
    item: IntArray
    workers: list[str]

    @property
    def n_workers(self) -> int:
        """How many workers there are."""
        return len(self.workers)

    @property
    def rating(self) -> FloatArray:
        """The ratings that score. Shape (rows,)."""
        rating: FloatArray = self.rows["rating"].to_numpy()
        return rating

    @cached_property
    def points(self) -> RatingPoints:
        """What ratings can be."""
        return rating_points(self.rating, self.settings.scale)

    @property
    def votes(self) -> Votes:
        """The categories that workers put translations in."""
        return Votes(categories(self.rating, self.points) - 1, self.item, self.worker, self.n_workers)


@dataclass(frozen=True)
class Gold:
    """Ratings of items whose quality is known, one for each time that one was shown. Arrays: (n,)."""

    rating: FloatArray
    known: FloatArray
    worker: IntArray
    n_items: int


@dataclass(frozen=True)
class Treatment:
    """What a method does with judgements: which it keeps (rows,), by worker the weight and what is added.

    `offset` and `weight` are reported of workers, NaN where unknown; judgements are weighted only if `votes`.
    """

    keeps: BoolArray
    shift: FloatArray | None = None
    offset: FloatArray | None = None
    weight: FloatArray | None = None
    votes: bool = False
    warnings: tuple[str, ...] = ()


def crowd_of(frame: pl.DataFrame, settings: MethodSettings, *, method: str) -> Crowd:
    """The judgements that score; raises NotEnoughData if there are none."""
    workers, number = index_of(frame["worker_id"])
    kinds = [str(kind) for kind in SCORED_KINDS]
    rows = frame.select(
        *(*_NAMES, "document_id", "hit_id", "rating", "credited"), worker=pl.Series(number)
    ).filter(frame["item_kind"].is_in(kinds))
    if rows.is_empty():
        scored_rows(frame, method=method)
    rows = rows.with_columns(as_categories(rows[name]) for name in _NAMES if name != "system_id")
    rows = in_order_of(rows, *_NAMES, then=["rating"])
    is_new = np.zeros(len(rows), dtype=np.bool_)
    for name in (*CELL, "attribute"):
        code = index_of(rows[name])[1]
        is_new[1:] |= code[1:] != code[:-1]
    return Crowd(
        method=method,
        frame=frame,
        settings=settings,
        rows=rows,
        worker=rows["worker"].to_numpy(),
        item=np.cumsum(is_new),
        workers=workers,
    )


def gold_ratings(crowd: Crowd) -> Gold:
    """The ratings of gold items; raises NotEnoughData, saying what to do, if fewer than two are gold."""
    kinds = [str(kind) for kind in _GOLD_KINDS]
    number = pl.Series("worker", index_of(crowd.frame["worker_id"])[1])
    shown = crowd.frame.select(*CELL, "attribute", "rating", "known", number).filter(
        crowd.frame["known"].is_not_null() & crowd.frame["item_kind"].is_in(kinds)
    )
    n_items = shown.select(*CELL, "attribute").n_unique() if len(shown) else 0
    if n_items < 2:
        found = "only one item is" if n_items else "no item is"
        raise NotEnoughData(
            f"{crowd.method}: {found} of known quality, so workers cannot be compared with an expert. Give "
            "the campaign a [gold] table, or the file a column known with the expert's ratings (or name it: "
            "{columns=known=COLUMN}); without, use {method=mean-rating}."
        )
    # In a fixed order sums come out the same to the last bit.
    ordered = shown.sort("worker", "rating", "known")
    return Gold(
        rating=ordered["rating"].to_numpy(),
        known=ordered["known"].to_numpy(),
        worker=ordered["worker"].to_numpy(),
        n_items=n_items,
    )


def require_pairs(crowd: Crowd, agreement: FloatArray) -> None:
    """Raises NotEnoughData if no two workers judged the same translation."""
    if np.isnan(agreement).all():
        raise NotEnoughData(
            f"{crowd.method}: no translation was judged by two workers, so their agreement is unknown. "
            "Use {method=mean-rating}, or wait for more judgements."
        )


def fit_treated(crowd: Crowd, treatment: Treatment, rng: np.random.Generator) -> Fit:
    """Scores from the judgements that are kept, shifted and weighted as the method says."""
    if not treatment.keeps.any():
        raise NotEnoughData(
            f"{crowd.method}: no judgement is left to score, because everyone judged no gold or agrees "
            "no better than chance. Look at the gold and its scale, or use {method=mean-rating}."
        )
    value = crowd.rating if treatment.shift is None else crowd.rating + treatment.shift[crowd.worker]
    columns = [pl.Series("value", value)]
    if treatment.votes:
        assert treatment.weight is not None
        columns.append(pl.Series("weight", treatment.weight[crowd.worker]))
    rows = spread_credit(crowd.rows.with_columns(columns).filter(pl.Series(treatment.keeps)))
    fit = fit_means(rows, crowd.settings, rng, workers=_worker_table(crowd, treatment))
    return replace(
        fit,
        warnings=(
            *fit.warnings,
            *treatment.warnings,
            *_lost(crowd, treatment.keeps),
            *_in_one_category(fit, crowd),
            *_odd_scale(crowd),
        ),
    )


def few_gold_items(gold: Gold) -> tuple[str, ...]:
    """A warning where little is known."""
    if gold.n_items >= FEW_GOLD_ITEMS:
        return ()
    return (
        f"There are only {gold.n_items} gold items: how far workers can be trusted is roughly known from so "
        "few. Ask the expert for more.",
    )


def shown_once(n: IntArray, *, outcome: str) -> tuple[str, ...]:
    """A warning about workers who judged gold a single time, and what comes of it."""
    once = int((n == 1).sum())
    if not once:
        return ()
    return (f"{counted(once, 'worker')} judged a single gold item: {outcome}.",)


def workers_left_out(crowd: Crowd, workers: BoolArray, *, because: str, advice: str = "") -> tuple[str, ...]:
    """A warning about workers (workers,) whose judgements do not count, and why."""
    of_rows = workers[crowd.worker]
    n_workers = len(np.unique(crowd.worker[of_rows]))
    if not n_workers:
        return ()
    judgements = counted(int(of_rows.sum()), "judgement")
    verb = "is" if of_rows.sum() == 1 else "are"
    return (f"{counted(n_workers, 'worker')} {because}: {judgements} {verb} left out{advice}.",)


def without_gold(crowd: Crowd, workers: BoolArray, *, remedy: str) -> tuple[str, ...]:
    """A warning about workers (workers,) who judged no gold, and what the option for them would do."""
    return workers_left_out(
        crowd, workers, because="judged no gold item", advice=f" (without_gold: shrunk {remedy})"
    )


def _worker_table(crowd: Crowd, treatment: Treatment) -> pl.DataFrame:
    """`Fit.workers`, with what the method found of them."""
    table = worker_table(crowd.frame)
    found = {"offset": treatment.offset, "weight": treatment.weight}
    return table.with_columns(
        pl.Series(name, values).fill_nan(None) for name, values in found.items() if values is not None
    )


def _lost(crowd: Crowd, keeps: BoolArray) -> tuple[str, ...]:
    """A warning about translations that have no judgement left."""
    n_items = int(crowd.item[-1]) + 1
    lost = n_items - len(np.unique(crowd.item[keeps]))
    if not lost:
        return ()
    verb = "has" if lost == 1 else "have"
    return (f"{lost:,} of {counted(n_items, 'translation')} {verb} no judgement left and no score.",)


def _in_one_category(fit: Fit, crowd: Crowd) -> tuple[str, ...]:
    """A warning where hardly any score differs from the others once it is rounded."""
    crowded = crowded_category(fit.segments["score"].to_numpy(), crowd.points)
    if crowded is None:
        return ()
    # Per cent that would round up to all of them are given as 99.
    share = f"{int(100 * crowded.share)} % of the scores"
    if crowded.low == crowded.high:
        where = f"are {crowded.low:g} when rounded"
    else:
        where = f"lie between {crowded.low:g} and {crowded.high:g}"
    return (f"{share} {where}: they hardly distinguish translations.",)


def _odd_scale(crowd: Crowd) -> tuple[str, ...]:
    """A warning where ratings on few points are taken for ratings on a line."""
    rating, scale = crowd.rating, crowd.settings.scale
    is_line = crowd.points.n_points is None
    if not is_line or not has_few_points(rating, scale, n_workers=crowd.n_workers):
        return ()
    low, high = float(rating.min()), float(rating.max())
    return (
        f"All ratings lie between {low:g} and {high:g}, on a scale from {scale.minimum:g} to "
        f"{scale.maximum:g}, in whose parts agreement is counted. If the scale is shorter, name "
        "its ends when reading the judgements.",
    )
