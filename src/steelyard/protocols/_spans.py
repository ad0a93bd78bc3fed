"""Answers that are marked errors, most with a rating: what may come back, what it says, a plausible one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import Answer, RatingRow, Said, Span, SpanOrigin
from steelyard.domain.scale import VAS, Scale
from steelyard.domain.work import ShownItem
from steelyard.protocols._answers import LARGEST_WHOLE, AnswerCheck, answer_object
from steelyard.protocols._ratings import HANDLING
from steelyard.protocols._simulated_spans import TranslationSeen, simulated_part
from steelyard.protocols._span_check import CheckedTranslation, check_translation
from steelyard.protocols._span_settings import SpanSettings, span_settings

if TYPE_CHECKING:
    import numpy as np

# Our choices: far more than anyone marks in one text, and little enough to be read at once.
MOST_SPANS = 1000
MOST_LETTERS = 200

_WHOLE = {"type": "integer", "minimum": 0, "maximum": LARGEST_WHOLE}
_NAME = {"type": "string", "minLength": 1, "maxLength": MOST_LETTERS}
# What is said about one translation.
_Part = Mapping[str, Any]


@dataclass(frozen=True)
class MarkedErrors:
    """Errors marked in each translation of an item, and how good it is on a line from 0 to 100.

    `usual`: settings that are peculiar to the protocol. `several`: the answer has a list of translations, in
    the order shown. `score_asked`: whether every campaign asks for a rating, or each chooses. `prefills`:
    errors may be marked beforehand.
    """

    usual: Mapping[str, Any]
    several: bool = False
    score_asked: bool = True
    prefills: bool = False
    scale: Scale = VAS

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """What an answer looks like."""
        rating = {"type": "number", "minimum": 0, "maximum": 100}
        fields = {
            "spans": {"type": "array", "maxItems": MOST_SPANS, "items": self._span_schema},
            **dict.fromkeys(("rating", "first_rating"), rating),
            **HANDLING,
        }
        one = answer_object(fields, required=["spans", "rating"] if self.score_asked else ["spans"])
        if not self.several:
            return one
        del one["$schema"]
        listed = {"type": "array", "minItems": 1, "items": one}
        return answer_object({"translations": listed}, required=["translations"])

    @property
    def _span_schema(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"start": _WHOLE, "end": _WHOLE, "severity": _NAME}
        if "categories" in self.usual:
            fields["category"] = _NAME
        fields |= {"side": {"type": "string", "enum": ["source"]}, "token": _NAME}
        if self.prefills:
            fields["prefilled"] = _WHOLE
        fields["at_ms"] = _WHOLE
        required = ["severity"]
        return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}

    @cached_property
    def _fits(self) -> AnswerCheck:
        remedies = {
            "spans": "mark the errors again",
            "rating": "mark a place on the line",
            "translations": "mark the errors and a place on the line for each translation",
        }
        return AnswerCheck(self.schema, remedies)

    def check(self, item: ShownItem, answer: Answer) -> Answer:
        """The answer with exactly the known fields; raises AnswerError naming the first wrong one."""
        checked = self._fits(answer)
        parts = self._parts(checked)
        n_shown = len(item.translations)
        if len(parts) != n_shown:
            wanted = f"{n_shown} translations are shown, and the answer is about {len(parts)}"
            raise AnswerError(f"{wanted}: reload the page and answer for each.", "translations")
        settings = span_settings(item.presentation, self.usual)
        for place, part in enumerate(parts):
            marked = CheckedTranslation(
                item.translations[place].text,
                item.sources[place] if item.sources else "",
                len(item.prefilled[place]) if item.prefilled else 0,
                settings,
                path=("translations", str(place)) if self.several else (),
                number=place + 1 if self.several else None,
            )
            check_translation(part, marked)
        return checked

    def rows(self, item: ShownItem, answer: Answer) -> Said:
        """The errors and ratings of a checked answer."""
        settings = span_settings(item.presentation, self.usual)
        parts = self._parts(answer)
        ratings: list[RatingRow] = []
        spans: list[Span] = []
        removed: list[int] = []
        for place, part in enumerate(parts):
            if "rating" in part:
                ratings.append(RatingRow(place, item.attribute, float(part["rating"])))
            given = item.prefilled[place] if item.prefilled else ()
            # A translation without errors has one row that says so.
            spans += list(_spans(place, part, settings, given)) or [Span(place)]
            removed.append(len(given) - sum("prefilled" in span for span in part["spans"]))
        return Said(
            ratings=tuple(ratings),
            spans=tuple(spans),
            n_removed=tuple(removed) if any(item.prefilled) else (),
        )

    def simulate(self, item: ShownItem, qualities: Sequence[float], rng: np.random.Generator) -> Answer:
        """An answer that `check` accepts: the lower the quality (0 to 1), the more errors, and the graver.

        The qualities already hold what the worker is like. Where `item.damaged` says that a text was damaged
        the place is mostly found, the more so the lower the quality; whoever simulates a worker who did not
        look leaves it out.
        """
        settings = span_settings(item.presentation, self.usual)
        parts = []
        for place, (translation, quality) in enumerate(zip(item.translations, qualities, strict=True)):
            if not 0.0 <= quality <= 1.0:
                raise ValueError(f"quality must lie between 0 and 1, not {quality}")
            seen = TranslationSeen(
                translation.text,
                item.sources[place] if item.sources else "",
                quality,
                item.damaged[place] if item.damaged else None,
                item.prefilled[place] if item.prefilled else (),
            )
            parts.append(simulated_part(seen, settings, rng))
        return {"translations": parts} if self.several else parts[0]

    def _parts(self, answer: Answer) -> Sequence[_Part]:
        return cast("Sequence[_Part]", answer["translations"]) if self.several else [answer]


def _spans(place: int, part: _Part, settings: SpanSettings, prefilled: Sequence[Span]) -> Iterator[Span]:
    for marked in part["spans"]:
        token = marked.get("token")
        is_other_token = token is not None and token != settings.tokens[0]
        at_ms = marked.get("at_ms")
        span = Span(
            place,
            None if token is not None else int(marked["start"]),
            None if token is not None else int(marked["end"]),
            marked["severity"],
            token if is_other_token else marked.get("category"),
            marked.get("side", "target"),
            None if at_ms is None else int(at_ms),
        )
        given = marked.get("prefilled")
        yield span if given is None else span._replace(origin=_origin(span, prefilled[int(given)]))


def _origin(span: Span, given: Span) -> SpanOrigin:
    """What a worker did with an error that was marked beforehand."""
    same = (span.start, span.end, span.severity, span.category, span.side)
    before = (given.start, given.end, given.severity, given.category, given.side)
    return "accepted" if same == before else "changed"
