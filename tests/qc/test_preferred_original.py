from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import polars as pl
import pytest
from scipy import stats

from steelyard.domain.result import CheckSettings, Verdict
from steelyard.frames import preferences_frame
from steelyard.qc.preferred_original import CHECK
from steelyard.simulate.preferences import PreferenceCrowd, simulated_preferences
from steelyard.stats.sign_test import sign_test, two_sided_sign_test


def _controls(said: str, *, worker: str = "W", kind: str = "degraded", attribute: str = "") -> pl.DataFrame:
    """A worker's control pairs: o original preferred, d degraded copy, t tie, b both bad; sides alternate."""
    rows = []
    for number, letter in enumerate(said):
        side = "ab"[number % 2]
        original = "ba"[number % 2]
        preference = {"o": original, "d": side, "t": "tie", "b": "both_bad"}[letter]
        rows.append((worker, f"s{number}", side, preference))
    names = ["worker_id", "segment_id", "control_side", "preference"]
    same = {"hit_id": "h", "system_a": "A", "system_b": "A", "item_kind": kind, "attribute": attribute}
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return preferences_frame(frame.with_columns(pl.lit(value).alias(name) for name, value in same.items()))


def _verdict(said: str) -> Verdict:
    (found,) = CHECK.run(_controls(said), CheckSettings())
    return found


def test_nine_to_one_passes_with_the_binomial_p() -> None:
    found = _verdict("ooooooooo" + "d")

    assert found.verdict == "pass"
    assert found.p_value == pytest.approx((comb(10, 1) + 1) / 2**10)
    assert (found.n_pairs, found.statistic) == (10, 9.0)
    assert found.mean_difference == pytest.approx(0.8)
    assert found.sd_difference == pytest.approx(np.std([1] * 9 + [-1], ddof=1))
    assert found.reason == (
        "In 10 pairs, the original was preferred 9 times and its degraded copy once (p = 0.011, below 0.05)."
    )


def test_seven_to_three_fails() -> None:
    found = _verdict("ooooooo" + "ddd")

    assert found.verdict == "fail"
    assert found.p_value == pytest.approx(sum(comb(10, k) for k in range(4)) / 2**10)


def test_ties_are_dropped_from_the_test_but_named() -> None:
    found = _verdict("ooooo" + "tb")

    assert found.verdict == "pass"
    assert found.p_value == pytest.approx(1 / 32)
    assert "copy 0 times; 2 were ties (p = 0.031" in found.reason


def test_a_worker_who_calls_everything_a_tie_fails() -> None:
    found = _verdict("tbtbtbtb")

    assert (found.verdict, found.p_value) == ("fail", 1.0)


def test_preferring_degraded_copies_fails() -> None:
    assert _verdict("dddddddd").verdict == "fail"


def test_four_pairs_are_too_few() -> None:
    found = _verdict("oooo")

    assert found.verdict == "insufficient"
    assert found.reason == "Only 4 degraded pairs were judged; at least 5 are needed to tell."


def test_workers_without_controls_get_a_verdict_too() -> None:
    frame = pl.concat([_controls("oooooo"), _controls("oooooo", worker="X", kind="regular")])

    verdicts = CHECK.run(frame, CheckSettings())

    assert [(found.worker_id, found.verdict, found.n_pairs) for found in verdicts] == [
        ("W", "pass", 6),
        ("X", "insufficient", 0),
    ]
    assert verdicts[1].mean_difference is None


def test_a_pair_of_several_attributes_counts_once() -> None:
    frame = pl.concat([_controls("oooooo", attribute="x"), _controls("oootdd", attribute="y")])

    (found,) = CHECK.run(frame, CheckSettings())

    # Pair 4 is preferred in one attribute and tied in the other; in pairs 5 and 6 the attributes disagree.
    assert found.n_pairs == 6
    assert found.statistic == 4


def test_order_of_rows_and_names_of_workers_change_nothing_else() -> None:
    frame = simulated_preferences({"A": 0, "B": 1}, PreferenceCrowd(n_degraded=12), np.random.default_rng(1))
    changed = frame.sample(fraction=1, shuffle=True, seed=2).with_columns(pl.col("worker_id") + "x")

    expected, found = CHECK.run(frame, CheckSettings()), CHECK.run(changed, CheckSettings())

    assert found == [replace(verdict, worker_id=f"{verdict.worker_id}x") for verdict in expected]


@pytest.mark.parametrize("tie", [-9.0, 0.5], ids=["no ties", "many ties"])
def test_random_answers_pass_no_more_often_than_the_threshold(tie: float) -> None:
    crowd = PreferenceCrowd(n_workers=1500, n_careless=1500, n_regular=1, n_degraded=12, tie=tie)
    frame = simulated_preferences({"A": 0, "B": 1}, crowd, np.random.default_rng(2))

    passed = [found.verdict == "pass" for found in CHECK.run(frame, CheckSettings())]

    # Of 12 fair coins 10 or more are heads in 1.9 % of cases, 9 or more in 7.3 %: the test is exact.
    assert np.mean(passed) < 0.05


def test_attentive_workers_pass() -> None:
    crowd = PreferenceCrowd(n_workers=300, n_regular=1, n_degraded=12, drop=3.0)
    frame = simulated_preferences({"A": 0, "B": 1}, crowd, np.random.default_rng(3))

    passed = [found.verdict == "pass" for found in CHECK.run(frame, CheckSettings())]

    assert np.mean(passed) > 0.9


@pytest.mark.parametrize(("heads", "tails"), [(0, 0), (3, 5), (9, 1), (40, 25), (200, 260)])
def test_sign_tests_are_those_of_scipy(heads: int, tails: int) -> None:
    n = heads + tails
    one = stats.binomtest(heads, n, alternative="greater").pvalue if n else 1.0
    two = stats.binomtest(heads, n).pvalue if n else 1.0

    assert sign_test(np.array(heads), np.array(tails)) == pytest.approx(one)
    assert two_sided_sign_test(np.array(heads), np.array(tails)) == pytest.approx(two)
