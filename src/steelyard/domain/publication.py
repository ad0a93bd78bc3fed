"""What a publication says of how judgements were collected, as far as it is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from steelyard.domain.judgement import FrameName
from steelyard.domain.plugin import TextRole


@dataclass(frozen=True, slots=True)
class AskedWords:
    """What workers were asked, with what stands at the ends of a line or along it, or the answers."""

    question: str
    anchors: tuple[str, str] | None = None
    marks: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CampaignFacts:
    """What only a campaign's database knows: what was asked, of whom, and how the work was laid out.

    `asked` is what workers read, word for word; `in_english` says the same to readers of a paper, where the
    words are our own and not English. `severities` and `categories` are those of errors that workers marked.
    """

    protocol: str
    attribute: str
    source_language: str
    target_language: str
    asked: AskedWords
    instructions: str
    words_language: str
    shows: tuple[TextRole, ...]
    hit_size: int
    n_hits: int
    whole_documents: bool
    n_translations: int = 1
    is_rated: bool = True
    """Whether workers gave ratings, rather than preferences or marks alone."""
    in_english: AskedWords | None = None
    severities: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    degradation: str | None = None
    platform: str | None = None
    """Where workers came from; None: by links that the organisers handed out."""
    wage: float | None = None
    pay_per_hit: float | None = None
    currency: str = "USD"
    lease_minutes: float = 120.0
    has_consent: bool = False
    questions: tuple[str, ...] = ()
    """What workers were asked before their first set."""
    admitted: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Questions that decide on who may take part, each with the answers that do."""
    background: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By question to choose answers from, how many of those who judged gave each."""
    n_training: int = 0


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """What any judgements say of how they were collected. `kinds`: how many are of each kind of item.

    `read`: the frame that the method works from. `n_documents` is None where no documents are known, and
    days and seconds where nothing is said of time.
    """

    name: str
    read: FrameName
    kinds: Mapping[str, int]
    attributes: tuple[str, ...]
    n_segments: int
    n_documents: int | None
    segments_per_system: tuple[int, int]
    """The smallest and the largest number of segments that were judged of any system."""
    ratings_each: float | None = None
    """How many ratings a translation received on average, repeats aside; None of other judgements."""
    n_errors: int = 0
    """How many errors workers marked."""
    weights: str | None = None
    """By which ratings were made of these; None: workers gave them."""
    first_day: date | None = None
    last_day: date | None = None
    median_seconds: float | None = None
    campaign: CampaignFacts | None = None
