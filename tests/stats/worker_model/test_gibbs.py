"""The Gibbs sampler as users meet it: invariances, summaries, refusals, strange workers, links in time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.gibbs import (
    GibbsOptions,
    GibbsPriors,
    PosteriorDraws,
    posterior_summary,
    sample,
    sampling_quality,
)
from steelyard.stats.worker_model.problem import Normal, WorkerRatings

SHORT = GibbsOptions(sweeps=60, warm_up=20, chains=2)


def some_ratings(n_items: int = 30, n_workers: int = 6, seed: int = 1) -> WorkerRatings:
    """Everybody judges everything, in HITs of half the items; with ties."""
    rng = np.random.default_rng(seed)
    item, worker = (index.ravel() for index in np.indices((n_items, n_workers)))
    quality, offset = rng.normal(size=n_items), rng.normal(0, 0.5, size=n_workers)
    value = quality[item] + offset[worker] + rng.normal(0, 0.7, size=len(item))
    order, repeat = np.array([[0, 1], [2, 1], [3, 4]]), np.array([[5, 6], [7, 6]])
    hit = 2 * worker + item // (n_items // 2)
    return WorkerRatings(item, worker, value, n_items, n_workers, order=order, repeat=repeat, hit=hit)


def every_extension(ratings: WorkerRatings) -> GibbsPriors:
    """All of the family at once."""
    return GibbsPriors(
        slope=Normal(np.array(1.0), np.array(0.25)),
        positive=True,
        groups=np.arange(ratings.n_items)[:, None] % 3,
        hit_sd=0.5,
        margin=0.1,
        bounds=(float(ratings.value.min()), float(ratings.value.max())),
        censored=True,
        contamination=(1.0, 9.0),
    )


PARTS = ["quality", "offset", "slope", "precision", "effect", "contamination", "hit_offset"]


@pytest.fixture(scope="module")
def two_runs() -> list[PosteriorDraws]:
    ratings = some_ratings()
    return [sample(ratings, every_extension(ratings), SHORT, np.random.default_rng(5)) for _ in range(2)]


@pytest.mark.parametrize("part", PARTS)
def test_the_same_seed_gives_the_same_draws(part: str, two_runs: list[PosteriorDraws]) -> None:
    one, other = two_runs

    assert np.array_equal(getattr(one, part), getattr(other, part))


def test_the_order_of_the_ratings_does_not_matter() -> None:
    ratings = some_ratings()
    shuffle = np.random.default_rng(2).permutation(len(ratings.value))
    shuffled = replace(
        ratings,
        item=ratings.item[shuffle],
        worker=ratings.worker[shuffle],
        value=ratings.value[shuffle],
        hit=ratings.hit[shuffle],
        order=ratings.order[::-1],
        repeat=ratings.repeat[::-1],
    )

    one, other = (
        sample(each, every_extension(ratings), SHORT, np.random.default_rng(5))
        for each in (ratings, shuffled)
    )

    assert np.array_equal(one.quality, other.quality)


def test_the_ratings_are_left_as_they_were() -> None:
    ratings = some_ratings()
    before = ratings.value.copy()

    sample(ratings, every_extension(ratings), SHORT, np.random.default_rng(5))

    assert np.array_equal(ratings.value, before)


def test_hits_do_not_matter_unless_they_have_offsets() -> None:
    ratings = some_ratings()

    one, other = (
        sample(each, GibbsPriors(), SHORT, np.random.default_rng(5))
        for each in (ratings, replace(ratings, hit=None))
    )

    assert np.array_equal(one.quality, other.quality)


def test_fixed_slopes_stay_where_they_are() -> None:
    ratings = some_ratings()
    slope = Normal(np.linspace(0.5, 1.5, 6), np.array([0.0, 0.3] * 3))

    draws = sample(ratings, GibbsPriors(slope=slope), SHORT, np.random.default_rng(5))

    assert np.all(draws.slope[:, ::2] == slope.mean[::2].astype(np.float32))
    assert np.all(draws.slope[:, 1::2].std(axis=0) > 0)


def test_a_worker_without_ratings_has_the_prior() -> None:
    ratings = replace(some_ratings(), n_workers=7)

    draws = sample(ratings, GibbsPriors(), GibbsOptions(sweeps=1100, warm_up=100), np.random.default_rng(5))

    # Precision Gamma(2, 1): mean 2, variance 2. Four errors of 2,000 independent draws.
    assert draws.precision[:, 6].mean() == pytest.approx(2, abs=4 * np.sqrt(2 / 2000))
    assert draws.offset[:, 6].std() == pytest.approx(1, abs=4 / np.sqrt(2 * 2000))


def test_draws_are_thinned_to_the_numbers_that_may_be_kept() -> None:
    ratings = some_ratings()
    # A row holds 30 qualities, 6 offsets, slopes, precisions and shares of clicks, and an offset per worker.
    options = replace(SHORT, most_values=10 * 2 * (30 + 5 * 6))

    draws = sample(ratings, GibbsPriors(), options, np.random.default_rng(5))

    assert draws.quality.shape == (20, 30)


def test_moments_count_the_sweeps_that_were_thinned_out() -> None:
    ratings = some_ratings()
    whole = sample(ratings, GibbsPriors(), SHORT, np.random.default_rng(5))

    thinned = sample(ratings, GibbsPriors(), replace(SHORT, most_values=1), np.random.default_rng(5))

    assert len(thinned.quality) == 8
    assert thinned.quality_moments.mean == pytest.approx(whole.quality.mean(axis=0), abs=1e-5)
    assert thinned.quality_moments.sd == pytest.approx(whole.quality.std(axis=0, ddof=1), abs=1e-5)


def test_the_summary_keeps_the_moments_of_precisions() -> None:
    ratings = some_ratings()
    draws = sample(ratings, GibbsPriors(), SHORT, np.random.default_rng(5))

    precision = posterior_summary(draws).precision

    assert precision.mean == pytest.approx(draws.precision.mean(axis=0, dtype=np.float64))
    assert precision.sd == pytest.approx(draws.precision.std(axis=0, ddof=1, dtype=np.float64))


def test_the_summary_says_whether_the_chains_agree() -> None:
    ratings = some_ratings()

    long, brief = (
        posterior_summary(sample(ratings, GibbsPriors(), options, np.random.default_rng(5)))
        for options in (GibbsOptions(sweeps=900, warm_up=100), GibbsOptions(sweeps=5, warm_up=1))
    )

    assert long.converged
    assert not brief.converged


def test_the_change_is_the_error_of_the_worst_mean() -> None:
    draws = sample(some_ratings(), GibbsPriors(), SHORT, np.random.default_rng(5))

    assert posterior_summary(draws).change == pytest.approx(sampling_quality(draws).smallest_ess ** -0.5)


def test_unconnected_campaigns_still_mix() -> None:
    # Each worker alone with items of their own: quality and offset differ only by their priors.
    item = np.arange(400)
    rng = np.random.default_rng(6)
    ratings = WorkerRatings(item, item // 100, rng.normal(size=400), 400, 4)

    draws = sample(ratings, GibbsPriors(), GibbsOptions(sweeps=700, warm_up=200), rng)

    assert sampling_quality(draws).largest_rhat < 1.05


def test_loose_scales_still_mix() -> None:
    ratings = some_ratings(n_items=100, n_workers=8)
    priors = GibbsPriors(slope=Normal(np.array(1.0), np.array(0.5)), positive=True)

    draws = sample(ratings, priors, GibbsOptions(sweeps=1200, warm_up=200), np.random.default_rng(6))

    assert sampling_quality(draws).smallest_ess > 400


REFUSED = {
    "sds must be above 0": GibbsPriors(quality=Normal(np.array(0.0), np.array(0.0))),
    "offset_sd": GibbsPriors(offset_sd=-1.0),
    "slope: sds": GibbsPriors(slope=Normal(np.array(1.0), np.array(-1.0))),
    "fixed below 0": GibbsPriors(slope=Normal(np.array(-1.0), np.array(0.0)), positive=True),
    "shape and rate": GibbsPriors(rate=0.0),
    "one row for each item": GibbsPriors(groups=np.zeros((3, 1), dtype=np.int64)),
    "one column only": GibbsPriors(groups=np.zeros((30, 2), dtype=np.int64)),
    "effect": GibbsPriors(
        groups=np.zeros((30, 1), dtype=np.int64), effect=Normal(np.array(0.0), np.array(0.0))
    ),
    "hit_sd": GibbsPriors(hit_sd=0.0),
    "repeat_sd": GibbsPriors(repeat_sd=0.0),
    "margin": GibbsPriors(margin=-0.1),
    "need bounds": GibbsPriors(contamination=(1.0, 9.0)),
    "the lower comes first": GibbsPriors(bounds=(1.0, -1.0)),
    "Beta": GibbsPriors(bounds=(-1.0, 1.0), contamination=(0.0, 9.0)),
}


@pytest.mark.parametrize("complaint", REFUSED)
def test_priors_that_make_no_sense_are_refused(complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        sample(some_ratings(), REFUSED[complaint], SHORT, np.random.default_rng(1))


def test_hit_offsets_need_hits() -> None:
    with pytest.raises(ValueError, match="the ratings have no hit"):
        sample(replace(some_ratings(), hit=None), GibbsPriors(hit_sd=0.5), SHORT, np.random.default_rng(1))


def test_a_hit_of_two_workers_is_refused() -> None:
    ratings = replace(some_ratings(), hit=np.zeros(180, dtype=np.int64))

    with pytest.raises(ValueError, match="belongs to one worker only"):
        sample(ratings, GibbsPriors(hit_sd=0.5), SHORT, np.random.default_rng(1))


def test_ratings_that_are_no_numbers_are_refused() -> None:
    ratings = replace(some_ratings(), value=np.full(180, np.nan))

    with pytest.raises(ValueError, match="must be numbers"):
        sample(ratings, GibbsPriors(), SHORT, np.random.default_rng(1))


def test_a_warm_up_without_sweeps_after_it_is_refused() -> None:
    with pytest.raises(ValueError, match="warm-up"):
        sample(some_ratings(), GibbsPriors(), GibbsOptions(sweeps=100, warm_up=100), np.random.default_rng(1))


def campaign_with_a_strange_worker(seed: int) -> tuple[WorkerRatings, tuple[float, float]]:
    """Worker 0 of twenty gives 0 to everything in one HIT of 40, and 100 in the other; with the bounds."""
    rng = np.random.default_rng(seed)
    n_items, n_workers, size = 160, 20, 40
    item = np.concatenate([rng.permutation(n_items)[: 2 * size] for _ in range(n_workers)])
    worker, hit = np.repeat(np.arange(n_workers), 2 * size), np.repeat(np.arange(2 * n_workers), size)
    quality, offset = rng.normal(size=n_items), rng.normal(0, 0.5, size=n_workers)
    noise = rng.normal(size=len(item)) / np.sqrt(rng.gamma(4, 0.5, size=n_workers))[worker]
    rating = np.rint((55 + 25 * (quality[item] + offset[worker] + noise)).clip(0, 100))
    rating = np.select([hit == 0, hit == 1], [0.0, 100.0], rating)
    mean, sd = rating.mean(), rating.std()
    ratings = WorkerRatings(item, worker, (rating - mean) / sd, n_items, n_workers, hit=hit)
    return ratings, (float(-mean / sd), float((100 - mean) / sd))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_worker_of_0_in_one_hit_and_100_in_the_next_weighs_little(seed: int) -> None:
    ratings, bounds = campaign_with_a_strange_worker(seed)
    priors = GibbsPriors(bounds=bounds, contamination=(1.0, 9.0))

    posterior = posterior_summary(
        sample(ratings, priors, GibbsOptions(sweeps=400, warm_up=200), np.random.default_rng(seed))
    )

    weight = (1 - posterior.contamination) * posterior.precision.mean
    assert weight[0] < np.quantile(weight, 0.1)
    assert posterior.contamination[0] > 0.5


N_PAIRS, N_REGULAR, N_KNOWN, JUDGES = 40, 20, 12, 3


def linked_campaigns(seed: int) -> tuple[WorkerRatings, GibbsPriors, FloatArray]:
    """Forty times two campaigns with items and workers of their own and twelve known items in common.

    Regular items of the second campaign are better by a shift; its workers are more lenient by 0.8, which
    would look like a shift without the known items. Also gives the priors and the forty true shifts.
    """
    rng = np.random.default_rng(seed)
    shift = rng.normal(0, 0.7, size=N_PAIRS)
    part, year, worker, number = np.indices((N_PAIRS, 2, JUDGES, N_REGULAR + N_KNOWN))
    # Items of a pair: regular ones of both years, then the known ones.
    place = np.where(number < N_REGULAR, year * N_REGULAR + number, N_REGULAR + number)
    item = (part * (2 * N_REGULAR + N_KNOWN) + place).ravel()
    worker = ((part * 2 + year) * JUDGES + worker).ravel()
    quality = rng.normal(size=(N_PAIRS, 2 * N_REGULAR + N_KNOWN))
    quality[:, N_REGULAR : 2 * N_REGULAR] += shift[:, None]
    recorded = quality + rng.normal(0, 0.1, size=quality.shape)
    known = np.arange(2 * N_REGULAR + N_KNOWN) >= 2 * N_REGULAR
    offset = rng.normal(0, 0.5, size=(N_PAIRS, 2, JUDGES)) + np.array([0.0, 0.8])[:, None]
    slope = rng.normal(1, 0.25, size=N_PAIRS * 2 * JUDGES)
    value = (
        offset.ravel()[worker] + slope[worker] * quality.ravel()[item] + rng.normal(0, 0.6, size=len(item))
    )
    group = np.where(known, -1, np.arange(N_PAIRS)[:, None] * 2 + (np.arange(len(known)) >= N_REGULAR))
    priors = GibbsPriors(
        quality=Normal(
            np.where(known, recorded, 0.0).ravel(), np.where(known, 0.1, 1.0 + 0 * quality).ravel()
        ),
        slope=Normal(np.array(1.0), np.array(0.25)),
        groups=group.reshape(-1, 1),
        effect=Normal(np.array(0.0), np.array(1.0)),
    )
    return WorkerRatings(item, worker, value, quality.size, N_PAIRS * 2 * JUDGES), priors, shift


def test_known_items_recover_the_shift_between_two_campaigns() -> None:
    ratings, priors, shift = linked_campaigns(1)

    draws = sample(ratings, priors, GibbsOptions(sweeps=700, warm_up=200), np.random.default_rng(1))

    found = draws.effect[:, 1::2] - draws.effect[:, ::2]
    low, high = np.quantile(found, [0.05, 0.95], axis=0)
    # Of forty 90 % intervals 36 hold the truth on average, and 30 or fewer once in 200 times.
    assert np.sum((low < shift) & (shift < high)) > 30
    assert np.mean(high - low) < 1.5
