"""A campaign on a crowd platform: `publish`, `stop`, `sync`, `status`, `approve`, `reject`, `bonus`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import (
    MoneyAmount,
    base_url_option,
    database_argument,
    json_option,
    keep_sources,
    show,
)
from steelyard.domain.errors import ChoiceError, Conflict
from steelyard.domain.wording import cents_in_words, counted, in_json, to_cents

if TYPE_CHECKING:
    from steelyard.domain.crowd import CrowdClient
    from steelyard.flows.bonus import Owed
    from steelyard.flows.open import OpenCampaign

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Print every request that would be sent, and change nothing."
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask again.")
NOWHERE = (
    "The campaign was never served, so people could not reach it. Serve it (steelyard serve DB --url "
    "https://…), or say where it is: --base-url https://…"
)


@click.command()
@click.argument("platform", metavar="PLATFORM")
@database_argument
@click.option("--places", type=click.IntRange(min=1), help="For how many people.  [default: all free HITs]")
@click.option("--add-places", type=click.IntRange(min=1), help="Offer this many more, once it is published.")
@click.option("--draft", "only_draft", is_flag=True, help="Only make a draft there, to look at.")
@click.option("--resume", is_flag=True, help="Let people come again after a pause.")
@base_url_option
@yes_option
@dry_run_option
def publish(
    platform: str,
    db: str,
    places: int | None,
    add_places: int | None,
    base_url: str | None,
    **switches: bool,
) -> int:
    """Put a campaign in front of the people of a crowd platform, within its budget.

    Says what it will cost before anything is published. If a reply is lost on the way, the same command goes
    on from where it was, and nothing is made twice. See docs/howto for each platform.
    """
    from steelyard.flows.crowd_client import require_named
    from steelyard.flows.listings import add_places as more_places
    from steelyard.flows.listings import cost_of_places, resume_listing
    from steelyard.flows.rules import campaign_rules

    first = places is not None or switches["only_draft"]
    if first + switches["resume"] + (add_places is not None) > 1:
        raise click.UsageError("--add-places and --resume go alone; --places and --draft with neither.")
    with _at_platform(db, dry_run=switches["dry_run"]) as (campaign, client):
        require_named(platform, campaign_rules(campaign))
        now = datetime.now(UTC)
        if switches["resume"]:
            found = resume_listing(campaign, client, by="command line", now=now)
            click.echo(_now(client, f"{platform}: {found.state}"))
        elif add_places is not None:
            more = cents_in_words(cost_of_places(campaign, add_places), campaign_rules(campaign).currency)
            click.echo(f"{counted(add_places, 'place')} more: {more} with the platform's fee", err=True)
            _ask("Add them?", yes=switches["yes"] or client.is_dry)
            grown = more_places(campaign, client, add_places, by="command line", now=now).listing
            cost = cents_in_words(grown.cost, grown.currency)
            in_all = f"{counted(grown.places, 'place')} in all, {cost} if every one is paid"
            click.echo(_now(client, f"{platform}: {in_all}"))
        else:
            _publish(campaign, client, base_url, places, switches)
    return 0


def _publish(
    campaign: OpenCampaign,
    client: CrowdClient,
    base_url: str | None,
    places: int | None,
    switches: dict[str, bool],
) -> None:
    from steelyard.flows.links import served_url
    from steelyard.flows.publish import Wish, listing_terms, price_in_words, publish
    from steelyard.flows.rules import campaign_rules

    served = base_url or served_url(campaign)
    if served is None:
        raise ChoiceError(NOWHERE)
    wish, now = Wish(served, places, switches["only_draft"]), datetime.now(UTC)
    rules = campaign_rules(campaign)
    terms = listing_terms(campaign, wish, now=now)
    reward = cents_in_words(terms.reward, terms.currency)
    price = price_in_words(client.cost(terms), rules)
    click.echo(
        f"{counted(terms.places, 'place')} at {reward} for about {counted(ceil(terms.minutes), 'minute')}: "
        f"{price} in all",
        err=True,
    )
    if not switches["only_draft"]:
        _confirm("Publish it?", yes=switches["yes"] or client.is_dry)
    done = publish(campaign, client, wish, by="command line", now=now)
    for warning in done.warnings:
        click.echo(f"Note: {warning}", err=True)
    where = f"listing {done.listing.listing_id}"
    click.echo(_now(client, f"{done.listing.platform}: {done.listing.state}, {where}"))


@click.command()
@database_argument
@click.option("--pause", is_flag=True, help="Only for a while: steelyard publish PLATFORM DB --resume.")
@yes_option
@dry_run_option
def stop(db: str, pause: bool, yes: bool, dry_run: bool) -> int:
    """Let nobody new come from the platform; those at work go on and are paid.

    A listing that was stopped cannot be resumed; adding places opens it again. A draft that was never
    published is deleted there, and its money is free again.
    """
    from steelyard.flows.listings import pause_listing, stop_listing

    with _at_platform(db, dry_run=dry_run) as (campaign, client):
        if not pause:
            _confirm(
                "What was stopped cannot be resumed, only given more places. A draft is deleted. Stop it?",
                yes=yes or dry_run,
            )
        change = pause_listing if pause else stop_listing
        found = change(campaign, client, by="command line", now=datetime.now(UTC))
        click.echo(_now(client, f"{found.platform}: {found.state}"))
    return 0


@click.command()
@database_argument
@dry_run_option
@json_option
def sync(db: str, dry_run: bool, json_file: str | None) -> int:
    """Ask the platform how things stand, carry it over, and pay what is due.

    Run it every few minutes while people work, by hand or by a timer; `serve` does it too if it has the
    key. Work that nobody has decided on for the days that [pay] after_days says is approved.
    """
    from steelyard.cli.crowd_text import NOTHING
    from steelyard.flows.crowd_status import crowd_status
    from steelyard.flows.sync import sync as run_sync

    keep_sources([db], json_file)
    with _at_platform(db, dry_run=dry_run) as (campaign, client):
        done = run_sync(campaign, client, by="command line", now=datetime.now(UTC))
        is_listed = bool(crowd_status(campaign).listings)
    said = f"{counted(done.n_sessions, 'session')}, {done.n_changed} changed"
    lines = [said if is_listed else NOTHING]
    if done.n_approved:
        lines.append(f"{counted(done.n_approved, 'session')} approved, since nobody had decided")
    if done.n_settled:
        lines.append(f"{done.n_settled} bonuses found paid")
    if done.has_paused:
        lines.append("The listing is paused: no work is left.")
    show("\n".join(lines), json.dumps(asdict(done), indent=2) + "\n", json_file)
    return 0


@click.command()
@database_argument
@json_option
def status(db: str, json_file: str | None) -> int:
    """Show the platform's state beside ours, with differences, and the ledger.

    As of the last `sync`: nothing is asked of the platform.
    """
    from steelyard.cli.crowd_text import status_text
    from steelyard.flows.crowd_status import crowd_status, status_record
    from steelyard.flows.open import open_campaign

    keep_sources([db], json_file)
    with open_campaign(db) as campaign:
        found = crowd_status(campaign)
    show(
        status_text(found),
        json.dumps(status_record(found), indent=2, default=in_json) + "\n",
        json_file,
        private=True,
    )
    return 0


@click.command()
@database_argument
@click.argument("workers", metavar="[WORKER]...", nargs=-1)
@click.option("--part", type=int, metavar="PERCENT", help="Pay only this much of the reward: 8 to 99.")
@yes_option
@dry_run_option
def approve(db: str, workers: tuple[str, ...], part: int | None, yes: bool, dry_run: bool) -> int:
    """Pay for finished work: of everybody who waits for a decision, or of those named.

    On a terminal it says what that comes to, and asks before.
    """
    from steelyard.flows.approve import approve as approve_work
    from steelyard.flows.approve import pay_partly, to_approve
    from steelyard.flows.rules import campaign_rules

    if part is not None and not workers:
        raise click.UsageError("Name those who are paid in part.")
    now = datetime.now(UTC)
    with _at_platform(db, dry_run=dry_run) as (campaign, client):
        if part is None:
            found, currency = to_approve(campaign, workers), campaign_rules(campaign).currency
            if not found.workers:
                click.echo("Nobody waits to be paid, as of the last `steelyard sync`.")
                return 0
            said = f"{cents_in_words(found.rewards, currency)} to {counted(len(found.workers), 'worker')}"
            _ask(f"Pay {said}?", yes=yes or dry_run)
            done = approve_work(campaign, client, workers, by="command line", now=now)
            paid = cents_in_words(done.rewards, currency)
            click.echo(_now(client, f"{counted(len(done.workers), 'worker')} paid, {paid}"))
            return 0
        _ask(f"Pay {part} % of the reward to {counted(len(workers), 'worker')}?", yes=yes or dry_run)
        for worker_id in workers:
            pay_partly(campaign, client, worker_id, part, by="command line", now=now)
            click.echo(_now(client, f"{worker_id}: {part} % paid"))
    return 0


@click.command()
@database_argument
@click.argument("worker", metavar="WORKER")
@click.option("--category", default="", help="One of the platform's, such as LOW_EFFORT.")
@click.option("--message", default="", metavar="TEXT", help="What they read.  [default: the evidence]")
@click.option("--ask-to-return", is_flag=True, help="Ask them to give the place back instead.")
@yes_option
@dry_run_option
def reject(db: str, worker: str, category: str, message: str, **switches: bool) -> int:
    """Refuse to pay for a worker's session, where the evidence leaves no doubt.

    That takes a failed check and two signs that nobody read the texts, or that nothing was judged; a failed
    check alone is no reason. The HIT is left out of the scores and goes to somebody else.
    """
    from steelyard.flows.approve import Refusal, request_return
    from steelyard.flows.approve import reject as reject_work
    from steelyard.flows.verdicts import campaign_verdicts

    now = datetime.now(UTC)
    with _at_platform(db, dry_run=switches["dry_run"]) as (campaign, client):
        if switches["ask_to_return"]:
            request_return(campaign, client, worker, message, by="command line", now=now)
            click.echo(_now(client, f"{worker} is asked to give the place back"))
            return 0
        found = campaign_verdicts(campaign).by_worker().get(worker, {})
        refusal = Refusal(worker, category, message, is_confirmed=switches["yes"] or client.is_dry)
        try:
            reject_work(campaign, client, refusal, found, by="command line", now=now)
        except Conflict as conflict:
            if conflict.code != "unconfirmed":
                raise
            if not sys.stdin.isatty():
                raise Conflict(f"{conflict} Say so with --yes.", code=conflict.code) from None
            click.echo(str(conflict), err=True)
            _confirm("Refuse to pay?", yes=False)
            sure = Refusal(worker, category, message, is_confirmed=True)
            reject_work(campaign, client, sure, found, by="command line", now=now)
        click.echo(_now(client, f"{worker} is not paid"))
    return 0


@click.command()
@database_argument
@click.argument("worker", metavar="[WORKER]", required=False)
@click.argument("amount", metavar="[AMOUNT]", type=MoneyAmount(), required=False)
@click.option("--reason", default="", metavar="TEXT", help="What it is for, for the worker and the log.")
@click.option("--owed", is_flag=True, help="Pay everybody what is owed beyond rewards.")
@click.option("--not-paid", "token", metavar="BONUS", help="Say that a bonus in doubt was not paid.")
@yes_option
@dry_run_option
def bonus(
    db: str,
    worker: str | None,
    amount: float | None,
    reason: str,
    token: str | None,
    **switches: bool,
) -> int:
    """List what is owed beyond rewards, or pay it: to one worker, or with --owed to all.

    A bonus is sent once. If the platform does not answer, nothing is sent again: `sync` finds out whether it
    was paid, and until then nothing more is paid to this worker.
    """
    from steelyard.flows.bonus import give_up_bonus, owed_bonuses
    from steelyard.flows.crowd_status import crowd_status
    from steelyard.flows.payments import campaign_payments

    now = datetime.now(UTC)
    if token is not None:
        from steelyard.flows.open import open_campaign

        with open_campaign(db) as campaign:
            give_up_bonus(campaign, token, by="command line", now=now)
        click.echo("It counts as not paid, and can be paid anew.")
        return 0
    with _at_platform(db, dry_run=switches["dry_run"]) as (campaign, client):
        found = campaign_payments(campaign, now=now)
        if worker is not None:
            owed = [_one(worker, amount, reason, found.currency)]
        else:
            owed = owed_bonuses(campaign, found)
        for each in owed:
            click.echo(f"{each.worker_id}  {cents_in_words(each.amount, found.currency)}  {each.reason}")
        if not owed:
            click.echo("Nothing is owed beyond rewards.")
            n_open = len(crowd_status(campaign).in_doubt)
            if n_open:
                some = "1 bonus is" if n_open == 1 else f"{n_open} bonuses are"
                click.echo(f"{some} not settled yet: steelyard status DB")
        elif worker is not None or switches["owed"]:
            _pay(campaign, client, owed, yes=switches["yes"] or switches["dry_run"])
    return 0


def _one(worker: str, amount: float | None, reason: str, currency: str) -> Owed:
    from steelyard.flows.bonus import Owed

    if amount is None:
        raise click.UsageError("Say how much: steelyard bonus DB WORKER AMOUNT, such as 1.50.")
    if not reason.strip():
        raise click.UsageError("Say what it is for: --reason TEXT. The worker may read it.")
    return Owed(worker, to_cents(amount, currency), reason.strip())


def _pay(campaign: OpenCampaign, client: CrowdClient, owed: list[Owed], *, yes: bool) -> None:
    from steelyard.flows.bonus import MOST_AT_ONCE, pay_bonuses
    from steelyard.flows.rules import campaign_rules

    total = cents_in_words(sum(each.amount for each in owed), campaign_rules(campaign).currency)
    _confirm(f"Pay {total} to {counted(len(owed), 'worker')}?", yes=yes)
    for first in range(0, len(owed), MOST_AT_ONCE):
        part = owed[first : first + MOST_AT_ONCE]
        done = pay_bonuses(campaign, client, part, by="command line", now=datetime.now(UTC))
        paid = counted(len(done.transfers), "worker")
        click.echo(_now(client, f"The platform pays {paid}; `sync` confirms it"))


@contextmanager
def _at_platform(db: str, *, dry_run: bool) -> Iterator[tuple[OpenCampaign, CrowdClient]]:
    from steelyard.flows.crowd_client import crowd_client
    from steelyard.flows.open import open_campaign

    tell: Callable[[str], None] | None = click.echo if dry_run else None
    with open_campaign(db) as campaign, crowd_client(campaign, tell=tell) as client:
        yield campaign, client
    if dry_run:
        click.echo("This was a dry run: nothing was changed, here or there.", err=True)


def _now(client: CrowdClient, said: str) -> str:
    """How things stand afterwards; in a dry run, how they would."""
    return f"Without --dry-run: {said}" if client.is_dry else said


def _ask(question: str, *, yes: bool) -> None:
    """Ask a person; what no person runs goes on."""
    _confirm(question, yes=yes or not sys.stdin.isatty())


def _confirm(question: str, *, yes: bool) -> None:
    """Ask, unless it was answered before; without a terminal, `--yes` is needed."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} Say so with --yes.")
    click.confirm(question, abort=True, err=True)
