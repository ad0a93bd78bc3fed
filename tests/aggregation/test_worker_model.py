from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation import methods, methods_with
from steelyard.aggregation._judged_items import OffsetPer, WorkerModelSettings
from steelyard.domain.result import Fit, MethodSettings
from steelyard.frames import ratings_frame

SETTINGS = MethodSettings(draws=400)
CELL = ["system_id", "segment_id"]


@dataclass(frozen=True)
class _Crowd:
    """Ratings, and the true quality of every system's every segment."""

    frame: pl.DataFrame
    quality: np.ndarray

    def agreement(self, fit: Fit) -> float:
        """Correlation of the segments' scores with the truth."""
        scores = fit.segments.sort(CELL)["score"].to_numpy()
        return float(np.corrcoef(scores, self.quality.ravel())[0, 1])


def _crowd(
    seed: int, *, n_honest: int = 14, n_spam: int = 0, n_systems: int = 4, n_segments: int = 30
) -> _Crowd:
    """Five ratings of each translation, by honest workers and by some who rate at random."""
    rng = np.random.default_rng(seed)
    n_workers = n_honest + n_spam
    quality = rng.normal(0, 0.8, (n_systems, n_segments)) + rng.normal(0, 0.4, n_systems)[:, None]
    offset, slope = rng.normal(0, 8, n_workers), np.abs(rng.normal(1, 0.3, n_workers))
    noise = rng.uniform(8, 16, n_workers)
    worker = np.array([rng.permutation(n_workers)[:5] for _ in range(quality.size)]).ravel()
    system, segment = (np.repeat(index.ravel(), 5) for index in np.indices(quality.shape))
    level = 50 + offset[worker] + 15 * slope[worker] * quality[system, segment]
    honest = np.clip(level + noise[worker] * rng.normal(size=len(worker)), 0, 100)
    rating = np.where(worker < n_honest, honest, rng.uniform(0, 100, len(worker)))
    columns = {
        "worker_id": [f"w{w:02}" for w in worker],
        "system_id": [f"S{s}" for s in system],
        "segment_id": [f"g{g:02}" for g in segment],
        "rating": rating,
    }
    rest = {"item_kind": pl.lit("regular"), "hit_id": pl.lit("h"), "attribute": pl.lit("")}
    return _Crowd(ratings_frame(pl.DataFrame(columns).with_columns(**rest)), quality)


def _fit(
    frame: pl.DataFrame, settings: MethodSettings = SETTINGS, *, method: str = "worker-model", seed: int = 7
) -> Fit:
    chosen = methods()[method]
    return chosen.fit(frame, chosen.own_settings(settings), np.random.default_rng(seed))


def _scores(fit: Fit) -> dict[str, float]:
    return dict(fit.systems.select("system_id", "score").iter_rows())


@pytest.fixture(scope="module")
def crowd() -> _Crowd:
    return _crowd(1)


@pytest.fixture(scope="module")
def fit(crowd: _Crowd) -> Fit:
    return _fit(crowd.frame)


@pytest.fixture(scope="module")
def two_attributes(crowd: _Crowd, with_attributes: Callable[..., pl.DataFrame]) -> Fit:
    return _fit(with_attributes(crowd.frame, 2, noise=8))


# What the model is for.


def test_with_three_spammers_in_ten_it_follows_the_truth_better_than_mean_z() -> None:
    settings = MethodSettings(draws=0)
    gains = []

    for seed in range(10):
        crowd = _crowd(seed, n_spam=6)
        model, mean_z = (_fit(crowd.frame, settings, method=name) for name in ("worker-model", "mean-z"))
        gains.append(crowd.agreement(model) - crowd.agreement(mean_z))

    assert np.mean(gains) > 0.03
    assert np.mean(np.array(gains) > 0) >= 0.9


def test_scores_of_segments_are_as_far_from_the_truth_as_their_deviations_say(
    crowd: _Crowd, fit: Fit
) -> None:
    segments = fit.segments.sort(CELL)
    score, sd = segments["score"].to_numpy(), segments["sd"].to_numpy()

    # Scores have a unit of their own: what it is in units of the truth is found by regression.
    slope, level = np.polyfit(crowd.quality.ravel(), score, 1)

    # The line explains part of the scores' shrinkage, and the 120 deviations are known to 6.5 %.
    error = score - level - slope * crowd.quality.ravel()
    assert np.sqrt(np.mean(error**2)) < 1.2 * np.sqrt(np.mean(sd**2))


# Intervals, p-values and draws tell the same story.


def test_scores_lie_in_the_middle_of_their_intervals(fit: Fit) -> None:
    systems = fit.systems

    middle = (systems["lower"] + systems["upper"]) / 2
    np.testing.assert_allclose(middle, systems["score"])
    assert (systems["lower"] < systems["score"]).all()


def test_intervals_widen_with_their_level(crowd: _Crowd, fit: Fit) -> None:
    wide = _fit(crowd.frame, replace(SETTINGS, level=0.99))

    ratio = (wide.systems["upper"] - wide.systems["lower"]) / (fit.systems["upper"] - fit.systems["lower"])
    # 99.5 % and 97.5 % points of t with 13 degrees of freedom: fourteen workers judged thirty segments.
    np.testing.assert_allclose(ratio, 3.0123 / 2.1604, rtol=1e-4)


def test_either_of_two_systems_is_better(fit: Fit) -> None:
    p_values = fit.p_values

    off = ~np.eye(len(p_values), dtype=bool)
    np.testing.assert_allclose((p_values + p_values.T)[off], 1)
    assert np.isnan(p_values.diagonal()).all()


def test_the_system_of_the_higher_score_is_probably_the_better_one(fit: Fit) -> None:
    upper = np.triu_indices(4, 1)

    assert (fit.p_values[upper] <= 0.5).all()


def test_draws_scatter_around_the_scores_as_far_as_intervals_reach(fit: Fit) -> None:
    assert fit.draws is not None
    sd = (fit.systems["upper"] - fit.systems["score"]).to_numpy() / 1.959964

    assert fit.draws.shape == (400, 4)
    # Of 400 draws, means are known to a twentieth of a deviation and deviations to 3.5 %: four times that.
    assert (np.abs(fit.draws.mean(axis=0) - fit.systems["score"].to_numpy()) < 0.2 * sd).all()
    np.testing.assert_allclose(fit.draws.std(axis=0), sd, rtol=0.15)


def test_the_share_of_draws_in_which_a_system_is_better_is_its_probability(fit: Fit) -> None:
    assert fit.draws is not None
    better = (fit.draws[:, :, None] > fit.draws[:, None, :]).mean(axis=0)

    off = ~np.eye(4, dtype=bool)
    # Shares of 400 draws are known to 0.025.
    np.testing.assert_allclose(better[off], 1 - fit.p_values[off], atol=0.09)


def test_without_draws_there_are_none_but_intervals_and_p_values_all_the_same(
    crowd: _Crowd, fit: Fit
) -> None:
    bare = _fit(crowd.frame, MethodSettings(draws=0))

    assert bare.draws is None
    assert bare.systems.equals(fit.systems)
    np.testing.assert_array_equal(bare.p_values, fit.p_values)


def test_the_same_seed_gives_the_same_draws_and_another_others(crowd: _Crowd, fit: Fit) -> None:
    again, other = _fit(crowd.frame), _fit(crowd.frame, seed=8)

    np.testing.assert_array_equal(again.draws, fit.draws)
    assert not np.array_equal(other.draws, fit.draws)
    assert other.systems.equals(fit.systems)


# Beside the scores stands what was rated.


def test_raw_means_and_counts_are_those_of_mean_rating(crowd: _Crowd, fit: Fit) -> None:
    plain = _fit(crowd.frame, MethodSettings(draws=0), method="mean-rating")

    of_segment = [*CELL, "mean_rating", "n"]
    assert fit.segments.select(of_segment).sort(CELL).equals(plain.segments.select(of_segment).sort(CELL))
    of_system = ["system_id", "mean_rating", "n_segments", "n_judgements"]
    found, expected = (each.systems.select(of_system).sort("system_id") for each in (fit, plain))
    np.testing.assert_allclose(found["mean_rating"], expected["mean_rating"])
    assert found.drop("mean_rating").equals(expected.drop("mean_rating"))


def test_diagnostics_say_how_it_settled(fit: Fit) -> None:
    assert fit.diagnostics is not None
    notes = dict(fit.diagnostics.notes)

    assert fit.diagnostics.converged
    assert 1 < fit.diagnostics.sweeps < 100
    assert 0 < notes["expected_correlation"] < 1


def test_the_expected_correlation_is_about_that_with_the_truth() -> None:
    found, expected = [], []

    for seed in range(5):
        crowd = _crowd(seed)
        fit = _fit(crowd.frame, MethodSettings(draws=0))
        assert fit.diagnostics is not None
        expected.append(dict(fit.diagnostics.notes)["expected_correlation"])
        found.append(crowd.agreement(fit))

    assert np.mean(found) == pytest.approx(np.mean(expected), abs=0.04)


# Invariance.


def test_the_order_of_rows_changes_no_bit(crowd: _Crowd, fit: Fit) -> None:
    shuffled = _fit(crowd.frame.sample(fraction=1, shuffle=True, seed=3))

    assert shuffled.systems.equals(fit.systems)
    assert shuffled.segments.equals(fit.segments)
    np.testing.assert_array_equal(shuffled.p_values, fit.p_values)
    np.testing.assert_array_equal(shuffled.draws, fit.draws)


def test_other_names_change_no_score(crowd: _Crowd, fit: Fit) -> None:
    renamed = crowd.frame.with_columns(
        worker_id=pl.col("worker_id").str.reverse(),
        segment_id=pl.col("segment_id").str.reverse(),
        system_id=pl.lit("system ") + (9 - pl.col("system_id").str.slice(1).cast(pl.Int64)).cast(pl.String),
    )

    scores = _scores(_fit(renamed))

    assert {f"S{9 - int(name[-1])}": score for name, score in scores.items()} == pytest.approx(
        _scores(fit), abs=1e-6
    )


@pytest.mark.parametrize(("factor", "shift"), [(0.04, 1.0), (1.0, -300.0), (7.0, 11.0)])
def test_another_scale_for_all_ratings_changes_no_score(
    crowd: _Crowd, fit: Fit, factor: float, shift: float
) -> None:
    other = _fit(crowd.frame.with_columns(rating=factor * pl.col("rating") + shift))

    assert _scores(other) == pytest.approx(_scores(fit), abs=1e-6)
    np.testing.assert_allclose(other.segments["score"], fit.segments["score"], atol=1e-6)
    np.testing.assert_allclose(other.p_values, fit.p_values, atol=1e-6)


def test_turning_the_scale_round_turns_the_ranking_round(crowd: _Crowd, fit: Fit) -> None:
    other = _fit(crowd.frame.with_columns(rating=100 - pl.col("rating")))

    assert _scores(other) == pytest.approx({name: -score for name, score in _scores(fit).items()}, abs=1e-6)


# One judgement for several systems.


def _with_credit(frame: pl.DataFrame) -> pl.DataFrame:
    """Every text of S0 is also one of "twin", which has no judgements of its own."""
    credited = pl.when(pl.col("system_id") == "S0").then(pl.lit(["twin"])).otherwise(None)
    return frame.with_columns(credited=credited)


def test_judgements_count_for_all_systems_credited(crowd: _Crowd, fit: Fit) -> None:
    systems = _fit(_with_credit(crowd.frame)).systems

    scores = dict(systems.select("system_id", "score").iter_rows())
    assert scores["twin"] == pytest.approx(scores["S0"])
    assert {name: scores[name] for name in _scores(fit)} == pytest.approx(_scores(fit), abs=1e-6)
    twins = systems.filter(pl.col("system_id").is_in(["S0", "twin"])).drop("system_id")
    np.testing.assert_allclose(twins.row(0), twins.row(1))


def test_neither_of_two_systems_that_share_all_texts_is_better(crowd: _Crowd) -> None:
    fit = _fit(_with_credit(crowd.frame))

    place = [fit.systems["system_id"].to_list().index(name) for name in ("S0", "twin")]
    assert fit.p_values[place[0], place[1]] == 0.5


# Several attributes.


def test_each_attribute_has_a_fit_of_its_own(two_attributes: Fit) -> None:
    assert [name for name, _ in two_attributes.attributes] == ["attribute 0", "attribute 1"]
    assert all(len(alone.systems) == 4 for _, alone in two_attributes.attributes)


def test_the_score_over_all_attributes_is_the_mean_of_theirs(two_attributes: Fit) -> None:
    first, second = (_scores(alone) for _, alone in two_attributes.attributes)

    mean = {name: (first[name] + second[name]) / 2 for name in first}
    assert _scores(two_attributes) == pytest.approx(mean)


def test_segments_score_the_mean_over_attributes(two_attributes: Fit) -> None:
    first, second = (alone.segments.sort(CELL)["score"] for _, alone in two_attributes.attributes)

    together = two_attributes.segments.sort(CELL)
    np.testing.assert_allclose(together["score"], (first + second) / 2)
    assert together["n"].to_list() == [10] * 120


def test_attributes_have_intervals_p_values_and_workers(two_attributes: Fit) -> None:
    for _, alone in two_attributes.attributes:
        assert (alone.systems["lower"] < alone.systems["upper"]).all()
        np.testing.assert_allclose((alone.p_values + alone.p_values.T)[0, 1:], 1)
        assert alone.workers.equals(two_attributes.workers)


def test_one_attribute_has_no_fits_beside_the_whole(fit: Fit) -> None:
    assert fit.attributes == ()


def test_a_system_without_one_attribute_is_scored_by_the_other(
    crowd: _Crowd, with_attributes: Callable[..., pl.DataFrame]
) -> None:
    frame = with_attributes(crowd.frame, 2).filter(
        (pl.col("attribute") == "attribute 0") | (pl.col("system_id") != "S3")
    )

    fit = _fit(frame)

    first, second = (_scores(alone) for _, alone in fit.attributes)
    assert set(first) - set(second) == {"S3"}
    assert _scores(fit)["S3"] == pytest.approx(first["S3"])


# What the reader should know.


def test_a_plain_crowd_gives_no_warning(fit: Fit) -> None:
    assert fit.warnings == ()


def test_one_rating_per_item_is_warned_about(crowd: _Crowd) -> None:
    once = crowd.frame.unique(CELL, keep="first", maintain_order=True)

    warnings = _fit(once).warnings

    assert any(
        warning.startswith("100% of the judged translations have one rating only") for warning in warnings
    )


def test_workers_without_a_common_text_are_warned_about(crowd: _Crowd) -> None:
    late = pl.col("segment_id") >= "g15"
    split = crowd.frame.with_columns(
        worker_id=pl.when(late).then(pl.col("worker_id") + "x").otherwise(pl.col("worker_id"))
    )

    warnings = _fit(split).warnings

    assert any("The workers fall into 2 groups that share no judged text" in warning for warning in warnings)


def _flattered(crowd: _Crowd) -> pl.DataFrame:
    """Five more workers, who rate at random but for one system, which they love."""
    rng = np.random.default_rng(4)
    texts = crowd.frame.select(CELL).unique(maintain_order=True)
    loved = (texts["system_id"] == "S3").to_numpy()
    added = []
    for number in range(5):
        rating = np.where(loved, rng.uniform(10, 80, len(texts)), rng.uniform(0, 70, len(texts)))
        added.append(
            texts.with_columns(
                worker_id=pl.lit(f"x{number}"),
                rating=pl.Series(rating),
                item_kind=pl.lit("regular"),
                hit_id=pl.lit("h"),
                attribute=pl.lit(""),
            )
        )
    return pl.concat([crowd.frame, ratings_frame(pl.concat(added))])


def test_another_winner_than_that_of_mean_z_is_warned_about(crowd: _Crowd) -> None:
    frame = _flattered(crowd)
    fit, mean_z = _fit(frame), _fit(frame, MethodSettings(draws=0), method="mean-z")

    first, other = fit.systems["system_id"][0], mean_z.systems["system_id"][0]
    assert first != other
    (warning,) = fit.warnings
    place = fit.systems["system_id"].to_list().index(other)
    p_value = f"p = {fit.p_values[0, place]:.2f} against {other}"
    assert warning.startswith(f"The model puts {first} first ({p_value}), mean z puts {other} first")


@pytest.mark.parametrize("name", ["ends", "random_clicks"])
def test_what_other_models_know_is_theirs_alone(name: str) -> None:
    assert methods_with(name) == ["worker-model-ep", "worker-model-gibbs"]


# What shares an offset.


@pytest.mark.parametrize("offset_per", ["worker", "system", "hit"])
def test_offsets_may_be_shared_by_other_things(crowd: _Crowd, fit: Fit, offset_per: str) -> None:
    other = _fit(crowd.frame, WorkerModelSettings(draws=400, offset_per=offset_per))  # type: ignore[arg-type]

    assert other.systems["system_id"].to_list() == fit.systems["system_id"].to_list()
    assert _scores(other) == pytest.approx(_scores(fit), abs=0.1)


@pytest.mark.parametrize("offset_per", ["worker", "system"])
def test_tastes_for_systems_make_intervals_wider_whatever_shares_an_offset(
    crowd: _Crowd, offset_per: OffsetPer
) -> None:
    taste = np.random.default_rng(5).normal(0, 12, (20, 4))
    worker = crowd.frame["worker_id"].str.slice(1).cast(pl.Int64).to_numpy()
    system = crowd.frame["system_id"].str.slice(1).cast(pl.Int64).to_numpy()
    frame = crowd.frame.with_columns(rating=pl.col("rating") + pl.Series(taste[worker, system]))

    fits = [_fit(each, WorkerModelSettings(draws=0, offset_per=offset_per)) for each in (frame, crowd.frame)]

    width = [float((each.systems["upper"] - each.systems["lower"]).mean()) for each in fits]
    assert width[0] > 1.2 * width[1]
