from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.evaluation.normalisation.fits import folds_of
from steelyard.evaluation.normalisation.gold import GoldStudy, gold_study

Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]


@pytest.fixture(scope="module")
def shown(ratings: Ratings) -> pl.DataFrame:
    """Two workers judge four translations; three of them are also shown as gold, one is degraded too."""
    rows: list[tuple[Any, ...]] = []
    for worker in ("ann", "bob"):
        rows += [(worker, "S", f"s{t}", 10.0 * t) for t in range(4)]
        rows += [(worker, "S", f"s{t}", 10.0 * t + 5, "gold", "", 50.0 + t) for t in range(3)]
        rows += [(worker, "S", "s3", 1.0, "degraded")]
        rows += [(worker, "calibration", "c1", 70.0, "calibration", "", 0.3)]
    return ratings(rows)


@pytest.fixture(scope="module")
def study(shown: pl.DataFrame) -> GoldStudy:
    return gold_study(shown)


def test_a_showing_as_gold_is_a_judgement_of_its_translation(study: GoldStudy) -> None:
    assert np.bincount(study.cell[study.cell >= 0]).tolist() == [4, 4, 4, 2]
    assert (study.frame["item_kind"] == "regular").sum() == 14


def test_gold_is_what_is_known_of_any_showing(study: GoldStudy) -> None:
    np.testing.assert_array_equal(study.gold, [50.0, 51.0, 52.0, np.nan])
    assert study.gold_items.tolist() == [0, 1, 2]


def test_an_earlier_score_of_a_calibration_item_is_no_gold_and_stays_known(study: GoldStudy) -> None:
    hidden = study.hiding(study.gold_items)

    assert set(hidden.filter(pl.col("known").is_not_null())["segment_id"]) == {"c1"}


def test_gold_is_hidden_in_every_showing_of_a_translation(shown: pl.DataFrame) -> None:
    # Files have it on every row, with its deviation.
    everywhere = shown.with_columns(
        known=pl.when(pl.col("segment_id") == "s1").then(51.0).otherwise("known"), known_sd=pl.lit(2.0)
    )
    study = gold_study(everywhere)

    hidden = study.hiding(np.array([1]))

    rows = hidden.filter(pl.col("segment_id") == "s1")
    assert len(rows) == 4
    assert rows["known"].null_count() == rows["known_sd"].null_count() == 4
    assert hidden.filter(pl.col("segment_id") == "s0")["known"].count() == 2


def test_a_text_of_two_systems_is_one_translation(ratings: Ratings) -> None:
    # Judged once as A's and credited to B, once the other way round.
    rows = [(f"w{w}", "AB"[w], f"s{t}", 50.0, "regular", "", 10.0 * t) for w in range(2) for t in range(3)]
    credited = pl.col("system_id").replace({"A": "B", "B": "A"})
    frame = ratings(rows).with_columns(credited=pl.concat_list(credited))

    study = gold_study(frame)

    assert study.n_cells == 3
    assert study.gold.tolist() == [0.0, 10.0, 20.0]


@pytest.mark.parametrize(("n_gold", "told"), [(0, "none has been"), (1, "1 has been"), (2, "2 have been")])
def test_too_little_gold_is_refused_with_advice(n_gold: int, told: str, shown: pl.DataFrame) -> None:
    few = shown.filter((pl.col("item_kind") != "gold") | (pl.col("known") < 50 + n_gold))

    with pytest.raises(NotEnoughData, match=rf"{told}\. .*\[gold\] table .* columns=..known.: .COLUMN"):
        gold_study(few)


def test_nothing_judged_is_refused(shown: pl.DataFrame) -> None:
    with pytest.raises(NotEnoughData, match="no judgements yet"):
        gold_study(shown.clear())


def test_folds_hold_every_item_once_and_are_about_the_same_size() -> None:
    items = np.arange(5, 28)

    folds = folds_of(items, 10, seed=1)

    assert sorted(np.concatenate(folds).tolist()) == items.tolist()
    assert {len(fold) for fold in folds} == {2, 3}


def test_fewer_items_than_folds_are_folds_of_their_own() -> None:
    assert [len(fold) for fold in folds_of(np.arange(7), 10, seed=1)] == [1] * 7


def test_folds_follow_the_seed() -> None:
    first, again, other = (folds_of(np.arange(40), 4, seed=seed) for seed in (1, 1, 2))

    assert [fold.tolist() for fold in first] == [fold.tolist() for fold in again]
    assert [fold.tolist() for fold in first] != [fold.tolist() for fold in other]
