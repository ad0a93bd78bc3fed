from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.design.degradations.duplicate_words import degrade, is_eligible

hurried = settings(max_examples=40, deadline=None)


def damaged(text: str, seed: int = 7) -> str | None:
    return degrade(text, "", [], np.random.default_rng(seed))


def positions_of_copies(text: str, copy: str) -> list[list[int]]:
    """Every way to take two words out of the copy that leaves the text, as positions in the copy."""
    words, longer = text.split(), copy.split()
    return [
        [i, j]
        for i in range(len(longer))
        for j in range(i + 1, len(longer))
        if longer[:i] + longer[i + 1 : j] + longer[j + 1 :] == words
    ]


@pytest.mark.parametrize("seed", range(10))
def test_three_words_can_only_be_damaged_in_one_way(seed):
    assert damaged("one two three", seed) == "one three two one three"


@pytest.mark.parametrize(
    ("text", "eligible"),
    [
        ("", False),
        ("one", False),
        ("one two", False),
        ("one two three", True),
        ("one two !", False),
        ("one , two", True),
        (". . . .", False),
        ("one . . .", False),
        ("one two . .", True),
    ],
)
def test_three_words_are_needed_two_of_them_not_punctuation(text, eligible):
    assert is_eligible(text) is eligible


@pytest.mark.parametrize("text", ["", " ", "one", "one two", "- - - -", "one two !"])
def test_ineligible_texts_will_not_go(text):
    assert damaged(text) is None


@pytest.mark.parametrize("text", ["a b a", "no no no no no", "No no NO no"])
def test_a_text_where_every_copy_would_stand_beside_its_like_will_not_go(text):
    assert damaged(text) is None


def test_white_space_around_the_copies_stays_as_it_was():
    text = "one\u00a0two\nthree  four five"

    copy = damaged(text)

    assert copy is not None
    assert all(space in copy for space in ("\u00a0", "\n", "  "))


def test_all_places_allowed_by_the_rule_are_used():
    allowed = set()
    for (i, j), gap_i, gap_j in product(permutations(range(4), 2), (1, 2, 3), (1, 2, 3)):
        # Originals at 0, 1, 2, 3; copies just before their gap, the second right of the first.
        marked = [*enumerate("abcd"), (gap_i - 0.5, "abcd"[i]), (gap_j - 0.4, "abcd"[j])]
        words = [word for _, word in sorted(marked)]
        if gap_i not in (i, i + 1) and gap_j not in (j, j + 1) and all(x != y for x, y in pairwise(words)):
            allowed.add(" ".join(words))

    assert {damaged("a b c d", seed) for seed in range(400)} == allowed


def test_the_copy_has_two_words_more_and_keeps_first_and_last(texts):
    @hurried
    @given(texts, st.integers(0, 2**32))
    def check(text, seed):
        copy = damaged(text, seed)
        assume(copy is not None)

        assert len(copy.split()) == len(text.split()) + 2
        assert (copy.split()[0], copy.split()[-1]) == (text.split()[0], text.split()[-1])
        assert copy != text

    check()


def test_only_words_are_duplicated_never_punctuation(texts):
    @hurried
    @given(texts, st.integers(0, 2**32))
    def check(text, seed):
        copy = damaged(text, seed)
        assume(copy is not None)

        added = Counter(copy.split()) - Counter(text.split())
        assert added.total() == 2
        assert all(any(character.isalnum() for character in word) for word in added)
        assert set(added) <= set(text.split())

    check()


def test_some_reading_of_the_copy_has_no_word_beside_its_like(texts):
    @hurried
    @given(texts, st.integers(0, 2**32))
    def check(text, seed):
        copy = damaged(text, seed)
        assume(copy is not None)

        words = copy.split()
        readings = positions_of_copies(text, copy)
        assert any(all(words[k] not in (words[k - 1], words[k + 1]) for k in reading) for reading in readings)

    check()


def test_the_same_seed_gives_the_same_copy_and_eligible_texts_of_distinct_words_always_go(texts):
    @hurried
    @given(texts, st.integers(0, 2**32))
    def check(text, seed):
        words = text.casefold().split()
        assume(is_eligible(text) and len(set(words)) == len(words))

        copy = damaged(text, seed)

        assert copy is not None
        assert copy == damaged(text, seed)

    check()
