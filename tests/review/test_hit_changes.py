from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from steelyard.domain.result import HitVerdict
from steelyard.domain.scale import Scale
from steelyard.review.hit_changes import changed_hits
from steelyard.stats.multiplicity import holm

Rows = Callable[[Sequence[dict[str, Any]]], pl.DataFrame]
Pairs = Callable[..., pl.DataFrame]
RATING = 50.0


def _frame(make_frame: Rows, hits: dict[str, Sequence[float]], *, worker_id: str = "W") -> pl.DataFrame:
    """One worker's degraded pairs by HIT, given their differences."""
    rows = [
        {
            "worker_id": worker_id,
            "hit_id": hit,
            "segment_id": f"s{i}",
            "item_kind": kind,
            "rating": RATING - (difference if kind == "degraded" else 0),
        }
        for hit, differences in hits.items()
        for i, difference in enumerate(differences)
        for kind in ("regular", "degraded")
    ]
    return make_frame(rows)


CHANGED = {"h1": [20.0, 22, 24], "h2": [21.0, 22, 23], "h3": [-1.0, 0, 1]}


def test_a_hit_without_the_usual_drop_is_found(make_frame: Rows) -> None:
    found = changed_hits(_frame(make_frame, CHANGED), ["W"])

    assert [(verdict.worker_id, verdict.hit_id, verdict.n_pairs) for verdict in found] == [("W", "h3", 3)]
    assert (found[0].mean_difference, found[0].other_mean_difference) == (0.0, 22.0)


def test_its_p_value_takes_the_scatter_of_the_other_hits_times_the_number_of_hits(make_frame: Rows) -> None:
    verdict = changed_hits(_frame(make_frame, CHANGED), ["W"])[0]

    # Means 22 and 0; variance of the others (4 + 0 + 4 + 1 + 0 + 1) / 5 = 2, so that the squared
    # error of the difference is 2 (1/3 + 1/6) = 1; 5 degrees of freedom.
    p_value = stats.t.sf(22, 5)
    assert verdict.p_value == pytest.approx(p_value, rel=1e-9)
    assert verdict.p_holm == pytest.approx(3 * p_value, rel=1e-9)


def test_the_reason_gives_the_numbers_in_one_sentence(make_frame: Rows) -> None:
    verdict = changed_hits(_frame(make_frame, {**CHANGED, "h3": [-3.0, -2, -1]}), ["W"])[0]

    assert verdict.reason.startswith(
        "Over 3 pairs of this HIT, degraded copies were rated 2.0 points higher on average, "
        "in the worker's other HITs 22.0 points lower (p = "
    )
    assert verdict.reason.endswith(", below 0.01).")


def test_the_reason_has_the_digits_of_the_scale_and_says_no_lower(make_frame: Rows) -> None:
    hits = {hit: [drop / 25 for drop in drops] for hit, drops in CHANGED.items()}

    verdict = changed_hits(_frame(make_frame, hits), ["W"], scale=Scale(1, 5))[0]

    # 22 / 25 = 0.88.
    assert (
        "were rated no lower on average, in the worker's other HITs 0.88 points lower (p = " in verdict.reason
    )


def test_a_hit_with_a_larger_drop_is_none_of_our_business(make_frame: Rows) -> None:
    hits = {"h1": [0.0, 2, 4], "h2": [1.0, 2, 3], "h3": [60.0, 61, 62]}

    assert "h3" not in [verdict.hit_id for verdict in changed_hits(_frame(make_frame, hits), ["W"])]


def test_a_hit_that_would_pass_by_itself_stays(make_frame: Rows) -> None:
    # Far less of a drop than elsewhere, but a clear one: 10, 11 and 12 have t = 11 / (1 / sqrt(3)) = 19.
    hits = {"h1": [60.0, 62, 64], "h2": [61.0, 62, 63], "h3": [10.0, 11, 12]}

    assert changed_hits(_frame(make_frame, hits), ["W"]) == []


def test_only_the_workers_asked_for_are_tested(make_frame: Rows) -> None:
    frame = pl.concat(_frame(make_frame, CHANGED, worker_id=worker) for worker in "VWX")

    found = changed_hits(frame, ["X", "V"])

    assert [verdict.worker_id for verdict in found] == ["V", "X"]


@pytest.mark.parametrize(
    "hits",
    [
        pytest.param({"h1": [20.0, 22, 24, -30, -31, -32]}, id="one HIT"),
        pytest.param({"h1": [20.0, 22, 24] * 4, "h2": [-90.0]}, id="one pair in the HIT"),
        pytest.param({"h1": [-20.0, -22, -24] * 4, "h2": [90.0]}, id="one pair in the others"),
        pytest.param({"h1": [20.0, 22, 24], "h2": [24.0, 22, 20]}, id="no change"),
        pytest.param({"h1": [0.0, 0, 0], "h2": [0.0, 0, 0]}, id="no spread, no change"),
        pytest.param({"h1": [20.0, 22, 24, 21], "h2": [-9.0] * 9}, id="four pairs in the others"),
    ],
)
def test_nothing_is_found_in(make_frame: Rows, hits: dict[str, Sequence[float]]) -> None:
    assert changed_hits(_frame(make_frame, hits), ["W"]) == []


def test_a_hit_with_too_few_pairs_does_not_count_in_the_correction(make_frame: Rows) -> None:
    verdict = changed_hits(_frame(make_frame, {**CHANGED, "h4": [22.0]}), ["W"])[0]

    assert verdict.p_holm == pytest.approx(3 * verdict.p_value, rel=1e-12)


def test_the_same_answer_for_every_attribute_is_one_pair(make_frame: Rows) -> None:
    frame = _frame(make_frame, CHANGED)
    both = pl.concat([frame.with_columns(attribute=pl.lit(name)) for name in ("adequacy", "fluency")])

    assert changed_hits(both, ["W"]) == changed_hits(frame, ["W"])


def test_means_over_attributes_are_compared(make_frame: Rows) -> None:
    apart = {"adequacy": 4.0, "fluency": -4.0}
    parts = [
        _frame(make_frame, {hit: [d + shift for d in drops] for hit, drops in CHANGED.items()}).with_columns(
            attribute=pl.lit(name)
        )
        for name, shift in apart.items()
    ]

    verdict = changed_hits(pl.concat(parts), ["W"])[0]

    # As if drops had been those of CHANGED: see above.
    assert (verdict.hit_id, verdict.n_pairs) == ("h3", 3)
    assert verdict.p_value == pytest.approx(stats.t.sf(22, 5), rel=1e-9)


def test_nobody_and_nothing_give_no_verdicts(make_frame: Rows) -> None:
    frame = _frame(make_frame, CHANGED)

    assert changed_hits(frame, []) == changed_hits(frame.clear(), ["W"]) == []


def test_the_frame_is_left_untouched(make_frame: Rows) -> None:
    frame = _frame(make_frame, CHANGED)
    before = frame.clone()

    changed_hits(frame, ["W"])

    assert frame.equals(before)


def test_shuffled_rows_give_the_same_verdicts(make_frame: Rows) -> None:
    frame = pl.concat(_frame(make_frame, CHANGED, worker_id=worker) for worker in "VW")

    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)

    assert changed_hits(shuffled, ["V", "W"]) == changed_hits(frame, ["V", "W"])


def _slowly(hits: dict[str, list[float]]) -> list[tuple[str, float]]:
    """HITs below the threshold by the definition, with their corrected p, from another implementation."""
    p_values, attentive = [], dict.fromkeys(hits, False)
    for hit in hits:
        others = [value for other in hits if other != hit for value in hits[other]]
        if len(others) < 5 or np.ptp(others) == 0:
            p_values.append(np.nan)
            continue
        error = np.std(others, ddof=1) * np.sqrt(1 / len(others) + 1 / len(hits[hit]))
        distance = np.mean(others) - np.mean(hits[hit])
        p_values.append(float(stats.t.sf(distance / error, len(others) - 1)))
        own = stats.ttest_1samp(hits[hit], 0, alternative="greater").pvalue
        attentive[hit] = bool(own < 0.05)
    adjusted = zip(hits, holm(np.array(p_values)).tolist(), strict=True)
    return [(hit, p_holm) for hit, p_holm in adjusted if p_holm < 0.01 and not attentive[hit]]


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(
            st.integers(-20, 60), st.lists(st.integers(-9, 9), min_size=2, max_size=6, unique=True)
        ).map(lambda drawn: [float(drawn[0] + noise) for noise in drawn[1]]),
        min_size=2,
        max_size=4,
    )
)
def test_hits_are_those_of_a_slow_definition(make_frame: Rows, differences: list[list[float]]) -> None:
    hits = {f"h{i}": values for i, values in enumerate(differences)}

    found = [(verdict.hit_id, verdict.p_holm) for verdict in changed_hits(_frame(make_frame, hits), ["W"])]

    expected = _slowly(hits)
    assert [hit for hit, _ in found] == [hit for hit, _ in expected]
    np.testing.assert_allclose([p for _, p in found], [p for _, p in expected], rtol=1e-7)


N_WORKERS, N_PAIRS = 2000, 10


def _honest(rng: np.random.Generator, *, drop: float = 25, noise: float = 10) -> tuple[Any, Any]:
    """Base and degraded ratings of honest workers with three HITs of ten pairs."""
    shape = (N_WORKERS, 3, N_PAIRS)
    quality = rng.uniform(40, 90, shape)
    return quality + rng.normal(0, noise, shape), quality - drop + rng.normal(0, noise, shape)


def _passed(base: Any, degraded: Any) -> Any:
    """Which workers tell degraded copies apart over all their HITs: the others are not tested further."""
    differences = (base - degraded).reshape(N_WORKERS, -1)
    return stats.ttest_1samp(differences, 0, axis=1, alternative="greater").pvalue < 0.05


def _found(make_pairs: Pairs, base: Any, degraded: Any) -> tuple[list[HitVerdict], int]:
    """The changed HITs of those who passed, and how many these are."""
    passed = np.flatnonzero(_passed(base, degraded))
    return changed_hits(make_pairs(base, degraded), [f"W{i:05d}" for i in passed]), len(passed)


@pytest.mark.parametrize("noise", [10, 20])
def test_honest_workers_lose_a_hit_in_less_than_one_case_of_a_hundred(
    make_pairs: Pairs, noise: float
) -> None:
    base, degraded = _honest(np.random.default_rng(11), noise=noise)

    found, n_passed = _found(make_pairs, base, degraded)

    # The threshold is 0.01, and honest HITs would mostly pass by themselves besides.
    assert len({verdict.worker_id for verdict in found}) / n_passed < 0.012


@pytest.mark.parametrize("n_attributes", [1, 2, 5])
def test_honest_workers_lose_no_more_hits_with_several_attributes(
    make_pairs: Pairs, with_attributes: Pairs, n_attributes: int
) -> None:
    base, degraded = _honest(np.random.default_rng(14))
    passed = [f"W{i:05d}" for i in np.flatnonzero(_passed(base, degraded))]

    found = changed_hits(with_attributes(make_pairs(base, degraded), n_attributes), passed)

    # The threshold is 0.01, and honest HITs would mostly pass by themselves besides.
    assert len({verdict.worker_id for verdict in found}) / len(passed) < 0.005


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        pytest.param("always 70", 1.0, id="the same rating for everything"),
        pytest.param("no drop", 0.905, id="degraded copies go unnoticed"),
        pytest.param("random", 0.71, id="random clicking"),
    ],
)
def test_a_careless_last_hit_of_someone_who_passes_is_found_in_so_many_cases(
    make_pairs: Pairs, last: str, expected: float
) -> None:
    rng = np.random.default_rng(12)
    base, degraded = _honest(rng)
    if last == "always 70":
        base[:, 2], degraded[:, 2] = 70, 70
    elif last == "no drop":
        degraded[:, 2] += 25
    else:
        base[:, 2], degraded[:, 2] = rng.uniform(0, 100, (2, N_WORKERS, N_PAIRS))

    found, n_passed = _found(make_pairs, base, degraded)

    # Expected: another implementation of the test on 20,000 (no drop: 4,000) other workers. The
    # Monte Carlo errors of both together are at most 0.012.
    assert sum(verdict.hit_id == "h2" for verdict in found) / n_passed == pytest.approx(expected, abs=0.03)
    # The two honest HITs are never blamed for the third.
    assert sum(verdict.hit_id != "h2" for verdict in found) / n_passed < 0.005


def test_an_honest_hit_with_twice_the_noise_is_lost_one_time_in_twenty(make_pairs: Pairs) -> None:
    rng = np.random.default_rng(13)
    base, degraded = _honest(rng)
    louder = rng.normal(0, np.sqrt(300), (2, N_WORKERS, N_PAIRS))
    base[:, 2], degraded[:, 2] = base[:, 2] + louder[0], degraded[:, 2] + louder[1]

    found, n_passed = _found(make_pairs, base, degraded)

    # Variance 100 + 300 is that of a noise of 20. Expected: another implementation on 20,000 workers.
    lost = sum(verdict.hit_id == "h2" for verdict in found) / n_passed
    assert lost == pytest.approx(0.043, abs=0.015)
