"""Publish a campaign on its crowd platform.

What is meant is written down, within the budget, before the platform is asked. Whatever breaks in between,
`publish` goes on from there: it looks up what the platform has under our tag before it asks for more.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil
from typing import Any
from urllib.parse import urlsplit

from steelyard.domain.crowd import (
    Codes,
    CrowdClient,
    Listing,
    ListingState,
    ListingTerms,
    Price,
)
from steelyard.domain.errors import ChoiceError, Conflict, PlatformError, ReplyLost
from steelyard.domain.running import By, CampaignState, Rules
from steelyard.domain.wording import cents_in_words, counted, to_cents
from steelyard.flows.consent import consent_warnings
from steelyard.flows.crowd_client import noted, platform_of
from steelyard.flows.ledger import require_budget, require_currency
from steelyard.flows.links import links
from steelyard.flows.listings import Published, ask_alone, noted_listing, with_places
from steelyard.flows.open import OpenCampaign
from steelyard.flows.progress import Overview, Watch
from steelyard.flows.rules import campaign_rules
from steelyard.formats.campaign_rules import platform_warnings
from steelyard.planning.spending import pay_terms
from steelyard.platforms.credentials import THIS_MACHINE
from steelyard.store import crowd, running
from steelyard.store.actions import log_action
from steelyard.store.crowd import StoredListing

# Codes that nobody guesses and anybody can type.
_SIGNS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_CODES = ("completion_code", "screened_code", "blocked_code")


@dataclass(frozen=True, slots=True)
class Wish:
    """What to publish: where the campaign is served, and for how many; None: a place for each free HIT."""

    base_url: str
    places: int | None = None
    only_draft: bool = False


def publish(campaign: OpenCampaign, client: CrowdClient, wish: Wish, *, by: By, now: datetime) -> Published:
    """Put the campaign in front of the crowd of its platform, with a place for every HIT that is free.

    A listing that was begun before and not published is taken up again. Conflict if one is already there, if
    the pay is not known, or if it would cost more than the budget has; PlatformError with what the
    platform says; ReplyLost if it does not answer: then call it again, and nothing is made twice.
    """
    overview = Watch(campaign).overview(now=now)
    _require_ready(overview, wish.base_url)
    begun = _begun(campaign)
    price: Price | None = None
    if begun is None:
        codes = _give_codes(campaign, client, by=by, now=now)
        terms = replace(listing_terms(campaign, wish, now=now), codes=codes)
        require_currency(overview.rules, client.account().currency, overview.rules.platform)
        price = client.cost(terms)
        begun = _intend(campaign, client, terms, price, by=by, now=now)
    else:
        terms = listing_terms(campaign, replace(wish, places=begun.places), now=now)
        terms = replace(terms, tag=begun.tag, reward=begun.reward)
    if begun.listing_id is None:
        begun = _drafted(campaign, client, begun, terms, now=now)
    elif not wish.only_draft:
        begun = _as_it_stands(campaign, client, begun, now=now)
    if not wish.only_draft:
        assert begun.listing_id is not None, "the platform has given one"
        listing = client.publish(begun.listing_id, terms)
        begun = noted_listing(campaign, client, begun, listing)
    warnings = _warnings(campaign, overview, terms.codes)
    return Published(begun, price or Price(begun.pay, begun.cost - begun.pay), warnings)


def listing_terms(campaign: OpenCampaign, wish: Wish, *, now: datetime) -> ListingTerms:
    """What the platform is asked to list: as the campaign stands, one place for each HIT that is free."""
    overview = Watch(campaign).overview(now=now)
    rules, free = overview.rules, overview.progress.places.free
    places = free if wish.places is None else wish.places
    if places < 1 or places > free:
        raise ChoiceError(
            f"There is work for {counted(free, 'place')}, so {places} cannot be offered. (A draft with more "
            "places can be taken back: steelyard stop DB)"
            if free
            else "There is no HIT left that somebody could take."
        )
    items = overview.progress.n_free_items / free
    terms = pay_terms(rules, seconds_per_item=overview.money.seconds_per_item)
    pay = terms.pay(hits=1, items=items)
    if pay is None:
        raise Conflict("No pay is set. Say what an hour is paid: steelyard settings DB --wage 12", code="pay")
    reward = to_cents(pay, rules.currency)
    if reward < 1:
        raise Conflict(
            "The pay for a HIT is less than the smallest coin, so no platform pays it.", code="pay"
        )
    minutes = items * overview.money.seconds_per_item / 60
    return ListingTerms(
        tag=f"steelyard-{overview.settings.name}-{secrets.token_hex(4)}",
        title=overview.settings.title,
        description=rules.description or _description(overview, items, minutes),
        url=links(campaign, base_url=wish.base_url).open_url,
        places=places,
        reward=reward,
        currency=rules.currency,
        minutes=minutes,
        codes=_codes_of(rules),
        settings={
            "auto_approval_days": rules.pay_after_days,
            "once": rules.hits_per_worker == 1,
            **rules.platform_settings,
        },
    )


def _begun(campaign: OpenCampaign) -> StoredListing | None:
    """A listing that was intended or drafted, and is not published; Conflict for one that is."""
    with campaign.store.read() as connection:
        latest = crowd.listings(connection)[-1:]
    if not latest or latest[0].state is ListingState.ENDED:
        return None
    if latest[0].state in (ListingState.INTENDED, ListingState.DRAFT):
        return latest[0]
    raise Conflict(
        f"The campaign is already on {latest[0].platform}, and the listing is {latest[0].state}. For more "
        "people, add places: steelyard publish PLATFORM DB --add-places N",
        code="listed",
    )


def _intend(
    campaign: OpenCampaign, client: CrowdClient, terms: ListingTerms, price: Price, *, by: By, now: datetime
) -> StoredListing:
    """Set the money aside and write down what is meant, unless somebody else has just done so."""
    with noted(campaign, client) as connection:
        running.hold_campaign(connection)
        if any(each.state is not ListingState.ENDED for each in crowd.listings(connection)):
            raise Conflict("Somebody else is publishing the campaign at this moment.", code="listed")
        require_budget(connection, price.total, counted(terms.places, "place"))
        listing = StoredListing(
            tag=terms.tag,
            platform=running.rules(connection).platform,
            listing_id=None,
            state=ListingState.INTENDED,
            places=terms.places,
            reward=terms.reward,
            pay=price.pay,
            cost=price.total,
            currency=terms.currency,
            made_at=now,
        )
        crowd.add_listing(connection, listing)
        detail = {"listing": terms.tag, "places": terms.places, "reward": terms.reward, "cost": price.total}
        log_action(connection, "publish", by=by, now=now, detail=detail)
    return listing


def _drafted(
    campaign: OpenCampaign, client: CrowdClient, begun: StoredListing, terms: ListingTerms, *, now: datetime
) -> StoredListing:
    """The listing as the platform has it under our tag: found, or made now.

    If the platform cannot be asked what it has, nothing is made, and what is meant stays written down.
    """
    found = client.find(begun.tag)
    if found is None:
        if not client.is_dry:
            with campaign.store.write() as connection:
                ask_alone(connection, begun.tag, now=now)
        found = _made(campaign, client, terms)
    return noted_listing(campaign, client, begun, found, synced_at=None)


def _as_it_stands(
    campaign: OpenCampaign, client: CrowdClient, begun: StoredListing, *, now: datetime
) -> StoredListing:
    """A draft that somebody may have changed on the platform's own page; Conflict beyond the budget."""
    assert begun.listing_id is not None, "it is a draft"
    there = client.listing(begun.listing_id)
    if there.reward not in (0, begun.reward):
        raise Conflict(
            "The draft has another reward on the platform by now. Take it back (steelyard stop DB), and "
            "set the pay here: steelyard settings DB --wage AMOUNT",
            code="reward",
        )
    with noted(campaign, client) as connection:
        running.hold_campaign(connection)
        return with_places(connection, begun, there, now=now, within_budget=True)


def _made(campaign: OpenCampaign, client: CrowdClient, terms: ListingTerms) -> Listing:
    try:
        return client.draft(terms)
    except ReplyLost:
        # It may be there all the same; if not, it is looked up again before it is asked for again.
        with suppress(PlatformError):
            found = client.find(terms.tag)
            if found is not None:
                return found
        with noted(campaign, client) as connection:
            crowd.set_listing(connection, terms.tag, synced_at=None)
        raise
    except PlatformError:
        with noted(campaign, client) as connection:
            crowd.drop_listing(connection, terms.tag)
        raise


def _give_codes(campaign: OpenCampaign, client: CrowdClient, *, by: By, now: datetime) -> Codes:
    """The codes by which people go back, made up as far as the campaign has none."""
    with noted(campaign, client) as connection:
        running.hold_campaign(connection)
        rules = running.rules(connection)
        missing = [name for name in _CODES if not getattr(rules, name)]
        if not platform_of(rules).posts_back and missing:
            made: dict[str, Any] = {
                name: "".join(secrets.choice(_SIGNS) for _ in range(8)) for name in missing
            }
            rules = replace(rules, **made)
            running.set_rules(connection, rules)
            detail = {name: {"before": None, "after": code} for name, code in made.items()}
            log_action(connection, "change-rules", by=by, now=now, detail=detail)
        return _codes_of(rules)


def _codes_of(rules: Rules) -> Codes:
    return Codes(rules.completion_code, rules.screened_code, rules.blocked_code)


def _require_ready(overview: Overview, base_url: str) -> None:
    platform_of(overview.rules)
    if overview.state is not CampaignState.OPEN:
        raise Conflict(
            f"The campaign is {overview.state}, so people would come in vain. Open it: steelyard resume DB",
            code="not_open",
        )
    if not overview.rules.open_link:
        raise Conflict(
            "The open link is off, so nobody from a platform can join: steelyard settings DB --open-link on"
        )
    address = urlsplit(base_url)
    if address.scheme != "https" and address.hostname not in THIS_MACHINE:
        raise Conflict(
            f"{base_url} is not encrypted, and platforms send people to https:// only. Serve the campaign "
            "with TLS, and say where: steelyard serve DB --url https://…",
            code="not_https",
        )


def _description(overview: Overview, items: float, minutes: float) -> str:
    texts = "pairs of texts" if overview.settings.source_language else "texts"
    return (
        f"You read {items:.0f} short {texts} and say what you think of each, which takes about "
        f"{ceil(minutes)} minutes. Please read with care: it helps to find out which translations are good."
    )


def _warnings(campaign: OpenCampaign, overview: Overview, codes: Codes) -> tuple[str, ...]:
    # The codes that were missing have been made up by now.
    rules = replace(campaign_rules(campaign), completion_code=codes.finished)
    told = consent_warnings(rules, overview.settings.presentation)
    return (*overview.warnings, *platform_warnings(rules), *told)


def price_in_words(price: Price, rules: Rules) -> str:
    """A price as people read it."""
    pay, fee = cents_in_words(price.pay, rules.currency), cents_in_words(price.fee, rules.currency)
    return f"{cents_in_words(price.total, rules.currency)} ({pay} for people, {fee} for the platform)"
