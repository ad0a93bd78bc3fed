"""One file of scores in the layout of mt-metrics-eval: a system and a score in each line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.formats.text_file import read_lines
from steelyard.stats.arrays import FloatArray, IntArray

ABSENT = "None"
# Two cells with any white space between.
_SPACED = r"^\s*(?<system>\S+)\s+(?<cell>\S+)\s*$"
# More than these of one file say nothing new.
_MOST_PROBLEMS = 20


@dataclass(frozen=True)
class ScoreLines:
    """The lines of one file. `system` (lines,) counts through `systems`; `score` is NaN for None."""

    where: str
    systems: tuple[str, ...]
    system: IntArray
    score: FloatArray

    @property
    def counts(self) -> IntArray:
        """Number of lines of each system."""
        return np.bincount(self.system, minlength=len(self.systems))

    def uneven(self, n: int, *, because: str) -> list[str]:
        """What is wrong where systems must have `n` lines each."""
        return [
            f'{self.where}: has {count:,} lines of the system "{name}", but {because}.'
            for name, count in zip(self.systems, self.counts.tolist(), strict=True)
            if count != n
        ]

    def block(self) -> FloatArray:
        """The scores by system, in the order of their lines. Shape (systems, lines of each)."""
        order = np.argsort(self.system, kind="stable")
        block: FloatArray = self.score[order].reshape(len(self.systems), -1)
        return block


def read_scores(path: Path, where: str) -> ScoreLines:
    """The scores of a file; SourceError names every line that is not a system and a score or None."""
    lines = read_lines(path)
    # Blank lines at the end say nothing.
    while lines and not lines[-1].strip():
        lines.pop()
    frame = _cells(pl.Series("line", lines, dtype=pl.String))
    score = pl.col("cell").str.strip_prefix("+").cast(pl.Float64, strict=False)
    frame = frame.with_columns(score=score, is_absent=pl.col("cell") == ABSENT)
    is_bad = frame.select(
        pl.col("system").is_null() | ~(pl.col("is_absent") | pl.col("score").is_finite().fill_null(False))
    ).to_series()
    if is_bad.any():
        raise SourceError(where, _problems(frame, is_bad))
    if frame.is_empty():
        raise SourceError(where, ["is empty: each line must hold a system and a score."])
    systems = frame["system"].unique(maintain_order=True)
    codes = frame["system"].cast(pl.Enum(systems)).to_physical().cast(pl.Int64)
    return ScoreLines(
        where, tuple(systems), codes.to_numpy(), frame["score"].fill_null(float("nan")).to_numpy()
    )


def _cells(lines: pl.Series) -> pl.DataFrame:
    """The lines with their system and the cell of its score, both null where a line has not just these two.

    A single tab divides most lines, and names before it may hold spaces; others are cut at white space.
    """
    cells = lines.str.split_exact("\t", 1).struct.rename_fields(["system", "cell"]).struct.unnest()
    cells = cells.select(pl.all().str.strip_chars())
    loose = (
        (lines.str.count_matches("\t", literal=True) != 1) | (cells["system"] == "") | (cells["cell"] == "")
    )
    if loose.any():
        cut = lines.filter(loose).str.extract_groups(_SPACED).struct.unnest()
        places = loose.arg_true()
        cells = cells.with_columns(cells[name].scatter(places, cut[name]) for name in ("system", "cell"))
    return cells.insert_column(0, lines)


def _problems(frame: pl.DataFrame, is_bad: pl.Series) -> list[str]:
    numbers = is_bad.arg_true()
    problems = []
    for number in numbers.head(_MOST_PROBLEMS).to_list():
        line, system, cell, *_ = frame.row(number)
        if system is None:
            problem = f'"{line[:80]}" is not a system and a score with a tab between.'
        else:
            problem = f'the score "{cell}" is not a finite number; write {ABSENT} where there is none.'
        problems.append(f"line {number + 1}: {problem}")
    if len(numbers) > _MOST_PROBLEMS:
        problems.append(f"{len(numbers) - _MOST_PROBLEMS:,} further lines cannot be read.")
    return problems
