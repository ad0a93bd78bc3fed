"""Training items as a campaign file describes them: texts, what would do as an answer, and feedback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.domain.entry import TrainingItem
from steelyard.domain.judgement import Span
from steelyard.domain.plugin import Protocol, TextRole
from steelyard.domain.work import ShownItem, ShownText
from steelyard.formats.campaign_entry_tables import MOST_TRAINING, TargetTable, TrainingTable
from steelyard.formats.campaign_spans import choice_problems
from steelyard.protocols import SpanSettings, span_settings_of


@dataclass(frozen=True)
class TrainingScope:
    """What a campaign's items are like: the texts workers see, how many translations, what they answer."""

    protocol: Protocol
    roles: Sequence[TextRole]
    n_translations: int
    presentation: Mapping[str, Any]

    @cached_property
    def spans(self) -> SpanSettings | None:
        """What can be marked; None where nothing can."""
        return span_settings_of(self.protocol, self.presentation)

    @cached_property
    def n_ratings(self) -> int:
        """How many ratings an answer has: asked of one such as a worker would give."""
        n = self.n_translations
        texts, sources = (ShownText("", "", "text"),) * n, ("source",) * n
        item = ShownItem(self.protocol.attributes[0], texts, sources, self.presentation)
        answer = self.protocol.simulate(item, [0.5] * n, np.random.default_rng(0))
        return len(self.protocol.rows(item, answer).ratings)


def training_items_of(training: Sequence[TrainingTable], scope: TrainingScope) -> tuple[TrainingItem, ...]:
    """The items; where there are problems, as far as they go."""
    return tuple(_item(table, scope) for table in training)


def training_problems(training: Sequence[TrainingTable], scope: TrainingScope) -> list[str]:
    """Everything that is wrong with the training items of a campaign file."""
    problems = []
    if len(training) > MOST_TRAINING:
        problems.append(f"[[training]]: there are {len(training)}; at most {MOST_TRAINING} are allowed.")
    for number, table in enumerate(training, start=1):
        found = [*_text_problems(table, scope), *_expectation_problems(table, scope)]
        found += _target_problems(table, scope)
        problems += [f"[[training]] number {number}: {problem}" for problem in found]
    return problems


def _texts(table: TrainingTable) -> list[str]:
    return table.texts or ([] if table.text is None else [table.text])


def _ranges(table: TrainingTable) -> list[list[float]]:
    return table.expected_each or ([] if table.expected is None else [table.expected])


def _item(table: TrainingTable, scope: TrainingScope) -> TrainingItem:
    texts = tuple(_texts(table))
    targets: list[list[Span]] = [[] for _ in texts]
    for target in table.spans or []:
        place = _place(target, table)
        if not isinstance(place, str):
            start, end = place
            category = target.category
            if scope.spans and target.token and target.token not in scope.spans.tokens[:1]:
                category = target.token
            at = target.translation - 1
            targets[at].append(Span(at, start, end, target.severity, category, target.side))
    return TrainingItem(
        texts=texts,
        feedback=table.feedback.strip(),
        source=(table.source or "") if "source" in scope.roles else "",
        reference=(table.reference or "") if "reference" in scope.roles else "",
        expected=tuple((each[0], each[1]) for each in _ranges(table) if len(each) == 2),
        preferred=tuple(table.preferred or ()),
        spans=() if table.spans is None else tuple(map(tuple, targets)),
    )


def _text_problems(table: TrainingTable, scope: TrainingScope) -> Iterator[str]:
    n, name = scope.n_translations, scope.protocol.name
    if table.text is not None and table.texts is not None:
        yield "has both text and texts; leave one out."
    elif n == 1 and (table.text is None and len(table.texts or []) != 1):
        yield f"{name} shows one translation: give it as text."
    elif n > 1 and len(table.texts or []) != n:
        yield f'{name} shows {n} translations: give them as texts = ["…", "…"].'
    for role in ("source", "reference"):
        text = getattr(table, role)
        if role in scope.roles and text is None:
            yield f"workers see the {role}: give it as {role}."
        if role not in scope.roles and text is not None:
            yield f"workers do not see the {role} in this campaign; leave {role} out."


def _expectation_problems(table: TrainingTable, scope: TrainingScope) -> Iterator[str]:
    protocol, n = scope.protocol, scope.n_translations
    if not table.feedback.strip():
        yield "the feedback is empty; say what a good answer is, and why."
    if table.preferred is not None and "preferences" not in protocol.gives:
        yield f"preferred is for protocols that compare, and {protocol.name} does not; leave it out."
    if table.expected is not None and table.expected_each is not None:
        yield "has both expected and expected_each; leave one out."
    name = "expected" if table.expected_each is None else "expected_each"
    ranges = _ranges(table)
    if not ranges:
        return
    if table.preferred is not None:
        yield f"has both {name} and preferred; leave one out."
    if not scope.n_ratings or protocol.scale is None:
        instead = "use preferred" if "preferences" in protocol.gives else "leave it out"
        yield f"{name} is a range of ratings, and {protocol.name} gives none; {instead}."
    elif scope.n_ratings != n:
        yield (
            f"expected is a range of one rating, and {protocol.name} asks for several; leave it out and say "
            "in the feedback what would do."
        )
    elif n > 1 and len(ranges) != n:
        yield f"{n} translations are rated: give a range for each, expected_each = [[70, 100], [0, 40], …]."
    else:
        yield from _range_problems(name, ranges, protocol)


def _range_problems(name: str, ranges: Sequence[Sequence[float]], protocol: Protocol) -> Iterator[str]:
    scale = protocol.scale
    assert scale is not None, "what gives ratings has a scale"
    for each in ranges:
        low, high = each[0], each[-1]
        if low > high:
            yield f"{name} goes from {low:g} to {high:g}; put the lower one first."
        elif not (scale.minimum <= low and high <= scale.maximum):
            yield (
                f"{name} goes from {low:g} to {high:g}, beyond the scale of {protocol.name}, which goes from "
                f"{scale.minimum:g} to {scale.maximum:g}."
            )


def _target_problems(table: TrainingTable, scope: TrainingScope) -> list[str]:
    if table.spans is None:
        return []
    if scope.spans is None:
        return [f"spans are errors to be marked, and {scope.protocol.name} marks none; leave them out."]
    found = []
    for number, target in enumerate(table.spans, start=1):
        for problem in _problems_of_target(target, table, scope.spans):
            found.append(f"spans, entry {number}: {problem}")
    return found


def _problems_of_target(target: TargetTable, table: TrainingTable, settings: SpanSettings) -> Iterator[str]:
    place = _place(target, table)
    if isinstance(place, str):
        yield place
    if target.token is not None and target.token not in settings.tokens:
        known = ", ".join(settings.tokens) or "there are none"
        yield f'token "{target.token}" is none of this campaign\'s: {known}.'
    yield from choice_problems(settings, severity=target.severity, category=target.category, side=target.side)


def _place(target: TargetTable, table: TrainingTable) -> tuple[int | None, int | None] | str:
    """Where an error lies that is to be found; or what is wrong with it."""
    texts, ends = _texts(table), (target.start, target.end)
    if target.translation > len(texts):
        return f"there is no translation {target.translation}; the item has {len(texts)}."
    given = [target.text is not None, ends != (None, None), target.token is not None]
    if sum(given) != 1:
        return "needs one of three: text, or start and end, or token."
    if target.token is not None:
        return None, None
    where = (table.source or "") if target.side == "source" else texts[target.translation - 1]
    if target.text is not None:
        n_found = where.count(target.text)
        if n_found != 1:
            often = "not in the text" if n_found == 0 else f"in the text {n_found} times"
            return f"“{target.text}” is {often}: give words that are there once, or start and end."
        start = where.index(target.text)
        return start, start + len(target.text)
    if target.start is None or target.end is None:
        return "has only one of start and end; give both."
    if not target.start < target.end <= len(where):
        return f"goes from {target.start} to {target.end}, but the text has {len(where)} characters."
    return target.start, target.end
