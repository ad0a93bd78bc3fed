"""Commands that make a campaign and look after it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from steelyard.cli.options import (
    base_url_option,
    database_argument,
    json_option,
    progress_bar,
    seed_option,
    target_option,
    write_text,
)


@click.command()
@click.argument("protocol")
def example(protocol: str) -> None:
    """Print a commented campaign file that `create` accepts."""
    from steelyard.protocols import protocols

    if protocol not in protocols():
        raise click.UsageError(f'There is no protocol "{protocol}"; there is: {", ".join(protocols())}.')
    click.echo((protocols()[protocol].folder / "example.toml").read_text("utf-8"), nl=False)


@click.command()
@click.argument("campaign", metavar="CAMPAIGN.toml", type=click.Path(path_type=Path))
@click.option("--db", required=True, help="SQLite file to make, or a postgresql:// address.")
def create(campaign: Path, db: str) -> None:
    """Read texts, make items and HITs, write them to a database."""
    from steelyard.flows.create import create as create_campaign

    created = create_campaign(campaign, db, now=datetime.now(UTC), progress=progress_bar)
    for warning in created.warnings:
        click.echo(f"Warning: {warning}", err=True)
    settings = created.settings
    click.echo(
        f"Campaign {settings.name}: {created.n_systems} systems, {created.n_segments} segments, "
        f"{created.n_hits} HITs of {settings.design.hit_size} items."
    )
    click.echo(
        f"Next: steelyard serve {_printable(db)}\n"
        f"and for workers' links: steelyard links {_printable(db)} --add 10"
    )


@click.command()
@database_argument
@click.option("--add", type=click.IntRange(1, 10_000), help="Make links for so many new workers.")
@base_url_option
@json_option
def links(db: str, add: int | None, base_url: str, json_file: str | None) -> None:
    """Show the workers' links, the open link and the manager's link."""
    from dataclasses import asdict

    from steelyard.flows.links import add_workers
    from steelyard.flows.links import links as all_links
    from steelyard.flows.open import open_campaign

    base_url = base_url.rstrip("/")
    with open_campaign(db) as campaign:
        if add:
            add_workers(campaign, add, base_url=base_url, now=datetime.now(UTC))
        found = all_links(campaign, base_url=base_url)
    if json_file:
        write_text(json.dumps(asdict(found), indent=2) + "\n", json_file)
        return
    click.echo(f"manager  {found.manager_url}\nanyone   {found.open_url}")
    for link in found.workers:
        click.echo(f"{link.worker_id:<8} {link.url}")


@click.command()
@database_argument
@click.option(
    "--workers", type=click.IntRange(1, 10_000), help="How many; by default one for each open place."
)
@seed_option
def simulate(db: str, workers: int | None, seed: int) -> None:
    """Let a simulated crowd finish the open HITs."""
    from steelyard.flows.open import open_campaign
    from steelyard.flows.progress import campaign_progress
    from steelyard.flows.simulate import simulate as simulate_crowd

    with open_campaign(db) as campaign:
        before = campaign_progress(campaign)
        free = before.n_openings - before.n_taken
        with progress_bar("Judging", before.n_wanted - before.n_judgements) as advance:
            done = simulate_crowd(campaign, workers or max(1, free), seed=seed, progress=advance)
        after = campaign_progress(campaign)
    click.echo(
        f"{done.n_workers} simulated workers gave {done.n_judgements:,} judgements; "
        f"{after.n_submitted} of {after.n_openings} HITs are finished."
    )


@click.command()
@database_argument
@target_option
def hits(db: str, target: Path) -> None:
    """Write every HIT as a table for audit. Keep it from workers: it tells the controls."""
    from steelyard.flows.export import export_hits
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        n_rows = export_hits(campaign, target)
    click.echo(f"{n_rows:,} rows in {target}")


@click.command()
@database_argument
@target_option
def export(db: str, target: Path) -> None:
    """Write all judgements to a file that `analyse` reads."""
    from steelyard.flows.export import export as export_judgements
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        click.echo(f"{export_judgements(campaign, target):,} judgements in {target}")


def _printable(address: str) -> str:
    """An address without a password, for a hint on the terminal."""
    scheme, separator, rest = address.partition("://")
    credentials, at, host = rest.rpartition("@")
    user, colon, _ = credentials.partition(":")
    return f"{scheme}{separator}{user}{':…' if colon else ''}{at}{host}" if separator else address
