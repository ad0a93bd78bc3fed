from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.aggregation.mean_z import METHOD
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.evaluation.judged import judged
from steelyard.evaluation.settings import EvaluationSettings, TruthName
from steelyard.evaluation.trial import Trial, each_trial
from steelyard.evaluation.truth import gold_truth, item_truth

Ratings = Callable[..., pl.DataFrame]


def test_the_truth_of_two_workers_by_hand(ratings: Ratings) -> None:
    # u: mean 20, deviation 10, so z -1, 0, 1; v: mean 60, deviation 20, so z 0, -1, 1.
    rows = [("u", "A", "1", 10), ("u", "A", "2", 20), ("u", "A", "3", 30)]
    rows += [("v", "A", "1", 60), ("v", "A", "2", 40), ("v", "A", "3", 80)]
    crowd = judged(ratings(rows))

    truth = item_truth(crowd, np.ones(6, dtype=np.bool_))

    assert truth.value.tolist() == pytest.approx([-0.5, -0.5, 1.0])
    assert truth.n.tolist() == [2, 2, 2]
    # Squared distances from the mean .25 + .25, by n - 1 = 1 and n = 2.
    assert truth.variance.tolist() == pytest.approx([0.25, 0.25, 0.0])


def test_a_worker_with_a_repeat_counts_once(ratings: Ratings) -> None:
    # u: 0, 10, 20 with z -1, 0, 1, of which -1 and 1 are of item 1; v: z -.707 and .707.
    rows = [("u", "A", "1", 0), ("u", "A", "2", 10), ("u", "A", "1", 20, "repeat")]
    rows += [("v", "A", "1", 50), ("v", "A", "2", 60)]
    crowd = judged(ratings(rows))

    truth = item_truth(crowd, np.ones(5, dtype=np.bool_))

    assert truth.value.tolist() == pytest.approx([-(0.5**0.5) / 2, 0.5**0.5 / 2])
    assert truth.n.tolist() == [2, 2]


def test_controls_tell_a_workers_mean_but_are_no_truth(ratings: Ratings) -> None:
    # Mean 20 and deviation 10 over all three kinds.
    rows = [("u", "A", "1", 20), ("u", "A", "1", 10, "degraded"), ("u", "A", "1", 30, "reference")]
    crowd = judged(ratings(rows))

    truth = item_truth(crowd, np.ones(3, dtype=np.bool_))

    assert truth.value.tolist() == [0.0]
    assert truth.n.tolist() == [1]


def test_without_repeats_the_truth_is_what_mean_z_says(noisy: pl.DataFrame) -> None:
    crowd = judged(noisy)
    as_in_trials = MethodSettings(draws=0, minimum_ratings=2)

    truth = item_truth(crowd, np.ones(len(noisy), dtype=np.bool_))

    segments = METHOD.fit(noisy, as_in_trials, np.random.default_rng(0)).segments
    joined = crowd.items.join(segments, on=["system_id", "segment_id"], maintain_order="left")
    np.testing.assert_allclose(truth.value, joined["score"], rtol=1e-12)
    np.testing.assert_allclose(truth.variance, joined["sd"] ** 2 / joined["n"], rtol=1e-12)


def test_a_worker_who_cannot_be_standardised_is_no_truth(ratings: Ratings) -> None:
    rows = [("u", "A", "1", 10), ("u", "A", "2", 30), ("same", "A", "1", 50), ("same", "A", "2", 50)]
    crowd = judged(ratings(rows))

    truth = item_truth(crowd, np.ones(4, dtype=np.bool_))

    assert truth.n.tolist() == [1, 1]


def test_gold_is_the_truth_of_items_that_have_it(ratings: Ratings) -> None:
    crowd = judged(ratings([("u", "A", "1", 10, "regular", "", 4.0), ("u", "A", "2", 30)]))

    truth = gold_truth(crowd, least=3)

    np.testing.assert_array_equal(truth.value, [4.0, np.nan])
    assert truth.n.tolist() == [3, 0]
    assert not truth.is_standardised


def _with_drawn_reversed(frame: pl.DataFrame, asked: EvaluationSettings, number: int) -> tuple[Trial, Trial]:
    """A trial, and the same one if all ratings drawn for it had been the opposite."""
    crowd = judged(frame)
    trial = next(each_trial(crowd, asked, number, checks=False))
    keys = ["worker_id", "system_id", "segment_id", "item_kind"]
    reversed_ = trial.frame.select(*keys, rating=100 - pl.col("rating"))
    changed = judged(crowd.frame.update(reversed_, on=keys))
    assert not changed.frame["rating"].equals(crowd.frame["rating"])
    return trial, next(each_trial(changed, asked, number, checks=False))


@settings(max_examples=15)
@given(number=st.integers(0, 1000), drawn=st.integers(1, 5))
@pytest.mark.parametrize("name", ["others", "passing", "rest"])
def test_the_truth_does_not_move_whatever_the_drawn_ratings_are(
    noisy: pl.DataFrame, name: TruthName, number: int, drawn: int
) -> None:
    asked = EvaluationSettings(truth=name, ratings=(drawn,))

    trial, other = _with_drawn_reversed(noisy, asked, number)

    np.testing.assert_array_equal(trial.truth.value, other.truth.value)
    assert trial.over.tolist() == other.over.tolist()


def test_the_published_truth_moves_with_the_drawn_ratings(noisy: pl.DataFrame) -> None:
    asked = EvaluationSettings(truth="all", ratings=(2,), analysis=AnalysisSettings(check="none"))

    trial, other = _with_drawn_reversed(noisy, asked, 1)

    assert (trial.truth.value != other.truth.value).all()


def test_no_method_sees_what_is_known_beforehand(exact: pl.DataFrame) -> None:
    asked = EvaluationSettings(truth="gold", ratings=(2,))

    trial = next(each_trial(judged(exact), asked, 0, checks=False))

    assert exact["known"].null_count() == 0
    assert trial.frame["known"].null_count() == len(trial.frame)
