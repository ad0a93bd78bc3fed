from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from steelyard.aggregation import methods
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.plugin import Method
from steelyard.domain.result import AnalysisSettings, Fit, MethodSettings
from steelyard.evaluation.comparison import Trials, evaluate_frame, ready_trials, run_trials
from steelyard.evaluation.entries import Entry
from steelyard.evaluation.settings import Evaluation, EvaluationSettings

Ratings = Callable[..., pl.DataFrame]
ROWS = (
    *("level", "ratings", "spam", "method", "draws", "n_items", "r", "r_se", "difference", "difference_se"),
    *("wins", "scored", "coverage", "r_within", "difference_within", "difference_within_se"),
)


def _evaluate(frame: pl.DataFrame, **choices: Any) -> Evaluation:
    return evaluate_frame(frame, EvaluationSettings(**{"draws": 3, "methods": ("mean-rating",), **choices}))


def _of(evaluation: Evaluation, method: str) -> dict[str, Any]:
    return evaluation.rows.row(by_predicate=pl.col("method") == method, named=True)


def _with(trials: Trials, name: str, fit: Callable[..., Fit]) -> Trials:
    """The trials with one more method."""
    method = Method(
        name=name,
        title="T",
        cite=(),
        reads=("ratings",),
        scale_free=True,
        fit=fit,
        weighs_workers=name.startswith("worker-model"),
        own_test="errors" if name.startswith("worker-model") else None,
    )
    named = replace(trials.settings, methods=(*trials.settings.methods, name))
    return replace(trials, settings=named, entries=(*trials.entries, Entry(name, method)))


@pytest.mark.parametrize(("truth", "n"), [("others", 4), ("gold", 8)])
def test_ratings_without_noise_give_mean_z_a_correlation_of_1(
    exact: pl.DataFrame, truth: str, n: int
) -> None:
    # All workers drawn from are drawn, judged all translations and order them alike: all z are the same.
    found = _evaluate(exact, truth=truth, ratings=(n,), methods=("mean-z",))

    assert _of(found, "mean-z")["r"] == pytest.approx(1.0, abs=1e-12)


def test_a_method_that_knows_the_truth_beats_mean_z_in_every_draw(noisy: pl.DataFrame) -> None:
    trials = ready_trials(noisy, EvaluationSettings(draws=3, ratings=(1,), methods=("mean-z",)))

    def knows(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
        return methods()["mean-z"].fit(noisy, settings, rng)

    found = _of(run_trials(_with(trials, "knows", knows)), "knows")

    assert found["wins"] == 1.0
    assert found["difference"] > 0.1


def test_mean_z_is_exactly_as_good_as_itself(noisy: pl.DataFrame) -> None:
    rows = _evaluate(noisy, ratings=(1, 2), spam=(0.0, 0.4)).rows.filter(method="mean-z")

    assert len(rows) == 4
    assert rows["difference"].to_list() == [0.0] * 4
    assert rows["difference_se"].to_list() == [0.0] * 4
    assert rows["wins"].null_count() == 4


def test_differences_are_those_of_the_same_draws(noisy: pl.DataFrame) -> None:
    found = _evaluate(noisy, ratings=(2,), methods=("mean-rating",))

    raw, plain = _of(found, "mean-rating"), _of(found, "mean-z")
    assert raw["difference"] == pytest.approx(raw["r"] - plain["r"])
    assert raw["difference_se"] < raw["r_se"] + plain["r_se"]


def test_the_same_seed_gives_the_same_answer_and_another_seed_another(noisy: pl.DataFrame) -> None:
    first, again = (_evaluate(noisy, ratings=(2,), spam=(0.3,)).rows for _ in range(2))
    other = _evaluate(noisy, ratings=(2,), spam=(0.3,), analysis=AnalysisSettings(seed=8)).rows

    assert_frame_equal(first, again, check_exact=True)
    assert first["r"].to_list() != other["r"].to_list()


@pytest.mark.parametrize("choices", [{"ratings": (2,), "spam": (0.3,)}, {"level": "systems"}])
def test_the_order_of_rows_does_not_matter(noisy: pl.DataFrame, choices: dict[str, Any]) -> None:
    shuffled = noisy.sample(fraction=1, shuffle=True, seed=5)

    assert_frame_equal(
        _evaluate(noisy, **choices).rows, _evaluate(shuffled, **choices).rows, check_exact=True
    )


def test_the_frame_is_left_as_it_was(noisy: pl.DataFrame) -> None:
    before = noisy.clone()

    _evaluate(noisy, ratings=(1,), spam=(0.5,), draws=2)

    assert_frame_equal(noisy, before)


@pytest.mark.parametrize("others", [(), (1, 3)])
def test_a_trial_does_not_depend_on_which_others_are_made(
    noisy: pl.DataFrame, others: tuple[int, ...]
) -> None:
    alone = _evaluate(noisy, ratings=(2,), methods=("mean-z",))

    among = _evaluate(noisy, ratings=(2, *others), spam=(0.0, 0.4), methods=("mean-z", "mean-rating"))

    rows = among.rows.filter(method="mean-z", ratings=2, spam=0.0)
    assert_frame_equal(rows, alone.rows, check_exact=True)


def test_rows_have_the_declared_columns(noisy: pl.DataFrame) -> None:
    assert tuple(_evaluate(noisy, ratings=(1,), draws=2).rows.columns) == ROWS


def test_without_a_wish_usual_methods_and_sizes_are_tried(noisy: pl.DataFrame) -> None:
    found = ready_trials(noisy, EvaluationSettings())

    # Ten workers judged each item: halves of five, so no trial of eight.
    assert found.settings.ratings == (1, 2, 3, 5)
    assert {"mean-z", "mean-rating", "mean-z-passing"} <= set(found.settings.methods)


def test_nobody_passes_without_being_asked_for_where_nobody_can_be_checked(exact: pl.DataFrame) -> None:
    found = ready_trials(exact, EvaluationSettings(ratings=(1,)))

    assert "mean-z-passing" not in found.settings.methods


def test_a_method_on_those_who_pass_sees_nobody_else(noisy: pl.DataFrame) -> None:
    # Workers 7, 8 and 9 rate degraded copies like any other.
    careless = pl.col("worker_id").is_in(["w7", "w8", "w9"]) & (pl.col("item_kind") == "degraded")
    frame = noisy.with_columns(rating=pl.when(careless).then(90.0).otherwise("rating"))
    seen: list[str] = []

    def looks(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
        seen.extend(frame["worker_id"].unique())
        return methods()["mean-z"].fit(frame, settings, rng)

    trials = ready_trials(frame, EvaluationSettings(draws=4, ratings=(2,), methods=("mean-z",)))
    looked = _with(trials, "looks-passing", looks)
    entry = replace(looked.entries[-1], passing=True)
    run_trials(replace(looked, entries=(*trials.entries, entry)))

    assert seen
    assert not {"w7", "w8", "w9"} & set(seen)


def test_a_method_without_answer_is_warned_of_and_has_no_row(noisy: pl.DataFrame) -> None:
    def refuses(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
        raise NotEnoughData("refuses: not today.")

    trials = ready_trials(noisy, EvaluationSettings(draws=2, ratings=(1,), methods=("mean-z",)))

    found = run_trials(_with(trials, "refuses", refuses))

    assert found.rows["method"].to_list() == ["mean-z"]
    assert found.warnings == ("refuses had no answer in any trial (refuses: not today).",)


def test_a_method_that_scores_systems_only_is_told_so(noisy: pl.DataFrame) -> None:
    def vague(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
        fit = methods()["mean-z"].fit(frame, settings, rng)
        return replace(fit, segments=fit.segments.with_columns(score=pl.lit(None, pl.Float64)))

    trials = ready_trials(noisy, EvaluationSettings(draws=2, ratings=(1,), methods=("mean-z",)))

    found = run_trials(_with(trials, "vague", vague))

    assert found.rows["method"].to_list() == ["mean-z"]
    assert found.warnings == ("vague had no answer in any trial (it gives no scores of segments).",)


def test_a_method_that_knows_systems_only_loses_within_them(noisy: pl.DataFrame) -> None:
    def knows(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
        fit = methods()["mean-z"].fit(frame, settings, rng)
        by_system = pl.col("system_id").replace_strict({"A": 0.0, "B": 1.0, "C": 2.0})
        chance = pl.Series(rng.normal(0, 1e-3, len(fit.segments)))
        return replace(fit, segments=fit.segments.with_columns(score=by_system + chance))

    trials = ready_trials(noisy, EvaluationSettings(draws=4, ratings=(3,), methods=("mean-z",)))

    found = _of(run_trials(_with(trials, "knows", knows)), "knows")

    assert found["r"] > 0.4
    assert abs(found["r_within"]) < 0.3
    assert found["difference_within"] < -0.4


def test_one_system_has_nothing_within(noisy: pl.DataFrame) -> None:
    rows = _evaluate(noisy.filter(system_id="B"), ratings=(2,), draws=2).rows

    assert rows["r_within"].null_count() == len(rows)


def test_every_fit_is_a_step(noisy: pl.DataFrame) -> None:
    trials = ready_trials(noisy, EvaluationSettings(draws=2, ratings=(1, 2), spam=(0.0, 0.2, 0.4)))
    steps: list[int] = []

    run_trials(trials, step=steps.append)

    assert sum(steps) == trials.n_fits == 2 * 2 * 3 * len(trials.entries)


@pytest.mark.parametrize(
    ("level", "levels", "n_items"), [("systems", ["systems"], 3), ("cells", ["cells", "cells_within"], 6)]
)
def test_systems_and_cells_are_held_against_the_other_workers(
    two_attributes: pl.DataFrame, level: str, levels: list[str], n_items: int
) -> None:
    rows = _evaluate(two_attributes, level=level).rows

    # Systems lie 15 points apart, and a worker's mean over ten segments is 5 points off.
    assert rows["level"].unique(maintain_order=True).to_list() == levels
    assert (rows["n_items"] == n_items).all()
    assert rows["r"].min() > 0.9
    assert rows["ratings"].null_count() == len(rows)


def test_a_truth_of_those_who_pass_leaves_careless_workers_out(noisy: pl.DataFrame) -> None:
    # Half of the workers answer the opposite, and do not mind degraded copies.
    careless = pl.col("worker_id").is_in([f"w{w}" for w in range(5)])
    frame = noisy.with_columns(rating=pl.when(careless).then(100 - pl.col("rating")).otherwise("rating"))

    others, passing = (
        _of(
            _evaluate(frame, level="systems", truth=truth, draws=6, methods=("mean-z-passing",)),
            "mean-z-passing",
        )
        for truth in ("others", "passing")
    )

    assert passing["r"] > 0.9
    assert passing["r"] > others["r"] + 0.2


def test_clickers_cost_correlation(noisy: pl.DataFrame) -> None:
    rows = _evaluate(noisy, ratings=(3,), spam=(0.0, 0.6), draws=6, methods=("mean-rating",)).rows

    by_spam = rows.filter(method="mean-rating").sort("spam")["r"]
    assert by_spam[0] > by_spam[1] + 0.1


def test_the_published_truth_contains_the_drawn_ratings(noisy: pl.DataFrame) -> None:
    # Against all ten workers, all ten are nearly perfect; against the rest there is none left.
    everything = _evaluate(noisy, truth="all", ratings=(10,), least_truth=5, draws=2, methods=("mean-z",))

    assert _of(everything, "mean-z")["r"] > 0.95


def test_intervals_are_told_of_methods_that_have_them(noisy: pl.DataFrame) -> None:
    trials = ready_trials(noisy, EvaluationSettings(draws=2, ratings=(2,), methods=("mean-z",)))

    def sure(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
        fit = methods()["mean-z"].fit(frame, settings, rng)
        return replace(fit, segments=fit.segments.with_columns(sd=pl.lit(100.0)))

    found = run_trials(_with(trials, "worker-model-toy", sure))

    assert _of(found, "worker-model-toy")["coverage"] == 1.0
    assert _of(found, "mean-z")["coverage"] is None


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"level": "words"}, "level cannot be 'words'"),
        ({"truth": "mine"}, "truth cannot be 'mine'"),
        ({"level": "systems", "truth": "rest"}, "use others or passing"),
        ({"level": "systems", "ratings": (2,)}, "for the level segments only"),
        ({"draws": 1}, "draws must be at least 2"),
        ({"share": 1.0}, "between 0 and 1"),
        ({"spam": (1.0,)}, "below 1"),
        ({"spam": ()}, "0 is none"),
        ({"ratings": (0,)}, "ratings must be at least 1"),
        ({"least_truth": 0}, "least_truth must be at least 1"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(choices: dict[str, Any], said: str) -> None:
    with pytest.raises(ChoiceError, match=said):
        EvaluationSettings(**choices)


def test_an_unknown_method_or_check_is_refused(noisy: pl.DataFrame) -> None:
    said = r"There is no method 'mean-x'\. Did you mean 'mean-z'\? Use any of: .*mean-z"
    with pytest.raises(ChoiceError, match=said):
        _evaluate(noisy, methods=("mean-x-passing",))
    with pytest.raises(ChoiceError, match="There is no check 'eye'"):
        _evaluate(noisy, methods=("mean-z-passing",), analysis=AnalysisSettings(check="eye"))
