"""The file of an open SQLite database: is it still the one that was opened, and has its disk room left?

An open connection goes on writing to a file that was removed or moved, as if nothing had happened.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from steelyard.domain.errors import SourceError

# Space left on the disk below which a server says that it is not ready [our choice].
RESERVE_BYTES = 16 * 2**20
GONE = "the file {name} is gone; nothing is stored without it. Put it back, or stop and start again."
ANOTHER = (
    "the file {name} is not the one that was opened; nothing is stored from here on. "
    "Check which file belongs there, then stop and start again."
)
NO_ROOM = "the disk has only {mib} MiB left. Free some space before it is full."


class OpenedFile:
    """Remembers which file was opened, and which write-ahead log lies beside it."""

    def __init__(self, path: Path, *, address: str) -> None:
        self._path = path
        self._address = address
        self._expected: dict[str, tuple[int, int] | None] = {str(path): _identity(str(path))}
        self._is_another = False

    def remember_log(self) -> None:
        """From here on the write-ahead log must stay as well: what was stored last may only be there."""
        log = f"{self._path}-wal"
        found = _identity(log)
        if found is not None:
            self._expected = {**self._expected, log: found}

    def forget_log(self) -> None:
        """The last connection that is closed takes the log with it."""
        self._expected = {str(self._path): self._expected[str(self._path)]}

    def require_same(self) -> None:
        """SourceError if a file is gone, or is another one now; the latter for good.

        Connections that were opened meanwhile may belong to the wrong file.
        """
        for path, expected in self._expected.items():
            found = None if self._is_another else _identity(path)
            if found == expected and found is not None:
                continue
            self._is_another = self._is_another or found is not None
            problem = ANOTHER if self._is_another else GONE
            raise SourceError(self._address, [problem.format(name=Path(path).name)])

    def require_room(self) -> None:
        """SourceError if the disk is nearly full."""
        try:
            n_bytes = shutil.disk_usage(self._path.parent).free
        except OSError as error:
            problem = f"the folder of the database cannot be read: {error.strerror}. Check its disk."
            raise SourceError(self._address, [problem]) from error
        if n_bytes < RESERVE_BYTES:
            raise SourceError(self._address, [NO_ROOM.format(mib=n_bytes // 2**20)])


def _identity(path: str) -> tuple[int, int] | None:
    """Device and number of a file; None if there is none. Its number is not given again while it is open."""
    try:
        found = os.stat(path)  # noqa: PTH116 (before every reply: it must be quick)
    except OSError:
        return None
    return found.st_dev, found.st_ino
