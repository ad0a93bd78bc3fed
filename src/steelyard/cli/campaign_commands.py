"""Commands that create and run a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from steelyard.cli.options import (
    database_argument,
    progress_bar,
    seed_option,
    target_option,
)
from steelyard.cli.over_series import file_of_campaign, say_for_each
from steelyard.domain.layouts import OURS, SPAN_LAYOUTS
from steelyard.domain.nearest import no_such
from steelyard.domain.wording import counted


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
        raise click.UsageError(no_such("protocol", protocol, known))
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
@database_argument
@click.option(
    "--workers", type=click.IntRange(1, 10_000), help="Number of workers; by default one for each open place."
)
@seed_option
def simulate(db: str, workers: int | None, seed: int) -> int:
    """Let a simulated crowd finish the open HITs; in a series, a crowd for each campaign."""
    from steelyard.flows.open import open_campaign
    from steelyard.flows.progress import campaign_progress
    from steelyard.flows.simulate import simulate as simulate_crowd

    def act(address: str, name: str) -> str:
        with open_campaign(address) as campaign:
            before = campaign_progress(campaign)
            free = before.n_openings - before.n_taken
            with progress_bar("Judging", before.n_wanted - before.n_judgements) as advance:
                done = simulate_crowd(campaign, workers or max(1, free), seed=seed, progress=advance)
            after = campaign_progress(campaign)
        return (
            f"{counted(done.n_workers, 'simulated worker')} gave {counted(done.n_judgements, 'judgement')}; "
            f"{after.n_submitted} of {after.n_openings} HITs are finished."
        )

    return say_for_each(db, act)


@click.command()
@database_argument
@click.option(
    "--to",
    "target",
    required=True,
    type=click.Path(path_type=Path),
    help="A .csv, .tsv, .jsonl or .parquet file; .csv for upload-2016, .json for appraise and pearmut, .tsv "
    "for anthea.",
)
@click.option(
    "--as",
    "layout",
    type=click.Choice(["audit", "upload-2016", "appraise", "pearmut", "anthea"]),
    default="audit",
    show_default=True,
    help="A table of all items, or files for running the campaign in another system.",
)
def hits(
    db: str, target: Path, layout: Literal["audit", "upload-2016", "appraise", "pearmut", "anthea"]
) -> None:
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
@click.option(
    "--as",
    "layout",
    type=click.Choice([OURS, *SPAN_LAYOUTS]),
    default=OURS,
    show_default=True,
    help="What to write: everything, or marked errors for other programs. "
    + "; ".join(f"{name}: {title}" for name, title in SPAN_LAYOUTS.items())
    + ".",
)
def export(db: str, target: Path, layout: str) -> int:
    """Write all judgements to a file that `analyse` reads.

    The file holds the ratings. Preferences and spans, if there are any, go into files beside it:
    NAME.preferences.csv and NAME.spans.csv beside NAME.csv. Of a series each campaign gets a file of its own:
    NAME.CAMPAIGN.csv.

    With --as, the errors that workers marked are written as other programs store them; `analyse` reads these
    files too. They hold less: only regular items, and nothing that a person excluded.
    """
    from steelyard.flows.export import export as export_judgements
    from steelyard.flows.export import n_to_export
    from steelyard.flows.export_marks import export_marks
    from steelyard.flows.open import open_campaign

    def act(address: str, name: str) -> str:
        if layout != OURS:
            with open_campaign(address) as campaign:
                marks = export_marks(campaign, file_of_campaign(target, name), layout)
            written = f"{marks.n_judgements:,} judgements in {' and '.join(map(str, marks.files))}"
            return "\n".join([written, *marks.notes])
        with (
            open_campaign(address) as campaign,
            progress_bar("Exporting", n_to_export(campaign)) as advance,
        ):
            exported = export_judgements(campaign, file_of_campaign(target, name), progress=advance)
        return f"{exported.n_judgements:,} judgements in {' and '.join(map(str, exported.files))}"

    return say_for_each(db, act)
