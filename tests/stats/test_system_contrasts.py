"""Which of two systems is better, from ranks, weighed workers and effects of documents."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.system_contrasts import (
    DocumentOpinions,
    FittedOpinions,
    _beside_taste,
    _opinions,
    _spread,
    better_systems,
    fit_opinions,
)
from steelyard.stats.worker_trust import JudgedTexts, normal_scores, worker_trust


def _campaign(rng: np.random.Generator, *, lead: float = 0.0, workers: int = 20) -> JudgedTexts:
    """Three systems, 15 documents of 4 segments; each worker judges 6 documents, and 12 controls.

    Documents differ, workers differ in level and noise and have favourites; `lead` of the first system.
    """
    document = np.stack([rng.permutation(15)[:6] for _ in range(workers)])
    worker = np.repeat(np.arange(workers), 24)
    of_text = np.repeat(document.ravel(), 4)
    segment = of_text * 4 + np.tile(np.arange(4), workers * 6)
    system = np.repeat(rng.integers(0, 3, workers * 6), 4)
    quality = rng.normal(0, 0.5, 15)[of_text] + rng.normal(0, 0.5, 60)[segment] + lead * (system == 0)
    opinion = (
        np.repeat(rng.normal(0, 0.4, workers * 6), 4) + rng.normal(0, 0.15, (workers, 3))[worker, system]
    )
    noise = rng.uniform(0.5, 2, workers)
    regular = quality + opinion + rng.normal(0, noise[worker])
    control_worker = np.repeat(np.arange(workers), 12)
    degraded = np.tile(np.repeat([True, False], 6), workers)
    control = np.where(degraded, -1.5, 1.0) + rng.normal(0, noise[control_worker])
    level = rng.normal(50, 10, workers)
    every = np.concatenate([worker, control_worker])
    n, extra = len(worker), np.zeros(len(control_worker), dtype=np.int64)
    return JudgedTexts(
        value=level[every] + 10 * np.concatenate([regular, control]),
        worker=every,
        document=np.concatenate([of_text, extra]),
        segment=np.concatenate([segment, extra]),
        system=np.concatenate([system, extra]),
        criterion=np.zeros(len(every), dtype=np.int64),
        group=np.concatenate([np.zeros(n, dtype=np.int64), 1 + degraded]),
        scored=np.arange(len(every)) < n,
        weight=np.ones(len(every)),
    )


def test_normal_scores_are_quantiles_of_mid_ranks() -> None:
    rng = np.random.default_rng(2)
    value, group = rng.integers(0, 6, 60).astype(np.float64), rng.integers(0, 4, 60)
    expected = np.empty(60)
    for one in range(4):
        inside = group == one
        expected[inside] = norm.ppf(rankdata(value[inside]) / (inside.sum() + 1))
    assert normal_scores(value, group) == pytest.approx(expected, abs=1e-12)


def test_how_a_worker_spreads_the_scale_changes_nothing() -> None:
    texts = _campaign(np.random.default_rng(3))
    bent = np.where(texts.worker % 2 == 0, np.exp(texts.value / 20), texts.value)
    assert better_systems(replace(texts, value=bent), 3) == pytest.approx(
        better_systems(texts, 3), nan_ok=True, abs=1e-9
    )


def test_other_names_for_the_systems_change_nothing_else() -> None:
    texts = _campaign(np.random.default_rng(4))
    renamed = np.array([2, 0, 1])
    found = better_systems(replace(texts, system=renamed[texts.system]), 3)
    assert found[np.ix_(renamed, renamed)] == pytest.approx(better_systems(texts, 3), nan_ok=True, abs=1e-9)


def test_levels_are_those_of_generalised_least_squares() -> None:
    texts = _campaign(np.random.default_rng(5))
    opinions = _opinions(texts, normal_scores(texts.value, texts.worker))
    trust = np.random.default_rng(6).uniform(0.5, 2, len(opinions.n))
    fitted, spread = fit_opinions(opinions, trust, 3), _spread(opinions, trust, 3)
    of_document = (opinions.document[:, None] == np.arange(15)).astype(np.float64)
    covariance = np.diag((spread.rating / opinions.n + spread.opinion) / trust)
    covariance += spread.document * of_document @ of_document.T
    systems = (opinions.system[:, None] == np.arange(3)).astype(np.float64)
    inverse = np.linalg.inv(covariance)
    expected = np.linalg.solve(systems.T @ inverse @ systems, systems.T @ inverse @ opinions.mean)
    assert spread.document > 0
    assert fitted.levels == pytest.approx(expected, abs=1e-9)


def test_variances_are_found_again() -> None:
    found = []
    for seed in range(6):
        texts = _campaign(np.random.default_rng(100 + seed), workers=150)
        opinions = _opinions(texts, texts.value / 10 - 5)
        found.append(_spread(opinions, np.ones(len(opinions.n)), 3))
    # Documents and what they have in common of their segments: 0.25 + 0.25 / 4.
    assert np.mean([one.document for one in found]) == pytest.approx(0.3125, abs=0.12)


def test_a_worker_who_clicks_at_random_counts_less_than_all_others() -> None:
    rng = np.random.default_rng(7)
    texts = _campaign(rng)
    value: FloatArray = np.where(texts.worker == 0, rng.uniform(0, 100, len(texts.value)), texts.value)
    trust = worker_trust(replace(texts, value=value), normal_scores(value, texts.worker))
    assert trust.argmin() == 0


def test_equal_systems_are_told_apart_as_often_as_the_level_says() -> None:
    rng, p_values = np.random.default_rng(8), []
    for _ in range(100):
        found = better_systems(_campaign(rng), 3)
        p_values.append(found[~np.eye(3, dtype=bool)])
    # The error of the rate is about 0.016: pairs of one campaign depend on each other.
    assert 0.02 < np.mean(np.concatenate(p_values) < 0.05) < 0.09


def test_a_better_system_is_found() -> None:
    rng = np.random.default_rng(9)
    found = [better_systems(_campaign(rng, lead=0.6), 3)[0, 1] < 0.05 for _ in range(20)]
    assert np.mean(found) > 0.6


def test_with_the_same_rating_throughout_nobody_is_better() -> None:
    texts = _campaign(np.random.default_rng(10))
    found = better_systems(replace(texts, value=np.full(len(texts.value), 50.0)), 3)
    assert found[~np.eye(3, dtype=bool)].tolist() == [0.5] * 6


def _kept(texts: JudgedTexts, kept: BoolArray | IntArray) -> JudgedTexts:
    return JudgedTexts(*(getattr(texts, field.name)[kept] for field in fields(texts)))


def test_both_directions_of_a_pair_add_up_in_any_order_of_rows() -> None:
    texts = _campaign(np.random.default_rng(11))
    found = better_systems(texts, 3)
    assert np.isnan(np.diag(found)).all()
    assert (found + found.T)[~np.eye(3, dtype=bool)] == pytest.approx(1)
    order = np.random.default_rng(12).permutation(len(texts.value))
    assert better_systems(_kept(texts, order), 3) == pytest.approx(found, nan_ok=True, abs=1e-9)


def test_numbers_that_no_worker_or_document_has_change_nothing() -> None:
    texts = _campaign(np.random.default_rng(16))
    spaced = replace(texts, worker=texts.worker * 5 + 2, document=texts.document * 7 + 3)
    assert better_systems(spaced, 3) == pytest.approx(better_systems(texts, 3), nan_ok=True, abs=1e-9)


def test_a_system_whose_ratings_weigh_nothing_is_compared_with_none() -> None:
    texts = _campaign(np.random.default_rng(17))
    found = better_systems(replace(texts, weight=(texts.system != 1).astype(np.float64)), 3)
    assert np.isnan(found[1]).all()
    assert 0 < found[0, 2] < 1
    assert np.isnan(better_systems(replace(texts, weight=0 * texts.weight), 3)).all()
    assert np.isnan(better_systems(_kept(texts, ~texts.scored), 3)).all()


def test_a_system_that_nobody_judged_changes_nothing_for_the_others() -> None:
    texts = _campaign(np.random.default_rng(13))
    found = better_systems(texts, 5)
    assert found[:3, :3] == pytest.approx(better_systems(texts, 3), nan_ok=True, abs=1e-9)
    assert np.isnan(found[3:]).all()
    assert np.isnan(found[:, 3:]).all()


@pytest.mark.parametrize("unit", ["worker", "document"])
def test_a_system_of_one_worker_or_document_is_compared_with_none(unit: str) -> None:
    texts = _campaign(np.random.default_rng(14))
    first = getattr(texts, unit)[(texts.system == 2) & texts.scored][0]
    found = better_systems(
        _kept(texts, (texts.system != 2) | (getattr(texts, unit) == first) | ~texts.scored), 3
    )
    assert np.isnan(found[2]).all()
    assert np.isnan(found[:, 2]).all()
    assert 0 < found[0, 1] < 1


@pytest.mark.parametrize("unit", ["worker", "document"])
def test_a_system_of_two_workers_or_documents_is_not_called_different_too_often(unit: str) -> None:
    rng, found = np.random.default_rng(15), []
    for _ in range(100):
        texts = _campaign(rng)
        kept = (texts.system != 2) | (getattr(texts, unit) < 2) | ~texts.scored
        found.append(better_systems(_kept(texts, kept), 3)[2, :2])
    # One in ten on either side; counting all workers of the pair alike gives two to three in ten.
    p = np.concatenate(found)
    assert np.mean(2 * np.minimum(p, 1 - p)[~np.isnan(p)] < 0.1) < 0.18


def test_opinions_of_one_worker_on_one_system_weigh_together_what_their_taste_leaves() -> None:
    # Precision 2 each, residuals of two workers 1, 1 and -1, -1: products of two are 1, so is the taste.
    worker, none = np.array([0, 0, 1, 1]), np.zeros(4, dtype=np.int64)
    residual, one = np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4)
    opinions = DocumentOpinions(residual, one, one, 0.0, worker, np.array([0, 1, 0, 1]), none)
    table = np.zeros((1, 1))
    fitted = FittedOpinions(np.zeros(1), 2 * one, np.zeros((2, 1)), table, residual, 2 * one, table)
    beside = _beside_taste(opinions, fitted)
    # The mean of a worker's two has variance 1/4, and 1 of taste.
    assert (2 * beside[:2]).sum() == pytest.approx(1 / (1 / 4 + 1))
    alternating = fitted._replace(residual=np.array([1.0, -1.0, 1.0, -1.0]))
    assert _beside_taste(opinions, alternating).tolist() == [1.0] * 4
