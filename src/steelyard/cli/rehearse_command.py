"""`steelyard rehearse`: a campaign on a crowd platform, with simulated people and no money."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from steelyard.cli.options import media_option, progress_bar, seed_option


@click.command()
@click.argument("platform", metavar="PLATFORM")
@click.argument("db", metavar="[DB]", required=False)
@click.option(
    "--people",
    type=click.IntRange(1, 10_000),
    default=60,
    show_default=True,
    help="How many simulated people come.",
)
@seed_option
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Keep the copy of the campaign and the report, as text and JSON, in a new folder.",
)
@media_option
def rehearse(
    platform: str, db: str | None, people: int, seed: int, keep: Path | None, media: Path | None
) -> int:
    """Let a simulated crowd come to a copy of a campaign through a stand-in for a crowd platform.

    The copy is published, followed and paid by the code that will talk to the real platform; at the end the
    books of both sides are compared. No money is spent, nothing leaves this machine, and the campaign itself
    is only read. Without DB, a small campaign that ships with Steelyard is taken. Ends with 1 if the books
    differ, or a page of ours failed.
    """
    from steelyard.emulators import emulator_of
    from steelyard.emulators.demo_campaign import make_demo_campaign
    from steelyard.emulators.rehearsal import RehearsalWish
    from steelyard.emulators.rehearsal import rehearse as run_rehearsal
    from steelyard.emulators.rehearsal_text import rehearsal_json, rehearsal_text
    from steelyard.flows.open import open_campaign

    # Before anything is made.
    emulator_of(platform)
    wish = RehearsalWish(platform, people, seed, media=media)
    with _folder(keep) as folder:
        address = db or make_demo_campaign(folder, platform, now=datetime.now(UTC))
        with open_campaign(address) as campaign:
            found = run_rehearsal(
                campaign, wish, folder, tell=lambda line: click.echo(line, err=True), progress=progress_bar
            )
        text = rehearsal_text(found)
        click.echo(text)
        if keep is not None:
            (folder / "report.txt").write_text(f"{text}\n", "utf-8")
            (folder / "report.json").write_text(rehearsal_json(found), "utf-8")
            click.echo(f"\nKept in {folder}.", err=True)
    return 1 if found.differences or found.crowd.problems else 0


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """A folder for the copy: the one asked for, or one that is gone afterwards."""
    if keep is not None:
        from steelyard.flows.backup import new_folder

        new_folder(keep)
        yield keep
        return
    folder = Path(tempfile.mkdtemp(prefix="steelyard-rehearsal-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
