from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import chisquare

from steelyard.design.degradations._splitting import by_characters, by_icu
from steelyard.design.degradations.replace_words import DEGRADATION, damage_by, n_replaced

ENGLISH = DEGRADATION.damage("en")
FOREIGN = " ".join(f"foreign{k}" for k in range(60))


def damaged(
    text: str, *, reference: str = "", others: tuple[str, ...] = (FOREIGN,), seed: int = 7
) -> str | None:
    return ENGLISH.degrade(text, reference, others, np.random.default_rng(seed))


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


def test_every_place_and_every_phrase_is_as_likely_as_any_other():
    # Nine words lose four, at 1 to 4; of eight foreign words the inner six hold three runs of four.
    rng = np.random.default_rng(5)
    others = ["aa ab ac ad ae af ag ah", "ba bb bc bd be bf bg bh"]

    copies = Counter(ENGLISH.degrade(text_of(9), "", others, rng) for _ in range(9600))

    assert len(copies) == 4 * 2 * 3
    assert chisquare(list(copies.values())).pvalue > 0.001


def test_two_words_lose_the_last():
    words = damaged("own0 own1").split()

    assert words[0] == "own0"
    assert words[1].startswith("foreign")


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_nothing_cannot_be_damaged(text):
    assert damaged(text) is None


@pytest.mark.parametrize(
    ("text", "eligible", "preferred"),
    [
        ("", False, False),
        (" one ", False, False),
        ("one two", True, False),
        (" one two ", True, False),
        ("one two three", True, True),
        ("one\u00a0two\nthree\n", True, True),
    ],
)
def test_two_words_are_eligible_and_three_preferred(text, eligible, preferred):
    assert (ENGLISH.is_eligible(text), ENGLISH.is_preferred(text)) == (eligible, preferred)


def test_a_phrase_that_is_mostly_in_the_text_is_never_taken():
    # Two words go. Of the inner phrases "own3 OWN1", "OWN1 x", "x y" the first shares more than half.
    text, other = text_of(5), "- own3 OWN1 x y -"

    copies = {damaged(text, others=(other,), seed=seed) for seed in range(100)}

    assert not any("own3 OWN1" in copy for copy in copies)
    assert any("OWN1 x" in copy for copy in copies)


def test_a_phrase_that_is_mostly_in_the_reference_is_never_taken():
    text, other = text_of(3), "- known strange -"

    copies = {damaged(text, reference="Known\u00a0words", others=(other,), seed=seed) for seed in range(50)}

    assert copies == {"own0 strange own2"}


def test_text_and_reference_do_not_add_up():
    # One word of two in the text, the other in the reference: neither has more than half.
    assert damaged(text_of(4), reference="known", others=("- own1 known -",)) == "own0 own1 known own3"


def test_parts_of_words_are_not_shared_words():
    assert damaged("own0 unknown own2", reference="unknown", others=("- known -",)) == "own0 known own2"


@pytest.mark.parametrize("same", ["CAFÉ", "cafe\u0301", "ca\u00adfé", "\u200ecafé"])
def test_a_word_that_only_looks_like_the_old_one_is_no_replacement(same):
    assert damaged("own0 café own2", others=(f"- {same} -",)) is None


@pytest.mark.parametrize("others", [(), ("own0 own1 own2",), ("too short",), (". . . . . .",)])
def test_without_a_fitting_phrase_the_text_will_not_go(others):
    assert damaged(text_of(6), others=others) is None


def test_white_space_stays_as_it_was():
    copy = damaged("own0\u00a0own1\nown2  own3")

    assert copy is not None
    assert [c for c in copy if c.isspace()] == ["\u00a0", "\n", " ", " "]


def test_a_single_word_gives_way_to_one_that_is_not_the_same():
    copies = {damaged("Library", others=("a library again",), seed=seed) for seed in range(30)}

    assert copies == {"again"}


@pytest.mark.parametrize("make", [by_icu, by_characters])
def test_a_phrase_of_an_unspaced_script_gets_no_spaces_inside(make):
    copy = damage_by(make("th")).degrade(
        "Windows 11 is here", "", ["เพื่อนบ้านของเราอบเค้กทุกปี"], np.random.default_rng(7)
    )

    first, phrase, last = copy.split(" ")
    assert (first, last) == ("Windows", "here")
    assert phrase in "เพื่อนบ้านของเราอบเค้กทุกปี"


@pytest.mark.parametrize("make", [by_icu, by_characters])
def test_a_phrase_of_a_spaced_script_keeps_its_spaces(make):
    copy = damage_by(make("zh")).degrade(
        "市政府昨天又关闭了老桥", "", ["see Windows 11 run here again"], np.random.default_rng(7)
    )

    words = [word.strip("市政府昨天又关闭了老桥") for word in copy.split(" ")]
    assert " ".join(words) in "see Windows 11 run here again"
    assert len(words) >= 2


def runs(units: Sequence[str], size: int) -> set[str]:
    return {"".join(units[start : start + size]) for start in range(len(units) - size + 1)}


def is_replaced(units: Sequence[str], size: int, copy: str, phrases: set[str]) -> bool:
    """Whether one of the phrases, in place of an inner run of so many units, gives the copy."""
    ends = [("".join(units[:start]), "".join(units[start + size :])) for start in range(1, len(units) - size)]
    return any(
        copy.startswith(before)
        and copy.endswith(after)
        and copy[len(before) : len(copy) - len(after)] in phrases
        for before, after in ends
    )


def test_in_any_script_one_run_is_replaced_by_one_of_as_many_words(corpus, squeezed):
    damage = damage_by(corpus.splitter)
    rng = np.random.default_rng(3)
    other = corpus.splitter.split(corpus.other)
    for text in filter(damage.is_preferred, corpus.texts):
        pieces = corpus.splitter.split(text)
        units, k = [squeezed(unit) for unit in pieces.units], n_replaced(pieces.n_words)

        copy = damage.degrade(text, corpus.sentence, [corpus.other], rng)

        phrases = runs(other.units, k * other.splitter.units_per_word)
        size = k * pieces.splitter.units_per_word
        assert copy is None or is_replaced(units, size, squeezed(copy), phrases)


def test_in_any_script_no_phrase_is_mostly_known(corpus):
    # The only phrases to borrow are those of the text itself.
    damage = damage_by(corpus.splitter)

    assert damage.degrade(corpus.sentence, "", [corpus.sentence], np.random.default_rng(3)) is None
    assert damage.degrade(corpus.other, corpus.sentence, [corpus.sentence], np.random.default_rng(3)) is None
