"""From what a test found to verdicts, and the words of their reasons."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from steelyard.domain.result import CheckSettings, Verdict, VerdictName
from steelyard.domain.scale import Scale, drop_in_points
from steelyard.qc._drops import Drops, drop_to_find
from steelyard.stats.arrays import FloatArray

# The verdict of a worker who fails a check that would miss a fifth of such drops says so [our choice].
GOOD_POWER = 0.8


@dataclass(frozen=True, slots=True)
class Finding:
    """What a test found about one worker.

    `words` is the start of the reason, up to the p-value. With `too_few`, a whole sentence, the
    verdict is `insufficient`; with `objection`, the end of a sentence, it is `fail` whatever p is.
    """

    statistic: float
    p_value: float
    words: str
    too_few: str = ""
    objection: str = ""


def conclude(
    drops: Drops, findings: Iterable[Finding], settings: CheckSettings, *, power: FloatArray | None = None
) -> list[Verdict]:
    """One verdict per worker, from the findings in the same order.

    `power` is each worker's, for checks that know theirs; a fail for which it is low says so.
    """
    powers = np.full(len(drops.worker_ids), np.nan) if power is None else power
    columns = [_known(column) for column in (drops.mean, drops.sd, powers)]
    numbers = zip(drops.worker_ids, drops.n.tolist(), *columns, drops.at_ceiling.tolist(), strict=True)
    verdicts = []
    for (worker_id, n, mean, sd, own_power, at_ceiling), finding in zip(numbers, findings, strict=True):
        verdict = _decision(finding, settings)
        reason = finding.too_few or _reason(finding, at_ceiling, settings)
        if verdict == "fail" and own_power is not None and own_power < GOOD_POWER:
            reason += _warning(own_power, settings.scale)
        verdicts.append(
            Verdict(
                worker_id=worker_id,
                verdict=verdict,
                n_pairs=n,
                mean_difference=mean,
                sd_difference=sd,
                statistic=None if math.isnan(finding.statistic) else finding.statistic,
                p_value=None if math.isnan(finding.p_value) else finding.p_value,
                reason=reason,
                power=own_power,
            )
        )
    return verdicts


def drop_in_words(n: int, mean: float, settings: CheckSettings) -> str:
    """How far ratings drop from bases to degraded copies: the start of a reason."""
    return f"Over {n} pairs, degraded copies were rated {drop_in_points(mean, settings.scale)} on average"


def too_few(n: int, settings: CheckSettings, what: str = "degraded pair") -> str:
    """The reason why n of something are too few; empty if they are enough."""
    if n >= settings.least_pairs:
        return ""
    return f"Only {n} {what}{' was' if n == 1 else 's were'} judged; {at_least(settings)}"


def at_least(settings: CheckSettings) -> str:
    """How many are needed: the end of a sentence."""
    return f"at least {settings.least_pairs} are needed to tell."


def _decision(finding: Finding, settings: CheckSettings) -> VerdictName:
    if finding.too_few:
        return "insufficient"
    return "pass" if settings.passes(finding.p_value) and not finding.objection else "fail"


def _reason(finding: Finding, at_ceiling: float, settings: CheckSettings) -> str:
    is_low = settings.passes(finding.p_value)
    # Two digits, unless they would make a p-value beside the threshold look like it.
    p_value = f"{finding.p_value:.2g}"
    if p_value == f"{settings.threshold:.2g}":
        p_value = f"{finding.p_value:.4g}"
    reason = f"{finding.words} (p = {p_value}, {'' if is_low else 'not '}{settings.limit})"
    if at_ceiling > 0.5:
        share, top = f"{100 * at_ceiling:.0f} %", f"{settings.scale.maximum:g}"
        reason += f"; {share} of the pairs were rated {top} twice, which tells nothing"
    return f"{reason}{finding.objection}."


def _warning(power: float, scale: Scale) -> str:
    return (
        f" With this worker's own scatter the check would find a drop of {drop_to_find(scale):g} points "
        f"in {math.floor(100 * power)} % of cases."
    )


def _known(numbers: FloatArray) -> list[float | None]:
    return [None if math.isnan(number) else number for number in numbers.tolist()]
