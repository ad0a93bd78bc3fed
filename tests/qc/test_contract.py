"""What every registered check must keep to."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from steelyard.domain.plugin import Check
from steelyard.frames import ratings_frame
from steelyard.qc import checks

every_check = pytest.mark.parametrize("check", checks().values(), ids=checks().keys())


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


@every_check
def test_every_worker_gets_one_verdict_in_order(check: Check, frame: pl.DataFrame) -> None:
    verdicts = check.run(frame, 0.05, False)

    assert [verdict.worker_id for verdict in verdicts] == frame["worker_id"].unique().sort().to_list()


@every_check
def test_shuffled_rows_give_the_same_verdicts(check: Check, frame: pl.DataFrame) -> None:
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)

    verdicts, expected = check.run(shuffled, 0.05, False), check.run(frame, 0.05, False)

    assert [v.verdict for v in verdicts] == [v.verdict for v in expected]
    np.testing.assert_allclose(
        np.array([v.p_value for v in verdicts], dtype=float),
        np.array([v.p_value for v in expected], dtype=float),
    )


@every_check
def test_a_worker_without_controls_is_insufficient(check: Check, frame: pl.DataFrame) -> None:
    verdict = check.run(frame, 0.05, False)[-1]

    assert (verdict.worker_id, verdict.verdict, verdict.n_pairs) == ("X", "insufficient", 0)


@every_check
def test_a_careful_worker_passes(check: Check, frame: pl.DataFrame) -> None:
    verdicts = {verdict.worker_id: verdict.verdict for verdict in check.run(frame, 0.05, False)}

    assert verdicts["W1"] == "pass"


@every_check
def test_numbers_are_known_or_none_but_never_nan(check: Check, frame: pl.DataFrame) -> None:
    numbers = [
        number
        for verdict in check.run(frame, 0.05, False)
        for number in (verdict.mean_difference, verdict.sd_difference, verdict.statistic, verdict.p_value)
        if number is not None
    ]

    assert np.isfinite(numbers).all()


@every_check
def test_a_verdict_on_one_worker_does_not_depend_on_the_others(check: Check, frame: pl.DataFrame) -> None:
    alone = frame.filter(pl.col("worker_id") == "W3")

    among_all = next(v for v in check.run(frame, 0.05, False) if v.worker_id == "W3")

    assert check.run(alone, 0.05, False) == [among_all]


@every_check
def test_every_verdict_has_a_reason_of_one_sentence(check: Check, frame: pl.DataFrame) -> None:
    reasons = [verdict.reason for verdict in check.run(frame, 0.05, False)]

    assert all(reason.endswith(".") and "\n" not in reason for reason in reasons)


@every_check
def test_the_frame_is_left_untouched(check: Check, frame: pl.DataFrame) -> None:
    before = frame.clone()

    check.run(frame, 0.05, False)

    assert frame.equals(before)


@every_check
def test_it_is_named_titled_and_cited(check: Check) -> None:
    assert check.name == check.name.lower()
    assert check.title
    assert check.cite
