"""How often checks let pass workers who click at random, and workers who are honest but noisy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl
import pytest

from steelyard.domain.result import CheckSettings
from steelyard.qc import checks

TOLERANCE = 0.03
# Share of workers that pass with 10 and with 20 pairs of each kind: the table of the methods specification,
# itself a simulation of 2000 workers per cell, so off by up to 0.022 (two standard errors) on its own.
SHARES = {
    ("welch", "random"): (0.025, 0.024),
    ("welch", "drop 30, noise 10"): (0.87, 1.0),
    ("welch", "drop 20, noise 10"): (0.61, 0.90),
    ("welch", "drop 20, noise 20"): (0.19, 0.30),
    ("mann-whitney", "random"): (0.023, 0.024),
    ("mann-whitney", "drop 30, noise 10"): (0.78, 0.98),
    ("mann-whitney", "drop 20, noise 10"): (0.54, 0.82),
    ("mann-whitney", "drop 20, noise 20"): (0.17, 0.25),
    ("paired-t", "random"): (0.049, 0.049),
    ("paired-t", "drop 30, noise 10"): (0.98, 1.0),
    ("paired-t", "drop 20, noise 10"): (0.93, 1.0),
    ("paired-t", "drop 20, noise 20"): (0.60, 0.88),
    ("signed-rank", "random"): (0.051, 0.049),
    ("signed-rank", "drop 30, noise 10"): (0.98, 1.0),
    ("signed-rank", "drop 20, noise 10"): (0.92, 1.0),
    ("signed-rank", "drop 20, noise 20"): (None, 0.87),
    ("rank-sum", "random"): (0.051, 0.048),
    ("rank-sum", "drop 30, noise 10"): (0.81, 1.0),
    ("rank-sum", "drop 20, noise 10"): (0.52, 0.91),
    ("rank-sum", "drop 20, noise 20"): (0.36, 0.69),
}
CASES = [
    pytest.param(check, crowd, n_pairs, share, id=f"{check}-{crowd}-{n_pairs}")
    for (check, crowd), shares in SHARES.items()
    for n_pairs, share in zip((10, 20), shares, strict=True)
    if share is not None
]
# Drop 20, noise 20, 10 pairs: out of reach of the exact test, which is specified too; see the last test.
SIGNED_RANK_CELL = 0.60


def _workers(share: float) -> int:
    """How many workers to simulate: more where chance moves the share more (by 0.008 at most)."""
    return 4000 if 0.1 < share < 0.9 else 2000


def _ratings(crowd: str, n_pairs: int, workers: int) -> tuple[np.ndarray, ...]:
    """Base, degraded, first and second ratings, each (workers, pairs).

    The specification does not say how it drew ratings. With the same loss for every text, half of its
    cells are out of reach; with a loss evenly spread between none and twice its mean, qualities that
    scatter about 62 by 21.5 and ratings that end with the scale, all but one are met. These numbers
    were fitted to the table, so it tests the checks against each other more than each alone.
    """
    rng = np.random.default_rng(20)
    size = (workers, n_pairs)
    if crowd == "random":
        return tuple(rng.uniform(0, 100, (4, *size)))
    drop, noise = (float(word) for word in crowd.replace(",", "").split()[1::2])
    quality, repeated = rng.normal(62, 21.5, (2, *size))
    levels = (quality, quality - rng.uniform(0, 2 * drop, size), repeated, repeated)
    return tuple(np.clip(rng.normal(level, noise), 0, 100) for level in levels)


@pytest.fixture(scope="module")
def crowd_frame(pair_frame: Callable[..., pl.DataFrame]) -> Callable[[str, int, int], pl.DataFrame]:
    """The ratings of a simulated crowd, made once."""
    return cache(lambda crowd, n_pairs, workers: pair_frame(*_ratings(crowd, n_pairs, workers)))


@pytest.mark.parametrize(("check", "crowd", "n_pairs", "share"), CASES)
def test_as_many_workers_pass_as_specified(
    crowd_frame: Callable[[str, int, int], pl.DataFrame], check: str, crowd: str, n_pairs: int, share: float
) -> None:
    verdicts = checks()[check].run(crowd_frame(crowd, n_pairs, _workers(share)), CheckSettings())

    passed = np.mean([verdict.verdict == "pass" for verdict in verdicts])
    assert passed == pytest.approx(share, abs=TOLERANCE)


def test_one_specified_share_needs_a_less_strict_signed_rank_test(
    pair_frame: Callable[..., pl.DataFrame],
) -> None:
    rng = np.random.default_rng(20)
    quality, loss = rng.normal(62, 21.5, (6000, 10)), rng.uniform(0, 40, (6000, 10))

    # Ratings beyond the scale: no pair is rated alike, so all ten count.
    frame = pair_frame(rng.normal(quality, 20), rng.normal(quality - loss, 20))
    verdicts = checks()["signed-rank"].run(frame, CheckSettings())

    # Ten ranks sum to 55; those of positive differences have mean 27.5 and variance 10 * 11 * 21 / 24.
    statistic = np.array([verdict.statistic for verdict in verdicts])
    uncorrected = (statistic - 27.5) / np.sqrt(10 * 11 * 21 / 24) > 1.6449
    assert uncorrected.mean() == pytest.approx(SIGNED_RANK_CELL, abs=TOLERANCE)
    # Exactly, 43 of 1024 patterns of signs reach 45 (p = 0.042) and 54 reach 44 (p = 0.053).
    passed = np.array([verdict.verdict == "pass" for verdict in verdicts])
    np.testing.assert_array_equal(passed, statistic >= 45)
    assert passed.mean() < SIGNED_RANK_CELL - TOLERANCE
