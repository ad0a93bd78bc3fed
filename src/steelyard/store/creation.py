"""A new database, or none at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steelyard.domain.errors import Conflict
from steelyard.store.database import Store, open_store


@contextmanager
def new_store(address: str) -> Iterator[Store]:
    """A store to fill for the first time; a file that was made for it goes again if the block fails.

    Only a file that this very call has made, and never after a Conflict: then somebody else was
    quicker and the file is theirs.
    """
    path = None if "://" in address else Path(address)
    is_ours = path is not None and _make(path)
    try:
        store = open_store(address, create=True, loading=True)
        try:
            yield store
        finally:
            store.close()
    except Conflict:
        raise
    except BaseException:
        if path is not None and is_ours:
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                path.with_name(name).unlink(missing_ok=True)
        raise


def _make(path: Path) -> bool:
    """Whether this call has made the file; why it could not is for `open_store` to say."""
    try:
        path.touch(mode=0o600, exist_ok=False)
    except OSError:
        return False
    return True
