"""What comes before a worker's first set, as a campaign file describes it: consent, questions, training."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard.domain.entry import CampaignEntry, Consent, EntryQuestion, QuestionKind
from steelyard.domain.errors import SourceError
from steelyard.domain.plugin import Protocol, TextRole
from steelyard.formats.campaign_entry_tables import MOST_QUESTIONS, ConsentTable, QuestionTable
from steelyard.formats.campaign_files import CampaignFiles
from steelyard.formats.campaign_tables import CampaignFile
from steelyard.formats.campaign_training import TrainingScope, training_items_of, training_problems
from steelyard.formats.text_file import read_text

# How a point of a list begins.
_POINT = re.compile(r"[-*•–]\s|\d{1,3}\.\s|\(?(?:\d{1,3}|[A-Za-z])\)\s")
# A line that is a heading; paragraphs follow it.
_HEADING = re.compile(r"^#{1,3}[ \t]+(\S.*)$", re.MULTILINE)
# Letters of a consent text: some ten pages, which nobody reads [our choice].
LONGEST_CONSENT = 40_000


def entry_of(
    parsed: CampaignFile,
    protocol: Protocol,
    roles: Sequence[TextRole],
    files: CampaignFiles,
    presentation: Mapping[str, Any] | None = None,
) -> CampaignEntry | None:
    """What the three tables say together; None if the file has none of them. Problems go into `files`.

    `roles`: the texts that workers see; `presentation`: what the campaign records, if not what its protocol
    says.
    """
    if parsed.consent is None and not parsed.questions and not parsed.training:
        return None
    files.problems += _question_problems(parsed.questions)
    scope = TrainingScope(
        protocol,
        roles,
        parsed.design.translations_per_item or protocol.n_translations,
        protocol.presentation if presentation is None else presentation,
    )
    files.problems += training_problems(parsed.training, scope)
    return CampaignEntry(
        None if parsed.consent is None else _consent(parsed.consent, files),
        tuple(_question(table) for table in parsed.questions),
        training_items_of(parsed.training, scope),
    )


def consent_text(text: str, *, where: str) -> str:
    """A consent text, its paragraphs in one line each; SourceError with what is wrong with it.

    Points of a list, lines that begin with a dash, a dot or a number, stay lines of their own; a line that
    begins with # is a heading.

    >>> consent_text("We store\\nanswers.\\n\\nYou may\\n- stop,\\n- ask\\n  us.", where="c.txt")
    'We store answers.\\n\\nYou may\\n- stop,\\n- ask us.'
    >>> consent_text("# Who\\nWe do.", where="c.txt")
    '# Who\\n\\nWe do.'
    """
    headed = _HEADING.sub(r"\n# \1\n", "\n".join(text.strip().splitlines()))
    paragraphs = re.split(r"\n\s*\n", headed.strip())
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
