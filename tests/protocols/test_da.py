"""Direct assessment: what may be answered and what is shown."""

from __future__ import annotations

import math
import tomllib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import AnswerValue
from steelyard.protocols import protocols

DA = protocols()["da"]
LANGUAGES = sorted(path.stem for path in (DA.folder / "instructions").glob("*.toml"))
numbers_on_the_scale = st.one_of(st.integers(0, 100), st.floats(0, 100))


@given(numbers_on_the_scale)
def test_every_number_on_the_scale_is_a_rating_and_kept_as_it_is(value: float) -> None:
    answer = DA.check({"rating": value})

    rating = DA.rating(answer)

    assert rating == value


def test_a_full_answer_keeps_all_its_fields() -> None:
    answer = {"rating": 73, "first_touch_ms": 6120, "n_moves": 2}

    checked = DA.check(answer)

    assert checked == answer


@pytest.mark.parametrize(
    "value", [-1, -0.001, 100.001, 101, 10**400, math.nan, math.inf, -math.inf, True, False, None, "73", ""]
)
def test_anything_off_the_scale_is_refused_with_what_to_do(value: AnswerValue) -> None:
    with pytest.raises(AnswerError, match="from 0 to 100: mark a place on the line") as caught:
        DA.check({"rating": value})

    assert caught.value.field == "rating"


def test_a_missing_rating_is_refused_with_what_to_do() -> None:
    with pytest.raises(AnswerError, match="rating is missing: mark a place") as caught:
        DA.check({"first_touch_ms": 10})

    assert caught.value.field == "rating"


@pytest.mark.parametrize("name", ["first_touch_ms", "n_moves"])
@pytest.mark.parametrize("value", [-1, 1.5, 2.0, math.nan, True, None, "3", 2**53])
def test_counts_must_be_whole_and_not_negative(name: str, value: AnswerValue) -> None:
    with pytest.raises(AnswerError, match="whole number") as caught:
        DA.check({"rating": 50, name: value})

    assert caught.value.field == name


def test_unknown_fields_are_refused_by_name() -> None:
    with pytest.raises(AnswerError, match="'score' is not a field") as caught:
        DA.check({"rating": 50, "score": 1})

    assert caught.value.field == "score"


def test_the_answer_handed_in_is_not_changed() -> None:
    answer = {"n_moves": 2, "rating": 73}

    checked = DA.check(answer)

    assert checked is not answer
    assert list(answer) == ["n_moves", "rating"]


def test_fluency_shows_the_translation_alone() -> None:
    assert DA.shows["fluency"] == ("text",)


def test_adequacy_shows_the_reference_too() -> None:
    assert DA.shows["adequacy"] == ("text", "reference")


@pytest.mark.parametrize("quality", [-0.1, 1.1, math.nan])
def test_quality_outside_its_range_is_our_own_mistake(quality: float) -> None:
    rng = np.random.default_rng(7)

    with pytest.raises(ValueError, match="between 0 and 1"):
        DA.simulate(quality, rng)


def test_simulated_ratings_centre_on_the_perceived_quality() -> None:
    rng = np.random.default_rng(7)

    ratings = [DA.rating(DA.simulate(0.6, rng)) for _ in range(2_000)]

    # The hand's error has sd 2, rounding adds a little: five standard errors of the mean are 0.23.
    assert np.mean(ratings) == pytest.approx(60, abs=0.25)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_fluency_statement_names_the_target_language(language: str) -> None:
    words = _words(language)

    statement = words["statements"]["fluency"]

    assert "{language}" in statement


@pytest.mark.parametrize("language", LANGUAGES)
def test_places_on_the_line_are_spoken_without_numbers(language: str) -> None:
    position = _words(language)["position"]

    spoken = " ".join([*position.pop("marks"), *position.values()])

    assert not any(character.isdigit() for character in spoken)


def _words(language: str) -> dict[str, Any]:
    return tomllib.loads((DA.folder / "instructions" / f"{language}.toml").read_text("utf-8"))
