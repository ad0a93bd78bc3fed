"""Does degrading a text move the worker's ratings further, going by ranks, than repeating it?"""

from __future__ import annotations

import polars as pl

from steelyard.domain.plugin import Check
from steelyard.domain.result import CheckSettings, Verdict
from steelyard.qc._magnitudes import compare_magnitudes
from steelyard.stats.two_sample_tests import mann_whitney


def run(frame: pl.DataFrame, settings: CheckSettings) -> list[Verdict]:
    """One verdict per worker: `pass` iff degraded pairs mostly differ more than repeats [Graham2013].

    Mann and Whitney's one-sided test on the magnitudes of differences, raw, pooled over the
    worker's HITs. It asks for no shape of distribution, and finds even less than `welch` does.
    """
    return compare_magnitudes(frame, settings, mann_whitney)


CHECK = Check(
    name="mann-whitney",
    title="Mann-Whitney test of degraded against repeat pairs",
    cite=("Graham2013",),
    run=run,
)
