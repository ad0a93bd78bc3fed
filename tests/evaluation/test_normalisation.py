from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from steelyard.domain.errors import ChoiceError
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.domain.scale import Scale
from steelyard.evaluation.normalisation.fits import HeldOut, held_out
from steelyard.evaluation.normalisation.settings import USUAL_METHODS, Normalisation, NormalisationSettings
from steelyard.evaluation.normalisation.study import (
    NormalisationStudy,
    fit_all,
    normalise_frame,
    ready_normalisation,
)

Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
FOUR_POINTS = AnalysisSettings(method_settings=MethodSettings(scale=Scale(1, 4), minimum_ratings=2))
SETTINGS = NormalisationSettings(random_workers=False, analysis=FOUR_POINTS)
QUICK = replace(SETTINGS, methods=("two-stage",), folds=3)
# The expert says 1, 2, 3, 4. Ann says the same, Bob a point more as far as he can, Cat the reverse.
GOLD = (1.0, 2.0, 3.0, 4.0)
GIVEN = {"ann": (1.0, 2.0, 3.0, 4.0), "bob": (2.0, 3.0, 4.0, 4.0), "cat": (4.0, 3.0, 2.0, 1.0)}


@pytest.fixture(scope="module")
def three(ratings: Ratings) -> pl.DataFrame:
    """Three workers who each judge four translations, all of them gold."""
    return ratings(
        (worker, "S", f"s{t}", rating, "regular", "", GOLD[t])
        for worker, given in GIVEN.items()
        for t, rating in enumerate(given)
    )


@pytest.fixture(scope="module")
def study(three: pl.DataFrame) -> NormalisationStudy:
    return ready_normalisation(three, SETTINGS)


@pytest.fixture(scope="module")
def found(three: pl.DataFrame) -> Normalisation:
    return normalise_frame(three, SETTINGS)


@pytest.fixture(scope="module")
def crowd(ratings: Ratings) -> pl.DataFrame:
    """Twelve workers of all sorts judge forty translations on four points; every other one is gold."""
    rng = np.random.default_rng(8)
    quality = rng.uniform(1, 4, 40)
    rows = []
    for w in range(12):
        offset, noise = rng.normal(0, 0.6), rng.uniform(0.2, 1.5)
        for t in range(40):
            given = float(np.clip(np.rint(quality[t] + offset + rng.normal(0, noise)), 1, 4))
            gold = float(np.rint(quality[t])) if t % 2 else None
            rows.append((f"w{w:02}", f"S{t % 4}", f"s{t // 4}", given, "regular", "", gold))
    return ratings(rows)


@pytest.fixture(scope="module")
def complete(ratings: Ratings) -> pl.DataFrame:
    """Six workers, harsh and generous, judge the same ten translations, all gold."""
    rng = np.random.default_rng(4)
    quality = rng.uniform(1, 4, 10)
    given = np.clip(np.rint(quality + rng.normal(0, 0.6, (6, 1)) + rng.normal(0, 1, (6, 10))), 1, 4)
    return ratings(
        (f"w{w}", "S", f"s{t}", given[w, t], "regular", "", float(np.rint(quality[t])))
        for w in range(6)
        for t in range(10)
    )


def _row(found: Normalisation, method: str) -> dict[str, Any]:
    return found.rows.filter(method=method).row(0, named=True)


def _held_out(study: NormalisationStudy, method: str) -> HeldOut:
    (fit,) = (fit for fit in fit_all(study) if fit.entry.name == method)
    return held_out(fit, study.gold, study.asked, folds=study.folds)


def test_the_usual_methods_are_compared_in_the_order_of_the_paper(found: Normalisation) -> None:
    assert found.rows["method"].to_list() == list(USUAL_METHODS)


def test_the_straight_average_is_held_against_the_expert(found: Normalisation) -> None:
    # Means 7/3, 8/3, 3, 3: 4/3, 2/3, 0 and 1 from the expert. Rounded 2, 3, 3, 3: one is right.
    row = _row(found, "mean-rating")

    assert row["retained"] == 12
    # In twelfths, the means deviate by -5, -1, 3, 3; the expert by -1.5, -0.5, 0.5, 1.5.
    assert row["r"] == pytest.approx(14 / sqrt(44 * 5))
    # Ranks 1, 2, 3.5, 3.5 and 1, 2, 3, 4: deviations -1.5, -0.5, 1, 1.
    assert row["rho"] == pytest.approx((1.5**2 + 0.5**2 + 0.5 + 1.5) / sqrt((1.5**2 + 0.5**2 + 1 + 1) * 5))
    assert row["delta"] == pytest.approx((4 / 3 + 2 / 3 + 0 + 1) / 4)
    assert row["agreement"] == pytest.approx(1 / 4)
    assert row["kappa"] == pytest.approx(0.0)


def test_agreement_among_workers_is_over_all_pairs_of_a_translation(found: Normalisation) -> None:
    # Three pairs each: (1, 2, 4) none, (2, 3, 3) one, (3, 4, 2) none, (4, 4, 1) one agrees.
    row = _row(found, "mean-rating")

    assert row["worker_agreement"] == pytest.approx(2 / 12)
    assert row["worker_kappa"] == pytest.approx((2 / 12 - 1 / 4) / (1 - 1 / 4))


def test_only_judgements_with_a_vote_are_retained(found: Normalisation) -> None:
    # Cat never agrees with the expert: the pairs of Ann and Bob are left, of which one of four agrees.
    row = _row(found, "weighted-vote")

    assert row["retained"] == 8
    assert row["worker_agreement"] == pytest.approx(1 / 4)


def test_two_stages_correct_bob_and_drop_cat(found: Normalisation) -> None:
    # Bob is shifted by -3/4 and then 3/8 off on average: K_Delta = 1 - 0.375 / 1.25 = 0.7. Cat is 2 off: out.
    row = _row(found, "two-stage")

    assert row["retained"] == 8
    # Ann is right; Bob, at 1.25, 2.25, 3.25, 3.25, pulls scores a share of 0.7 / 1.7 of his way.
    assert row["delta"] == pytest.approx(0.7 / 1.7 * (0.25 + 0.25 + 0.25 + 0.75) / 4)
    assert row["agreement"] == 1.0
    assert row["kappa"] == 1.0


@pytest.mark.parametrize("method", ["scaling", "two-stage", "mean-z", "worker-model"])
def test_workers_do_not_agree_in_points_once_ratings_are_no_points(method: str, found: Normalisation) -> None:
    assert _row(found, method)["worker_agreement"] is None
    assert _row(found, method)["worker_kappa"] is None


@pytest.mark.parametrize("method", ["mean-z", "worker-model"])
@pytest.mark.parametrize("figure", ["delta", "agreement", "kappa", "held_out_delta", "held_out_kappa"])
def test_scores_that_are_not_in_points_are_correlated_only(
    method: str, figure: str, found: Normalisation
) -> None:
    assert _row(found, method)[figure] is None
    assert _row(found, method)["r"] is not None


def test_removed_judgements_are_not_retained(found: Normalisation) -> None:
    # Distances from the means 7/3, 8/3, 3, 3: 4/3 1/3 5/3; 2/3 1/3 1/3; 0 1 1; 1 1 2. Below 1 a threshold
    # leaves nothing of s3; 1 leaves 0 + 3 + 3 + 1 pairs, of which 2 agree; a higher one more, none better.
    row = _row(found, "remove-judgements")

    # s0: 2; s1: 2, 3, 3; s2: 3, 4, 2; s3: 4, 4.
    assert row["retained"] == 9
    assert row["worker_agreement"] == pytest.approx(2 / 7)


@pytest.mark.parametrize(
    ("method", "uses_gold"),
    [
        *((name, False) for name in ("mean-rating", "remove-judges", "remove-judgements", "mean-z")),
        *((name, True) for name in ("weighted-vote", "scaling", "two-stage")),
        ("worker-model", False),
    ],
)
def test_it_is_told_which_methods_use_gold(method: str, uses_gold: bool, found: Normalisation) -> None:
    assert _row(found, method)["uses_gold"] is uses_gold


def test_votes_by_agreement_with_others_use_no_gold(three: pl.DataFrame) -> None:
    method = replace(FOUR_POINTS.method_settings, for_others=(("vote_by", "others"),))
    settings = replace(SETTINGS, analysis=replace(FOUR_POINTS, method_settings=method))

    found = normalise_frame(three, replace(settings, methods=("weighted-vote",)))

    assert _row(found, "weighted-vote")["uses_gold"] is False


def test_methods_without_gold_have_the_same_figures_held_out(found: Normalisation) -> None:
    rows = found.rows.filter(~pl.col("uses_gold"))

    for name in ("n_scored", "n_unscored", "r", "rho", "delta", "agreement", "kappa"):
        assert rows[f"held_out_{name}"].to_list() == rows[name].to_list()


def test_few_gold_translations_are_left_out_one_by_one(study: NormalisationStudy) -> None:
    # Without s0: Bob is off by 1, 1, 0 and shifted by -2/3: 1/3, 1/3, 2/3 off. Cat would be shifted by 1 and
    # then be off by 2, 0, 2: more than chance.
    score = _held_out(study, "two-stage").score

    weight = 1 - (4 / 9) / 1.25
    assert len(study.folds) == 4
    assert score[0] == pytest.approx((1 + weight * (2 - 2 / 3)) / (1 + weight))


@pytest.mark.parametrize("method", ["weighted-vote", "scaling", "two-stage"])
def test_a_held_out_score_does_not_depend_on_the_gold_of_its_translation(
    method: str, crowd: pl.DataFrame
) -> None:
    settings = replace(QUICK, methods=(method,))
    is_first = (pl.col("system_id") == "S1") & (pl.col("segment_id") == "s0")
    changed = crowd.with_columns(known=pl.when(is_first).then(5 - pl.col("known")).otherwise("known"))
    before, after = ready_normalisation(crowd, settings), ready_normalisation(changed, settings)
    (place,) = np.flatnonzero(before.gold.is_gold & (before.gold.gold != after.gold.gold))

    first, second = (_held_out(study, method).score for study in (before, after))

    assert first[place] == second[place]
    assert not np.array_equal(first, second, equal_nan=True)


def test_knowing_the_gold_flatters_a_method_that_uses_it(crowd: pl.DataFrame) -> None:
    # In r, because workers who happened to agree with the expert weigh more; a level changes nothing there.
    row = _row(normalise_frame(crowd, QUICK), "two-stage")

    assert row["held_out_delta"] > row["delta"]
    assert row["held_out_r"] < row["r"]


@pytest.mark.parametrize("folds", [3, 10])
def test_shifting_everybody_alike_changes_no_held_out_order(folds: int, complete: pl.DataFrame) -> None:
    # If all judge all gold, scaling adds the same to every translation: the straight average and a constant,
    # another one for each fold.
    found = normalise_frame(complete, replace(SETTINGS, methods=("scaling",), folds=folds))

    straight, scaled = _row(found, "mean-rating"), _row(found, "scaling")
    assert scaled["held_out_r"] == pytest.approx(straight["held_out_r"], abs=1e-12)
    assert scaled["held_out_rho"] == pytest.approx(straight["held_out_rho"], abs=1e-12)
    assert scaled["difference"] == scaled["lower"] == scaled["upper"] == 0
    assert found.conclusion.startswith("No method came closer to the expert than the straight average")


def test_held_out_distances_are_of_scores_on_the_level_of_their_own_fit(complete: pl.DataFrame) -> None:
    # Left out alone, a translation is shifted by what the other nine are off from their gold on average.
    found = normalise_frame(complete, replace(SETTINGS, methods=("scaling",), folds=10))

    table = complete.group_by("segment_id").agg(pl.col("rating").mean(), pl.col("known").first())
    off = (table["known"] - table["rating"]).to_numpy()
    left_out = off - (off.sum() - off) / 9
    assert _row(found, "scaling")["held_out_delta"] == pytest.approx(np.abs(left_out).mean())


def test_fits_are_levelled_in_each_attribute(complete: pl.DataFrame) -> None:
    # The gold of fluency is the reverse: what is hidden moves the level of one attribute up, the other down.
    fluency = complete.with_columns(attribute=pl.lit("fluency"), known=5 - pl.col("known"))
    both = pl.concat([complete.with_columns(attribute=pl.lit("adequacy")), fluency])
    # Ten folds of one: every level is there once without each translation, and on average that with all.
    row = _row(normalise_frame(both, replace(SETTINGS, methods=("scaling",), folds=10)), "scaling")

    assert row["held_out_r"] == pytest.approx(row["r"], abs=1e-12)


def test_the_lower_end_that_is_sure_allows_for_all_methods(crowd: pl.DataFrame) -> None:
    alone = _row(normalise_frame(crowd, QUICK), "two-stage")
    beside = _row(
        normalise_frame(crowd, replace(QUICK, methods=("two-stage", "scaling", "mean-z"))), "two-stage"
    )

    assert alone["sure_lower"] == alone["lower"] == beside["lower"]
    assert beside["sure_lower"] < beside["lower"]


def test_the_difference_is_that_of_the_held_out_correlations(crowd: pl.DataFrame) -> None:
    found = normalise_frame(crowd, QUICK)
    straight, other = _row(found, "mean-rating"), _row(found, "two-stage")

    assert other["difference"] == pytest.approx(other["held_out_r"] - straight["held_out_r"])
    assert other["lower"] < other["difference"] < other["upper"]
    assert straight["difference"] is straight["lower"] is straight["upper"] is None


def test_the_order_of_rows_does_not_matter(crowd: pl.DataFrame) -> None:
    settings = replace(QUICK, methods=("remove-judges", "remove-judgements", "two-stage", "mean-z"))
    first = normalise_frame(crowd, settings)

    second = normalise_frame(crowd.sample(fraction=1.0, shuffle=True, seed=3), settings)

    assert_frame_equal(second.rows, first.rows, rel_tol=1e-9)


def test_the_same_seed_gives_the_same_answer_and_another_one_other_folds(crowd: pl.DataFrame) -> None:
    other = replace(QUICK, analysis=replace(FOUR_POINTS, seed=8))

    first, again = normalise_frame(crowd, QUICK), normalise_frame(crowd, QUICK)

    assert first.rows.equals(again.rows)
    assert not first.rows.equals(normalise_frame(crowd, other).rows)


def test_the_judgements_are_left_alone(crowd: pl.DataFrame) -> None:
    before = crowd.clone()

    normalise_frame(crowd, replace(QUICK, random_workers=True))

    assert crowd.equals(before)


def test_each_attribute_of_a_translation_has_a_gold_of_its_own(three: pl.DataFrame) -> None:
    # In fluency everything is the other way round, and nothing of it is gold but s0, which is 4.
    fluency = three.with_columns(
        attribute=pl.lit("fluency"),
        rating=5 - pl.col("rating"),
        known=pl.when(pl.col("segment_id") == "s0").then(4.0),
    )
    both = pl.concat([three.with_columns(attribute=pl.lit("adequacy")), fluency])

    row = _row(normalise_frame(both, QUICK), "mean-rating")

    # The mean of s0 is 5 - 7/3, which is 4/3 from 4.
    assert row["n_scored"] == 5
    assert row["delta"] == pytest.approx((4 / 3 + 2 / 3 + 0 + 1 + 4 / 3) / 5)
    assert row["retained"] == 24


def test_a_gold_translation_without_score_is_counted_and_nothing_else(three: pl.DataFrame) -> None:
    # Only Cat judges s4, and Cat has no vote.
    extra = three.filter(worker_id="cat", segment_id="s0").with_columns(
        segment_id=pl.lit("s4"), known=pl.lit(1.0)
    )

    found = normalise_frame(pl.concat([three, extra]), replace(SETTINGS, methods=("two-stage",)))

    row = _row(found, "two-stage")
    assert (row["n_scored"], row["n_unscored"]) == (4, 1)
    assert row["delta"] == pytest.approx(0.7 / 1.7 * 0.375)
    assert "two-stage leaves 1 of 5 gold translations without score." in found.warnings


def test_a_method_without_answer_says_why(three: pl.DataFrame) -> None:
    strict = replace(FOUR_POINTS, method_settings=MethodSettings(scale=Scale(1, 4), minimum_ratings=10))

    found = normalise_frame(three, replace(SETTINGS, methods=("mean-z",), analysis=strict))

    row = _row(found, "mean-z")
    assert row["r"] is row["retained"] is row["held_out_r"] is row["uses_gold"] is None
    assert any(
        warning.startswith("mean-z has no answer (mean-z: no worker has given 10")
        for warning in found.warnings
    )


def test_few_gold_translations_are_warned_of(found: Normalisation) -> None:
    assert any(warning.startswith("The expert rated 4 translations only") for warning in found.warnings)


def test_an_expert_who_always_says_the_same_is_warned_of(three: pl.DataFrame) -> None:
    found = normalise_frame(three.with_columns(known=pl.lit(3.0)), replace(SETTINGS, methods=("scaling",)))

    assert found.rows["r"].null_count() == 2
    assert any("same rating, so nothing correlates" in warning for warning in found.warnings)
    assert found.conclusion == "There was nothing to compare the straight average with."


def test_scores_nearly_all_the_same_are_warned_of(ratings: Ratings) -> None:
    rows = [
        (f"w{w}", "S", f"s{t:02}", 2.0 if t == 0 else 3.0, "regular", "", float(2 + t % 3))
        for w in range(3)
        for t in range(12)
    ]

    found = normalise_frame(ratings(rows), replace(SETTINGS, methods=("remove-judges",)))

    assert any(
        warning.startswith("The straight average gives 91 % of the translations a score that rounds to 3")
        for warning in found.warnings
    )
    # The method says so itself.
    assert any(warning.startswith("remove-judges: 91 % of the scores are 3") for warning in found.warnings)


def test_what_several_methods_warn_of_is_said_once(found: Normalisation) -> None:
    (warning,) = (text for text in found.warnings if "There are only 4 gold items" in text)

    assert warning.startswith("weighted-vote, scaling, two-stage: ")


def test_the_straight_average_is_always_there(three: pl.DataFrame) -> None:
    found = normalise_frame(three, replace(SETTINGS, methods=("two-stage",)))

    assert found.settings.methods == ("mean-rating", "two-stage")
    assert found.rows["method"].to_list() == ["mean-rating", "two-stage"]


def test_an_unknown_method_is_refused(three: pl.DataFrame) -> None:
    with pytest.raises(ChoiceError, match="There is no method 'mode'"):
        normalise_frame(three, replace(SETTINGS, methods=("mode",)))


def test_gold_cannot_be_held_out_in_one_piece() -> None:
    with pytest.raises(ChoiceError, match="folds must be at least 2"):
        NormalisationSettings(folds=1)


def test_gold_that_seems_to_be_on_another_scale_is_told(crowd: pl.DataFrame) -> None:
    # The lower half of ten points, where workers used all of them.
    rescaled = crowd.with_columns(pl.col("rating") * 2.5, pl.col("known"))
    settings = replace(QUICK, analysis=AnalysisSettings(method_settings=MethodSettings(scale=Scale(0, 10))))

    warnings = normalise_frame(rescaled, settings).warnings

    assert any("nothing above 4 on a scale from 0 to 10" in warning for warning in warnings)
    assert not any("nothing above" in warning for warning in normalise_frame(crowd, QUICK).warnings)


def test_gold_that_goes_the_other_way_is_told(crowd: pl.DataFrame) -> None:
    warnings = normalise_frame(crowd.with_columns(known=5 - pl.col("known")), QUICK).warnings

    assert any("runs against the expert" in warning for warning in warnings)
    assert not any("runs against" in warning for warning in normalise_frame(crowd, QUICK).warnings)
