"""Answers by their schema: whether one fits, and if not, what to say to the worker."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import Answer, JsonValue

DIALECT = "http://json-schema.org/draft-07/schema#"
# Our choice: deeper than any list of marked spans, and far from what would exhaust a parser.
DEEPEST = 8
# Whole numbers beyond this are no longer exact in a browser, so no honest page sends them.
LARGEST_WHOLE = 2**53 - 1
# Values that JSON can always spell.
_PLAIN = (str, int, type(None))
_NAMES = {
    "number": "a number",
    "integer": "a whole number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
# What is counted in texts and lists, and the keywords that limit it.
_COUNTED = {
    "string": ("characters", "minLength", "maxLength"),
    "array": ("entries", "minItems", "maxItems"),
}


def answer_object(properties: Mapping[str, Any], *, required: Sequence[str]) -> dict[str, Any]:
    """The schema of an answer that is an object with these fields and no others."""
    return {
        "$schema": DIALECT,
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


@dataclass(frozen=True)
class AnswerCheck:
    """Checks answers against a schema. `remedies` say, by field, what a worker does about a wrong one."""

    schema: Mapping[str, Any]
    remedies: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _validate(self) -> Callable[[Answer], Answer]:
        # Compiled at the first answer: reading judgements files must not need what serving needs.
        import fastjsonschema

        compiled: Callable[[Answer], Answer] = fastjsonschema.compile(dict(self.schema), use_default=False)
        return compiled

    def __call__(self, answer: Answer) -> Answer:
        """The answer with its fields in the schema's order; AnswerError naming the first wrong field.

        >>> a_number = answer_object({"rating": {"type": "number"}}, required=["rating"])
        >>> AnswerCheck(a_number)({"rating": 73})
        {'rating': 73}
        """
        self._require_json(answer, ())
        try:
            self._validate(dict(answer))
        except ValueError as error:
            raise self._refusal(error) from None
        return {name: answer[name] for name in self.schema["properties"] if name in answer}

    def _refusal(self, error: Any) -> AnswerError:
        """What is wrong, for the worker. The validator names the place, the rule and the value there."""
        path = [str(part) for part in error.path[1:]]
        if error.rule == "required":
            missing = next(name for name in error.rule_definition if name not in error.value)
            path.append(missing)
            remedy = self.remedies.get(path[0], "complete your answer")
            return AnswerError(f"The {_words(path)} is missing: {remedy} before sending.", ".".join(path))
        if error.rule == "additionalProperties":
            known = list(error.definition.get("properties", {}))
            unknown = next(name for name in error.value if name not in known)
            text = f"{unknown!r} is not a field of this answer: send only {', '.join(known)}."
            return AnswerError(text, ".".join([*path, unknown]))
        return self._wrong(path, error.definition)

    def _wrong(self, path: Sequence[str], schema: Mapping[str, Any]) -> AnswerError:
        wanted = _wanted(schema)
        if not path:
            return AnswerError(f"The answer must be {wanted}.")
        remedy = self.remedies.get(path[0])
        if remedy is None:
            text = f"{_words(path)} must be {wanted}: correct it or leave it out."
        else:
            text = f"The {_words(path)} must be {wanted}: {remedy} and send again."
        return AnswerError(text, ".".join(path))

    def _require_json(self, value: JsonValue, path: tuple[str, ...]) -> None:
        """AnswerError for numbers that JSON cannot spell, and for an answer nested beyond reason."""
        if isinstance(value, float) and not math.isfinite(value):
            raise self._wrong(path, _at(self.schema, path))
        if isinstance(value, Mapping):
            inside = [(str(name), each) for name, each in value.items()]
        elif isinstance(value, list | tuple):
            inside = [(str(number), each) for number, each in enumerate(value)]
        else:
            return
        if len(path) == DEEPEST:
            raise AnswerError(f"{path[0]} is nested more than {DEEPEST} levels deep.", path[0])
        for name, each in inside:
            if not isinstance(each, _PLAIN):
                self._require_json(each, (*path, name))


def _at(schema: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any]:
    """The part of a schema that is about the value at this path, as far as the schema goes."""
    for part in path:
        inner = schema.get("properties", {}).get(part) or schema.get("items")
        if not isinstance(inner, Mapping):
            return {}
        schema = inner
    return schema


def _words(path: Sequence[str]) -> str:
    """A field for people, with where it is.

    >>> _words(["spans", "2", "severity"])
    'severity (spans, number 3)'
    """
    if len(path) == 1:
        return path[0]
    outer = ", ".join(f"number {int(part) + 1}" if part.isdigit() else part for part in path[:-1])
    last = f"entry {int(path[-1]) + 1}" if path[-1].isdigit() else path[-1]
    return f"{last} ({outer})"


def _wanted(schema: Mapping[str, Any]) -> str:
    """What a schema asks for, in words.

    >>> _wanted({"type": "integer", "minimum": 1, "maximum": 5})
    'a whole number from 1 to 5'
    >>> _wanted({"type": "array", "minItems": 2, "maxItems": 2})
    'a list of 2 entries'
    >>> _wanted({"type": "array", "minItems": 2, "maxItems": 2, "uniqueItems": True})
    'a list of 2 different entries'
    """
    if "enum" in schema:
        return f"one of {', '.join(str(value) for value in schema['enum'])}"
    kind = schema.get("type", "")
    name = _NAMES.get(kind if isinstance(kind, str) else "", "a value of the right kind")
    if kind in _COUNTED:
        noun, least, most = _COUNTED[kind]
        low, high = schema.get(least, 0), schema.get(most)
        if schema.get("uniqueItems"):
            noun = f"different {noun}"
        if high is None:
            return f"{name} of {low} {noun} or more" if low else name
        return f"{name} of {high} {noun}" if low == high else f"{name} of {low} to {high} {noun}"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None:
        return name
    if high is None or high >= LARGEST_WHOLE:
        return f"{name}, {low:g} or more"
    return f"{name} from {low:g} to {high:g}"
