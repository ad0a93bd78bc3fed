"""What is odd about judgements without being wrong: warnings about controls, HITs, times and sides."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.result import Verdict
from steelyard.domain.wording import Note, counted
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.frames import ENOUGH_WORKERS
from steelyard.preferences import is_of_preferences
from steelyard.stats.shares import clustered_share

_OF_A_HIT = ["worker_id", "hit_id"]
# Unfinished HITs leave some controls without a base; with more than this share of them the columns are more
# likely wrong [our choice].
MANY_UNPAIRED = 0.25


def unpaired_controls(
    frame: pl.DataFrame, verdicts: Sequence[Verdict], consistent: pl.DataFrame
) -> tuple[str, ...]:
    """Degraded items and repeats without a base, which say nothing about their workers."""
    if is_of_preferences(frame):
        return _sideless_controls(frame)
    if frame["attribute"].n_unique() > 1:
        # Pairs are counted in texts there, not in ratings.
        return ()
    n_paired = {ItemKind.REPEAT: int(consistent["n_repeats"].sum())}
    if verdicts:
        n_paired[ItemKind.DEGRADED] = sum(verdict.n_pairs for verdict in verdicts)
    found: list[str] = []
    for kind, paired in n_paired.items():
        n = int((frame["item_kind"] == str(kind)).sum())
        if paired < n:
            said = (
                f"{n - paired:,} of {n:,} {kind} items match no regular item of the same worker, HIT, system "
                "and segment, so they say nothing about their workers. That is usual in unfinished HITs; "
                "otherwise look at these columns."
            )
            found.append(Note(said) if n - paired < MANY_UNPAIRED * n else said)
    return tuple(found)


def _sideless_controls(frame: pl.DataFrame) -> tuple[str, ...]:
    degraded = frame.filter(pl.col("item_kind") == str(ItemKind.DEGRADED))
    sideless = degraded["control_side"].null_count()
    if not sideless:
        return ()
    return (
        f"{sideless:,} of {counted(len(degraded), 'degraded item')} do not say which side is the degraded "
        "copy, so they say nothing about their workers. Look at the column control_side.",
    )


def leaning_sides(frame: pl.DataFrame) -> tuple[str, ...]:
    """A warning where what is shown first is preferred more often, or less often, than chance has it.

    Over all preferences between systems, workers being clusters; of fewer than five nothing is said.
    """
    if not is_of_preferences(frame):
        return ()
    said = pl.col("preference").cast(pl.String)
    compared = frame.filter(pl.col("item_kind").cast(pl.String).is_in([str(kind) for kind in SCORED_KINDS]))
    counts = compared.group_by("worker_id").agg(
        first=(said == "a").sum().cast(pl.Int64), decided=said.is_in(["a", "b"]).sum().cast(pl.Int64)
    )
    if counts.filter(pl.col("decided") > 0).height < ENOUGH_WORKERS:
        return ()
    ordered = counts.sort("worker_id")
    found = clustered_share(ordered["first"].to_numpy(), ordered["decided"].to_numpy())
    if found.lower <= 0.5 <= found.upper:
        return ()
    return (
        f"The translation shown first was preferred in {100 * found.value:.1f} % of the cases where one was "
        f"(95 % interval {100 * found.lower:.1f} to {100 * found.upper:.1f} %). That favours no system only "
        "if all were shown first equally often.",
    )


def strange_hits(frame: pl.DataFrame, hit_times: pl.DataFrame) -> tuple[str, ...]:
    """Items judged twice in one HIT, and times of HITs that nobody judged."""
    found: list[str] = []
    systems = [name for name in frame.columns if name.startswith("system_")]
    keys = [*_OF_A_HIT, *systems, "segment_id", "attribute", "item_kind"]
    again = len(frame) - frame.select(pl.struct(keys).hash()).to_series().n_unique()
    if again:
        what, fate = ("judgement is of an item", "it counts")
        if again > 1:
            what, fate = ("judgements are of items", "they count")
        found.append(
            Note(f"{again:,} {what} that the same worker had judged before in the same HIT; {fate} as well.")
        )
    if len(hit_times):
        known = frame.select(_OF_A_HIT).unique().join(hit_times, on=_OF_A_HIT, how="semi")
        if known.is_empty():
            found.append(
                f"No time of {len(hit_times):,} is of a worker and HIT of these judgements: the names "
                "of workers or HITs differ between the two."
            )
    return tuple(found)
