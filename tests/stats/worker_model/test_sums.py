from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.stats.worker_model.problem import WorkerRatings
from steelyard.stats.worker_model.sums import RatingSums

N_ITEMS, N_WORKERS, PARTS_EACH = 5, 4, 3
# Item, worker, which of the worker's parts, value: few enough of each that some rate an item twice.
rows_of_ratings = st.lists(
    st.tuples(
        st.integers(0, N_ITEMS - 1),
        st.integers(0, N_WORKERS - 1),
        st.integers(0, PARTS_EACH - 1),
        st.floats(-3, 3, allow_subnormal=False),
    ),
    min_size=1,
    max_size=40,
)
with_and_without_parts = pytest.mark.parametrize("in_parts", [False, True])


def _ratings(rows: list[tuple[int, int, int, float]], *, in_parts: bool) -> WorkerRatings:
    item, worker, place, value = (np.array(column) for column in zip(*rows, strict=True))
    part = np.unique(worker * PARTS_EACH + place, return_inverse=True)[1] if in_parts else None
    return WorkerRatings(item, worker, value.astype(np.float64), N_ITEMS, N_WORKERS, hit=part)


def _part(ratings: WorkerRatings) -> np.ndarray:
    return ratings.worker if ratings.hit is None else ratings.hit


def _shuffled(ratings: WorkerRatings, order: np.ndarray) -> WorkerRatings:
    hit = None if ratings.hit is None else ratings.hit[order]
    return WorkerRatings(
        ratings.item[order], ratings.worker[order], ratings.value[order], N_ITEMS, N_WORKERS, hit=hit
    )


@with_and_without_parts
@settings(max_examples=40)
@given(rows=rows_of_ratings)
def test_sums_of_items_are_those_of_their_ratings(
    rows: list[tuple[int, int, int, float]], in_parts: bool
) -> None:
    ratings = _ratings(rows, in_parts=in_parts)
    part = _part(ratings)
    rng = np.random.default_rng(1)
    times_value, weight = rng.normal(size=N_WORKERS), rng.normal(size=N_WORKERS)
    times_one = rng.normal(size=N_WORKERS if ratings.hit is None else part.max() + 1)

    pull, total = RatingSums(ratings).by_item(times_value, times_one, weight)

    each = ratings.value * times_value[ratings.worker] - times_one[part]
    np.testing.assert_allclose(pull, np.bincount(ratings.item, each, N_ITEMS), atol=1e-12)
    np.testing.assert_allclose(total, np.bincount(ratings.item, weight[ratings.worker], N_ITEMS), atol=1e-12)


@with_and_without_parts
@settings(max_examples=40)
@given(rows=rows_of_ratings)
def test_sums_of_workers_and_parts_are_those_of_their_ratings(
    rows: list[tuple[int, int, int, float]], in_parts: bool
) -> None:
    ratings = _ratings(rows, in_parts=in_parts)
    part, worker = _part(ratings), ratings.worker
    rng = np.random.default_rng(2)
    quality, square = rng.normal(size=N_ITEMS), rng.normal(size=N_ITEMS)

    product, of_part, squares = RatingSums(ratings).by_worker(quality, square)

    times = quality[ratings.item]
    np.testing.assert_allclose(product, np.bincount(worker, ratings.value * times, N_WORKERS), atol=1e-12)
    np.testing.assert_allclose(of_part, np.bincount(part, times, len(of_part)), atol=1e-12)
    np.testing.assert_allclose(squares, np.bincount(worker, square[ratings.item], N_WORKERS), atol=1e-12)


@with_and_without_parts
@settings(max_examples=40)
@given(rows=rows_of_ratings)
def test_counts_and_totals_are_those_of_the_ratings(
    rows: list[tuple[int, int, int, float]], in_parts: bool
) -> None:
    ratings = _ratings(rows, in_parts=in_parts)
    part, worker = _part(ratings), ratings.worker

    sums = RatingSums(ratings)

    n_parts = len(sums.worker_of_part)
    np.testing.assert_array_equal(sums.n_of_item, np.bincount(ratings.item, minlength=N_ITEMS))
    np.testing.assert_array_equal(sums.n_of_worker, np.bincount(worker, minlength=N_WORKERS))
    np.testing.assert_array_equal(sums.n_of_part, np.bincount(part, minlength=n_parts))
    np.testing.assert_allclose(sums.value_of_part, np.bincount(part, ratings.value, n_parts), atol=1e-12)
    np.testing.assert_allclose(
        sums.square_of_worker, np.bincount(worker, ratings.value**2, N_WORKERS), atol=1e-12
    )
    np.testing.assert_allclose(
        sums.value_of_item, np.bincount(ratings.item, ratings.value, N_ITEMS), atol=1e-12
    )
    np.testing.assert_allclose(
        sums.square_of_item, np.bincount(ratings.item, ratings.value**2, N_ITEMS), atol=1e-12
    )
    np.testing.assert_array_equal(sums.worker_of_part[part], worker)


@with_and_without_parts
@settings(max_examples=40)
@given(rows=rows_of_ratings, seed=st.integers(0, 1000))
def test_the_order_of_ratings_changes_no_bit(
    rows: list[tuple[int, int, int, float]], seed: int, in_parts: bool
) -> None:
    ratings = _ratings(rows, in_parts=in_parts)
    rng = np.random.default_rng(seed)
    sums = RatingSums(ratings)
    other = RatingSums(_shuffled(ratings, rng.permutation(len(rows))))
    of_worker, of_part = rng.normal(size=N_WORKERS), rng.normal(size=len(sums.worker_of_part))
    of_item = rng.normal(size=N_ITEMS)

    both = [
        (*each.by_item(of_worker, of_part, of_worker), *each.by_worker(of_item, of_item**2))
        for each in (sums, other)
    ]

    np.testing.assert_array_equal(np.concatenate(both[1]), np.concatenate(both[0]))
    np.testing.assert_array_equal(other.square_of_worker, sums.square_of_worker)
    np.testing.assert_array_equal(other.value_of_part, sums.value_of_part)
    np.testing.assert_array_equal(other.value_of_item, sums.value_of_item)
    np.testing.assert_array_equal(other.square_of_item, sums.square_of_item)


@with_and_without_parts
def test_the_order_of_many_ratings_changes_no_bit(in_parts: bool) -> None:
    rng = np.random.default_rng(3)
    n = 20_000
    rows = zip(
        rng.integers(0, N_ITEMS, n),
        rng.integers(0, N_WORKERS, n),
        rng.integers(0, 3, n),
        rng.normal(size=n),
        strict=True,
    )
    ratings = _ratings(list(rows), in_parts=in_parts)
    of_worker, of_item = rng.normal(size=N_WORKERS), rng.normal(size=N_ITEMS)

    sums, other = (RatingSums(_shuffled(ratings, order)) for order in (np.arange(n), rng.permutation(n)))

    of_part = np.ones(len(sums.worker_of_part))
    for name, given_ in (("by_item", (of_worker, of_part, of_worker)), ("by_worker", (of_item, of_item))):
        found, again = getattr(sums, name)(*given_), getattr(other, name)(*given_)
        np.testing.assert_array_equal(np.concatenate(found), np.concatenate(again))


def test_an_item_that_somebody_rated_twice_counts_both_ratings() -> None:
    ratings = WorkerRatings(np.array([0, 0]), np.array([0, 0]), np.array([1.0, 2.0]), n_items=1, n_workers=1)

    sums = RatingSums(ratings)

    # 2 * (1 + 2) - 0.5 * 2 and 3 * 2.
    pull, weight = sums.by_item(np.array([2.0]), np.array([0.5]), np.array([3.0]))
    assert (pull[0], weight[0]) == (5.0, 6.0)
    assert sums.links.toarray().tolist() == [[2.0]]


def test_links_have_an_entry_for_each_part_that_rated_an_item() -> None:
    ratings = WorkerRatings(
        item=np.array([0, 1, 1]),
        worker=np.array([0, 0, 1]),
        value=np.zeros(3),
        n_items=2,
        n_workers=2,
        hit=np.array([0, 1, 2]),
    )

    links = RatingSums(ratings).links.toarray()

    assert links.tolist() == [[1, 0, 0], [0, 1, 1]]


def test_parts_are_added_up_by_worker() -> None:
    ratings = WorkerRatings(
        np.zeros(3, dtype=np.int64), np.array([0, 1, 0]), np.zeros(3), 1, 3, hit=np.array([0, 1, 2])
    )

    of_worker = RatingSums(ratings).of_worker(np.array([1.0, 10.0, 100.0]))

    # The third worker rated nothing.
    assert of_worker.tolist() == [101, 10, 0]


def test_the_ratings_given_are_left_untouched() -> None:
    rng = np.random.default_rng(4)
    item, worker, value = rng.integers(0, 3, 30), rng.integers(0, 3, 30), rng.normal(size=30)
    copies = item.copy(), worker.copy(), value.copy()

    RatingSums(WorkerRatings(item, worker, value, 3, 3))

    for array, copy in zip((item, worker, value), copies, strict=True):
        np.testing.assert_array_equal(array, copy)
