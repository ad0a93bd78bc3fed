"""chrF by hand: precision and recall of sequences of one to six characters, averaged over the lengths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.metrics.chrf import METRIC


def test_one_wrong_character_of_three() -> None:
    # abd for abc: 2 of 3 characters, 1 of 2 pairs, 0 of 1 triples match, both ways; there is nothing longer.
    expected = 100 * (2 / 3 + 1 / 2 + 0) / 3

    assert METRIC.segments(["abd"], ["abc"], "en") == pytest.approx([expected])


def test_recall_counts_four_times_in_the_mean() -> None:
    # ab for abcd: precision 1; recall 2 of 4 characters, 1 of 3 pairs; F = 5 P R / (4 P + R).
    recall = (2 / 4 + 1 / 3) / 2
    expected = 100 * 5 * recall / (4 + recall)

    assert METRIC.segments(["ab"], ["abcd"], "en") == pytest.approx([expected])
    assert expected == pytest.approx(100 * 25 / 53)


def test_a_corpus_adds_up_counts() -> None:
    # abd for abc beside xyz for xyz: 5 of 6 characters, 3 of 4 pairs, 1 of 2 triples.
    expected = 100 * (5 / 6 + 3 / 4 + 1 / 2) / 3

    assert METRIC.corpus(["abd", "xyz"], ["abc", "xyz"], "en") == pytest.approx(expected)


@pytest.mark.parametrize("language", ["en", "zh", "ja"])
def test_the_language_does_not_matter(language: str) -> None:
    assert METRIC.segments(["他们都在家"], ["他们都在国"], language) == METRIC.segments(
        ["他们都在家"], ["他们都在国"], "de"
    )


@given(st.text(st.characters(categories=["L", "N"]), min_size=1))
def test_any_text_is_its_own_best_translation(text: str) -> None:
    assert METRIC.segments([text], [text], "en") == pytest.approx([100.0])


def test_the_signature_is_that_of_chrf2() -> None:
    assert METRIC.signature("en").startswith("chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|")
