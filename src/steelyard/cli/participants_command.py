"""`steelyard participants`: whom a crowd platform sent, and who may not join."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import database_argument, json_option, keep_sources, write_text
from steelyard.domain.wording import counted, in_json

if TYPE_CHECKING:
    from steelyard.domain.participants import Participant
    from steelyard.flows.open import OpenCampaign
    from steelyard.flows.participants import Barring, Participants

NOBODY = "No platform has sent anybody yet."


@click.command()
@database_argument
@click.option(
    "--exclude",
    "excluded",
    metavar="FILE|DB",
    multiple=True,
    help="Let nobody join who is in a file of ids, or took part in another campaign. Repeat for several.",
)
@click.option(
    "--admit", "admitted", metavar="FILE|DB", multiple=True, help="Let those join again whom --exclude named."
)
@click.option("--forget", is_flag=True, help="Forget all ids, once everybody is paid. There is no way back.")
@click.option("--yes", is_flag=True, help="With --forget: do not ask before.")
@click.option(
    "--to", "target", metavar="FILE", help="Write a .csv with a row for each participant's session."
)
@json_option
def participants(
    db: str,
    excluded: tuple[str, ...],
    admitted: tuple[str, ...],
    target: str | None,
    json_file: str | None,
    **switches: bool,
) -> int:
    """List the people from a crowd platform: their ids there, and what they have done.

    Ids are in no export of judgements. A file of ids has one a line, or is a .csv with the column
    participant_id. --exclude does not keep out people who already work in this campaign: use `block`.
    """
    from steelyard.flows.open import open_campaign
    from steelyard.flows.participants import participants as found_in
    from steelyard.formats.participants_file import participants_csv

    keep_sources([db, *excluded, *admitted], target, json_file)
    with open_campaign(db) as campaign:
        if switches["forget"] and not switches["yes"] and sys.stdin.isatty():
            click.confirm(f"All ids are forgotten in {campaign.settings.name}, for good. Go on?", abort=True)
        _change(campaign, excluded, admitted, forget=switches["forget"])
        found = found_in(campaign)
    if target:
        write_text(participants_csv(found.workers), target, private=True)
        if target != "-":
            click.echo(f"{counted(len(found.workers), 'participant')} in {target}")
    if json_file:
        write_text(json.dumps(asdict(found), indent=2, default=in_json) + "\n", json_file, private=True)
    if target is None and json_file is None:
        click.echo(_text(found))
    return 0


def _change(
    campaign: OpenCampaign, excluded: tuple[str, ...], admitted: tuple[str, ...], *, forget: bool
) -> None:
    from steelyard.flows.participants import admit_participants, exclude_participants, forget_ids

    now = datetime.now(UTC)
    for source in excluded:
        done = exclude_participants(campaign, source, by="command line", now=now)
        click.echo(_said(source, f"{counted(done.n_changed, 'more id')} may not join", done), err=True)
    for source in admitted:
        done = admit_participants(campaign, source, by="command line", now=now)
        click.echo(_said(source, f"{counted(done.n_changed, 'id')} may join again", done), err=True)
    if forget:
        n_known = forget_ids(campaign, by="command line", now=now)
        click.echo(f"{counted(n_known, 'id')} forgotten.", err=True)


def _said(source: str, what: str, done: Barring) -> str:
    """What became of a list, in a line."""
    parts = [what]
    if done.n_here:
        parts.append(f"{counted(done.n_here, 'worker')} of this campaign on the list can go on working")
    if done.n_forgotten:
        parts.append(
            f"{counted(done.n_forgotten, 'id')} forgotten there, so whoever had one cannot be recognised"
        )
    return f"{source}: {'; '.join(parts)}."


def _text(found: Participants) -> str:
    lines = [_line(each) for each in found.workers] or [NOBODY]
    if found.n_barred:
        lines.append(f"{counted(found.n_barred, 'id')} may not join.")
    return "\n".join(lines)


def _line(one: Participant) -> str:
    done = f"{counted(one.hits, 'HIT')} finished, {counted(one.judged, 'judgement')}"
    parts = [one.worker_id, one.platform, one.participant_id or "(forgotten)", done]
    return "  ".join([*parts, *(["(blocked)"] if one.is_blocked else [])])
