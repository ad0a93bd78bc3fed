"""A manager's decision on what the errors of a translation are: a line of the log, never a change.

The latest decision on a translation holds. Judgements stay as they are, and so does every earlier decision.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from steelyard.domain.errors import ChoiceError, NotFound, SourceError
from steelyard.domain.judgement import SPAN_SIDES
from steelyard.domain.marks import ErrorMark, MarksDecision
from steelyard.domain.running import Action, By
from steelyard.flows.campaign_texts import translations_of
from steelyard.flows.open import OpenCampaign
from steelyard.protocols import protocols
from steelyard.store import actions

VERB = "adjudicate"
# More than anybody marks in one text [our choice].
MOST_MARKS = 500
LONGEST_NOTE = 1000
LONGEST_CATEGORY = 100


def require_marks(campaign: OpenCampaign) -> None:
    """NotFound if workers of the campaign mark no errors."""
    name = campaign.settings.protocol
    if "spans" not in protocols()[name].gives:
        raise NotFound(f"Workers mark no errors in this campaign, whose protocol is {name}.")


def decisions(campaign: OpenCampaign) -> dict[tuple[str, str], MarksDecision]:
    """By system and segment, the decision that holds: the latest, unless it was withdrawn."""
    with campaign.store.read() as connection:
        logged = actions.logged_actions(connection, verbs=(VERB,))
    found: dict[tuple[str, str], MarksDecision] = {}
    for action in logged:
        key = (action.detail["system"], action.detail["segment"])
        found.pop(key, None)
        if action.detail["marks"] is not None:
            found[key] = _decision(action)
    return found


def _decision(action: Action) -> MarksDecision:
    marks = tuple(ErrorMark(**each) for each in action.detail["marks"])
    return MarksDecision(
        action.number, marks, action.reason, action.done_at, action.manager_id or action.done_by
    )


def adjudicate(  # noqa: PLR0913 (a decision is all of this)
    campaign: OpenCampaign,
    system_id: str,
    segment_id: str,
    marks: Sequence[ErrorMark] | None,
    *,
    note: str = "",
    by: By,
    now: datetime,
) -> None:
    """Decide what the errors of a translation are, none if `marks` is empty; None withdraws a decision.

    ChoiceError lists everything that is wrong with the marks. The latest decision holds.
    """
    require_marks(campaign)
    texts = translations_of(campaign)
    places = {segment.segment_id: number for number, segment in enumerate(texts.segments)}
    lines = texts.translations.get(system_id)
    text = None if lines is None or segment_id not in places else lines[places[segment_id]]
    if text is None:
        raise NotFound(f"There is no translation of segment {segment_id} by {system_id}.")
    if len(note) > LONGEST_NOTE or "\x00" in note:
        raise ChoiceError(f"{{note}} has at most {LONGEST_NOTE:,} letters, and no NUL.")
    lengths = {"target": len(text), "source": len(texts.segments[places[segment_id]].source)}
    problems = _mark_problems(marks or (), lengths)
    if problems:
        raise ChoiceError(" ".join(problems))
    recorded = None if marks is None else [recorded_mark(mark) for mark in marks]
    detail = {"system": system_id, "segment": segment_id, "marks": recorded}
    with campaign.store.write() as connection:
        actions.log_action(connection, VERB, by=by, now=now, reason=" ".join(note.split()), detail=detail)


def recorded_mark(mark: ErrorMark) -> dict[str, Any]:
    """A mark as the log and files hold it."""
    names = ("start", "end", "severity", "category", "side")
    return {name: getattr(mark, name) for name in names}


def _mark_problems(marks: Sequence[ErrorMark], lengths: Mapping[str, int]) -> list[str]:
    problems = []
    if len(marks) > MOST_MARKS:
        problems.append(f"There are {len(marks):,} marks; at most {MOST_MARKS} are allowed.")
    for number, mark in enumerate(marks, start=1):
        start, end, length = mark.start, mark.end, lengths[mark.side]
        if (start is None) != (end is None):
            problems.append(f"Mark {number} has one end only: give start and end, or neither.")
        elif start is not None and end is not None and not 0 <= start < end <= length:
            problems.append(
                f"Mark {number} goes from {start} to {end}, and the {mark.side} has {length} characters: "
                "it must begin before it ends, and lie inside."
            )
        if not mark.severity.strip() or len(mark.severity) > LONGEST_CATEGORY:
            problems.append(f"Mark {number} needs a severity, such as minor or major.")
        if mark.category is not None and not 0 < len(mark.category) <= LONGEST_CATEGORY:
            problems.append(f"The category of mark {number} has 1 to {LONGEST_CATEGORY} letters.")
    return problems


def marks_in(path: Path) -> tuple[ErrorMark, ...]:
    """The marks in a JSON file: a list of objects with start, end, severity, category and side."""
    try:
        rows = json.loads(path.read_text("utf-8"))
        if not isinstance(rows, list):
            raise TypeError("it must be a list")
        found = tuple(ErrorMark(**{"start": None, "end": None, **row}) for row in rows)
    except (OSError, ValueError, TypeError) as error:
        example = '[{"start": 0, "end": 5, "severity": "minor"}]'
        raise SourceError(str(path), [f"is no list of marks such as {example} ({error})."]) from None
    wrong = [each for each in found if not _is_plain(each)]
    if wrong:
        raise SourceError(str(path), ["start and end are whole numbers, severity and category are texts."])
    return found


def _is_plain(mark: ErrorMark) -> bool:
    ends = all(end is None or type(end) is int for end in (mark.start, mark.end))
    return (
        ends
        and isinstance(mark.severity, str)
        and mark.side in SPAN_SIDES
        and (mark.category is None or isinstance(mark.category, str))
    )
