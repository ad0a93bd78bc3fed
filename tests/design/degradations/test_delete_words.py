from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from steelyard.design.degradations.delete_words import DEGRADATION, damage_by, n_deleted

ENGLISH = DEGRADATION.damage("en")
# 1 word of 2 or 3, 2 up to 5, 3 up to 8, 4 up to 15, 5 up to 20, then ceil(n/5).
TABLE = {
    **dict.fromkeys((2, 3), 1),
    **dict.fromkeys((4, 5), 2),
    **dict.fromkeys((6, 7, 8), 3),
    **dict.fromkeys(range(9, 16), 4),
    **dict.fromkeys(range(16, 21), 5),
    21: 5,
    25: 5,
    26: 6,
    30: 6,
    31: 7,
    100: 20,
    101: 21,
}


def damaged(text: str, *, others: tuple[str, ...] = (), reference: str = "", seed: int = 7) -> str | None:
    return ENGLISH.degrade(text, reference, others, np.random.default_rng(seed))


def text_of(n_words: int) -> str:
    return " ".join(f"own{k}" for k in range(n_words))


@pytest.mark.parametrize(("n_words", "k"), TABLE.items())
def test_the_number_of_words_left_out_follows_the_table(n_words, k):
    assert n_deleted(n_words) == k


@pytest.mark.parametrize(("n_words", "k"), TABLE.items())
def test_one_run_goes_and_the_rest_stays_in_order(n_words, k):
    words = text_of(n_words).split()

    left = damaged(text_of(n_words)).split()

    start = next((place for place, word in enumerate(left) if word != words[place]), len(left))
    assert left == words[:start] + words[start + k :]


@pytest.mark.parametrize("n_words", [3, 4, 6, 9, 16, 21, 40])
@pytest.mark.parametrize("seed", range(5))
def test_first_and_last_word_stay_from_three_words_on(n_words, seed):
    left = damaged(text_of(n_words), seed=seed).split()

    assert (left[0], left[-1]) == ("own0", f"own{n_words - 1}")


def test_two_words_lose_the_last():
    assert damaged("own0 own1") == "own0"


def test_every_start_is_as_likely_as_any_other():
    # Twelve words lose four: the run starts at 1 to 7.
    rng = np.random.default_rng(5)

    starts = Counter(ENGLISH.degrade(text_of(12), "", [], rng) for _ in range(7000))

    assert len(starts) == 7
    assert chisquare(list(starts.values())).pvalue > 0.001


@pytest.mark.parametrize(
    ("text", "eligible", "preferred"),
    [
        ("", False, False),
        ("one", False, False),
        ("one two", True, False),
        ("one two three", True, True),
        # Nothing but punctuation would go, or stay.
        ("one !", False, False),
        ("one - two", False, False),
        ("- one -", False, False),
        ("- one two", True, True),
        (". . . .", False, False),
        ("« one » two three", True, True),
    ],
)
def test_a_word_must_go_and_a_word_must_stay(text, eligible, preferred):
    assert (ENGLISH.is_eligible(text), ENGLISH.is_preferred(text)) == (eligible, preferred)


@pytest.mark.parametrize("seed", range(30))
def test_a_run_of_punctuation_alone_is_never_what_goes(seed):
    # Six words lose three; at 1 that would be dashes only.
    assert damaged("one - - - two three", seed=seed) == "one - three"


def test_a_single_word_gives_way_to_a_content_word_of_another_document():
    copies = {damaged("«Ano.»", others=("he is in a library again",), seed=seed) for seed in range(50)}

    # Lengths 1 2 2 2 5 7, the middle one 2: all but "a" are at least so long.
    assert copies == {f"«{word}.»" for word in ("he", "is", "in", "again", "library")}


def test_the_content_word_is_in_neither_text_nor_reference():
    # The longer half of the first is "certainly" and "indeed".
    others = ("Yes, certainly indeed", "surely")

    copies = {damaged("Surely", reference="certainly!", others=others, seed=seed) for seed in range(50)}

    assert copies == {"indeed"}


@pytest.mark.parametrize("others", [(), ("",), ("word",), ("! ?",)])
def test_a_single_word_without_another_will_not_go(others):
    assert damaged("Word", others=others) is None


def test_one_run_of_units_goes_in_any_script(corpus, squeezed):
    damage = damage_by(corpus.splitter)
    rng = np.random.default_rng(3)
    for text in filter(damage.is_preferred, corpus.texts):
        pieces = corpus.splitter.split(text)
        size = n_deleted(pieces.n_words) * pieces.splitter.units_per_word
        allowed = {
            squeezed("".join(pieces.units[:start]) + "".join(pieces.units[start + size :]))
            for start in range(1, len(pieces.units) - size)
        }

        copy = damage.degrade(text, "", [], rng)

        assert copy is None or squeezed(copy) in allowed
