"""The tables of a campaign file about what comes before a worker's first set."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from steelyard.domain.judgement import Preference, SpanSide
from steelyard.formats.campaign_keys import Finite, Name, Number, StrictKeys, Text

# Questions and training items: more would be a survey or a course of its own [our choices].
MOST_QUESTIONS = 30
MOST_TRAINING = 30
MOST_CHOICES = 100


class ConsentTable(StrictKeys):
    """What workers agree to before anything else. Whoever does not agree gets no work."""

    file: Text | None = Field(
        default=None,
        description="Plain text file with the consent text in the workers' language, a blank line between "
        "paragraphs; points that begin with a dash or a number stay on lines of their own, and a line that "
        "begins with # is a heading. Either this or `text`.",
    )
    text: Text | None = Field(default=None, description="The consent text itself, in place of a file.")
    behaviour: bool = Field(
        default=True,
        description="Record summaries of how workers handle the page with each answer. The page adds a "
        "paragraph to the consent text that names them.",
    )


class QuestionTable(StrictKeys):
    """A question asked once, before the first set. Without choices and numbers: a short free text."""

    name: Name = Field(
        description="Short name of the answers' column: letters, digits, dots, dashes, underscores."
    )
    text: Text = Field(description="The question as workers read it.")
    choices: Annotated[list[Text], Field(min_length=2, max_length=MOST_CHOICES)] | None = Field(
        default=None, description="The answers to choose from, two or more."
    )
    several: bool = Field(default=False, description="Any number of the choices may be chosen.")
    number: bool = Field(default=False, description="The answer is a number.")
    minimum: Finite | None = Field(default=None, description="The least number that may be answered.")
    maximum: Finite | None = Field(default=None, description="The greatest number that may be answered.")
    accept: Annotated[list[Text], Field(min_length=1)] | None = Field(
        default=None,
        description="Screening: the choices that let workers go on; any other answer ends the visit, kindly. "
        "With `several`, one of these is enough. Workers never see which.",
    )
    optional: bool = Field(default=False, description="Workers may leave it unanswered.")


class TargetTable(StrictKeys):
    """An error that workers should find in a training item: words of a text, a place, or a token after it."""

    text: Text | None = Field(
        default=None, description="The words that are wrong, exactly as they stand in the text, once."
    )
    start: Number | None = Field(
        default=None, description="In place of words: the first character, counted from 0 in code points."
    )
    end: Number | None = Field(default=None, description="The character after the last one.")
    token: Text | None = Field(
        default=None, description="In place of words: what is marked after the text, such as [missing]."
    )
    severity: Text | None = Field(
        default=None, description="How grave it is, for the feedback. Without it: the mildest."
    )
    category: Text | None = Field(default=None, description="Its category, where errors have one.")
    side: SpanSide = Field(default="target", description="The text it is in: target or source.")
    translation: Annotated[int, Field(ge=1)] = Field(
        default=1, description="Which of the translations it is in, from 1, where there are several."
    )


class TrainingTable(StrictKeys):
    """An example that workers try out before their first set, and what they read afterwards."""

    source: Text | None = Field(default=None, description="The source text, where workers see it.")
    reference: Text | None = Field(default=None, description="The human reference, where workers see it.")
    text: Text | None = Field(default=None, description="The translation.")
    texts: list[Text] | None = Field(
        default=None, description="The translations, in the order shown, where workers see several."
    )
    expected: Annotated[list[Finite], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="The lowest and the highest rating that would do. Without it: any."
    )
    expected_each: list[Annotated[list[Finite], Field(min_length=2, max_length=2)]] | None = Field(
        default=None,
        description="The same for each of several translations: [[70, 100], [0, 40]].",
    )
    spans: list[TargetTable] | None = Field(
        default=None,
        description="The errors that should be found, for protocols in which errors are marked; [] for none. "
        "Without it: any. Workers see them after their answer.",
    )
    preferred: Annotated[list[Preference], Field(min_length=1)] | None = Field(
        default=None,
        description="The preferences that would do, for protocols that compare: a is the first text.",
    )
    feedback: Text = Field(description="What workers read after their answer: why it is as it is.")
