from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from steelyard.stats.span_agreement import (
    MarkedSpans,
    PrecisionRecall,
    match_spans,
    moved_at_random,
    overlaps,
    shared_characters,
    shared_marks,
    united,
)


def marks(*spans: tuple[int, int, int]) -> MarkedSpans:
    """MarkedSpans from (text, start, end)."""
    columns = np.array(spans, dtype=np.int64).reshape(-1, 3).T
    return MarkedSpans(*columns)


def mpp(first: MarkedSpans, second: MarkedSpans, n_texts: int = 1) -> PrecisionRecall:
    return shared_marks(first, second, match_spans(first, second), n_texts=n_texts).summed()


def drawn(rng: np.random.Generator, n_texts: int, most: int) -> MarkedSpans:
    """Some marks at random places of texts of 20 characters."""
    spans = []
    for text in range(n_texts):
        for _ in range(int(rng.integers(0, most + 1))):
            start = int(rng.integers(0, 19))
            spans.append((text, start, int(rng.integers(start + 1, 21))))
    return marks(*spans)


def test_precision_and_recall_of_a_case_worked_by_hand() -> None:
    # "quick brown" (11 characters) where the other has "quick" (5), and "fox" where the other has it too.
    first, second = marks((0, 0, 11), (0, 12, 15)), marks((0, 0, 5), (0, 12, 15))

    found = mpp(first, second)

    assert found.precision == pytest.approx((5 / 11 + 1) / 2)
    assert found.recall == pytest.approx(1.0)
    assert found.f == pytest.approx(2 * found.precision / (found.precision + 1))


def test_a_mark_without_partner_gets_nothing_and_counts() -> None:
    found = mpp(marks((0, 0, 4), (1, 0, 4)), marks((0, 0, 4)), n_texts=2)

    assert found == PrecisionRecall(0.5, 1.0, pytest.approx(2 / 3))


def test_every_mark_has_one_partner_at_most() -> None:
    # One long mark over two short ones: only one of them is matched.
    found = mpp(marks((0, 0, 10)), marks((0, 0, 4), (0, 5, 10)))

    assert found.precision == pytest.approx(0.5)
    assert found.recall == pytest.approx(0.5)


def test_the_pairing_as_a_whole_is_best_not_each_pair_in_turn() -> None:
    # 0-10 shares most with 0-9 (18/19), but then 0-4 has no partner; the others give 8/16 + 8/13.
    first, second = marks((0, 0, 10), (0, 0, 4)), marks((0, 0, 9), (0, 6, 12))

    found = match_spans(first, second)

    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("seed", range(5))
def test_it_equals_a_search_through_all_pairings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = drawn(rng, 6, 4), drawn(rng, 6, 4)

    found = match_spans(first, second)

    credit = 2 * found.overlap / (first.length[found.first] + second.length[found.second])
    for text in range(6):
        best = _best_credit(first, second, text)
        assert credit[first.text[found.first] == text].sum() == pytest.approx(best)


def _best_credit(first: MarkedSpans, second: MarkedSpans, text: int) -> float:
    one, other = (
        [(s, e) for t, s, e in zip(*(column.tolist() for column in each), strict=True) if t == text]
        for each in (first, second)
    )
    if len(one) > len(other):
        one, other = other, one
    return max((_credit(one, chosen) for chosen in permutations(other, len(one))), default=0.0)


def _credit(one: Sequence[tuple[int, int]], other: Sequence[tuple[int, int]]) -> float:
    total = 0.0
    for (s, e), (t, f) in zip(one, other, strict=True):
        total += 2 * max(min(e, f) - max(s, t), 0) / (e - s + f - t)
    return total


@pytest.mark.parametrize("seed", range(5))
def test_characters_equal_a_count_of_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = drawn(rng, 8, 5), drawn(rng, 8, 5)

    found = shared_characters(first, second, n_texts=8)

    one, other = (
        {(t, c) for t, s, e in zip(*(column.tolist() for column in each), strict=True) for c in range(s, e)}
        for each in (first, second)
    )
    assert (found.first.sum(), found.second.sum()) == (len(one), len(other))
    assert found.first_shared.sum() == found.second_shared.sum() == len(one & other)
    assert found.summed().f == pytest.approx(2 * len(one & other) / (len(one) + len(other)))


def test_swapping_the_two_swaps_precision_and_recall() -> None:
    rng = np.random.default_rng(3)
    first, second = drawn(rng, 20, 3), drawn(rng, 20, 3)

    there, back = mpp(first, second, 20), mpp(second, first, 20)

    assert (there.precision, there.recall, there.f) == pytest.approx((back.recall, back.precision, back.f))


def test_the_same_marks_agree_completely() -> None:
    some = drawn(np.random.default_rng(3), 20, 3)

    assert mpp(some, some, 20) == PrecisionRecall(1.0, 1.0, 1.0)


def test_marks_that_touch_share_nothing_and_unite() -> None:
    first, second = marks((0, 0, 5)), marks((0, 5, 9))

    assert len(overlaps(first, second).first) == 0
    assert united(marks((0, 5, 9), (0, 0, 5))) == marks((0, 0, 9))


def test_without_marks_nothing_is_known() -> None:
    nothing = marks()

    assert np.isnan(mpp(nothing, nothing)).all()
    assert np.isnan(shared_characters(nothing, nothing, n_texts=1).summed().f)


def test_marks_at_random_places_agree_as_often_as_their_lengths_say() -> None:
    # Two marks of 5 in a text of 20: 16 places each; by hand, the mean overlap over all places of one.
    rng = np.random.default_rng(3)
    fixed = marks(*((text, 6, 11) for text in range(20_000)))

    moved = moved_at_random(fixed, np.full(20_000, 20), rng)

    share = np.mean([max(min(11, s + 5) - max(6, s), 0) for s in range(16)]) / 5
    assert (moved.start.min(), moved.end.max()) == (0, 20)
    assert mpp(fixed, moved, 20_000).f == pytest.approx(share, abs=4 * 0.4 / np.sqrt(20_000))
