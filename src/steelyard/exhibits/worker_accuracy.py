"""How well workers who passed and workers who failed agree with the truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import (
    Axis,
    Bars,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Panel,
    Rule,
    Tone,
)
from steelyard.domain.plugin import Exhibit
from steelyard.domain.wording import counted
from steelyard.exhibits._sources import require_checked, table_of, was_checked
from steelyard.exhibits._worker_truth import LEAST_ITEMS, LEAST_OTHERS, beside_truth
from steelyard.stats.arrays import FloatArray

# Above this correlation a worker's ratings are as good as anybody's, by [Mathur2018].
ACCURATE = 0.6
_SHOWN: tuple[tuple[str, str, Tone], ...] = (("pass", "passed", "good"), ("fail", "failed", "bad"))
_COLUMNS = (
    Column("left", "r from", 1),
    Column("right", "to", 1),
    Column("n_passed", "Passed"),
    Column("n_failed", "Failed"),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """How many workers reach which accuracy, those who passed the check beside those who failed.

    Accuracy is the correlation of a worker's ratings with the truth, the mean z of the other workers who
    passed [Mathur2018, figure 1]; workers of several sources are counted together. Failed workers to
    the right of the line are good ratings thrown away, which a model of workers could have used. The truth
    is itself uncertain where it rests on few ratings, so that nobody reaches 1; and it is made by those who
    passed, so that a taste they share counts as accuracy.
    """
    require_checked(evidence)
    workers = pl.concat([_workers(source) for source in evidence if was_checked(source.analysis)])
    judged = workers.filter(pl.col("verdict").is_in([verdict for verdict, _, _ in _SHOWN])).drop_nulls("r")
    if judged.is_empty():
        raise NotEnoughData(
            "No worker with a verdict judged enough translations that others, whose ratings are kept, judged "
            "too, and rated them differently, so nobody's accuracy is known."
        )
    edges = _edges(judged["r"].to_numpy())
    counts = {verdict: _counts(judged.filter(verdict=verdict), edges) for verdict, _, _ in _SHOWN}
    # Some room for the words beside the line.
    top = 1.1 * max(max(column) for column in counts.values())
    table = table_of(
        FIGURE,
        evidence,
        _COLUMNS,
        pl.DataFrame(
            {
                "left": edges[:-1],
                "right": edges[1:],
                "n_passed": counts["pass"],
                "n_failed": counts["fail"],
            }
        ),
        notes=("From is included, to is not, except for 1. r is Pearson's, of ratings and truth.",),
    )
    return Figure.of(
        table,
        caption=_in_words(judged) + _unseen(evidence, judged),
        panels=[
            _panel(words, tone, edges=edges, counts=counts[verdict], top=top)
            for verdict, words, tone in _SHOWN
        ],
    )


def _workers(source: Evidence) -> pl.DataFrame:
    verdicts = source.analysis.workers.select("worker_id", "verdict")
    return beside_truth(source).join(verdicts, on="worker_id", how="left", maintain_order="left")


def _edges(values: FloatArray) -> FloatArray:
    """Tenths from the lowest correlation, and in any case from 0, to 1."""
    # Rounding may put a correlation below -1.
    lowest = max(-10, min(0, int(np.floor(10 * values.min()))))
    tenths: FloatArray = np.arange(lowest, 11) / 10
    return tenths


def _counts(workers: pl.DataFrame, edges: FloatArray) -> list[int]:
    # A correlation of 1 belongs to the last tenth.
    place = np.searchsorted(edges, workers["r"].to_numpy(), side="right") - 1
    counts: list[int] = np.bincount(place.clip(0, len(edges) - 2), minlength=len(edges) - 1).tolist()
    return counts


def _panel(words: str, tone: Tone, *, edges: FloatArray, counts: Sequence[int], top: float) -> Panel:
    return Panel(
        x=Axis("correlation with the truth", low=float(edges[0]), high=1.0),
        y=Axis("workers", low=0.0, high=top),
        marks=(
            Bars(tuple(edges[:-1].tolist()), tuple(edges[1:].tolist()), tuple(map(float, counts)), tone=tone),
            Rule(of="x", at=ACCURATE, label=f"r = {ACCURATE:g}"),
        ),
        title=f"{words} ({counted(sum(counts), 'worker')})",
    )


def _in_words(judged: pl.DataFrame) -> str:
    accurate = judged.filter(pl.col("r") > ACCURATE)
    failed = len(accurate.filter(verdict="fail"))
    said = (
        f"Of {counted(len(accurate), 'worker')} above r = {ACCURATE:g}, {failed} failed the check "
        f"({100 * failed / len(accurate):.1f} %)."
        if len(accurate)
        else f"Nobody is above r = {ACCURATE:g}."
    )
    others = float(np.median(judged["n_others"].to_numpy()))
    return (
        f"Workers by the correlation of their ratings with the truth. {said} The truth of a translation "
        f"rests on {others:g} other workers at the median."
    )


def _unseen(evidence: Sequence[Evidence], judged: pl.DataFrame) -> str:
    unseen = sum(source.judged["worker_id"].n_unique() for source in evidence) - len(judged)
    if not unseen:
        return ""
    return (
        f" Not shown: {counted(unseen, 'worker')} without a verdict, or with fewer than {LEAST_ITEMS} "
        f"translations that {LEAST_OTHERS} others judged too."
    )


FIGURE = Exhibit(
    name="worker-accuracy",
    title="Accuracy of workers",
    cite=("Mathur2018",),
    make=make,
    several=True,
)
