from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from scipy.stats import chisquare

from steelyard.design.degradations.duplicate_words import DEGRADATION, damage_by

ENGLISH = DEGRADATION.damage("en")


def damaged(text: str, seed: int = 7) -> str | None:
    return ENGLISH.degrade(text, "", [], np.random.default_rng(seed))


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
        (". . one . . two", True),
        ("(one) «two» . .", True),
    ],
)
def test_three_words_are_needed_two_of_them_not_punctuation(text, eligible):
    assert ENGLISH.is_eligible(text) is eligible
    assert ENGLISH.is_preferred(text) is eligible


@pytest.mark.parametrize("text", ["", " ", "one", "one two", "- - - -", "one two !"])
def test_ineligible_texts_will_not_go(text):
    assert damaged(text) is None


@pytest.mark.parametrize(
    "text", ["a b a", "no no no no no", "No no NO no", "e\u0301 é E\u0301 é", "no n\u00ado no n\u200bo"]
)
def test_a_text_where_every_copy_would_stand_beside_its_like_will_not_go(text):
    assert damaged(text) is None


def test_white_space_around_the_copies_stays_as_it_was():
    text = "one\u00a0two\nthree  four five"

    copy = damaged(text)

    assert copy is not None
    assert all(space in copy for space in ("\u00a0", "\n", "  "))


def probabilities(words: list[str]) -> dict[str, float]:
    """How likely each copy of a text of distinct words is, by the rule: two words, then a gap for each."""
    n = len(words)
    gaps = {i: [g for g in range(1, n) if g not in (i, i + 1)] for i in range(n)}
    found: Counter[str] = Counter()
    for i, j in permutations(range(n), 2):
        for gap_i in gaps[i]:
            for gap_j in gaps[j]:
                # Originals at 0, 1, 2 ...; copies just before their gap, the first chosen to the left.
                marked = [*enumerate(words), (gap_i - 0.5, words[i]), (gap_j - 0.4, words[j])]
                copy = [word for _, word in sorted(marked)]
                if all(one != other for one, other in pairwise(copy)):
                    found[" ".join(copy)] += 1 / (len(gaps[i]) * len(gaps[j]))
    return {copy: weight / found.total() for copy, weight in found.items()}


@pytest.mark.parametrize("text", ["a b c d", "a b c d e f"])
def test_every_copy_is_as_likely_as_the_rule_makes_it(text):
    expected = probabilities(text.split())
    rng = np.random.default_rng(5)

    seen = Counter(ENGLISH.degrade(text, "", [], rng) for _ in range(20_000))

    assert set(seen) <= set(expected)
    observed = [seen[copy] for copy in expected]
    assert chisquare(observed, [20_000 * share for share in expected.values()]).pvalue > 0.001


def readings(units: list[str], size: int, copy: str):
    """(gap, start) of both runs, for every two runs that give the copy when they are put at their gaps."""
    word = {start: "".join(units[start : start + size]) for start in range(len(units) - size + 1)}
    for left_gap, left in product(range(1, len(units)), word):
        head = "".join(units[:left_gap]) + word[left]
        if not copy.startswith(head):
            continue
        for right_gap in range(left_gap, len(units)):
            middle = head + "".join(units[left_gap:right_gap])
            if not copy.startswith(middle):
                break
            tail = "".join(units[right_gap:])
            for right in word:
                if copy[len(middle) :] == word[right] + tail:
                    yield (left_gap, left), (right_gap, right)


def follows_the_rule(units: list[str], size: int, left: tuple[int, int], right: tuple[int, int]) -> bool:
    (left_gap, left_start), (right_gap, right_start) = left, right
    words = [units[start : start + size] for start in (left_start, right_start)]
    longer = [*units[:left_gap], *words[0], *units[left_gap:right_gap], *words[1], *units[right_gap:]]
    neighbours = [
        (word, longer[max(place + shift, 0) : place + shift + size])
        for word, place in zip(words, (left_gap, right_gap + size), strict=True)
        for shift in (-size, size)
    ]
    return (
        all(any(c.isalnum() for c in unit) for word in words for unit in word)
        and not any(start <= gap <= start + size for gap, start in (left, right))
        and abs(left_start - right_start) >= size
        and all("".join(word).casefold() != "".join(beside).casefold() for word, beside in neighbours)
    )


def test_in_any_script_two_runs_of_units_are_copied_to_places_of_their_own(corpus, squeezed):
    damage = damage_by(corpus.splitter)
    rng = np.random.default_rng(3)
    for text in filter(damage.is_eligible, corpus.texts[:100]):
        pieces = corpus.splitter.split(text)
        units, size = [squeezed(unit) for unit in pieces.units], pieces.splitter.units_per_word

        copy = damage.degrade(text, "", [], rng)

        assert copy is None or any(
            follows_the_rule(units, size, *reading) for reading in readings(units, size, squeezed(copy))
        )


def test_a_sentence_always_goes(corpus):
    damage = damage_by(corpus.splitter)
    rng = np.random.default_rng(3)

    assert None not in [damage.degrade(corpus.sentence, "", [], rng) for _ in range(200)]
