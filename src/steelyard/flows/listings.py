"""A listing on a crowd platform once it is there: more places, pause, go on, stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.domain.crowd import LEFT_STATES, CrowdClient, Listing, Price, SessionState
from steelyard.domain.errors import ChoiceError, Conflict, PlatformError, ReplyLost
from steelyard.domain.running import By
from steelyard.domain.wording import counted
from steelyard.flows.crowd_client import noted
from steelyard.flows.ledger import require_budget
from steelyard.flows.open import OpenCampaign
from steelyard.flows.progress import Watch
from steelyard.store import crowd, running
from steelyard.store.actions import log_action
from steelyard.store.crowd import StoredListing

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Published:
    """A listing as it stands, and what it costs if every place is taken and paid."""

    listing: StoredListing
    price: Price
    warnings: tuple[str, ...] = ()


def add_places(campaign: OpenCampaign, client: CrowdClient, n: int, *, by: By, now: datetime) -> Published:
    """Offer this many more places; a platform never takes places away.

    Conflict beyond the budget, and where there is no work for them here.
    """
    if n < 1:
        raise ChoiceError("Places can only be added: give a number from 1 on.")
    free = Watch(campaign).overview(now=now).progress.places.free
    with noted(campaign, client) as connection:
        running.hold_campaign(connection)
        listing = live_listing(connection)
        n_open = n_open_places(connection, listing)
        if n_open + n > free:
            raise Conflict(
                f"{counted(free, 'HIT')} are free, and {n_open} of the places on offer are not taken yet, so "
                f"there is no work for {counted(n, 'place')} more. Extend the campaign: steelyard extend DB"
            )
        pay = n * listing.reward
        cost = pay + -(-pay * (listing.cost - listing.pay) // listing.pay)
        require_budget(connection, cost, f"{counted(n, 'place')} more")
        after = replace(listing, places=listing.places + n, pay=listing.pay + pay, cost=listing.cost + cost)
        _set_places(connection, after)
        log_action(connection, "add-places", by=by, now=now, detail={"places": n, "listing": listing.tag})
    assert listing.listing_id is not None, "it is live"
    try:
        found = client.set_places(listing.listing_id, listing.places + n)
    except ReplyLost:
        # The money stays set aside: `sync` finds out whether the places are there.
        raise
    except PlatformError:
        with noted(campaign, client) as connection:
            _set_places(connection, listing)
        raise
    after_it = noted_listing(campaign, client, after, found)
    return Published(after_it, Price(after_it.pay, after_it.cost - after_it.pay))


def pause_listing(campaign: OpenCampaign, client: CrowdClient, *, by: By, now: datetime) -> StoredListing:
    """Let nobody new come from the platform for a while; those at work go on."""
    return _change(campaign, client, client.pause, "pause-listing", by=by, now=now)


def resume_listing(campaign: OpenCampaign, client: CrowdClient, *, by: By, now: datetime) -> StoredListing:
    """Let people come from the platform again."""
    return _change(campaign, client, client.resume, "resume-listing", by=by, now=now)


def stop_listing(campaign: OpenCampaign, client: CrowdClient, *, by: By, now: datetime) -> StoredListing:
    """Let nobody new come from the platform, for good; those at work go on, and are paid."""
    return _change(campaign, client, client.stop, "stop-listing", by=by, now=now)


def live_listing(connection: Connection) -> StoredListing:
    """The listing that is there now, the latest if it is over; Conflict if nothing was published."""
    found = crowd.listings(connection)
    if not found or found[-1].listing_id is None:
        raise Conflict(
            "The campaign is not on a platform yet: steelyard publish PLATFORM DB", code="no_listing"
        )
    return found[-1]


def _change(
    campaign: OpenCampaign,
    client: CrowdClient,
    change: Callable[[str], Listing],
    verb: str,
    *,
    by: By,
    now: datetime,
) -> StoredListing:
    with campaign.store.read() as connection:
        listing = live_listing(connection)
    assert listing.listing_id is not None, "it is live"
    found = change(listing.listing_id)
    with noted(campaign, client) as connection:
        log_action(connection, verb, by=by, now=now, detail={"listing": listing.tag})
    return noted_listing(campaign, client, listing, found)


def noted_listing(
    campaign: OpenCampaign, client: CrowdClient, listing: StoredListing, found: Listing
) -> StoredListing:
    """Write down how the platform has a listing now."""
    with noted(campaign, client) as connection:
        crowd.set_listing(connection, listing.tag, listing_id=found.listing_id, state=found.state)
    return replace(listing, listing_id=found.listing_id, state=found.state)


def _set_places(connection: Connection, listing: StoredListing) -> None:
    crowd.set_listing(connection, listing.tag, places=listing.places, pay=listing.pay, cost=listing.cost)


def n_open_places(connection: Connection, listing: StoredListing) -> int:
    """How many places of a listing nobody has."""
    gone = (*LEFT_STATES, SessionState.SCREENED_OUT)
    n_taken = sum(each.state not in gone for each in crowd.sessions(connection, listing.tag))
    return max(listing.places - n_taken, 0)
