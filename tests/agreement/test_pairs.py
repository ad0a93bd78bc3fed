"""Which ratings are compared with which."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.agreement.differences import distinct_differences
from steelyard.agreement.pairs import first_ratings, repeat_pairs
from steelyard.frames import hit_times_frame, with_categories

MakeFrame = Callable[[list[dict[str, Any]]], pl.DataFrame]


def compared(frame: pl.DataFrame) -> set[frozenset[tuple[str, float]]]:
    """The items as sets of (worker, rating), those with one rating left out."""
    firsts = first_ratings(frame)
    worker, rating = frame["worker_id"].to_list(), frame["rating"].to_list()
    items: dict[int, set[tuple[str, float]]] = {}
    for row, item in zip(firsts.row.tolist(), firsts.item.tolist(), strict=True):
        items.setdefault(item, set()).add((worker[row], rating[row]))
    return {frozenset(item) for item in items.values() if len(item) > 1}


def test_a_repeat_is_paired_with_its_base(frame_of: MakeFrame) -> None:
    frame = frame_of(
        [{"rating": 10}, {"rating": 30, "item_kind": "repeat"}, {"rating": 99, "segment_id": "2"}]
    )

    pairs = repeat_pairs(frame)

    assert pairs.select("worker_id", "segment_id", "first_rating", "second_rating").rows() == [
        ("w", "1", 10, 30)
    ]


@pytest.mark.parametrize(
    ("base", "repeat", "expected"),
    [(5, 60, (10, 30)), (60, 5, (30, 10)), (None, 5, (10, 30)), (60, None, (10, 30)), (None, None, (10, 30))],
)
def test_first_is_what_was_shown_first(
    frame_of: MakeFrame, base: int | None, repeat: int | None, expected: tuple[float, float]
) -> None:
    frame = frame_of(
        [{"rating": 10, "position": base}, {"rating": 30, "item_kind": "repeat", "position": repeat}]
    )

    assert repeat_pairs(frame).select("first_rating", "second_rating").rows() == [expected]


def test_workers_are_compared_on_the_same_item_only(frame_of: MakeFrame) -> None:
    frame = frame_of(
        [
            {"worker_id": "v", "rating": 1},
            {"worker_id": "w", "rating": 2, "hit_id": "other"},
            {"worker_id": "w", "rating": 3, "segment_id": "2"},
            {"worker_id": "v", "rating": 4, "system_id": "b"},
            {"worker_id": "v", "rating": 5, "attribute": "fluency"},
        ]
    )

    assert compared(frame) == {frozenset([("v", 1.0), ("w", 2.0)])}


@pytest.mark.parametrize("kind", ["degraded", "reference", "gold", "calibration"])
def test_controls_are_items_of_their_own_kind(frame_of: MakeFrame, kind: str) -> None:
    frame = frame_of(
        [
            {"worker_id": "v", "rating": 1},
            {"worker_id": "w", "rating": 2},
            {"worker_id": "v", "rating": 3, "item_kind": kind},
            {"worker_id": "w", "rating": 4, "item_kind": kind},
        ]
    )

    assert compared(frame) == {frozenset([("v", 1.0), ("w", 2.0)]), frozenset([("v", 3.0), ("w", 4.0)])}


def test_of_a_base_and_its_repeat_only_the_first_enters(frame_of: MakeFrame) -> None:
    frame = frame_of(
        [
            {"worker_id": "v", "rating": 1, "position": 80, "item_kind": "repeat"},
            {"worker_id": "v", "rating": 2, "position": 20},
            {"worker_id": "w", "rating": 3, "position": 90},
            {"worker_id": "w", "rating": 4, "position": 10, "item_kind": "repeat"},
        ]
    )

    assert compared(frame) == {frozenset([("v", 2.0), ("w", 4.0)])}


def test_a_repeat_whose_base_is_missing_counts_as_the_item(frame_of: MakeFrame) -> None:
    frame = frame_of(
        [{"worker_id": "v", "rating": 1}, {"worker_id": "w", "rating": 2, "item_kind": "repeat"}]
    )

    assert compared(frame) == {frozenset([("v", 1.0), ("w", 2.0)])}


def test_without_positions_the_base_comes_before_the_repeat(frame_of: MakeFrame) -> None:
    frame = frame_of(
        [
            {"worker_id": "v", "rating": 1, "item_kind": "repeat"},
            {"worker_id": "v", "rating": 2},
            {"worker_id": "w", "rating": 3},
        ]
    )

    assert compared(frame) == {frozenset([("v", 2.0), ("w", 3.0)])}


@pytest.mark.parametrize(
    ("earlier", "later", "first"), [(1, 2, 10.0), (2, 1, 20.0), (None, None, 10.0), (None, 1, 20.0)]
)
def test_of_two_hits_the_earlier_counts(
    frame_of: MakeFrame, earlier: int | None, later: int | None, first: float
) -> None:
    times = [hour and datetime(2024, 5, 1, hour, tzinfo=UTC) for hour in (earlier, later)]
    frame = frame_of(
        [
            {"worker_id": "v", "rating": 10, "hit_id": "one", "position": 90, "submitted_at": times[0]},
            {"worker_id": "v", "rating": 20, "hit_id": "two", "position": 3, "submitted_at": times[1]},
            {"worker_id": "w", "rating": 30, "hit_id": "two"},
        ]
    )

    assert compared(frame) == {frozenset([("v", first), ("w", 30.0)])}


def test_the_order_of_hits_is_each_workers_own(frame_of: MakeFrame) -> None:
    frame = frame_of(
        [
            {"worker_id": "v", "rating": 1, "hit_id": "one"},
            {"worker_id": "v", "rating": 2, "hit_id": "two"},
            {"worker_id": "w", "rating": 3, "hit_id": "two"},
            {"worker_id": "w", "rating": 4, "hit_id": "one"},
        ]
    )

    assert compared(frame) == {frozenset([("v", 1.0), ("w", 3.0)])}


def test_a_corrected_base_stays_first_by_its_position(frame_of: MakeFrame) -> None:
    noon, one = datetime(2024, 5, 1, 12, tzinfo=UTC), datetime(2024, 5, 1, 13, tzinfo=UTC)
    frame = frame_of(
        [
            {"worker_id": "v", "rating": 1, "position": 5, "submitted_at": one},
            {"worker_id": "v", "rating": 2, "position": 60, "submitted_at": noon, "item_kind": "repeat"},
            {"worker_id": "w", "rating": 3},
        ]
    )

    assert compared(frame) == {frozenset([("v", 1.0), ("w", 3.0)])}


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_a_shared_text_is_one_item_under_any_of_its_systems_names(frame_of: MakeFrame, name: str) -> None:
    others = sorted({"a", "b", "c"} - {name})
    frame = frame_of(
        [
            {"worker_id": "v", "rating": 1, "system_id": "b", "credited": ["a", "c"]},
            {"worker_id": "w", "rating": 2, "system_id": name, "credited": others},
            {"worker_id": "w", "rating": 3, "system_id": "c", "item_kind": "repeat"},
            {"worker_id": "v", "rating": 4, "system_id": "a", "segment_id": "2"},
            {"worker_id": "w", "rating": 5, "system_id": "b", "segment_id": "2"},
        ]
    )

    assert compared(frame) == {frozenset([("v", 1.0), ("w", 2.0)])}


def test_an_empty_frame_has_nothing_to_compare(frame_of: MakeFrame) -> None:
    assert len(repeat_pairs(frame_of([]))) == 0
    assert len(first_ratings(frame_of([])).row) == 0


@pytest.mark.parametrize("kinds", [["regular", "repeat"], ["regular"], ["repeat"], ["degraded", "repeat"]])
def test_names_may_come_as_categories(frame_of: MakeFrame, kinds: list[str]) -> None:
    frame = frame_of(
        [
            {"worker_id": w, "segment_id": s, "item_kind": kind, "rating": k, "credited": ["b"]}
            for k, (w, s, kind) in enumerate(product("vw", "12", kinds))
        ]
    )

    coded, _ = with_categories(frame, hit_times_frame())

    for found, expected in zip(first_ratings(coded), first_ratings(frame), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert repeat_pairs(coded)["second_rating"].equals(repeat_pairs(frame)["second_rating"])
    assert distinct_differences(coded) == distinct_differences(frame)


rows = st.lists(
    st.fixed_dictionaries(
        {
            "worker_id": st.sampled_from(["u", "v", "w"]),
            "hit_id": st.sampled_from(["h1", "h2"]),
            "item_kind": st.sampled_from(["regular", "repeat", "degraded"]),
            "system_id": st.sampled_from(["a", "b"]),
            "segment_id": st.sampled_from(["1", "2"]),
            "position": st.none() | st.integers(1, 4),
            "rating": st.integers(0, 100),
        }
    ),
    max_size=16,
)


@given(rows=rows)
def test_first_ratings_agree_with_a_search_through_all_rows(
    frame_of: MakeFrame, rows: list[dict[str, Any]]
) -> None:
    frame = frame_of(rows)

    firsts = first_ratings(frame)

    def hit_begins(row: dict[str, Any], key: tuple[str, ...]) -> int:
        return min(k for k, other in enumerate(rows) if keys[k] == key and other["hit_id"] == row["hit_id"])

    kinds = ["regular" if row["item_kind"] == "repeat" else row["item_kind"] for row in rows]
    keys = [(r["system_id"], r["segment_id"], k, r["worker_id"]) for r, k in zip(rows, kinds, strict=True)]
    best: dict[tuple[str, ...], tuple[tuple[float, ...], int]] = {}
    for k, (row, key) in enumerate(zip(rows, keys, strict=True)):
        place = float("inf") if row["position"] is None else row["position"]
        order = (hit_begins(row, key), place, row["item_kind"] == "repeat", k)
        best[key] = min(best.get(key, (order, k)), (order, k))
    assert sorted(firsts.row.tolist()) == sorted(row for _, row in best.values())
    items = [keys[row][:3] for row in firsts.row]
    assert [items.index(item) for item in items] == [firsts.item.tolist().index(k) for k in firsts.item]


def test_rows_of_a_large_frame_are_sorted_by_item_and_worker(frame_of: MakeFrame) -> None:
    rng = np.random.default_rng(1)
    frame = frame_of(
        [
            {"worker_id": f"w{rng.integers(9)}", "segment_id": f"{rng.integers(20)}", "rating": 50.0}
            for _ in range(300)
        ]
    )

    firsts = first_ratings(frame)

    order = np.lexsort((firsts.worker, firsts.item))
    np.testing.assert_array_equal(order, np.arange(len(order)))
    assert firsts.item[0] == 0
    assert firsts.item[-1] == frame["segment_id"].n_unique() - 1
