from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from steelyard.design.degradations.replace_phrase import DEGRADATION, phrase_length
from steelyard.domain.text import changed_part

ENGLISH = DEGRADATION.damage("en")
FOREIGN = " ".join(f"foreign{k}" for k in range(60))


def damaged(text: str, *, others: tuple[str, ...] = (FOREIGN,), seed: int = 7) -> str | None:
    return ENGLISH.degrade(text, "", others, np.random.default_rng(seed))


def text_of(n_words: int) -> str:
    return " ".join(f"own{k}" for k in range(n_words))


# From the published table of replace-words, never fewer than two words and never more than six.
@pytest.mark.parametrize(
    ("n_words", "n_replaced"), [(3, 2), (4, 2), (8, 3), (9, 4), (16, 5), (24, 6), (100, 6), (1000, 6)]
)
def test_two_to_six_words_are_replaced_by_as_many(n_words, n_replaced):
    words = damaged(text_of(n_words)).split()

    assert len(words) == n_words
    assert sum(word.startswith("foreign") for word in words) == n_replaced == phrase_length(n_words)


@pytest.mark.parametrize("seed", range(8))
def test_the_place_of_the_phrase_is_what_changed(seed):
    text = text_of(12)

    copy = damaged(text, seed=seed)

    start, end = changed_part(text, copy)
    assert copy[start:end] == " ".join(word for word in copy.split() if word.startswith("foreign"))


def test_words_at_either_end_of_the_phrase_are_never_those_that_stood_there():
    # "own1 new" could stand for "own1 own2", and only its second word would be an error.
    copies = {damaged("own0 own1 own2 own3", others=("- own1 new extra -",), seed=k) for k in range(60)}

    assert copies == {"own0 new extra own3"}


def test_a_phrase_of_the_text_itself_is_never_borrowed():
    assert damaged(text_of(9), others=(text_of(9),)) is None


def test_of_three_words_the_first_stays():
    assert damaged("own0 own1 own2").startswith("own0 foreign")


@pytest.mark.parametrize("text", ["", "one", "one two"])
def test_fewer_than_three_words_will_not_go(text):
    assert not ENGLISH.is_eligible(text)
    assert damaged(text) is None


@pytest.mark.parametrize("language", ["zh", "ja", "th"])
def test_without_spaces_twice_as_many_characters_are_replaced(language):
    # 60 different characters: 30 words by two, of which six go.
    text = "".join(chr(0x4E00 + k) for k in range(60))
    other = "".join(chr(0x5E00 + k) for k in range(60))

    copy = DEGRADATION.damage(language).degrade(text, "", [other], np.random.default_rng(3))

    start, end = changed_part(text, copy)
    assert (end - start, len(copy)) == (12, 60)
    assert copy[start:end] in other


def test_every_place_is_as_likely_as_any_other():
    rng = np.random.default_rng(5)
    starts = Counter(
        changed_part(text_of(9), ENGLISH.degrade(text_of(9), "", [FOREIGN], rng))[0] for _ in range(2000)
    )

    # Nine words lose four, at 1 to 4; four standard errors of a count of 500.
    assert len(starts) == 4
    assert max(abs(n - 500) for n in starts.values()) < 4 * np.sqrt(2000 * 0.25 * 0.75)
