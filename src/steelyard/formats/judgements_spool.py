"""Judgements on their way to a file, piece by piece: a campaign of any size is written in little memory.

Some columns are written only where some row has them, so nothing can be written before all is known. Until
then the pieces lie in a temporary folder.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.judgement import FrameName
from steelyard.formats.judgements_writing import as_written, columns_with_cells, written_table
from steelyard.formats.table_file import write_pieces


class JudgementsSpool:
    """Pieces of frames, to be added in order and then written. Add at least one of each, if an empty one."""

    def __init__(self) -> None:
        self.n_judgements = 0
        self._folder = TemporaryDirectory(prefix="steelyard-export-")
        self._columns: dict[FrameName, list[str]] = {}
        self._wanted: defaultdict[FrameName, set[str]] = defaultdict(set)
        self._pieces: defaultdict[FrameName, list[Path]] = defaultdict(list)
        self._n_rows: defaultdict[FrameName, int] = defaultdict(int)

    def add(self, frame: pl.DataFrame, name: FrameName) -> None:
        """Add rows of ratings, preferences or spans."""
        if frame.is_empty() and self._pieces[name]:
            return
        table = written_table(frame, name)
        self._columns.setdefault(name, table.columns)
        self._wanted[name] |= columns_with_cells(table, name)
        self._n_rows[name] += len(table)
        piece = Path(self._folder.name) / f"{name}-{len(self._pieces[name]):06}.arrow"
        try:
            table.write_ipc(piece)
        except OSError as error:
            problem = f"there is no room for temporary files ({error.strerror or error}); set TMPDIR."
            raise SourceError(self._folder.name, [problem]) from None
        self._pieces[name].append(piece)

    def n_rows(self, name: FrameName) -> int:
        """How many rows there are so far."""
        return self._n_rows[name]

    def write(self, path: Path, name: FrameName) -> None:
        """Write all pieces as one file, in the format its ending names, whole or not at all."""
        write_pieces(self._pieces[name], as_written(self._columns[name], self._wanted[name], path), path)

    def __enter__(self) -> JudgementsSpool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()
