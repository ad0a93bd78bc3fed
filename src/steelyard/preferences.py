"""What a preferences frame says: about systems, about controls, and about the same pair judged again."""

from __future__ import annotations

import polars as pl

from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.frames import spread_credit, with_occurrence

# What a preference says about the translation shown first, beside the other.
OUTCOMES = {"a": 1, "b": -1, "tie": 0, "both_bad": 0}
# What the attributes of one preference share.
_OF_A_PREFERENCE = (
    *("worker_id", "hit_id", "judgement_id", "item_id", "item_kind"),
    *("segment_id", "system_a", "system_b", "control_side"),
)
# What a repeat shares with the pair that it repeats, whichever side was shown first.
_OF_A_REPEAT = ("worker_id", "hit_id", "segment_id", "attribute", "system_first", "system_second")


def is_of_preferences(frame: pl.DataFrame) -> bool:
    """Whether a frame is one of preferences rather than of ratings."""
    return "preference" in frame.columns


def scored_preferences(frame: pl.DataFrame) -> pl.DataFrame:
    """The preferences between two systems: in regular and repeat items, never against a control.

    A preference about a text that several systems gave is there once for each of them.
    """
    rows = frame.filter(pl.col("item_kind").is_in([str(kind) for kind in SCORED_KINDS]))
    for side in ("a", "b"):
        renamed = {f"system_{side}": "system_id", f"credited_{side}": "credited"}
        spread = spread_credit(rows.rename(renamed))
        rows = spread.rename({new: old for old, new in renamed.items()})
    return rows.filter(pl.col("system_a") != pl.col("system_b"))


def control_preferences(frame: pl.DataFrame) -> pl.DataFrame:
    """Every pair of a translation and its degraded copy that was judged: worker_id, hit_id, outcome.

    The outcome is 1 where the translation was preferred, -1 where its copy was, 0 for neither. A pair of
    several attributes has one outcome: that of most of them.
    """
    side, said = pl.col("control_side"), pl.col("preference").cast(pl.String)
    outcome = pl.when(~said.is_in(["a", "b"])).then(0).when(said == side).then(-1).otherwise(1)
    rows = frame.filter(pl.col("item_kind") == str(ItemKind.DEGRADED), side.is_not_null()).with_columns(
        outcome=outcome.cast(pl.Int64)
    )
    if rows["attribute"].n_unique() > 1:
        keys = [*_OF_A_PREFERENCE, "attribute"]
        rows = (
            with_occurrence(rows, keys)
            .group_by(*_OF_A_PREFERENCE, "occurrence", maintain_order=True)
            .agg(pl.col("outcome").sum().sign())
        )
    return rows.select("worker_id", "hit_id", "outcome")


def paired_preferences(frame: pl.DataFrame) -> pl.DataFrame:
    """Every preference with its pair in one order: `system_first` and `system_second` beside `outcome`.

    The outcome is 1 if the first of the two names was preferred, -1 if the second was, 0 for neither. In a
    control, where both have one name, the first is the one that is not the control.
    """
    a, b = pl.col("system_a").cast(pl.String), pl.col("system_b").cast(pl.String)
    in_order = pl.when(a == b).then(pl.col("control_side").fill_null("b") == "b").otherwise(a < b)
    shown = pl.col("preference").cast(pl.String).replace_strict(OUTCOMES, return_dtype=pl.Int64)
    return frame.with_columns(
        system_first=pl.min_horizontal(a, b),
        system_second=pl.max_horizontal(a, b),
        outcome=pl.when(in_order).then(shown).otherwise(-shown),
    )


def repeated_preferences(frame: pl.DataFrame) -> pl.DataFrame:
    """Every repeated pair: worker_id, segment_id, and the outcomes `first` and `second` as presented.

    Pair and repeat agree on worker, HIT, segment, attribute and both systems; the sides may be swapped.
    Where positions are unknown the repeat is the second.
    """
    rows = paired_preferences(frame)
    base, repeat = (
        with_occurrence(
            rows.filter(pl.col("item_kind") == str(kind)).sort("submitted_at", maintain_order=True),
            _OF_A_REPEAT,
        )
        for kind in (ItemKind.REGULAR, ItemKind.REPEAT)
    )
    keys = [*_OF_A_REPEAT, "occurrence"]
    pairs = base.join(
        repeat.select(*keys, again="outcome", again_position="position"),
        on=keys,
        how="inner",
        maintain_order="left",
    )
    swapped = (pl.col("again_position") < pl.col("position")).fill_null(False)
    return pairs.select(
        "worker_id",
        "segment_id",
        first=pl.when(swapped).then("again").otherwise("outcome"),
        second=pl.when(swapped).then("outcome").otherwise("again"),
    )
