"""Answers by their schema: what fits, and what a worker is told about what does not."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from steelyard.domain.errors import AnswerError
from steelyard.protocols._answers import DEEPEST, AnswerCheck, answer_object

SPAN = {
    "type": "object",
    "properties": {
        "start": {"type": "integer", "minimum": 0},
        "severity": {"enum": ["minor", "major"]},
        "note": {"type": "string", "maxLength": 3},
    },
    "required": ["start", "severity"],
    "additionalProperties": False,
}
SCHEMA = answer_object(
    {
        "rating": {"type": "number", "minimum": 0, "maximum": 100},
        "spans": {"type": "array", "items": SPAN, "maxItems": 2},
        "sure": {"type": "boolean"},
        "free": {},
    },
    required=["rating"],
)
CHECK = AnswerCheck(SCHEMA, {"rating": "mark a place on the line"})


def refusal(answer: dict[str, Any]) -> AnswerError:
    with pytest.raises(AnswerError) as caught:
        CHECK(answer)
    return caught.value


@pytest.mark.parametrize(
    ("answer", "field", "message"),
    [
        ({}, "rating", "The rating is missing: mark a place on the line before sending."),
        (
            {"rating": 101},
            "rating",
            "The rating must be a number from 0 to 100: mark a place on the line and send again.",
        ),
        ({"rating": 1, "sure": 1}, "sure", "sure must be true or false: correct it or leave it out."),
        (
            {"rating": 1, "spans": [{"start": 0}]},
            "spans.0.severity",
            "The severity (spans, number 1) is missing: complete your answer before sending.",
        ),
        (
            {"rating": 1, "spans": [{"start": -1, "severity": "minor"}]},
            "spans.0.start",
            "start (spans, number 1) must be a whole number, 0 or more: correct it or leave it out.",
        ),
        (
            {"rating": 1, "spans": [{"start": 1, "severity": "huge"}]},
            "spans.0.severity",
            "severity (spans, number 1) must be one of minor, major: correct it or leave it out.",
        ),
        (
            {"rating": 1, "spans": [{"start": 1, "severity": "minor", "note": "long"}]},
            "spans.0.note",
            "note (spans, number 1) must be a text of 0 to 3 characters: correct it or leave it out.",
        ),
        (
            {"rating": 1, "spans": [{"start": 1, "severity": "minor", "more": 1}]},
            "spans.0.more",
            "'more' is not a field of this answer: send only start, severity, note.",
        ),
        (
            {"rating": 1, "spans": [{"start": 1, "severity": "minor"}] * 3},
            "spans",
            "spans must be a list of 0 to 2 entries: correct it or leave it out.",
        ),
        ({"rating": 1, "spans": {}}, "spans", "spans must be a list of 0 to 2 entries: "),
    ],
)
def test_a_refusal_names_the_field_and_what_to_do(answer: dict[str, Any], field: str, message: str) -> None:
    found = refusal(answer)

    assert found.field == field
    assert str(found).startswith(message)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_cannot_spell_are_refused_where_anything_goes(value: float) -> None:
    assert refusal({"rating": 1, "free": {"a": [1, value]}}).field == "free.a.1"


def test_an_answer_may_be_nested_only_so_deep() -> None:
    inside: list[Any] = []
    for _ in range(DEEPEST - 2):
        inside = [inside]

    assert CHECK({"rating": 1, "free": inside})["free"] == inside
    assert "nested more than" in str(refusal({"rating": 1, "free": [inside]}))


def test_fields_come_in_the_order_of_the_schema_and_the_answer_stays_as_it_was() -> None:
    answer = {"sure": True, "rating": 5}

    checked = CHECK(MappingProxyType(answer))

    assert list(checked) == ["rating", "sure"]
    assert list(answer) == ["sure", "rating"]


plain = (
    st.none() | st.booleans() | st.integers(-2, 200) | st.floats(-1, 200) | st.sampled_from(["minor", "a"])
)
spans = st.dictionaries(st.sampled_from(["start", "severity", "note", "more"]), plain, max_size=4)
answers = st.fixed_dictionaries(
    {},
    optional={
        "rating": plain,
        "spans": plain | st.lists(spans | plain, max_size=3),
        "sure": plain,
        "free": st.lists(plain, max_size=2),
        "other": plain,
    },
)


@given(answers)
def test_another_judge_of_schemas_agrees(answer: dict[str, Any]) -> None:
    fits = Draft7Validator(SCHEMA).is_valid(answer)

    try:
        CHECK(answer)
        accepted = True
    except AnswerError:
        accepted = False

    assert accepted == fits
