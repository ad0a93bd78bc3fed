"""The judgements of an evaluation, numbered once so that a trial is a choice of rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from steelyard.domain.work import SCORED_KINDS
from steelyard.frames import hit_times_frame, in_order_of, index_of, spread_credit, with_categories
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

_ITEM = ["system_id", "segment_id"]


@dataclass(frozen=True)
class Judged:
    """All ratings in an order that shuffling cannot change, with numbers for workers, items and opinions.

    An item is a text: a system's translation of a segment, under the first name of the systems that share
    it. An opinion is all that one worker said of one item, in every attribute, repeats included: a repeat
    is no second opinion, so the two never part. A control has the opinion on its base, or -1 if it has
    no base. `worker`, `opinion`, `is_scored`: (rows,); `opinion_item`, `opinion_worker`: (opinions,).
    `items`: system_id, segment_id, item.
    """

    frame: pl.DataFrame
    worker: IntArray
    opinion: IntArray
    is_scored: BoolArray
    opinion_item: IntArray
    opinion_worker: IntArray
    items: pl.DataFrame
    n_workers: int

    @property
    def rating(self) -> FloatArray:
        """Every row's rating."""
        ratings: FloatArray = self.frame["rating"].to_numpy()
        return ratings

    @property
    def n_items(self) -> int:
        """How many items have been judged."""
        return len(self.items)

    @cached_property
    def item_system(self) -> IntArray:
        """The number of each item's system."""
        return index_of(self.items["system_id"])[1]

    @property
    def opinions_per_item(self) -> IntArray:
        """How many workers judged each item."""
        return np.bincount(self.opinion_item, minlength=self.n_items)

    def known(self) -> FloatArray:
        """What is known of each item beforehand; NaN where nothing is."""
        rows = pl.DataFrame(
            {"opinion": self.opinion, "known": self.frame["known"], "is_scored": self.is_scored}
        ).filter(pl.col("is_scored") & pl.col("known").is_not_null())
        item = self.opinion_item[rows["opinion"].to_numpy()]
        n = np.bincount(item, minlength=self.n_items)
        total = np.bincount(item, rows["known"].to_numpy(), minlength=self.n_items)
        known: FloatArray = np.divide(total, n, out=np.full(self.n_items, np.nan), where=n > 0)
        return known


def judged(frame: pl.DataFrame) -> Judged:
    """The numbered judgements of a ratings frame."""
    is_coded = isinstance(frame["worker_id"].dtype, pl.Enum)
    coded = frame if is_coded else with_categories(frame, hit_times_frame())[0]
    # In two steps: the names of all columns together may be too many for one number.
    first = in_order_of(coded, "hit_id", "item_kind", then=["position", "submitted_at", "rating"])
    ordered = in_order_of(first, "system_id", "segment_id", "attribute", "worker_id")
    workers, worker = index_of(ordered["worker_id"])
    kinds = [str(kind) for kind in SCORED_KINDS]
    is_scored = ordered.select(pl.col("item_kind").is_in(kinds)).to_series().to_numpy()
    names, item = _items(ordered, is_scored)
    pair = np.where(item >= 0, item * len(workers) + worker, -1)
    found = np.unique(pair[is_scored])
    place = np.minimum(np.searchsorted(found, pair), max(len(found) - 1, 0))
    has_opinion = (pair >= 0) & (found[place] == pair) if len(found) else np.zeros(len(pair), dtype=np.bool_)
    return Judged(
        frame=ordered,
        worker=worker,
        opinion=np.where(has_opinion, place, -1),
        is_scored=is_scored,
        opinion_item=found // len(workers),
        opinion_worker=found % len(workers),
        items=names,
        n_workers=len(workers),
    )


def _items(frame: pl.DataFrame, is_scored: BoolArray) -> tuple[pl.DataFrame, IntArray]:
    """The names and numbers of all items, and the item of every row: of its base, or -1 if it has none."""
    rows = frame.select(*_ITEM, "credited").with_row_index("row")
    spread = spread_credit(rows.filter(pl.Series(is_scored)))
    system = pl.col("system_id").to_physical().cast(pl.Int64)
    is_shared = len(spread) > int(is_scored.sum())
    first = spread.select(*_ITEM, first=system.min().over("row") if is_shared else system)
    # A control may name any of the systems that share its base.
    names = first.group_by(_ITEM).agg(pl.col("first").min())
    texts = names.select("first", "segment_id").unique().sort("first", "segment_id").with_row_index("item")
    numbers = names.join(texts, on=["first", "segment_id"]).select(*_ITEM, pl.col("item").cast(pl.Int64))
    numbered = rows.join(numbers, on=_ITEM, how="left", maintain_order="left")
    dtype = frame["system_id"].dtype
    assert isinstance(dtype, pl.Enum)
    items = texts.select(
        system_id=dtype.categories.gather(texts["first"]),
        segment_id=pl.col("segment_id").cast(pl.String),
        item=pl.col("item").cast(pl.Int64),
    )
    return items, numbered["item"].fill_null(-1).to_numpy()
