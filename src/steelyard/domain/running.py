"""Running a campaign: its state, the rules a manager may change, its revisions, and what people did to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal, NamedTuple


class CampaignState(StrEnum):
    """Whether workers may judge. Only an open campaign gives out work and takes answers."""

    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Rules:
    """How a campaign is run. The campaign file sets it, and a manager may change it at any time."""

    lease_minutes: float = 120.0
    """Minutes without an answer after which a HIT that was begun goes back to the pool."""
    hits_per_worker: int | None = None
    """The most HITs that one worker may take; None: as many as there are."""
    open_link: bool = True
    """Whether anyone with the open link may join. Without it the list of workers is closed."""
    joins_per_hour: int = 60
    """How many people may join by the open link from one address within an hour; 0: any number."""
    unbegun_hits: int = 30
    """How many HITs in which nothing is judged yet one address may hold; 0: any number."""
    wage: float | None = None
    """What an hour is paid; None: nothing is said about pay."""
    currency: str = "USD"
    pay_per_hit: float | None = None
    """What a HIT is paid, in place of what the wage comes to."""
    fee: float = 0.0
    """What a platform takes on top of the pay, as a share of it."""
    budget: float | None = None
    """The most that may be spent through a platform, its fees included; None: no limit is set."""
    pay_after_days: float = 7.0
    """Days after which work that nobody has decided on is paid when the platform is next asked."""
    tell_pay: bool = False
    """Whether workers read what a set pays and what they have earned."""
    completion_code: str | None = None
    """Shown to workers who have finished a set, as crowd platforms ask for; None: no code."""
    completion_url: str | None = None
    """Where a button leads workers who have finished a set; None: to the platform's own address, if any.

    {code} in it stands for the code, {id} for the participant's id on the platform.
    """
    screened_code: str | None = None
    """Shown instead to workers whose answers to questions are not looked for; None: no code."""
    blocked_code: str | None = None
    """Shown instead to workers whom a manager blocked before they finished a set; None: no code."""
    platform: str = "local"
    """Where workers come from; "local": by links that the organiser hands out."""
    id_parameter: str | None = None
    """The parameter of the open link with the participant's id; None: that of the platform. So the others."""
    study_parameter: str | None = None
    session_parameter: str | None = None
    id_pattern: str | None = None
    """What a whole id looks like, as a regular expression without groups."""
    description: str | None = None
    """What people read about the campaign on the platform; None: a sentence made from what is known."""
    platform_settings: Mapping[str, Any] = field(default_factory=dict)
    """What only the platform knows, such as workspace, project and filters, in its own words."""
    retain_until: str | None = None
    """The day, as YYYY-MM-DD, after which what points to workers should be erased; None: nothing is set."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The title and words that workers saw from some moment on. Revision 1 is as created."""

    revision: int
    title: str
    presentation: Mapping[str, Any]
    made_at: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Conditions:
    """On what conditions work is given now. A manager may change them, so a server asks each time."""

    state: CampaignState
    rules: Rules
    revision: int

    @property
    def lease(self) -> timedelta:
        """How long an assignment may stay without an answer."""
        return timedelta(minutes=self.rules.lease_minutes)


# Who did something: a person by the manager's link or at the command line, a worker, or the server itself.
Doer = Literal["manager", "command line", "worker", "server"]


class ByManager(NamedTuple):
    """A manager with a link or an identity of their own did something; the shared link is just "manager"."""

    manager_id: str


By = Doer | ByManager


@dataclass(frozen=True, slots=True)
class Action:
    """Something done to a campaign by a person or the server, as logged. Actions are never changed."""

    number: int
    done_at: datetime
    done_by: Doer
    verb: str
    worker_id: str | None = None
    hit_id: str | None = None
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    manager_id: str | None = None
    """Which manager it was; None for whoever has the campaign's own link, and for everyone else."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A person's decision that a worker's judgements, or those of one HIT, do not count.

    `hit_id` is None if it concerns all of the worker's HITs. A judgements file does not say who decided it
    when.
    """

    worker_id: str
    hit_id: str | None
    reason: str
    done_at: datetime | None = None
    done_by: Doer | None = None
