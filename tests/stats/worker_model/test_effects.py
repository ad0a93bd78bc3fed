from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steelyard.stats.worker_model.effects import (
    Effects,
    ItemMoments,
    ItemOrigin,
    expected_quality,
    learn_effects,
    no_effects,
    quality_given,
)

# Where learning begins: see the module. A change of these changes every score.
SYSTEM_VARIANCE, SEGMENT_VARIANCE, ITEM_VARIANCE, LEAST_ITEM_VARIANCE = 0.03, 0.05, 0.15, 0.1


def _origin(
    system: list[int],
    *,
    segment: list[int] | None = None,
    criterion: list[int] | None = None,
    kind: list[int] | None = None,
) -> ItemOrigin:
    kind, criterion = kind or [0] * len(system), criterion or [0] * len(system)
    return ItemOrigin(
        kind=np.array(kind),
        system=np.array(system),
        segment=np.full(len(system), -1) if segment is None else np.array(segment),
        criterion=np.array(criterion),
        n_kinds=max(kind) + 1,
        n_systems=max(system) + 1,
        n_segments=max(segment or [-1]) + 1,
        n_criteria=max(criterion) + 1,
    )


def _same(rating: list[float], n: list[float]) -> ItemMoments:
    """The moments where all ratings of an item are the same."""
    count, value = np.array(n, dtype=np.float64), np.array(rating, dtype=np.float64)
    return ItemMoments(count, count * value, count * value**2)


def _learned(origin: ItemOrigin, measured: list[float], *, precision: float, n_ratings: int) -> Effects:
    """The effects where every item was measured with one precision, by so many ratings that agree."""
    told = np.full(len(measured), precision)
    return learn_effects(
        origin,
        no_effects(origin),
        pull=told * measured,
        precision=told,
        moments=_same(measured, [n_ratings] * len(measured)),
    )


# Two systems, three items each, one measured 1 above and the other 1 below: the kind is 0 by symmetry. With
# an item variance of 0.15 a measurement of precision 10 has weight 10 / (1 + 1.5) = 4, three of them 12.
TWO_SYSTEMS = _origin([0, 0, 0, 1, 1, 1])
OPPOSITE = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0]
SYSTEM_EFFECT = 12 / (1 / SYSTEM_VARIANCE + 12)
SYSTEM_LEFT_OPEN = 1 / (1 / SYSTEM_VARIANCE + 12)


def test_a_system_lies_between_nought_and_what_its_items_measure() -> None:
    effects = _learned(TWO_SYSTEMS, OPPOSITE, precision=10, n_ratings=1)

    np.testing.assert_allclose(effects.system[:, 0], [SYSTEM_EFFECT, -SYSTEM_EFFECT])
    np.testing.assert_allclose(effects.kind, 0, atol=1e-15)


def test_the_variance_of_systems_begins_with_two_made_up_ones() -> None:
    effects = _learned(TWO_SYSTEMS, OPPOSITE, precision=10, n_ratings=1)

    # Of the two systems one is taken up by their mean, which is their kind's.
    squares = 2 * (SYSTEM_EFFECT**2 + SYSTEM_LEFT_OPEN)
    np.testing.assert_allclose(effects.system_covariance, [[(squares + 2 * SYSTEM_VARIANCE) / (1 + 2)]])


def test_items_of_one_rating_leave_the_item_variance_as_it_began() -> None:
    effects = _learned(TWO_SYSTEMS, OPPOSITE, precision=10, n_ratings=1)

    np.testing.assert_allclose(effects.item_variance, [ITEM_VARIANCE])


def test_two_ratings_of_an_item_teach_the_item_variance_by_their_product() -> None:
    effects = _learned(TWO_SYSTEMS, OPPOSITE, precision=10, n_ratings=2)

    # Products of 1 each, of which the square of the system's effect is explained; ten made-up items.
    expected = (6 * (1 - SYSTEM_EFFECT**2) + 10 * ITEM_VARIANCE) / (6 + 10)
    np.testing.assert_allclose(effects.item_variance, [expected])


def test_ratings_that_disagree_teach_that_items_vary_little() -> None:
    ratings = np.array([[2.0, -1.0, -1.0]] * 100)
    origin = _origin([-1] * 100)
    precision = np.full(100, 10.0)

    effects = learn_effects(
        origin,
        no_effects(origin),
        pull=np.zeros(100),
        precision=precision,
        moments=ItemMoments(np.full(100, 3.0), ratings.sum(axis=1), (ratings**2).sum(axis=1)),
    )

    # Products of pairs: -2, -2 and 1. Below 0 counts as 0: ten made-up items of 0.15 among 110 would be
    # 0.0136, less than texts ever vary.
    np.testing.assert_allclose(effects.item_variance, [LEAST_ITEM_VARIANCE])


def test_what_segments_explain_is_no_variance_of_items() -> None:
    segment = [0, 0, 1, 1]
    plain, segmented = _origin([-1] * 4), _origin([-1] * 4, segment=segment)
    measured = [1.0, 1.0, -1.0, -1.0]

    without = _learned(plain, measured, precision=10, n_ratings=2)
    effects = _learned(segmented, measured, precision=10, n_ratings=2)

    # Four items among fourteen.
    lost = 4 / 14 * effects.segment_variance
    np.testing.assert_allclose(effects.item_variance, without.item_variance - lost)


def test_each_kind_has_an_item_variance_of_its_own() -> None:
    origin = _origin([-1] * 6, kind=[0, 0, 0, 1, 1, 1])
    precision, measured = np.full(6, 10.0), [1.0, 1.0, 1.0, 5.0, 5.0, -10.0]

    effects = learn_effects(
        origin,
        no_effects(origin),
        pull=precision * measured,
        precision=precision,
        moments=_same(measured, [1, 1, 1, 2, 2, 2]),
    )

    # The second kind is 0, so that its products are 25, 25 and 100.
    np.testing.assert_allclose(effects.item_variance, [ITEM_VARIANCE, (150 + 10 * ITEM_VARIANCE) / 13])


def test_a_kind_is_hardly_drawn_towards_nought() -> None:
    origin = _origin([-1, -1, -1])

    effects = _learned(origin, [-2.0, -2.0, -2.0], precision=10, n_ratings=1)

    # Weight 4 for each of three items against a prior variance of 4.
    np.testing.assert_allclose(effects.kind, [[-2 * 12 / (1 / 4 + 12)]])


def test_a_segment_lies_between_nought_and_what_its_items_measure() -> None:
    origin = _origin([-1, -1, -1, -1], segment=[0, 0, 1, 1])

    effects = _learned(origin, [1.0, 1.0, -1.0, -1.0], precision=10, n_ratings=1)

    # Weight 4 for each of two items; the second round begins with the variance that the first one learned.
    first = 8 / (1 / SEGMENT_VARIANCE + 8)
    squares = 2 * (first**2 + 1 / (1 / SEGMENT_VARIANCE + 8))
    variance = (squares + 10 * SEGMENT_VARIANCE) / (2 + 10)
    second = 8 / (1 / variance + 8)
    np.testing.assert_allclose(effects.segment, [second, -second])
    squares = 2 * (second**2 + 1 / (1 / variance + 8))
    assert effects.segment_variance == pytest.approx((squares + 10 * SEGMENT_VARIANCE) / (2 + 10))


def test_segments_of_one_item_teach_nothing_of_how_segments_vary() -> None:
    origin = _origin([-1] * 4, segment=[0, 1, 2, 3])

    effects = _learned(origin, [3.0, -3.0, 3.0, -3.0], precision=10, n_ratings=5)

    assert effects.segment_variance == pytest.approx(SEGMENT_VARIANCE)


def test_a_second_item_that_nobody_rated_does_not_make_two() -> None:
    origin = _origin([-1] * 4, segment=[0, 0, 1, 1])
    precision = np.array([10.0, 0, 10, 0])

    effects = learn_effects(
        origin,
        no_effects(origin),
        pull=precision * [3, 0, -3, 0],
        precision=precision,
        moments=_same([3, 0, -3, 0], [5, 0, 5, 0]),
    )

    assert effects.segment_variance == pytest.approx(SEGMENT_VARIANCE)


def test_items_without_ratings_change_no_effect() -> None:
    more = _origin([0, 0, 0, 1, 1, 1, 0])
    precision = np.array([10.0] * 6 + [0.0])

    effects = learn_effects(
        more,
        no_effects(more),
        pull=precision * [*OPPOSITE, 0.0],
        precision=precision,
        moments=_same([*OPPOSITE, 0.0], [2] * 6 + [0]),
    )

    expected = _learned(TWO_SYSTEMS, OPPOSITE, precision=10, n_ratings=2)
    np.testing.assert_allclose(effects.system, expected.system)
    np.testing.assert_allclose(effects.item_variance, expected.item_variance)


def test_without_systems_and_segments_variances_stay_where_they_began() -> None:
    effects = _learned(_origin([-1, -1]), [1.0, -1.0], precision=10, n_ratings=1)

    assert effects.system.shape == (0, 1)
    np.testing.assert_allclose(effects.system_covariance, [[SYSTEM_VARIANCE]])
    assert effects.segment_variance == SEGMENT_VARIANCE


# Two systems, two criteria, four items in each of the four cells. Systems differ in the first criterion only.
CRITERIA = _origin([0] * 8 + [1] * 8, criterion=[0, 0, 0, 0, 1, 1, 1, 1] * 2)
FIRST_ONLY = [2.0] * 4 + [0.0] * 4 + [-2.0] * 4 + [0.0] * 4


def _raw_covariance(effects: Effects, *, weight: float) -> np.ndarray:
    """Sums of squares and products over both systems, what is left open of each included."""
    prior = SYSTEM_VARIANCE * np.array([[1.0, 0.5], [0.5, 1.0]])
    left_open = np.linalg.inv(np.linalg.inv(prior) + weight * np.eye(2))
    return effects.system.T @ effects.system + 2 * left_open


def test_criteria_are_learned_together() -> None:
    effects = _learned(CRITERIA, FIRST_ONLY, precision=10, n_ratings=1)

    # The normal equations by hand: prior precision [[a, b], [b, a]], weight 16 and pull 32 for the first.
    a, b = 1 / SYSTEM_VARIANCE / 0.75, -0.5 / SYSTEM_VARIANCE / 0.75
    determinant = (a + 16) ** 2 - b**2
    np.testing.assert_allclose(effects.system[0], [32 * (a + 16) / determinant, 32 * -b / determinant])
    np.testing.assert_allclose(effects.system[1], -effects.system[0])


def test_the_covariance_is_drawn_towards_equal_criteria() -> None:
    effects = _learned(CRITERIA, FIRST_ONLY, precision=10, n_ratings=1)

    raw = _raw_covariance(effects, weight=16)
    found = effects.system_covariance
    # Two systems against four made-up ones of equal criteria: a third of the difference is left; then two
    # made-up systems of the variance that learning began with are added to the one beside the mean.
    assert found[0, 0] - found[1, 1] == pytest.approx((raw[0, 0] - raw[1, 1]) * 2 / 6 / 3)
    assert found[0, 1] == pytest.approx(raw[0, 1] / 3)
    assert np.trace(found) == pytest.approx((np.trace(raw) + 2 * 2 * SYSTEM_VARIANCE) / 3)


def test_the_covariance_of_systems_has_only_positive_directions() -> None:
    rng = np.random.default_rng(5)

    effects = _learned(CRITERIA, list(rng.normal(size=16) * 100), precision=1e6, n_ratings=1)

    assert (np.linalg.eigvalsh(effects.system_covariance) > 0).all()


def test_expected_quality_adds_kind_system_and_segment() -> None:
    origin = _origin([0, 1, -1], segment=[1, -1, 0], kind=[0, 0, 1])
    effects = replace(
        no_effects(origin),
        kind=np.array([[1.0], [2.0]]),
        system=np.array([[10.0], [20.0]]),
        segment=np.array([100.0, 200.0]),
    )

    # The second item has no segment, the third no system.
    assert expected_quality(origin, effects).tolist() == [1 + 10 + 200, 1 + 20, 2 + 100]


def test_quality_is_expected_and_measured_weighed_by_their_precisions() -> None:
    origin = _origin([-1, -1])
    effects = replace(no_effects(origin), kind=np.array([[1.0]]), item_variance=np.array([0.5]))

    quality, variance = quality_given(
        origin, effects, pull=np.array([6.0, 0.0]), precision=np.array([2.0, 0.0])
    )

    # Expected 1 with precision 2, measured 3 with precision 2; the second item was not measured.
    np.testing.assert_allclose(quality, [2.0, 1.0])
    np.testing.assert_allclose(variance, [0.25, 0.5])


def test_rounds_lead_to_what_all_effects_are_together() -> None:
    rng = np.random.default_rng(6)
    origin = _origin([0, 1, 2] * 8, segment=[i // 3 for i in range(24)])
    measured, precision = rng.normal(size=24), rng.uniform(1, 20, 24)
    pull, moments = precision * measured, _same(list(measured), [1] * 24)

    effects = no_effects(origin)
    for _ in range(500):
        before = effects
        effects = learn_effects(origin, before, pull=pull, precision=precision, moments=moments)

    # The normal equations of a kind, three systems and eight segments, with the variances that were learned.
    design = np.zeros((24, 12))
    design[:, 0] = 1
    design[np.arange(24), 1 + origin.system] = 1
    design[np.arange(24), 4 + origin.segment] = 1
    of_system, of_segment = 1 / before.system_covariance[0, 0], 1 / before.segment_variance
    prior = np.diag([1 / 4, *[of_system] * 3, *[of_segment] * 8])
    weight = 1 / (1 / precision + before.item_variance[0])
    joint = np.linalg.solve(prior + design.T @ (weight[:, None] * design), design.T @ (weight * measured))
    found = np.concatenate([effects.kind[0], effects.system[:, 0], effects.segment])
    np.testing.assert_allclose(found, joint, atol=1e-8)
