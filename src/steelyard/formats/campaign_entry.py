"""What comes before a worker's first set, as a campaign file describes it: consent, questions, training."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from steelyard.domain.entry import CampaignEntry, Consent, EntryQuestion, QuestionKind, TrainingItem
from steelyard.domain.errors import SourceError
from steelyard.domain.plugin import Protocol, TextRole
from steelyard.domain.work import ShownItem, ShownText
from steelyard.formats.campaign_entry_tables import (
    MOST_QUESTIONS,
    MOST_TRAINING,
    ConsentTable,
    QuestionTable,
    TrainingTable,
)
from steelyard.formats.campaign_files import CampaignFiles
from steelyard.formats.campaign_tables import CampaignFile
from steelyard.formats.text_file import read_text

# How a point of a list begins.
_POINT = re.compile(r"[-*•–]\s|\d{1,3}\.\s|\(?(?:\d{1,3}|[A-Za-z])\)\s")
# Letters of a consent text: some ten pages, which nobody reads [our choice].
LONGEST_CONSENT = 40_000


def entry_of(
    parsed: CampaignFile, protocol: Protocol, roles: Sequence[TextRole], files: CampaignFiles
) -> CampaignEntry | None:
    """What the three tables say together; None if the file has none of them. Problems go into `files`.

    `roles`: the texts that workers see.
    """
    if parsed.consent is None and not parsed.questions and not parsed.training:
        return None
    files.problems += _question_problems(parsed.questions)
    files.problems += _training_problems(parsed.training, protocol, roles)
    return CampaignEntry(
        None if parsed.consent is None else _consent(parsed.consent, files),
        tuple(_question(table) for table in parsed.questions),
        tuple(_training(table, roles) for table in parsed.training),
    )


def consent_text(text: str, *, where: str) -> str:
    """A consent text, its paragraphs in one line each; SourceError with what is wrong with it.

    Points of a list, lines that begin with a dash, a dot or a number, stay lines of their own.

    >>> consent_text("We store\\nanswers.\\n\\nYou may\\n- stop,\\n- ask\\n  us.", where="c.txt")
    'We store answers.\\n\\nYou may\\n- stop,\\n- ask us.'
    """
    paragraphs = re.split(r"\n\s*\n", "\n".join(text.strip().splitlines()))
    text = "\n\n".join(_flowing(paragraph) for paragraph in paragraphs)
    if not text:
        raise SourceError(
            where, ["the consent text is empty. Say what is stored, for what, and for how long."]
        )
    if len(text) > LONGEST_CONSENT:
        problem = f"the consent text has {len(text):,} letters; at most {LONGEST_CONSENT:,} are allowed"
        raise SourceError(where, [f"{problem}. Put the details on a page of your own and name its address."])
    if "\x00" in text:
        raise SourceError(where, ["the consent text holds a NUL character; write plain text."])
    return text


def _flowing(paragraph: str) -> str:
    """A paragraph without the line ends that an editor put in."""
    flowing = ""
    for line in filter(None, map(str.strip, paragraph.split("\n"))):
        if not flowing or _POINT.match(line):
            flowing += f"\n{line}" if flowing else line
        else:
            # Chinese and Japanese have no space between words, so none at the end of a line either.
            is_wide = all(unicodedata.east_asian_width(each) in "WF" for each in (flowing[-1], line[0]))
            flowing += line if is_wide else f" {line}"
    return flowing


def _consent(table: ConsentTable, files: CampaignFiles) -> Consent | None:
    if (table.file is None) == (table.text is None):
        wanted = (
            "needs either file or text" if table.file is None else "has both file and text; leave one out"
        )
        files.problems.append(f"[consent] {wanted}.")
        return None
    text = None
    if table.file is not None:
        text = files.read(table.file, _read_consent)
    elif table.text is not None:
        try:
            text = consent_text(table.text, where="[consent]")
        except SourceError as error:
            files.problems += [f"[consent] text: {problem}" for problem in error.problems]
    return None if text is None else Consent(text, table.behaviour)


def _read_consent(path: Path) -> str:
    return consent_text(read_text(path), where=str(path))


def _question(table: QuestionTable) -> EntryQuestion:
    return EntryQuestion(
        name=table.name,
        text=table.text.strip(),
        kind=_kind(table),
        choices=tuple(table.choices or ()),
        accept=tuple(table.accept or ()),
        optional=table.optional,
        minimum=table.minimum,
        maximum=table.maximum,
    )


def _kind(table: QuestionTable) -> QuestionKind:
    if table.choices is not None:
        return "choices" if table.several else "choice"
    return "number" if table.number else "text"


def _question_problems(questions: Sequence[QuestionTable]) -> list[str]:
    problems = []
    names = [question.name for question in questions]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.append(
            f'[[questions]]: the name "{name}" is used {names.count(name)} times; give each its own.'
        )
    if len(questions) > MOST_QUESTIONS:
        problems.append(f"[[questions]]: there are {len(questions)}; ask at most {MOST_QUESTIONS}.")
    for question in questions:
        where = f'[[questions]] "{question.name}"'
        problems += [f"{where}: {problem}" for problem in _problems_of_question(question)]
    return problems


def _problems_of_question(question: QuestionTable) -> Iterator[str]:
    choices = question.choices or []
    low, high = question.minimum, question.maximum
    if not question.text.strip():
        yield "the text is empty; write the question."
    if question.choices is not None and question.number:
        yield "has choices and number = true; leave one of the two out."
    if question.several and question.choices is None:
        yield "several = true needs choices."
    if len(set(choices)) < len(choices) or any(not choice.strip() for choice in choices):
        yield "the choices must differ, and none may be blank."
    if not question.number and (low, high) != (None, None):
        yield "minimum and maximum are for numbers: add number = true, or leave them out."
    if low is not None and high is not None and low > high:
        yield f"no number lies between a minimum of {low:g} and a maximum of {high:g}; swap the two."
    if question.accept is not None:
        yield from _screening_problems(question, question.accept)


def _screening_problems(question: QuestionTable, accept: Sequence[str]) -> Iterator[str]:
    choices = question.choices or []
    if not choices:
        yield "accept needs choices: give the answers as choices, such as age groups in place of a number."
        return
    for unknown in [answer for answer in accept if answer not in choices]:
        yield f'accept names "{unknown}", which is none of the choices: {", ".join(choices)}.'
    if question.optional:
        yield "a question that screens must be answered: leave out optional, or accept."
    if not question.several and set(accept) >= set(choices):
        yield "accept names every choice, so it screens nobody: leave it out."


def _training(table: TrainingTable, roles: Sequence[TextRole]) -> TrainingItem:
    low_high = table.expected
    return TrainingItem(
        texts=tuple(table.texts or ([] if table.text is None else [table.text])),
        feedback=table.feedback.strip(),
        source=(table.source or "") if "source" in roles else "",
        reference=(table.reference or "") if "reference" in roles else "",
        expected=None if low_high is None or len(low_high) != 2 else (low_high[0], low_high[1]),
        preferred=tuple(table.preferred or ()),
    )


def _training_problems(
    training: Sequence[TrainingTable], protocol: Protocol, roles: Sequence[TextRole]
) -> list[str]:
    problems = []
    if len(training) > MOST_TRAINING:
        problems.append(f"[[training]]: there are {len(training)}; at most {MOST_TRAINING} are allowed.")
    for number, table in enumerate(training, start=1):
        found = [*_text_problems(table, protocol, roles), *_expectation_problems(table, protocol)]
        problems += [f"[[training]] number {number}: {problem}" for problem in found]
    return problems


def _text_problems(table: TrainingTable, protocol: Protocol, roles: Sequence[TextRole]) -> Iterator[str]:
    n = protocol.n_translations
    if table.text is not None and table.texts is not None:
        yield "has both text and texts; leave one out."
    elif n == 1 and (table.text is None and len(table.texts or []) != 1):
        yield f"{protocol.name} shows one translation: give it as text."
    elif n > 1 and len(table.texts or []) != n:
        yield f'{protocol.name} shows {n} translations: give them as texts = ["…", "…"].'
    for role in ("source", "reference"):
        text = getattr(table, role)
        if role in roles and text is None:
            yield f"workers see the {role}: give it as {role}."
        if role not in roles and text is not None:
            yield f"workers do not see the {role} in this campaign; leave {role} out."


def _expectation_problems(table: TrainingTable, protocol: Protocol) -> Iterator[str]:
    if not table.feedback.strip():
        yield "the feedback is empty; say what a good answer is, and why."
    if table.preferred is not None and "preferences" not in protocol.gives:
        yield f"preferred is for protocols that compare, and {protocol.name} does not; leave it out."
    if table.expected is None:
        return
    if table.preferred is not None:
        yield "has both expected and preferred; leave one out."
    low, high = table.expected[0], table.expected[-1]
    scale = protocol.scale
    if scale is None or "ratings" not in protocol.gives:
        yield f"expected is a range of ratings, and {protocol.name} gives none; use preferred."
    elif not _one_rating(protocol):
        yield (
            f"expected is a range of one rating, and {protocol.name} asks for several; leave it out and say "
            "in the feedback what would do."
        )
    elif low > high:
        yield f"expected goes from {low:g} to {high:g}; put the lower one first."
    elif not (scale.minimum <= low and high <= scale.maximum):
        yield (
            f"expected goes from {low:g} to {high:g}, beyond the scale of {protocol.name}, which goes from "
            f"{scale.minimum:g} to {scale.maximum:g}."
        )


def _one_rating(protocol: Protocol) -> bool:
    """Whether an answer is one number: asked of an answer such as a worker would give."""
    n = protocol.n_translations
    item = ShownItem(protocol.attributes[0], (ShownText("", "", "text"),) * n, ("source",) * n)
    answer = protocol.simulate(item, [0.5] * n, np.random.default_rng(0))
    return len(protocol.rows(item, answer).ratings) == 1
