"""What a manager changes while a campaign runs: its state, its rules, its words; the log; a backup."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask

from steelyard.domain.managers import allows
from steelyard.domain.running import CampaignState, Doer, Rules
from steelyard.flows import backup as copy
from steelyard.flows import correct as correction
from steelyard.flows import rules, state
from steelyard.flows.log import detail_in_words, newest_actions
from steelyard.flows.managers import names_of_managers
from steelyard.formats.words_file import to_toml
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.replies import WholeFile
from steelyard.web.schemas import NoNul, StrictBody

router = APIRouter(prefix="/api/v1", tags=["manage"])

# Our choice: a few paragraphs.
Reason = Annotated[str, Field(max_length=2000), NoNul]


class StateBody(StrictBody):
    """The state that the campaign should be in, and why."""

    # A name of one in JSON, which is no number or the like taken for it.
    state: Annotated[CampaignState, Field(strict=False)]
    reason: Reason = ""


class RulesBody(StrictBody):
    """The rules to change; what is left out stays. `null` takes a limit or a pay away."""

    lease_minutes: float | None = None
    hits_per_worker: int | None = None
    open_link: bool | None = None
    joins_per_hour: int | None = None
    unbegun_hits: int | None = None
    wage: float | None = None
    currency: str | None = None
    pay_per_hit: float | None = None
    fee: float | None = None
    budget: float | None = None
    pay_after_days: float | None = None
    tell_pay: bool | None = None
    completion_code: str | None = None
    completion_url: str | None = None
    screened_code: str | None = None
    blocked_code: str | None = None
    platform: str | None = None
    id_parameter: str | None = None
    study_parameter: str | None = None
    session_parameter: str | None = None
    id_pattern: str | None = None
    description: str | None = None
    platform_settings: dict[str, Any] | None = None
    retain_until: str | None = None


class CorrectionBody(StrictBody):
    """A new title, new instructions (the text of a file as `example --instructions` prints), a new consent
    text, or several of these."""

    title: Annotated[str, NoNul] | None = None
    instructions: str | None = None
    consent: Annotated[str, NoNul] | None = None
    reason: Reason = ""


class RevisionView(BaseModel):
    """What workers read from some moment on, and how many judgements were given under it.

    `consent`: the text they agree to; null if they are not asked.
    """

    revision: int
    title: str
    instructions: str
    consent: str | None
    made_at: datetime
    reason: str
    new_title: bool
    new_instructions: bool
    new_consent: bool
    n_judgements: int
    warnings: list[str]


class ActionView(BaseModel):
    """Something that was done to the campaign; `words`: what it changed, in a line.

    `manager_id`: which manager it was, null for the campaign's own link. Viewers do not get the name.
    """

    number: int
    done_at: datetime
    done_by: Doer
    verb: str
    worker_id: str | None
    hit_id: str | None
    reason: str
    detail: dict[str, Any]
    manager_id: str | None
    manager_name: str
    words: str


class ActionsView(BaseModel):
    """A page of the log. `more`: earlier actions are there."""

    actions: list[ActionView]
    more: bool


@router.post("/state", dependencies=[require("manager")])
def change_state(desk: DeskOf, caller: CallerOf, body: StateBody) -> state.StateChange:
    """Open, pause or close the campaign. A campaign that is in this state already stays as it is."""
    return state.change_state(
        desk.campaign, body.state, by=caller.by, now=datetime.now(UTC), reason=body.reason
    )


@router.get("/rules", dependencies=[require("viewer")])
def campaign_rules(desk: DeskOf) -> Rules:
    """The rules by which the campaign is run."""
    return rules.campaign_rules(desk.campaign)


@router.patch("/rules", dependencies=[require("manager")])
def change_rules(desk: DeskOf, caller: CallerOf, body: RulesBody) -> Rules:
    """Change the rules named in the body; the reply has all of them."""
    changes = body.model_dump(exclude_unset=True)
    return rules.change_rules(desk.campaign, changes, by=caller.by, now=datetime.now(UTC))


@router.get("/revisions", dependencies=[require("viewer")])
def seen_revisions(desk: DeskOf) -> list[RevisionView]:
    """Every revision of the title, the instructions and the consent text, the first as created."""
    return [_revision_view(seen) for seen in correction.seen_revisions(desk.campaign)]


@router.post("/revisions", dependencies=[require("manager")])
def correct(desk: DeskOf, caller: CallerOf, body: CorrectionBody) -> list[RevisionView]:
    """Correct the title, the instructions or the consent text. If they are so already, nothing changes.

    Whoever agreed to another consent text is asked again before they go on.
    """
    asked = correction.Correction(body.title, body.instructions, body.reason, consent=body.consent)
    correction.correct(desk.campaign, asked, by=caller.by, now=datetime.now(UTC))
    return seen_revisions(desk)


def _revision_view(seen: correction.SeenRevision) -> RevisionView:
    revision = seen.revision
    consent = correction.consent_of(revision)
    return RevisionView(
        revision=revision.revision,
        title=revision.title,
        instructions=to_toml(revision.presentation["words"]),
        consent=None if consent is None else consent.text,
        made_at=revision.made_at,
        reason=revision.reason,
        new_title=seen.new_title,
        new_instructions=seen.new_words,
        new_consent=seen.new_consent,
        n_judgements=seen.n_judgements,
        warnings=list(seen.warnings),
    )


@router.get("/actions", dependencies=[require("viewer")])
def actions(
    desk: DeskOf,
    caller: CallerOf,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> ActionsView:
    """What was done to the campaign, newest first; `before` gives what came before that number."""
    found = newest_actions(desk.campaign, before=before, limit=limit + 1)
    names = names_of_managers(desk.campaign) if allows(caller.role, "manager") else {}
    shown = [
        ActionView(
            **asdict(action),
            words=detail_in_words(action.detail),
            manager_name=names.get(action.manager_id or "", ""),
        )
        for action in found[:limit]
    ]
    return ActionsView(actions=shown, more=len(found) > limit)


@router.get("/backup", response_class=FileResponse, dependencies=[require("manager")])
def backup(desk: DeskOf, caller: CallerOf) -> FileResponse:
    """A copy of the whole campaign as of this moment, as a file that `steelyard restore` reads."""
    now = datetime.now(UTC)
    folder = tempfile.TemporaryDirectory()
    try:
        file = Path(folder.name) / f"{desk.campaign.settings.name}-{now:%Y%m%d-%H%M%S}.db"
        copy.backup(desk.campaign, file, by=caller.by, now=now)
    except BaseException:
        folder.cleanup()
        raise
    sent = BackgroundTask(folder.cleanup)
    return WholeFile(file, filename=file.name, media_type="application/vnd.sqlite3", background=sent)
