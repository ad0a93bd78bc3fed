"""How errors are marked in a campaign: its table [spans], completed by what is usual for the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from steelyard.domain.languages import base_language
from steelyard.domain.plugin import Protocol
from steelyard.domain.span_weights import SEVERITIES, unweighed
from steelyard.domain.wording import listed
from steelyard.formats.campaign_keys import StrictKeys, Text
from steelyard.protocols import USUAL_SPANS, SpanSettings

# Errors in texts of these languages begin and end anywhere: nothing stands between their words.
_WITHOUT_SPACES = frozenset({"zh", "ja", "th", "lo", "km", "my", "bo", "dz", "yue"})
# What every protocol leaves to the campaign; the rest only those that say what is usual.
_FOR_ALL = ("severities", "tokens", "by", "source", "most")
# Names that workers read, in lists that fit on a screen [our choices].
Label = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^\S(.*\S)?$")]
MOST_NAMES, MOST_CATEGORIES = 12, 40


class SpansTable(StrictKeys):
    """How errors are marked, for protocols in which workers mark them."""

    severities: Annotated[list[Label], Field(min_length=1, max_length=MOST_NAMES)] | None = Field(
        default=None,
        description="How bad an error may be, the mildest first: a new mark has the first of them. Without "
        "it: what is usual for the protocol, else minor and major.",
    )
    categories: (
        Annotated[
            dict[Label, Annotated[list[Label], Field(max_length=MOST_CATEGORIES)]],
            Field(min_length=1, max_length=MOST_CATEGORIES),
        ]
        | None
    ) = Field(
        default=None,
        description="What kind an error may be of, for protocols that ask for it, such as mqm: a table with "
        "a list of finer kinds for each, which may be empty. Without it: the protocol's own.",
    )
    tokens: Annotated[list[Label], Field(max_length=MOST_NAMES)] | None = Field(
        default=None,
        description="What can be marked after the text, the first for something that is missing from it. "
        'Without it: "[missing]".',
    )
    by: Literal["word", "character"] | None = Field(
        default=None,
        description="Where marks begin and end: at words, or at any character. Without it: at characters in "
        "languages that put no spaces between words, such as Chinese and Japanese, else at words.",
    )
    source: bool | None = Field(
        default=None, description="Whether errors of the source can be marked. Without it: only with mqm."
    )
    most: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="The most errors that can be marked in a translation. Without it: any number.",
    )
    score: bool | None = Field(
        default=None,
        description="Whether workers also rate the translation, for protocols that leave it to you, such as "
        "mqm. Without it: only where the protocol always asks for it.",
    )
    ask_below: Annotated[int, Field(ge=0, le=100)] | None = Field(
        default=None,
        description="Ratings below this without a marked error are questioned, for protocols such as esa. 0: "
        "never. Without it: the protocol's own.",
    )
    refuse_below: Annotated[int, Field(ge=0, le=100)] | None = Field(
        default=None,
        description="Ratings below this need a marked error, for protocols such as esa-contrastive. 0: "
        "never. Without it: the protocol's own.",
    )
    prefilled: Text | None = Field(
        default=None,
        description="File with errors that are marked beforehand, for protocols such as esa-ai: columns "
        "system, segment, start, end, severity, and category and side if need be. Places are counted in "
        "characters from 0, the end not included.",
    )


def spans_shown(
    table: SpansTable | None, protocol: Protocol, target_language: str
) -> tuple[dict[str, Any] | None, list[str]]:
    """How errors are marked, with everything decided, and what is wrong with the table.

    None for a protocol in which none are.
    """
    if "spans" not in protocol.gives:
        unwanted = f"[spans]: workers mark no errors with {protocol.name}; remove the table."
        return None, [unwanted] if table is not None else []
    usual: Mapping[str, Any] = protocol.presentation.get("spans", {})
    own = {} if table is None else table.model_dump(exclude_none=True)
    prefilled = own.pop("prefilled", None)
    problems = [
        f"[spans] {name}: {protocol.name} has no use for it; leave it out."
        for name in own
        if name not in (*_FOR_ALL, *usual)
    ]
    if prefilled is not None and not protocol.prefills:
        problems.append(f"[spans] prefilled: {protocol.name} has no use for it; leave it out.")
    by = "character" if base_language(target_language) in _WITHOUT_SPACES else "word"
    shown = {**USUAL_SPANS, "by": by, **usual, **own}
    return shown, [*problems, *_name_problems(shown), *_weight_problems(shown)]


def _weight_problems(shown: Mapping[str, Any]) -> list[str]:
    """Why no rating could be computed from the errors, where nobody is asked for one."""
    if shown["score"] or len(unweighed(shown["severities"])) < len(shown["severities"]):
        return []
    known = ", ".join(name for name in SEVERITIES if name != "undecided")
    return [
        "[spans] severities: without a score, ratings are computed from the errors, and no weights know "
        f"{listed(shown['severities'])}: use some of {known}, or set score = true."
    ]


def choice_problems(
    settings: SpanSettings, *, severity: str | None, category: str | None, side: str
) -> Iterator[str]:
    """What an error that the organiser marked has, but no worker could choose."""
    if severity is not None and severity not in settings.severities:
        yield f'severity "{severity}" is none of this campaign\'s: {", ".join(settings.severities)}.'
    if category is not None and category not in settings.leaves:
        known = ", ".join(settings.leaves) or "there are none"
        yield f'category "{category}" is none of this campaign\'s: {known}.'
    if side == "source" and not settings.source:
        yield "errors in the source are not marked in this campaign: leave side out, or set [spans] source."


def _name_problems(shown: Mapping[str, Any]) -> list[str]:
    """Names that occur twice, or could be taken for another."""
    categories: Mapping[str, list[str]] = shown["categories"] or {}
    lists = {"severities": shown["severities"], "tokens": shown["tokens"]}
    lists |= {f"categories.{name}": finer for name, finer in categories.items()}
    problems = [
        f'[spans] {key}: "{name}" occurs {names.count(name)} times; leave one.'
        for key, names in lists.items()
        for name in sorted({each for each in names if names.count(each) > 1})
    ]
    named = [*categories, *(name for finer in categories.values() for name in finer)]
    problems += [
        f'[spans] categories: "{name}" has a stroke, which stands between a category and a finer one; use '
        "another character."
        for name in named
        if "/" in name
    ]
    return problems
