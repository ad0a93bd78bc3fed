"""What a campaign of marked errors lets workers mark: the table [spans] of its file, as it is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from steelyard.domain.judgement import Span

# Marks something that is missing: it has no place in the text, so it is marked behind it.
MISSING = "[missing]"
# Categories that mean the same in every campaign that has them: the whole text is wrong, so nothing else is
# worth marking and nothing is graver; and it is the source that is wrong [Freitag2021].
NON_TRANSLATION = "non-translation!"
SOURCE_ISSUE = "source issue"

# What holds where neither protocol nor campaign says otherwise. A rating below `ask_below` without any error
# is asked about, one below `refuse_below` refused; 0: never.
USUAL_SPANS: Mapping[str, Any] = {
    "severities": ["minor", "major"],
    "categories": None,
    "tokens": [MISSING],
    "by": "word",
    "source": False,
    "most": None,
    "score": True,
    "ask_below": 0,
    "refuse_below": 0,
}


@dataclass(frozen=True)
class SpanSettings:
    """The settings of one campaign. `categories`: by main category, those below it; None: there are none."""

    severities: tuple[str, ...]
    categories: Mapping[str, tuple[str, ...]] | None
    tokens: tuple[str, ...]
    by: Literal["word", "character"]
    source: bool
    most: int | None
    score: bool
    ask_below: float
    refuse_below: float

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The categories to choose from: "main/sub", or "main" where there is nothing below it."""
        return tuple(
            name
            for main, below in (self.categories or {}).items()
            for name in ([f"{main}/{sub}" for sub in below] or [main])
        )


def span_settings(presentation: Mapping[str, Any], usual: Mapping[str, Any]) -> SpanSettings:
    """The settings that a campaign recorded, over what is usual for its protocol."""
    chosen = {**USUAL_SPANS, **usual, **(presentation.get("spans") or {})}
    categories = chosen["categories"]
    return SpanSettings(
        severities=tuple(chosen["severities"]),
        categories=None if categories is None else {main: tuple(subs) for main, subs in categories.items()},
        tokens=tuple(chosen["tokens"]),
        by=chosen["by"],
        source=bool(chosen["source"]),
        most=chosen["most"],
        score=bool(chosen["score"]),
        ask_below=chosen["ask_below"],
        refuse_below=chosen["refuse_below"],
    )


def as_marked(span: Span, settings: SpanSettings) -> dict[str, Any]:
    """A span as answers and pages have it. Without ends it is on a token; without severity, the mildest.

    >>> as_marked(Span(0, 3, 9, "minor"), span_settings({}, {}))
    {'start': 3, 'end': 9, 'severity': 'minor'}
    >>> as_marked(Span(0, severity="major"), span_settings({}, {}))
    {'token': '[missing]', 'severity': 'major'}
    """
    category = span.category
    marked: dict[str, Any] = {"start": span.start, "end": span.end}
    if span.start is None:
        token = category if category in settings.tokens else settings.tokens[0]
        marked = {"token": token}
        category = None if category == token else category
    marked["severity"] = span.severity or settings.severities[0]
    if category is not None:
        marked["category"] = category
    if span.side == "source":
        marked["side"] = span.side
    return marked
