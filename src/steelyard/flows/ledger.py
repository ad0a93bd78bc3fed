"""The ledger: what was paid through crowd platforms, what is promised, and what the budget still allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from steelyard.domain.crowd import LEFT_STATES, PAID_STATES, ListingState, SessionState
from steelyard.domain.errors import Conflict
from steelyard.domain.running import Rules
from steelyard.domain.wording import cents_in_words, to_cents
from steelyard.flows.open import OpenCampaign
from steelyard.platforms import platforms
from steelyard.store import crowd, running
from steelyard.store.crowd import CrowdSession, StoredListing
from steelyard.store.transfers import Transfer, TransferState, transfers

if TYPE_CHECKING:
    from sqlalchemy import Connection


# No session lasts longer: Prolific's limit, and more than a HIT takes on Mechanical Turk [our choice].
LONGEST_SESSION = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Ledger:
    """Money through platforms, in cents of one currency.

    `rewards`, `bonuses`: what people were paid. `pending`: what is promised to people who are at work or wait
    for a decision, and bonuses that nobody knows to be paid. `fees`: the platform's share of both, as it
    priced them. `reserved`: what the places that nobody has taken yet would cost. `elsewhere`: bonuses
    that the platform shows and that were not paid from here. `left`: of the budget; None without one.
    """

    currency: str
    budget: int | None
    rewards: int
    bonuses: int
    elsewhere: int
    pending: int
    fees: int
    reserved: int

    @property
    def committed(self) -> int:
        """All that is gone, promised or set aside."""
        parts = (self.rewards, self.bonuses, self.elsewhere, self.pending, self.fees, self.reserved)
        return sum(parts)

    @property
    def left(self) -> int | None:
        return None if self.budget is None else self.budget - self.committed


def ledger(campaign: OpenCampaign) -> Ledger:
    """The ledger as of what the platform said last."""
    with campaign.store.snapshot() as connection:
        return ledger_in(connection)


def ledger_in(connection: Connection) -> Ledger:
    """The ledger, for those who already look at the database."""
    rules, listings = running.rules(connection), crowd.listings(connection)
    sent, n_untold = transfers(connection), 0
    if listings and listings[-1].state is ListingState.ENDED:
        # Before, those of whom the platform has told nothing yet have one of the places that count as open.
        n_untold = crowd.untold_sessions(connection, since=may_come_since(listings)).total()
    accounts = [
        _account(
            each,
            crowd.sessions(connection, each.tag),
            [one for one in sent if one.tag == each.tag],
            n_untold if each is listings[-1] else 0,
        )
        for each in listings
    ]
    return Ledger(
        currency=rules.currency,
        budget=None if rules.budget is None else to_cents(rules.budget, rules.currency),
        rewards=sum(each.rewards for each in accounts),
        bonuses=sum(each.bonuses for each in accounts),
        elsewhere=sum(each.elsewhere for each in accounts),
        pending=sum(each.pending for each in accounts),
        fees=sum(each.fees for each in accounts),
        reserved=sum(each.reserved for each in accounts),
    )


def require_budget(connection: Connection, more: int, what: str) -> None:
    """Conflict if this much more would be beyond the budget.

    Hold the campaign (`running.hold_campaign`) before, and write the intent down in the same transaction: of
    two managers at once, the second sees what the first intends.
    """
    found = ledger_in(connection)
    if found.left is None or more <= found.left:
        return
    said = cents_in_words(more, found.currency)
    left = cents_in_words(max(found.left, 0), found.currency)
    raise Conflict(
        f"{what} would cost {said}, and {left} of the budget of "
        f"{cents_in_words(found.budget or 0, found.currency)} are left. Raise the budget, if you mean it: "
        "steelyard settings DB --budget AMOUNT",
        code="budget",
    )


def fee_rate(listing: StoredListing) -> Fraction:
    """What the platform takes on top of what people get, as a share of it, by the price that it gave."""
    return Fraction(listing.cost - listing.pay, listing.pay) if listing.pay else Fraction(0)


def require_currency(rules: Rules, currency: str, platform: str) -> None:
    """Conflict unless the platform's money is the campaign's."""
    if currency != rules.currency:
        raise Conflict(
            f"Your account on {platform} is in {currency}, and the campaign pays in {rules.currency}. Set "
            f"the wage in {currency}: steelyard settings DB --currency {currency} --wage AMOUNT",
            code="currency",
        )


def may_come_since(listings: Sequence[StoredListing]) -> datetime | None:
    """Since when somebody must have come who may still hand in, as of the last look at the platform.

    None: the platform was never asked, so anybody may.
    """
    asked = [each.synced_at for each in listings if each.synced_at is not None]
    return max(asked) - LONGEST_SESSION if asked else None


def n_open_places(listing: StoredListing, sessions: Sequence[CrowdSession]) -> int:
    """How many places of a listing nobody has, by its sessions."""
    gone = {*LEFT_STATES, SessionState.SCREENED_OUT}
    platform = platforms().get(listing.platform)
    if platform is not None and not platform.refills_rejected:
        gone.remove(SessionState.REJECTED)
    return max(listing.places - sum(each.state not in gone for each in sessions), 0)


@dataclass(frozen=True, slots=True)
class _Account:
    """The money of one listing."""

    rewards: int
    bonuses: int
    elsewhere: int
    pending: int
    fees: int
    reserved: int


def _account(
    listing: StoredListing, sessions: Sequence[CrowdSession], sent: Sequence[Transfer], n_untold: int
) -> _Account:
    rewards = sum(each.reward for each in sessions if each.state in PAID_STATES)
    n_at_work = n_untold + sum(each.state not in (*PAID_STATES, *LEFT_STATES) for each in sessions)
    paid = [each for each in sent if each.state is TransferState.PAID]
    doubtful = [each for each in sent if each.is_spent and each.state is not TransferState.PAID]
    shown = sum(sum(each.bonuses) for each in sessions)
    bonuses = sum(each.amount for each in paid)
    promised = listing.reward * n_at_work
    rate = fee_rate(listing)
    # Payment by payment, as platforms round them.
    fees = n_at_work * floor(rate * listing.reward + Fraction(1, 2))
    fees += sum(
        floor(rate * each.reward + Fraction(1, 2)) if each.fee is None else each.fee
        for each in sessions
        if each.state in PAID_STATES
    )
    fees += sum(each.fee for each in (*paid, *doubtful))
    return _Account(
        rewards=rewards,
        bonuses=bonuses,
        elsewhere=max(shown - bonuses, 0),
        pending=promised + sum(each.amount for each in doubtful),
        fees=fees,
        reserved=set_aside(listing, sessions),
    )


def set_aside(listing: StoredListing, sessions: Sequence[CrowdSession]) -> int:
    """What the places that nobody has would cost, and those who may be screened out; 0 once it is over."""
    if listing.state is ListingState.ENDED:
        return 0
    screened = [each for each in sessions if each.state is SessionState.SCREENED_OUT]
    aside = listing.pay - listing.places * listing.reward - sum(each.reward for each in screened)
    pay = listing.reward * n_open_places(listing, sessions) + max(aside, 0)
    return ceil((1 + fee_rate(listing)) * pay)
