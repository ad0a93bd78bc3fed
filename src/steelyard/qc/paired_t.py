"""Does the worker rate degraded copies below the translations they were made from?"""

from __future__ import annotations

import math

import polars as pl

from steelyard.domain.plugin import Check
from steelyard.domain.result import Verdict, VerdictName
from steelyard.domain.work import ItemKind
from steelyard.qc._worker_pairs import MINIMUM_PAIRS, WorkerPairs, pairs_by_worker, passes
from steelyard.stats.paired_tests import PairedTest, paired_t


def run(frame: pl.DataFrame, threshold: float, threshold_included: bool) -> list[Verdict]:
    """One verdict per worker: `pass` iff degraded copies are rated significantly lower [Graham2014].

    A one-sided paired t-test on base minus degraded rating, raw, pooled over the worker's HITs.
    Someone who answers at random passes with the probability of the threshold; an honest but
    noisy worker with only ten pairs often fails, so a fail alone is no proof of carelessness.
    """
    return [
        _verdict(pairs, threshold=threshold, included=threshold_included)
        for pairs in pairs_by_worker(frame, ItemKind.DEGRADED)
    ]


def _verdict(pairs: WorkerPairs, *, threshold: float, included: bool) -> Verdict:
    test = paired_t(pairs.base - pairs.control)
    verdict: VerdictName = "fail"
    if test.n < MINIMUM_PAIRS:
        verdict = "insufficient"
    elif passes(test.p_value, threshold=threshold, included=included):
        verdict = "pass"
    return Verdict(
        worker_id=pairs.worker_id,
        verdict=verdict,
        n_pairs=test.n,
        mean_difference=_known(test.mean),
        sd_difference=_known(test.sd),
        statistic=_known(test.statistic),
        p_value=_known(test.p_value),
        reason=_reason(pairs, test, verdict, _limit(threshold, included=included)),
    )


def _limit(threshold: float, *, included: bool) -> str:
    return f"{'at most' if included else 'below'} {threshold:g}"


def _reason(pairs: WorkerPairs, test: PairedTest, verdict: VerdictName, limit: str) -> str:
    if verdict == "insufficient":
        return f"Only {test.n} degraded pairs were judged; at least {MINIMUM_PAIRS} are needed to tell."
    direction = "lower" if test.mean >= 0 else "higher"
    found = (
        f"Over {test.n} pairs, degraded copies were rated {abs(test.mean):.1f} points {direction} "
        f"on average (p = {test.p_value:.2g}, {'' if verdict == 'pass' else 'not '}{limit})"
    )
    if pairs.share_at_ceiling > 0.5:
        found += f"; {pairs.share_at_ceiling:.0%} of the pairs were rated 100 twice, which tells nothing"
    return found + "."


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


CHECK = Check(
    name="paired-t",
    title="Paired t-test on degraded pairs",
    cite=("Graham2014",),
    run=run,
)
