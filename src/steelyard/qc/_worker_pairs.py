"""What the checks share: each worker's pairs of base and control, and the words of a verdict."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from steelyard.domain.work import ItemKind
from steelyard.frames import control_pairs
from steelyard.stats.arrays import FloatArray

# Below five pairs no test can tell: at four, the smallest exact p-value is 0.0625.
MINIMUM_PAIRS = 5
# Top of the visual analogue scale: a pair rated there twice shows nothing.
CEILING = 100.0


@dataclass(frozen=True, slots=True)
class WorkerPairs:
    """One worker's ratings of bases and of their controls, pooled over HITs, pair by pair."""

    worker_id: str
    base: FloatArray
    control: FloatArray

    @property
    def share_at_ceiling(self) -> float:
        """Share of pairs of which both members got the highest rating."""
        return float(((self.base == CEILING) & (self.control == CEILING)).mean()) if len(self.base) else 0.0


def pairs_by_worker(frame: pl.DataFrame, kind: ItemKind) -> list[WorkerPairs]:
    """Pairs of bases and controls of `kind` for every worker of the frame, in order of worker_id.

    A worker without any pair is there with empty arrays: everybody gets a verdict.
    """
    workers = frame.select(pl.col("worker_id").unique().sort())
    pairs = (
        control_pairs(frame, kind)
        .select("worker_id", "base_rating", "control_rating")
        .sort("worker_id", maintain_order=True)
    )
    base, control = pairs["base_rating"].to_numpy(), pairs["control_rating"].to_numpy()
    sizes = workers.join(
        pairs.group_by("worker_id").len(), on="worker_id", how="left", maintain_order="left"
    ).with_columns(pl.col("len").fill_null(0))
    found, start = [], 0
    for worker_id, size in sizes.iter_rows():
        found.append(WorkerPairs(worker_id, base[start : start + size], control[start : start + size]))
        start += size
    return found


def passes(p_value: float, *, threshold: float, included: bool) -> bool:
    """Whether a p-value is low enough; an undefined one never is."""
    return p_value <= threshold if included else p_value < threshold
