from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation.easl import METHOD
from steelyard.domain.result import Fit, MethodSettings
from steelyard.domain.scale import VAS, Scale
from steelyard.frames import ratings_frame


def _frame(rows: list[tuple[str, str, float]], attribute: str = "") -> pl.DataFrame:
    """Rows of system, segment and rating, each by a worker of its own."""
    constants = {"hit_id": "h", "item_kind": "regular", "attribute": attribute}
    return ratings_frame(
        pl.DataFrame(rows, schema=["system_id", "segment_id", "rating"], orient="row").with_columns(
            *(pl.lit(value).alias(name) for name, value in constants.items()),
            worker_id="w" + pl.int_range(pl.len()).cast(pl.String),
        )
    )


def _fit(frame: pl.DataFrame, draws: int = 0, scale: Scale = VAS) -> Fit:
    return METHOD.fit(frame, MethodSettings(draws=draws, scale=scale), np.random.default_rng(7))


def _scores(fit: Fit) -> dict[str, float]:
    return dict(fit.systems.select("system_id", "score").iter_rows())


BY_HAND = _frame(
    [
        ("A", "1", 20.0),
        ("A", "1", 40.0),
        ("A", "2", 90.0),
        ("B", "1", 50.0),
        ("B", "2", 60.0),
        ("B", "2", 80.0),
    ]
)


def test_a_case_by_hand() -> None:
    # A: segment 1 is Beta(1.6, 2.4) with mode 0.6 / 2 = 0.3, segment 2 Beta(1.9, 1.1) with mode 0.9;
    # B: Beta(1.5, 1.5) with mode 0.5, Beta(2.4, 1.6) with mode 1.4 / 2 = 0.7. Each on 0 to 100.
    assert _scores(_fit(BY_HAND)) == pytest.approx({"A": 60.0, "B": 60.0})
    assert _fit(BY_HAND).segments["score"].to_list() == pytest.approx([30, 90, 50, 70])


def test_a_segments_deviation_is_that_of_its_distribution() -> None:
    # Beta(1.6, 2.4) has variance 1.6 * 2.4 / (16 * 5) = 0.048, Beta(1.9, 1.1) 1.9 * 1.1 / (9 * 4).
    deviations = _fit(BY_HAND).segments["sd"].to_list()

    assert deviations[:2] == pytest.approx([100 * np.sqrt(0.048), 100 * np.sqrt(1.9 * 1.1 / 36)])


def test_scores_are_the_mean_ratings() -> None:
    rng = np.random.default_rng(5)
    frame = _frame(
        [(f"S{rng.integers(4)}", f"s{rng.integers(30)}", float(rng.integers(101))) for _ in range(400)]
    )

    systems = _fit(frame).systems

    np.testing.assert_allclose(systems["score"], systems["mean_rating"])


def test_one_rating_is_its_own_mode() -> None:
    assert _scores(_fit(_frame([("A", "1", 100.0), ("B", "1", 0.0)]))) == {"A": 100.0, "B": 0.0}


def test_deviations_are_on_the_scale_of_the_ratings() -> None:
    fit = _fit(_frame([("A", "1", 5.0), ("B", "1", 1.0)]), scale=Scale(1.0, 5.0))

    assert _scores(fit) == {"A": 5.0, "B": 1.0}
    # Beta(2, 1) has variance 2 / (9 * 4) = 1 / 18, and the scale is 4 points wide.
    assert fit.segments["sd"].to_list() == pytest.approx([4 / np.sqrt(18)] * 2)


def test_the_interval_is_that_of_a_mean_of_segments() -> None:
    rng = np.random.default_rng(6)
    ratings = rng.normal(50, 10, 300).clip(0, 100)

    fit = _fit(_frame([("A", f"s{i}", float(rating)) for i, rating in enumerate(ratings)]), draws=2000)

    row = fit.systems.row(0, named=True)
    standard_error = ratings.std() / np.sqrt(300)
    assert row["lower"] == pytest.approx(ratings.mean() - 1.96 * standard_error, abs=0.15 * standard_error)
    assert row["upper"] == pytest.approx(ratings.mean() + 1.96 * standard_error, abs=0.15 * standard_error)


def test_every_attribute_weighs_the_same() -> None:
    # A: fluency (20 + 40) / 2 = 30 on one segment, adequacy 90; the mean of both is 60.
    fluency = _frame([("A", "1", 20.0), ("A", "1", 40.0)], attribute="fluency")
    adequacy = _frame([("A", "1", 90.0)], attribute="adequacy")

    fit = _fit(pl.concat([fluency, adequacy]))

    assert _scores(fit) == pytest.approx({"A": 60.0})
    assert {name: _scores(part) for name, part in fit.attributes} == {
        "adequacy": pytest.approx({"A": 90.0}),
        "fluency": pytest.approx({"A": 30.0}),
    }
    # Independent deviations of the two, halved.
    variance = (1.9 * 1.1 / 36 + 0.048) / 4
    assert fit.segments["sd"].item() == pytest.approx(100 * np.sqrt(variance))


def test_a_system_without_ratings_in_an_attribute_is_named() -> None:
    frame = pl.concat([BY_HAND, _frame([("A", "1", 90.0)], attribute="fluency")])

    assert _fit(frame).warnings[-1].endswith("are not comparable: B (fluency).")
