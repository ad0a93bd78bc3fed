"""A campaign on its platform, as the terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steelyard.domain.wording import cents_in_words, counted

if TYPE_CHECKING:
    from steelyard.flows.crowd_status import CrowdStatus, ListingStatus, SessionStatus
    from steelyard.flows.ledger import Ledger

# By state of a payment that is not settled, what is known of it.
DOUBTS = {
    "intended": "was never sent",
    "sent": "was sent, and the platform does not show it yet",
    "unknown": "is in doubt, since the reply was lost",
}
NOTHING = "Nothing is published: steelyard publish PLATFORM DB"


def status_text(found: CrowdStatus) -> str:
    """Listings, sessions that differ, and the ledger. A `!` marks what is not the same on both sides."""
    lines = [line for each in found.listings for line in _listing_lines(each)] or [NOTHING]
    different = [each for each in found.sessions if each.difference]
    if different:
        verb = "differs" if len(different) == 1 else "differ"
        lines += ["", f"{counted(len(different), 'session')} {verb}:"]
        lines += [_session_line(each) for each in different]
    for each in found.in_doubt:
        said = cents_in_words(each.amount, found.ledger.currency)
        lines.append(
            f"! a bonus of {said} for {each.worker_id or 'somebody'} {DOUBTS[each.state]}. Run "
            f"`steelyard sync`; if it never shows there: steelyard bonus DB --not-paid {each.token}"
        )
    if found.listings:
        lines += ["", *_ledger_lines(found.ledger)]
    return "\n".join(lines)


def _listing_lines(found: ListingStatus) -> Iterator[str]:
    listing = found.listing
    asked = f"{listing.synced_at:%Y-%m-%d %H:%M} UTC" if listing.synced_at else "never"
    yield f"{listing.platform} {listing.listing_id or listing.tag}: {listing.state}, last asked {asked}"
    counts = ", ".join(f"{n} {state}" for state, n in sorted(found.counts.items())) or "nobody came yet"
    yield f"  {counted(listing.places, 'place')}, {found.n_open} not taken; {counts}"
    if found.difference:
        yield f"! {found.difference}"


def _session_line(each: SessionStatus) -> str:
    done = f"{each.n_done} of {each.n_items} items" if each.n_items else "nothing begun"
    who = each.worker_id or each.session_id
    return f"! {who}  {each.state} there, {each.status or 'none'} here, {done}: {each.difference}"


def _ledger_lines(ledger: Ledger) -> Iterator[str]:
    def said(cents: int) -> str:
        return cents_in_words(cents, ledger.currency)

    yield f"paid        {said(ledger.rewards)} in rewards, {said(ledger.bonuses)} in bonuses"
    if ledger.elsewhere:
        yield f"            {said(ledger.elsewhere)} in bonuses that were not paid from here"
    yield f"promised    {said(ledger.pending)}"
    yield f"fees        {said(ledger.fees)}"
    yield f"set aside   {said(ledger.reserved)} for places that nobody has taken"
    if ledger.budget is not None and ledger.left is not None:
        yield f"budget      {said(ledger.budget)}, of which {said(ledger.left)} are left"
    else:
        yield "budget      none is set: steelyard settings DB --budget AMOUNT"
