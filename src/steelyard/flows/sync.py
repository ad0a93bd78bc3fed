"""Ask the platform how things stand, carry it over, and pay what is due by now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from steelyard.domain.crowd import CrowdClient, Listing, ListingState, SessionReport, SessionState, stand_in
from steelyard.domain.errors import PlatformError
from steelyard.domain.running import By, Rules
from steelyard.flows.approve import approve_sessions
from steelyard.flows.crowd_client import crowd_client, noted, reach_of
from steelyard.flows.listings import carry_places_over
from steelyard.flows.mirror import mirror_report, settle_transfers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.progress import Watch
from steelyard.flows.secrets import usable_secret
from steelyard.flows.tokens import pseudonym_for
from steelyard.store import crowd, participants, running
from steelyard.store.actions import log_action
from steelyard.store.crowd import CrowdSession, StoredListing
from steelyard.store.forgetting import n_unsettled_sessions
from steelyard.store.turns import take_turns

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Synced:
    """What was found and done. `n_approved`: paid because nobody had decided for long enough."""

    n_sessions: int
    n_changed: int
    n_settled: int
    n_approved: int
    has_paused: bool = False
    """Whether the listing was paused, because nothing is left to do here."""


def sync(campaign: OpenCampaign, client: CrowdClient, *, by: By, now: datetime) -> Synced:
    """Look at every listing that is not over and settled, and bring both sides together.

    Work that was finished here and handed in there is paid once it has waited for as long as the rules say.
    A listing is paused when there is no work left, so that nobody comes in vain.
    """
    with campaign.store.read() as connection:
        known = [each for each in crowd.listings(connection) if each.listing_id is not None]
        rules = running.rules(connection)
    looks, failed = [], None
    for listing in known:
        try:
            looks.append(_looked_at(campaign, client, listing, now=now))
        except PlatformError as error:
            # What is wrong with one, such as a draft that somebody deleted there, holds up no other.
            failed = failed or error
    n_sessions, n_changed, n_settled = (
        (sum(each) for each in zip(*looks, strict=True)) if looks else (0, 0, 0)
    )
    n_approved = _pay_what_is_due(campaign, client, rules, by=by, now=now)
    has_paused = _pause_if_done(campaign, client, by=by, now=now)
    if failed is not None:
        raise failed
    return Synced(n_sessions, n_changed, n_settled, n_approved, has_paused)


def sync_if_due(
    campaign: OpenCampaign, *, every: timedelta, now: datetime, environ: Mapping[str, str] | None = None
) -> bool:
    """Sync if there is something to follow, a key to ask by, and nobody has asked for so long."""
    with campaign.store.read() as connection:
        listings = [each for each in crowd.listings(connection) if each.listing_id is not None]
        is_open = any(each.state is not ListingState.ENDED for each in listings)
        waits = is_open or bool(n_unsettled_sessions(connection))
    asked = [each.synced_at for each in listings if each.synced_at is not None]
    if not listings or not waits or (asked and now - max(asked) < every):
        return False
    if not reach_of(campaign, environ).has_key:
        return False
    with crowd_client(campaign, environ=environ) as client:
        sync(campaign, client, by="server", now=now)
    return True


def _looked_at(
    campaign: OpenCampaign, client: CrowdClient, listing: StoredListing, *, now: datetime
) -> tuple[int, int, int]:
    """Carry over how a listing and its sessions stand: how many there are, have changed, and are settled."""
    assert listing.listing_id is not None, "only those that the platform has"
    found = client.listing(listing.listing_id)
    reports = client.sessions(listing.listing_id)
    with noted(campaign, client) as connection:
        # One at a time: two who look at once would both add what is new.
        take_turns(connection, "crowd")
        running.hold_campaign(connection)
        crowd.set_listing(connection, listing.tag, state=_state_now(listing, found), synced_at=now)
        changed, settled = _mirrored(campaign, connection, listing, reports, now=now)
        now_there = next(each for each in crowd.listings(connection) if each.tag == listing.tag)
        carry_places_over(connection, now_there, found, now=now)
    handed_in = [each.participant_id for each in reports if each.state is SessionState.SUBMITTED]
    if handed_in:
        client.bar_from_more(listing.listing_id, handed_in)
    return len(reports), changed, settled


def _mirrored(
    campaign: OpenCampaign,
    connection: Connection,
    listing: StoredListing,
    reports: Sequence[SessionReport],
    *,
    now: datetime,
) -> tuple[int, int]:
    """How many sessions differ from what was known, and how many bonuses are settled."""
    before = {each.session_id: each for each in crowd.sessions(connection, listing.tag)}
    secret, mark = usable_secret(campaign)
    after = []
    for report in reports:
        known_as = stand_in(listing.tag, report.session_id)
        if known_as in before:
            # Somebody who was erased or forgotten: their money still counts, under another id.
            unnamed = replace(report, session_id=known_as, participant_id="", code=None)
            after.append(crowd.put_session(connection, listing.tag, unnamed, worker_id=None, now=now))
            continue
        worker_id = crowd.worker_of_session(connection, report.session_id)
        if worker_id is None:
            pseudonym = pseudonym_for(secret, mark, report.participant_id)
            worker_id = participants.participating_worker(connection, pseudonym)
        after.append(mirror_report(connection, listing, report, worker_id=worker_id, now=now))
    n_changed = sum(_differs(before.get(each.session_id), each) for each in after)
    return n_changed, settle_transfers(connection, after, now=now)


def _state_now(known: StoredListing, found: Listing) -> ListingState:
    """The platform may say of a listing that was stopped that it is full or paused; stopped it is."""
    is_stopped = known.state is ListingState.ENDED and found.state is not ListingState.ACTIVE
    return ListingState.ENDED if is_stopped else found.state


def _differs(before: CrowdSession | None, after: CrowdSession) -> bool:
    return before is None or (before.state, before.reward, before.bonuses) != (
        after.state,
        after.reward,
        after.bonuses,
    )


def _pay_what_is_due(
    campaign: OpenCampaign, client: CrowdClient, rules: Rules, *, by: By, now: datetime
) -> int:
    """Approve finished work that nobody has decided on for as long as the rules say."""
    before = now - timedelta(days=rules.pay_after_days)
    with campaign.store.read() as connection:
        due = [
            each
            for each in crowd.sessions(connection)
            if each.state is SessionState.SUBMITTED
            and each.assignment_id is not None
            and not each.is_return_requested
            and each.changed_at <= before
        ]
    if due:
        reason = f"nobody decided for {rules.pay_after_days:g} days"
        approve_sessions(campaign, client, due, by=by, now=now, reason=reason)
    return len(due)


def _pause_if_done(campaign: OpenCampaign, client: CrowdClient, *, by: By, now: datetime) -> bool:
    progress = Watch(campaign).overview(now=now).progress
    if progress.places.free or progress.places.open or progress.places.idle:
        return False
    with campaign.store.read() as connection:
        active = [each for each in crowd.listings(connection) if each.state is ListingState.ACTIVE]
    for listing in active:
        assert listing.listing_id is not None, "it is active"
        found = client.pause(listing.listing_id)
        with noted(campaign, client) as connection:
            crowd.set_listing(connection, listing.tag, state=found.state)
            log_action(connection, "pause-listing", by=by, now=now, reason="no work is left")
    return bool(active)
