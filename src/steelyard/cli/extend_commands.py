"""Commands that go on from a campaign: more of it, or another one like it."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import (
    database_argument,
    json_option,
    keep_sources,
    media_option,
    progress_bar,
    write_text,
)
from steelyard.domain.wording import counted, listed

if TYPE_CHECKING:
    from steelyard.flows.extend import Extended


@click.command()
@database_argument
@click.option(
    "--ratings",
    type=click.IntRange(1, 100),
    help="More ratings of every item; with --texts, ratings of the new ones.",
)
@click.option(
    "--texts",
    metavar="CAMPAIGN.toml",
    type=click.Path(path_type=Path),
    help="A campaign file with further segments, further systems, or both.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be added and what it costs; write nothing.")
@media_option
@json_option
def extend(
    db: str,
    ratings: int | None,
    texts: Path | None,
    dry_run: bool,
    media: Path | None,
    json_file: str | None,
) -> None:
    """Add ratings, segments or systems to a campaign, also while workers are judging.

    Everything added is in new HITs, with controls and all systems as in the others. Nothing that is
    stored changes.
    """
    from steelyard.flows.extend import design_extension, write_extension
    from steelyard.flows.open import open_campaign

    keep_sources([db], json_file)
    with open_campaign(db) as campaign:
        designed = design_extension(campaign, ratings=ratings, texts=texts, progress=progress_bar)
        extended = designed.extended
        for warning in extended.warnings:
            click.echo(f"Warning: {warning}", err=True)
        if not dry_run:
            extended = write_extension(
                campaign,
                designed,
                by="command line",
                now=datetime.now(UTC),
                media=media,
                progress=progress_bar,
            )
    if json_file:
        write_text(json.dumps(asdict(extended), indent=2) + "\n", json_file)
    if json_file != "-":
        click.echo(_in_words(extended))


@click.command()
@database_argument
@click.option(
    "--db", "new_db", required=True, metavar="NEW", help="SQLite file to create, or a postgresql:// address."
)
@click.option("--name", help="Its short name.  [default: that of DB with -2]")
@click.option("--title", help="The heading that its workers see, if not the same.")
@click.option("--draft", is_flag=True, help="Nobody can judge before `resume` opens it.")
@media_option
@click.option(
    "--new-media",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Folder for those of the new campaign.  [default: NEW with .media at its end]",
)
def clone(  # noqa: PLR0913 (one option each)
    db: str,
    new_db: str,
    name: str | None,
    title: str | None,
    draft: bool,
    media: Path | None,
    new_media: Path | None,
) -> None:
    """Create another campaign with the same texts, settings, rules and words.

    It has HITs and links of its own, and no workers or judgements.
    """
    from steelyard.flows.clone import clone as clone_campaign
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        created = clone_campaign(
            campaign,
            new_db,
            now=datetime.now(UTC),
            name=name,
            title=title,
            draft=draft,
            media=media,
            new_media=new_media,
            progress=progress_bar,
        )
    for warning in created.warnings:
        click.echo(f"Warning: {warning}", err=True)
    click.echo(
        f"{'Draft' if draft else 'Campaign'} {created.settings.name}: "
        f"{counted(created.n_systems, 'system')}, {counted(created.n_segments, 'segment')}, "
        f"{counted(created.n_hits, 'HIT')}."
    )


def _in_words(extended: Extended) -> str:
    """What was added or would be, and what it costs."""
    texts = []
    if extended.systems:
        texts.append(f"{'system' if len(extended.systems) == 1 else 'systems'} {listed(extended.systems)}")
    if extended.n_segments:
        texts.append(counted(extended.n_segments, "segment"))
    hits = counted(extended.n_hits, "HIT") if extended.n_hits else "no new HITs"
    texts.append(f"{hits} and {counted(extended.n_openings, 'place')} for workers")
    lines = [f"{'Added' if extended.is_written else 'Would add'}: {', '.join(texts)}."]
    lines += [
        f"Part {each.part}, {_rounds(each.first_round, each.last_round)}: "
        f"{counted(each.n_openings, 'place')}, {counted(each.n_judgements, 'judgement')}."
        for each in extended.rounds
    ]
    cost = "" if extended.cost is None else f" and {extended.cost:,.2f} {extended.currency}"
    lines.append(f"About {extended.hours:,.1f} hours of work{cost}.")
    if extended.state != "open":
        lines.append(f"The campaign is {extended.state}: workers get these HITs once it is open.")
    if not extended.is_written:
        lines.append("Nothing was written.")
    return "\n".join(lines)


def _rounds(first: int, last: int) -> str:
    return f"round {first}" if first == last else f"rounds {first} to {last}"
