from __future__ import annotations

import pytest

from steelyard.design.degradations import choose


@pytest.mark.parametrize(
    ("attribute", "name", "chosen"),
    [
        ("adequacy", None, "replace-words"),
        ("fluency", None, "duplicate-words"),
        ("spans", None, "replace-phrase"),
        ("adequacy", "delete-words", "delete-words"),
        ("adequacy", "replace-words", "replace-words"),
        ("fluency", "duplicate-words", "duplicate-words"),
    ],
)
def test_a_degradation_is_chosen_by_name_or_is_the_usual_one(attribute, name, chosen):
    assert choose(attribute=attribute, name=name).name == chosen


@pytest.mark.parametrize(
    ("attribute", "name", "message"),
    [
        ("adequacy", "shuffle", '"shuffle" is unknown; for adequacy there is: delete-words, replace-words.'),
        ("fluency", "shuffle", '"shuffle" is unknown; for fluency there is: duplicate-words.'),
        (
            "fluency",
            "delete-words",
            '"delete-words" lowers something else than "fluency"; for fluency there is: duplicate-words.',
        ),
        ("style", None, 'lowers the attribute "style"; there is one for: adequacy, fluency, overall, spans.'),
        ("style", "delete-words", "there is one for: adequacy, fluency, overall, spans."),
    ],
)
def test_what_cannot_be_chosen_is_refused_with_what_can(attribute, name, message):
    with pytest.raises(ValueError, match=r"degradation") as refusal:
        choose(attribute=attribute, name=name)

    assert str(refusal.value).endswith(message)
