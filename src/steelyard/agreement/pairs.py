"""Which ratings are compared: a worker's two of a repeat, and different workers' of the same item."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from steelyard.control_pairs import PAIR_KEYS, control_pairs
from steelyard.domain.work import ItemKind
from steelyard.frames import index_of
from steelyard.stats.arrays import BoolArray, IntArray

_LARGEST = int(np.iinfo(np.int64).max)


class FirstRatings(NamedTuple):
    """The first rating that each worker gave each item, by item and then by worker. All arrays: (n,).

    `row` is its row in the frame; `item` counts from 0; `worker` is the place of the worker's id among
    all ids of the frame in order.
    """

    row: IntArray
    item: IntArray
    worker: IntArray


def repeat_pairs(frame: pl.DataFrame) -> pl.DataFrame:
    """Both ratings of every repeated item: PAIR_KEYS, first_rating and second_rating.

    First and second in order of presentation; where positions are unknown the repeat is the second.
    """
    rows, rating = repeat_rows(frame), frame["rating"]
    return rows.select(
        *PAIR_KEYS,
        rating.gather(rows["first_row"]).alias("first_rating"),
        rating.gather(rows["second_row"]).alias("second_rating"),
    )


def repeat_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """The two rows of the frame for every repeated item: PAIR_KEYS, first_row and second_row."""
    # Pairing carries the rating along; a row's number in its place leads to everything else.
    pairs = control_pairs(frame.drop("rating").with_row_index("rating"), ItemKind.REPEAT)
    swapped = (pl.col("control_position") < pl.col("base_position")).fill_null(False)
    base, control = pl.col("base_rating").cast(pl.Int64), pl.col("control_rating").cast(pl.Int64)
    return pairs.select(
        *PAIR_KEYS,
        pl.when(swapped).then(control).otherwise(base).alias("first_row"),
        pl.when(swapped).then(base).otherwise(control).alias("second_row"),
    )


def first_ratings(frame: pl.DataFrame, *, worker: IntArray | None = None) -> FirstRatings:
    """The ratings that different workers' agreement rests on: each one's first of each item.

    An item is a system's translation of a segment, an attribute and a kind. A repeat is the regular
    item again, so it enters only if its worker rated no base before; controls and items of known
    quality are items of their own, the same text for every worker. A judgement credited to several
    systems is one judgement of one item, whichever of their names it bears. First is first in the HIT,
    by position; of several HITs the earlier. `worker` may be given, if it is known already.
    """
    worker = index_of(frame["worker_id"])[1] if worker is None else worker
    item = item_codes(frame)
    code = _joined(item, worker, n_right=int(worker.max(initial=0)) + 1)
    order = np.argsort(code)
    code = code[order]
    starts = np.flatnonzero(starts_group(code))
    size = np.diff(np.append(starts, len(order)))
    row = order[starts]
    several = size > 1
    if several.any():
        # Few rows belong to a worker's second rating of an item, so only these are put in order.
        seen = np.repeat(several, size)
        rows, group = order[seen], code[seen]
        row[several] = _in_order_of_presentation(frame, rows, group)[starts_group(group)]
    return FirstRatings(row, np.cumsum(starts_group(item[row])) - 1, worker[row])


def starts_group(value: IntArray) -> BoolArray:
    """Where a value differs from the one before it; the first always does. Shape (n,)."""
    new = np.ones(len(value), dtype=np.bool_)
    np.not_equal(value[1:], value[:-1], out=new[1:])
    return new


def item_codes(frame: pl.DataFrame) -> IntArray:
    """A number for each row's item, the same for the same item; see `first_ratings`. Shape (n,)."""
    code = np.zeros(len(frame), dtype=np.int64)
    for column in (_one_name_each(frame), frame["segment_id"], frame["attribute"], frame["item_kind"]):
        names, index = index_of(column)
        if column.name == "item_kind":
            index = _repeats_as_regular(names, index)
        code = _joined(code, index, n_right=len(names)) if len(names) > 1 else code
    return code


def _repeats_as_regular(kinds: list[str], kind: IntArray) -> IntArray:
    """Places of kinds, a repeat's being that of regular items if there are any. Shape (n,)."""
    repeat, regular = str(ItemKind.REPEAT), str(ItemKind.REGULAR)
    if repeat not in kinds or regular not in kinds:
        return kind
    return np.where(kind == kinds.index(repeat), kinds.index(regular), kind)


def _joined(left: IntArray, right: IntArray, *, n_right: int) -> IntArray:
    """One number for each pair of numbers, in the pairs' order. Shape (n,)."""
    if len(left) and int(left.max()) >= _LARGEST // n_right - 1:
        left = np.unique(left, return_inverse=True)[1]
    return left * n_right + right


def _one_name_each(frame: pl.DataFrame) -> pl.Series:
    """The system of each row, one name standing for all systems that gave the very same text."""
    if frame["credited"].null_count() == len(frame):
        return frame["system_id"]
    keys = ["segment_id", "system_id"]
    shared = (
        frame.lazy()
        .filter(pl.col("credited").list.len() > 0)
        .select("segment_id", pl.concat_list(pl.concat_list("system_id"), "credited").alias("system_id"))
        .unique()
        .with_columns(pl.col("system_id").list.min().alias("name"))
        .explode("system_id")
        .group_by(keys)
        .agg(pl.col("name").min())
        .collect()
    )
    named = frame.select(keys).join(shared, on=keys, how="left", maintain_order="left")
    return named.select(pl.col("name").fill_null(pl.col("system_id"))).to_series()


def _in_order_of_presentation(frame: pl.DataFrame, rows: IntArray, group: IntArray) -> IntArray:
    """The rows of each group, one worker's ratings of one item, as they were given.

    By HIT, then by position, bases before repeats, then as in the frame. HITs go by the times of these
    ratings, or as in the frame where times are unknown. Groups come sorted.
    """
    seen = frame.select("hit_id", "submitted_at", "position", "item_kind")[rows]
    position = seen["position"].fill_null(_LARGEST).to_numpy()
    is_repeat = (seen["item_kind"] == str(ItemKind.REPEAT)).to_numpy()
    keys = [rows, is_repeat, position, *_order_of_hits(seen, rows, group), group]
    in_order: IntArray = rows[np.lexsort(keys)]
    return in_order


def _order_of_hits(seen: pl.DataFrame, rows: IntArray, group: IntArray) -> tuple[IntArray, ...]:
    """Sorting keys, the last first, that put the HITs of each group in order; none if each has but one."""
    is_new = starts_group(group)
    other_hit = (seen["hit_id"] != seen["hit_id"].shift(1)).fill_null(False).to_numpy()
    if not (other_hit & ~is_new).any():
        return ()
    hits, hit = index_of(seen["hit_id"])
    taken = np.unique(_joined(np.cumsum(is_new), hit, n_right=len(hits)), return_inverse=True)[1]

    def earliest(moment: IntArray) -> IntArray:
        found = np.full(int(taken.max()) + 1, _LARGEST)
        np.minimum.at(found, taken, moment)
        return found[taken]

    return earliest(rows), earliest(seen["submitted_at"].dt.epoch("us").fill_null(_LARGEST).to_numpy())
