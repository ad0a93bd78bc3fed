from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from steelyard.simulate.crowd import Mix, make_crowd, perceived, shown_ms

PROFILES = ("careful", "noisy", "careless", "cheating")


def crowd_of(profile: str, n: int, rng: np.random.Generator):
    only = {name: float(name == profile) for name in PROFILES}
    return make_crowd(n, mix=Mix(**only), rng=rng)


def test_the_default_mix_is_met_exactly():
    crowd = make_crowd(40, rng=np.random.default_rng(1))

    assert Counter(worker.profile for worker in crowd) == {
        "careful": 20,
        "noisy": 10,
        "careless": 6,
        "cheating": 4,
    }


@pytest.mark.parametrize(
    ("n", "counts"),
    [
        # 3.5, 1.75, 1.05, 0.7: the largest remainders are those of noisy and cheating.
        (7, (3, 2, 1, 1)),
        # 0.5, 0.25, 0.15, 0.1
        (1, (1, 0, 0, 0)),
        (0, (0, 0, 0, 0)),
    ],
)
def test_largest_remainders_decide_about_the_rest(n, counts):
    crowd = make_crowd(n, rng=np.random.default_rng(1))

    profiles = Counter(worker.profile for worker in crowd)
    assert tuple(profiles[name] for name in PROFILES) == counts


def test_shares_are_scaled_to_one():
    crowd = make_crowd(10, mix=Mix(careful=3, noisy=1, careless=0, cheating=1), rng=np.random.default_rng(1))

    assert Counter(worker.profile for worker in crowd) == {"careful": 6, "noisy": 2, "cheating": 2}


@pytest.mark.parametrize("mix", [Mix(0, 0, 0, 0), Mix(careful=-0.1)])
def test_impossible_shares_are_refused(mix):
    with pytest.raises(ValueError, match="must not be negative and not all be zero"):
        make_crowd(10, mix=mix, rng=np.random.default_rng(1))


def test_a_negative_number_of_workers_is_refused():
    with pytest.raises(ValueError, match="-1 workers"):
        make_crowd(-1, rng=np.random.default_rng(1))


def test_the_same_seed_makes_the_same_crowd():
    first, second = (make_crowd(30, rng=np.random.default_rng(4)) for _ in range(2))

    assert first == second


def test_profiles_come_in_random_order():
    crowd = make_crowd(40, rng=np.random.default_rng(1))

    assert [worker.profile for worker in crowd] != sorted(worker.profile for worker in crowd)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("quality", [0.0, 0.3, 1.0])
def test_what_is_perceived_stays_on_the_scale(profile, quality):
    rng = np.random.default_rng(2)

    answers = [perceived(worker, quality, rng).quality for worker in crowd_of(profile, 200, rng)]

    assert min(answers) >= 0
    assert max(answers) <= 1


def test_a_careful_crowd_sees_quality_without_bias():
    rng = np.random.default_rng(2)

    answers = [perceived(worker, 0.6, rng).quality for worker in crowd_of("careful", 2000, rng)]

    assert np.mean(answers) == pytest.approx(0.6, abs=0.01)


def test_cheats_see_no_quality():
    rng = np.random.default_rng(2)
    crowd = crowd_of("cheating", 3000, rng)

    good, bad = ([perceived(worker, quality, rng).quality for worker in crowd] for quality in (0.9, 0.1))

    assert np.mean(good) == pytest.approx(np.mean(bad), abs=0.03)


def test_there_are_three_sorts_of_cheating():
    crowd = crowd_of("cheating", 9, np.random.default_rng(2))

    assert Counter(worker.cheat for worker in crowd) == {"random": 3, "constant": 3, "endpoints": 3}


def test_constant_clicking_stays_near_one_value():
    rng = np.random.default_rng(2)
    worker = next(worker for worker in crowd_of("cheating", 9, rng) if worker.cheat == "constant")

    answers = [perceived(worker, quality, rng).quality for quality in rng.random(100)]

    assert np.std(answers) < 0.05


def test_endpoint_clicking_knows_two_values():
    rng = np.random.default_rng(2)
    worker = next(worker for worker in crowd_of("cheating", 9, rng) if worker.cheat == "endpoints")

    answers = {perceived(worker, quality, rng).quality for quality in rng.random(100)}

    assert answers == {0.0, 1.0}


@pytest.mark.parametrize(
    ("profile", "least", "most"),
    [("careful", 0.95, 1.0), ("noisy", 0.6, 1.0), ("careless", 0.03, 0.4), ("cheating", 0.02, 0.09)],
)
def test_profiles_pass_the_paired_t_test_at_ten_pairs_as_such_people_would(profile, least, most):
    rng = np.random.default_rng(5)
    crowd = crowd_of(profile, 600, rng)
    base = rng.uniform(0.4, 0.9, size=(len(crowd), 10))
    degraded = base - rng.uniform(0.2, 0.35, size=base.shape)

    difference = np.array(
        [
            [
                perceived(worker, b, rng).quality - perceived(worker, d, rng).quality
                for b, d in zip(good, bad, strict=True)
            ]
            for worker, good, bad in zip(crowd, base, degraded, strict=True)
        ]
    )
    passed = ttest_1samp(difference, 0.0, axis=1, alternative="greater").pvalue < 0.05

    assert least <= passed.mean() <= most


@pytest.mark.parametrize(
    ("profile", "share"), [("careful", 1.0), ("noisy", 0.78), ("careless", 0.28), ("cheating", 0.11)]
)
@pytest.mark.parametrize("seconds", [18.0, 13.0, 40.0])
def test_the_median_time_is_the_profiles_share_of_a_careful_workers(profile, share, seconds):
    rng = np.random.default_rng(3)

    times = [shown_ms(worker, seconds, rng) for worker in crowd_of(profile, 4000, rng)]

    # Log seconds spread by 0.38 in all: the median of 4000 has a standard error of about 0.8 %.
    assert np.median(times) == pytest.approx(1000 * seconds * share, rel=0.03)
    assert all(isinstance(time, int) and time > 0 for time in times)


def test_nobody_is_faster_than_a_hand_can_be():
    rng = np.random.default_rng(3)

    times = [shown_ms(worker, 0.1, rng) for worker in crowd_of("cheating", 100, rng)]

    assert set(times) == {300}
