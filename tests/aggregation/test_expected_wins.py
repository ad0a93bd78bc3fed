from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation.expected_wins import METHOD
from steelyard.domain.result import Fit, MethodSettings
from steelyard.frames import ratings_frame


def _duels(*results: tuple[str, str, int]) -> pl.DataFrame:
    """Each duel: winner, loser, and on how many segments; one worker judges both sides of all."""
    rows = [
        (system, f"{winner}{loser}{number}", rating)
        for winner, loser, count in results
        for number in range(count)
        for system, rating in ((winner, 70.0), (loser, 60.0))
    ]
    frame = pl.DataFrame(rows, schema=["system_id", "segment_id", "rating"], orient="row")
    constants = {"worker_id": "w", "hit_id": "h", "item_kind": "regular", "attribute": ""}
    return ratings_frame(frame.with_columns(pl.lit(value).alias(name) for name, value in constants.items()))


def _fit(frame: pl.DataFrame, draws: int = 0) -> Fit:
    return METHOD.fit(frame, MethodSettings(draws=draws), np.random.default_rng(7))


def _scores(fit: Fit) -> dict[str, float]:
    return dict(fit.systems.select("system_id", "score").iter_rows())


def test_seven_wins_of_ten_are_seven_tenths() -> None:
    assert _scores(_fit(_duels(("A", "B", 7), ("B", "A", 3)))) == pytest.approx({"A": 0.7, "B": 0.3})


def test_a_cycle_leaves_all_even() -> None:
    # A over B 6:4, B over C 6:4, C over A 6:4: everyone (0.6 + 0.4) / 2.
    frame = _duels(
        *[("A", "B", 6), ("B", "C", 6), ("C", "A", 6)], *[("B", "A", 4), ("C", "B", 4), ("A", "C", 4)]
    )

    assert _scores(_fit(frame)) == pytest.approx({"A": 0.5, "B": 0.5, "C": 0.5})


def test_an_opponent_met_often_weighs_no_more() -> None:
    # A: 9 of 10 against B, 1 of 2 against C.
    frame = _duels(("A", "B", 9), ("B", "A", 1), ("A", "C", 1), ("C", "A", 1))

    assert _scores(_fit(frame))["A"] == pytest.approx((0.9 + 0.5) / 2)


def test_the_interval_is_that_of_a_share() -> None:
    # One comparison on each of 400 segments: the share 0.6 has standard error sqrt(0.24 / 400).
    fit = _fit(_duels(("A", "B", 240), ("B", "A", 160)), draws=2000)

    row = fit.systems.row(0, named=True)
    standard_error = np.sqrt(0.6 * 0.4 / 400)
    assert row["lower"] == pytest.approx(0.6 - 1.96 * standard_error, abs=0.15 * standard_error)
    assert row["upper"] == pytest.approx(0.6 + 1.96 * standard_error, abs=0.15 * standard_error)


def test_the_p_value_is_that_of_a_sign_test() -> None:
    # 216 wins of 400: z = 16 / 10 = 1.6, one-sided p = 0.0548.
    fit = _fit(_duels(("A", "B", 216), ("B", "A", 184)), draws=4000)

    assert fit.p_values[0, 1] == pytest.approx(0.0548, abs=0.015)


def test_a_true_order_is_recovered() -> None:
    rng = np.random.default_rng(3)
    order = ["c", "a", "d", "b"]
    segment, place = np.divmod(np.arange(4 * 300), 4)
    frame = ratings_frame(
        pl.DataFrame(
            {
                "worker_id": [f"w{s % 7}" for s in segment],
                "system_id": [order[p] for p in place],
                "segment_id": [f"s{s}" for s in segment],
                "rating": 60 - 6.0 * place + rng.normal(0, 15, len(place)),
            }
        ).with_columns(hit_id=pl.lit("h"), item_kind=pl.lit("regular"), attribute=pl.lit(""))
    )

    assert _fit(frame).systems["system_id"].to_list() == order
