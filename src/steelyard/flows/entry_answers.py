"""What a worker says before the first set: consent, answers to questions, training. All of it is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from steelyard.domain.entry import CampaignEntry, EntryQuestion, EntryRecord, EntryStep
from steelyard.domain.errors import AnswerError, Conflict, NotFound
from steelyard.domain.judgement import Answer
from steelyard.flows.assign import require_open
from steelyard.flows.entry import SCREENED, STEP_DUE, entry_at, latest, latest_agreement, standing_of
from steelyard.flows.open import OpenCampaign
from steelyard.flows.training import Tried, tried_out
from steelyard.store import entries, running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

# What one worker may store at a step: more than anyone needs, and too little to fill a disk [our choice].
MOST_RECORDS = 1000
# Letters of a free text: a sentence or two [our choice].
LONGEST_TEXT = 500
LARGEST_NUMBER = 1e15
# NUL and halves of characters: not every database holds them.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
NOT_ASKED = "This campaign asks nobody for that; reload the page."
SIMULATED = "This worker is simulated: of those nothing is asked, and nothing is recorded."
OTHER_TEXT = "The consent text has changed meanwhile; reload the page to read it."
ANSWERED = "These questions are answered already; the answers cannot be changed any more."
TOO_OFTEN = "This was done more often than can be recorded; ask the organiser of the campaign."


@dataclass(frozen=True, slots=True)
class _Visit:
    """A worker in a transaction of their own: what they did so far, and what is asked now."""

    connection: Connection
    worker_id: str
    entry: CampaignEntry
    records: Sequence[EntryRecord]
    revision: int
    now: datetime

    def append(self, step: EntryStep, content: Mapping[str, Any]) -> None:
        """Record what the worker did now."""
        if sum(record.step == step for record in self.records) >= MOST_RECORDS:
            raise Conflict(TOO_OFTEN, code="too_often")
        entries.append_entry(
            self.connection, self.worker_id, step, content, revision=self.revision, now=self.now
        )

    def require_no_step_before(self, step: EntryStep) -> None:
        """Conflict for one who is not that far yet, or is not looked for."""
        standing = standing_of(self.entry, self.records)
        if standing.is_screened:
            raise Conflict(SCREENED, code="screened")
        due = standing.step
        if due == "consent" or (due == "questions" and step == "training"):
            raise Conflict(STEP_DUE[due], code="entry")


@contextmanager
def _visit(
    campaign: OpenCampaign, worker_id: str, *, now: datetime, must_be_open: bool = True
) -> Iterator[_Visit]:
    """The worker's visit. Two pages of one worker take turns."""
    with campaign.store.write() as connection:
        conditions = running.conditions(connection)
        if must_be_open:
            require_open(conditions)
        entry = entry_at(connection, campaign, conditions.revision)
        if entry is None:
            raise NotFound(NOT_ASKED)
        records = entries.worker_entries(connection, worker_id)
        if records is None:
            raise Conflict(SIMULATED, code="simulated")
        yield _Visit(connection, worker_id, entry, records, conditions.revision, now)


def give_consent(
    campaign: OpenCampaign, worker_id: str, *, agrees: bool, revision: int, now: datetime
) -> None:
    """Record whether the worker agrees to the text of this revision; saying the same again changes nothing.

    Conflict with the code "revision" if workers read another text by now. One may take back one's consent
    at any time, in a campaign that is closed too.
    """
    with _visit(campaign, worker_id, now=now, must_be_open=agrees) as visit:
        consent = visit.entry.consent
        if consent is None:
            raise NotFound(NOT_ASKED)
        if not 1 <= revision <= visit.revision:
            raise AnswerError(
                f"There are revisions 1 to {visit.revision}, so there is no {revision}.", "revision"
            )
        seen = entry_at(visit.connection, campaign, revision)
        if seen is None or seen.consent != consent:
            raise Conflict(OTHER_TEXT, code="revision")
        if latest_agreement(visit.entry, visit.records) is not agrees:
            visit.append("consent", {"version": consent.version, "agrees": agrees})


def answer_questions(
    campaign: OpenCampaign, worker_id: str, answers: Mapping[str, Any], *, now: datetime
) -> None:
    """Record the answers to all questions, once; AnswerError naming the question with a wrong one."""
    with _visit(campaign, worker_id, now=now) as visit:
        questions = visit.entry.questions
        if not questions:
            raise NotFound(NOT_ASKED)
        checked = checked_answers(questions, answers)
        before = latest(visit.records, "questions")
        if before is not None:
            if before.content["answers"] != checked:
                raise Conflict(ANSWERED, code="answered")
            return
        visit.require_no_step_before("questions")
        accepted = all(_is_accepted(question, checked.get(question.name)) for question in questions)
        visit.append("questions", {"answers": checked, "is_accepted": accepted})


def try_training(
    campaign: OpenCampaign, worker_id: str, number: int, answer: Answer, *, now: datetime
) -> Tried:
    """Record a try of a training item, and what is said about it. Sending the same again records nothing."""
    with _visit(campaign, worker_id, now=now) as visit:
        training = visit.entry.training
        if not training:
            raise NotFound(NOT_ASKED)
        if not 1 <= number <= len(training):
            raise AnswerError(f"There are {len(training)} examples, so there is no {number}.", "number")
        visit.require_no_step_before("training")
        checked, tried = tried_out(campaign.settings, training[number - 1], answer)
        before = latest(visit.records, "training")
        content = {"number": number, "answer": checked, "is_expected": tried.is_expected}
        if before is None or before.content != content:
            visit.append("training", content)
        return tried


def checked_answers(questions: Sequence[EntryQuestion], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The answers by name, in the order of the questions; what was left out is missing."""
    names = [question.name for question in questions]
    for name in answers:
        if name not in names:
            raise AnswerError("There is no such question; reload the page.", "answers")
    found = {}
    for question in questions:
        value = _checked(question, answers.get(question.name))
        if value is None and not question.optional:
            raise AnswerError("Please answer this question.", question.name)
        if value is not None:
            found[question.name] = value
    return found


def _checked(question: EntryQuestion, value: Any) -> Any:
    """One answer, cleaned; None if there is none."""
    if value is None or value in ("", []):
        return None
    problem = None
    match question.kind:
        case "choice" if value not in question.choices:
            problem = "Please choose one of the answers."
        case "choices":
            if not isinstance(value, list) or any(each not in question.choices for each in value):
                problem = "Please choose among the answers."
            else:
                value = [choice for choice in question.choices if choice in value]
        case "number":
            problem = _number_problem(question, value)
        case "text":
            value = value.strip() if isinstance(value, str) else value
            if not isinstance(value, str) or len(value) > LONGEST_TEXT or UNSTORABLE.search(value):
                problem = f"Please answer in words, with at most {LONGEST_TEXT} letters."
    if problem:
        raise AnswerError(problem, question.name)
    return value or None if isinstance(value, str) else value


def _number_problem(question: EntryQuestion, value: Any) -> str | None:
    # Whole numbers have no end in JSON, and those beyond this have no place in a table.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST_NUMBER:
        return "Please answer with a number."
    low, high = question.minimum, question.maximum
    if low is not None and value < low:
        return f"Please answer with a number from {low:g}{'' if high is None else f' to {high:g}'}."
    if high is not None and value > high:
        return f"Please answer with a number {'up' if low is None else f'from {low:g}'} to {high:g}."
    return None


def _is_accepted(question: EntryQuestion, value: Any) -> bool:
    """Whether an answer lets the worker go on; of several chosen, one of those looked for is enough."""
    chosen = value if isinstance(value, list) else [value]
    return not question.accept or any(each in question.accept for each in chosen)
