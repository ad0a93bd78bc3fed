"""What an organiser should see to before publishing, and where two sets of books disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from steelyard.domain.running import CampaignState, Rules
from steelyard.domain.wording import cents_in_words, counted
from steelyard.emulators.crowd_report import CrowdReport
from steelyard.emulators.person import PersonKind, VisitEnd
from steelyard.flows.crowd_status import CrowdStatus
from steelyard.flows.ledger import Ledger
from steelyard.flows.links import served_url
from steelyard.flows.open import OpenCampaign
from steelyard.flows.progress import Overview, Watch
from steelyard.flows.rules import campaign_rules, change_rules

# What a rehearsal pays an hour if the campaign does not say [our choice].
ASSUMED_WAGE = 12.0
# What Prolific asks for an hour at the least, by its pages for researchers.
LEAST_WAGES = {"GBP": 6.0, "USD": 8.0}


def rules_for_rehearsal(copy: OpenCampaign, platform: str, *, now: datetime) -> None:
    """Fill in what a copy needs for being published, and lacks."""
    rules = campaign_rules(copy)
    changes: dict[str, Any] = {}
    if rules.platform != platform:
        changes = {"platform": platform, "platform_settings": {}}
        changes |= dict.fromkeys(("id_parameter", "study_parameter", "session_parameter", "id_pattern"))
        changes |= {"completion_url": None}
    if rules.wage is None and rules.pay_per_hit is None:
        changes["wage"] = ASSUMED_WAGE
    if not rules.open_link:
        changes["open_link"] = True
    if changes:
        change_rules(copy, changes, by="command line", now=now)


def advice_before(campaign: OpenCampaign, platform: str, *, now: datetime) -> list[str]:
    """What is missing in a campaign that is to be published, each with what to do about it."""
    overview = Watch(campaign).overview(now=now)
    return [
        *_about_state(campaign, overview, platform),
        *_about_people(overview),
        *_about_pay(overview.rules, platform),
    ]


def _about_state(campaign: OpenCampaign, overview: Overview, platform: str) -> Iterator[str]:
    rules = overview.rules
    if rules.platform != platform:
        yield (
            f"The campaign's platform is {rules.platform}: steelyard settings DB --platform {platform}. "
            "The rehearsal took its usual settings."
        )
    if overview.state is not CampaignState.OPEN:
        yield f"The campaign is {overview.state}: open it before people come (steelyard resume DB)."
    if not rules.open_link:
        yield "The open link is off: steelyard settings DB --open-link on."
    if not overview.progress.places.free:
        yield "No HIT is free any more; the rehearsal began from the start. See steelyard extend."
    served = served_url(campaign)
    if served is None or urlsplit(served).scheme != "https":
        yield "The campaign was not served by https:// yet: steelyard serve DB --url https://…"


def _about_people(overview: Overview) -> Iterator[str]:
    if overview.rules.retain_until is None:
        yield "It is not said until when data about people are kept: [rules] retain_until."
    if overview.rules.description is None:
        yield "There is no description for the platform; the rehearsal made one up: [platform] description."


def _about_pay(rules: Rules, platform: str) -> Iterator[str]:
    if rules.wage is None and rules.pay_per_hit is None:
        yield (
            f"No pay is set, so the rehearsal paid {ASSUMED_WAGE:g} {rules.currency} an hour: steelyard "
            "settings DB --wage AMOUNT."
        )
    least = LEAST_WAGES.get(rules.currency)
    if platform == "prolific" and rules.wage is not None and least is not None and rules.wage < least:
        yield f"{rules.wage:g} {rules.currency} an hour is below what Prolific allows, {least:g}."
    if rules.budget is None:
        yield "No budget is set, so nothing limits what is spent: steelyard settings DB --budget AMOUNT."


def advice_after(crowd: CrowdReport, rules: Rules) -> Iterator[str]:
    """What the crowd has shown."""
    n_screened = sum(visit.kind is PersonKind.SCREENED and visit.n_judged == 0 for visit in crowd.visits)
    if n_screened and rules.platform == "prolific" and "screened_pay" not in rules.platform_settings:
        yield (
            f"{n_screened} of {len(crowd.visits)} people were screened out by your questions, and paid "
            "nothing: [platform.settings] screened_pay."
        )
    n_without = sum(visit.end is VisitEnd.NO_WORK for visit in crowd.visits)
    if n_without:
        yield (
            f"{counted(n_without, 'visit')} ended without work: a place was free there before it was free "
            "here. Run `steelyard sync` often, or let the platform tell you (webhooks)."
        )


def book_differences(status: CrowdStatus, books: Mapping[str, Any]) -> Iterator[str]:
    """Where the platform's books and ours disagree, session by session and in sum."""
    ledger = status.ledger
    ours = {each.session_id: (each.reward, each.bonuses) for each in status.sessions}
    theirs = {each["session"]: (each["reward"], sum(each["bonuses"])) for each in books["sessions"]}
    for session in sorted(ours.keys() | theirs.keys()):
        if ours.get(session, (0, 0)) != theirs.get(session, (0, 0)):
            yield (
                f"session {session}: the platform has paid {theirs.get(session)}, we say {ours.get(session)} "
                "(reward and bonuses, in cents)"
            )
    if ledger.currency != books["currency"]:
        yield f"we pay in {ledger.currency}, the platform in {books['currency']}"
    for name, mine, other in both_sums(ledger, books):
        # Fees of what is still promised are in ours and not in theirs.
        if mine != other and not (name == "fees and taxes" and ledger.pending):
            said = [cents_in_words(amount, ledger.currency) for amount in (mine, other)]
            yield f"{name}: {said[0]} by our ledger, {said[1]} by the platform's books"


def both_sums(ledger: Ledger, books: Mapping[str, Any]) -> tuple[tuple[str, int, int], ...]:
    """What was paid, by kind: in our ledger, and in the platform's books."""
    total = books["total"]
    return (
        ("rewards", ledger.rewards, total["rewards"]),
        ("bonuses", ledger.bonuses + ledger.elsewhere, total["bonuses"]),
        ("fees and taxes", ledger.fees, total["fees"] + total["vat"]),
    )
