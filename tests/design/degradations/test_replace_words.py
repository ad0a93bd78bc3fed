from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.design.degradations.replace_words import degrade, is_eligible, is_preferred, n_replaced

hurried = settings(max_examples=40, deadline=None)
FOREIGN = " ".join(f"foreign{k}" for k in range(60))


def damaged(
    text: str, *, reference: str = "", others: tuple[str, ...] = (FOREIGN,), seed: int = 7
) -> str | None:
    return degrade(text, reference, others, np.random.default_rng(seed))


def text_of(n_words: int) -> str:
    return " ".join(f"own{k}" for k in range(n_words))


# The published table (2-5: 2; 6-8: 3; 9-15: 4; 16-20: 5; above: a quarter), but at most n - 2 from 3 on.
TABLE = [
    (1, 1),
    (2, 1),
    (3, 1),
    (4, 2),
    (5, 2),
    (6, 3),
    (8, 3),
    (9, 4),
    (15, 4),
    (16, 5),
    (20, 5),
    (21, 5),
    (23, 5),
    (24, 6),
    (40, 10),
    (43, 10),
    (100, 25),
]


@pytest.mark.parametrize(("n_words", "k"), TABLE)
def test_the_number_of_replaced_words_follows_the_table(n_words, k):
    assert n_replaced(n_words) == k


@pytest.mark.parametrize(("n_words", "k"), TABLE)
def test_a_damaged_text_has_as_many_foreign_words_as_the_table_says(n_words, k):
    words = damaged(text_of(n_words)).split()

    assert len(words) == n_words
    assert sum(word.startswith("foreign") for word in words) == k


@pytest.mark.parametrize("n_words", [3, 4, 5, 6, 9, 16, 21, 40])
@pytest.mark.parametrize("seed", range(5))
def test_the_phrase_is_one_run_of_another_text_between_first_and_last_word(n_words, seed):
    words = damaged(text_of(n_words), seed=seed).split()

    foreign = [k for k, word in enumerate(words) if word.startswith("foreign")]
    numbers = [int(words[k].removeprefix("foreign")) for k in foreign]
    assert foreign == list(range(foreign[0], foreign[0] + len(foreign)))
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert foreign[0] >= 1
    assert foreign[-1] <= n_words - 2


def test_every_start_from_the_second_word_on_is_used():
    # Nine words lose four: the run may start at 1, 2, 3 or 4 (the last word, 8, stays).
    starts = set()
    for seed in range(200):
        words = damaged(text_of(9), seed=seed).split()
        starts.add(next(k for k, word in enumerate(words) if word.startswith("foreign")))

    assert starts == {1, 2, 3, 4}


def test_two_words_lose_the_last():
    words = damaged("own0 own1").split()

    assert words[0] == "own0"
    assert words[1].startswith("foreign")


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_nothing_cannot_be_damaged(text):
    assert damaged(text) is None


@pytest.mark.parametrize(
    ("text", "eligible", "preferred"),
    [("", False, False), ("one", False, False), ("one two", True, False), ("one two three", True, True)],
)
def test_two_words_are_eligible_and_three_preferred(text, eligible, preferred):
    assert (is_eligible(text), is_preferred(text)) == (eligible, preferred)


def test_a_phrase_that_is_mostly_in_the_text_is_never_taken():
    # Two words go. Of the inner phrases "own3 OWN1", "OWN1 x", "x y" the first shares more than half.
    text, other = text_of(5), "- own3 OWN1 x y -"

    copies = {damaged(text, others=(other,), seed=seed) for seed in range(100)}

    assert not any("own3 OWN1" in copy for copy in copies)
    assert any("OWN1 x" in copy for copy in copies)


def test_a_phrase_that_is_mostly_in_the_reference_is_never_taken():
    text, other = text_of(3), "- known strange -"

    copies = {damaged(text, reference="Known words", others=(other,), seed=seed) for seed in range(50)}

    assert copies == {"own0 strange own2"}


@pytest.mark.parametrize("others", [(), ("own0 own1 own2",), ("too short",), (". . . . . .",)])
def test_without_a_fitting_phrase_the_text_will_not_go(others):
    assert damaged(text_of(6), others=others) is None


def test_white_space_stays_as_it_was():
    copy = damaged("own0\u00a0own1\nown2  own3")

    assert copy is not None
    assert [c for c in copy if c.isspace()] == ["\u00a0", "\n", " ", " "]


def test_the_copy_keeps_length_and_ends_and_differs(texts):
    @hurried
    @given(texts, st.lists(texts, min_size=1, max_size=8), st.integers(0, 2**32))
    def check(text, others, seed):
        copy = damaged(text, others=tuple(others), seed=seed)
        assume(copy is not None)

        words, kept = copy.split(), text.split()
        assert len(words) == len(kept)
        assert copy != text
        if len(kept) >= 3:
            assert (words[0], words[-1]) == (kept[0], kept[-1])

    check()


def test_the_same_seed_gives_the_same_copy(texts):
    @hurried
    @given(texts, st.lists(texts, min_size=1, max_size=8), st.integers(0, 2**32))
    def check(text, others, seed):
        first, second = (damaged(text, others=tuple(others), seed=seed) for _ in range(2))

        assert first == second

    check()


def test_any_text_goes_if_an_unrelated_long_text_is_at_hand(texts):
    @hurried
    @given(texts, st.integers(0, 2**32))
    def check(text, seed):
        copy = damaged(text, seed=seed)

        assert copy is not None
        assert copy.strip()

    check()
