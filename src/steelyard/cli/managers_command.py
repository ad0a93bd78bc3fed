"""`steelyard managers`: who looks after a campaign, and how far each may go."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from steelyard.cli.links_command import NOT_SERVED, UNSERVED
from steelyard.cli.options import base_url_option, database_argument, json_option, keep_sources, show
from steelyard.cli.over_series import campaign_records, ended, say_each, series_at
from steelyard.domain.managers import MANAGER_ROLES, read_person

if TYPE_CHECKING:
    from steelyard.domain.managers import ManagerRole
    from steelyard.domain.people import Person
    from steelyard.flows.managers import ManagerChanges, ManagerLink
    from steelyard.flows.series import CampaignPlace

NOBODY = "Nobody has a link of their own: whoever has the manager's link (`steelyard links`) is an owner."


def _read_people(_ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> list[Person]:
    return [read_person(each) for each in given]


def _read_roles(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> dict[str, ManagerRole]:
    """Roles by manager, typed as MANAGER=ROLE."""
    roles = dict(each.rpartition("=")[::2] for each in given)
    if not all(who and role in MANAGER_ROLES for who, role in roles.items()):
        raise click.BadParameter(
            f"write it as M01=ROLE, with one of {', '.join(MANAGER_ROLES)}.", context, option
        )
    return {who: role for who, role in roles.items() if role in MANAGER_ROLES}


@click.command()
@database_argument
@click.option(
    "--add",
    metavar="PERSON",
    multiple=True,
    callback=_read_people,
    help='Add a manager: "Ann Example <ann@example.org>", or only a name or an address.',
)
@click.option(
    "--as",
    "new_role",
    type=click.Choice(MANAGER_ROLES),
    default="viewer",
    show_default=True,
    help="The role of the people added.",
)
@click.option(
    "--role", "roles", metavar="WHO=ROLE", multiple=True, callback=_read_roles, help="Change a role."
)
@click.option("--renew", metavar="WHO", multiple=True, help="End a manager's link and make a new one.")
@click.option("--revoke", metavar="WHO", multiple=True, help="End a manager's access, until it is renewed.")
@base_url_option
@json_option
def managers(  # noqa: PLR0913 (one option for each thing that can be done)
    db: str,
    add: list[Person],
    new_role: ManagerRole,
    roles: dict[str, ManagerRole],
    renew: tuple[str, ...],
    revoke: tuple[str, ...],
    base_url: str | None,
    json_file: str | None,
) -> int:
    """List the managers of a campaign with their links; add and change them.

    A viewer reads everything but links, names, backups and what workers answered about themselves. A manager
    runs the campaign. An owner also says who the managers are. Whoever has the campaign's own link
    (`steelyard links`) is an owner.

    WHO is an id such as M01, or an e-mail address. For a series, DB is its folder or database, and
    everything is done in each of its campaigns; ids differ between them, addresses do not.
    """
    from steelyard.flows.managers import ManagerChanges
    from steelyard.flows.series import for_each

    keep_sources([db], json_file)
    changes = ManagerChanges(roles, renew, revoke)
    series = series_at(db)
    if series is None:
        found = _managers_at(db, add, new_role, changes, base_url)
        document = json.dumps({"managers": _records(found)}, indent=2, ensure_ascii=False) + "\n"
        show(_text(found), document, json_file, private=True)
        return 0
    ids = [who for who in (*roles, *renew, *revoke) if "@" not in who]
    if ids:
        raise click.UsageError(
            f"{ids[0]} is another person in each campaign of a series. Give an e-mail address, or name one "
            f"campaign, such as {series.places[0].shown}."
        )

    def act(place: CampaignPlace) -> tuple[ManagerLink, ...]:
        below = f"/c/{quote(place.name)}"
        own_url = None if base_url is None else f"{base_url}{below}"
        return _managers_at(place.address, add, new_role, changes, own_url, UNSERVED + below)

    outcomes = for_each(series, act)
    if json_file:
        records = campaign_records(outcomes, lambda found: {"managers": _records(found)})
        document = json.dumps({"series": series.name, "campaigns": records}, indent=2, ensure_ascii=False)
        show("", f"{document}\n", json_file, private=True)
    else:
        say_each(outcomes, _text)
    return ended(outcomes)


def _managers_at(
    address: str,
    add: list[Person],
    new_role: ManagerRole,
    changes: ManagerChanges,
    base_url: str | None,
    unserved_url: str = UNSERVED,
) -> tuple[ManagerLink, ...]:
    """The managers of a campaign after the changes."""
    from steelyard.flows.links import served_url
    from steelyard.flows.managers import ManagerChanges, add_managers, change_managers
    from steelyard.flows.managers import managers as all_managers
    from steelyard.flows.open import open_campaign

    now = datetime.now(UTC)
    with open_campaign(address) as campaign:
        if changes != ManagerChanges():
            change_managers(campaign, changes, by="command line", now=now)
        if add:
            add_managers(campaign, add, new_role, by="command line", now=now)
        served = base_url or served_url(campaign)
        found = all_managers(campaign, base_url=served or unserved_url)
    if found and served is None:
        click.echo(NOT_SERVED, err=True)
    return found


def _records(found: tuple[ManagerLink, ...]) -> list[dict[str, object]]:
    return [{**asdict(link), "created_at": link.created_at.isoformat()} for link in found]


def _text(found: tuple[ManagerLink, ...]) -> str:
    return "\n".join(map(_line, found)) or NOBODY


def _line(link: ManagerLink) -> str:
    person = " ".join(filter(None, [link.name, f"<{link.email}>" if link.email else ""]))
    return f"{link.manager_id:<5} {link.role:<8} {person}\n      {link.url or '(revoked)'}"
