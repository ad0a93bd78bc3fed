from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from steelyard.evaluation.normalisation.conclusion import normalisation_conclusion
from steelyard.evaluation.normalisation.figures import DRAWS, gold_figures, paired_difference
from steelyard.evaluation.normalisation.study import ROWS_SCHEMA
from steelyard.stats.correlation import pearson
from steelyard.stats.gold import RatingPoints

FOUR, LINE = RatingPoints(1, 4, 4), RatingPoints(0, 100)
GOLD = np.array([1.0, 2.0, np.nan, 4.0])


def test_halves_round_up_and_scores_beyond_the_ends_count_as_the_ends() -> None:
    # 1.5 becomes 2, 1.49 becomes 1, 4.9 becomes 4: two of three are the gold.
    figures = gold_figures(np.array([1.5, 2.49, 3.0, 4.9]), GOLD, FOUR)

    assert figures.agreement == pytest.approx(2 / 3)
    assert figures.kappa == pytest.approx((2 / 3 - 1 / 4) / (3 / 4))


def test_distance_is_that_of_scores_as_they_are() -> None:
    figures = gold_figures(np.array([1.5, 2.49, 3.0, 4.9]), GOLD, FOUR)

    assert figures.delta == pytest.approx((0.5 + 0.49 + 0.9) / 3)


def test_on_a_line_agreement_is_over_fifths() -> None:
    # Fifths 1, 1, 3 against 1, 2, 3.
    figures = gold_figures(np.array([5.0, 19.9, 41.0]), np.array([19.0, 20.0, 59.9]), LINE)

    assert figures.agreement == pytest.approx(2 / 3)
    assert figures.kappa == pytest.approx((2 / 3 - 1 / 5) / (4 / 5))


def test_cells_without_score_are_counted_and_left_out() -> None:
    figures = gold_figures(np.array([1.0, np.nan, 2.0, 3.0]), GOLD, FOUR)

    assert (figures.n_scored, figures.n_unscored) == (2, 1)
    assert figures.delta == pytest.approx((0 + 1) / 2)
    # Two points always lie on a line.
    assert figures.r is None


def test_scores_in_no_points_have_correlations_only() -> None:
    figures = gold_figures(np.array([-1.0, 0.2, 0.0, 1.0]), GOLD, None)

    assert figures.rho == pytest.approx(1.0)
    assert figures.delta is figures.agreement is figures.kappa is None


def test_scores_that_differ_by_rounding_are_tied_in_an_order() -> None:
    figures = gold_figures(np.array([0.1 + 0.2, 0.3, 0.5]), np.array([1.0, 2.0, 3.0]), None)

    # Ranks 1.5, 1.5, 3 and 1, 2, 3.
    assert figures.rho == pytest.approx(1.5 / np.sqrt(1.5 * 2))


def test_constant_scores_do_not_correlate() -> None:
    figures = gold_figures(np.full(4, 3.0), GOLD, FOUR)

    assert figures.r is figures.rho is None
    assert figures.delta == pytest.approx((2 + 1 + 1) / 3)


def test_other_numbers_may_be_correlated_in_place_of_the_scores() -> None:
    gold, score = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 1.0])

    figures = gold_figures(score, gold, FOUR, correlated=np.array([5.0, 6.0, 7.0]))

    assert figures.r == pytest.approx(1.0)
    assert figures.rho == pytest.approx(1.0)
    # The scores themselves are 1, 0 and 2 off, and one is right.
    assert figures.delta == pytest.approx(1.0)
    assert figures.agreement == pytest.approx(1 / 3)


def test_a_paired_difference_is_what_a_slow_bootstrap_gives() -> None:
    rng = np.random.default_rng(2)
    gold = rng.normal(size=12)
    first, second = gold + rng.normal(size=12), gold + rng.normal(size=12)
    # Two cells of each item, which are drawn together.
    item = np.repeat(np.arange(6), 2)

    found = paired_difference(gold, (first, second), item=item, rng=np.random.default_rng(5), n_comparisons=7)

    drawn = []
    for taken in np.random.default_rng(5).integers(6, size=(DRAWS, 6)):
        cells = np.concatenate([np.flatnonzero(item == one) for one in taken])
        drawn.append(pearson(gold[cells], first[cells]) - pearson(gold[cells], second[cells]))
    assert found.difference == pytest.approx(pearson(gold, first) - pearson(gold, second))
    # One of seven intervals that hold together has a level of 1 - .05 / 7: half of that lies below it.
    np.testing.assert_allclose(
        [found.lower, found.upper, found.sure_lower],
        np.nanquantile(drawn, [0.025, 0.975, 0.025 / 7]),
        rtol=1e-9,
    )


def test_a_single_comparison_needs_no_wider_interval() -> None:
    gold = np.arange(20.0)
    scores = np.random.default_rng(1).normal(size=(2, 20))

    found = paired_difference(gold, (scores[0], scores[1]), item=np.arange(20), rng=np.random.default_rng(5))

    assert found.sure_lower == found.lower


def test_a_method_does_not_differ_from_itself() -> None:
    score = np.random.default_rng(1).normal(size=20)

    found = paired_difference(
        np.arange(20.0), (score, score), item=np.arange(20), rng=np.random.default_rng(5)
    )

    assert found == (0.0, 0.0, 0.0, 0.0)


def test_only_cells_that_both_score_are_compared() -> None:
    gold, nan = np.array([1.0, 2.0, 3.0, 4.0, 9.0]), np.nan
    first, second = np.array([1.0, 3.0, 2.0, 4.0, nan]), np.array([nan, 1.0, 2.0, 4.0, 0.0])

    found = paired_difference(gold, (first, second), item=np.arange(5), rng=np.random.default_rng(5))

    common = slice(1, 4)
    assert found.difference == pytest.approx(
        pearson(gold[common], first[common]) - pearson(gold[common], second[common])
    )


def test_two_common_cells_are_too_few_to_compare() -> None:
    gold, nan = np.array([1.0, 2.0, 3.0]), np.nan

    found = paired_difference(
        gold, (gold, np.array([1.0, 2.0, nan])), item=np.arange(3), rng=np.random.default_rng(5)
    )

    assert np.isnan(found).all()


def _rows(
    *rows: tuple[str, float | None, int, tuple[float | None, float | None, float | None]],
    sure_lower: float | None = None,
) -> pl.DataFrame:
    """Rows of a study over 20 gold translations: method, held-out r, how many without score, difference.

    `sure_lower` of all methods alike; as `lower` if it is not given.
    """
    filled = [
        {
            "method": method,
            "uses_gold": method == "two-stage",
            "held_out_r": r,
            "held_out_n_scored": 20 - n_unscored,
            "held_out_n_unscored": n_unscored,
            **dict(zip(("difference", "lower", "upper"), difference, strict=True)),
            "sure_lower": difference[1] if sure_lower is None else sure_lower,
        }
        for method, r, n_unscored, difference in rows
    ]
    return pl.DataFrame(filled, schema=ROWS_SCHEMA)


STRAIGHT = ("mean-rating", 0.5, 0, (None, None, None))


def test_the_closest_method_is_told_with_its_gain() -> None:
    rows = _rows(STRAIGHT, ("mean-z", 0.55, 0, (0.05, 0.0, 0.1)), ("two-stage", 0.6, 0, (0.1, 0.02, 0.2)))

    assert normalisation_conclusion(rows) == (
        "two-stage came closest to the expert: r = 0.600 over 20 gold translations whose gold it did not "
        "know, +0.100 compared with the straight average (95 % interval +0.020 to +0.200)."
    )


def test_a_gain_whose_interval_reaches_0_may_be_chance() -> None:
    said = normalisation_conclusion(_rows(STRAIGHT, ("mean-z", 0.55, 0, (0.05, -0.01, 0.1))))

    assert said.startswith("mean-z came closest to the expert: r = 0.550 over 20 gold translations, +0.050")
    assert said.endswith("This may be chance.")


def test_the_best_of_several_may_be_chance_although_its_own_interval_leaves_0_out() -> None:
    others = (("mean-z", 0.55, 0, (0.05, 0.0, 0.1)), ("two-stage", 0.6, 0, (0.1, 0.02, 0.2)))

    said = normalisation_conclusion(_rows(STRAIGHT, *others, sure_lower=-0.01))

    assert said.endswith(
        "(95 % interval +0.020 to +0.200). The interval is that of one comparison, and this is the best of "
        "2. This may be chance."
    )


def test_the_straight_average_may_be_closest() -> None:
    assert normalisation_conclusion(_rows(STRAIGHT, ("mean-z", 0.5, 0, (0.0, -0.1, 0.1)))) == (
        "No method came closer to the expert than the straight average: its r is 0.500 over 20 gold "
        "translations."
    )


def test_a_method_that_leaves_many_translations_without_score_is_not_the_closest() -> None:
    # Three of twenty are more than a tenth.
    rows = _rows(STRAIGHT, ("two-stage", 0.9, 3, (0.4, 0.3, 0.5)), ("mean-z", 0.55, 2, (0.05, 0.01, 0.1)))

    assert normalisation_conclusion(rows).startswith("mean-z came closest")


def test_without_anything_to_compare_nothing_is_concluded() -> None:
    assert normalisation_conclusion(_rows(STRAIGHT, ("mean-z", None, 20, (None, None, None)))) == (
        "There was nothing to compare the straight average with."
    )
