"""Numbers of a metric: by hand on three systems and three segments, and what must not change them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.meta.scores import ScoredPair, ScoreSet
from steelyard.meta.settings import MetaSettings
from steelyard.meta.study import evaluate_metrics

PEOPLE = [[3, 2, 1], [2, 2, 0], [1, 0, 2]]
METRIC = [[6, 5, 4], [3, 5, 1], [2, 4, 3]]
UNTESTED = MetaSettings(tests=())
RANK_STATISTICS = [
    *("sys_spearman", "sys_kendall_b", "sys_pairwise_accuracy"),
    *("seg_spearman_none", "seg_kendall_b_none", "seg_spearman_sys", "seg_kendall_b_sys"),
    *("seg_spearman_item", "seg_kendall_b_item", "seg_acc23_eps0_item", "seg_tau23_eps0_item"),
    *("seg_da_tau", "n_da_pairs"),
]
MakePair = Callable[..., ScoredPair]


def numbers(pair: ScoredPair, chosen: MetaSettings = UNTESTED) -> dict[str, Any]:
    """The first row of a study without tests."""
    return evaluate_metrics(pair, "gold", chosen).rows.row(0, named=True)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        # Means of people 2, 4/3, 1 and of the metric 5, 3, 3. Less their means, in ninths: 5, -1, -4; in
        # thirds: 4, -2, -2. r = (30/27) / sqrt(42/81 * 24/9) = 10 / sqrt(112).
        ("sys_pearson", 10 / np.sqrt(112)),
        # Ranks 3, 2, 1 and 3, 1.5, 1.5: r = 1.5 / sqrt(2 * 1.5).
        ("sys_spearman", 1.5 / np.sqrt(3)),
        # A over B and A over C are right, B and C are tied by the metric alone.
        ("sys_kendall_b", 2 / np.sqrt(3 * 2)),
        ("sys_pairwise_accuracy", 2 / 3),
        # Sums over nine cells: x 13, y 33, xy 56, xx 27, yy 141.
        ("seg_pearson_none", (56 - 13 * 33 / 9) / np.sqrt((27 - 13**2 / 9) * (141 - 33**2 / 9))),
        # Segments 1 to 3: 4 / sqrt(2 * 78/9), 1, and 2 / sqrt(2 * 42/9).
        ("seg_pearson_item", (4 / np.sqrt(52 / 3) + 1 + 2 / np.sqrt(28 / 3)) / 3),
        # Of three pairs each: all right; one tied by both and two right; two right and one wrong.
        ("seg_kendall_b_item", (1 + 1 + 1 / 3) / 3),
        ("seg_acc23_eps0_item", (1 + 1 + 2 / 3) / 3),
        ("seg_tau23_eps0_item", 7 / 9),
        # A threshold of 1 would tie A and C in segment 2 wrongly and mend nothing in segment 3.
        ("seg_acc23_opt_item", 8 / 9),
        ("seg_acc23_opt_eps", 0.0),
        # A: all pairs right. B, 2 2 0 with 3 5 1: two right, one tied by people. C: one right, two wrong.
        ("seg_kendall_b_sys", (1 + 2 / np.sqrt(2 * 3) - 1 / 3) / 3),
        ("n_sys", 3),
        ("n_seg_total", 3),
        ("n_gold_seg_pairs", 9),
        ("n_missing", 0),
    ],
)
def test_three_systems_by_hand(make_pair: MakePair, column: str, expected: float) -> None:
    assert numbers(make_pair(PEOPLE, {"m": METRIC}))[column] == pytest.approx(expected, abs=1e-12)


def test_pairs_of_ratings_far_apart_by_hand(make_pair: MakePair) -> None:
    # Of eight pairs within segments that differ by 25 or more, A and C of segment 3 are in the wrong order.
    found = numbers(make_pair(25 * np.array(PEOPLE), {"m": METRIC}))

    assert (found["n_da_pairs"], found["seg_da_tau"]) == (8, pytest.approx(6 / 8))


@pytest.mark.parametrize("people", [-25 * np.array(PEOPLE), 100 * np.array(PEOPLE), 0.3 * np.array(PEOPLE)])
def test_scores_that_are_no_ratings_from_0_to_100_have_no_such_pairs(
    make_pair: MakePair, people: np.ndarray[Any, Any]
) -> None:
    assert numbers(make_pair(people, {"m": METRIC}))["seg_da_tau"] is None


def test_the_columns_are_those_of_published_tables_in_their_order(make_pair: MakePair) -> None:
    found = evaluate_metrics(make_pair(PEOPLE, {"m": METRIC}), "gold", UNTESTED).rows

    assert found.columns[:7] == [
        "lp",
        "gold",
        "metric",
        "n_sys",
        "n_seg_total",
        "n_gold_seg_pairs",
        "sys_pearson",
    ]
    assert found.row(0)[:3] == ("xx-yy", "gold", "m")


def test_an_outlier_is_left_out_of_the_second_correlation(make_pair: MakePair) -> None:
    people = np.array([[1.0], [2.0], [3.0], [4.0], [-90.0]])
    # Without E the metric orders A to D the wrong way round.
    metric = np.array([[4.0], [3.0], [2.0], [1.0], [-90.0]])

    found = numbers(make_pair(people, {"m": metric}))

    assert found["sys_pearson"] > 0.99
    assert (found["sys_pearson_no_outliers"], found["n_outliers"]) == (pytest.approx(-1), 1)


def test_system_scores_of_a_file_go_before_means_of_segments(make_pair: MakePair) -> None:
    pair = make_pair(PEOPLE, {"m": METRIC})
    overall = np.array([1.0, 2.0, 3.0])

    told = replace(pair, metrics=(replace(pair.metrics[0], overall=overall),))

    assert numbers(told)["sys_spearman"] == pytest.approx(-1)


def test_a_metric_of_systems_only_has_no_numbers_over_segments(make_pair: MakePair) -> None:
    pair = make_pair(PEOPLE, {})
    told = replace(pair, metrics=(ScoreSet("m", ("A", "B", "C"), None, np.array([3.0, 2.0, 1.0])),))

    found = numbers(told)

    assert found["sys_kendall_b"] == pytest.approx(1)
    assert {name for name, value in found.items() if name.startswith("seg_") and value is not None} == set()
    assert (found["n_gold_seg_pairs"], found["n_missing"], found["spa"]) == (0, 9, None)


def test_cells_that_the_metric_lacks_are_left_out_and_counted(make_pair: MakePair) -> None:
    holed = np.array(METRIC, dtype=np.float64)
    holed[2, 2] = np.nan
    people = np.array(PEOPLE, dtype=np.float64)
    people[2, 2] = np.nan

    found, same = numbers(make_pair(PEOPLE, {"m": holed})), numbers(make_pair(people, {"m": METRIC}))

    assert (found["n_gold_seg_pairs"], found["n_missing"]) == (8, 1)
    columns = [name for name in found if name.startswith(("seg_", "spa"))]
    assert {name: found[name] for name in columns} == {name: same[name] for name in columns}


def test_what_is_constant_is_unknown_and_not_zero(make_pair: MakePair) -> None:
    found = numbers(make_pair(PEOPLE, {"m": np.ones((3, 3))}))

    unknown = ("sys_pearson", "sys_spearman", "sys_kendall_b", "seg_pearson_none", "seg_kendall_b_item")
    assert [found[name] for name in unknown] == [None] * len(unknown)


whole_numbers = st.lists(st.integers(0, 60), min_size=12, max_size=12)


@given(people=whole_numbers, metric=whole_numbers)
@settings(max_examples=25)
def test_a_monotone_change_of_the_metric_changes_no_statistic_of_ranks(
    make_pair: MakePair, people: list[int], metric: list[int]
) -> None:
    judged, scored = np.reshape(people, (4, 3)), np.reshape(metric, (4, 3)).astype(np.float64)

    def found(change: Callable[[Any], Any]) -> dict[str, Any]:
        pair = make_pair(judged, {"m": change(scored)})
        overall = change(scored.mean(axis=1))
        return numbers(replace(pair, metrics=(replace(pair.metrics[0], overall=overall),)))

    plain, changed = found(lambda x: x), found(lambda x: x**3 + 2 * x)

    for name in RANK_STATISTICS:
        assert changed[name] == pytest.approx(plain[name], abs=1e-12), name


@given(people=whole_numbers, metric=whole_numbers)
@settings(max_examples=25)
def test_an_affine_change_of_either_side_changes_nothing(
    make_pair: MakePair, people: list[int], metric: list[int]
) -> None:
    judged, scored = np.reshape(people, (4, 3)).astype(np.float64), np.reshape(metric, (4, 3))

    plain = numbers(make_pair(judged, {"m": scored}))
    changed = numbers(make_pair(judged, {"m": scored * 4.0 - 7.0}))

    thresholds = {"seg_acc23_opt_eps", "seg_tau23_opt_eps", "seg_acc23_least_eps"}
    for name in plain.keys() - thresholds:
        assert changed[name] == pytest.approx(plain[name], abs=1e-9), name
    for name in thresholds:
        assert changed[name] == pytest.approx(4 * plain[name]), name


def test_flipping_a_metric_is_turning_its_scores(make_pair: MakePair) -> None:
    turned = evaluate_metrics(
        make_pair(PEOPLE, {"m": -np.array(METRIC)}), "gold", MetaSettings(tests=(), flip=("m",))
    )

    assert turned.rows.equals(evaluate_metrics(make_pair(PEOPLE, {"m": METRIC}), "gold", UNTESTED).rows)


def test_the_order_of_systems_and_segments_changes_nothing_but_by_rounding(noisy_pair: ScoredPair) -> None:
    order = np.random.default_rng(5).permutation(8)

    def turned(scores: ScoreSet) -> ScoreSet:
        assert scores.segments is not None
        return replace(
            scores, systems=tuple(scores.systems[k] for k in order), segments=scores.segments[order]
        )

    mixed = replace(
        noisy_pair,
        golds=tuple(map(turned, noisy_pair.golds)),
        metrics=(*map(turned, noisy_pair.metrics[:2]), noisy_pair.metrics[2]),
    )

    assert evaluate_metrics(mixed, "gold", UNTESTED).rows.equals(
        evaluate_metrics(noisy_pair, "gold", UNTESTED).rows
    )


def test_nothing_that_was_given_is_changed(noisy_pair: ScoredPair) -> None:
    before = [
        scores.segments.copy()
        for scores in (*noisy_pair.golds, *noisy_pair.metrics)
        if scores.segments is not None
    ]

    evaluate_metrics(noisy_pair, "gold", MetaSettings(level="document", by="domain", flip=("fair",)))

    after = [scores.segments for scores in (*noisy_pair.golds, *noisy_pair.metrics)]
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_rows_hold_null_and_never_nan(make_pair: MakePair) -> None:
    rows = evaluate_metrics(
        make_pair(PEOPLE, {"m": np.full((3, 3), np.nan), "constant": np.ones((3, 3))}), "gold", UNTESTED
    ).rows

    assert rows.select(pl.col(pl.Float64).is_nan().any()).sum_horizontal().item() == 0
    assert rows["sys_pearson"].null_count() == 2
