"""BLEU by hand: the geometric mean of the shares of matching sequences of one to four words."""

from __future__ import annotations

from math import exp

import pytest

from steelyard.metrics.bleu import METRIC


def test_four_words_that_match_score_one_hundred() -> None:
    assert METRIC.segments(["we weigh every word"], ["we weigh every word"], "en") == pytest.approx([100.0])


def test_one_wrong_word_at_the_end_of_six() -> None:
    # 5 of 6 words match, 4 of 5 pairs, 3 of 4 triples, 2 of 3 quadruples; the lengths are the same.
    expected = 100 * (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** (1 / 4)

    assert METRIC.segments(["a b c d e f"], ["a b c d e g"], "en") == pytest.approx([expected])


def test_a_short_translation_pays_for_its_brevity() -> None:
    # All that is there matches, but it is 4 words for 5.
    assert METRIC.corpus(["a b c d"], ["a b c d e"], "en") == pytest.approx(100 * exp(1 - 5 / 4))


def test_a_corpus_adds_up_counts() -> None:
    # Six words as above, and four that all match.
    expected = 100 * ((5 + 4) / 10 * (4 + 3) / 8 * (3 + 2) / 6 * (2 + 1) / 4) ** (1 / 4)

    score = METRIC.corpus(["a b c d e f", "p q r s"], ["a b c d e g", "p q r s"], "en")

    assert score == pytest.approx(expected)


def test_a_segment_of_two_words_is_scored_by_what_it_has() -> None:
    assert METRIC.segments(["two words"], ["two words"], "en") == pytest.approx([100.0])


def test_case_matters() -> None:
    assert METRIC.segments(["A B C D"], ["a b c d"], "en") == [0.0]


@pytest.mark.parametrize("language", ["zh", "zh-Hant-TW", "ja", "ko", "th"])
def test_languages_without_spaces_are_cut_into_characters(language: str) -> None:
    # Of five characters the last is wrong: 4 of 5, 3 of 4, 2 of 3, 1 of 2 match.
    expected = 100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4)

    assert METRIC.segments(["他们都在家"], ["他们都在国"], language) == pytest.approx([expected])


def test_in_other_languages_the_same_text_is_one_wrong_word() -> None:
    assert METRIC.segments(["他们都在家"], ["他们都在国"], "de") == [0.0]


@pytest.mark.parametrize(
    ("language", "tokeniser"), [("en", "13a"), ("pt-BR", "13a"), ("zh", "zh"), ("ja", "char"), ("ko", "char")]
)
def test_the_signature_tells_how_texts_are_cut(language: str, tokeniser: str) -> None:
    assert f"|tok:{tokeniser}|" in METRIC.signature(language)


def test_the_signature_tells_how_segments_differ() -> None:
    assert METRIC.signature("en").startswith("BLEU|nrefs:1|case:mixed|eff:no|")
    assert METRIC.signature("en").endswith("(segments: eff:yes)")
