"""The forecast of the end: by hand, and how often the end lies in its range."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.planning.forecast import LEVEL, Pace, hours_left, pace, stretches
from steelyard.stats.arrays import FloatArray, IntArray


def counts_of(*numbers: int) -> IntArray:
    return np.array(numbers, dtype=np.int64)


def test_the_expected_end_is_what_is_left_divided_by_the_pace() -> None:
    found = pace(counts_of(40, 60, 50, 50), hours_each=2.0)
    assert found is not None

    assert found.per_hour == 25
    assert hours_left(500, found).expected == 20


def test_equal_counts_are_no_more_regular_than_chance_would_make_them() -> None:
    found = pace(counts_of(50, 50, 50, 50), hours_each=1.0)
    assert found is not None

    assert found.dispersion == 1


def test_counts_that_vary_more_make_the_range_wider() -> None:
    steady, bursty = (
        pace(counts_of(45, 55, 50, 50), hours_each=6),
        pace(counts_of(0, 130, 0, 70), hours_each=6),
    )
    assert steady is not None
    assert bursty is not None
    left = [hours_left(400, each) for each in (steady, bursty)]

    assert left[0].expected == left[1].expected
    assert left[1].earliest < left[0].earliest < left[0].expected
    assert left[0].latest is not None
    assert left[1].latest is None or left[1].latest > left[0].latest


def test_the_range_solves_its_equation() -> None:
    seen = Pace(per_hour=20, hours=48, dispersion=9, degrees=7)
    left = hours_left(600, seen, level=0.8)

    # The quantile of Student's distribution with 7 degrees of freedom at 0.9.
    q = 1.414924
    assert left.latest is not None
    for hours, sign in ((left.earliest, 1), (left.latest, -1)):
        spread = (9 * 20 * hours * (1 + hours / 48)) ** 0.5
        assert 20 * hours + sign * q * spread == pytest.approx(600, rel=1e-5)


def test_a_pace_seen_too_briefly_has_no_latest_end() -> None:
    left = hours_left(1000, Pace(per_hour=30, hours=1, dispersion=25, degrees=7))

    assert left.latest is None
    assert left.earliest < left.expected


@pytest.mark.parametrize(("counts", "hours_each"), [((3, 4, 5, 6), 1.0), ((500, 500), 0.1), ((0, 0), 24.0)])
def test_too_little_says_nothing(counts: tuple[int, ...], hours_each: float) -> None:
    assert pace(counts_of(*counts), hours_each=hours_each) is None


def test_a_long_past_is_counted_by_whole_days() -> None:
    assert stretches(5 * 24 + 3) == (5, 24.0)
    assert stretches(90 * 24) == (7, 24.0)
    n, each = stretches(10)
    assert n * each == pytest.approx(10)


def arrivals(rng: np.random.Generator, *, days: float, hit_size: int, nights: bool) -> FloatArray:
    """Hours at which judgements come: people come at random and judge a HIT of items, one in 30 seconds."""
    begins = np.sort(rng.uniform(0, 24 * days, rng.poisson(60 * days / hit_size * 24)))
    if nights:
        begins = begins[begins % 24 < 14]
    return np.sort((begins[:, None] + np.arange(hit_size) / 120).ravel())


@pytest.mark.parametrize(
    ("seen_hours", "hit_size", "nights"),
    [(10.0, 1, False), (20.0, 50, False), (6 * 24.0 + 5, 50, True)],
)
def test_the_end_lies_in_the_range_about_as_often_as_promised(
    seen_hours: float, hit_size: int, nights: bool
) -> None:
    rng = np.random.default_rng(11)
    hits = []
    for _ in range(300):
        times = arrivals(rng, days=40 if nights else 10, hit_size=hit_size, nights=nights)
        n, each = stretches(seen_hours - times[0])
        edges = seen_hours - each * np.arange(n, -1, -1)
        found = pace(np.diff(np.searchsorted(times, edges)), hours_each=each)
        if found is None:
            continue
        so_far = int(np.searchsorted(times, seen_hours))
        n_left = so_far // 2
        left = hours_left(n_left, found)
        truth = times[so_far + n_left - 1] - seen_hours
        hits.append(left.earliest <= truth and (left.latest is None or truth <= left.latest))

    assert len(hits) > 250
    assert LEVEL - 0.12 < np.mean(hits) < LEVEL + 0.12
