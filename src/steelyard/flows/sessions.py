"""Sessions of a crowd platform: which finished set each has brought, and how it is posted back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.domain.errors import AnswerError, Conflict, NotFound
from steelyard.flows.open import OpenCampaign
from steelyard.flows.platform import posting_of
from steelyard.store import assignments, running, sessions

if TYPE_CHECKING:
    from sqlalchemy import Connection

NO_SUCH_SESSION = (
    "You did not come here in this session. Open the task again on the site where you accepted it."
)
NO_SET_LEFT = "Every set that you have finished was handed in already. One more set belongs to this session."
WRONG_PLACE = "The address does not say where to hand in, or it is damaged. Open the task again where it is."


@dataclass(frozen=True, slots=True)
class FinishedSession:
    """The set that was done in a session, and how many items it has."""

    assignment_id: str
    n_items: int


@dataclass(frozen=True, slots=True)
class Posting:
    """What a browser posts to the platform, and to which address, to hand in a set."""

    address: str
    fields: Mapping[str, str]


def finish_session(
    campaign: OpenCampaign, worker_id: str, session_id: str, *, now: datetime
) -> FinishedSession:
    """Credit a session with a set that this worker has finished and that no other session has.

    Again for the same session: the same set. Conflict ("no_set") if none is left for it, NotFound if the
    worker never came in it.
    """
    with campaign.store.write() as connection:
        found = sessions.session_of(connection, worker_id, session_id)
        if found is None:
            raise NotFound(NO_SUCH_SESSION)
        assignment_id = found.assignment_id
        if assignment_id is None:
            left = sessions.sets_without_session(connection, worker_id, session_id)
            if not left:
                raise Conflict(NO_SET_LEFT, code="no_set")
            assignment_id = left[0]
            sessions.give_set(connection, worker_id, (found.study_id, session_id), assignment_id, now=now)
        done = assignments.assignment(connection, assignment_id)
        return FinishedSession(assignment_id, done.n_items if done else 0)


def hand_in(
    campaign: OpenCampaign, worker_id: str, session_id: str, submit_to: str, *, now: datetime
) -> Posting:
    """Finish a session, and say what is to be posted to the platform for it.

    It learns who handed in under our own name for them, and how much, but no answer and no text.
    AnswerError if `submit_to` is not a place of the platform, or it wants nothing posted.
    """
    with campaign.store.read() as connection:
        posting = posting_of(running.rules(connection))
    if posting is None or submit_to not in posting.submit_origins:
        raise AnswerError(WRONG_PLACE, field="submit_to")
    finished = finish_session(campaign, worker_id, session_id, now=now)
    fields = {posting.session_field: session_id, "worker": worker_id, "items": str(finished.n_items)}
    return Posting(f"{submit_to}{posting.submit_path}", fields)


def waits_to_be_posted(connection: Connection, worker_id: str, session_id: str) -> bool | None:
    """Whether a finished set can be handed in for a session; None if the worker never came in it.

    Also once it was: whether what was posted has arrived, only the platform knows.
    """
    found = sessions.session_of(connection, worker_id, session_id)
    if found is None:
        return None
    return bool(found.assignment_id or sessions.sets_without_session(connection, worker_id, session_id))
