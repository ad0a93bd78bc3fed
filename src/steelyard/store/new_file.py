"""A file that appears under its name only once it is complete and on the disk."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from steelyard.domain.errors import SourceError

# Files that SQLite keeps beside a database; those of one file must never meet another.
COMPANIONS = ("-wal", "-shm", "-journal")
FULL = "the disk is full, and nothing was left on it. Free some space, or choose another disk."
EXISTS = "there is a file of this name already, and nothing was overwritten. Choose another name."


@contextmanager
def new_database_file(path: Path) -> Iterator[Path]:
    """A new, empty file to fill, beside `path`; it gets that name if the block succeeds, and vanishes if not.

    Only its owner may read it. A file that is there already stays as it is: SourceError.
    """
    require_free(path)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        partial.touch(mode=0o600, exist_ok=False)
        yield partial
        _flush(partial)
        _publish(partial, path)
        _flush(path.parent)
    except OSError as error:
        problem = FULL if error.errno in (errno.ENOSPC, errno.EDQUOT) else _cannot_write(error)
        raise SourceError(str(path), [problem]) from error
    finally:
        for name in (partial.name, *(f"{partial.name}{ending}" for ending in COMPANIONS)):
            # A disk that cannot be written to refuses even to remove what is not there.
            with suppress(OSError):
                partial.with_name(name).unlink(missing_ok=True)


def require_free(path: Path) -> None:
    """SourceError if a file of this name, or what SQLite left beside an earlier one, is in the way."""
    if path.exists() or path.is_symlink():
        raise SourceError(str(path), [EXISTS])
    if not path.parent.is_dir():
        raise SourceError(
            str(path), [f"the folder {path.parent} does not exist. Make it, or choose another."]
        )
    for ending in COMPANIONS:
        beside = path.with_name(f"{path.name}{ending}")
        if beside.exists():
            problem = f"{beside} belongs to another database that had this name. Choose another name."
            raise SourceError(str(path), [problem])


def _publish(partial: Path, path: Path) -> None:
    """Give the file its name, unless somebody took that name in the meantime."""
    try:
        path.hardlink_to(partial)
    except FileExistsError:
        raise SourceError(str(path), [EXISTS]) from None
    except OSError:
        # Some file systems know no second name of a file.
        require_free(path)
        partial.rename(path)


def _flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _cannot_write(error: OSError) -> str:
    return f"the file cannot be written: {error.strerror}. Choose a folder you may write to."
