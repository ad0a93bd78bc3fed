from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats

from steelyard.aggregation.hopkins_may import METHOD
from steelyard.domain.result import Fit, MethodSettings
from steelyard.frames import ratings_frame


def _frame(rows: list[tuple[str, str, float]]) -> pl.DataFrame:
    """Rows of system, segment and rating, all by one worker."""
    constants = {"worker_id": "w", "hit_id": "h", "item_kind": "regular", "attribute": ""}
    return ratings_frame(
        pl.DataFrame(rows, schema=["system_id", "segment_id", "rating"], orient="row").with_columns(
            pl.lit(value).alias(name) for name, value in constants.items()
        )
    )


def _fit(frame: pl.DataFrame, draws: int = 0) -> Fit:
    return METHOD.fit(frame, MethodSettings(draws=draws), np.random.default_rng(7))


def _duel(wins: int, ties: int, losses: int) -> pl.DataFrame:
    """A against B on as many segments as there are results."""
    other = [50.0] * wins + [60.0] * ties + [70.0] * losses
    return _frame(
        [(system, f"s{i}", rating) for i, b in enumerate(other) for system, rating in (("A", 60.0), ("B", b))]
    )


def test_wins_ties_and_losses_are_weighed_by_their_probabilities() -> None:
    # Ability m against -m; the difference seen has variance 2 (0.25 + 1), the radius is 0.5.
    spread = np.sqrt(2.5)

    def minus_log_posterior(m: float) -> float:
        upper, lower = stats.norm.cdf([(2 * m + 0.5) / spread, (2 * m - 0.5) / spread])
        return float(m**2 - 7 * np.log(lower) - 4 * np.log(upper - lower) - 3 * np.log(1 - upper))

    m = optimize.minimize_scalar(
        minus_log_posterior, bounds=(-3, 3), method="bounded", options={"xatol": 1e-9}
    ).x

    fit = _fit(_duel(7, 4, 3))

    assert fit.systems["score"].to_list() == pytest.approx([m, -m], abs=1e-6)


def test_true_abilities_lie_in_their_intervals() -> None:
    # Ratings that follow the model: within the decision radius both get the same.
    rng = np.random.default_rng(11)
    truth = {"a": 0.5, "b": 0.0, "c": -0.5}
    rows = []
    for s in range(1500):
        first, second = rng.permutation(list(truth))[:2]
        seen = [truth[system] + rng.normal(0, np.sqrt(1.25)) for system in (first, second)]
        if abs(seen[0] - seen[1]) <= 0.5:
            seen[1] = seen[0]
        rows += [(system, f"s{s}", value) for system, value in zip((first, second), seen, strict=True)]

    fit = _fit(_frame(rows), draws=300)

    assert fit.systems["system_id"].to_list() == ["a", "b", "c"]
    for row in fit.systems.iter_rows(named=True):
        assert row["lower"] < truth[row["system_id"]] < row["upper"]
