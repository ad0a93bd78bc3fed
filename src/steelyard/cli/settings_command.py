"""The command that prints and changes the rules of a campaign."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import database_argument, json_option, keep_sources, show, write_text
from steelyard.cli.over_series import campaign_records, ended, say_each, series_at

if TYPE_CHECKING:
    from steelyard.domain.running import Rules


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


class _JsonObject(click.ParamType):  # type: ignore[type-arg]
    """An object of JSON."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        with suppress(ValueError):
            found = json.loads(value)
            if isinstance(found, dict):
                return found
        return self.fail(f'{value!r} is no JSON object such as {{"project": "…"}}.', param, ctx)


@click.command()
@database_argument
@click.option("--lease-minutes", type=float, help="Minutes without an answer before a HIT is released.")
@click.option("--hits-per-worker", type=_NumberOrNone(int), help="The most HITs that one worker may take.")
@click.option("--open-link", type=click.Choice(["on", "off"]), help="Whether the open link lets people join.")
@click.option(
    "--joins-per-hour", type=int, help="People who may join from one address in an hour; 0: any number."
)
@click.option("--unbegun-hits", type=int, help="HITs not begun yet that one address may hold; 0: any number.")
@click.option("--wage", type=_NumberOrNone(float), help="Pay for an hour.")
@click.option("--currency", metavar="CODE", help="Code of the currency, such as EUR.")
@click.option("--pay-per-hit", type=_NumberOrNone(float), help="Pay for a HIT, in place of the hourly wage.")
@click.option("--fee", type=float, help="What a platform charges on top, as a share of the pay.")
@click.option("--budget", type=_NumberOrNone(float), help="The most to spend through a platform, with fees.")
@click.option("--pay-after-days", type=float, help="Days until work that nobody decided on is paid.")
@click.option("--tell-pay", type=click.Choice(["on", "off"]), help="Whether workers read what they earn.")
@click.option("--completion-code", metavar="CODE|none", help="Code shown once a set is finished.")
@click.option("--completion-url", metavar="URL|none", help="Where a button leads once a set is finished.")
@click.option("--screened-code", metavar="CODE|none", help="Code shown to those screened out.")
@click.option(
    "--blocked-code", metavar="CODE|none", help="Code shown to those blocked before a set was done."
)
@click.option("--platform", metavar="NAME", help="Where workers come from: local, prolific, url-parameter …")
@click.option(
    "--id-parameter", metavar="NAME|none", help="Parameter of the address with the participant's id."
)
@click.option("--study-parameter", metavar="NAME|none", help="Parameter of the address with the study's id.")
@click.option(
    "--session-parameter", metavar="NAME|none", help="Parameter of the address with the session's id."
)
@click.option("--id-pattern", metavar="PATTERN|none", help="What a whole participant's id looks like.")
@click.option("--description", metavar="TEXT|none", help="What people read on the platform before they come.")
@click.option(
    "--platform-settings", type=_JsonObject(), metavar="JSON", help="What only the platform knows, as JSON."
)
@click.option(
    "--retain-until", metavar="DATE|none", help="Day until which what points to workers is kept: YYYY-MM-DD."
)
@json_option
def settings(db: str, json_file: str | None, **given: Any) -> int:
    """Print the rules of a campaign, or of each in a series, after changing those given here."""
    keep_sources([db], json_file)
    for name in ("open_link", "tell_pay"):
        given[name] = None if given[name] is None else given[name] == "on"
    changes = {name: None if value == "none" else value for name, value in given.items() if value is not None}
    series = series_at(db)
    if series is None:
        rules = _changed(db, changes)
        show(_text(rules), json.dumps(asdict(rules), indent=2) + "\n", json_file)
        return 0
    from steelyard.flows.series import for_each

    outcomes = for_each(series, lambda place: _changed(place.address, changes))
    if json_file:
        record = {"series": series.name, "campaigns": campaign_records(outcomes, asdict)}
        write_text(json.dumps(record, indent=2) + "\n", json_file)
    if json_file != "-":
        say_each(outcomes, _text)
    return ended(outcomes)


def _changed(address: str, changes: dict[str, Any]) -> Rules:
    from steelyard.flows.open import open_campaign
    from steelyard.flows.rules import campaign_rules, change_rules

    with open_campaign(address) as campaign:
        if not changes:
            return campaign_rules(campaign)
        return change_rules(campaign, changes, by="command line", now=datetime.now(UTC))


def _text(rules: Rules) -> str:
    from steelyard.formats.campaign_rules import rules_toml

    return rules_toml(rules).rstrip()
