"""Everybody's pairs of base and control, as arrays with one worker after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.control_pairs import text_pairs
from steelyard.domain.work import ItemKind
from steelyard.frames import in_order_of
from steelyard.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class WorkerPairs:
    """Ratings of bases and of their controls, pair by pair; `sizes` says how many pairs each worker has."""

    base: FloatArray
    control: FloatArray
    sizes: IntArray

    @property
    def difference(self) -> FloatArray:
        """Base minus control."""
        return self.base - self.control

    def each(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Base and control ratings of one worker after the other."""
        return zip(each_worker(self.base, self.sizes), each_worker(self.control, self.sizes), strict=True)


def workers_of(frame: pl.DataFrame) -> pl.Series:
    """Everybody who judged, in the order of verdicts."""
    return frame["worker_id"].unique().sort()


def pairs_by_worker(frame: pl.DataFrame, kind: ItemKind, workers: pl.Series) -> WorkerPairs:
    """Pairs of bases and controls of `kind` for each of `workers`, pooled over HITs.

    A pair is one of texts: where these have several attributes, its ratings are means over them. A
    worker without any pair has a size of 0: everybody gets a verdict.
    """
    if not (frame["item_kind"] == str(kind)).any():
        return WorkerPairs(np.empty(0), np.empty(0), np.zeros(len(workers), np.int64))
    pairs = in_order_of(text_pairs(frame, kind), "worker_id")
    return WorkerPairs(
        base=pairs["base_rating"].to_numpy(),
        control=pairs["control_rating"].to_numpy(),
        sizes=_sizes(pairs, workers),
    )


def ratings_by_worker(frame: pl.DataFrame, kind: ItemKind, workers: pl.Series) -> tuple[FloatArray, IntArray]:
    """All ratings of items of `kind`, one worker after another, and how many each worker gave."""
    rows = in_order_of(frame.filter(pl.col("item_kind") == str(kind)), "worker_id")
    return rows["rating"].to_numpy(), _sizes(rows, workers)


def each_worker(values: FloatArray, sizes: IntArray) -> Iterator[FloatArray]:
    """The values of one worker after the other."""
    ends = np.cumsum(sizes).tolist()
    return (values[end - size : end] for end, size in zip(ends, sizes.tolist(), strict=True))


def _sizes(rows: pl.DataFrame, workers: pl.Series) -> IntArray:
    counted = rows.group_by("worker_id").agg(size=pl.len().cast(pl.Int64))
    joined = pl.DataFrame({"worker_id": workers}).join(
        counted, on="worker_id", how="left", maintain_order="left"
    )
    return joined["size"].fill_null(0).to_numpy()
