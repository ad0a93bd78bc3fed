"""Correct what workers read in a running campaign; every judgement keeps the revision it saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.entry import CampaignEntry, Consent, entry_in
from steelyard.domain.errors import CampaignError, ChoiceError, SourceError
from steelyard.domain.running import By, Revision
from steelyard.domain.wording import joined
from steelyard.flows.consent import unfilled
from steelyard.flows.open import OpenCampaign
from steelyard.formats.campaign_entry import consent_text
from steelyard.formats.campaign_mistakes import table_problems
from steelyard.formats.campaign_presentation import foreign_words, parse_words
from steelyard.protocols import check_words
from steelyard.store import running
from steelyard.store.actions import log_action


@dataclass(frozen=True, slots=True)
class Correction:
    """A new title, new words, a new consent text, or several of them; None: as before.

    `instructions` is the text of a file such as `steelyard example PROTOCOL --instructions en` prints.
    Nothing else of the presentation can be corrected: it would change what ratings mean.
    """

    title: str | None = None
    instructions: str | None = None
    reason: str = ""
    file: str = "the instructions"
    """What problems call the file of the instructions."""
    consent: str | None = None
    consent_file: str = "the consent text"

    @property
    def where(self) -> str:
        """What problems are about: a file if there is one only, else the correction."""
        given = {"": self.title, self.file: self.instructions, self.consent_file: self.consent}
        names = [name for name, text in given.items() if text is not None]
        return names[0] if len(names) == 1 and names[0] else "the correction"


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
    new_consent: bool
    n_judgements: int
    warnings: tuple[str, ...]

    @property
    def consent(self) -> Consent | None:
        """What workers agree to under it; None: nobody is asked."""
        return consent_of(self.revision)

    @property
    def changed(self) -> tuple[str, ...]:
        """What differs from the revision before, in words."""
        parts = (
            ("title", self.new_title),
            ("instructions", self.new_words),
            ("consent text", self.new_consent),
        )
        return tuple(name for name, is_new in parts if is_new)


def correct(campaign: OpenCampaign, correction: Correction, *, by: By, now: datetime) -> Corrected:
    """Let workers see another title or other words from now on; CampaignError with all problems.

    There must be every word that the campaign has now, and no other. Earlier revisions stay, and so do
    judgements. Whoever agreed to another consent text is asked again before they go on.
    """
    if correction.title is None and correction.instructions is None and correction.consent is None:
        raise ChoiceError("Give a new {title}, new {instructions}, or a new {consent} text.")
    words, consent = _checked(correction, campaign.settings)
    with campaign.store.write() as connection:
        running.hold_campaign(connection)
        before = running.latest_revision(connection)
        title = before.title if correction.title is None else correction.title
        entry = entry_in(before.presentation) if consent is None else _with_consent(before, consent)
        presentation = {
            **before.presentation,
            **({} if words is None else {"words": words}),
            **({} if entry in (None, entry_in(before.presentation)) else {"entry": entry.recorded}),
        }
        if (title, presentation) == (before.title, before.presentation):
            return Corrected(before, is_new=False)
        number = running.add_revision(connection, title, presentation, now=now, reason=correction.reason)
        detail: dict[str, Any] = {"revision": number}
        if title != before.title:
            detail["title"] = {"before": before.title, "after": title}
        if presentation.get("words") != before.presentation.get("words"):
            detail["instructions"] = "corrected"
        if _consent_in(presentation) != consent_of(before):
            detail["consent"] = "corrected"
        log_action(connection, "correct", by=by, now=now, reason=correction.reason, detail=detail)
        return Corrected(running.latest_revision(connection), is_new=True)


def _checked(
    correction: Correction, settings: CampaignSettings
) -> tuple[Mapping[str, Any] | None, str | None]:
    """The new words and the new consent text, if there are any; CampaignError with all problems."""
    problems = [] if correction.title is None else table_problems("campaign", {"title": correction.title})
    words = consent = None
    if correction.consent is not None:
        try:
            consent = consent_text(correction.consent, where=correction.consent_file)
        except SourceError as error:
            problems += error.problems
    if correction.instructions is not None:
        try:
            words = parse_words(correction.instructions, where=correction.file)
        except SourceError as error:
            problems += error.problems
        else:
            # Beside the words it has, whose names the protocol of today may no longer use.
            problems += check_words(words, like=settings.presentation["words"])
    if problems:
        raise CampaignError(correction.where, problems)
    return words, consent


def _with_consent(before: Revision, text: str) -> CampaignEntry:
    """What comes before the first set, with another consent text.

    Where nobody was asked before, how people handle the page was not recorded, and will not be.
    """
    entry = entry_in(before.presentation) or CampaignEntry()
    behaviour = entry.consent is not None and entry.consent.behaviour
    return replace(entry, consent=Consent(text, behaviour))


def consent_of(revision: Revision) -> Consent | None:
    """What workers agree to under a revision; None: nobody is asked."""
    return _consent_in(revision.presentation)


def _consent_in(presentation: Mapping[str, Any]) -> Consent | None:
    entry = entry_in(presentation)
    return None if entry is None else entry.consent


def seen_revisions(campaign: OpenCampaign) -> list[SeenRevision]:
    """Every revision, the first as created, with the number of judgements that it led to."""
    with campaign.store.snapshot() as connection:
        found = running.revisions(connection)
        counts = running.judgements_by_revision(connection)
    seen = []
    for before, revision in zip([None, *found], found, strict=False):
        new_title = before is not None and before.title != revision.title
        new_words = before is not None and _words(before) != _words(revision)
        new_consent = before is not None and consent_of(before) != consent_of(revision)
        n_judgements = counts.get(revision.revision, 0)
        warnings = _word_warnings(revision, campaign.settings) if new_words else ()
        consent = consent_of(revision)
        if new_consent and consent is not None:
            warnings = (*warnings, *unfilled(consent.text))
        seen.append(SeenRevision(revision, new_title, new_words, new_consent, n_judgements, warnings))
    return seen


def _words(revision: Revision) -> Any:
    # Campaigns of the first versions have none.
    return revision.presentation.get("words")


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
        f"{joined(each.changed)} on {each.revision.made_at:%Y-%m-%d %H:%M} UTC" for each in seen[1:]
    )
    counts = ", ".join(f"{each.n_judgements:,} under revision {each.revision.revision}" for each in seen)
    return (f"What workers read was corrected while the campaign ran: {made}. Judgements given: {counts}.",)
