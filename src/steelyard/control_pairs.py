"""Controls beside the items they were made from: what the checks of workers look at."""

from __future__ import annotations

import polars as pl

from steelyard.domain.work import ItemKind
from steelyard.frames import in_order_of, spread_credit, with_occurrence

# A control is matched with its base on these.
PAIR_KEYS = ("worker_id", "hit_id", "system_id", "segment_id", "attribute")


def control_pairs(frame: pl.DataFrame, kind: ItemKind, *, of: str = "rating") -> pl.DataFrame:
    """Each control of `kind` beside its base: PAIR_KEYS, base_rating, control_rating and both positions.

    Base and control agree on worker, HIT, system, segment and attribute; a base that several systems
    share may be meant by any of their names. If a worker judged the same HIT twice, the k-th control
    goes with the k-th base in order of time, or of rows where times are unknown. `of`: the column that
    a pair has two values of, if it is another than the rating.
    """
    control = _of_kind(frame, kind, of)
    # Most regular items are no base: drop them first, by a hash that two keys rarely share.
    base = _of_kind(frame, ItemKind.REGULAR, of).join(control, on="code", how="semi", maintain_order="left")
    keys = list(PAIR_KEYS)
    if base["code"].is_duplicated().any() or control["code"].is_duplicated().any():
        keys.append("occurrence")
        base, control = (
            with_occurrence(rows.sort("submitted_at", maintain_order=True), PAIR_KEYS)
            for rows in (base, control)
        )
    return (
        base.rename({of: f"base_{of}", "position": "base_position"})
        .join(
            control.rename({of: f"control_{of}", "position": "control_position"}),
            on=keys,
            how="inner",
            maintain_order="left",
        )
        .select(*PAIR_KEYS, f"base_{of}", "base_position", f"control_{of}", "control_position")
    )


def text_pairs(frame: pl.DataFrame, kind: ItemKind) -> pl.DataFrame:
    """Each control of `kind` beside its base, one row per pair of texts: `control_pairs` without `attribute`.

    The attributes of one text are correlated, so a test that took them for independent would find far too
    much. Ratings are means over the attributes for which both texts have one; if a worker judged the
    same HIT twice, the k-th pairs of all attributes belong together. A position is the first of any
    attribute's.
    """
    pairs = control_pairs(frame, kind)
    if pairs["attribute"].n_unique() <= 1:
        return pairs.drop("attribute")
    # In a fixed order of attributes means are the same, to the last bit, whatever the order of rows.
    ordered = in_order_of(pairs, "attribute")
    keys = [name for name in PAIR_KEYS if name != "attribute"]
    return (
        with_occurrence(ordered, PAIR_KEYS)
        .group_by(*keys, "occurrence", maintain_order=True)
        .agg(
            pl.col("base_rating").mean(),
            pl.col("base_position").min(),
            pl.col("control_rating").mean(),
            pl.col("control_position").min(),
        )
        .drop("occurrence")
    )


def _of_kind(frame: pl.DataFrame, kind: ItemKind, of: str) -> pl.DataFrame:
    """What pairs are made of: the rows of one kind, a base once for each system it is credited to."""
    wanted = (
        frame.lazy()
        .filter(pl.col("item_kind") == str(kind))
        .select(*PAIR_KEYS, of, "position", "submitted_at", "credited")
        .collect()
    )
    rows = spread_credit(wanted) if kind is ItemKind.REGULAR else wanted
    return rows.drop("credited").with_columns(code=pl.struct(PAIR_KEYS).hash())
