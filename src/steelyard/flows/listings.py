"""A listing on a crowd platform once it is there: more places, pause, go on, stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from steelyard.domain.crowd import CrowdClient, Listing, ListingState, Price
from steelyard.domain.errors import ChoiceError, Conflict, PlatformError, ReplyLost
from steelyard.domain.running import By
from steelyard.domain.wording import counted
from steelyard.flows.crowd_client import noted
from steelyard.flows.ledger import n_open_places, require_budget, set_aside
from steelyard.flows.open import OpenCampaign
from steelyard.flows.progress import Watch
from steelyard.store import crowd, running
from steelyard.store.actions import last_action, log_action
from steelyard.store.crowd import CrowdSession, StoredListing

if TYPE_CHECKING:
    from sqlalchemy import Connection

# Longer than any request to a platform takes with all its tries: what was asked before then is not under way
# any more, however it ended [our choice].
UNDER_WAY = timedelta(minutes=10)
NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Published:
    """A listing as it stands, and what it costs if every place is taken and paid."""

    listing: StoredListing
    price: Price
    warnings: tuple[str, ...] = ()


def cost_of_places(campaign: OpenCampaign, n: int) -> int:
    """What this many more places would cost, in cents, with those that open again if the listing is over."""
    with campaign.store.read() as connection:
        listing = live_listing(connection)
        sessions = crowd.sessions(connection, listing.tag)
    return _more_set_aside(listing, _offered(listing, n), sessions)


def add_places(campaign: OpenCampaign, client: CrowdClient, n: int, *, by: By, now: datetime) -> Published:
    """Offer this many more places; a platform never takes places away.

    Conflict beyond the budget, and where there is no work for them here.
    """
    if n < 1:
        raise ChoiceError("Places can only be added: give a number from 1 on.")
    free = Watch(campaign).overview(now=now).progress.places.free
    with campaign.store.read() as connection:
        listing_id = _listing_id(live_listing(connection))
    there = client.listing(listing_id)
    with noted(campaign, client) as connection:
        running.hold_campaign(connection)
        listing = with_places(connection, live_listing(connection), there, now=now)
        sessions = crowd.sessions(connection, listing.tag)
        n_open = n_open_places(listing, sessions)
        if n_open + n > free:
            raise Conflict(
                f"{counted(free, 'HIT')} are free, and {n_open} of the places on offer are not taken yet, so "
                f"there is no work for {counted(n, 'place')} more. Extend the campaign: steelyard extend DB"
            )
        after = _offered(listing, n)
        more = _more_set_aside(listing, after, sessions)
        require_budget(connection, more, f"{counted(n, 'place')} more")
        _set_places(connection, after)
        log_action(connection, "add-places", by=by, now=now, detail={"places": n, "listing": listing.tag})
    try:
        found = client.set_places(listing_id, after.places)
    except ReplyLost:
        # The money stays set aside: `sync` finds out whether the places are there.
        raise
    except PlatformError:
        with noted(campaign, client) as connection:
            running.hold_campaign(connection)
            # As it is by now: somebody else may have added places in between.
            fewer = _grown(live_listing(connection), -n)
            _set_places(connection, replace(fewer, state=listing.state))
        raise
    after_it = noted_listing(campaign, client, after, found)
    return Published(after_it, Price(after_it.pay, after_it.cost - after_it.pay))


def carry_places_over(
    connection: Connection, listing: StoredListing, found: Listing, *, now: datetime
) -> StoredListing:
    """Count as many places as the platform offers: more if some were added there, fewer if a request failed.

    Fewer only once nothing can be under way any more that would make them: until then their money stays
    set aside. A draft without any is one that the platform does not list as such.
    """
    listing = with_places(connection, listing, found, now=now)
    if found.places in (0, listing.places):
        return listing
    asked = last_action(connection, ("publish", "add-places"))
    if asked is not None and now - asked.done_at < UNDER_WAY:
        return listing
    return _noted_places(connection, listing, found.places, now=now)


def ask_alone(connection: Connection, tag: str, *, now: datetime) -> None:
    """Note that the platform is asked for this listing now; Conflict while somebody else may be at it.

    Of two who publish at once, both could find nothing there yet, and both would make it.
    """
    running.hold_campaign(connection)
    listing = next((each for each in crowd.listings(connection) if each.tag == tag), None)
    if listing is None or listing.listing_id is not None:
        raise Conflict("Somebody else has just published the campaign, or tried to. Look again.", code="busy")
    if listing.synced_at is not None and now - listing.synced_at < UNDER_WAY:
        until = listing.synced_at + UNDER_WAY
        raise Conflict(
            "The platform was asked for this listing a moment ago and may still be making it. If nobody else "
            f"is publishing the campaign, try again after {until:%H:%M} UTC.",
            code="busy",
        )
    crowd.set_listing(connection, tag, synced_at=now)


def pause_listing(campaign: OpenCampaign, client: CrowdClient, *, by: By, now: datetime) -> StoredListing:
    """Let nobody new come from the platform for a while; those at work go on."""
    return _change(campaign, client, client.pause, "pause-listing", by=by, now=now)


def resume_listing(campaign: OpenCampaign, client: CrowdClient, *, by: By, now: datetime) -> StoredListing:
    """Let people come from the platform again."""
    return _change(campaign, client, client.resume, "resume-listing", by=by, now=now)


def stop_listing(campaign: OpenCampaign, client: CrowdClient, *, by: By, now: datetime) -> StoredListing:
    """Let nobody new come from the platform; those at work go on, and are paid.

    A draft, or what was asked for and never came about, is taken back, and its money is free again.
    """
    with campaign.store.read() as connection:
        latest = crowd.listings(connection)[-1:]
    if latest and latest[0].state in (ListingState.INTENDED, ListingState.DRAFT):
        [draft] = latest
        found = _draft_there(client, draft)
        if found is None or found.state is ListingState.DRAFT:
            return _discard(campaign, client, draft, found, by=by, now=now)
        noted_listing(campaign, client, draft, found, synced_at=None)
    return _change(campaign, client, client.stop, "stop-listing", by=by, now=now)


def _draft_there(client: CrowdClient, draft: StoredListing) -> Listing | None:
    """A draft as the platform has it; None if it has none, or somebody deleted it there."""
    if draft.listing_id is None:
        return client.find(draft.tag)
    try:
        return client.listing(draft.listing_id)
    except PlatformError as error:
        if error.status == NOT_FOUND:
            return None
        raise


def _discard(
    campaign: OpenCampaign,
    client: CrowdClient,
    draft: StoredListing,
    found: Listing | None,
    *,
    by: By,
    now: datetime,
) -> StoredListing:
    if draft.listing_id is None:
        with noted(campaign, client) as connection:
            ask_alone(connection, draft.tag, now=now)
    if found is not None:
        client.discard(found.listing_id)
    with noted(campaign, client) as connection:
        crowd.drop_listing(connection, draft.tag)
        log_action(connection, "stop-listing", by=by, now=now, detail={"listing": draft.tag})
    return replace(draft, state=ListingState.ENDED)


def live_listing(connection: Connection) -> StoredListing:
    """The listing that is there now, the latest if it is over; Conflict if nothing was published."""
    found = crowd.listings(connection)
    if not found or found[-1].listing_id is None:
        raise Conflict(
            "The campaign is not on a platform yet: steelyard publish PLATFORM DB", code="no_listing"
        )
    return found[-1]


def _not_over(listing: StoredListing) -> StoredListing:
    """The listing; Conflict for one that is over, and whose money is not set aside any more."""
    if listing.state is ListingState.ENDED:
        raise Conflict(
            f"The listing is over. For more people, add places, or publish the campaign again: steelyard "
            f"publish {listing.platform} DB",
            code="ended",
        )
    return listing


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
    if verb != "stop-listing":
        _not_over(listing)
    found = change(_listing_id(listing))
    with noted(campaign, client) as connection:
        log_action(connection, verb, by=by, now=now, detail={"listing": listing.tag})
    return noted_listing(campaign, client, listing, found)


def noted_listing(
    campaign: OpenCampaign, client: CrowdClient, listing: StoredListing, found: Listing, **more: Any
) -> StoredListing:
    """Write down how the platform has a listing now; one that was dropped meanwhile counts again.

    Conflict if the platform has another one under our tag: ours stays the draft that it is.
    """
    after = replace(listing, listing_id=found.listing_id, state=found.state, **more)
    with noted(campaign, client) as connection:
        running.hold_campaign(connection)
        known = next((each for each in crowd.listings(connection) if each.tag == listing.tag), None)
        if known is None:
            crowd.add_listing(connection, after)
        elif known.listing_id not in (None, found.listing_id):
            raise Conflict("Somebody else has just published the campaign. Look again.", code="listed")
        else:
            values = {"listing_id": found.listing_id, "state": found.state, **more}
            crowd.set_listing(connection, listing.tag, **values)
    return after


def _listing_id(listing: StoredListing) -> str:
    assert listing.listing_id is not None, "it is live"
    return listing.listing_id


def with_places(
    connection: Connection,
    listing: StoredListing,
    found: Listing,
    *,
    now: datetime,
    within_budget: bool = False,
) -> StoredListing:
    """The listing with the places that were added on the platform's own page: they may have to be paid."""
    n = found.places - listing.places
    if n <= 0:
        return listing
    if within_budget:
        require_budget(connection, _grown(listing, n).cost - listing.cost, f"{counted(n, 'place')} more")
    return _noted_places(connection, listing, found.places, now=now)


def _noted_places(
    connection: Connection, listing: StoredListing, places: int, *, now: datetime
) -> StoredListing:
    after = _grown(listing, places - listing.places)
    _set_places(connection, after)
    detail = {"places": {"before": listing.places, "after": places}, "listing": listing.tag}
    log_action(connection, "carry-places-over", by="server", now=now, detail=detail)
    return after


def _grown(listing: StoredListing, n: int) -> StoredListing:
    """A listing with this many more places, or fewer, and what they cost at the price of those it has."""
    pay = n * listing.reward
    cost = pay + -(-pay * (listing.cost - listing.pay) // listing.pay)
    return replace(listing, places=listing.places + n, pay=listing.pay + pay, cost=listing.cost + cost)


def _offered(listing: StoredListing, n: int) -> StoredListing:
    """A listing with this many more places, which opens it again if it is over."""
    after = _grown(listing, n)
    return replace(after, state=ListingState.FULL) if listing.state is ListingState.ENDED else after


def _more_set_aside(before: StoredListing, after: StoredListing, sessions: Sequence[CrowdSession]) -> int:
    # If it was over, the places that nobody had taken are open again too: no money was set aside for them.
    return set_aside(after, sessions) - set_aside(before, sessions)


def _set_places(connection: Connection, listing: StoredListing) -> None:
    values = {name: getattr(listing, name) for name in ("state", "places", "pay", "cost")}
    crowd.set_listing(connection, listing.tag, **values)
