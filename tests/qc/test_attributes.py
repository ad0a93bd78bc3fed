"""Texts that are judged on several attributes: checks count texts, not ratings."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.plugin import Check
from steelyard.domain.result import CheckSettings
from steelyard.qc import checks, checks_of

PairFrame = Callable[..., pl.DataFrame]
CHECKS = checks_of("ratings")
every_check = pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS.keys())
N_WORKERS = 3000


def _apart(frame: pl.DataFrame, *shifts: float) -> pl.DataFrame:
    """The frame once for each shift, as an attribute of its own, with degraded copies' ratings shifted."""
    is_degraded = (pl.col("item_kind") == "degraded").cast(pl.Float64)
    return pl.concat(
        frame.with_columns(attribute=pl.lit(f"attribute {k}"), rating=pl.col("rating") + shift * is_degraded)
        for k, shift in enumerate(shifts)
    )


@every_check
def test_the_same_answer_for_every_attribute_changes_no_verdict(
    pair_frame: PairFrame, vector: Any, check: Check
) -> None:
    frame = pair_frame(vector.base, vector.degraded, vector.first, vector.second)

    assert check.run(_apart(frame, 0, 0, 0), CheckSettings()) == check.run(frame, CheckSettings())


def test_the_means_over_attributes_are_tested(pair_frame: PairFrame, vector: Any) -> None:
    frame = pair_frame(vector.base, vector.degraded)

    # Drops of 19.3 - 6 and 19.3 + 6 on average: 19.3 for each text again.
    verdict = checks()["paired-t"].run(_apart(frame, 6, -6), CheckSettings())[0]

    # Test vector 1 of the methods specification.
    assert verdict.n_pairs == 10
    assert verdict.mean_difference == pytest.approx(19.3)
    assert verdict.p_value == pytest.approx(0.000786762, abs=5e-10)


@every_check
def test_few_texts_stay_few_however_many_attributes_they_have(
    pair_frame: PairFrame, vector: Any, check: Check
) -> None:
    frame = pair_frame(vector.base[:4], vector.degraded[:4], vector.first, vector.second)

    verdict = check.run(_apart(frame, 0, 0), CheckSettings())[0]

    assert (verdict.verdict, verdict.n_pairs) == ("insufficient", 4)


def test_a_pair_is_at_the_top_only_in_all_attributes(pair_frame: PairFrame) -> None:
    # Nine of eleven pairs are at the top in the first attribute, and in the second no degraded copy is.
    frame = pair_frame([100] * 9 + [40, 30], [100] * 9 + [30, 40])

    reasons = [
        checks()["paired-t"].run(_apart(frame, *shifts), CheckSettings())[0].reason
        for shifts in ((0, 0), (0, -1))
    ]

    assert ["twice" in reason for reason in reasons] == [True, False]


@pytest.fixture(scope="module")
def random_clickers(pair_frame: PairFrame, with_attributes: PairFrame) -> Callable[[int], pl.DataFrame]:
    """Workers who click anywhere, for each text on all of so many attributes alike."""
    rng = np.random.default_rng(31)
    texts = pair_frame(*rng.uniform(0, 100, (2, N_WORKERS, 10)))
    return cache(lambda n_attributes: with_attributes(texts, n_attributes))


@pytest.mark.parametrize("n_attributes", [1, 2, 5])
@pytest.mark.parametrize("name", ["paired-t", "signed-rank", "rank-sum"])
def test_random_clickers_pass_no_more_often_with_several_attributes(
    random_clickers: Callable[[int], pl.DataFrame], name: str, n_attributes: int
) -> None:
    verdicts = checks()[name].run(random_clickers(n_attributes), CheckSettings())

    passed = np.mean([verdict.verdict == "pass" for verdict in verdicts])
    # Exactly, of ten signed ranks 43 of 1024 patterns are below the threshold of 0.05, and of the ranks
    # of ten against ten about as many. The Monte Carlo error is 0.004.
    assert 0.034 < passed < 0.066


def test_ratings_without_bases_are_pooled_over_attributes(pair_frame: PairFrame, vector: Any) -> None:
    frame = pair_frame(vector.base, vector.degraded)
    stray = frame.with_columns(
        system_id=pl.when(pl.col("item_kind") == "degraded").then(pl.lit("bad")).otherwise("system_id")
    )

    once, twice = (
        checks()["rank-sum"].run(part, CheckSettings())[0] for part in (stray, _apart(stray, 0, 0))
    )

    assert (once.n_pairs, twice.n_pairs) == (10, 20)
    assert once.mean_difference == twice.mean_difference
    # Twice the same evidence is no more evidence, but this test takes it for such.
    assert twice.p_value < once.p_value
