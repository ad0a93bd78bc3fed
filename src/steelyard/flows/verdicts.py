"""Verdicts on workers alone: as soon as there is any judgement, whether or not systems can be ranked yet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import AnalysisSettings
from steelyard.flows.kept import frame_read, keep_good
from steelyard.flows.open import OpenCampaign
from steelyard.flows.settings import named_method, settings_from
from steelyard.flows.source import Source, from_campaign
from steelyard.report.plain import records
from steelyard.review.flags import FLAGS

# What was found about each worker, those of the contract first.
_COLUMNS = (
    *("worker_id", "n_judgements", "n_pairs", "mean_difference", "statistic", "p_value", "verdict", "flags"),
    *("mean", "sd", "sd_difference", "power", "n_repeats", "consistency_p", "equivalence_p"),
    *("seconds_per_judgement", "suggestion", "reason", "remarks"),
)


@dataclass(frozen=True)
class Verdicts:
    """What the check found. `workers`: those columns of an analysis that do not come from a method."""

    check: str
    workers: pl.DataFrame
    warnings: tuple[str, ...] = ()

    def by_worker(self) -> dict[str, dict[str, Any]]:
        """What was found about each worker, by worker_id."""
        return {row["worker_id"]: row for row in self.workers.iter_rows(named=True)}


def campaign_verdicts(campaign: OpenCampaign, *, check: str | None = None) -> Verdicts:
    """What a check finds about the workers of a campaign; None: the campaign's own."""
    source = from_campaign(campaign)
    return worker_verdicts(source, settings_from(source, check=check))


def worker_verdicts(source: Source, settings: AnalysisSettings) -> Verdicts:
    """The check alone, as an analysis with these settings would have it; nobody without judgements."""
    if not source.gives:
        return Verdicts(settings.check, pl.DataFrame(schema=dict.fromkeys(_COLUMNS, pl.String)))
    reads = frame_read(source, named_method(settings.method))
    try:
        quality = keep_good(source, settings, reads=reads).quality
    except NotEnoughData:
        # Nothing would be left to score. What is known of each worker can be said all the same.
        everyone = replace(settings, keep_everyone=True, exclude_hits=False, exclusions="ignore")
        quality = keep_good(source, everyone, reads=reads).quality
    return Verdicts(settings.check, quality.workers.select(_COLUMNS), quality.warnings)


def flag_phrase(flag: str) -> str:
    """A flag in a few words.

    >>> flag_phrase("time")
    'very fast'
    """
    return FLAGS.get(flag, flag)


def verdicts_record(found: Verdicts) -> dict[str, Any]:
    """The verdicts in plain types; `phrases` has the flags that were raised in a few words."""
    flags = sorted({flag for row in found.workers.iter_rows(named=True) for flag in row["flags"] or ()})
    return {
        "check": found.check,
        "workers": records(found.workers),
        "phrases": {flag: flag_phrase(flag) for flag in flags},
        "warnings": list(found.warnings),
    }
