"""A campaign on its platform: what is there beside what is here, what differs, and what can be done now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from steelyard.domain.crowd import PAID_STATES, ListingState, SessionState, is_stand_in
from steelyard.domain.running import CampaignState, Rules
from steelyard.domain.wording import counted
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.flows.ledger import Ledger, ledger_in, n_open_places
from steelyard.flows.open import OpenCampaign
from steelyard.store import claims, crowd, running, work
from steelyard.store.crowd import CrowdSession, StoredListing
from steelyard.store.transfers import UNSETTLED, Transfer, TransferState, transfers

if TYPE_CHECKING:
    from sqlalchemy import Connection

# What a manager can sensibly do about a session, or about a listing.
SessionAction = Literal["approve", "reject", "request-return", "pay-partly", "bonus"]
ListingAction = Literal["publish", "add-places", "pause", "resume", "stop", "sync"]


@dataclass(frozen=True, slots=True)
class SessionStatus:
    """One session: the platform's state beside ours, and what is odd about them; "" if nothing is.

    `status`: of the assignment that was done in it, or is under way; None: none was taken.
    """

    session_id: str
    tag: str
    worker_id: str | None
    state: SessionState
    status: AssignmentStatus | None
    n_done: int
    n_items: int
    changed_at: datetime
    reward: int
    bonuses: int
    difference: str = ""
    actions: tuple[SessionAction, ...] = ()


@dataclass(frozen=True, slots=True)
class ListingStatus:
    """A listing, how many places of it nobody has taken, and what can be done about it."""

    listing: StoredListing
    n_open: int
    counts: Mapping[str, int] = field(default_factory=dict)
    difference: str = ""
    actions: tuple[ListingAction, ...] = ()


@dataclass(frozen=True, slots=True)
class CrowdStatus:
    """Everything at a glance, as of when the platform was last asked. `in_doubt`: bonuses not settled."""

    platform: str
    listings: tuple[ListingStatus, ...]
    sessions: tuple[SessionStatus, ...]
    ledger: Ledger
    in_doubt: tuple[Transfer, ...] = ()

    @property
    def n_different(self) -> int:
        """How many things are not the same on both sides."""
        different = [each for each in self.sessions if each.difference]
        return len(different) + sum(bool(each.difference) for each in self.listings) + len(self.in_doubt)


def crowd_status(campaign: OpenCampaign) -> CrowdStatus:
    """How the campaign stands on its platform, by what the platform said last."""
    with campaign.store.snapshot() as connection:
        every, sent = crowd.sessions(connection), transfers(connection)
        conditions = running.conditions(connection)
        rules = conditions.rules
        return CrowdStatus(
            platform=rules.platform,
            listings=tuple(
                _listing_status(each, every, conditions.state) for each in crowd.listings(connection)
            ),
            sessions=tuple(
                _session_status(each, _assignment(connection, each, every), sent, rules) for each in every
            ),
            ledger=ledger_in(connection),
            in_doubt=tuple(each for each in sent if each.state in UNSETTLED),
        )


def _assignment(
    connection: Connection, session: CrowdSession, every: Sequence[CrowdSession]
) -> Assignment | None:
    """What was done in a session, or is under way; never what was done in another one."""
    if session.assignment_id is not None:
        return work.assignment(connection, session.assignment_id)
    latest = None if session.worker_id is None else claims.latest_assignment(connection, session.worker_id)
    if latest is not None and any(each.assignment_id == latest.assignment_id for each in every):
        return None
    return latest


def _session_status(
    session: CrowdSession, done: Assignment | None, sent: Sequence[Transfer], rules: Rules
) -> SessionStatus:
    own = [each for each in sent if each.session_id == session.session_id]
    paid = sum(each.amount for each in own if each.state is TransferState.PAID)
    return SessionStatus(
        session_id=session.session_id,
        tag=session.tag,
        worker_id=session.worker_id,
        state=session.state,
        status=None if done is None else done.status,
        n_done=0 if done is None else done.n_done,
        n_items=0 if done is None else done.n_items,
        changed_at=session.changed_at,
        reward=session.reward,
        bonuses=sum(session.bonuses),
        difference=_difference(session, done, rules, paid=paid),
        actions=_actions(session),
    )


def _difference(session: CrowdSession, done: Assignment | None, rules: Rules, *, paid: int) -> str:
    """What does not fit together, in a few words for the manager; empty if everything does."""
    if is_stand_in(session.session_id):
        # It was settled before its person was erased or forgotten.
        return ""
    is_done_here = done is not None and done.submitted_at is not None
    if sum(session.bonuses) != paid:
        return "the platform shows other bonuses than were paid from here"
    if session.state in (SessionState.SUBMITTED, SessionState.APPROVED) and session.assignment_id is None:
        return _without_work(session, rules)
    if is_done_here and session.state in (SessionState.RETURNED, SessionState.TIMED_OUT):
        return f"finished here, but {session.state} there: pay it as a bonus"
    if is_done_here and session.state in (SessionState.RESERVED, SessionState.ACTIVE):
        return "finished here, but not handed in there yet"
    return ""


def _without_work(session: CrowdSession, rules: Rules) -> str:
    """Why somebody who has not finished a set may have handed in."""
    if session.code is not None and session.code == rules.screened_code:
        return "screened out: pay for their time as a bonus, and ask them to return the place"
    if session.code is not None and session.code == rules.blocked_code:
        return "blocked before a set was finished: look at the work, and pay it as a bonus"
    if session.is_return_requested and session.state is SessionState.SUBMITTED:
        return "handed in there, but no set is finished here; they have been asked to return the place"
    deed = "handed in" if session.state is SessionState.SUBMITTED else "paid"
    if session.worker_id is None:
        return f"{deed} there, but nobody came here in this session"
    return f"{deed} there, but no set is finished here"


def _actions(session: CrowdSession) -> tuple[SessionAction, ...]:
    if is_stand_in(session.session_id):
        return ()
    if session.state is SessionState.SUBMITTED:
        decisions: tuple[SessionAction, ...] = ("approve", "reject", "request-return", "pay-partly")
        return decisions if session.worker_id is None else (*decisions, "bonus")
    if session.worker_id is None:
        return ()
    if session.state in (*PAID_STATES, SessionState.RETURNED, SessionState.TIMED_OUT):
        return ("bonus",)
    return ()


def _listing_status(
    listing: StoredListing, sessions: Sequence[CrowdSession], state: CampaignState
) -> ListingStatus:
    own = [each for each in sessions if each.tag == listing.tag]
    n_open, counts = n_open_places(listing, own), Counter(each.state.value for each in own)
    difference = _listing_difference(listing, n_open, state)
    return ListingStatus(listing, n_open, dict(counts), difference, _LISTING_ACTIONS[listing.state])


def _listing_difference(listing: StoredListing, n_open: int, state: CampaignState) -> str:
    if listing.state is ListingState.INTENDED:
        return "asked for, and no reply has come: publish again, and nothing is made twice"
    if listing.state is ListingState.ACTIVE and state is not CampaignState.OPEN:
        return f"people come from there, but the campaign is {state} here"
    if listing.state is ListingState.FULL and n_open:
        free = f"{counted(n_open, 'place')} {'is' if n_open == 1 else 'are'} free"
        return f"nobody new comes from there, but {free}: it was stopped there, so stop it here too"
    return ""


_LISTING_ACTIONS: Mapping[ListingState, tuple[ListingAction, ...]] = {
    ListingState.INTENDED: ("publish", "stop"),
    ListingState.DRAFT: ("publish", "stop"),
    ListingState.ACTIVE: ("sync", "add-places", "pause", "stop"),
    ListingState.PAUSED: ("sync", "add-places", "resume", "stop"),
    ListingState.FULL: ("sync", "add-places", "stop"),
    ListingState.ENDED: ("sync", "add-places"),
}


def status_record(found: CrowdStatus, *, people: bool = True) -> dict[str, Any]:
    """The status in plain types, money in cents. Without `people`, neither workers nor their sessions."""
    ledger = {name: getattr(found.ledger, name) for name in (*Ledger.__slots__, "committed", "left")}
    record = {
        "platform": found.platform,
        "n_different": found.n_different,
        "listings": [asdict(each) for each in found.listings],
        "ledger": ledger,
    }
    if people:
        record["sessions"] = [asdict(each) for each in found.sessions]
        record["in_doubt"] = [asdict(each) for each in found.in_doubt]
    return record
