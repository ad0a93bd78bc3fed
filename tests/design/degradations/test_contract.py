"""What holds for every registered degradation, in every script and however texts are cut."""

from __future__ import annotations

import unicodedata
from collections import Counter

import numpy as np
import pytest
from icu4py.breakers import CharacterBreaker

from steelyard.design.degradations import choose, degradations
from steelyard.protocols import protocols


def looks(text: str) -> str:
    """The text after composing, folding and collapsing: what a reader can tell apart."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def characters(text: str) -> set[str]:
    return set(CharacterBreaker(text, "en"))


def degraded(damage, corpus, text: str, seed: int = 7) -> str | None:
    return damage.degrade(text, corpus.sentence, [corpus.other], np.random.default_rng(seed))


def test_a_sentence_is_preferred_and_always_comes_out_damaged(damage, corpus):
    copies = {degraded(damage, corpus, corpus.sentence, seed) for seed in range(30)}

    assert damage.is_eligible(corpus.sentence)
    assert damage.is_preferred(corpus.sentence)
    assert len(copies) >= 4
    assert None not in copies


def test_nearly_every_preferred_text_goes(damage, outcomes):
    went = [each.damaged is not None for each in outcomes if damage.is_preferred(each.text)]

    assert len(went) > 100
    assert sum(went) >= 0.95 * len(went)


def test_preferred_texts_are_eligible(damage, corpus):
    assert all(damage.is_eligible(text) for text in corpus.texts if damage.is_preferred(text))


def test_a_damaged_text_is_not_empty_and_looks_different(outcomes):
    copies = [each for each in outcomes if each.damaged is not None]

    assert [
        each for each in copies if not looks(each.damaged) or looks(each.damaged) == looks(each.text)
    ] == []


def test_no_character_is_broken_or_made_up(corpus, outcomes):
    known = characters(corpus.other) | {" "}
    copies = [each for each in outcomes if each.damaged is not None]

    assert [each for each in copies if not characters(each.damaged) <= characters(each.text) | known] == []


def test_first_and_last_unit_stay_where_there_are_three_words(damage, corpus, outcomes):
    for each in outcomes:
        pieces = corpus.splitter.split(each.text)
        if pieces.n_words >= 3 and damage.is_preferred(each.text) and each.damaged is not None:
            joints = pieces.joints or ("", "")
            assert each.damaged.startswith(joints[0] + pieces.units[0])
            assert each.damaged.endswith(pieces.units[-1] + joints[-1])


def test_a_text_of_several_lines_never_becomes_a_single_line(corpus, outcomes):
    several = [
        each for each in outcomes if "\n" in each.text and corpus.splitter.split(each.text).n_words >= 3
    ]

    assert len(several) > 20
    assert [each for each in several if each.damaged is not None and "\n" not in each.damaged] == []


def test_the_same_seed_damages_alike(damage, corpus, outcomes):
    rng = np.random.default_rng(11)

    again = [damage.degrade(text, corpus.sentence, [corpus.other], rng) for text in corpus.texts]

    assert again == [each.damaged for each in outcomes]


def test_a_text_without_words_is_never_a_base(damage, corpus):
    for text in ("", " ", "\n", "\u200b", " \u00a0\n"):
        assert not damage.is_eligible(text), repr(text)
        assert not damage.is_preferred(text), repr(text)
        assert degraded(damage, corpus, text) is None, repr(text)


def test_single_words_are_not_eligible(damage, corpus):
    units = corpus.splitter.split(corpus.sentence).units

    assert [unit for unit in units if damage.is_eligible(unit)] == []


def test_a_text_in_another_script_goes_in_any_language(damage, corpus):
    for text in ("Windows 11 is here again", "OpenAI и Google", "I♥NY — 2024 ... now"):
        assert damage.is_eligible(text), text
        assert degraded(damage, corpus, text) is not None, text


def test_it_names_what_it_lowers_and_whom_to_cite(degradation):
    assert degradation.attributes
    assert degradation.cite
    assert degradation.damage.__doc__


@pytest.mark.parametrize("name", sorted(protocols()))
def test_every_attribute_of_every_protocol_can_be_lowered(name):
    for attribute in protocols()[name].attributes:
        assert attribute in choose(attribute=attribute).attributes


def test_every_attribute_has_one_usual_degradation():
    usual = Counter(name for each in degradations().values() if each.is_default for name in each.attributes)

    assert set(usual) == {name for each in degradations().values() for name in each.attributes}
    assert set(usual.values()) == {1}
