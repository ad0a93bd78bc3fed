"""Differences between two ratings of one item, against enumeration."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.agreement.differences import (
    Differences,
    distinct_differences,
    pooled_differences,
    repeat_differences,
)

MakeFrame = Callable[[list[dict[str, Any]]], pl.DataFrame]


def test_differences_of_repeats_by_hand(frame_of: MakeFrame) -> None:
    frame = frame_of(
        [
            row
            for worker, base, repeat in [("v", 10, 14), ("w", 50, 40), ("x", 60, 60)]
            for row in (
                {"worker_id": worker, "rating": base},
                {"worker_id": worker, "rating": repeat, "item_kind": "repeat"},
            )
        ]
    )

    found = repeat_differences(frame)

    # 4, 10 and 0: mean 14 / 3, squares 116 - 196 / 3 over 2.
    assert found.n == 3
    assert found.mean == pytest.approx(14 / 3)
    assert found.sd == pytest.approx(np.sqrt((116 - 196 / 3) / 2))


def test_differences_of_workers_by_hand(frame_of: MakeFrame) -> None:
    frame = frame_of(
        [
            {"worker_id": "v", "rating": 10, "position": 1},
            {"worker_id": "v", "rating": 99, "position": 50, "item_kind": "repeat"},
            {"worker_id": "w", "rating": 30},
            {"worker_id": "x", "rating": 70},
            # Nobody was given these twice.
            {"worker_id": "v", "rating": 0, "segment_id": "2"},
            {"worker_id": "w", "rating": 100, "segment_id": "2"},
            {"worker_id": "v", "rating": 0, "item_kind": "degraded"},
            {"worker_id": "w", "rating": 100, "item_kind": "degraded"},
        ]
    )

    found = distinct_differences(frame)

    # First ratings 10, 30, 70: differences 20, 60, 40.
    assert (found.n, found.mean, found.sd) == (3, 40.0, 20.0)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=25), st.sampled_from([0.0, 1e6]))
def test_pooled_differences_agree_with_enumeration(rows: list[tuple[int, int]], origin: float) -> None:
    group, value = np.array(rows, dtype=np.int64).reshape(-1, 2).T

    found = pooled_differences(origin + value / 4, group)

    each = [abs(a - b) / 4 for (g, a), (h, b) in combinations(rows, 2) if g == h]
    assert found.n == len(each)
    assert found.mean == (pytest.approx(np.mean(each), rel=1e-12) if each else None)
    assert found.sd == (pytest.approx(np.std(each, ddof=1), abs=1e-6) if len(each) > 1 else None)


def test_order_and_names_do_not_matter() -> None:
    rng = np.random.default_rng(4)
    value, group = rng.uniform(0, 100, 200), rng.integers(0, 30, 200)
    order, names = rng.permutation(200), rng.permutation(30)

    found, moved = pooled_differences(value, group), pooled_differences(value[order], names[group][order])

    assert moved.n == found.n
    assert (moved.mean, moved.sd) == pytest.approx((found.mean, found.sd), rel=1e-12)


@pytest.mark.parametrize("rows", [[], [{"rating": 3}], [{"rating": 3}, {"rating": 5, "worker_id": "v"}]])
def test_without_repeats_there_are_no_differences(frame_of: MakeFrame, rows: list[dict[str, Any]]) -> None:
    nothing = Differences(0, None, None)

    assert repeat_differences(frame_of(rows)) == nothing
    assert distinct_differences(frame_of(rows)) == nothing


def test_one_pair_has_a_mean_but_no_deviation(frame_of: MakeFrame) -> None:
    frame = frame_of([{"rating": 3}, {"rating": 5, "item_kind": "repeat"}, {"rating": 9, "worker_id": "v"}])

    assert repeat_differences(frame) == Differences(1, 2.0, None)
    assert distinct_differences(frame) == Differences(1, 6.0, None)
