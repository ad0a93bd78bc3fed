"""Commands that copy a campaign to a file while it is served, and back."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import database_argument, printable_address, progress_bar
from steelyard.cli.over_series import ended, say_for_each, series_at
from steelyard.domain.wording import counted

if TYPE_CHECKING:
    from steelyard.flows.backup import BackedUp
    from steelyard.flows.series import CampaignPlace, Series


@click.command()
@database_argument
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--with-secret", is_flag=True, help="Copy the secret of the links too, into FILE.secret: guard it well."
)
def backup(db: str, file: Path, with_secret: bool) -> int:
    """Copy a campaign into a new file, also while it is served.

    The file is a SQLite database as of one moment, complete and checked, whichever database the
    campaign is in; `restore` turns it back into either. In a series each campaign gets a file in the
    folder FILE. Do not copy a database file by other means while it is served: such a copy may lack
    the newest judgements.
    """
    from steelyard.flows.backup import backup as back_up
    from steelyard.flows.backup import new_folder
    from steelyard.flows.open import open_campaign

    if series_at(db) is not None:
        new_folder(file)

    def act(address: str, name: str) -> str:
        target = file / f"{name}.db" if name else file
        with open_campaign(address) as campaign:
            done = back_up(
                campaign,
                target,
                by="command line",
                now=datetime.now(UTC),
                with_secret=with_secret,
                progress=progress_bar,
            )
        return _said(done, target)

    with _stopped_tidily():
        return say_for_each(db, act)


@contextmanager
def _stopped_tidily() -> Iterator[None]:
    """End as after Ctrl-C, removing what is unfinished, also when another program says to end."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    # Windows has no SIGHUP, and only the main thread may decide this.
    is_main = threading.current_thread() is threading.main_thread()
    names = ("SIGTERM", "SIGHUP") if is_main else ()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _said(done: BackedUp, file: Path) -> str:
    said = f"{done.n_judgements:,} judgements in {file} ({done.n_bytes / 1e6:,.1f} MB), checked."
    if done.secret_copy is not None:
        said += f"\nThe secret of the links is in {done.secret_copy}: whoever has it can make links."
    elif done.secret_place is not None:
        said += (
            "\nTo open with the links handed out, a restored campaign needs the secret, which is not in the "
            f"file. It is in {done.secret_place}: keep a copy of it elsewhere, or use --with-secret."
        )
    if done.n_media:
        where = "the folder that --media names" if done.media is None else str(done.media)
        said += f"\nThe {counted(done.n_media, 'file')} that sources show are not in it: copy {where} too."
    return said


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@database_argument
def restore(file: Path, db: str) -> int:
    """Make a campaign from a backup: DB is a new file, or an empty PostgreSQL database.

    All or nothing; nothing is overwritten. A backup of one kind of database restores into the other.
    From a folder of backups a series is made: DB is a new folder, or a PostgreSQL database, in which
    each campaign gets a schema.
    """
    series = series_at(str(file))
    with _stopped_tidily():
        if series is not None:
            return _restore_series(series, db)
        click.echo(_restored(file, db))
    click.echo(f"Next: steelyard serve {printable_address(db)}")
    return 0


def _restored(file: Path, db: str) -> str:
    from steelyard.flows.backup import restore as restore_copy

    done = restore_copy(file, db, progress=progress_bar)
    said = f"{done.name}: {done.n_judgements:,} judgements restored."
    return f"{said}\n{done.advice}" if done.advice else said


def _restore_series(series: Series, db: str) -> int:
    from steelyard.flows.backup import new_folder, place_in_series
    from steelyard.flows.series import for_each

    if "://" not in db:
        new_folder(Path(db))

    def act(place: CampaignPlace) -> None:
        click.echo(_restored(Path(place.address), place_in_series(db, place.name)))

    return ended(for_each(series, act))
