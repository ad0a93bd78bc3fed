"""Commands that copy a campaign to a file while it is served, and back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from steelyard.cli.options import database_argument, printable_address, progress_bar


@click.command()
@database_argument
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--with-secret", is_flag=True, help="Copy the secret of the links too, into FILE.secret: guard it well."
)
def backup(db: str, file: Path, with_secret: bool) -> None:
    """Copy a campaign into a new file, also while it is served.

    The file is a SQLite database as of one moment, complete and checked, whichever database the
    campaign is in; `restore` turns it back into either. Do not copy a database file by other means
    while it is served: such a copy may lack the newest judgements.
    """
    from steelyard.flows.backup import backup as back_up
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        done = back_up(
            campaign,
            file,
            by="command line",
            now=datetime.now(UTC),
            with_secret=with_secret,
            progress=progress_bar,
        )
    click.echo(
        f"{done.name}: {done.n_judgements:,} judgements in {file} ({done.n_bytes / 1e6:,.1f} MB), checked."
    )
    if done.secret_copy is not None:
        click.echo(f"The secret of the links is in {done.secret_copy}: whoever has it can make links.")
    elif done.secret_place is not None:
        click.echo(
            f"To open with the links handed out, a restored campaign needs the secret, which is not in the "
            f"file. It is in {done.secret_place}: keep a copy of it elsewhere, or use --with-secret."
        )


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@database_argument
def restore(file: Path, db: str) -> None:
    """Make a campaign from a backup: DB is a new file, or an empty PostgreSQL database.

    All or nothing; nothing is overwritten. A backup of one kind of database restores into the other.
    """
    from steelyard.flows.backup import restore as restore_copy

    done = restore_copy(file, db, progress=progress_bar)
    click.echo(
        f"{done.name}: {done.n_judgements:,} judgements restored. "
        f"Next: steelyard serve {printable_address(db)}"
    )
    if done.advice:
        click.echo(done.advice)
