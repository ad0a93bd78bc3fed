"""The secret that a campaign's links are made with: kept outside the database, and recognised by its mark.

It is the value of STEELYARD_SECRET, or the content of a file that only its owner may read: beside a SQLite
file, or in the user's state folder for PostgreSQL.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.domain.errors import SourceError
from steelyard.flows.open import OpenCampaign
from steelyard.flows.tokens import fits, new_mark
from steelyard.store import links as stored
from steelyard.store.database import Store
from steelyard.store.turns import take_turns

if TYPE_CHECKING:
    from sqlalchemy import Connection

VARIABLE = "STEELYARD_SECRET"
# A secret that someone made up could be guessed from the mark.
SHORTEST = 32
# Shared by the campaigns of one folder.
FOLDER_FILE = "steelyard.secret"


def secret_of(campaign: OpenCampaign, mark: str) -> str:
    """The secret with this mark, remembered once it was found; SourceError if it is nowhere."""
    found = campaign.secrets.get(mark)
    if found is None:
        found = campaign.secrets[mark] = _find(campaign.store, mark)
    return found


def usable_secret(campaign: OpenCampaign) -> tuple[str, str]:
    """The secret and its mark; SourceError if the secret is missing. Version 0.1 had none: it is made now."""
    with campaign.store.read() as connection:
        mark = stored.secret_mark(connection)
    if mark is None:
        with campaign.store.write() as connection:
            take_turns(connection, "secret")
            mark = stored.secret_mark(connection) or mark_campaign(connection, campaign.store)
    return secret_of(campaign, mark), mark


def mark_campaign(connection: Connection, store: Store) -> str:
    """Choose the secret of a campaign that has none, making one if there is none to be found."""
    places = [] if store.file is None else secret_files(store, "")
    secret = _from_environment() or next(filter(None, map(_read, places)), None)
    if secret is None:
        mark = new_mark(secret := secrets.token_hex(32))
        keep_secret(secret, secret_files(store, mark)[0])
    else:
        mark = new_mark(secret)
    stored.set_secret_mark(connection, mark)
    return mark


@contextmanager
def replaced_secret(store: Store) -> Iterator[tuple[str, str]]:
    """A new secret and its mark, for the block to make durable; then the secret replaces the old one.

    It is on the disk before: nothing is left to fail once the old links are gone. The secret of the
    environment is not ours to replace, but a new mark makes other links from it.
    """
    given = _from_environment()
    secret = given or secrets.token_hex(32)
    mark = new_mark(secret)
    if given:
        yield secret, mark
        return
    file = secret_files(store, mark)[0]
    with _written(secret, file) as written:
        yield secret, mark
        # Of several who do this at once the last has ended the links of the others: its secret stays.
        with store.write() as connection:
            if stored.secret_mark(connection) == mark:
                _publish(written, file)


def shared_secret(file: Path) -> str:
    """The secret of the environment, or that in a file, which is made if it is not there."""
    found = known_shared_secret(file)
    if found is None:
        keep_secret(found := secrets.token_hex(32), file)
    return found


def known_shared_secret(file: Path) -> str | None:
    """The secret of the environment, or that in a file; None if there is neither."""
    return _from_environment() or _read(file)


def place_of_secret(store: Store, mark: str) -> tuple[str, str] | None:
    """Where the secret with this mark was found (the variable or a file), and the secret; None if nowhere."""
    places = {VARIABLE: _from_environment()} | {str(file): _read(file) for file in secret_files(store, mark)}
    found = ((place, secret) for place, secret in places.items() if secret is not None)
    return next(((place, secret) for place, secret in found if fits(secret, mark)), None)


def exposed_secret(campaign: OpenCampaign) -> Path | None:
    """The file that holds the campaign's secret, if other users of this machine may read it."""
    with campaign.store.read() as connection:
        mark = stored.secret_mark(connection)
    place = None if mark is None else place_of_secret(campaign.store, mark)
    if place is None or place[0] == VARIABLE or os.name != "posix":
        return None
    file = Path(place[0])
    return file if file.stat().st_mode & 0o077 else None


def secret_in(file: Path) -> str | None:
    """The secret that a file holds; None if there is no such file."""
    return _read(file)


def renew_shared_secret(file: Path) -> bool:
    """Put a new secret into a file; False if it comes from the environment: that is not ours to replace."""
    if _from_environment() is not None:
        return False
    keep_secret(secrets.token_hex(32), file)
    return True


def keep_secret(secret: str, file: Path) -> None:
    """Write a secret where only its owner may read it, at once or not at all."""
    with _written(secret, file) as written:
        _publish(written, file)


@contextmanager
def _written(secret: str, file: Path) -> Iterator[Path]:
    """A secret on the disk, beside where it belongs; it vanishes unless the block gives it that name."""
    beside = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    try:
        with _said(file):
            if file.is_dir():
                raise IsADirectoryError(errno.EISDIR, "a folder has its name")
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.touch(mode=0o600, exist_ok=False)
            with beside.open("w", encoding="utf-8") as opened:
                opened.write(f"{secret}\n")
                opened.flush()
                os.fsync(opened.fileno())
        yield beside
    finally:
        with suppress(OSError):
            beside.unlink()


def _publish(written: Path, file: Path) -> None:
    with _said(file):
        written.replace(file)


@contextmanager
def _said(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        advice = f"Choose a folder you may write to, or set {VARIABLE}."
        raise SourceError(
            str(file), [f"the secret of the links cannot be kept: {error.strerror}. {advice}"]
        ) from error


def secret_files(store: Store, mark: str) -> list[Path]:
    """Where the secret may be, the campaign's own file first."""
    if store.file is not None:
        # Where the file really is: SQLite, too, puts its other files there, and not beside a symbolic link.
        file = store.file.resolve()
        return [file.with_name(f"{file.name}.secret"), file.with_name(FOLDER_FILE)]
    # Named by the mark and not by the address, which may be written in several ways.
    return [state_folder() / f"{mark.partition('.')[0]}.secret"]


def state_folder() -> Path:
    """Where secrets are kept that belong to no folder of databases."""
    given = os.environ.get("XDG_STATE_HOME")
    try:
        return (Path(given) if given else Path.home() / ".local" / "state") / "steelyard"
    except RuntimeError:
        problem = f"there is no home folder to keep it in. Set {VARIABLE}, or XDG_STATE_HOME."
        raise SourceError("the secret of the links", [problem]) from None


def _find(store: Store, mark: str) -> str:
    given = _from_environment()
    files = secret_files(store, mark)
    candidates = {VARIABLE: given} | {str(file): _read(file) for file in files}
    for secret in candidates.values():
        if secret is not None and fits(secret, mark):
            return secret
    others = [place for place, secret in candidates.items() if secret is not None]
    if others:
        what = f"its links were made with another secret than the one in {' and '.join(others)}"
    else:
        what = "the secret that its links were made with is missing"
    series = f" (or, in a series, {files[1]})" if len(files) > 1 else ""
    advice = (
        f"Put the file {files[0]} back{series}, or set {VARIABLE} to what was in it. "
        "If the secret is lost, `steelyard links DB --renew-all` makes a new one; "
        "everyone then needs a new link."
    )
    raise SourceError(store.address, [f"{what}. {advice}"])


def _from_environment() -> str | None:
    secret = os.environ.get(VARIABLE, "").strip()
    if not secret:
        return None
    if len(secret) < SHORTEST:
        problem = f"it has fewer than {SHORTEST} characters. Make one with: openssl rand -hex 32"
        raise SourceError(VARIABLE, [problem])
    return secret


def _read(file: Path) -> str | None:
    try:
        return file.read_text("utf-8").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        advice = "Let the user who runs this read it."
        raise SourceError(str(file), [f"the secret of the links cannot be read: {why}. {advice}"]) from error
