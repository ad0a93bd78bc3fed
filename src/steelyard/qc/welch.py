"""Does degrading a text move the worker's ratings further, on average, than repeating it?"""

from __future__ import annotations

import polars as pl

from steelyard.domain.plugin import Check
from steelyard.domain.result import CheckSettings, Verdict
from steelyard.qc._magnitudes import compare_magnitudes
from steelyard.stats.two_sample_tests import welch


def run(frame: pl.DataFrame, settings: CheckSettings) -> list[Verdict]:
    """One verdict per worker: `pass` iff degraded pairs differ significantly more than repeats [Graham2013].

    Welch's one-sided t-test on the magnitudes of differences, raw, pooled over the worker's HITs.
    Magnitudes waste the information in signs: with twenty pairs, an honest worker whose ratings scatter by
    20 points fails two times in three, so prefer `paired-t` unless you compare with older work.
    """
    return compare_magnitudes(frame, settings, welch)


CHECK = Check(
    name="welch",
    title="Welch's t-test of degraded against repeat pairs",
    cite=("Graham2013",),
    run=run,
)
