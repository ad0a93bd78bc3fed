"""Before the first set: what a worker still has to do, and whether they may have work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steelyard.domain.entry import CampaignEntry, EntryRecord, EntryStep, entry_in
from steelyard.domain.errors import Conflict
from steelyard.flows.open import OpenCampaign
from steelyard.store import entries, running

if TYPE_CHECKING:
    from sqlalchemy import Connection

STEP_DUE: dict[EntryStep, str] = {
    "consent": "Before you go on, please read the consent text and say whether you agree; reload the page.",
    "questions": "Before you go on, please answer the questions; reload the page.",
    "training": "Before you go on, please try out the examples; reload the page.",
}
SCREENED = "Thank you for your answers. This campaign looks for other people, so there is no work for you."


@dataclass(frozen=True, slots=True)
class EntryStanding:
    """How far a worker is. `step`: what is due now; None: nothing.

    `is_declined`: they do not agree to the text of now. `is_screened`: one of their answers is not among
    those that the campaign looks for.
    """

    step: EntryStep | None = None
    n_trained: int = 0
    is_declined: bool = False
    is_screened: bool = False


def entry_at(connection: Connection, campaign: OpenCampaign, revision: int) -> CampaignEntry | None:
    """What comes before the first set under a revision; read once, since revisions never change."""
    if revision not in campaign.entries:
        campaign.entries[revision] = entry_in(running.presentation_at(connection, revision))
    return campaign.entries[revision]


def entry_standing(
    connection: Connection, campaign: OpenCampaign, worker_id: str, *, revision: int
) -> EntryStanding:
    """How far a worker is with what the revision asks. Of simulated workers nothing is asked."""
    entry = entry_at(connection, campaign, revision)
    records = None if entry is None else entries.worker_entries(connection, worker_id)
    return EntryStanding() if entry is None or records is None else standing_of(entry, records)


def standing_of(entry: CampaignEntry, records: Sequence[EntryRecord]) -> EntryStanding:
    """How far somebody is who did this so far. Whoever agreed to another text is asked again."""
    agreed = latest_agreement(entry, records)
    answered = latest(records, "questions")
    n_trained = _n_trained(entry, records)
    step: EntryStep | None = None
    if answered is not None and not answered.content["is_accepted"]:
        return EntryStanding(n_trained=n_trained, is_screened=True)
    if entry.consent is not None and not agreed:
        step = "consent"
    elif entry.questions and answered is None:
        step = "questions"
    elif n_trained < len(entry.training):
        step = "training"
    return EntryStanding(step, n_trained, is_declined=agreed is False)


def latest_agreement(entry: CampaignEntry, records: Sequence[EntryRecord]) -> bool | None:
    """Whether the worker agreed to the text of now, by their latest word; None: they have not said."""
    said = latest(records, "consent")
    return consents_to(entry, said.content if said else None)


def consents_to(entry: CampaignEntry | None, said: Mapping[str, Any] | None) -> bool | None:
    """Whether a worker's word on consent agrees to this text; None: it is on another, or there is none."""
    if entry is None or entry.consent is None or said is None or said["version"] != entry.consent.version:
        return None
    return bool(said["agrees"])


def agrees_to_behaviour(entry: CampaignEntry | None, said: Mapping[str, Any] | None) -> bool:
    """Whether a worker's word on consent lets their handling of the page be recorded."""
    return bool(consents_to(entry, said) and entry and entry.consent and entry.consent.behaviour)


def latest(records: Sequence[EntryRecord], step: EntryStep) -> EntryRecord | None:
    """What was done last at a step."""
    return next((record for record in reversed(records) if record.step == step), None)


def _n_trained(entry: CampaignEntry, records: Sequence[EntryRecord]) -> int:
    """How many training items were tried, up to the first that was not: it comes next."""
    tried = {record.content["number"] for record in records if record.step == "training"}
    return next(
        (index for index in range(len(entry.training)) if index + 1 not in tried), len(entry.training)
    )


def require_entered(connection: Connection, campaign: OpenCampaign, worker_id: str, *, revision: int) -> None:
    """Conflict while something comes before work: code "entry", or "screened" if no work will come."""
    standing = entry_standing(connection, campaign, worker_id, revision=revision)
    if standing.is_screened:
        raise Conflict(SCREENED, code="screened")
    if standing.step is not None:
        raise Conflict(STEP_DUE[standing.step], code="entry")
