"""Does the worker rate degraded items below others, whichever belongs to which?"""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.domain.plugin import Check
from steelyard.domain.result import CheckSettings, Verdict
from steelyard.domain.scale import drop_in_points
from steelyard.domain.work import ItemKind
from steelyard.qc._drops import Controls, Drops, controls_of
from steelyard.qc._verdicts import Finding, conclude, drop_in_words, too_few
from steelyard.qc._worker_pairs import each_worker, ratings_by_worker, workers_of
from steelyard.stats.arrays import FloatArray
from steelyard.stats.paired_tests import mean_and_sd_by_group
from steelyard.stats.two_sample_tests import mann_whitney


def run(frame: pl.DataFrame, settings: CheckSettings) -> list[Verdict]:
    """One verdict per worker: `pass` iff degraded items are rated significantly lower, unpaired.

    Mann and Whitney's one-sided test of base against degraded ratings, raw, as two unpaired lists;
    Appraise [Federmann2018] does the same on standardised ratings. Where texts differ much in quality
    it finds less than a paired test would; how often it finds a drop is not known, so verdicts have
    no power.

    A degraded system among others gives degraded items without bases [Ji2022]. If no degraded item
    of the whole frame has a base, each worker's ratings of degraded items are compared with all
    regular ones of that worker. One rule for everybody: a single pair anywhere, and bases are used.
    Without bases every rating counts, of whatever attribute, as those authors had it. The attributes
    of one text are not independent, so with several of them p is too small: of workers who answer at
    random, more pass than the threshold says.
    """
    controls = controls_of(frame, settings)
    is_degraded = pl.col("item_kind") == str(ItemKind.DEGRADED)
    if not controls.degraded.sizes.any() and frame.select(is_degraded.any()).item():
        return _without_bases(frame, settings)
    return conclude(controls.drops, _with_bases(controls, settings), settings)


def _with_bases(controls: Controls, settings: CheckSettings) -> list[Finding]:
    findings = []
    for (base, degraded), mean in zip(controls.degraded.each(), controls.drops.mean.tolist(), strict=True):
        test, n = mann_whitney(base, degraded), len(base)
        words = drop_in_words(n, mean, settings)
        findings.append(Finding(test.statistic, test.p_value, words, too_few=too_few(n, settings)))
    return findings


def _without_bases(frame: pl.DataFrame, settings: CheckSettings) -> list[Verdict]:
    workers = workers_of(frame)
    regular, n_regular = ratings_by_worker(frame, ItemKind.REGULAR, workers)
    degraded, n_degraded = ratings_by_worker(frame, ItemKind.DEGRADED, workers)
    mean = mean_and_sd_by_group(regular, n_regular)[0] - mean_and_sd_by_group(degraded, n_degraded)[0]
    unknown = np.full(len(workers), np.nan)
    drops = Drops(workers.to_list(), n_degraded, mean, unknown, np.zeros(len(workers)))
    findings = [
        _against_others(others, bad, settings)
        for others, bad in zip(
            each_worker(regular, n_regular), each_worker(degraded, n_degraded), strict=True
        )
    ]
    return conclude(drops, findings, settings)


def _against_others(others: FloatArray, degraded: FloatArray, settings: CheckSettings) -> Finding:
    test = mann_whitney(others, degraded)
    lacking = too_few(len(degraded), settings, "degraded item") or too_few(
        len(others), settings, "regular item"
    )
    if lacking:
        return Finding(test.statistic, test.p_value, "", too_few=lacking)
    drop = drop_in_points(float(others.mean() - degraded.mean()), settings.scale)
    words = (
        f"{len(degraded)} ratings of degraded items, which have no bases here, were {drop} on average "
        f"than the worker's {len(others)} regular ones"
    )
    return Finding(test.statistic, test.p_value, words)


CHECK = Check(
    name="rank-sum",
    title="Rank-sum test of base against degraded ratings",
    cite=("Federmann2018", "Ji2022"),
    run=run,
)
