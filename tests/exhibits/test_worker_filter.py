from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.exhibits.worker_filter import TABLE
from steelyard.flows.analyse import weigh
from steelyard.flows.settings import settings_from
from steelyard.flows.source import Source
from steelyard.qc import checks_of

Weighed = Callable[..., Evidence]
Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
# Test vector 1 of the methods specification.
BASE = [80, 65, 90, 70, 55, 75, 60, 85, 50, 78]
DEGRADED = [50, 60, 62, 71, 30, 40, 58, 49, 35, 60]
FIRST = [70, 82, 45, 66, 91, 58, 73, 39, 64, 88]
SECOND = [74, 80, 52, 60, 90, 65, 70, 45, 66, 85]


@pytest.fixture(scope="module")
def two(ratings: Ratings, weighed: Weighed) -> Evidence:
    """The worker of the test vector, whom every check passes, and one who always says 50."""
    given = {"regular": [*BASE, *FIRST], "degraded": DEGRADED, "repeat": SECOND}
    segments = {
        "regular": [*(f"d{k}" for k in range(10)), *(f"r{k}" for k in range(10))],
        "degraded": [f"d{k}" for k in range(10)],
        "repeat": [f"r{k}" for k in range(10)],
    }
    rows = [
        (worker, f"hit of {worker}", kind, segment, "alpha", 50 if worker == "dull" else rating)
        for worker in ("ann", "dull")
        for kind in given
        for segment, rating in zip(segments[kind], given[kind], strict=True)
    ]
    return weighed(ratings(rows))


def _row(table: Table, name: str) -> dict[str, Any]:
    return table.rows.row(by_predicate=pl.col("filter") == name, named=True)


def test_the_papers_checks_come_first_and_all_others_follow(two: Evidence, options: ExhibitOptions) -> None:
    names = TABLE.make([two], options).rows["filter"].to_list()

    assert names[:3] == ["unfiltered", "welch", "mann-whitney"]
    assert set(names[1:]) == set(checks_of("ratings"))


def test_unfiltered_is_everyone(two: Evidence, options: ExhibitOptions) -> None:
    row = _row(TABLE.make([two], options), "unfiltered")

    assert (row["n_workers"], row["worker_share"]) == (2, 1.0)
    assert (row["n_judgements"], row["judgement_share"]) == (80, 1.0)
    # |first - second| adds up to 41 over ten pairs of the one, to 0 over ten of the other.
    assert row["same_mean"] == pytest.approx(41 / 20)
    # First ratings of repeated texts lie 20, 32, 5, 16, 41, 8, 23, 11, 14, 38 from 50: 208, squares 5740.
    assert row["distinct_mean"] == pytest.approx(20.8)
    assert row["distinct_sd"] == pytest.approx(((5740 - 208**2 / 10) / 9) ** 0.5)
    assert (row["same_pairs"], row["distinct_pairs"]) == (20, 10)


@pytest.mark.parametrize("check", checks_of("ratings"))
def test_a_check_keeps_those_who_pass_it(two: Evidence, options: ExhibitOptions, check: str) -> None:
    row = _row(TABLE.make([two], options), check)

    assert (row["n_workers"], row["worker_share"]) == (1, 0.5)
    assert (row["n_judgements"], row["judgement_share"]) == (40, 0.5)
    assert row["insufficient_workers"] == 0
    # 4, 2, 7, 6, 1, 7, 3, 6, 2, 3: mean 4.1, squares 213.
    assert row["same_mean"] == pytest.approx(4.1)
    assert row["same_sd"] == pytest.approx(((213 - 10 * 4.1**2) / 9) ** 0.5)
    # One worker alone has nobody to differ from.
    assert (row["distinct_mean"], row["distinct_sd"], row["distinct_pairs"]) == (None, None, 0)


def test_checks_are_run_at_the_threshold_of_the_analysis(
    two: Evidence, weighed: Weighed, options: ExhibitOptions
) -> None:
    rows = TABLE.make([weighed(two.frame, threshold=0.001)], options)

    # The vector's p-values: welch 0.0027, paired-t 0.0008.
    assert _row(rows, "welch")["n_workers"] == 0
    assert _row(rows, "paired-t")["n_workers"] == 1


def test_checks_look_only_at_the_attributes_they_are_about(
    two: Evidence, weighed: Weighed, options: ExhibitOptions
) -> None:
    # On "fun" degraded copies are as much better as they are worse otherwise: the means do not differ.
    turned = two.frame.with_columns(attribute=pl.lit("fun"), rating=100 - pl.col("rating"))
    both = pl.concat([two.frame.with_columns(attribute=pl.lit("adequacy")), turned])

    about_both = TABLE.make([weighed(both, threshold=0.001, check="none")], options)
    about_one = TABLE.make(
        [weighed(both, threshold=0.001, check="none", check_attributes=("adequacy",))], options
    )

    assert _row(about_both, "paired-t")["n_workers"] == 0
    assert _row(about_one, "paired-t")["n_workers"] == 1


def test_without_repeats_shares_are_still_told(
    two: Evidence, weighed: Weighed, options: ExhibitOptions
) -> None:
    table = TABLE.make([weighed(two.frame.filter(pl.col("item_kind") != "repeat"))], options)

    assert _row(table, "paired-t")["worker_share"] == 0.5
    assert _row(table, "welch")["worker_share"] == 0.0
    assert _row(table, "unfiltered")["same_mean"] is None
    assert _row(table, "welch")["insufficient_workers"] == 2
    assert table.notes[1].startswith("There are no repeats")


def test_without_degraded_copies_no_check_can_tell(
    two: Evidence, weighed: Weighed, options: ExhibitOptions
) -> None:
    without = two.frame.filter(pl.col("item_kind") != "degraded")

    with pytest.raises(NotEnoughData, match="No degraded copy"):
        TABLE.make([weighed(without, check="none")], options)


def test_a_recipe_that_judges_from_two_pairs_on_keeps_whom_the_analysis_keeps(
    ratings: Ratings, options: ExhibitOptions
) -> None:
    # Three pairs each, 29, 30 and 31 points apart; five are needed without the recipe.
    pairs = [(80, 51), (70, 40), (90, 59)]
    frame = ratings(
        (worker, f"hit of {worker}", kind, f"s{k}", "alpha", rating)
        for worker in ("ann", "bob")
        for k, pair in enumerate(pairs)
        for kind, rating in zip(("regular", "degraded"), pair, strict=True)
    )
    source = Source(frame, title="Toy", campaign="toy")
    weighed = weigh(source, settings_from(source, recipe="wmt", check="paired-t", draws=0))

    row = _row(TABLE.make([weighed], options), "paired-t")

    assert weighed.analysis.workers["verdict"].to_list() == ["pass", "pass"]
    assert (row["n_workers"], row["insufficient_workers"]) == (2, 0)
