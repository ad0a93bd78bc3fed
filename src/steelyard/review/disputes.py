"""Where workers marked different errors in one translation, and what most of them marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from steelyard.domain.judgement import SPAN_SIDES, SpanSide
from steelyard.domain.marks import ErrorMark, MarkedBy

# A character of a text by its place, or a mark after the text by what it says.
Place = tuple[SpanSide, int | str]


def disagreement(workers: Sequence[MarkedBy], *, span: float | None) -> float | None:
    """How differently workers judged a translation, from 0 to 1; None if fewer than two did.

    The mean over pairs of workers of two halves: the share of marked characters that differ, and how far
    the scores lie apart on a scale that is `span` long. Without scores the marks are all.
    """
    pairs = list(combinations([each for each in workers if each.counts], 2))
    if not pairs:
        return None
    return sum(_between(one, other, span) for one, other in pairs) / len(pairs)


def _between(one: MarkedBy, other: MarkedBy, span: float | None) -> float:
    marked = difference(one.marks, other.marks)
    if not span or one.rating is None or other.rating is None:
        return marked
    return (marked + abs(one.rating - other.rating) / span) / 2


def difference(one: Iterable[ErrorMark], other: Iterable[ErrorMark]) -> float:
    """The share of the characters marked by either that only one has marked; those of other severity by half.

    A mark after the text counts as one character. Two who marked nothing do not differ.

    >>> difference([ErrorMark(0, 4, "minor")], [ErrorMark(2, 4, "major")])
    0.75
    """
    first, second = severities_by_place(one), severities_by_place(other)
    every = first.keys() | second.keys()
    if not every:
        return 0.0
    both = first.keys() & second.keys()
    return (len(every) - len(both) + sum(first[each] != second[each] for each in both) / 2) / len(every)


def severities_by_place(marks: Iterable[ErrorMark]) -> dict[Place, frozenset[str]]:
    """The severities that were marked at each place; overlapping marks may have several."""
    found: dict[Place, set[str]] = {}
    for mark in marks:
        for place in _places(mark):
            found.setdefault(place, set()).add(mark.severity)
    return {place: frozenset(severities) for place, severities in found.items()}


def _places(mark: ErrorMark) -> list[Place]:
    if mark.start is None or mark.end is None:
        return [(mark.side, mark.category or "")]
    return [(mark.side, index) for index in range(mark.start, mark.end)]


def majority_marks(workers: Sequence[MarkedBy], *, severities: Sequence[str]) -> tuple[ErrorMark, ...]:
    """What more than half of the workers marked, character by character, as marks.

    A mark ends where fewer have marked, and where more than half of them end or begin one. It has the
    severity and category that most gave; of equally frequent severities the one later in `severities`.
    """
    people = [each.marks for each in workers if each.counts]
    votes = Counter(place for marks in people for place in severities_by_place(marks))
    wanted = {place for place, n in votes.items() if 2 * n > len(people)}
    made = [_agreed(part, people, severities) for part in _runs(wanted, people)]
    tokens = sorted((side, place) for side, place in wanted if isinstance(place, str))
    made += [_agreed([each], people, severities) for each in tokens]
    return tuple(made)


def _runs(wanted: set[Place], people: Sequence[Sequence[ErrorMark]]) -> list[list[Place]]:
    """Neighbouring characters, cut where most workers have cut."""
    cuts = Counter(
        place
        for marks in people
        for place in {(mark.side, end) for mark in marks for end in (mark.start, mark.end) if end is not None}
    )
    runs: list[list[Place]] = []
    for side in SPAN_SIDES:
        last = None
        for index in sorted(place for own, place in wanted if own == side and isinstance(place, int)):
            if last is None or index != last + 1 or 2 * cuts[(side, index)] > len(people):
                runs.append([])
            runs[-1].append((side, index))
            last = index
    return runs


def _agreed(
    part: Sequence[Place], people: Sequence[Sequence[ErrorMark]], severities: Sequence[str]
) -> ErrorMark:
    inside = set(part)
    touching = [mark for marks in people for mark in marks if inside.intersection(_places(mark))]
    gravity: Mapping[str, int] = {name: number for number, name in enumerate(severities)}
    counted = Counter(mark.severity for mark in touching)
    severity = max(counted, key=lambda name: (counted[name], gravity.get(name, -1), name))
    categories = Counter(mark.category for mark in touching if mark.category)
    category = max(categories, key=lambda name: (categories[name], name)) if categories else None
    side, first = part[0]
    if isinstance(first, str):
        return ErrorMark(None, None, severity, first or category, side)
    return ErrorMark(first, first + len(part), severity, category, side)
