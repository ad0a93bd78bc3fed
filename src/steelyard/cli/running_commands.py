"""Commands for the life of a campaign: its state, its rules."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import (
    database_argument,
    json_option,
    keep_sources,
    printable_address,
    reason_option,
    show,
)

if TYPE_CHECKING:
    from steelyard.flows.state import StateChange


@click.command()
@database_argument
@reason_option
def pause(db: str, reason: str) -> None:
    """Pause a campaign: no work is given out and no answer taken until `resume`.

    Nothing is lost: workers keep their places, and an answer that was on its way is sent later.
    """
    _change(db, "paused", reason)


@click.command()
@database_argument
@reason_option
def resume(db: str, reason: str) -> None:
    """Open a campaign to workers: a draft, a paused one, or a closed one again."""
    _change(db, "open", reason)


@click.command()
@database_argument
@reason_option
def close(db: str, reason: str) -> None:
    """Close a campaign: the work is over. `resume` opens it again."""
    _change(db, "closed", reason)


def _change(db: str, state: str, reason: str) -> None:
    from steelyard.domain.running import CampaignState
    from steelyard.flows.open import open_campaign
    from steelyard.flows.state import change_state

    with open_campaign(db) as campaign:
        name = campaign.settings.name
        wanted = CampaignState(state)
        change = change_state(campaign, wanted, by="command line", now=datetime.now(UTC), reason=reason)
    if change.state is change.before:
        click.echo(f"{name} is {state} already; nothing was changed.")
    else:
        click.echo(f"{name} is {state} now; it was {_called(change)}. {_consequence(change, db)}")


def _called(change: StateChange) -> str:
    return "a draft" if change.before == "draft" else change.before.value


def _consequence(change: StateChange, db: str) -> str:
    if change.state == "open":
        return "Workers can judge."
    if change.n_under_way == 0:
        under_way = "No HIT is under way."
    else:
        are = "HIT is" if change.n_under_way == 1 else "HITs are"
        under_way = f"{change.n_under_way:,} {are} under way; what was judged is kept."
    return f"{under_way} To open it again: steelyard resume {printable_address(db)}"


class _NumberOrNone(click.ParamType):  # type: ignore[type-arg]
    """A number, or the word none, which takes a rule away."""

    name = "number|none"

    def __init__(self, kind: type[int] | type[float]) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "none":
            return value
        try:
            return self.kind(value)
        except ValueError:
            wanted = "a whole number" if self.kind is int else "a number"
            self.fail(f"{value!r} is neither {wanted} nor none.", param, ctx)


@click.command()
@database_argument
@click.option("--lease-minutes", type=float, help="Minutes without an answer before a HIT is released.")
@click.option("--hits-per-worker", type=_NumberOrNone(int), help="The most HITs that one worker may take.")
@click.option("--open-link", type=click.Choice(["on", "off"]), help="Whether the open link lets people join.")
@click.option("--wage", type=_NumberOrNone(float), help="Pay for an hour.")
@click.option("--currency", metavar="CODE", help="Code of the currency, such as EUR.")
@click.option("--pay-per-hit", type=_NumberOrNone(float), help="Pay for a HIT, in place of the hourly wage.")
@click.option("--fee", type=float, help="What a platform charges on top, as a share of the pay.")
@json_option
def settings(  # noqa: PLR0913 (one option for each rule)
    db: str,
    lease_minutes: float | None,
    hits_per_worker: int | str | None,
    open_link: str | None,
    wage: float | str | None,
    currency: str | None,
    pay_per_hit: float | str | None,
    fee: float | None,
    json_file: str | None,
) -> None:
    """Print the rules of a campaign, after changing those given here."""
    from dataclasses import asdict

    from steelyard.flows.open import open_campaign
    from steelyard.flows.rules import campaign_rules, change_rules
    from steelyard.formats.campaign_rules import rules_toml

    keep_sources([db], json_file)
    given = {
        "lease_minutes": lease_minutes,
        "hits_per_worker": hits_per_worker,
        "open_link": None if open_link is None else open_link == "on",
        "wage": wage,
        "currency": currency,
        "pay_per_hit": pay_per_hit,
        "fee": fee,
    }
    changes = {name: None if value == "none" else value for name, value in given.items() if value is not None}
    with open_campaign(db) as campaign:
        if changes:
            rules = change_rules(campaign, changes, by="command line", now=datetime.now(UTC))
        else:
            rules = campaign_rules(campaign)
    show(rules_toml(rules).rstrip(), json.dumps(asdict(rules), indent=2) + "\n", json_file)
