"""What is odd about ratings without being wrong: warnings about controls, HITs and times."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.result import Verdict
from steelyard.domain.work import ItemKind
from steelyard.frames import PAIR_KEYS

_OF_A_HIT = ["worker_id", "hit_id"]


def unpaired_controls(
    frame: pl.DataFrame, verdicts: Sequence[Verdict], consistent: pl.DataFrame
) -> tuple[str, ...]:
    """Degraded items and repeats without a base, which tell nothing about their workers."""
    if frame["attribute"].n_unique() > 1:
        # Pairs are counted in texts there, not in ratings.
        return ()
    n_paired = {ItemKind.REPEAT: int(consistent["n_repeats"].sum())}
    if verdicts:
        n_paired[ItemKind.DEGRADED] = sum(verdict.n_pairs for verdict in verdicts)
    found = []
    for kind, paired in n_paired.items():
        n = int((frame["item_kind"] == str(kind)).sum())
        if paired < n:
            found.append(
                f"{n - paired:,} of {n:,} {kind} items match no regular item of the same worker, HIT, system "
                "and segment, so they tell nothing about their workers. Look at these columns."
            )
    return tuple(found)


def strange_hits(frame: pl.DataFrame, hit_times: pl.DataFrame) -> tuple[str, ...]:
    """Items judged twice in one HIT, and times of HITs that nobody judged."""
    found = []
    keys = [*PAIR_KEYS, "item_kind"]
    again = len(frame) - frame.select(pl.struct(keys).hash()).to_series().n_unique()
    if again:
        what, fate = ("judgement is of an item", "it counts")
        if again > 1:
            what, fate = ("judgements are of items", "they count")
        found.append(
            f"{again:,} {what} that the same worker had judged before in the same HIT; {fate} as well."
        )
    if len(hit_times):
        known = frame.select(_OF_A_HIT).unique().join(hit_times, on=_OF_A_HIT, how="semi")
        if known.is_empty():
            found.append(
                f"No time of {len(hit_times):,} is of a worker and HIT of these judgements: the names "
                "of workers or HITs differ between the two."
            )
    return tuple(found)
