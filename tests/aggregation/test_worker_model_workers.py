"""What the worker model makes of workers, the honest and all the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.aggregation import methods
from steelyard.aggregation._judged_items import WorkerModelSettings
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit
from steelyard.frames import ratings_frame

SETTINGS = WorkerModelSettings(draws=40)
N_WORKERS, N_SYSTEMS, N_SEGMENTS = 12, 3, 40
LEARNED = ["offset", "slope", "precision", "weight", "offset_sd", "slope_sd", "precision_sd"]


@dataclass(frozen=True)
class _Crowd:
    """Honest workers w00, w01, ...: how they are, what they rated, and how good that was (in points)."""

    frame: pl.DataFrame
    quality: pl.DataFrame
    offset: np.ndarray
    slope: np.ndarray
    noise: np.ndarray


def _rows(columns: dict[str, object]) -> pl.DataFrame:
    rest = {"item_kind": pl.lit("regular"), "hit_id": pl.lit("h"), "attribute": pl.lit("")}
    return ratings_frame(pl.DataFrame(columns).with_columns(**rest))


def _honest(seed: int) -> _Crowd:
    rng = np.random.default_rng(seed)
    system, segment = (index.ravel() for index in np.indices((N_SYSTEMS, N_SEGMENTS)))
    quality = rng.normal(0, 14, len(system)) + rng.normal(0, 5, N_SYSTEMS)[system]
    names = {"system_id": [f"S{s}" for s in system], "segment_id": [f"g{g:02}" for g in segment]}
    offset, noise = rng.normal(0, 9, N_WORKERS), rng.uniform(6, 16, N_WORKERS)
    slope = np.linspace(0.5, 1.5, N_WORKERS)
    text = np.repeat(np.arange(len(system)), 6)
    worker = np.concatenate([rng.permutation(N_WORKERS)[:6] for _ in system])
    rating = 50 + offset[worker] + slope[worker] * quality[text] + noise[worker] * rng.normal(size=len(text))
    texts = pl.DataFrame(names).with_columns(quality=pl.Series(quality))
    rated = {name: [values[t] for t in text] for name, values in names.items()}
    frame = _rows({"worker_id": [f"w{w:02}" for w in worker], **rated, "rating": np.clip(rating, 0, 100)})
    return _Crowd(frame, texts, offset, slope, noise)


def _with(crowd: _Crowd, worker_id: str, rating: np.ndarray) -> pl.DataFrame:
    """The crowd's ratings and those of one worker more, who rates the first texts of a shuffled list."""
    texts = crowd.quality.sample(fraction=1, shuffle=True, seed=1).head(len(rating))
    named = {name: texts[name] for name in ("system_id", "segment_id")}
    return pl.concat(
        [crowd.frame, _rows({"worker_id": [worker_id] * len(rating), **named, "rating": rating})]
    )


def _shown(crowd: _Crowd, n: int) -> np.ndarray:
    """The quality of the texts that `_with` shows."""
    return crowd.quality.sample(fraction=1, shuffle=True, seed=1).head(n)["quality"].to_numpy()


def _fit(frame: pl.DataFrame, chosen: WorkerModelSettings = SETTINGS) -> Fit:
    return methods()["worker-model"].fit(frame, chosen, np.random.default_rng(7))


def _of(fit: Fit, worker_id: str, column: str) -> float | None:
    return fit.workers.filter(pl.col("worker_id") == worker_id)[column].item()


def _honest_weight(fit: Fit) -> float:
    return float(fit.workers.filter(pl.col("worker_id").str.starts_with("w"))["weight"].mean())


@pytest.fixture(scope="module")
def crowd() -> _Crowd:
    return _honest(1)


@pytest.fixture(scope="module")
def workers(crowd: _Crowd) -> pl.DataFrame:
    return _fit(crowd.frame).workers


# The honest.


def test_all_columns_are_there_and_known(workers: pl.DataFrame) -> None:
    assert set(workers.columns) == {"worker_id", "mean", "sd", *LEARNED}
    assert workers.null_count().sum_horizontal().item() == 0
    assert workers["worker_id"].to_list() == [f"w{w:02}" for w in range(N_WORKERS)]


def test_offsets_are_points_above_the_average_worker(crowd: _Crowd, workers: pl.DataFrame) -> None:
    true = crowd.offset - crowd.offset.mean()

    # Sixty ratings of about 18 points' deviation each: known to 2.3 points, and drawn a little towards 0.
    assert workers["offset"].mean() == pytest.approx(0, abs=1e-9)
    assert np.abs(workers["offset"].to_numpy() - true).max() < 4 * 2.3
    assert np.polyfit(true, workers["offset"].to_numpy(), 1)[0] == pytest.approx(0.95, abs=0.15)


def test_slopes_are_relative_to_the_average_worker(crowd: _Crowd, workers: pl.DataFrame) -> None:
    assert workers["slope"].mean() == pytest.approx(1)
    assert np.corrcoef(workers["slope"], crowd.slope)[0, 1] > 0.9


def test_weights_are_relative_to_the_average_worker(crowd: _Crowd, workers: pl.DataFrame) -> None:
    assert workers["weight"].mean() == pytest.approx(1)
    # What a rating is worth: how far quality moves it, against its noise.
    worth = crowd.slope / crowd.noise
    assert np.corrcoef(workers["weight"], worth)[0, 1] > 0.8


def test_precise_workers_are_known_as_such(crowd: _Crowd, workers: pl.DataFrame) -> None:
    assert np.corrcoef(np.log(workers["precision"]), np.log(1 / crowd.noise**2))[0, 1] > 0.8


def test_a_precision_is_that_of_ratings_divided_by_the_deviation_of_all(
    crowd: _Crowd, workers: pl.DataFrame
) -> None:
    true = (crowd.frame["rating"].std() / crowd.noise) ** 2

    # Drawn towards the others' with sixteen ratings' weight against sixty, and by noise that slopes take up.
    np.testing.assert_allclose(np.median(workers["precision"] / true), 1, atol=0.3)


@pytest.mark.parametrize("column", ["offset_sd", "slope_sd", "precision_sd"])
def test_how_sure_it_is_shrinks_with_the_number_of_ratings(column: str, crowd: _Crowd) -> None:
    few = pl.col("worker_id").ne("w05") | (pl.col("segment_id") < "g10")

    whole, part = _fit(crowd.frame), _fit(crowd.frame.filter(few))

    assert _of(part, "w05", column) > _of(whole, "w05", column)


# The others.


@pytest.mark.parametrize("seed", range(3))
def test_a_worker_who_rates_at_random_counts_less_than_a_third_of_the_honest(seed: int) -> None:
    rating = np.random.default_rng(50 + seed).uniform(0, 100, 60)

    fit = _fit(_with(_honest(seed), "x", rating))

    assert _of(fit, "x", "weight") < 0.3 * _honest_weight(fit)


def test_a_worker_who_gives_the_same_rating_sixty_times_has_next_to_no_weight(crowd: _Crowd) -> None:
    fit = _fit(_with(crowd, "x", np.full(60, 73.0)))

    assert _of(fit, "x", "weight") < 0.05
    assert _of(fit, "x", "slope") < 0.1
    assert [_of(fit, "x", name) for name in ("precision", "offset_sd", "slope_sd", "precision_sd")] == [
        None
    ] * 4
    assert fit.warnings[-1].startswith("1 worker always gave the same rating")


def test_a_worker_who_always_gives_the_same_rating_hardly_moves_a_score(crowd: _Crowd) -> None:
    alone, fit = _fit(crowd.frame), _fit(_with(crowd, "x", np.full(60, 73.0)))

    # As one of seven on sixty texts they count like anyone, but in the plain half of a score only.
    usual = 60 / len(alone.segments) / 7 * np.abs(alone.systems["score"].to_numpy())
    moved = np.abs(fit.systems["score"].to_numpy() - alone.systems["score"].to_numpy())
    assert (moved < usual / 2 + 0.02).all()


def test_several_who_always_give_the_same_rating_are_told_in_the_plural(crowd: _Crowd) -> None:
    frame = pl.concat([_with(crowd, "x", np.full(20, 10.0)), _with(crowd, "y", np.full(20, 90.0))]).unique(
        ["worker_id", "system_id", "segment_id"], maintain_order=True
    )

    assert _fit(frame).warnings[-1].startswith("2 workers always gave the same rating")


@pytest.mark.parametrize("seed", range(3))
def test_a_worker_who_turns_the_scale_round_gets_a_slope_near_nought_and_never_below(seed: int) -> None:
    crowd = _honest(seed)

    fit = _fit(_with(crowd, "x", np.clip(50 - _shown(crowd, 60), 0, 100)))

    slope = _of(fit, "x", "slope")
    assert slope is not None
    assert 0 <= slope < 0.15
    assert _of(fit, "x", "weight") < 0.05


@pytest.mark.parametrize("seed", range(3))
def test_a_worker_of_all_noughts_and_then_all_hundreds_counts_next_to_nothing(seed: int) -> None:
    # The texts are in random order, so the halves are equally good.
    rating = np.repeat([0.0, 100.0], 30)

    fit = _fit(_with(_honest(seed), "x", rating))

    weights = fit.workers["weight"]
    assert _of(fit, "x", "weight") < 0.3 * _honest_weight(fit)
    assert _of(fit, "x", "weight") == weights.min()


def test_a_worker_of_one_rating_weighs_less_than_the_average(crowd: _Crowd) -> None:
    fit = _fit(_with(crowd, "x", np.array([80.0])))

    assert 0 < _of(fit, "x", "weight") < 1
    assert _of(fit, "x", "sd") is None


def test_a_worker_of_two_ratings_is_taken_for_nearly_average(crowd: _Crowd) -> None:
    fit = _fit(_with(crowd, "x", np.array([60.0, 61.0])))

    assert _of(fit, "x", "slope") == pytest.approx(1, abs=0.3)


# Hardly any data.


def test_equal_ratings_of_everybody_are_not_enough(crowd: _Crowd) -> None:
    with pytest.raises(NotEnoughData, match="every worker always gave the same rating") as raised:
        _fit(crowd.frame.with_columns(rating=pl.lit(50.0)))

    assert 'method="mean-rating"' in str(raised.value)


def test_one_rating_of_each_worker_is_not_enough(crowd: _Crowd) -> None:
    with pytest.raises(NotEnoughData, match="always gave the same rating"):
        _fit(crowd.frame.unique("worker_id", keep="first", maintain_order=True))


def _all_finite(fit: Fit) -> bool:
    """Whether scores are numbers, and errors too unless they are unknown."""
    bounds = fit.systems.select("lower", "upper").drop_nulls().to_numpy().ravel()
    numbers = [
        fit.systems["score"].to_numpy(),
        bounds,
        fit.segments.select("score", "sd").to_numpy().ravel(),
        fit.workers.select(LEARNED).fill_null(0.0).to_numpy().ravel(),
        np.zeros(0) if fit.draws is None else fit.draws.ravel(),
    ]
    return bool(np.isfinite(np.concatenate(numbers)).all())


@pytest.mark.parametrize(
    "kept",
    [
        pl.col("worker_id") == "w01",
        (pl.col("system_id") == "S0") & (pl.col("segment_id").is_in(["g00", "g01"])),
        pl.col("system_id") == "S0",
        pl.col("segment_id") == "g03",
    ],
    ids=["one worker", "two texts", "one system", "one segment"],
)
def test_little_is_enough_for_numbers(crowd: _Crowd, kept: pl.Expr) -> None:
    rows = crowd.frame.filter(kept)
    # Somebody must have varied.
    rows = pl.concat([rows, rows.head(1).with_columns(rating=pl.col("rating") - 5)])

    fit = _fit(rows)

    assert _all_finite(fit)
    assert (fit.segments["sd"] >= 0).all()


@pytest.mark.parametrize("kept", [pl.col("worker_id") == "w01", pl.col("segment_id") == "g03"])
def test_one_worker_or_one_document_says_nothing_of_others(crowd: _Crowd, kept: pl.Expr) -> None:
    fit = _fit(crowd.frame.filter(kept))

    assert fit.systems["lower"].is_null().all()
    assert np.isnan(fit.p_values).all()
    assert fit.draws is None


def test_one_text_alone_is_enough_for_numbers() -> None:
    names = {"system_id": ["A"] * 4, "segment_id": ["s"] * 4}

    fit = _fit(_rows({"worker_id": ["v", "v", "w", "w"], **names, "rating": [40.0, 50.0, 60.0, 65.0]}))

    assert _all_finite(fit)
    assert fit.systems["n_judgements"].to_list() == [4]


@settings(max_examples=40)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from(["regular", "regular", "repeat", "degraded", "reference"]),
            st.integers(0, 2),
            st.integers(0, 3),
            st.sampled_from([0.0, 3.5, 50.0, 51.0, 97.25, 100.0]),
            st.integers(0, 1),
        ),
        min_size=2,
        max_size=30,
    )
)
def test_whatever_was_rated_scores_are_numbers(rows: list[tuple[int, str, int, int, float, int]]) -> None:
    names = ["worker_id", "item_kind", "system_id", "segment_id", "rating", "attribute"]
    # One text that surely counts, and somebody who varies.
    sure = [(0, "regular", 0, 0, 20.0, 0), (0, "repeat", 0, 0, 30.0, 0)]
    table = pl.DataFrame([*rows, *sure], schema=names, orient="row")
    to_names = pl.col("worker_id", "system_id", "segment_id", "attribute").cast(pl.String)
    frame = ratings_frame(table.with_columns(to_names, hit_id=pl.lit("h")))

    fit = _fit(frame)

    assert _all_finite(fit)
    assert (fit.segments["sd"] >= 0).all()
    assert (fit.systems["lower"] <= fit.systems["upper"]).all(ignore_nulls=True)
    assert (fit.workers["slope"] >= 0).all()
    assert (fit.workers["weight"] >= 0).all()
