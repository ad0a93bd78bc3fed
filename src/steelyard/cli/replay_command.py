"""`steelyard replay`: the worker's page as a folder, for those who should see it without taking part."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from steelyard.cli.options import database_argument, media_option


@click.command()
@database_argument
@click.option(
    "--to",
    "folder",
    metavar="FOLDER",
    required=True,
    type=click.Path(path_type=Path),
    help="A new or empty folder, or one with an earlier replay, which is replaced.",
)
@click.option("--hit", "hit_id", metavar="HIT", help="The HIT whose items are shown.  [default: the first]")
@click.option(
    "--items",
    "most_items",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many of its items; 0 for none of the campaign's texts.",
)
@media_option
def replay(db: str, folder: Path, hit_id: str | None, most_items: int, media: Path | None) -> None:
    """Write the worker's page as a folder that opens without a server.

    For reviewers, ethics committees and appendices: open index.html in it. Everything is as workers saw it,
    and nothing that is entered is sent or kept. It gives away no system, control or worker.
    """
    from steelyard.flows.open import open_campaign
    from steelyard.web.replay import write_replay

    today = datetime.now(UTC).date()
    with open_campaign(db) as campaign:
        done = write_replay(
            campaign, folder, made_on=today, hit_id=hit_id, most_items=most_items, media=media
        )
    click.echo(f"Wrote {folder / 'index.html'}: {done.n_shown} of the {done.n_items} items of {done.hit_id}.")
