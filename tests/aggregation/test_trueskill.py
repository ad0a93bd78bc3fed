from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation.trueskill import METHOD, MOST_UPDATES
from steelyard.domain.result import Fit, MethodSettings
from steelyard.frames import ratings_frame
from steelyard.stats.trueskill import Matches, online_skills, wmt_skill_settings


def _frame(ratings: dict[str, np.ndarray]) -> pl.DataFrame:
    """One worker's ratings of every system on the same segments."""
    constants = {"worker_id": "w", "hit_id": "h", "item_kind": "regular", "attribute": ""}
    parts = [
        pl.DataFrame({"rating": values}).with_columns(
            pl.lit(system).alias("system_id"), segment_id=pl.int_range(pl.len()).cast(pl.String)
        )
        for system, values in ratings.items()
    ]
    return ratings_frame(
        pl.concat(parts).with_columns(pl.lit(value).alias(name) for name, value in constants.items())
    )


def _crowd(n_segments: int) -> pl.DataFrame:
    """Three systems of known order, with ratings in steps of 5 so that there are ties."""
    rng = np.random.default_rng(9)
    return _frame(
        {
            system: np.clip(5 * np.round(rng.normal(quality, 20, n_segments) / 5), 0, 100)
            for system, quality in (("poor", 50), ("good", 60), ("fair", 55))
        }
    )


def _fit(frame: pl.DataFrame, *, draws: int = 0, seed: int = 7) -> Fit:
    return METHOD.fit(frame, MethodSettings(draws=draws), np.random.default_rng(seed))


def test_comparisons_that_are_all_alike_are_learnt_from_one_by_one() -> None:
    # Ten wins of A: their order cannot matter.
    matches = Matches(*np.array([[0, 1, 1, 0]] * 10).T)

    fit = _fit(_frame({"A": np.full(10, 60.0), "B": np.full(10, 50.0)}))

    expected = online_skills(matches, wmt_skill_settings(10), n_systems=2).mu
    assert fit.systems["score"].to_list() == pytest.approx(expected.tolist(), rel=1e-12)


def test_a_true_order_is_recovered() -> None:
    assert _fit(_crowd(800)).systems["system_id"].to_list() == ["good", "fair", "poor"]


def test_abilities_add_up_to_about_nothing() -> None:
    # What one gains the other loses, but for the small differences in how well they are known.
    assert _fit(_crowd(800)).systems["score"].sum() == pytest.approx(0, abs=0.01)


def test_another_seed_shuffles_anew_and_moves_scores_little() -> None:
    first, second = (_fit(_crowd(800), seed=seed, draws=200).systems for seed in (1, 2))

    moved = (first["score"] - second["score"]).abs()
    assert moved.max() > 0
    assert (moved < 0.1 * (first["upper"] - first["lower"])).all()


def test_intervals_are_as_wide_as_scores_vary_between_samples() -> None:
    # Campaigns drawn from the same truth: a 95 % interval should span 2 * 1.96 deviations of their scores.
    rng = np.random.default_rng(1)
    campaigns = [
        _fit(
            _frame(
                {name: rng.normal(quality, 20, 300) for name, quality in (("A", 60), ("B", 55), ("C", 50))}
            )
        )
        for _ in range(60)
    ]
    scores = [dict(fit.systems.select("system_id", "score").iter_rows())["B"] for fit in campaigns]
    one = _fit(
        _frame({name: rng.normal(quality, 20, 300) for name, quality in (("A", 60), ("B", 55), ("C", 50))}),
        draws=400,
    )

    row = one.systems.row(by_predicate=pl.col("system_id") == "B", named=True)

    # Sixty campaigns know the deviation to 9 %.
    assert (row["upper"] - row["lower"]) / (2 * 1.96) == pytest.approx(np.std(scores), rel=0.3)


def test_of_very_many_comparisons_a_sample_is_learnt_from() -> None:
    n_segments = MOST_UPDATES // 3 + 100

    fit = _fit(_crowd(n_segments))

    assert fit.warnings[-1] == f"A random 200,000 of {3 * n_segments:,} comparisons were used."
    assert fit.systems["system_id"].to_list() == ["good", "fair", "poor"]
