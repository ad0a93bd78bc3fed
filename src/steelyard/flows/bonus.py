"""Bonuses: what is owed beyond rewards, paid once and never twice.

Paying is not repeatable on every platform. So what is meant is written down, within the budget, before the
platform is asked; and whether it was paid is read from the platform. Nothing is sent a second time by itself.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING

from steelyard.domain.crowd import LEFT_STATES, Bonus, BonusOrder, CrowdClient, SessionState, is_stand_in
from steelyard.domain.errors import ChoiceError, Conflict, NotFound, PlatformError, ReplyLost
from steelyard.domain.payment import Payments
from steelyard.domain.running import By
from steelyard.domain.wording import cents_in_words, counted, to_cents
from steelyard.flows.crowd_client import noted
from steelyard.flows.ledger import fee_rate, may_come_since, require_budget
from steelyard.flows.open import OpenCampaign
from steelyard.store import crowd, participants, running
from steelyard.store.actions import log_action
from steelyard.store.crowd import CrowdSession
from steelyard.store.transfers import (
    UNSETTLED,
    Transfer,
    TransferState,
    add_transfers,
    set_transfer,
    transfers,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

# In one order, by what platforms take.
MOST_AT_ONCE = 200
# Platforms pay within minutes. Only after this long may a person say that a bonus was not paid [our choice].
SETTLING = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Owed:
    """Money for a worker, in cents, and why."""

    worker_id: str
    amount: int
    reason: str
    before: int | None = None
    """What the worker had got, or was going to, when this was worked out; None: it does not depend on it."""


@dataclass(frozen=True, slots=True)
class BonusesPaid:
    """What the platform was asked to pay, and has said that it will."""

    transfers: tuple[Transfer, ...]


def owed_bonuses(campaign: OpenCampaign, found: Payments) -> list[Owed]:
    """What workers are owed beyond their rewards: for further sets, and for parts of sets that ended early.

    Rewards that wait for a decision, or for somebody to hand in, count as paid. Nothing is suggested for
    those whose session was rejected.
    """
    with campaign.store.snapshot() as connection:
        sessions, got = crowd.sessions(connection), _got(connection)
    owed = []
    for worker in found.workers:
        own = [each for each in sessions if each.worker_id == worker.worker_id]
        if not own or worker.pay is None or any(each.state is SessionState.REJECTED for each in own):
            continue
        before = got[worker.worker_id]
        rest = to_cents(worker.pay, found.currency) - before
        if rest > 0:
            reason = f"for {counted(worker.items, 'item')} judged in all"
            owed.append(Owed(worker.worker_id, rest, reason, before=before))
    return owed


def pay_bonuses(
    campaign: OpenCampaign, client: CrowdClient, owed: Sequence[Owed], *, by: By, now: datetime
) -> BonusesPaid:
    """Pay bonuses, each written down before. ReplyLost if it is not known whether they were paid.

    Conflict beyond the budget, or while it is not known whether an earlier bonus of somebody was paid.
    """
    if not owed:
        return BonusesPaid(())
    if len(owed) > MOST_AT_ONCE or any(each.amount < 1 for each in owed):
        raise ChoiceError(f"At most {MOST_AT_ONCE} bonuses at once, each of at least one cent.")
    meant, bonuses = _intend(campaign, client, owed, by=by, now=now)
    tags = list(dict.fromkeys(each.tag for each in meant))
    for number, tag in enumerate(tags):
        own = [each for each in meant if each.tag == tag]
        ids = {each.token for each in own}
        try:
            _send(campaign, client, own, [each for each in bonuses if each.token in ids], now=now)
        except (PlatformError, Conflict):
            later = [each for each in meant if each.tag in tags[number + 1 :]]
            _set_all(campaign, client, later, TransferState.REFUSED, now=now)
            raise
    return BonusesPaid(tuple(meant))


def _send(
    campaign: OpenCampaign,
    client: CrowdClient,
    meant: Sequence[Transfer],
    bonuses: Sequence[Bonus],
    *,
    now: datetime,
) -> None:
    """Pay the bonuses of one listing."""
    listing_id = _listing_id(campaign, meant[0].tag)
    try:
        order = client.prepare_bonuses(listing_id, bonuses)
    except PlatformError:
        # An order that nobody pays costs nothing, whether or not it was made.
        _set_all(campaign, client, meant, TransferState.REFUSED, now=now)
        raise
    _order(campaign, client, meant, order, now=now)
    try:
        client.pay_bonuses(order.order_id, bonuses)
    except ReplyLost:
        _set_all(campaign, client, meant, TransferState.UNKNOWN, now=None)
        raise ReplyLost(
            f"The platform was asked to pay bonuses to {counted(len(meant), 'worker')}, and no reply came. "
            "Nothing is sent again: `steelyard sync` finds out whether they were paid."
        ) from None
    except PlatformError:
        _set_all(campaign, client, meant, TransferState.REFUSED, now=now)
        raise


def give_up_bonus(campaign: OpenCampaign, token: str, *, by: By, now: datetime) -> Transfer:
    """Say that a bonus was not paid, so that it can be paid anew: after a look at the platform.

    Conflict if it is settled, if the platform was not asked how things stand since, or if it is too early.
    """
    with campaign.store.write() as connection:
        running.hold_campaign(connection)
        found = next((each for each in transfers(connection) if each.token == token), None)
        if found is None:
            raise NotFound(f"There is no bonus {token!r}; `steelyard status` lists those in doubt.")
        if found.state not in UNSETTLED:
            raise Conflict(f"This bonus is settled: it was {found.state}.")
        synced = next(each.synced_at for each in crowd.listings(connection) if each.tag == found.tag)
        if now - found.made_at < SETTLING or synced is None or synced - found.made_at < SETTLING:
            raise Conflict(
                "It may still be on its way. Ask the platform again an hour after it was sent (`steelyard "
                "sync`), and look at the platform's own page too.",
                code="too_early",
            )
        set_transfer(connection, token, state=TransferState.REFUSED, settled_at=now)
        log_action(connection, "give-up-bonus", by=by, now=now, worker_id=found.worker_id)
    return found


def _got(connection: Connection) -> Counter[str]:
    """What each worker has got from the platform, or will get unless somebody decides otherwise.

    Bonuses that were paid on the platform's own page are among it, and a reward for everybody who has come
    in a session of which the platform has told nothing yet.
    """
    listings, sent = crowd.listings(connection), transfers(connection)
    rewards, got = {each.tag: each.reward for each in listings}, Counter[str]()
    for session in crowd.sessions(connection):
        if session.worker_id is not None:
            own = [each for each in sent if each.session_id == session.session_id]
            paid = sum(each.amount for each in own if each.state is TransferState.PAID)
            doubtful = sum(each.amount for each in own if each.state in UNSETTLED)
            bonuses = max(paid, sum(session.bonuses)) + doubtful
            got[session.worker_id] += _pays(session, rewards[session.tag]) + bonuses
    for worker_id, n in crowd.untold_sessions(connection, since=may_come_since(listings)).items():
        got[worker_id] += n * listings[-1].reward if listings else 0
    return got


def _pays(session: CrowdSession, reward: int) -> int:
    """What a session has paid or will pay, unless somebody decides otherwise."""
    if session.state in LEFT_STATES:
        return 0
    if session.state in (SessionState.RESERVED, SessionState.ACTIVE):
        # Who has finished here may hand in at any moment, and is paid the reward then.
        return reward
    if session.state is SessionState.SUBMITTED and session.assignment_id is not None:
        return reward
    return session.reward


def _intend(
    campaign: OpenCampaign, client: CrowdClient, owed: Sequence[Owed], *, by: By, now: datetime
) -> tuple[list[Transfer], list[Bonus]]:
    with noted(campaign, client) as connection:
        running.hold_campaign(connection)
        listings = {each.tag: each for each in crowd.listings(connection)}
        sessions, got = crowd.sessions(connection), _got(connection)
        doubtful = {each.worker_id for each in transfers(connection) if each.state in UNSETTLED}
        meant, bonuses = [], []
        for each in owed:
            if each.worker_id in doubtful:
                raise Conflict(
                    f"It is not known yet whether a bonus of {each.worker_id} was paid. Find out first: "
                    "steelyard sync DB",
                    code="unsettled",
                )
            if each.before not in (None, got[each.worker_id]):
                raise Conflict(
                    f"What {each.worker_id} gets has changed in the meantime: somebody else may have paid. "
                    "Look at what is owed now.",
                    code="paid_meanwhile",
                )
            session = _session_for(sessions, each.worker_id)
            fee = ceil(fee_rate(listings[session.tag]) * each.amount)
            token = uuid.uuid4().hex
            meant.append(
                Transfer(
                    *(token, session.tag, session.session_id, each.worker_id, each.amount, fee, each.reason),
                    state=TransferState.INTENDED,
                    made_at=now,
                )
            )
            who = participants.participant_id(connection, each.worker_id) or ""
            bonuses.append(Bonus(token, session.session_id, who, each.amount, each.reason))
        total = sum(each.amount + each.fee for each in meant)
        require_budget(connection, total, f"{len(meant)} in bonuses" if len(meant) > 1 else "A bonus")
        add_transfers(connection, meant)
        for one in meant:
            said = cents_in_words(one.amount, listings[one.tag].currency)
            detail = {"amount": said, "bonus": one.token}
            log_action(connection, "bonus", by=by, now=now, worker_id=one.worker_id, detail=detail)
    return meant, bonuses


def _session_for(sessions: Sequence[CrowdSession], worker_id: str) -> CrowdSession:
    """The session that a bonus belongs to: the worker's latest."""
    own = [each for each in sessions if each.worker_id == worker_id and not is_stand_in(each.session_id)]
    if not own:
        raise Conflict(f"No session of {worker_id} on the platform is known, so nothing can be paid there.")
    return max(own, key=lambda each: (each.changed_at, each.session_id))


def _order(
    campaign: OpenCampaign,
    client: CrowdClient,
    meant: Sequence[Transfer],
    order: BonusOrder,
    *,
    now: datetime,
) -> None:
    """Write down what the platform will be asked to pay, with its own fee; Conflict if that is too much."""
    with noted(campaign, client) as connection:
        running.hold_campaign(connection)
        expected = sum(each.fee for each in meant)
        fees = _shared(order.cost.fee, [each.amount for each in meant])
        try:
            require_budget(connection, order.cost.fee - expected, "The platform's fee on these bonuses")
        except Conflict:
            state, fees, too_much = TransferState.REFUSED, [each.fee for each in meant], True
        else:
            state, too_much = TransferState.SENT, False
        for each, fee in zip(meant, fees, strict=True):
            set_transfer(connection, each.token, state=state, order_id=order.order_id, fee=fee)
    if too_much:
        raise Conflict(
            "The platform's fee on these bonuses is beyond the budget, so they were not paid.", code="budget"
        )


def _shared(fee: int, amounts: Sequence[int]) -> list[int]:
    """A fee in parts that add up to it, in proportion to the amounts."""
    total, given, parts = sum(amounts), 0, []
    for index in range(len(amounts)):
        upto = fee * sum(amounts[: index + 1]) // total
        parts.append(upto - given)
        given = upto
    return parts


def _set_all(
    campaign: OpenCampaign,
    client: CrowdClient,
    meant: Sequence[Transfer],
    state: TransferState,
    *,
    now: datetime | None,
) -> None:
    with noted(campaign, client) as connection:
        for each in meant:
            set_transfer(connection, each.token, state=state, settled_at=now)


def _listing_id(campaign: OpenCampaign, tag: str) -> str:
    with campaign.store.read() as connection:
        return next(each.listing_id or "" for each in crowd.listings(connection) if each.tag == tag)
