from __future__ import annotations

import numpy as np
import pytest

from steelyard.design.degradations import degradations, for_attribute

OTHERS = tuple(f"{a} quick{a} brown{a} fox{a} jumps{a} over{a} lazy{a} dogs{a}" for a in "abcdefgh")
TEXT = "Yesterday the committee agreed to publish its report next week."


@pytest.mark.parametrize("name", sorted(degradations()))
def test_every_degradation_damages_a_plain_sentence(name):
    degradation = degradations()[name]

    copy = degradation.degrade(TEXT, TEXT, OTHERS, np.random.default_rng(7))

    assert degradation.is_eligible(TEXT)
    assert copy not in (None, "", TEXT)


@pytest.mark.parametrize("name", sorted(degradations()))
def test_whatever_is_preferred_is_eligible(name):
    degradation = degradations()[name]

    texts = ["", "one", "one two", "one two three", "one two three four", TEXT]

    assert all(degradation.is_eligible(text) for text in texts if degradation.is_preferred(text))


@pytest.mark.parametrize("attribute", ["fluency", "adequacy"])
def test_each_attribute_has_a_degradation_that_lowers_it(attribute):
    assert attribute in for_attribute(attribute).attributes


def test_an_attribute_nobody_can_lower_is_refused():
    with pytest.raises(ValueError, match="there is one for: adequacy, fluency"):
        for_attribute("style")
