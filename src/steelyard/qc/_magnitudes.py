"""Checks that ask whether degrading a text moves ratings further than repeating it does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from steelyard.domain.result import CheckSettings, Verdict
from steelyard.domain.scale import points
from steelyard.qc._drops import controls_of
from steelyard.qc._verdicts import Finding, conclude, too_few
from steelyard.stats.arrays import FloatArray
from steelyard.stats.rounding import EQUAL
from steelyard.stats.two_sample_tests import TwoSampleTest

TestOfMagnitudes = Callable[[FloatArray, FloatArray], TwoSampleTest]


def compare_magnitudes(frame: pl.DataFrame, settings: CheckSettings, test: TestOfMagnitudes) -> list[Verdict]:
    """One verdict per worker: `pass` iff |base - degraded| is significantly above |first - second|.

    Magnitudes do not distinguish a drop from a rise, so a worker who uses the scale backwards would pass:
    the mean of base minus degraded must be above 0 too [our choice]. Rating all degraded copies
    like their bases is p = 1. Both kinds of pairs are needed, five of each. How often such a check
    finds a drop is not known, so verdicts have no power: it is far less often than a paired t-test.
    """
    controls = controls_of(frame, settings)
    findings = [
        _finding(base - degraded, first - second, settings, test)
        for (base, degraded), (first, second) in zip(
            controls.degraded.each(), controls.repeats.each(), strict=True
        )
    ]
    return conclude(controls.drops, findings, settings)


def _finding(
    drop: FloatArray, change: FloatArray, settings: CheckSettings, test: TestOfMagnitudes
) -> Finding:
    moved, wavered = np.abs(drop), np.abs(change)
    lacking = too_few(len(drop), settings) or too_few(len(change), settings, "repeat pair")
    if len(drop) and not moved.any():
        words = f"Over {len(drop)} pairs, degraded copies were rated exactly as their bases"
        return Finding(np.nan, 1.0, words, too_few=lacking)
    outcome = test(moved, wavered)
    if lacking:
        return Finding(outcome.statistic, outcome.p_value, "", too_few=lacking)
    by_degrading, by_repeating = (
        points(float(size.sum()) / len(size), settings.scale) for size in (moved, wavered)
    )
    words = (
        f"Ratings moved {by_degrading} points over {len(drop)} degraded pairs and {by_repeating} points "
        f"over {len(change)} repeat pairs on average"
    )
    # Differences that cancel out may leave a mean just off 0.
    is_drop = float(drop.sum()) / len(drop) > EQUAL * float(moved.max())
    objection = "" if is_drop else "; degraded copies were not rated lower than their bases on average"
    return Finding(outcome.statistic, outcome.p_value, words, objection=objection)
