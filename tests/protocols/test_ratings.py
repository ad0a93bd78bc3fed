"""Answers that are one number: what may be sent, and what simulated workers send."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import Answer, JsonValue
from steelyard.domain.plugin import Protocol
from steelyard.domain.work import ShownItem, ShownText
from steelyard.protocols import protocols

LINES = [protocols()[name] for name in ("da", "da-source", "sqm")]
CHOICES = [protocols()[name] for name in ("likert", "adequacy4")]
DA, LIKERT = LINES[0], CHOICES[0]
ITEM = ShownItem("adequacy", (ShownText("alpha", "s1", "The dog sleeps."),), ("Der Hund schläft.",))

every_line = pytest.mark.parametrize("protocol", LINES, ids=lambda each: each.name)
every_choice = pytest.mark.parametrize("protocol", CHOICES, ids=lambda each: each.name)
every_protocol = pytest.mark.parametrize("protocol", LINES + CHOICES, ids=lambda each: each.name)


def rating(protocol: Protocol, answer: Answer) -> float:
    [row] = protocol.rows(ITEM, answer).ratings
    return row.rating


@given(value=st.one_of(st.integers(0, 100), st.floats(0, 100)))
def test_every_number_on_a_line_is_a_rating_and_kept_as_it_is(value: float) -> None:
    answer = DA.check(ITEM, {"rating": value})

    [row] = DA.rows(ITEM, answer).ratings

    assert row == (0, "adequacy", value)


@every_protocol
def test_a_full_answer_keeps_all_its_fields(protocol: Protocol) -> None:
    answer = {"rating": 3, "first_touch_ms": 6120, "n_moves": 2}

    checked = protocol.check(ITEM, answer)

    assert checked == answer


@every_line
def test_a_line_tells_where_its_mark_first_stood(protocol: Protocol) -> None:
    answer = {"rating": 73, "first_rating": 20.5}

    assert protocol.check(ITEM, answer) == answer
    assert rating(protocol, answer) == 73
    with pytest.raises(AnswerError, match="first_rating must be a number from 0 to 100"):
        protocol.check(ITEM, {"rating": 73, "first_rating": 101})


@every_choice
def test_choices_have_no_first_place(protocol: Protocol) -> None:
    with pytest.raises(AnswerError, match="'first_rating' is not a field"):
        protocol.check(ITEM, {"rating": 3, "first_rating": 2})


@every_line
@pytest.mark.parametrize(
    "value", [-1, -0.001, 100.001, 101, 10**400, math.nan, math.inf, -math.inf, True, False, None, "73", ""]
)
def test_anything_off_a_line_is_refused_with_what_to_do(protocol: Protocol, value: JsonValue) -> None:
    with pytest.raises(AnswerError, match="from 0 to 100: mark a place on the line") as caught:
        protocol.check(ITEM, {"rating": value})

    assert caught.value.field == "rating"


@every_choice
@pytest.mark.parametrize("value", [0, 6, -1, 1.5, 3.999, 10**400, math.nan, math.inf, True, None, "3"])
def test_anything_but_a_choice_is_refused_with_what_to_do(protocol: Protocol, value: JsonValue) -> None:
    with pytest.raises(AnswerError, match=r"whole number from 1 to \d: choose one of the answers") as caught:
        protocol.check(ITEM, {"rating": value})

    assert caught.value.field == "rating"


@pytest.mark.parametrize(("protocol", "highest"), [("likert", 5), ("adequacy4", 4)])
def test_every_choice_is_a_rating_and_one_more_is_not(protocol: str, highest: int) -> None:
    chosen = protocols()[protocol]

    ratings = [rating(chosen, chosen.check(ITEM, {"rating": value})) for value in range(1, highest + 1)]

    assert ratings == list(range(1, highest + 1))
    with pytest.raises(AnswerError):
        chosen.check(ITEM, {"rating": highest + 1})


@pytest.mark.parametrize(("protocol", "remedy"), [(DA, "mark a place"), (LIKERT, "choose one")])
def test_a_missing_rating_is_refused_with_what_to_do(protocol: Protocol, remedy: str) -> None:
    with pytest.raises(AnswerError, match=f"rating is missing: {remedy}") as caught:
        protocol.check(ITEM, {"first_touch_ms": 10})

    assert caught.value.field == "rating"


@pytest.mark.parametrize("name", ["first_touch_ms", "n_moves"])
@pytest.mark.parametrize("value", [-1, 1.5, math.nan, True, None, "3", 2**53])
def test_counts_must_be_whole_and_not_negative(name: str, value: JsonValue) -> None:
    with pytest.raises(AnswerError, match="whole number") as caught:
        DA.check(ITEM, {"rating": 50, name: value})

    assert caught.value.field == name


@every_protocol
def test_unknown_fields_are_refused_by_name(protocol: Protocol) -> None:
    with pytest.raises(AnswerError, match="'score' is not a field") as caught:
        protocol.check(ITEM, {"rating": 3, "score": 1})

    assert caught.value.field == "score"


def test_the_answer_handed_in_is_not_changed() -> None:
    answer = {"n_moves": 2, "rating": 73}

    checked = DA.check(ITEM, answer)

    assert checked is not answer
    assert list(answer) == ["n_moves", "rating"]


@every_protocol
@pytest.mark.parametrize("quality", [-0.1, 1.1, math.nan])
def test_quality_outside_its_range_is_our_own_mistake(protocol: Protocol, quality: float) -> None:
    rng = np.random.default_rng(7)

    with pytest.raises(ValueError, match="between 0 and 1"):
        protocol.simulate(ITEM, [quality], rng)


@every_line
def test_simulated_places_centre_on_the_perceived_quality(protocol: Protocol) -> None:
    rng = np.random.default_rng(7)

    ratings = [rating(protocol, protocol.simulate(ITEM, [0.6], rng)) for _ in range(2_000)]

    # The hand's error has sd 2, rounding adds a little: five standard errors of the mean are 0.23.
    assert np.mean(ratings) == pytest.approx(60, abs=0.25)


@every_choice
def test_all_choices_have_equal_shares_of_simulated_quality(protocol: Protocol) -> None:
    rng = np.random.default_rng(7)
    n_choices = round(protocol.scale.maximum)
    middles = (np.arange(n_choices) + 0.5) / n_choices
    borders = np.arange(1, n_choices) / n_choices

    ratings = [rating(protocol, protocol.simulate(ITEM, [float(quality)], rng)) for quality in middles]
    just_below = [
        rating(protocol, protocol.simulate(ITEM, [float(border) - 1e-9], rng)) for border in borders
    ]

    assert ratings == list(range(1, n_choices + 1))
    assert just_below == list(range(1, n_choices))
