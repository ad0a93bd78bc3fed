"""Where a worker stands: what they have open, what they could begin, or why they cannot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from steelyard.domain.entry import EntryStep
from steelyard.domain.running import CampaignState, Conditions, Rules
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.flows.earnings import ToldPay, told_pay
from steelyard.flows.entry import EntryStanding, entry_standing
from steelyard.flows.open import OpenCampaign
from steelyard.flows.platform import posting_of, way_back
from steelyard.flows.sessions import waits_to_be_posted
from steelyard.store import claims, leases, participants, running, work

if TYPE_CHECKING:
    from sqlalchemy import Connection

WorkState = Literal[
    "ready",
    "open",
    "done",
    "posting",
    "released",
    "paused",
    "closed",
    "draft",
    "blocked",
    "declined",
    "screened",
]
SHUT: dict[CampaignState, WorkState] = {
    CampaignState.PAUSED: "paused",
    CampaignState.CLOSED: "closed",
    CampaignState.DRAFT: "draft",
}


@dataclass(frozen=True, slots=True)
class Completion:
    """What a worker needs who came from a crowd platform and has finished a set, or gets none."""

    code: str | None
    url: str | None
    is_finished: bool = True


@dataclass(frozen=True, slots=True)
class WorkStatus:
    """Where a worker stands; takes no HIT.

    `n_items` and `n_done` are of the HIT that is open, was released, or would come next. `posting`: a set
    that is finished waits to be posted back to the platform. Asked about a session for which there is none,
    `n_hits_done` and `n_judged` count this session alone.
    """

    state: WorkState
    n_items: int
    n_done: int
    n_hits_done: int
    n_judged: int
    """How many judgements the worker has given in all."""
    more: bool
    """Whether asking for work would give some, once no `step` is due."""
    is_capped: bool
    """Whether the worker has taken as many HITs as one worker may."""
    can_return: bool
    assignment_id: str | None
    """The open assignment."""
    revision: int
    step: EntryStep | None = None
    """What comes before work now."""
    n_trained: int = 0
    """How many training items the worker has tried."""
    completion: Completion | None = None
    """None until a set is finished or will not be, and where the campaign has neither code nor address."""
    pay: ToldPay | None = None
    """None unless workers are told, and there is pay to tell of."""


def work_status(
    campaign: OpenCampaign, worker_id: str, *, now: datetime, session_id: str | None = None
) -> WorkStatus:
    """Whether the worker has a HIT open, could begin one, or is done.

    If nothing is left but what others have abandoned, that is released first. `session_id`: in which session
    of a platform they are asking, where finished sets are posted back to it.
    """
    found = _work_status(campaign, worker_id, now=now)
    return found if session_id is None else _in_session(campaign, worker_id, found, session_id)


def _in_session(campaign: OpenCampaign, worker_id: str, found: WorkStatus, session_id: str) -> WorkStatus:
    """The same as it is in one session: there, one set is judged and posted back."""
    with campaign.store.read() as connection:
        is_posted = posting_of(running.rules(connection)) is not None
        waits = waits_to_be_posted(connection, worker_id, session_id) if is_posted else None
    if waits is None:
        return found
    if waits:
        # Whoever wants another set takes another session on the platform.
        return replace(found, state="posting", more=False, can_return=False, completion=None)
    # What was judged in other sessions is handed in, and this one has yet to begin.
    n_judged = found.n_done if found.state == "open" else 0
    return replace(found, n_hits_done=0, n_judged=n_judged, completion=None)


def _work_status(campaign: OpenCampaign, worker_id: str, *, now: datetime) -> WorkStatus:
    with campaign.store.read() as connection:
        conditions = running.conditions(connection)
        before = leases.idle_before(connection, conditions, now=now)
        found = _status(connection, campaign, worker_id, conditions, before)
        is_waiting = found.state in ("done", "released") and not found.more and not found.is_capped
        if not is_waiting or not leases.idle_assignments(connection, before=before):
            return found
    with campaign.store.write() as connection:
        leases.end_idle_leases(connection, conditions, by="server", now=now)
        return _status(connection, campaign, worker_id, conditions, before)


def _status(
    connection: Connection,
    campaign: OpenCampaign,
    worker_id: str,
    conditions: Conditions,
    idle_before: datetime,
) -> WorkStatus:
    most = conditions.rules.hits_per_worker
    held = work.open_assignment(connection, worker_id)
    entry = entry_standing(connection, campaign, worker_id, revision=conditions.revision)
    state = SHUT.get(conditions.state)
    if state is None and held is None and claims.gets_no_work(connection, worker_id):
        state = "blocked"
    state = state or _turned_away(entry)
    offer = claims.next_offer(connection, worker_id, most=most) if state is None and held is None else None
    # A set of one's own that can be gone on with is as good as open.
    is_open = held is not None or (offer is not None and offer.earlier is AssignmentStatus.EXPIRED)
    lost = None if is_open else _lost(connection, worker_id)
    shown = held or lost or offer
    n_items = shown.n_items if shown else 0
    n_hits_done = work.n_submitted(connection, worker_id)
    return WorkStatus(
        state=state or _state(offer, is_open=is_open, is_lost=lost is not None),
        n_items=n_items,
        n_done=shown.n_done if shown else 0,
        n_hits_done=n_hits_done,
        n_judged=work.n_judged(connection, worker_id),
        more=state is None and (held is not None or offer is not None),
        is_capped=most is not None and claims.n_hits_taken(connection, worker_id) >= most,
        can_return=state is None and held is not None,
        assignment_id=held.assignment_id if held else None,
        revision=conditions.revision,
        step=entry.step,
        n_trained=entry.n_trained,
        completion=_completion(connection, conditions.rules, worker_id, state, n_hits_done=n_hits_done),
        pay=told_pay(
            connection, campaign.settings, conditions, worker_id, n_items=n_items, idle_before=idle_before
        ),
    )


def _turned_away(entry: EntryStanding) -> WorkState | None:
    if entry.is_screened:
        return "screened"
    return "declined" if entry.is_declined else None


def _completion(
    connection: Connection, rules: Rules, worker_id: str, state: WorkState | None, *, n_hits_done: int
) -> Completion | None:
    """By which code and address the worker goes back now."""
    turned_away = {"screened": rules.screened_code, "blocked": rules.blocked_code}
    if n_hits_done:
        code = rules.completion_code
    else:
        code = turned_away.get(state or "")
        if code is None:
            return None
    participant_id = participants.participant_id(connection, worker_id)
    url = way_back(rules, code, participant_id, is_finished=n_hits_done > 0)
    return None if code is None and url is None else Completion(code, url, n_hits_done > 0)


def _state(offer: claims.Offer | None, *, is_open: bool, is_lost: bool) -> WorkState:
    if is_open:
        return "open"
    if is_lost:
        return "released"
    return "ready" if offer else "done"


def _lost(connection: Connection, worker_id: str) -> Assignment | None:
    """The assignment that the worker had last, if it expired."""
    latest = claims.latest_assignment(connection, worker_id)
    return latest if latest and latest.status is AssignmentStatus.EXPIRED else None
