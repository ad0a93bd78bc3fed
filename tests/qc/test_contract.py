"""What every registered check must keep to."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from steelyard.domain.judgement import FrameName
from steelyard.domain.plugin import Check
from steelyard.domain.result import AnalysisSettings, CheckSettings, Verdict
from steelyard.frames import ratings_frame
from steelyard.qc import checks, checks_of, usual_check

# The others' power is not that of a paired t-test, and not known.
WITH_POWER = ("paired-t", "signed-rank")
# Checks of preferences have none of what ratings have; see test_preferred_original.
CHECKS = checks_of("ratings")
every_check = pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS.keys())


@pytest.fixture
def frame() -> pl.DataFrame:
    """Ten workers with 12 degraded and 12 repeat pairs: half careful, half clicking; one without controls."""
    rng = np.random.default_rng(5)
    rows = []
    for w in range(10):
        for s in range(24):
            quality, noise = rng.uniform(40, 95), 4 if w % 2 else 40
            control = ("degraded", quality - 30) if s % 2 else ("repeat", quality)
            for kind, level in (("regular", quality), control):
                rating = float(np.clip(rng.normal(level, noise), 0, 100))
                rows.append((f"W{w}", f"h{s % 2}", kind, f"s{s}", f"sys{s % 3}", rating))
    rows += [("X", "h0", "regular", f"s{s}", "sys0", 10.0 * s) for s in range(9)]
    names = ["worker_id", "hit_id", "item_kind", "segment_id", "system_id", "rating"]
    return ratings_frame(pl.DataFrame(rows, schema=names, orient="row").with_columns(attribute=pl.lit("")))


def _numbers(verdicts: list[Verdict]) -> np.ndarray:
    """Mean difference, statistic and p-value of each verdict; what is unknown is NaN."""
    return np.array([(v.mean_difference, v.statistic, v.p_value) for v in verdicts], dtype=float)


@every_check
def test_every_worker_gets_one_verdict_in_order(check: Check, frame: pl.DataFrame) -> None:
    verdicts = check.run(frame, CheckSettings())

    assert [verdict.worker_id for verdict in verdicts] == frame["worker_id"].unique().sort().to_list()


@every_check
def test_shuffled_rows_give_the_same_verdicts(check: Check, frame: pl.DataFrame) -> None:
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)

    verdicts, expected = check.run(shuffled, CheckSettings()), check.run(frame, CheckSettings())

    assert [v.verdict for v in verdicts] == [v.verdict for v in expected]
    np.testing.assert_allclose(_numbers(verdicts), _numbers(expected))


@every_check
def test_other_names_for_workers_change_nothing_but_names(check: Check, frame: pl.DataFrame) -> None:
    # W0 ... W9 become V9 ... V0, so their order is reversed; X stays last.
    other = {f"W{k}": f"V{9 - k}" for k in range(10)}
    renamed = frame.with_columns(pl.col("worker_id").replace(other))

    verdicts = {verdict.worker_id: verdict for verdict in check.run(renamed, CheckSettings())}

    expected = check.run(frame, CheckSettings())
    assert [replace(v, worker_id=other.get(v.worker_id, v.worker_id)) for v in expected] == [
        verdicts[other.get(v.worker_id, v.worker_id)] for v in expected
    ]


@every_check
def test_shifting_all_ratings_changes_nothing(check: Check, frame: pl.DataFrame) -> None:
    shifted = frame.with_columns(pl.col("rating") + 1234.5)

    verdicts, expected = check.run(shifted, CheckSettings()), check.run(frame, CheckSettings())

    assert [v.verdict for v in verdicts] == [v.verdict for v in expected]
    np.testing.assert_allclose(_numbers(verdicts), _numbers(expected), rtol=1e-6)


@every_check
def test_a_worker_who_uses_the_scale_backwards_fails(check: Check, frame: pl.DataFrame) -> None:
    backwards = frame.with_columns(rating=100 - pl.col("rating"))

    verdicts = {verdict.worker_id: verdict.verdict for verdict in check.run(backwards, CheckSettings())}

    assert verdicts["W1"] == "fail"


@every_check
def test_rating_everything_alike_fails_with_p_1(check: Check, frame: pl.DataFrame) -> None:
    constant = frame.with_columns(rating=pl.lit(50.0))

    verdicts = check.run(constant, CheckSettings())[:-1]

    assert {(v.verdict, v.p_value, v.mean_difference) for v in verdicts} == {("fail", 1.0, 0.0)}


@every_check
def test_a_frame_without_rows_gives_no_verdict(check: Check, frame: pl.DataFrame) -> None:
    assert check.run(frame.clear(), CheckSettings()) == []


@every_check
def test_every_check_counts_pairs_and_drops_alike(check: Check, frame: pl.DataFrame) -> None:
    verdicts = check.run(frame, CheckSettings())

    expected = checks()["paired-t"].run(frame, CheckSettings())
    assert [(v.n_pairs, v.mean_difference, v.sd_difference) for v in verdicts] == [
        (v.n_pairs, v.mean_difference, v.sd_difference) for v in expected
    ]


@every_check
def test_power_is_told_by_tests_of_paired_differences_only(check: Check, frame: pl.DataFrame) -> None:
    verdicts = check.run(frame, CheckSettings())

    # The last worker has no repeats to tell it from.
    is_known = check.name in WITH_POWER
    assert [v.power is not None for v in verdicts] == [*[is_known] * (len(verdicts) - 1), False]


@pytest.mark.parametrize("name", WITH_POWER)
def test_power_is_a_share(name: str, frame: pl.DataFrame) -> None:
    powers = [verdict.power for verdict in checks()[name].run(frame, CheckSettings())[:-1]]

    assert {type(power) for power in powers} == {float}
    assert all(0 < power <= 1 for power in powers)


@every_check
def test_a_worker_without_controls_is_insufficient(check: Check, frame: pl.DataFrame) -> None:
    verdict = check.run(frame, CheckSettings())[-1]

    assert (verdict.worker_id, verdict.verdict, verdict.n_pairs) == ("X", "insufficient", 0)


@every_check
def test_a_careful_worker_passes(check: Check, frame: pl.DataFrame) -> None:
    verdicts = {verdict.worker_id: verdict.verdict for verdict in check.run(frame, CheckSettings())}

    assert verdicts["W1"] == "pass"


@every_check
@pytest.mark.parametrize("name", ["mean_difference", "sd_difference", "statistic", "p_value"])
def test_numbers_are_known_or_none_but_never_nan(check: Check, frame: pl.DataFrame, name: str) -> None:
    numbers = [getattr(verdict, name) for verdict in check.run(frame, CheckSettings())]

    known = [number for number in numbers if number is not None]
    assert known
    assert np.isfinite(known).all()
    assert {type(number) for number in known} == {float}


@every_check
def test_a_verdict_on_one_worker_does_not_depend_on_the_others(check: Check, frame: pl.DataFrame) -> None:
    alone = frame.filter(pl.col("worker_id") == "W3")

    among_all = next(v for v in check.run(frame, CheckSettings()) if v.worker_id == "W3")

    assert check.run(alone, CheckSettings()) == [among_all]


@every_check
def test_every_verdict_has_a_reason_of_at_most_two_sentences(check: Check, frame: pl.DataFrame) -> None:
    reasons = [verdict.reason for verdict in check.run(frame, CheckSettings())]

    assert all(reason.endswith(".") and "\n" not in reason for reason in reasons)
    assert max(len(re.findall(r"\.(?: |$)", reason)) for reason in reasons) <= 2


@every_check
def test_the_frame_is_left_untouched(check: Check, frame: pl.DataFrame) -> None:
    before = frame.clone()

    check.run(frame, CheckSettings())

    assert frame.equals(before)


@every_check
def test_it_is_named_titled_and_cited(check: Check) -> None:
    assert check.name == check.name.lower()
    assert check.title
    assert check.cite


@pytest.mark.parametrize(
    ("gives", "expected"),
    [(("ratings", "preferences"), "paired-t"), (("preferences",), "preferred-original")],
)
def test_each_frame_has_its_usual_check(gives: tuple[FrameName, ...], expected: str) -> None:
    assert usual_check(gives) == expected
    assert usual_check(("ratings",)) == AnalysisSettings().check
