"""Metrics from a table: what it may hold, and everything that is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from steelyard.domain.errors import SourceError
from steelyard.meta.metric_table import MetricTable, add_metrics, metric_table
from steelyard.meta.scores import ScoredPair

MakePair = Callable[..., ScoredPair]
NAMES = ("metric", "system", "segment", "score")


def table_of(*rows: tuple[str | None, ...], names: tuple[str, ...] = NAMES) -> MetricTable:
    """A table from its rows as text, as they are read from a file."""
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    return metric_table(columns, lambda row: f"line {row + 2}", where="scores.csv")


@pytest.fixture
def pair(make_pair: MakePair) -> ScoredPair:
    return make_pair([[1, 2, 3], [4, 5, 6]], {"old": [[1, 2, 3], [4, 5, 6]]})


def test_scores_find_their_places_and_gaps_stay(pair: ScoredPair) -> None:
    table = table_of(("new", "B", "s3", "0.5"), ("new", "A", "s1", "-1e3"), ("new", "A", "s2", ""))

    added = add_metrics(pair, table, ["s1", "s2", "s3"]).metrics[-1]

    assert (added.name, added.systems, added.overall, added.reference) == ("new", ("B", "A"), None, None)
    np.testing.assert_array_equal(added.segments, [[np.nan, np.nan, 0.5], [-1000.0, np.nan, np.nan]])


def test_a_row_without_a_segment_is_of_the_whole_system(pair: ScoredPair) -> None:
    table = table_of(("new", "A", None, "3"), ("new", "B", "", "4"), ("new", "A", "s1", "None"))

    added = add_metrics(pair, table, ["s1", "s2", "s3"]).metrics[-1]

    assert added.segments is None
    assert added.overall is not None
    assert added.overall.tolist() == [3.0, 4.0]


def test_the_pairs_own_metrics_come_first(pair: ScoredPair) -> None:
    added = add_metrics(pair, table_of(("b", "A", "s1", "1"), ("a", "A", "s1", "1")), ["s1", "s2", "s3"])

    assert [metric.name for metric in added.metrics] == ["old", "b", "a"]


def test_names_of_our_own_tables_are_known() -> None:
    names = ("metric", "system_id", "segment_id", "score")

    assert table_of(("m", "A", "s1", "1"), names=names).metrics == ["m"]


def test_metrics_that_were_not_asked_for_are_left_out() -> None:
    table = table_of(("a", "A", "s1", "1"), ("b", "A", "s1", "1"))

    assert table.only(["b", "c"]).metrics == ["b"]
    assert table.only(None).metrics == ["a", "b"]


def test_all_missing_columns_are_named() -> None:
    with pytest.raises(SourceError) as caught:
        table_of(("A", "1"), names=("system", "value"))

    assert [problem.partition(".")[0] for problem in caught.value.problems] == [
        "there is no column metric",
        "there is no column segment",
        "there is no column score",
    ]


def test_all_cells_that_cannot_be_used_are_named_with_their_lines() -> None:
    with pytest.raises(SourceError) as caught:
        table_of(
            ("m", "A", "s1", "nan"), ("", "A", "s1", "1"), ("m", " ", "s1", "inf"), ("m", "A", "s1", "x")
        )

    assert [problem.partition(":")[0] for problem in caught.value.problems] == [
        *("line 3", "line 4", "line 2", "line 4", "line 5"),
    ]


def test_rows_that_do_not_fit_the_pair_are_all_named(pair: ScoredPair) -> None:
    table = table_of(
        ("old", "A", "s1", "1"), ("new", "A", "s9", "1"), ("new", "A", "s2", "1"), ("new", "A", "s2", "2")
    )

    with pytest.raises(SourceError) as caught:
        add_metrics(pair, table, ["s1", "s2", "s3"])

    assert caught.value.problems == (
        "line 3: there is no segment 's9'; there are 3, from 's1' to 's3'.",
        "line 5: scores what another row has scored before by new.",
        "the metric 'old' is known already: give the one in the table another name.",
    )
