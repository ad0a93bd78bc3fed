"""`steelyard links`: the links of a campaign and the people behind them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.listening import USUAL_PORT
from steelyard.cli.options import base_url_option, database_argument, json_option, keep_sources, write_text

if TYPE_CHECKING:
    from steelyard.flows.links import Links, WorkerLink
    from steelyard.flows.open import OpenCampaign

UNSERVED = f"http://127.0.0.1:{USUAL_PORT}"


def _read_pairs(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Texts by worker, typed as WORKER=TEXT."""
    pairs = dict(each.partition("=")[::2] for each in given)
    if not all("=" in each for each in given):
        raise click.BadParameter("write it as W0001=TEXT.", context, option)
    return pairs


@click.command()
@database_argument
@click.option("--add", type=click.IntRange(1, 10_000), help="Make links for this many new workers.")
@click.option(
    "--people",
    "people_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Make a link for each person in a table (.csv or .tsv) with the columns name and email. "
    "People who have a link keep it.",
)
@click.option("--again", is_flag=True, help="With --people: a second link for people who have one.")
@click.option(
    "--name", "names", metavar="WORKER=NAME", multiple=True, callback=_read_pairs, help="Name a worker."
)
@click.option(
    "--email",
    "emails",
    metavar="WORKER=ADDRESS",
    multiple=True,
    callback=_read_pairs,
    help="Write down a worker's e-mail address.",
)
@click.option("--renew", metavar="WORKER", multiple=True, help="End a worker's link and make a new one.")
@click.option("--revoke", metavar="WORKER", multiple=True, help="End a worker's link.")
@click.option("--renew-open", is_flag=True, help="End the open link and make a new one.")
@click.option("--renew-manager", is_flag=True, help="End the manager's link and make a new one.")
@click.option(
    "--renew-all",
    is_flag=True,
    help="End all links and make new ones with a new secret, if the secret is lost or known to others.",
)
@click.option(
    "--open",
    "open_link",
    type=click.Choice(["on", "off"]),
    help="Whether anyone with the open link may join. Off: only people with personal links may judge.",
)
@base_url_option
@json_option
def links(  # noqa: PLR0913 (one option for each thing that can be done)
    db: str,
    add: int | None,
    people_file: Path | None,
    again: bool,
    names: dict[str, str],
    emails: dict[str, str],
    renew: tuple[str, ...],
    revoke: tuple[str, ...],
    renew_open: bool,
    renew_manager: bool,
    renew_all: bool,
    open_link: str | None,
    base_url: str | None,
    json_file: str | None,
) -> None:
    """Print the links for workers and for the manager; make, renew and revoke them.

    Names and addresses are for the manager only: workers do not see them, and they are not exported.
    """
    from steelyard.flows.links import LinkChanges, change_links, served_url
    from steelyard.flows.links import links as all_links
    from steelyard.flows.links import renew_all as renew_all_links
    from steelyard.flows.open import open_campaign
    from steelyard.flows.rules import change_rules

    keep_sources([db, *([] if people_file is None else [str(people_file)])], json_file)
    if again and people_file is None:
        raise click.UsageError("--again goes with --people FILE.")
    now = datetime.now(UTC)
    with open_campaign(db) as campaign:
        if renew_all:
            renew_all_links(campaign, by="command line", now=now)
        changes = LinkChanges(renew, revoke, renew_open=renew_open, renew_manager=renew_manager)
        if changes != LinkChanges():
            change_links(campaign, changes, by="command line", now=now)
        if open_link is not None:
            change_rules(campaign, {"open_link": open_link == "on"}, by="command line", now=now)
        _name(campaign, names, emails, now=now)
        _add(campaign, add, people_file, again=again, now=now)
        served = base_url or served_url(campaign)
        found = all_links(campaign, base_url=served or UNSERVED)
    if served is None:
        click.echo(
            f"This campaign has not been served yet: the links assume {UNSERVED}. "
            "Serve it first, or give --base-url.",
            err=True,
        )
    _show(found, json_file)


def _name(campaign: OpenCampaign, names: dict[str, str], emails: dict[str, str], *, now: datetime) -> None:
    from steelyard.flows.people import name_worker

    for worker_id in dict.fromkeys([*names, *emails]):
        name_worker(
            campaign,
            worker_id,
            by="command line",
            now=now,
            name=names.get(worker_id),
            email=emails.get(worker_id),
        )


def _add(
    campaign: OpenCampaign, add: int | None, people_file: Path | None, *, again: bool, now: datetime
) -> None:
    from steelyard.flows.links import add_workers
    from steelyard.flows.people import invite
    from steelyard.formats.people_file import read_people

    if people_file is not None:
        people = read_people(people_file)
        invited = invite(campaign, people, base_url="", by="command line", now=now, again=again)
        known = len(people) - invited.n_new
        has = "person has" if known == 1 else "people have"
        rest = f"; {known} {has} one already" if known else ""
        click.echo(f"{invited.n_new} new {'link' if invited.n_new == 1 else 'links'}{rest}.", err=True)
    if add:
        add_workers(campaign, add, base_url="", now=now)


def _show(found: Links, json_file: str | None) -> None:
    from dataclasses import asdict

    if json_file:
        write_text(json.dumps(asdict(found), indent=2, ensure_ascii=False) + "\n", json_file, private=True)
        return
    click.echo(f"manager  {found.manager_url}")
    click.echo(f"anyone   {found.open_url}{'' if found.open_link else '  (switched off)'}")
    for link in found.workers:
        click.echo(f"{link.worker_id:<8} {_line(link)}")


def _line(link: WorkerLink) -> str:
    person = " ".join(filter(None, [link.name, f"<{link.email}>" if link.email else ""]))
    parts = [link.url or "(revoked)", person, "(blocked)" if link.is_blocked else ""]
    return "  ".join(filter(None, parts))
