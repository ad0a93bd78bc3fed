"""Files and folders written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steelyard.domain.errors import SourceError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under its name only when it is complete; a full disk leaves what was there before."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into, which gets its name only when all is written; SourceError if it holds anything.

    What fails half-way leaves nothing behind.
    """
    require_empty(folder)
    partial = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    try:
        partial.mkdir(parents=True)
        yield partial
        if folder.is_dir():
            folder.rmdir()
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def require_empty(folder: Path) -> None:
    """SourceError if there is anything in a folder, or anything else of its name."""
    if folder.is_dir():
        if any(folder.iterdir()):
            raise SourceError(
                str(folder), ["is not empty; name a new folder, so that nothing old is left in it."]
            )
    elif folder.exists():
        raise SourceError(str(folder), ["is no folder; name a new one."])
