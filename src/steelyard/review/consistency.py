"""Whether workers give a repeated item the rating that they gave it first: assumption A."""

from __future__ import annotations

import polars as pl

from steelyard.control_pairs import text_pairs
from steelyard.domain.scale import Scale
from steelyard.domain.work import ItemKind
from steelyard.frames import in_order_of
from steelyard.preferences import is_of_preferences, repeated_preferences
from steelyard.stats.paired_tests import equivalence_p_by_group, two_sided_p_by_group

# A mean change of up to so much of the scale is as good as none [our choice: 5 points of 100].
MARGIN = 0.05
# From here on nothing speaks against the assumption [Graham2014].
THRESHOLD = 0.05


def consistency(frame: pl.DataFrame, *, scale: Scale) -> pl.DataFrame:
    """Every worker of the frame, sorted: worker_id, n_repeats, consistency_p, equivalence_p.

    `consistency_p` is that of a two-sided paired t-test of first against second ratings of repeated
    items, in order of presentation: low where a worker drifts [Graham2014]. Where positions are
    not known, the base counts as the first. As a high p may just mean few repeats,
    `equivalence_p` gives the evidence for the contrary: two one-sided t-tests that the mean change
    lies within 5 % of the scale. Both are null with fewer than two repeats. Where items have several
    attributes, ratings are means over these.

    Preferences that repeat are only counted: how often they agree is a matter of agreement.
    """
    if is_of_preferences(frame):
        return _counted_repeats(frame)
    is_reversed = (pl.col("control_position") < pl.col("base_position")).fill_null(False)
    change = pl.col("base_rating") - pl.col("control_rating")
    pairs = text_pairs(frame, ItemKind.REPEAT).select(
        "worker_id", pl.when(is_reversed).then(-change).otherwise(change).alias("difference")
    )
    workers = (
        frame.select(pl.col("worker_id").unique().sort())
        .join(pairs.group_by("worker_id").len("n_repeats"), on="worker_id", how="left", maintain_order="left")
        .with_columns(pl.col("n_repeats").fill_null(0).cast(pl.Int64))
    )
    # Sorted by value too: sums are then the same, to the last bit, whatever the order of rows.
    difference = in_order_of(pairs, "worker_id", then=["difference"])["difference"].to_numpy()
    sizes = workers["n_repeats"].to_numpy()
    return workers.with_columns(
        pl.Series("consistency_p", two_sided_p_by_group(difference, sizes), pl.Float64),
        pl.Series(
            "equivalence_p",
            equivalence_p_by_group(difference, sizes, margin=MARGIN * scale.width),
            pl.Float64,
        ),
    ).with_columns(pl.col("consistency_p", "equivalence_p").fill_nan(None))


def _counted_repeats(frame: pl.DataFrame) -> pl.DataFrame:
    repeats = repeated_preferences(frame).group_by("worker_id").agg(n_repeats=pl.len().cast(pl.Int64))
    return (
        frame.select(pl.col("worker_id").unique().sort())
        .join(repeats, on="worker_id", how="left", maintain_order="left")
        .with_columns(
            pl.col("n_repeats").fill_null(0),
            consistency_p=pl.lit(None, pl.Float64),
            equivalence_p=pl.lit(None, pl.Float64),
        )
    )


def holds(consistency_p: float | None) -> bool:
    """Whether assumption A holds: nothing in the repeats speaks against it.

    So it also holds where there are too few repeats to decide.
    """
    return consistency_p is None or consistency_p >= THRESHOLD
