"""Back up a campaign while it is served, and restore it: one file that serves both databases."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.running import By
from steelyard.domain.wording import counted
from steelyard.flows.media import folder_of, media_names, missing_media
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.secrets import VARIABLE, keep_secret, place_of_secret, secret_files, secret_in
from steelyard.flows.watching import Progress, unseen
from steelyard.store import links as stored
from steelyard.store.actions import log_action
from steelyard.store.addresses import address_with_schema
from steelyard.store.copying import copy_from_file, copy_to_file
from steelyard.store.new_file import require_free
from steelyard.store.running import judgements_by_revision


@dataclass(frozen=True, slots=True)
class BackedUp:
    """What was copied, and where the secret is that its links need.

    `secret_place`: a file or the variable that holds it; None where it was not found, or none is needed.
    `secret_copy`: the file it was copied to, if that was asked for.
    """

    name: str
    n_judgements: int
    n_bytes: int
    secret_place: str | None
    secret_copy: Path | None = None
    n_media: int = 0
    """How many files its sources show, which are not in the backup."""
    media: Path | None = None
    """The folder where those files usually are; None for PostgreSQL."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored. `advice`: what is to be done before it can be used; empty if nothing is."""

    name: str
    n_judgements: int
    advice: str


def backup(
    campaign: OpenCampaign,
    file: Path,
    *,
    by: By,
    now: datetime,
    with_secret: bool = False,
    progress: Progress = unseen,
) -> BackedUp:
    """Copy a campaign as it is at one moment into a new SQLite file; it may be served meanwhile.

    Everything that was acknowledged before is in it. `with_secret` puts a copy of the secret beside it,
    which only its owner may read.
    """
    require_free(file)
    place = _secret_of(campaign)
    copy = _beside(file)
    if with_secret and place is None:
        problem = "the secret of the links was not found, so it cannot be copied. Leave out --with-secret."
        raise SourceError(campaign.store.address, [problem])
    if with_secret:
        require_free(copy)
    n_judgements = copy_to_file(campaign.store, file, watch=_watch(progress, "Copying"))
    if with_secret and place is not None:
        keep_secret(place[1], copy)
    with campaign.store.write() as connection:
        log_action(connection, "backup", by=by, now=now, detail={"judgements": n_judgements})
    return BackedUp(
        name=campaign.settings.name,
        n_judgements=n_judgements,
        n_bytes=file.stat().st_size,
        secret_place=None if place is None else place[0],
        secret_copy=copy if with_secret else None,
        n_media=len(media_names(campaign)),
        media=folder_of(campaign),
    )


def restore(file: Path, address: str, *, progress: Progress = unseen) -> Restored:
    """Make a database from a backup: a new SQLite file, or tables in an empty PostgreSQL database.

    All or nothing, and nothing is overwritten. The secret is restored too if it lies beside the backup.
    """
    copy_from_file(file, address, watch=_watch(progress, "Restoring"))
    with open_campaign(address) as campaign:
        with campaign.store.read() as connection:
            n_judgements = sum(judgements_by_revision(connection).values())
        advice = [_restore_secret(campaign, file), _media_advice(campaign)]
        return Restored(campaign.settings.name, n_judgements, "\n".join(filter(None, advice)))


def new_folder(folder: Path) -> None:
    """Make a folder for the files of a series, if it is not there; SourceError if something is in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise SourceError(str(folder), ["there is something in this folder already. Choose a new one."])
    except OSError as error:
        problem = f"the folder cannot be made: {error.strerror}. Choose another."
        raise SourceError(str(folder), [problem]) from error


def place_in_series(address: str, name: str) -> str:
    """The address of one campaign of a series in a folder or a PostgreSQL database."""
    return address_with_schema(address, name) if "://" in address else str(Path(address) / f"{name}.db")


def _secret_of(campaign: OpenCampaign) -> tuple[str, str] | None:
    with campaign.store.read() as connection:
        mark = stored.secret_mark(connection)
    return None if mark is None else place_of_secret(campaign.store, mark)


def _restore_secret(campaign: OpenCampaign, file: Path) -> str:
    """Put the secret of a backup where the campaign looks for it; returns what is left to be done."""
    with campaign.store.read() as connection:
        mark = stored.secret_mark(connection)
    if mark is None or place_of_secret(campaign.store, mark) is not None:
        return ""
    wanted, secret = secret_files(campaign.store, mark)[0], secret_in(_beside(file))
    if secret is not None and not wanted.exists():
        keep_secret(secret, wanted)
        if place_of_secret(campaign.store, mark) is not None:
            return ""
    return (
        f"Links do not open yet: they need the secret of the campaign that was backed up. Copy its secret "
        f"file to {wanted}, or set {VARIABLE}. If it is lost, `steelyard links DB --renew-all` makes new "
        "links for everyone."
    )


def _media_advice(campaign: OpenCampaign) -> str:
    """What is left to be done for the files that sources show."""
    folder = folder_of(campaign)
    missing = missing_media(campaign, folder)
    if not missing:
        return ""
    where = "a folder, and name it with --media" if folder is None else str(folder)
    return f"Sources show {counted(len(missing), 'file')} that no backup holds: copy them to {where}."


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.secret")


def _watch(progress: Progress, step: str) -> Callable[[int], AbstractContextManager[Callable[[int], None]]]:
    return lambda length: progress(step, length)
