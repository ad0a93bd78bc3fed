"""`steelyard links`: the links of a campaign and the people behind them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import click

from steelyard.cli.listening import USUAL_PORT
from steelyard.cli.options import base_url_option, database_argument, json_option, keep_sources, write_text

UNSERVED = f"http://127.0.0.1:{USUAL_PORT}"


@click.command()
@database_argument
@click.option("--add", type=click.IntRange(1, 10_000), help="Make links for this many new workers.")
@base_url_option
@json_option
def links(db: str, add: int | None, base_url: str | None, json_file: str | None) -> None:
    """Print the links for workers and for the manager."""
    from dataclasses import asdict

    from steelyard.flows.links import add_workers, served_url
    from steelyard.flows.links import links as all_links
    from steelyard.flows.open import open_campaign

    keep_sources([db], json_file)
    with open_campaign(db) as campaign:
        served = base_url or served_url(campaign)
        if add:
            add_workers(campaign, add, base_url="", now=datetime.now(UTC))
        found = all_links(campaign, base_url=served or UNSERVED)
    if served is None:
        click.echo(
            f"This campaign has not been served yet: the links assume {UNSERVED}. "
            "Serve it first, or give --base-url.",
            err=True,
        )
    if json_file:
        write_text(json.dumps(asdict(found), indent=2) + "\n", json_file, private=True)
        return
    click.echo(f"manager  {found.manager_url}\nanyone   {found.open_url}")
    for link in found.workers:
        click.echo(f"{link.worker_id:<8} {link.url}")
