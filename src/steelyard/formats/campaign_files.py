"""The files that a campaign file names: where they are, and what went wrong in reading them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from steelyard.domain.errors import SourceError
from steelyard.formats.text_file import read_lines

# A path that begins like this names a text that ships with Steelyard.
BUNDLED = "demo:"

Content = TypeVar("Content")


class CampaignFiles:
    """Reads files relative to the campaign file and remembers all problems and warnings.

    `confined`: only files inside the folder may be read, because somebody else wrote the campaign file.
    """

    def __init__(self, folder: Path, *, confined: bool = False) -> None:
        self.folder, self.confined = folder, confined
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def path(self, name: str) -> Path:
        """Where a file of this name is; SourceError if that is outside the folder to keep to."""
        folder = Path(str(files("steelyard"))) / "demo" if name.startswith(BUNDLED) else self.folder
        path = Path(name.removeprefix(BUNDLED))
        if not self.confined:
            return folder / path.expanduser()
        # Browsers send files without the folders they were in.
        for found in (folder / path, folder / path.name):
            if "\x00" not in name and found.resolve().is_relative_to(folder.resolve()) and found.exists():
                return found
        raise SourceError(name, ["is not among the files that were sent; send it too, by its name."])

    def read(self, name: str, reader: Callable[[Path], Content]) -> Content | None:
        """What the reader makes of the named file, or None with the problems noted."""
        try:
            return reader(self.path(name))
        except SourceError as error:
            self.problems += [f"{name}: {problem}" for problem in error.problems]
            return None

    def lines(self, name: str) -> list[str] | None:
        """The lines of the named file, or None with the problem noted."""
        return self.read(name, read_lines)
