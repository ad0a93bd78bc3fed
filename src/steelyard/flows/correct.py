"""Correct the title and the words of a running campaign; every judgement keeps the revision it saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.errors import CampaignError, ChoiceError, SourceError
from steelyard.domain.running import By, Revision
from steelyard.flows.open import OpenCampaign
from steelyard.formats.campaign_mistakes import table_problems
from steelyard.formats.campaign_presentation import foreign_words, parse_words, words_problems
from steelyard.protocols import protocols
from steelyard.store import running
from steelyard.store.actions import log_action


@dataclass(frozen=True, slots=True)
class Correction:
    """A new title, new words, or both; None: as before.

    `instructions` is the text of a file such as `steelyard example PROTOCOL --instructions en` prints.
    Nothing else of the presentation can be corrected: it would change what ratings mean.
    """

    title: str | None = None
    instructions: str | None = None
    reason: str = ""
    file: str = "the instructions"
    """What problems call the file."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The revision that workers see from now on. `is_new`: False if nothing differed from the one before."""

    revision: Revision
    is_new: bool


@dataclass(frozen=True, slots=True)
class SeenRevision:
    """A revision, what it changed, and how many judgements were given by workers who saw it.

    `warnings`: what to know about its words.
    """

    revision: Revision
    new_title: bool
    new_words: bool
    n_judgements: int
    warnings: tuple[str, ...]

    @property
    def changed(self) -> tuple[str, ...]:
        """What differs from the revision before, in words."""
        parts = (("title", self.new_title), ("instructions", self.new_words))
        return tuple(name for name, is_new in parts if is_new)


def correct(campaign: OpenCampaign, correction: Correction, *, by: By, now: datetime) -> Corrected:
    """Let workers see another title or other words from now on; CampaignError with all problems.

    The words are checked as at creation. Earlier revisions stay, and so do judgements.
    """
    if correction.title is None and correction.instructions is None:
        raise ChoiceError("Give a new {title}, new {instructions}, or both.")
    words = _checked_words(correction, campaign.settings)
    with campaign.store.write() as connection:
        running.hold_campaign(connection)
        before = running.latest_revision(connection)
        title = before.title if correction.title is None else correction.title
        presentation = before.presentation if words is None else {**before.presentation, "words": words}
        if (title, presentation) == (before.title, before.presentation):
            return Corrected(before, is_new=False)
        number = running.add_revision(connection, title, presentation, now=now, reason=correction.reason)
        detail: dict[str, Any] = {"revision": number}
        if title != before.title:
            detail["title"] = {"before": before.title, "after": title}
        if presentation != before.presentation:
            detail["instructions"] = "corrected"
        log_action(connection, "correct", by=by, now=now, reason=correction.reason, detail=detail)
        return Corrected(running.latest_revision(connection), is_new=True)


def _checked_words(correction: Correction, settings: CampaignSettings) -> Mapping[str, Any] | None:
    """The new words, if there are any; CampaignError with all problems of title and words."""
    problems = [] if correction.title is None else table_problems("campaign", {"title": correction.title})
    words = None
    if correction.instructions is not None:
        try:
            words = parse_words(correction.instructions, where=correction.file)
        except SourceError as error:
            problems += error.problems
        else:
            problems += words_problems(words, protocols()[settings.protocol])
    if problems:
        raise CampaignError(correction.file if correction.title is None else "the correction", problems)
    return words


def seen_revisions(campaign: OpenCampaign) -> list[SeenRevision]:
    """Every revision, the first as created, with the number of judgements that it led to."""
    with campaign.store.snapshot() as connection:
        found = running.revisions(connection)
        counts = running.judgements_by_revision(connection)
    seen = []
    for before, revision in zip([None, *found], found, strict=False):
        new_title = before is not None and before.title != revision.title
        new_words = before is not None and before.presentation != revision.presentation
        n_judgements = counts.get(revision.revision, 0)
        warnings = _word_warnings(revision, campaign.settings) if new_words else ()
        seen.append(SeenRevision(revision, new_title, new_words, n_judgements, warnings))
    return seen


def _word_warnings(revision: Revision, settings: CampaignSettings) -> tuple[str, ...]:
    return tuple(foreign_words(revision.presentation["words"], settings.target_language))


def correction_notes(campaign: OpenCampaign) -> tuple[str, ...]:
    """What a reader of results should know about corrections; nothing where all workers saw the same."""
    with campaign.store.read() as connection:
        if running.latest_revision(connection).revision == 1:
            return ()
    seen = seen_revisions(campaign)
    if sum(each.n_judgements > 0 for each in seen) < 2:
        return ()
    made = ", ".join(
        f"{' and '.join(each.changed)} on {each.revision.made_at:%Y-%m-%d %H:%M} UTC" for each in seen[1:]
    )
    counts = ", ".join(f"{each.n_judgements:,} under revision {each.revision.revision}" for each in seen)
    return (f"What workers read was corrected while the campaign ran: {made}. Judgements given: {counts}.",)
