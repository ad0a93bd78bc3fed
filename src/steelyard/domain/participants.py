"""Participants: workers whom a crowd platform sent, under the id that they have there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Visit:
    """What a platform said of somebody who came: who it is, for which study, in which session of theirs."""

    participant_id: str
    study_id: str = ""
    session_id: str = ""
    submit_to: str = ""
    """Where a finished set is posted back to; empty for platforms that do not ask for it."""


@dataclass(frozen=True, slots=True)
class PlatformSession:
    """A visit for which the platform expects an end: the study and the session by their ids there."""

    study_id: str
    session_id: str
    begun_at: datetime


@dataclass(frozen=True, slots=True)
class Participant:
    """A worker whom a platform sent. `participant_id` is None once it was forgotten."""

    worker_id: str
    platform: str
    participant_id: str | None
    joined_at: datetime
    hits: int
    """How many HITs they have finished."""
    judged: int
    """How many judgements they have given in all."""
    is_blocked: bool
    sessions: tuple[PlatformSession, ...] = ()
    agreed_at: datetime | None = None
    """When they last agreed to a consent text; None: never."""
    consent_version: str | None = None
    """Which text that was."""
    withdrew_at: datetime | None = None
    """When they took it back; None: they did not."""
