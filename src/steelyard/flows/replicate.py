"""From ratings to a Replication: would others have said the same, and how many ratings does that take?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from steelyard.domain.result import NO_CHECK, AnalysisSettings, Counts
from steelyard.evaluation.replication.opinions import Collection
from steelyard.evaluation.replication.settings import Cost, Replication, ReplicationSettings, Requirement
from steelyard.evaluation.replication.study import ready_replication, run_replication
from steelyard.flows.kept import keep_good
from steelyard.flows.plan import plan
from steelyard.flows.plan_choices import Choices
from steelyard.flows.settings import settings_of_another
from steelyard.flows.signature import signature
from steelyard.flows.source import Source
from steelyard.flows.watching import Progress, unseen
from steelyard.protocols import protocols

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steelyard.planning.plan import Plan

# The limits of a plan.
_LEAST_RHO, _MOST_RHO = 0.01, 0.99
_LEAST_PASS_RATE = 0.01


@dataclass(frozen=True, slots=True)
class Prices:
    """What the work costs, as far as the caller knows; None: as in these judgements, or as usual."""

    wage: float | None = None
    fee: float | None = None
    pass_rate: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class _Good:
    """The good ratings of a source, and how many these are of all."""

    collection: Collection
    counts: Counts
    warnings: tuple[str, ...]


def replicate(
    source: Source,
    second: Source | None,
    settings: ReplicationSettings,
    *,
    prices: Prices | None = None,
    progress: Progress = unseen,
) -> Replication:
    """How well mean ratings of a source are replicated by a second one, and what enough of them cost.

    Without a second one the workers of the first are split in two halves. Only good ratings count: those
    that an analysis with the same settings would score. The same input gives the same answer. ChoiceError
    if the prices make no sense.
    """
    prices = prices or Prices()
    # For its refusal only: the prices should make sense before anything is drawn.
    _plan(_priced(prices, n_items=1), 1)
    sources = [source] if second is None else [source, second]
    good = [_good(one, settings_of_another(settings.analysis, one, first=source)) for one in sources]
    study = ready_replication(good[0].collection, None if second is None else good[1].collection, settings)
    with progress("Drawing ratings", study.n_steps) as step:
        found = run_replication(study, step=step)
    return replace(
        found,
        costs=_costs(found, good, source, settings.analysis, prices),
        warnings=(*(warning for part in good for warning in part.warnings), *found.warnings),
        signature="\n".join(_signature(one, of_it, found) for one, of_it in zip(sources, good, strict=True)),
    )


def _good(source: Source, settings: AnalysisSettings) -> _Good:
    """The ratings that quality control keeps, standardised on the source's own scale."""
    kept = keep_good(source, settings)
    return _Good(
        # A campaign's title is for workers: its name is shorter.
        Collection(source.campaign, kept.quality.kept, settings.method_settings),
        counts=kept.counts,
        warnings=(*source.warnings, *kept.quality.warnings),
    )


def _costs(
    found: Replication, good: Sequence[_Good], source: Source, asked: AnalysisSettings, prices: Prices
) -> tuple[Cost | None, ...]:
    """What every requirement costs for the items of the study."""
    rho = found.rho.filter((pl.col("of") == "") & (pl.col("scale") == "z"))["rho"].item()
    choices: Choices = {
        **_priced(prices, n_items=found.n_items),
        **_of_protocol(source, good[0].collection.frame),
    }
    if rho is not None:
        choices["rho"] = min(max(rho, _LEAST_RHO), _MOST_RHO)
    assumed: tuple[str, ...] = ()
    if prices.pass_rate is None and asked.check != NO_CHECK and not asked.keep_everyone:
        share = sum(part.counts.kept_judgements for part in good) / sum(
            part.counts.judgements for part in good
        )
        choices["pass_rate"] = max(share, _LEAST_PASS_RATE)
        assumed = (f"{100 * share:.0f} % of the ratings are kept, as in these judgements",)

    def planned(requirement: Requirement) -> Cost | None:
        expected, fewest, most = (
            None if ratings is None else _plan(choices, ratings)
            for ratings in (requirement.ratings, requirement.fewest, requirement.most)
        )
        if expected is None:
            return None
        return Cost(
            replace(expected, assumptions=(*assumed, *expected.assumptions)),
            at_fewest=None if fewest is None else fewest.expected.outlay,
            at_most=None if most is None else most.expected.outlay,
        )

    return tuple(map(planned, found.needed))


def _plan(choices: Choices, ratings: int) -> Plan:
    wanted: Choices = {**choices, "ratings_per_item": ratings}
    return plan(**wanted)


def _priced(prices: Prices, *, n_items: int) -> Choices:
    """Each item once, as if of one system: the number of items is what counts."""
    return {
        "systems": 1,
        "segments": n_items,
        "wage": prices.wage,
        "fee": prices.fee,
        "seconds": prices.seconds,
        "pass_rate": prices.pass_rate,
    }


def _of_protocol(source: Source, frame: pl.DataFrame) -> Choices:
    """Protocol and attribute of a campaign, which decide how long an item takes; nothing for a file."""
    if source.protocol is None or source.protocol not in protocols():
        return {}
    named = frame["attribute"].unique().cast(pl.String).to_list()
    known = protocols()[source.protocol].attributes
    return {
        "protocol": source.protocol,
        "attribute": named[0] if len(named) == 1 and named[0] in known else known[0],
    }


def _signature(source: Source, good: _Good, found: Replication) -> str:
    """What an analysis by mean z over workers would say, then what is peculiar to this study."""
    asked = found.settings.analysis
    of_method = replace(good.collection.settings, unit="worker", draws=found.settings.draws)
    known = signature(
        replace(asked, method="mean-z", method_settings=of_method),
        good.counts,
        campaign=source.campaign,
        protocol=source.protocol,
        weights=source.weights,
    )
    return f"{known}|study:replication|of:{'halves' if found.is_split else 'collections'}"
