"""The test of two systems' scores: judgements of one worker, and those of one document, go together."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel

from steelyard.aggregation import methods
from steelyard.domain.result import Fit, MethodSettings, Test
from steelyard.frames import ratings_frame

Judged = tuple[str, str, str, str, float]


def _fit(
    rows: list[Judged], method: str = "mean-rating", test: Test = "clustered-means", **settings: object
) -> Fit:
    names = ["worker_id", "document_id", "segment_id", "system_id", "rating"]
    frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        hit_id=pl.lit("h"), item_kind=pl.lit("regular"), attribute=pl.lit("")
    )
    asked = MethodSettings(draws=0, test=test, **settings)  # type: ignore[arg-type]
    return methods()[method].fit(ratings_frame(frame), asked, np.random.default_rng(7))


def _pairs(n: int, per_document: int = 1) -> tuple[list[Judged], np.ndarray]:
    """Each of n workers judges a document of their own, of both systems; and the worker's two means."""
    rng = np.random.default_rng(3)
    rating = rng.normal(50, 10, (n, per_document, 2)).round() + np.array([4, 0])
    rows = [
        (f"w{k}", f"d{k}", f"s{k}-{line}", system, rating[k, line, place])
        for k in range(n)
        for line in range(per_document)
        for place, system in enumerate("ab")
    ]
    return rows, rating.mean(axis=1)


@pytest.mark.parametrize("per_document", [1, 3])
def test_workers_with_a_document_each_make_it_the_paired_t_test(per_document: int) -> None:
    rows, means = _pairs(12, per_document)
    found = _fit(rows)
    assert found.systems["system_id"].to_list() == ["a", "b"]
    expected = ttest_rel(means[:, 0], means[:, 1], alternative="greater").pvalue
    assert found.p_values[0, 1] == pytest.approx(expected, rel=1e-9)
    assert found.p_values[1, 0] == pytest.approx(1 - expected, rel=1e-9)


def test_judging_everything_again_is_no_further_evidence() -> None:
    rows, _ = _pairs(12)
    assert _fit(rows * 5).p_values == pytest.approx(_fit(rows).p_values, nan_ok=True)


def test_it_says_how_many_workers_and_documents_it_rests_on() -> None:
    rows, _ = _pairs(12, 3)
    units = _fit(rows).units
    assert units is not None
    assert (units.workers, units.documents, units.documents_known) == (12, 12, True)
    # Intervals rest on them whatever the test.
    assert _fit(rows, test="rank-sum").units == units


def test_ids_of_each_systems_copy_mean_one_document() -> None:
    rows, _ = _pairs(12, 3)
    copies = [(row[0], f"{row[1]}.{row[3]}", *row[2:]) for row in rows]
    found = _fit(copies)
    assert found.units == _fit(rows).units
    assert found.p_values == pytest.approx(_fit(rows).p_values, nan_ok=True)


def test_without_documents_each_segment_stands_for_itself() -> None:
    rows, _ = _pairs(12, 3)
    frame = [(row[0], None, *row[2:]) for row in rows]
    units = _fit(frame).units  # type: ignore[arg-type]
    assert units is not None
    assert (units.workers, units.documents, units.documents_known) == (12, 36, False)


def test_systems_with_the_same_judgements_do_not_differ() -> None:
    rows, _ = _pairs(6)
    same = [row for row in rows if row[3] == "a"]
    found = _fit([*same, *((*row[:3], "c", row[4]) for row in same)])
    assert found.p_values[0, 1] == found.p_values[1, 0] == 0.5


def test_one_worker_says_nothing_of_others() -> None:
    rows, _ = _pairs(12)
    assert np.isnan(_fit([("w", *row[1:]) for row in rows]).p_values).all()
