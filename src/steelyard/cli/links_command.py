"""`steelyard links`: the links of a campaign and the people behind them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from steelyard.cli.exposed import warn_of_exposed_secrets
from steelyard.cli.listening import USUAL_PORT
from steelyard.cli.options import (
    base_url_option,
    database_argument,
    json_option,
    keep_sources,
    write_text,
)
from steelyard.cli.over_series import campaign_records, ended, say_each, series_at

if TYPE_CHECKING:
    from steelyard.domain.people import Person
    from steelyard.flows.links import Links, WorkerLink
    from steelyard.flows.open import OpenCampaign
    from steelyard.flows.series import CampaignPlace, Series

UNSERVED = f"http://127.0.0.1:{USUAL_PORT}"
NOT_SERVED = f"This has not been served yet: the links assume {UNSERVED}. Serve it first, or give --base-url."

LOST = (
    "{n} participants will not be known again: only what the old secret made of their ids was kept. Give "
    "lists of people who may not join again: steelyard participants DB --exclude FILE"
)


@dataclass(frozen=True)
class Wishes:
    """What to do to the links of a campaign before they are shown."""

    now: datetime
    add: int | None = None
    people: list[Person] | None = None
    again: bool = False
    names: dict[str, str] = field(default_factory=dict)
    emails: dict[str, str] = field(default_factory=dict)
    renew: tuple[str, ...] = ()
    revoke: tuple[str, ...] = ()
    renew_open: bool = False
    renew_manager: bool = False
    renew_all: bool = False
    open_link: str | None = None

    @property
    def only(self) -> frozenset[str]:
        """The workers whose links are shown; none: all of them, because more than theirs was asked for."""
        everything = (self.add, self.renew_all, self.renew_open, self.renew_manager, self.open_link)
        if any(everything) or self.people is not None:
            return frozenset()
        return frozenset([*self.names, *self.emails, *self.renew, *self.revoke])


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
@click.option(
    "--to",
    "target",
    metavar="FILE",
    help="Write worker_id, name, email and url into a .csv, to send everyone their own link.",
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
    target: str | None,
    base_url: str | None,
    json_file: str | None,
) -> int:
    """Print the links for workers and for the manager; make, renew and revoke them.

    After a change to single workers (--renew, --revoke, --name, --email) only their links are printed.

    Names and addresses are for the manager only: workers do not see them, and they are not exported.
    For a series, DB is its folder or database, and everything is done in each of its campaigns.
    """
    from steelyard.formats.people_file import read_people

    keep_sources([db, *([] if people_file is None else [str(people_file)])], target, json_file)
    if again and people_file is None:
        raise click.UsageError("--again goes with --people FILE.")
    people = None if people_file is None else read_people(people_file)
    wishes = Wishes(
        *(datetime.now(UTC), add, people, again, names, emails, renew, revoke),
        *(renew_open, renew_manager, renew_all, open_link),
    )
    series = series_at(db)
    if series is not None:
        return _links_of_series(series, wishes, base_url, target, json_file)
    found, is_served = _links_at(db, wishes, base_url)
    if not is_served:
        click.echo(NOT_SERVED, err=True)
    if target:
        _write_letters({db: found.workers}, target)
    if json_file:
        _write(asdict(found), json_file)
    if target is None and json_file is None:
        click.echo(_text(found, only=wishes.only))
    return 0


def _links_of_series(
    series: Series, wishes: Wishes, base_url: str | None, target: str | None, json_file: str | None
) -> int:
    from steelyard.flows.series import for_each
    from steelyard.flows.series_links import renew_series_door, series_door

    one_workers = [*wishes.names, *wishes.emails, *wishes.renew, *wishes.revoke]
    if one_workers:
        raise click.UsageError(
            f"{one_workers[0]} is another person in each campaign of a series. "
            f"Name one campaign, such as {series.places[0].shown}."
        )

    unserved: list[str] = []

    def found_at(place: CampaignPlace) -> Links:
        below = f"/c/{quote(place.name)}"
        own_url = None if base_url is None else f"{base_url}{below}"
        found, is_served = _links_at(place.address, wishes, own_url, unserved_url=f"{UNSERVED}{below}")
        if not is_served:
            unserved.append(place.name)
        return found

    outcomes = for_each(series, found_at)
    is_renewed = (
        wishes.renew_all and all(each.error is None for each in outcomes) and renew_series_door(series)
    )
    if (wishes.renew_all or wishes.renew_manager) and not is_renewed:
        way = "with --renew-all, unless its secret comes from the environment"
        click.echo(f"The link of the manager of all is still the same: it is renewed {way}.", err=True)
    if all(each.error is not None for each in outcomes):
        # Without their secret there is none to make the link of all with.
        return ended(outcomes)
    if unserved:
        click.echo(NOT_SERVED, err=True)
    one_url = next((each.result.manager_url for each in outcomes if each.result is not None), UNSERVED)
    manager_url = series_door(series).url(base_url or one_url.partition("/c/")[0].partition("/m/")[0])
    if target:
        _write_letters(
            {each.name: each.result.workers for each in outcomes if each.result is not None}, target
        )
    if json_file:
        campaigns = campaign_records(outcomes, asdict)
        _write({"series": series.name, "manager_url": manager_url, "campaigns": campaigns}, json_file)
    if target is None and json_file is None:
        click.echo(f"manager of all  {manager_url}\n")
        say_each(outcomes, _text)
    return ended(outcomes)


def _links_at(
    address: str, wishes: Wishes, base_url: str | None, *, unserved_url: str = UNSERVED
) -> tuple[Links, bool]:
    """The links of a campaign after the changes, and whether it is known at which address."""
    from steelyard.flows.links import links as all_links
    from steelyard.flows.links import served_url
    from steelyard.flows.open import open_campaign

    with open_campaign(address) as campaign:
        _change(campaign, wishes)
        _add(campaign, wishes)
        warn_of_exposed_secrets([campaign])
        served = base_url or served_url(campaign)
        return all_links(campaign, base_url=served or unserved_url), served is not None


def _change(campaign: OpenCampaign, wishes: Wishes) -> None:
    from steelyard.flows.links import LinkChanges, change_links, renew_all
    from steelyard.flows.people import name_worker
    from steelyard.flows.rules import change_rules

    now = wishes.now
    if wishes.renew_all:
        n_lost = renew_all(campaign, by="command line", now=now)
        if n_lost:
            click.echo(LOST.format(n=n_lost), err=True)
    changes = LinkChanges(wishes.renew, wishes.revoke, wishes.renew_open, wishes.renew_manager)
    if changes != LinkChanges():
        change_links(campaign, changes, by="command line", now=now)
    if wishes.open_link is not None:
        change_rules(campaign, {"open_link": wishes.open_link == "on"}, by="command line", now=now)
    for worker_id in dict.fromkeys([*wishes.names, *wishes.emails]):
        name, email = wishes.names.get(worker_id), wishes.emails.get(worker_id)
        name_worker(campaign, worker_id, by="command line", now=now, name=name, email=email)


def _add(campaign: OpenCampaign, wishes: Wishes) -> None:
    from steelyard.flows.links import add_workers
    from steelyard.flows.people import invite

    if wishes.people is not None:
        invited = invite(
            campaign, wishes.people, base_url="", by="command line", now=wishes.now, again=wishes.again
        )
        known = len(wishes.people) - invited.n_new
        has = "person has" if known == 1 else "people have"
        rest = f"; {known} {has} one already" if known else ""
        click.echo(f"{invited.n_new} new {'link' if invited.n_new == 1 else 'links'}{rest}.", err=True)
    if wishes.add:
        add_workers(campaign, wishes.add, base_url="", now=wishes.now)


def _write(record: object, json_file: str) -> None:
    write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", json_file, private=True)


def _write_letters(workers: dict[str, tuple[WorkerLink, ...]], target: str) -> None:
    from steelyard.flows.people import mail_merge

    write_text(mail_merge(workers), target, private=True)
    if target != "-":
        click.echo(f"Links in {target}")


def _text(found: Links, *, only: frozenset[str] = frozenset()) -> str:
    lines = [
        f"{link.worker_id:<8} {_line(link)}" for link in found.workers if not only or link.worker_id in only
    ]
    if only:
        return "\n".join(lines)
    off = "" if found.open_link else "  (switched off)"
    comer = "anyone" if found.platform == "local" else found.platform
    return "\n".join([f"manager  {found.manager_url}", f"{comer:<8} {found.open_url}{off}", *lines])


def _line(link: WorkerLink) -> str:
    person = " ".join(filter(None, [link.name, f"<{link.email}>" if link.email else ""]))
    sent = " ".join(filter(None, [link.platform, link.participant_id]))
    parts = [link.url or "(revoked)", person, sent, "(blocked)" if link.is_blocked else ""]
    return "  ".join(filter(None, parts))
