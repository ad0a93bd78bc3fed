"""Before the first set: what a worker agrees to, is asked and tries out; what workers write to organisers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

from steelyard.domain.judgement import Preference, Span

# What a worker does before the first set, in this order; a campaign may have any of them.
EntryStep = Literal["consent", "questions", "training"]
RemarkKind = Literal["comment", "problem"]
QuestionKind = Literal["choice", "choices", "number", "text"]


@dataclass(frozen=True, slots=True)
class Consent:
    """What workers agree to. `behaviour`: how they handle the page is recorded, and the text says so."""

    text: str
    behaviour: bool = True

    @property
    def version(self) -> str:
        """Tells texts apart: who agreed to another one is asked again."""
        return sha256(f"{self.behaviour} {self.text}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class EntryQuestion:
    """One question before the first set. With `accept`, any other answer ends the visit, kindly.

    `minimum` and `maximum` are of numbers.
    """

    name: str
    text: str
    kind: QuestionKind
    choices: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    optional: bool = False
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class TrainingItem:
    """Something to try out, and what is said about the answer afterwards.

    `texts` are its translations in the order shown. `expected` has the lowest and highest rating of each that
    would do, `spans` the errors of each that should be found (without severity: of any), `preferred` the
    preferences that would do; without them every answer does, and only `feedback` is shown.
    """

    texts: tuple[str, ...]
    feedback: str
    source: str = ""
    reference: str = ""
    expected: tuple[tuple[float, float], ...] = ()
    preferred: tuple[Preference, ...] = ()
    spans: tuple[tuple[Span, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """All that comes before a worker's first set."""

    consent: Consent | None = None
    questions: tuple[EntryQuestion, ...] = ()
    training: tuple[TrainingItem, ...] = ()

    @property
    def recorded(self) -> dict[str, Any]:
        """As campaigns record it with their presentation: plain values only."""
        return {
            "consent": asdict(self.consent) if self.consent else None,
            "questions": [asdict(question) for question in self.questions],
            "training": [_recorded_training(item) for item in self.training],
        }


def entry_in(presentation: Mapping[str, Any]) -> CampaignEntry | None:
    """What a presentation records of all that comes before the first set; None: nothing does.

    >>> entry_in({"entry": CampaignEntry(Consent("We store your ratings.")).recorded}).consent.behaviour
    True
    """
    recorded = presentation.get("entry")
    if recorded is None:
        return None
    consent = recorded["consent"]
    return CampaignEntry(
        Consent(**consent) if consent else None,
        tuple(EntryQuestion(**_with_tuples(each)) for each in recorded["questions"]),
        tuple(_training_in(each) for each in recorded["training"]),
    )


def _recorded_training(item: TrainingItem) -> dict[str, Any]:
    spans = [[span._asdict() for span in of_one] for of_one in item.spans]
    return {**asdict(item), "spans": spans}


def _training_in(recorded: Mapping[str, Any]) -> TrainingItem:
    expected = recorded["expected"] or ()
    # Campaigns of earlier versions recorded the range of one rating without a list around it.
    ranges = (expected,) if expected and not isinstance(expected[0], Sequence) else expected
    spans = recorded.get("spans", ())
    return TrainingItem(
        **{
            **_with_tuples(recorded),
            "expected": tuple((low, high) for low, high in ranges),
            "spans": tuple(tuple(Span(**span) for span in of_one) for of_one in spans),
        }
    )


def _with_tuples(recorded: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in recorded.items()}


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """What a worker did at one step, as stored.

    The content of a consent is `version` and `agrees`; of questions, `answers` by name and `is_accepted`;
    of training, the item's `number` from 1, the `answer` and whether it `is_expected` (null: any is).
    """

    worker_id: str
    step: EntryStep
    content: Mapping[str, Any]
    revision: int
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Remark:
    """What a worker wrote: a comment on the work, or a problem with an item."""

    remark_id: str
    worker_id: str
    kind: RemarkKind
    text: str
    made_at: datetime
    assignment_id: str | None = None
    item_id: str | None = None
