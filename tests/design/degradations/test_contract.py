"""What holds for every registered degradation."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.design.degradations import degradations, for_attribute
from steelyard.protocols import protocols

TEXT = "The old bridge over the river was closed again yesterday because of the storm."
REFERENCE = "Yesterday the storm led to the closure of the old bridge across the river."
OTHERS = [
    "Our neighbours bake plum cake every autumn and share it with the street.",
    "Bees sleep at night too.",
]


@pytest.fixture(params=sorted(degradations()))
def degradation(request: pytest.FixtureRequest):
    return degradations()[request.param]


def test_an_eligible_text_comes_out_damaged(degradation) -> None:
    assert degradation.damage("en").is_eligible(TEXT)

    damaged = {
        degradation.damage("en").degrade(TEXT, REFERENCE, OTHERS, np.random.default_rng(seed))
        for seed in range(50)
    }

    assert None not in damaged
    assert TEXT not in damaged
    assert all(text.strip() for text in damaged)


def test_first_and_last_word_stay(degradation) -> None:
    damaged = degradation.damage("en").degrade(TEXT, REFERENCE, OTHERS, np.random.default_rng(3))

    assert damaged.split()[0] == "The"
    assert damaged.split()[-1] == "storm."


def test_the_same_seed_damages_alike(degradation) -> None:
    one, two = (
        degradation.damage("en").degrade(TEXT, REFERENCE, OTHERS, np.random.default_rng(11)) for _ in range(2)
    )

    assert one == two


def test_a_text_without_words_is_not_eligible(degradation) -> None:
    assert not degradation.damage("en").is_eligible("")
    assert not degradation.damage("en").is_eligible("   ")


def test_it_names_what_it_lowers_and_whom_to_cite(degradation) -> None:
    assert degradation.attributes
    assert degradation.cite


@pytest.mark.parametrize("name", sorted(protocols()))
def test_every_attribute_of_every_protocol_can_be_lowered(name: str) -> None:
    for attribute in protocols()[name].attributes:
        assert attribute in for_attribute(attribute).attributes
