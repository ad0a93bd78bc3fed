"""Whether marked errors fit the texts they are marked in and what their campaign lets workers mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.domain.errors import AnswerError
from steelyard.protocols._span_settings import NON_TRANSLATION, SOURCE_ISSUE, SpanSettings


@dataclass(frozen=True, slots=True)
class CheckedTranslation:
    """One translation of an item, where its errors are in the answer, and how many were marked beforehand.

    `number`: of the translation, from 1, where there are several.
    """

    text: str
    source: str
    n_prefilled: int
    settings: SpanSettings
    path: tuple[str, ...] = ()
    number: int | None = None

    def refused(self, problem: str, *path: str | int) -> AnswerError:
        """The error that tells a worker what is wrong, and where."""
        where = [] if self.number is None else [f"translation {self.number}"]
        where += [f"error {path[1] + 1}"] if len(path) > 1 and isinstance(path[1], int) else []
        said = f"{', '.join(where)}: {problem}" if where else problem
        return AnswerError(said[0].upper() + said[1:], ".".join((*self.path, *map(str, path))))


def check_translation(part: Mapping[str, Any], marked: CheckedTranslation) -> None:
    """AnswerError for the first thing that does not fit in what was said about one translation.

    `part` fits the schema already.
    """
    spans = part["spans"]
    for index, span in enumerate(spans):
        _check_place(span, marked, index)
        _check_choices(span, marked, index)
    _check_together(spans, marked)
    _check_rating(part, marked)


def _check_place(span: Mapping[str, Any], marked: CheckedTranslation, index: int) -> None:
    settings = marked.settings
    if "token" in span:
        for name in ("start", "end", "side"):
            if name in span:
                raise marked.refused(
                    f"a mark on {span['token']} has no {name}. Mark it again.", "spans", index, name
                )
        if span["token"] not in settings.tokens:
            known = ", ".join(settings.tokens) or "none"
            problem = f"there is no {span['token']} after this text (there is: {known}). Remove the mark."
            raise marked.refused(problem, "spans", index, "token")
        return
    for name in ("start", "end"):
        if name not in span:
            raise marked.refused(f"its {name} is missing. Mark it again.", "spans", index, name)
    if "side" in span and not settings.source:
        raise marked.refused("errors are not marked in the original here. Remove it.", "spans", index, "side")
    text, name = (marked.source, "original") if "side" in span else (marked.text, "translation")
    start, end = span["start"], span["end"]
    if end > len(text):
        problem = f"it ends at {end:g}, and the {name} has {len(text)} characters. Mark it again."
        raise marked.refused(problem, "spans", index, "end")
    if start >= end:
        problem = f"it goes from {start:g} to {end:g}; the end must be after the start. Mark it again."
        raise marked.refused(problem, "spans", index, "start")


def _check_choices(span: Mapping[str, Any], marked: CheckedTranslation, index: int) -> None:
    settings = marked.settings
    if span["severity"] not in settings.severities:
        known = ", ".join(settings.severities)
        raise marked.refused(f"its severity must be one of {known}. Choose one.", "spans", index, "severity")
    category = span.get("category")
    if category is None:
        if settings.leaves:
            raise marked.refused("choose a category for it.", "spans", index, "category")
        return
    if category not in settings.leaves:
        known = ", ".join(settings.leaves) or "none here"
        problem = f'its category "{category}" is none of those to choose from ({known}). Choose another.'
        raise marked.refused(problem, "spans", index, "category")
    if category == SOURCE_ISSUE and settings.source and "side" not in span:
        raise marked.refused("mark what is wrong with the original there.", "spans", index, "side")


def _check_together(spans: Sequence[Mapping[str, Any]], marked: CheckedTranslation) -> None:
    most = marked.settings.most
    if most is not None and len(spans) > most:
        raise marked.refused(
            f"at most {most} errors can be marked here. Keep the {most} gravest ones.", "spans"
        )
    used = set()
    for index, span in enumerate(spans):
        given = span.get("prefilled")
        if given is not None and given >= marked.n_prefilled:
            problem = f"there is no error number {given + 1:g} marked beforehand. Reload the page."
            raise marked.refused(problem, "spans", index, "prefilled")
        if given is not None and given in used:
            problem = "two errors come from the same one marked beforehand. Remove one of them."
            raise marked.refused(problem, "spans", index, "prefilled")
        used.add(given)
        if span.get("category") == NON_TRANSLATION:
            _check_alone(span, spans, marked, index)


def _check_alone(
    span: Mapping[str, Any], spans: Sequence[Mapping[str, Any]], marked: CheckedTranslation, index: int
) -> None:
    """An error that stands for the whole text has the last severity, and no other beside it."""
    gravest = marked.settings.severities[-1]
    if span["severity"] != gravest:
        problem = f'"{NON_TRANSLATION}" is always {gravest}. Choose that, or another category.'
        raise marked.refused(problem, "spans", index, "severity")
    if any(other is not span and "side" not in other for other in spans):
        problem = f'"{NON_TRANSLATION}" stands for the whole text. Remove the other errors, or this one.'
        raise marked.refused(problem, "spans", index, "category")


def _check_rating(part: Mapping[str, Any], marked: CheckedTranslation) -> None:
    settings = marked.settings
    rating = part.get("rating")
    if rating is None:
        if settings.score:
            raise marked.refused("the rating is missing: mark a place on the line before sending.", "rating")
        return
    if not settings.score:
        raise marked.refused("no rating is asked for here: send the errors only.", "rating")
    can_mark = bool(marked.text.strip() or settings.tokens)
    if rating < settings.refuse_below and not part["spans"] and can_mark:
        problem = "with this rating there must be an error: mark it, or rate the translation higher."
        raise marked.refused(problem, "spans")
