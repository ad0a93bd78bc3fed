"""What every registered method must keep to."""

from __future__ import annotations

from functools import cache
from typing import get_type_hints

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation import method_options, methods, usual_method
from steelyard.domain.analysis_options import AnalysisOptions
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.judgement import FrameName
from steelyard.domain.options import options_of
from steelyard.domain.plugin import Method
from steelyard.domain.result import AnalysisSettings, Fit, MethodSettings
from steelyard.frames import ratings_frame, scored
from steelyard.qc import check_options

every_method = pytest.mark.parametrize("method", methods().values(), ids=methods().keys())
# Worker models learn from controls whom to trust, so these may change scores.
plain_methods = pytest.mark.parametrize(
    "method", [pytest.param(m, id=name) for name, m in methods().items() if not m.weighs_workers]
)
# The scores of a sampler differ by its error even where the ratings are the same.
exact_methods = pytest.mark.parametrize(
    "method", [pytest.param(m, id=name) for name, m in methods().items() if not m.samples]
)
# These score from part of the judgements, which they choose by what others say.
keeping_methods = pytest.mark.parametrize(
    "method", [pytest.param(m, id=name) for name, m in methods().items() if not m.drops]
)
every_unit = pytest.mark.parametrize("unit", ["judgement", "worker", "flat"])
SETTINGS = MethodSettings(draws=50)
QUALITY = {"good": 70.0, "fair": 60.0, "poor": 45.0}


# What every method keeps to does not depend on how long a sampler runs.
pytestmark = pytest.mark.usefixtures("short_chains")


@cache
def _crowd() -> pl.DataFrame:
    """Six workers, three systems of known order, twenty segments, with all kinds of items.

    An expert has rated the translations of ten segments.
    """
    rng = np.random.default_rng(12)
    rows = []
    for w in range(6):
        for s in range(20):
            for system, quality in QUALITY.items():
                level = quality + 3 * (s % 5) + 2 * w
                kinds = {"regular": level, "repeat": level, "degraded": level - 25, "reference": 95.0}
                shown = list(kinds)[: 1 + (s + w) % 4]
                for kind in shown:
                    rating = float(np.clip(rng.normal(kinds[kind], 8), 0, 100))
                    known = quality + 3 * (s % 5) if s < 10 and kind == "regular" else None
                    rows.append((f"W{w}", kind, f"s{s}", system, rating, known))
    names = ["worker_id", "item_kind", "segment_id", "system_id", "rating", "known"]
    return ratings_frame(
        pl.DataFrame(rows, schema=names, orient="row").with_columns(hit_id=pl.lit("h"), attribute=pl.lit(""))
    )


@pytest.fixture
def frame() -> pl.DataFrame:
    return _crowd()


def _fit(method: Method, frame: pl.DataFrame, settings: MethodSettings = SETTINGS) -> Fit:
    """What the method makes of a frame; of the crowd as it is, the same object when asked again."""
    return _fit_of_crowd(method, settings) if frame is _crowd() else _new_fit(method, frame, settings)


@cache
def _fit_of_crowd(method: Method, settings: MethodSettings) -> Fit:
    return _new_fit(method, _crowd(), settings)


def _new_fit(method: Method, frame: pl.DataFrame, settings: MethodSettings = SETTINGS) -> Fit:
    return method.fit(frame, method.own_settings(settings), np.random.default_rng(7))


def _scores(fit: Fit) -> dict[str, float]:
    return dict(fit.systems.select("system_id", "score").iter_rows())


@every_method
def test_systems_are_ordered_best_first(method: Method, frame: pl.DataFrame) -> None:
    fit = _fit(method, frame)

    assert fit.systems["system_id"].to_list() == list(QUALITY)


@exact_methods
def test_tied_systems_are_ordered_by_name(method: Method, frame: pl.DataFrame) -> None:
    copies = [frame.with_columns(system_id=pl.lit(name)) for name in ("b", "c", "a")]
    one = [copy.filter(frame["system_id"] == "good") for copy in copies]

    fit = _fit(method, pl.concat(one))

    assert fit.systems["system_id"].to_list() == ["a", "b", "c"]


@keeping_methods
@pytest.mark.parametrize("over", ["all", "system"])
def test_degraded_and_reference_items_never_enter_the_raw_means(
    method: Method, frame: pl.DataFrame, over: str
) -> None:
    settings = MethodSettings(draws=0, standardise_over="all" if over == "all" else "system")

    fit = _fit(method, frame, settings)

    expected = (
        scored(frame)
        .group_by("system_id", "segment_id")
        .agg(pl.col("rating").mean().alias("expected"), pl.len().alias("count"))
    )
    joined = fit.segments.join(expected, on=["system_id", "segment_id"], validate="1:1")
    assert len(joined) == len(expected)
    np.testing.assert_allclose(joined["mean_rating"], joined["expected"])
    assert joined["n"].to_list() == joined["count"].to_list()


@every_method
def test_a_system_seen_only_in_controls_is_not_scored(method: Method, frame: pl.DataFrame) -> None:
    control = frame.filter(pl.col("item_kind") == "degraded").with_columns(system_id=pl.lit("ghost"))

    fit = _fit(method, pl.concat([frame, control]))

    assert "ghost" not in fit.systems["system_id"]
    assert "ghost" not in fit.segments["system_id"]


@plain_methods
def test_with_scored_kinds_as_the_standard_controls_change_nothing(
    method: Method, frame: pl.DataFrame
) -> None:
    settings = MethodSettings(draws=20, standardise_over="system")

    with_controls, without = _fit(method, frame, settings), _fit(method, scored(frame), settings)

    assert with_controls.systems.equals(without.systems)


@every_method
def test_shuffled_rows_give_the_same_answer(method: Method, frame: pl.DataFrame) -> None:
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)

    fit, expected = _fit(method, shuffled), _fit(method, frame)

    assert fit.systems.equals(expected.systems)
    np.testing.assert_array_equal(fit.p_values, expected.p_values)


@every_method
def test_relabelled_workers_give_the_same_scores(method: Method, frame: pl.DataFrame) -> None:
    names = {f"W{w}": f"person {9 - w}" for w in range(6)}

    fit = _fit(method, frame.with_columns(pl.col("worker_id").replace(names)))

    # Draws of a sampler go by the order of names; what it says may differ by its error.
    precise = not method.samples
    assert _scores(fit) == pytest.approx(_scores(_fit(method, frame)), rel=1e-9 if precise else 0.02)
    if precise:
        np.testing.assert_allclose(fit.p_values, _fit(method, frame).p_values, rtol=1e-6, atol=1e-12)


# Methods with a test of their own know no unit.
@pytest.mark.parametrize(
    ("method", "unit"),
    [
        pytest.param(method, unit, id=f"{name}-{unit}")
        for name, method in methods().items()
        for unit in (("judgement",) if method.own_test else ("judgement", "worker", "flat"))
    ],
)
def test_rescaling_a_worker_changes_nothing_if_scale_free(
    method: Method, frame: pl.DataFrame, unit: str
) -> None:
    # By their own ratings alone: drawing them towards the crowd's makes others depend on them a little.
    settings = MethodSettings(draws=0, unit=unit, minimum_ratings=2)  # type: ignore[arg-type]
    of_worker = pl.col("worker_id") == "W2"
    rescaled = frame.with_columns(
        rating=pl.when(of_worker).then(pl.col("rating") * 0.4 + 7).otherwise("rating")
    )

    same = _scores(_fit(method, rescaled, settings)) == pytest.approx(
        _scores(_fit(method, frame, settings)), abs=1e-10
    )

    assert same == method.scale_free


@every_method
def test_the_same_seed_gives_the_same_answer(method: Method, frame: pl.DataFrame) -> None:
    first, second = _fit(method, frame), _new_fit(method, frame)

    assert first.systems.equals(second.systems)


@every_method
def test_the_frame_is_left_untouched(method: Method, frame: pl.DataFrame) -> None:
    before = frame.clone()

    _new_fit(method, frame)

    assert frame.equals(before)


@every_method
def test_frames_have_the_documented_columns(method: Method, frame: pl.DataFrame) -> None:
    fit = _fit(method, frame)

    assert fit.segments.columns == ["system_id", "segment_id", "score", "sd", "mean_rating", "n"]
    assert fit.systems.columns == [
        *("system_id", "score", "lower", "upper", "mean_rating", "n_segments", "n_judgements")
    ]
    known = ["worker_id", "mean", "sd", "offset", "slope", "precision", "weight"]
    is_model = method.weighs_workers and method.own_test
    how_sure = ["offset_sd", "slope_sd", "precision_sd"] if is_model else []
    assert fit.workers.columns == known + how_sure
    assert set(fit.workers.dtypes[1:]) == {pl.Float64()}
    assert fit.p_values.shape == (3, 3)


@every_method
@every_unit
def test_scores_lie_in_their_intervals(method: Method, frame: pl.DataFrame, unit: str) -> None:
    fit = _fit(method, frame, MethodSettings(draws=200, unit=unit))  # type: ignore[arg-type]

    assert (
        fit.systems.select((pl.col("lower") < pl.col("score")) & (pl.col("score") < pl.col("upper")))
        .to_series()
        .all()
    )


@every_method
def test_every_worker_is_listed_with_mean_and_deviation(method: Method, frame: pl.DataFrame) -> None:
    fit = _fit(method, frame)

    expected = frame.group_by("worker_id").agg(pl.col("rating").mean()).sort("worker_id")
    assert fit.workers["worker_id"].to_list() == expected["worker_id"].to_list()
    np.testing.assert_allclose(fit.workers["mean"], expected["rating"])


@every_method
def test_one_system_alone_is_scored_or_said_to_be_too_few(method: Method, frame: pl.DataFrame) -> None:
    alone = frame.filter(pl.col("system_id") == "fair")
    if method.least_systems > 1:
        with pytest.raises(NotEnoughData, match=f"{method.name}: .*one system.* Use method="):
            _fit(method, alone)
        return

    fit = _fit(method, alone)

    assert fit.systems["system_id"].to_list() == ["fair"]
    assert np.isnan(fit.p_values).all()


@every_method
def test_controls_alone_score_nobody(method: Method, frame: pl.DataFrame) -> None:
    with pytest.raises(NotEnoughData, match=f"{method.name}: there is no rating of a regular"):
        _fit(method, frame.filter(pl.col("item_kind") == "degraded"))


# Options.


@every_method
def test_the_settings_that_a_method_names_are_those_it_reads(method: Method) -> None:
    hint = get_type_hints(method.fit, localns={"pl": pl, "np": np})["settings"]

    assert issubclass(method.settings, hint)
    assert method.own_settings(SETTINGS) == method.settings(draws=50)


@every_method
def test_options_say_what_they_mean_and_have_a_key_in_signatures(method: Method) -> None:
    for option in method.options:
        assert option.help.endswith(".")
        assert option.signature


@every_method
def test_names_of_options_mean_one_thing(method: Method) -> None:
    common = {option.name for cls in (AnalysisOptions, MethodSettings) for option in options_of(cls)}
    reading = {"scale", "columns", "gold_scale", "hit_times"}
    of_checks = {option.name for option in check_options()}
    alike = {option.name: option for option in method_options()}

    for option in method.options:
        assert option.name not in common | reading | of_checks
        other = alike[option.name]
        assert (option.kind, option.default, option.signature) == (other.kind, other.default, other.signature)


@pytest.mark.parametrize(
    ("gives", "expected"), [(("ratings", "preferences"), "mean-z"), (("preferences",), "bradley-terry")]
)
def test_each_frame_has_its_usual_method(gives: tuple[FrameName, ...], expected: str) -> None:
    assert usual_method(gives) == expected
    assert usual_method(("ratings",)) == AnalysisSettings().method
