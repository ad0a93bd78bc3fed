from __future__ import annotations

from math import log

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation import methods
from steelyard.aggregation.bradley_terry import METHOD
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit, InferenceUnits
from steelyard.frames import preferences_frame, ratings_frame
from steelyard.simulate.preferences import PreferenceCrowd, simulated_preferences

STRENGTHS = {"good": 1.0, "fair": 0.0, "poor": -1.0}
readers = pytest.mark.parametrize(
    "name", [name for name, method in methods().items() if "preferences" in method.reads]
)


def _preferences(rows: list[tuple[str, str, str, str, str]], **columns: object) -> pl.DataFrame:
    """(worker, segment, shown first, shown second, what was preferred)"""
    names = ["worker_id", "segment_id", "system_a", "system_b", "preference"]
    usual = {"hit_id": "h", "item_kind": "regular", "attribute": ""} | columns
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return preferences_frame(frame.with_columns(pl.lit(value).alias(name) for name, value in usual.items()))


def _crowd(**settings: object) -> pl.DataFrame:
    crowd = PreferenceCrowd(**settings)  # type: ignore[arg-type]
    return simulated_preferences(STRENGTHS, crowd, np.random.default_rng(5))


def _fit(frame: pl.DataFrame, name: str = METHOD.name, *, draws: int = 50, **options: object) -> Fit:
    settings = methods()[name].settings(draws=draws, **options)  # type: ignore[arg-type]
    return methods()[name].fit(frame, settings, np.random.default_rng(7))


def _swapped(frame: pl.DataFrame) -> pl.DataFrame:
    sides = {
        "system_a": "system_b",
        "system_b": "system_a",
        "credited_a": "credited_b",
        "credited_b": "credited_a",
    }
    return preferences_frame(
        frame.rename(sides).with_columns(pl.col("preference").replace({"a": "b", "b": "a"}))
    )


def test_scores_of_two_systems_are_the_log_odds_drawn_a_little_to_0() -> None:
    rows = [(f"w{i % 8}", f"s{i}", "x", "y", "a" if i % 4 else "b") for i in range(400)]

    fit = _fit(_preferences(rows))

    scores = dict(fit.systems.select("system_id", "score").iter_rows())
    # 300 to 100; the prior's curvature is 1 / 18 against the data's 75.
    assert scores["x"] - scores["y"] == pytest.approx(log(3), abs=0.002)
    assert scores["x"] == pytest.approx(-scores["y"])


@readers
def test_preferences_give_the_true_order(name: str) -> None:
    fit = _fit(_crowd(n_workers=30, worker_sd=0.2, segment_sd=0.2), name)

    assert fit.systems["system_id"].to_list() == ["good", "fair", "poor"]
    assert fit.p_values[0, 2] < 0.05 < fit.p_values[2, 0]
    assert fit.systems.select(
        ((pl.col("lower") < pl.col("score")) & (pl.col("score") < pl.col("upper"))).all()
    ).item()


@readers
def test_which_side_was_shown_first_does_not_matter(name: str) -> None:
    frame = _crowd(bad_share=0.5)

    fit, swapped = _fit(frame, name), _fit(_swapped(frame), name)

    assert fit.systems.equals(swapped.systems)
    np.testing.assert_array_equal(fit.p_values, swapped.p_values)


@readers
def test_shuffled_preferences_give_the_same_answer(name: str) -> None:
    frame = _crowd()

    fit, shuffled = _fit(frame, name), _fit(frame.sample(fraction=1, shuffle=True, seed=3), name)

    assert fit.systems.equals(shuffled.systems)
    assert fit.segments.equals(shuffled.segments)


@readers
def test_controls_never_count(name: str) -> None:
    frame = _crowd(n_degraded=10, n_repeats=5)
    without = frame.filter(pl.col("item_kind") != "degraded")

    assert _fit(frame, name).systems.equals(_fit(without, name).systems)


@readers
def test_both_bad_counts_as_a_tie(name: str) -> None:
    frame = _crowd(bad_share=0.5)
    ties = frame.with_columns(pl.col("preference").replace({"both_bad": "tie"}))

    assert _fit(frame, name).systems.equals(_fit(ties, name).systems)


def test_shares_called_bad_are_reported_by_system() -> None:
    rows = [("w", "s1", "x", "y", "both_bad"), ("w", "s2", "x", "z", "a"), ("w", "s3", "y", "z", "tie")]

    fit = _fit(_preferences([*rows, ("w", "s4", "z", "x", "a")]))

    assert "Of 4 preferences, 50 % were for neither translation: they count as ties." in fit.notes
    bad = "Both translations were called bad in 1 of 4 comparisons. By system: x 33.3 %, y 50.0 %, z 0.0 %."
    assert bad in fit.notes
    # Half of them decided nothing, which is no alarm.
    assert not any("neither" in warning for warning in fit.warnings)


@readers
def test_a_warning_says_if_most_preferences_are_for_neither(name: str) -> None:
    rows = [("w", f"s{i}", "x", "y", "a" if i < 4 else "tie" if i < 8 else "both_bad") for i in range(10)]

    fit = _fit(_preferences(rows), name)

    few = "Most preferences, 60 % of 10, were for neither translation, so the scores rest on few decisions."
    assert few in fit.warnings


def test_every_system_is_credited_for_a_text_it_shares() -> None:
    rows = [("w", f"s{i}", "x", "y", "a" if i % 3 else "b") for i in range(30)]
    shared = _preferences(rows).with_columns(credited_a=pl.lit(["z"]))

    fit = _fit(shared)

    scores = dict(fit.systems.select("system_id", "score").iter_rows())
    assert scores["z"] == pytest.approx(scores["x"])
    assert dict(fit.systems.select("system_id", "n_judgements").iter_rows()) == {"x": 30, "z": 30, "y": 60}


def test_segments_have_the_share_of_wins_and_no_mean_rating() -> None:
    rows = [
        ("w1", "s", "x", "y", "a"),
        ("w2", "s", "y", "x", "b"),
        ("w3", "s", "x", "y", "b"),
        ("w4", "s", "x", "y", "tie"),
    ]

    fit = _fit(_preferences(rows))

    of_x = fit.segments.filter(pl.col("system_id") == "x").row(0, named=True)
    assert of_x["score"] == pytest.approx(2 / 3)
    assert of_x["mean_rating"] is None
    assert of_x["n"] == 4


def test_groups_that_never_met_have_no_p_value_and_are_named() -> None:
    rows = [
        ("w1", "s1", "x", "y", "a"),
        ("w2", "s2", "x", "y", "b"),
        ("w1", "s3", "v", "w", "a"),
        ("w2", "s4", "v", "w", "b"),
    ]

    fit = _fit(_preferences(rows))

    names = fit.systems["system_id"].to_list()
    x, y, v = (names.index(name) for name in "xyv")
    assert np.isnan(fit.p_values[x, v])
    assert not np.isnan(fit.p_values[x, y])
    assert any(
        "never compared with each other" in warning and "v, w; x, y" in warning for warning in fit.warnings
    )


def test_a_system_that_always_won_is_named() -> None:
    rows = [("w1", f"s{i}", "x", "y", "a") for i in range(6)]
    rows += [("w2", f"s{i}", "y", "z", "ab"[i % 2]) for i in range(6)]

    fit = _fit(_preferences(rows))

    assert any("one way only: x; y, z." in warning for warning in fit.warnings)
    assert fit.systems["score"].is_finite().all()


def test_attributes_are_scored_alone_and_together() -> None:
    fluency = _crowd(n_workers=20).with_columns(attribute=pl.lit("fluency"))
    adequacy = _crowd(n_workers=20, segment_sd=0.5).with_columns(attribute=pl.lit("adequacy"))

    fit = _fit(pl.concat([fluency, adequacy]))

    alone = {
        name: dict(part.systems.select("system_id", "score").iter_rows()) for name, part in fit.attributes
    }
    for system, score in fit.systems.select("system_id", "score").iter_rows():
        assert score == pytest.approx((alone["fluency"][system] + alone["adequacy"][system]) / 2)


def test_controls_alone_are_not_enough() -> None:
    frame = _crowd(n_degraded=5).filter(pl.col("item_kind") == "degraded")

    with pytest.raises(NotEnoughData, match="no preference between two systems"):
        _fit(frame)


def test_without_draws_there_are_no_intervals() -> None:
    fit = _fit(_crowd(), draws=0)

    assert fit.systems["lower"].null_count() == len(fit.systems)


def test_intervals_cover_the_strengths() -> None:
    # A small version of bench/preferences.py.
    truth, covered = np.array([1.0, 0.0, -1.0]), []
    for seed in range(40):
        frame = simulated_preferences(
            STRENGTHS, PreferenceCrowd(n_workers=15, n_regular=30), np.random.default_rng(seed)
        )
        systems = _fit(frame).systems
        found = dict(systems.select("system_id", pl.struct("lower", "upper")).iter_rows())
        covered += [
            found[name]["lower"] <= value <= found[name]["upper"]
            for name, value in zip(STRENGTHS, truth, strict=True)
        ]

    assert np.mean(covered) > 0.93


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_both_tie_models_agree_about_the_order(ties: str) -> None:
    fit = _fit(_crowd(tie=0.5), ties=ties)

    assert fit.systems["system_id"].to_list() == ["good", "fair", "poor"]


def test_slopes_of_careless_workers_are_small() -> None:
    crowd = _crowd(n_workers=12, n_careless=3, n_regular=120)

    slopes = dict(_fit(crowd, worker_slopes=True).workers.select("worker_id", "slope").iter_rows())

    careless = [slopes.pop(f"w00{number}") for number in range(3)]
    assert max(careless) < 0.6 < min(slopes.values())
    assert np.mean([*careless, *slopes.values()]) == pytest.approx(1)


def test_slopes_undo_part_of_what_careless_workers_blur() -> None:
    crowd = _crowd(n_workers=20, n_careless=8, n_regular=120)

    plain, weighed = (_fit(crowd, worker_slopes=learnt).systems["score"][0] for learnt in (False, True))

    # The best system is 1 above the mean.
    assert plain < weighed
    assert weighed == pytest.approx(1, abs=0.25)


def test_slopes_need_comparisons_by_one_worker() -> None:
    # Everybody judged one system, so that segments' means are compared.
    rng = np.random.default_rng(2)
    rows = [
        (f"w{system}{i}", f"s{s}", system, float(rng.uniform(0, 100)))
        for s in range(12)
        for system in ("x", "y")
        for i in range(2)
    ]
    frame = pl.DataFrame(rows, schema=["worker_id", "segment_id", "system_id", "rating"], orient="row")
    same = {"hit_id": "h", "item_kind": "regular", "attribute": ""}
    ratings = ratings_frame(frame.with_columns(pl.lit(value).alias(name) for name, value in same.items()))

    fit = _fit(ratings, worker_slopes=True)

    assert fit.workers["slope"].null_count() == 4
    assert fit.systems["score"].is_finite().all()


def _of_documents(frame: pl.DataFrame, n_documents: int) -> pl.DataFrame:
    number = pl.col("segment_id").cast(pl.String).str.slice(1).cast(pl.Int64) % n_documents
    return preferences_frame(frame.with_columns(document_id=pl.format("d{}", number)))


def test_comparisons_of_one_document_go_together() -> None:
    frame = _of_documents(_crowd(n_workers=30, segment_sd=0.5), 12)
    as_segments = preferences_frame(frame.with_columns(segment_id="document_id"))

    fit, expected = _fit(frame), _fit(as_segments)

    np.testing.assert_allclose(fit.p_values, expected.p_values)
    for name in ("score", "lower", "upper"):
        np.testing.assert_allclose(fit.systems[name].to_numpy(), expected.systems[name].to_numpy())
    # The segments keep their scores.
    assert fit.segments["segment_id"].n_unique() > 12


def test_documents_with_tastes_do_not_tell_equal_systems_apart() -> None:
    rng = np.random.default_rng(3)
    rejected = []
    for _ in range(40):
        # A taste for each document: all of its segments are the same to the crowd.
        crowd = PreferenceCrowd(n_workers=20, n_segments=10, n_regular=40, segment_sd=0.8)
        frame = simulated_preferences({"x": 0.0, "y": 0.0, "z": 0.0}, crowd, rng)
        segment = pl.format("{}-{}", "segment_id", pl.Series(rng.integers(10, size=len(frame))))
        fit = _fit(preferences_frame(frame.with_columns(document_id="segment_id", segment_id=segment)))
        rejected.append(np.mean(fit.p_values[~np.eye(3, dtype=np.bool_)] < 0.05))

    assert np.mean(rejected) < 0.09


def test_one_document_or_none_leaves_segments_on_their_own() -> None:
    frame = _crowd(n_workers=30, segment_sd=0.5)

    fit = _fit(frame)

    np.testing.assert_array_equal(_fit(_of_documents(frame, 1)).p_values, fit.p_values)
    few = _fit(_of_documents(frame, 4))
    assert not np.array_equal(few.p_values, fit.p_values, equal_nan=True)
    assert few.units == InferenceUnits(30, 4, documents_known=True)
    assert fit.units is not None
    assert not fit.units.documents_known


def test_names_that_differ_by_system_are_one_document() -> None:
    frame = _of_documents(_crowd(n_workers=30, segment_sd=0.5), 12)
    copies = preferences_frame(frame.with_columns(document_id=pl.format("{}-{}", "document_id", "system_a")))

    np.testing.assert_array_equal(_fit(copies).p_values, _fit(frame).p_values)


@readers
def test_a_method_that_takes_workers_as_given_says_so(name: str) -> None:
    def said(draws: int) -> bool:
        warnings = _fit(_crowd(n_workers=3), name, draws=draws).warnings
        return any("not for other workers" in warning for warning in warnings)

    assert said(20) == (name != METHOD.name)
    # No intervals, nothing to say about them.
    assert not said(0)
