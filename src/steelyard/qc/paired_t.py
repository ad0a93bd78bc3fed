"""Does the worker rate degraded copies below the translations they were made from?"""

from __future__ import annotations

import polars as pl

from steelyard.domain.plugin import Check
from steelyard.domain.result import CheckSettings, Verdict
from steelyard.qc._drops import controls_of, power_by_repeats
from steelyard.qc._verdicts import Finding, conclude, drop_in_words, too_few
from steelyard.stats.paired_tests import paired_t_by_group


def run(frame: pl.DataFrame, settings: CheckSettings) -> list[Verdict]:
    """One verdict per worker: `pass` iff degraded copies are rated significantly lower [Graham2014].

    A one-sided paired t-test on base minus degraded rating, raw, pooled over the worker's HITs.
    Someone who answers at random passes as often as the threshold says; an honest but noisy worker
    with only ten pairs often fails, so a fail alone does not prove carelessness: `power` is the chance that
    this worker passes if degraded copies are a fifth of the scale worse. Where texts have several
    attributes, the means over these are tested.
    """
    controls = controls_of(frame, settings)
    tests = paired_t_by_group(controls.degraded.difference, controls.degraded.sizes)
    numbers = (tests.statistic, tests.p_value, tests.n, tests.mean)
    findings = (
        Finding(statistic, p_value, drop_in_words(n, mean, settings), too_few=too_few(n, settings))
        for statistic, p_value, n, mean in zip(*(column.tolist() for column in numbers), strict=True)
    )
    return conclude(controls.drops, findings, settings, power=power_by_repeats(controls, settings))


CHECK = Check(
    name="paired-t",
    title="Paired t-test on degraded pairs",
    cite=("Graham2014",),
    run=run,
    is_usual=True,
)
