"""Commands that create and run a campaign."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from steelyard.cli.options import (
    database_argument,
    printable_address,
    progress_bar,
    seed_option,
    target_option,
)

if TYPE_CHECKING:
    from steelyard.flows.create import Created


@click.command()
@click.argument("protocol")
@click.option(
    "--instructions",
    metavar="LANGUAGE",
    help="Print the words that workers read in this language, to translate or change.",
)
def example(protocol: str, instructions: str | None) -> None:
    """Print a commented campaign file that `create` accepts."""
    from steelyard.protocols import languages_of, protocols, words_in

    known = protocols()
    if protocol not in known:
        raise click.UsageError(f'There is no protocol "{protocol}"; choose from: {", ".join(known)}.')
    if instructions is None:
        click.echo((known[protocol].folder / "example.toml").read_text("utf-8"), nl=False)
        return
    words = words_in(known[protocol], instructions)
    if words is None:
        languages = ", ".join(languages_of(known[protocol]))
        raise click.UsageError(f'{protocol} has no words in "{instructions}"; it has: {languages}.')
    from steelyard.formats.words_file import to_toml

    click.echo(to_toml(words), nl=False)


@click.command()
def schema() -> None:
    """Print the JSON Schema of campaign files, for editors that check them as you type."""
    from steelyard.formats.campaign_schema import schema_text

    click.echo(schema_text(), nl=False)


@click.command()
@click.argument("campaign", metavar="CAMPAIGN.toml", type=click.Path(path_type=Path))
@click.option("--db", help="SQLite file to create, or a postgresql:// address.")
@click.option(
    "--explain-layout",
    is_flag=True,
    help="Print groups, kinds, pairs and how far apart they are. Without --db nothing is written.",
)
@click.option(
    "--draft", is_flag=True, help="Nobody can judge before you open the campaign with `steelyard resume`."
)
def create(campaign: Path, db: str | None, explain_layout: bool, draft: bool) -> None:
    """Create a campaign: read its texts, design its HITs and store them."""
    if db is None and not explain_layout:
        raise click.UsageError("Name a database with --db, or use --explain-layout to look only.")
    from steelyard.flows import create as creation

    designed = creation.design(campaign, progress=progress_bar)
    for warning in designed.warnings:
        click.echo(f"Warning: {warning}", err=True)
    if explain_layout:
        from steelyard.report.layout_text import layout_text

        click.echo(f"{layout_text(creation.explain_layout(designed)).rstrip()}\n")
    if db is not None:
        created = creation.write(designed, db, now=datetime.now(UTC), draft=draft, progress=progress_bar)
        _say_created(created, db)
        if draft:
            click.echo(f"It is a draft: open it to workers with: steelyard resume {printable_address(db)}")


def _on_average(created: Created) -> str:
    """Documents and given HITs differ in length."""
    return "" if created.settings.design.order in ("grouped", "free") else " on average"


def _say_created(created: Created, db: str) -> None:
    settings = created.settings
    click.echo(
        f"Campaign {settings.name}: {created.n_systems} systems, {created.n_segments:,} segments, "
        f"{created.n_hits:,} HITs of {created.n_places / created.n_hits:.3g} items{_on_average(created)}."
    )
    if created.separation is not None:
        least, most = created.separation
        click.echo(f"{least} to {most} other items lie between a control and its base.")
    if created.blocks > 1:
        click.echo(
            f"The HITs fall into {created.blocks:,} blocks without a common item: their workers can be "
            "compared through systems, not item by item."
        )
    else:
        click.echo("Common items connect all HITs and their workers.")
    click.echo(
        f"Next: steelyard serve {printable_address(db)}\n"
        f"and for workers' links: steelyard links {printable_address(db)} --add 10"
    )


@click.command()
@database_argument
@click.option(
    "--workers", type=click.IntRange(1, 10_000), help="Number of workers; by default one for each open place."
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
@click.option(
    "--to",
    "target",
    required=True,
    type=click.Path(path_type=Path),
    help="A .csv, .tsv, .jsonl or .parquet file; .csv for upload-2016, .json for appraise.",
)
@click.option(
    "--as",
    "layout",
    type=click.Choice(["audit", "upload-2016", "appraise"]),
    default="audit",
    show_default=True,
    help="A table of all items, or files for running the campaign in another system.",
)
def hits(db: str, target: Path, layout: Literal["audit", "upload-2016", "appraise"]) -> None:
    """Write all HITs to a file. Do not show it to workers: it reveals the controls."""
    from steelyard.flows.export import export_hits
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        n_items = export_hits(campaign, target, layout=layout)
    click.echo(f"{n_items:,} items in {target}")
    key = target.with_name(f"{target.stem}.key.csv")
    if layout != "audit" and key.exists():
        click.echo(f"Keep {key} private, and put it beside the results: it maps them back to the items.")


@click.command()
@database_argument
@target_option
def export(db: str, target: Path) -> None:
    """Write all judgements to a file that `analyse` reads.

    The file holds the ratings. Preferences and spans, if there are any, go into files beside it:
    NAME.preferences.csv and NAME.spans.csv beside NAME.csv.
    """
    from steelyard.flows.export import export as export_judgements
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        exported = export_judgements(campaign, target)
    click.echo(f"{exported.n_judgements:,} judgements in {' and '.join(map(str, exported.files))}")
