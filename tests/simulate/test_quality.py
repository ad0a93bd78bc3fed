from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.degradations import choose
from steelyard.domain.work import ItemKind
from steelyard.simulate.quality import item_quality, similarity

REFERENCE = "The council approved the new budget after a long debate on Tuesday evening."
GOOD = "The council approved the new budget on Tuesday evening after a long debate."
POOR = "Council is the budget new agree behind debate of long Tuesday."
OTHERS = (
    "seven ships were lost in heavy storms off northern Norway",
    "my uncle grows fine pears in his orchard",
)


def test_similarity_of_two_short_texts_by_hand():
    # "abc" and "abd": one-grams 2 of 3 shared, two-grams 1 of 2, three-grams 0 of 1.
    assert similarity("abc", "abd") == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_similarity_is_symmetric_and_between_0_and_1(left, right):
    assert similarity(left, right) == pytest.approx(similarity(right, left))
    assert 0 <= similarity(left, right) <= 1


@pytest.mark.parametrize(("text", "reference"), [("", "a"), ("a", ""), ("", "")])
def test_nothing_is_similar_to_no_text(text, reference):
    assert similarity(text, reference) == 0


def test_a_better_translation_has_the_higher_quality():
    good, poor = (item_quality(ItemKind.REGULAR, text=text, reference=REFERENCE) for text in (GOOD, POOR))

    assert 0 < poor < good < 1


def test_the_reference_is_nearly_perfect():
    assert item_quality(ItemKind.REFERENCE, text=REFERENCE, reference=REFERENCE) > 0.95


def test_a_repeat_is_as_good_as_its_base():
    base, repeat = (
        item_quality(kind, text=GOOD, reference=REFERENCE) for kind in (ItemKind.REGULAR, ItemKind.REPEAT)
    )

    assert repeat == base


@pytest.mark.parametrize("attribute", ["adequacy", "fluency"])
@pytest.mark.parametrize("text", [GOOD, POOR, REFERENCE])
@pytest.mark.parametrize("seed", range(5))
def test_a_degraded_item_is_clearly_worse_than_its_base(attribute, text, seed):
    copy = (
        choose(attribute=attribute).damage("en").degrade(text, REFERENCE, OTHERS, np.random.default_rng(seed))
    )

    base = item_quality(ItemKind.REGULAR, text=text, reference=REFERENCE)
    degraded = item_quality(ItemKind.DEGRADED, text=copy, reference=REFERENCE, base_text=text)

    assert 0.2 <= base - degraded <= 0.5
    assert degraded > 0


def test_a_degraded_item_without_its_base_is_worth_less_than_its_words():
    degraded = item_quality(ItemKind.DEGRADED, text=POOR, reference=REFERENCE)

    assert 0 < degraded < item_quality(ItemKind.REGULAR, text=POOR, reference=REFERENCE)


def test_without_a_reference_texts_still_differ():
    qualities = {item_quality(ItemKind.REGULAR, text=text, reference="") for text in (GOOD, POOR, REFERENCE)}

    assert len(qualities) == 3
    assert all(0 < quality < 1 for quality in qualities)
