"""Ratings standardised as the settings of a method say, from whichever frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.result import MethodSettings
from steelyard.frames import hit_times_frame, ratings_frame, standardise_ratings, with_categories

# Ann judges two attributes on different levels, and a control far below.
ROWS = [
    ("ann", "fluency", "regular", 40.0),
    ("ann", "fluency", "repeat", 60.0),
    ("ann", "adequacy", "regular", 80.0),
    ("ann", "adequacy", "regular", 100.0),
    ("ann", "adequacy", "degraded", 0.0),
    ("bob", "fluency", "regular", 10.0),
    ("bob", "adequacy", "regular", 30.0),
]


def _frame(rows: list[tuple[Any, ...]] = ROWS) -> pl.DataFrame:
    table = pl.DataFrame(rows, schema=["worker_id", "attribute", "item_kind", "rating"], orient="row")
    same = {"hit_id": "h", "segment_id": "s", "system_id": "A"}
    return ratings_frame(table.with_columns(pl.lit(value).alias(name) for name, value in same.items()))


@pytest.mark.parametrize(
    ("over", "per", "groups"),
    [
        # The rows that define the mean and deviation of each row.
        ("all", "worker", [[0, 1, 2, 3, 4]] * 5 + [[5, 6]] * 2),
        ("system", "worker", [[0, 1, 2, 3]] * 5 + [[5, 6]] * 2),
        ("all", "attribute", [[0, 1]] * 2 + [[2, 3, 4]] * 3 + [[5], [6]]),
        ("system", "attribute", [[0, 1]] * 2 + [[2, 3]] * 3 + [[5], [6]]),
    ],
)
@pytest.mark.parametrize("is_coded", [False, True])
def test_means_and_deviations_are_over_what_the_settings_say(
    over: Any, per: Any, groups: list[list[int]], is_coded: bool
) -> None:
    frame = with_categories(_frame(), hit_times_frame())[0] if is_coded else _frame()
    settings = MethodSettings(standardise_over=over, standardise_per=per, minimum_ratings=2)

    found = standardise_ratings(frame, settings)

    rating = frame["rating"].to_numpy()
    several = [rating[group] if len(group) > 1 else np.array([np.nan, np.nan]) for group in groups]
    z = [(x - of.mean()) / of.std(ddof=1) for x, of in zip(rating, several, strict=True)]
    assert found.z == pytest.approx(np.array(z), nan_ok=True)
    assert found.n_defining.tolist() == list(map(len, groups))
    assert found.defines_worker.tolist() == [over == "all" or row[2] != "degraded" for row in ROWS]


def test_workers_below_the_minimum_have_no_z() -> None:
    found = standardise_ratings(_frame(), MethodSettings(minimum_ratings=3))

    assert np.isnan(found.z).tolist() == [row[0] == "bob" for row in ROWS]


def test_the_order_of_rows_changes_no_bit_of_decimals() -> None:
    rng = np.random.default_rng(3)
    rows = [(f"w{k % 3}", "", "regular", float(rating)) for k, rating in enumerate(rng.normal(50, 20, 300))]
    order = rng.permutation(300)
    settings = MethodSettings(minimum_ratings=2)

    found = standardise_ratings(_frame(rows), settings).z
    shuffled = standardise_ratings(_frame([rows[k] for k in order]), settings).z

    assert np.array_equal(found[order], shuffled)
