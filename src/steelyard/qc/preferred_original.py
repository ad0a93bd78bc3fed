"""Does the worker prefer translations to their degraded copies?"""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.domain.plugin import Check
from steelyard.domain.result import CheckSettings, Verdict
from steelyard.domain.wording import counted
from steelyard.preferences import control_preferences
from steelyard.qc._drops import Drops
from steelyard.qc._verdicts import Finding, conclude, too_few
from steelyard.qc._worker_pairs import workers_of
from steelyard.stats.sign_test import sign_test


def run(frame: pl.DataFrame, settings: CheckSettings) -> list[Verdict]:
    """One verdict per worker: `pass` iff originals are preferred significantly more often [Conover1999].

    A one-sided exact sign test on the pairs of a translation and its degraded copy, pooled over the worker's
    HITs. Pairs for which neither was preferred are dropped from the test, for they say nothing about
    the side: someone who answers at random passes with the probability of the threshold at most, however
    often that is a tie. But they are pairs that were judged: a worker who calls all of them ties fails.
    Where a pair has several attributes, it counts once, for the side that more of them prefer.

    `mean_difference` is the share that preferred the original less the share that preferred the copy;
    `statistic` the number that preferred the original.
    """
    workers = workers_of(frame)
    named = pl.DataFrame({"worker_id": workers})
    said = pl.col("outcome")
    counts = named.join(
        control_preferences(frame)
        .group_by("worker_id")
        .agg(
            n=pl.len().cast(pl.Int64),
            original=(said > 0).sum().cast(pl.Int64),
            degraded=(said < 0).sum().cast(pl.Int64),
        ),
        on="worker_id",
        how="left",
        maintain_order="left",
    ).fill_null(0)
    n, original, degraded = (counts[name].to_numpy() for name in ("n", "original", "degraded"))
    mean = np.divide(original - degraded, n, out=np.full(len(n), np.nan), where=n > 0)
    squares = original + degraded - n * np.nan_to_num(mean) ** 2
    variance = np.divide(squares, n - 1, out=np.full(len(n), np.nan), where=n > 1)
    worker_ids = workers.cast(pl.String).to_list()
    drops = Drops(worker_ids, n, mean, np.sqrt(np.maximum(variance, 0.0)), np.zeros(len(n)))
    numbers = (column.tolist() for column in (n, original, degraded, sign_test(original, degraded)))
    findings = [_finding(*row, settings=settings) for row in zip(*numbers, strict=True)]
    return conclude(drops, findings, settings)


def _finding(n: int, original: int, degraded: int, p_value: float, *, settings: CheckSettings) -> Finding:
    ties = n - original - degraded
    words = (
        f"In {counted(n, 'pair')}, the original was preferred {_times(original)} and its degraded copy "
        f"{_times(degraded)}"
    )
    if ties:
        words += f"; {ties} {'was a tie' if ties == 1 else 'were ties'}"
    return Finding(float(original), p_value, words, too_few=too_few(n, settings))


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


CHECK = Check(
    name="preferred-original",
    title="Sign test on degraded pairs",
    cite=("Conover1999",),
    run=run,
    reads="preferences",
    is_usual=True,
)
