"""TER by hand: edits per hundred words of the reference."""

from __future__ import annotations

import pytest

from steelyard.metrics.ter import METRIC

REFERENCE = "a b c d e"


@pytest.mark.parametrize(
    ("translation", "edits"),
    [
        ("a b x d e", 1),
        ("a b d e", 1),
        ("a b c x d e", 1),
        # A run of words in the wrong place is one edit, however long.
        ("d e a b c", 1),
        ("A B C D E", 0),
        ("p q r s t u", 6),
    ],
)
def test_edits_are_counted_per_hundred_words(translation: str, edits: int) -> None:
    assert METRIC.segments([translation], [REFERENCE], "en") == pytest.approx([100 * edits / 5])


def test_a_corpus_adds_up_edits_and_words() -> None:
    # One edit in 5 words and none in 15.
    long = "k l m n o p q r s t u v w x y"

    assert METRIC.corpus(["a b x d e", long], [REFERENCE, long], "en") == pytest.approx(100 / 20)


def test_fewer_edits_are_better() -> None:
    assert METRIC.sign == -1


@pytest.mark.parametrize("language", ["zh", "zh-TW", "ja"])
def test_where_there_are_no_spaces_an_edit_is_of_a_character(language: str) -> None:
    assert METRIC.segments(["我爱你们"], ["我爱他们"], language) == pytest.approx([25.0])
    assert "|norm:yes|punct:yes|asian:yes|" in METRIC.signature(language)


def test_elsewhere_texts_are_taken_as_they_are() -> None:
    assert METRIC.signature("en").startswith("TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|")
