"""Files and folders written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from steelyard.domain.errors import SourceError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under its name only when it is complete; a full disk leaves what was there before.

    SourceError if it cannot be written.
    """
    try:
        # A path without a name is that of a folder.
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial") if path.name else path
        try:
            partial.write_bytes(content)
            partial.replace(path)
        finally:
            if partial != path:
                partial.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> SourceError:
    return SourceError(str(path), [f"it cannot be written: {error.strerror or error}."])


def made_folder(folder: Path) -> Path:
    """The folder, made unless it is there; SourceError if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error
    return folder


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into, which gets its name only when all is written, in place of what was there.

    What fails half-way leaves nothing behind, and what was there as it was. SourceError if the folder cannot
    be written.
    """
    folder = folder.resolve()
    partial = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    former = folder.with_name(f".{folder.name}.{os.getpid()}.former")
    try:
        partial.mkdir(parents=True)
        yield partial
        if folder.exists():
            folder.replace(former)
        try:
            partial.replace(folder)
        except OSError:
            if former.exists():
                former.replace(folder)
            raise
    except OSError as error:
        raise _unwritable(folder, error) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


def write_whole_folder(folder: Path, files: Mapping[str, bytes | Path]) -> None:
    """Write such a folder. `files`: by their paths in it, what is in them, or a file to copy."""
    with whole_folder(folder) as partial:
        for name, content in files.items():
            path = partial / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                shutil.copyfile(content, path)
            else:
                path.write_bytes(content)


def require_empty(folder: Path) -> None:
    """SourceError if there is anything in a folder, or anything else of its name."""
    if folder.is_dir():
        if any(folder.iterdir()):
            raise SourceError(
                str(folder), ["is not empty; name a new folder, so that nothing old is left in it."]
            )
    elif folder.exists():
        raise SourceError(str(folder), ["is no folder; name a new one."])
