"""How an analysis treats a method that weighs workers by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation import methods
from steelyard.domain.errors import ChoiceError
from steelyard.domain.result import Analysis
from steelyard.flows.analyse import analyse
from steelyard.flows.settings import settings_from
from steelyard.flows.source import Source
from steelyard.frames import ratings_frame

CAREFUL = ["ann", "bob", "cat", "dan"]


@pytest.fixture(scope="module")
def source() -> Source:
    """Four careful workers, one who rates everything 50, one who rates at random; two systems."""
    rng = np.random.default_rng(3)
    rows = []
    for worker in (*CAREFUL, "dull", "wild"):
        for s in range(20):
            for system, quality in (("good", 70.0), ("poor", 50.0)):
                level = quality + 12 * np.sin(s)
                kinds = [("regular", level)] + [("degraded", level - 25)] * (s < 10)
                for kind, expected in kinds:
                    rating = float(np.clip(rng.normal(expected, 7), 0, 100))
                    rating = 50.0 if worker == "dull" else rating
                    rating = float(rng.uniform(0, 100)) if worker == "wild" else rating
                    rows.append((worker, f"hit of {worker}", kind, f"s{s}", system, rating))
    names = ["worker_id", "hit_id", "item_kind", "segment_id", "system_id", "rating"]
    frame = ratings_frame(pl.DataFrame(rows, schema=names, orient="row").with_columns(attribute=pl.lit("")))
    return Source(frame, title="Toy", campaign="toy")


@pytest.fixture(scope="module")
def everyone(source: Source) -> Analysis:
    return analyse(source, settings_from(source, method="worker-model", draws=50))


@pytest.fixture(scope="module")
def passing(source: Source) -> Analysis:
    return analyse(
        source, settings_from(source, method="worker-model", check="paired-t", keep="passing", draws=50)
    )


# Whose ratings are scored.


@pytest.mark.parametrize("method", [name for name, method in methods().items() if method.weighs_workers])
def test_nobody_is_left_out_of_a_method_that_weighs_workers(source: Source, method: str) -> None:
    assert settings_from(source, method=method).keep_everyone


@pytest.mark.parametrize("method", [name for name, method in methods().items() if not method.weighs_workers])
def test_other_methods_score_those_who_pass(source: Source, method: str) -> None:
    assert not settings_from(source, method=method).keep_everyone


def test_the_worker_model_weighs_workers_and_mean_z_does_not() -> None:
    assert methods()["worker-model"].weighs_workers
    assert not methods()["mean-z"].weighs_workers


def test_as_usual_mean_z_scores_those_who_pass(source: Source) -> None:
    settings = settings_from(source)

    assert settings.method == "mean-z"
    assert not settings.keep_everyone


@pytest.mark.parametrize("method", ["mean-z", "worker-model"])
def test_the_caller_decides_who_is_kept(source: Source, method: str) -> None:
    assert settings_from(source, method=method, keep="everyone").keep_everyone
    assert not settings_from(source, method=method, keep="passing").keep_everyone


def test_the_worker_model_scores_all_ratings(everyone: Analysis) -> None:
    assert everyone.counts.kept_judgements == everyone.counts.judgements == 6 * 60
    assert everyone.counts.kept_workers == 6


def test_who_is_kept_is_judged_all_the_same(everyone: Analysis) -> None:
    verdicts = dict(everyone.workers.select("worker_id", "verdict").iter_rows())

    assert verdicts == dict.fromkeys(CAREFUL, "pass") | {"dull": "fail", "wild": "fail"}


def test_asked_for_only_those_who_pass_are_scored(passing: Analysis) -> None:
    assert passing.counts.kept_workers == 4
    assert passing.counts.kept_judgements == 4 * 60


def test_those_who_were_left_out_have_no_weight_known(passing: Analysis) -> None:
    weights = dict(passing.workers.select("worker_id", "weight").iter_rows())

    assert weights["wild"] is None
    assert all(weights[name] > 0 for name in CAREFUL)


def test_left_out_by_the_check_or_by_hand_gives_the_same_scores(source: Source, passing: Analysis) -> None:
    careful = source.frame.filter(pl.col("worker_id").is_in(CAREFUL))
    alone = Source(careful, title="Toy", campaign="toy")

    analysis = analyse(alone, settings_from(alone, method="worker-model", check="none", draws=50))

    assert analysis.systems.equals(passing.systems)


# The signature.


def test_the_signature_tells_that_everyone_was_kept(everyone: Analysis, passing: Analysis) -> None:
    assert "|qc:paired-t+everyone|kept:360/360|method:worker-model|" in everyone.signature
    assert "|qc:paired-t|kept:240/360|method:worker-model|" in passing.signature


def test_the_signature_tells_that_differences_were_told_by_draws(everyone: Analysis) -> None:
    assert "|test:errors|" in everyone.signature


@pytest.mark.parametrize(
    ("choice", "told"),
    [({"offset_per": "hit"}, "|offset:hit|"), ({"offset_per": "worker"}, "|offset:worker|")],
)
def test_the_signature_tells_what_shared_an_offset(
    source: Source, choice: dict[str, str], told: str, everyone: Analysis
) -> None:
    settings = settings_from(source, method="worker-model", draws=0, **choice)  # type: ignore[arg-type]

    assert told in analyse(source, settings).signature
    assert "|offset:" not in everyone.signature


# What the analysis holds.


def test_workers_have_a_portrait(everyone: Analysis) -> None:
    portraits = dict(everyone.workers.select("worker_id", "portrait").iter_rows())

    assert all(isinstance(portraits[name], str) for name in (*CAREFUL, "dull", "wild"))
    assert "adds next to nothing" in portraits["dull"]


def test_methods_that_learn_nothing_of_workers_paint_no_portrait(source: Source) -> None:
    analysis = analyse(source, settings_from(source, draws=0))

    assert analysis.workers["portrait"].null_count() == 6
    assert analysis.diagnostics is None
    assert analysis.draws is None


@pytest.mark.parametrize("column", ["offset", "slope", "precision", "weight", "offset_sd", "slope_sd"])
def test_workers_have_what_the_model_learned(everyone: Analysis, column: str) -> None:
    careful = everyone.workers.filter(pl.col("worker_id").is_in(CAREFUL))

    assert careful[column].null_count() == 0


def test_the_wild_worker_counts_less_than_the_careful(everyone: Analysis) -> None:
    weights = dict(everyone.workers.select("worker_id", "weight").iter_rows())

    assert weights["wild"] < 0.3 * np.mean([weights[name] for name in CAREFUL])


def test_diagnostics_tell_how_it_settled_and_how_long_that_took(everyone: Analysis) -> None:
    assert everyone.diagnostics is not None
    assert everyone.diagnostics.converged
    assert everyone.diagnostics.sweeps > 0
    assert everyone.diagnostics.seconds > 0


def test_draws_of_the_systems_are_kept(everyone: Analysis) -> None:
    assert everyone.draws is not None
    assert everyone.draws.shape == (50, 2)
    assert everyone.systems["system_id"].to_list() == ["good", "poor"]


def test_a_test_asked_for_is_said_not_to_be_used(source: Source) -> None:
    settings = settings_from(source, method="worker-model", test="signed-rank", draws=0)

    warnings = analyse(source, settings).warnings

    assert (
        "worker-model tells systems apart by its own errors, so the test signed-rank was not used."
        in warnings
    )


def test_the_same_settings_give_the_same_analysis(source: Source, everyone: Analysis) -> None:
    again = analyse(source, everyone.settings)

    assert again.systems.equals(everyone.systems)
    np.testing.assert_array_equal(again.draws, everyone.draws)


# Wishes that cannot be met.


@pytest.mark.parametrize(
    ("choice", "known"),
    [
        ({"offset_per": "day"}, "offset_per cannot be 'day'. Use one of: usual, worker, system, hit."),
        ({"ends": "soft"}, "ends cannot be 'soft'. Use one of: open, censored, truncated."),
        ({"keep": "some"}, "keep cannot be 'some'. Use one of: everyone, passing."),
    ],
)
def test_unknown_choices_are_answered_with_the_known_ones(
    source: Source, choice: dict[str, str], known: str
) -> None:
    with pytest.raises(ChoiceError) as raised:
        settings_from(source, method="worker-model-ep", **choice)

    assert str(raised.value) == known


@pytest.mark.parametrize("choice", [{"ends": "censored"}, {"random_clicks": True}])
def test_ends_and_random_clicks_are_for_other_worker_models(source: Source, choice: dict[str, Any]) -> None:
    with pytest.raises(ChoiceError) as refused:
        settings_from(source, method="worker-model", **choice)

    (name,) = choice
    assert str(refused.value) == (
        f"{name} is an option of worker-model-ep and worker-model-gibbs, not of worker-model."
    )


def test_a_value_that_only_another_method_knows_is_refused_with_its_name(source: Source) -> None:
    with pytest.raises(ChoiceError) as refused:
        settings_from(source, method="worker-model-gibbs", ends="truncated")

    assert str(refused.value) == (
        "worker-model-gibbs has no ends 'truncated': worker-model-ep has. Use one of: open, censored."
    )
