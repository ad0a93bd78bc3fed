"""Files and folders written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under its name only when it is complete; a full disk leaves what was there before."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_whole_folder(folder: Path, files: Mapping[str, bytes | Path]) -> None:
    """Write a folder under its name only when it is complete, in place of what was there.

    `files`: by their paths in it, what is in them, or a file to copy.
    """
    folder = folder.resolve()
    partial = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    former = folder.with_name(f".{folder.name}.{os.getpid()}.former")
    try:
        for name, content in files.items():
            path = partial / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                shutil.copyfile(content, path)
            else:
                path.write_bytes(content)
        if folder.exists():
            folder.replace(former)
        try:
            partial.replace(folder)
        except OSError:
            if former.exists():
                former.replace(folder)
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)
