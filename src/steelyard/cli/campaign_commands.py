"""Commands that create and run a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from steelyard.cli.options import (
    database_argument,
    keep_sources,
    progress_bar,
    seed_option,
    target_option,
    write_text,
)
from steelyard.cli.over_series import file_of_campaign, say_for_each
from steelyard.domain.layouts import OURS, SPAN_LAYOUTS
from steelyard.domain.nearest import no_such
from steelyard.domain.wording import counted


@click.command()
@click.argument("protocol", required=False)
@click.option(
    "--instructions",
    metavar="LANGUAGE",
    help="Print the words that workers read in this language, to translate or change.",
)
@click.option(
    "--consent",
    is_flag=True,
    help="Print a consent text to fill in, with the seven points that crowd platforms ask for.",
)
@click.option(
    "--campaign",
    "campaign_file",
    metavar="CAMPAIGN.toml",
    type=click.Path(path_type=Path),
    help="With --consent: the campaign that the text is for. It says what is true of it.",
)
def example(
    protocol: str | None, instructions: str | None, consent: bool, campaign_file: Path | None
) -> None:
    """Print a commented campaign file that `create` accepts; or instructions, or a consent text."""
    if consent:
        _example_consent(campaign_file, has_more=bool(protocol or instructions))
        return
    if protocol is None or campaign_file is not None:
        raise click.UsageError("Name a protocol, such as da; or use --consent, alone or with --campaign.")
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


def _example_consent(campaign_file: Path | None, *, has_more: bool) -> None:
    """Print the text only: it goes into a file. What to do with it is said beside."""
    from steelyard.flows.consent import ConsentFacts, consent_example, consent_facts

    if has_more:
        raise click.UsageError("--consent needs no protocol and no language: it is the same text for all.")
    facts = ConsentFacts() if campaign_file is None else consent_facts(campaign_file)
    click.echo(consent_example(facts), nl=False)
    click.echo(
        "Fill in what is in brackets, ask whoever is responsible for data protection, and name the file in "
        'the campaign file: [consent] file = "consent.txt"',
        err=True,
    )


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
@click.option(
    "--worker",
    "worker_id",
    metavar="WORKER",
    help="Write everything that is stored about one worker, as JSON, for the person who asks for it.",
)
def export(db: str, target: Path, layout: str, worker_id: str | None) -> int:
    """Write all judgements to a file that `analyse` reads.

    The file holds the ratings. Preferences and spans, if there are any, go into files beside it:
    NAME.preferences.csv and NAME.spans.csv beside NAME.csv. In a series each campaign gets a file of its own:
    NAME.CAMPAIGN.csv.

    With --as, the errors that workers marked are written as other programs store them; `analyse` reads these
    files too. They hold less: only regular items, and nothing that a person excluded.

    With --worker, the file is JSON that only you can read: ids, consent, answers, judgements with texts,
    remarks, payments, decisions with their reasons. A target of - prints it.
    """
    if worker_id is not None:
        return _export_worker(db, target, layout, worker_id)
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
        written = f"{exported.n_judgements:,} judgements in {' and '.join(map(str, exported.files))}"
        return "\n".join([written, *exported.notes])

    return say_for_each(db, act)


def _export_worker(db: str, target: Path, layout: str, worker_id: str) -> int:
    import json
    from datetime import UTC, datetime

    from steelyard.flows.open import open_campaign
    from steelyard.flows.worker_export import everything_about

    if layout != OURS:
        raise click.UsageError("--as is about judgements of all workers: leave it out, or --worker.")
    keep_sources([db], target)
    with open_campaign(db) as campaign:
        found = everything_about(campaign, worker_id, now=datetime.now(UTC))
    write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", str(target), private=True)
    if str(target) != "-":
        click.echo(f"Everything that is stored about {worker_id} in {target}")
    return 0
