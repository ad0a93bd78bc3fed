"""From p-values to what a ranking claims."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation import methods
from steelyard.domain.result import AnalysisSettings, Fit, InferenceUnits, MethodSettings
from steelyard.flows.ranking import (
    coarse_draws,
    contrary_pairs,
    pair_test,
    ranked_systems,
    system_pairs,
    untested_pairs,
)
from steelyard.flows.recipes import wmt_settings

NAN = np.nan
# Three tests: two-sided .036, .07 and .4; after Holm .108, .14 and .4.
P_VALUES = np.array([[NAN, 0.035, 0.018], [0.965, NAN, 0.2], [0.982, 0.8, NAN]])
TWO_SIDED = AnalysisSettings(correction="none")
ONE_SIDED = replace(TWO_SIDED, one_sided=True)


def _fit(p_values: np.ndarray, units: InferenceUnits | None = None) -> Fit:
    numbers = ("score", "lower", "upper", "mean_rating", "n_segments", "n_judgements")
    systems = pl.DataFrame({"system_id": ["a", "b", "c"], **dict.fromkeys(numbers, 0.0)})
    return Fit(
        segments=pl.DataFrame(), systems=systems, p_values=p_values, workers=pl.DataFrame(), units=units
    )


@pytest.mark.parametrize(
    ("settings", "ranges", "wins"),
    [
        (AnalysisSettings(), [(1, 3), (1, 3), (1, 3)], [0, 0, 0]),
        (TWO_SIDED, [(1, 2), (1, 3), (2, 3)], [1, 0, 0]),
        (ONE_SIDED, [(1, 1), (2, 3), (2, 3)], [2, 0, 0]),
    ],
    ids=["holm", "two-sided", "one-sided"],
)
def test_claims_rest_on_the_p_value_that_decides(
    settings: AnalysisSettings, ranges: list[tuple[int, int]], wins: list[int]
) -> None:
    found = ranked_systems(_fit(P_VALUES), settings)

    assert found.select("rank_low", "rank_high").rows() == ranges
    assert found["wins"].to_list() == wins


def test_only_the_better_of_two_is_claimed_to_be_so() -> None:
    sure = np.array([[NAN, 1e-9, 1e-9], [1 - 1e-9, NAN, 1e-9], [1 - 1e-9, 1 - 1e-9, NAN]])

    found = ranked_systems(_fit(sure), AnalysisSettings())

    assert found["wins"].to_list() == [2, 1, 0]
    assert found["cluster"].to_list() == [1, 2, 3]


def test_a_claim_against_the_order_of_scores_is_a_warning() -> None:
    # The fit has a, b and c in the order of their scores; c beats b for sure, and a only by a hair.
    against = np.array([[NAN, 0.5, 0.6], [0.5, NAN, 1 - 1e-6], [0.4, 1e-6, NAN]])

    (warning,) = contrary_pairs(_fit(against), AnalysisSettings())

    assert "better than others with a higher score (c over b)" in warning
    assert contrary_pairs(_fit(P_VALUES), ONE_SIDED) == ()


def test_pairs_have_one_two_sided_p_value_for_both_directions() -> None:
    pairs = system_pairs(_fit(P_VALUES)).filter(pl.col("better").is_in(["a", "c"]))

    of_two = pairs.filter(pl.col("worse").is_in(["a", "c"]))
    assert of_two["p_value"].to_list() == [0.018, 0.982]
    assert of_two["p_two_sided"].to_list() == pytest.approx([0.036] * 2)
    assert of_two["p_holm"].to_list() == pytest.approx([0.108] * 2)


@pytest.mark.parametrize(
    ("settings", "deciding"),
    [
        (AnalysisSettings(), "p_holm"),
        (TWO_SIDED, "p_two_sided"),
        (ONE_SIDED, "p_value"),
        (wmt_settings(AnalysisSettings()), "p_value"),
    ],
)
def test_the_test_says_which_p_value_decides(settings: AnalysisSettings, deciding: str) -> None:
    assert pair_test(_fit(P_VALUES), methods()["mean-z"], settings).deciding == deciding


@pytest.mark.parametrize(
    ("method", "name"), [("mean-z", "rank-sum"), ("bradley-terry", "errors"), ("trueskill", "draws")]
)
def test_a_method_with_a_test_of_its_own_names_that(method: str, name: str) -> None:
    settings = AnalysisSettings(method_settings=MethodSettings(test="rank-sum"))

    assert pair_test(_fit(P_VALUES), methods()[method], settings).name == name


def test_a_single_worker_is_why_nothing_was_tested() -> None:
    (warning,) = untested_pairs(_fit(np.full((3, 3), NAN), InferenceUnits(1, 20, documents_known=True)))

    assert warning.startswith("3 of 3 pairs of systems could not be tested")
    assert "all judgements are of one worker, and nothing follows about others" in warning


def test_a_single_document_is_why_nothing_was_tested() -> None:
    (warning,) = untested_pairs(_fit(np.full((3, 3), NAN), InferenceUnits(9, 1, documents_known=True)))

    assert "all judgements are of one document" in warning


@pytest.mark.parametrize(("draws", "n_warnings"), [(100, 1), (120, 0)])
def test_too_few_draws_to_claim_anything_are_mentioned(draws: int, n_warnings: int) -> None:
    # Three pairs: 2 x 3 / (1 + draws) must be below .05.
    settings = AnalysisSettings(method="trueskill", method_settings=MethodSettings(draws=draws))
    p_values = np.where(np.isnan(P_VALUES), NAN, np.where(P_VALUES < 0.5, 1 / (1 + draws), 1.0))
    fit = _fit(p_values)

    found = coarse_draws(fit, pair_test(fit, methods()["trueskill"], settings), settings)

    assert len(found) == n_warnings
    assert all("Ask for 120 draws or more" in warning for warning in found)
