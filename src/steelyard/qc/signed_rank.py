"""Does the worker rate degraded copies below their bases, going by ranks of differences?"""

from __future__ import annotations

import polars as pl

from steelyard.domain.plugin import Check
from steelyard.domain.result import CheckSettings, Verdict
from steelyard.qc._drops import controls_of, power_by_repeats
from steelyard.qc._verdicts import Finding, at_least, conclude, drop_in_words, too_few
from steelyard.qc._worker_pairs import each_worker
from steelyard.stats.arrays import FloatArray
from steelyard.stats.paired_tests import signed_rank


def run(frame: pl.DataFrame, settings: CheckSettings) -> list[Verdict]:
    """One verdict per worker: `pass` iff degraded copies are rated significantly lower [Mathur2018].

    A one-sided signed-rank test on base minus degraded rating, raw, pooled over the worker's HITs.
    Pairs rated alike are dropped, and with fewer than five others there is no verdict; but a
    worker who rates all pairs alike fails. A few huge differences sway it less than a t-test.

    `power` is that of a paired t-test on as many pairs, an approximation: a little too high where
    ratings scatter normally, more so where many pairs are rated alike.
    """
    controls = controls_of(frame, settings)
    differences = each_worker(controls.degraded.difference, controls.degraded.sizes)
    means = controls.drops.mean.tolist()
    findings = [_finding(one, mean, settings) for one, mean in zip(differences, means, strict=True)]
    return conclude(controls.drops, findings, settings, power=power_by_repeats(controls, settings))


def _finding(difference: FloatArray, mean: float, settings: CheckSettings) -> Finding:
    test, n = signed_rank(difference), len(difference)
    lacking = too_few(n, settings)
    if not lacking and 0 < test.n < settings.least_pairs:
        lacking = f"Only {test.n} of {n} degraded pairs were not rated alike; {at_least(settings)}"
    return Finding(test.statistic, test.p_value, drop_in_words(n, mean, settings), too_few=lacking)


CHECK = Check(
    name="signed-rank",
    title="Signed-rank test on degraded pairs",
    cite=("Mathur2018",),
    run=run,
)
