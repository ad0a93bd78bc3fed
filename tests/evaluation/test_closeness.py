from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from steelyard.domain.result import Fit
from steelyard.evaluation.closeness import (
    cell_closeness,
    segment_closeness,
    system_closeness,
)
from steelyard.evaluation.judged import Judged, judged
from steelyard.evaluation.truth import ItemTruth

Ratings = Callable[..., pl.DataFrame]
NOTHING = pl.DataFrame()


@pytest.fixture(scope="module")
def four(ratings: Ratings) -> Judged:
    return judged(ratings([("w", "A", str(k), 10 * k) for k in range(4)]))


def _fit(scores: dict[str, float | None], sd: float | None = None) -> Fit:
    segments = pl.DataFrame(
        [("A", segment, score, sd) for segment, score in scores.items()],
        schema={"system_id": pl.String, "segment_id": pl.String, "score": pl.Float64, "sd": pl.Float64},
        orient="row",
    )
    return Fit(segments, NOTHING, np.zeros((0, 0)), NOTHING)


def _systems(scores: dict[str, float | None]) -> Fit:
    systems = pl.DataFrame({"system_id": list(scores), "score": list(scores.values())})
    return Fit(NOTHING, systems.cast({"score": pl.Float64}), np.zeros((0, 0)), NOTHING)


def _truth(*value: float, variance: float = 0.0) -> ItemTruth:
    return ItemTruth(np.array(value), np.full(len(value), 3), np.full(len(value), variance))


ALL = np.ones(4, dtype=np.bool_)


def test_an_item_without_score_counts_as_the_mean_of_the_others(four: Judged) -> None:
    truth = _truth(0, 1, 2, 3)

    found = segment_closeness(
        _fit({"0": 0.0, "1": 1.0, "2": 5.0}), four, truth, over=ALL, has_intervals=False
    )

    assert found.r["segments"] == pytest.approx(np.corrcoef([0, 1, 2, 3], [0, 1, 5, 2])[0, 1])
    assert found.scored == 0.75
    assert found.n_points == 4


def test_within_systems_their_means_are_taken_off(ratings: Ratings) -> None:
    crowd = judged(ratings([("w", system, segment, 1) for system in "AB" for segment in "123"]))
    segments = pl.DataFrame(
        {
            "system_id": list("AAABB"),
            "segment_id": list("12312"),
            "score": [10.0, 11.0, 15.0, 0.0, 2.0],
            "sd": [None] * 5,
        },
        schema_overrides={"sd": pl.Float64},
    )
    fit = Fit(segments, NOTHING, np.zeros((0, 0)), NOTHING)
    truth = ItemTruth(np.array([0.0, 1.0, 2.0, 50.0, 51.0, 55.0]), np.full(6, 3), np.zeros(6))

    found = segment_closeness(fit, crowd, truth, over=np.ones(6, dtype=np.bool_), has_intervals=False)

    # Truths less 1 and 52, scores less 12 and 1, and 0 for the one that is missing.
    left, right = [-1, 0, 1, -2, -1, 3], [-2, -1, 3, -1, 1, 0]
    assert found.r_within == pytest.approx(np.corrcoef(left, right)[0, 1])


def test_only_marked_items_are_correlated(four: Judged) -> None:
    over = np.array([True, True, True, False])

    found = segment_closeness(
        _fit({"0": 0.0, "1": 1.0, "2": 2.0, "3": -50.0}),
        four,
        _truth(0, 1, 2, 3),
        over=over,
        has_intervals=False,
    )

    assert found.r["segments"] == pytest.approx(1.0)
    assert found.n_points == 3


def test_coverage_by_hand(four: Judged) -> None:
    # sqrt(.3² + .16) = .5, so truths up to 1.645 x .5 = .8225 away are covered: .8 and 0, not .83 and 2.
    fit = _fit({"0": 0.8, "1": 1.0, "2": 2.83, "3": 5.0}, sd=0.3)

    found = segment_closeness(fit, four, _truth(0, 1, 2, 3, variance=0.16), over=ALL, has_intervals=True)

    assert found.coverage == 0.5


def test_an_item_without_score_is_neither_covered_nor_missed(four: Judged) -> None:
    fit = _fit({"0": 0.0, "1": 1.0, "2": 2.0}, sd=0.1)

    found = segment_closeness(fit, four, _truth(0, 1, 2, 3), over=ALL, has_intervals=True)

    assert found.coverage == 1.0


def test_nothing_is_covered_where_the_truth_has_other_units(four: Judged) -> None:
    gold = ItemTruth(np.arange(4.0), np.full(4, 3), np.zeros(4), is_standardised=False)

    found = segment_closeness(
        _fit({"0": 0.0, "1": 1.0, "2": 2.0}, sd=0.1), four, gold, over=ALL, has_intervals=True
    )

    assert np.isnan(found.coverage)


def test_systems_are_correlated_by_name() -> None:
    truth = _systems({"A": 1.0, "B": 2.0, "C": 3.0})

    found = system_closeness(_systems({"C": 9.0, "B": 5.0, "A": 1.0, "new": 70.0}), truth)

    assert found.r["systems"] == pytest.approx(1.0)
    assert found.n_points == 3


def test_cells_are_correlated_over_all_and_within_attributes() -> None:
    truths = {"fluent": _systems({"A": 0.0, "B": 1.0, "C": 2.0}), "true": _systems({"A": 5, "B": 6, "C": 7})}
    fits = {"fluent": _systems({"A": 0.0, "B": 1.0, "C": 2.0}), "true": _systems({"A": 7, "B": 6, "C": 5})}

    found = cell_closeness(fits, truths)

    # Within: +1 and -1. Over all: 0 1 2 5 6 7 against 0 1 2 7 6 5.
    assert found.r["cells_within"] == pytest.approx(0.0)
    assert found.r["cells"] == pytest.approx(np.corrcoef([0, 1, 2, 5, 6, 7], [0, 1, 2, 7, 6, 5])[0, 1])


def test_an_attribute_that_was_not_scored_has_no_correlation_within() -> None:
    truth = _systems({"A": 0.0, "B": 1.0, "C": 2.0})

    found = cell_closeness({"fluent": truth}, {"fluent": truth, "true": truth})

    assert np.isnan(found.r["cells_within"])
    assert found.scored == 0.5
