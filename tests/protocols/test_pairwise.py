"""Pairwise comparison: what an answer says, and what simulated workers prefer."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import PreferenceRow, Said
from steelyard.domain.work import ShownItem, ShownText
from steelyard.protocols import languages_of, protocols, words_in

PAIRWISE = protocols()["pairwise"]
ITEM = ShownItem("overall", (ShownText("x", "1", "One."), ShownText("y", "1", "Two.")))


@pytest.mark.parametrize("preference", ["a", "b", "tie", "both_bad"])
def test_an_answer_is_one_preference_between_the_two_in_the_order_shown(preference: str) -> None:
    answer = PAIRWISE.check(ITEM, {"preference": preference, "n_moves": 2})

    assert answer == {"preference": preference, "n_moves": 2}
    assert PAIRWISE.rows(ITEM, answer) == Said(preferences=(PreferenceRow(0, 1, preference, "overall"),))


@pytest.mark.parametrize(
    ("answer", "field", "message"),
    [
        ({"preference": "c"}, "preference", "one of a, b, tie, both_bad: choose one of the answers"),
        ({"preference": 1}, "preference", "one of a, b, tie, both_bad"),
        ({"preference": None}, "preference", "one of a, b, tie, both_bad"),
        ({"n_moves": 1}, "preference", "The preference is missing: choose one of the answers"),
        ({"preference": "a", "rating": 3}, "rating", "'rating' is not a field of this answer"),
        ({"preference": "a", "n_moves": -1}, "n_moves", "n_moves must be a whole number, 0 or more"),
    ],
)
def test_a_wrong_answer_is_refused_with_its_field(answer, field: str, message: str) -> None:
    with pytest.raises(AnswerError, match=message) as caught:
        PAIRWISE.check(ITEM, answer)

    assert caught.value.field == field


@pytest.mark.parametrize(
    ("qualities", "preference"),
    [
        ((0.9, 0.4), "a"),
        ((0.4, 0.9), "b"),
        ((0.7, 0.7), "tie"),
        ((0.1, 0.1), "both_bad"),
        ((0.2, 0.1), "both_bad"),
        ((0.4, 0.1), "a"),
    ],
)
def test_simulated_workers_prefer_what_looks_better(qualities, preference: str) -> None:
    answer = PAIRWISE.simulate(ITEM, qualities, np.random.default_rng(7))

    assert answer["preference"] == preference


def test_chance_answers_take_no_side() -> None:
    rng = np.random.default_rng(7)

    answers = Counter(PAIRWISE.simulate(ITEM, rng.random(2), rng)["preference"] for _ in range(4000))

    assert abs(answers["a"] - answers["b"]) < 4 * np.sqrt(4000)


@pytest.mark.parametrize("qualities", [(1.2, 0.5), (0.5, -0.1)])
def test_qualities_outside_their_range_are_a_mistake(qualities) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        PAIRWISE.simulate(ITEM, qualities, np.random.default_rng(7))


@pytest.mark.parametrize("language", languages_of(PAIRWISE))
def test_the_answers_name_the_translations_by_their_labels(language: str) -> None:
    words = words_in(PAIRWISE, language)
    assert words is not None
    labels, choices = words["labels"], words["choices"]

    for label, choice in ((labels["first"], choices["a"]), (labels["second"], choices["b"])):
        assert label.casefold() in choice.casefold()
    assert ("1" in labels["first"], "2" in labels["second"]) == (True, True)
    assert all(key in words["keyboard"] for key in "1234")
    assert len(set(choices.values())) == 4
    # The answers that the instructions explain are those on the screen.
    assert all(choices[name] in words["answering"][0] for name in ("tie", "both_bad"))
