"""Variance components: by hand, found again in simulated ratings, and unmoved by what must not matter."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.components import LabelledRatings, VarianceComponents, variance_components

TRUTH = VarianceComponents(
    worker=0.04,
    worker_system=0.05,
    document=0.06,
    document_system=0.05,
    cell=0.12,
    segment=0.1,
    translation=0.08,
    residual=0.5,
)
WORKERS, SYSTEMS, DOCUMENTS, LENGTH = 40, 6, 120, 6


def crossed(rng: np.random.Generator) -> LabelledRatings:
    """Every worker judges thirty documents of a random system each, six segments long."""
    worker = np.repeat(np.arange(WORKERS), 30)
    document = np.concatenate([rng.permutation(DOCUMENTS)[:30] for _ in range(WORKERS)])
    system = rng.integers(SYSTEMS, size=len(worker))
    worker, document, system = (np.repeat(each, LENGTH) for each in (worker, document, system))
    segment = document * LENGTH + np.tile(np.arange(LENGTH), len(worker) // LENGTH)

    def effect(variance: float, *labels: IntArray) -> FloatArray:
        code = np.unique(np.stack(labels), axis=1, return_inverse=True)[1]
        drawn: FloatArray = rng.normal(0, np.sqrt(variance), int(code.max()) + 1)[code]
        return drawn

    value = (
        effect(TRUTH.worker, worker)
        + effect(TRUTH.worker_system, worker, system)
        + effect(TRUTH.document, document)
        + effect(TRUTH.document_system, document, system)
        + effect(TRUTH.cell, worker, document, system)
        + effect(TRUTH.segment, segment)
        + effect(TRUTH.translation, segment, system)
        + rng.normal(0, np.sqrt(TRUTH.residual), len(worker))
    )
    return LabelledRatings(value, worker, system, document, segment)


@pytest.fixture(scope="module")
def ratings() -> LabelledRatings:
    return crossed(np.random.default_rng(3))


@pytest.fixture(scope="module")
def found(ratings: LabelledRatings) -> VarianceComponents:
    return variance_components(ratings)


@pytest.mark.parametrize(
    ("name", "within"),
    [
        ("worker", 0.03),
        ("worker_system", 0.02),
        ("document", 0.03),
        ("document_system", 0.03),
        ("cell", 0.03),
        ("segment", 0.025),
        ("translation", 0.03),
        ("residual", 0.03),
    ],
)
def test_components_put_in_are_found_again(found: VarianceComponents, name: str, within: float) -> None:
    assert getattr(found, name) == pytest.approx(getattr(TRUTH, name), abs=within)


def moved(ratings: LabelledRatings, shift: FloatArray) -> LabelledRatings:
    return LabelledRatings(
        ratings.value + shift, ratings.worker, ratings.system, ratings.document, ratings.segment
    )


def test_better_systems_are_no_component(ratings: LabelledRatings, found: VarianceComponents) -> None:
    again = variance_components(moved(ratings, 3.0 * ratings.system))

    assert again.residual == pytest.approx(found.residual)
    assert again.worker_system == pytest.approx(found.worker_system)


def test_harsh_workers_move_their_own_component_only(
    ratings: LabelledRatings, found: VarianceComponents
) -> None:
    harshness = np.random.default_rng(4).normal(0, 0.3, WORKERS)[ratings.worker]

    again = variance_components(moved(ratings, harshness))

    assert again.worker == pytest.approx(found.worker + 0.09, abs=0.04)
    assert again.worker_system == pytest.approx(found.worker_system, abs=0.02)
    assert again.cell == pytest.approx(found.cell, abs=0.02)


def test_one_shared_document_by_hand() -> None:
    # One system, mean 0. Two workers on two documents of two segments each: 1 and 1 or -1 and -1.
    # Same worker, same document: 1. Same worker, another document: -1. Same document, another worker: 1 for
    # worker 0 and 1 alike, and so for the same segment; another of both: -1. All is in the documents of the
    # system: 1 - -1 = 2, more than the variance itself, 8 / 7.
    worker = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    segment = np.array([0, 1, 2, 3, 0, 1, 2, 3])
    value = np.array([1.0, 1, -1, -1, 1, 1, -1, -1])

    found = variance_components(
        LabelledRatings(value, worker, np.zeros(8, dtype=np.int64), segment // 2, segment)
    )

    assert found == VarianceComponents(0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0)


def test_without_documents_what_they_share_belongs_to_segments(ratings: LabelledRatings) -> None:
    single = LabelledRatings(ratings.value, ratings.worker, ratings.system, ratings.segment, ratings.segment)

    found = variance_components(single)

    assert found.document == found.document_system == found.cell == 0
    assert found.segment == pytest.approx(TRUTH.segment + TRUTH.document, abs=0.03)


def test_ratings_that_share_nothing_are_all_residual() -> None:
    alone = np.arange(4)

    found = variance_components(
        LabelledRatings(np.array([1.0, -1, 2, -2]), alone, np.array([0, 0, 1, 1]), alone, alone)
    )

    # (1 + 1 + 4 + 4) / (4 - 2)
    assert found == VarianceComponents(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, residual=5.0)
