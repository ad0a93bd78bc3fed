"""Precision over time: how wide the intervals of systems were after so many judgements, and the plan."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from statistics import NormalDist
from typing import Any

import polars as pl

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.errors import NotEnoughData, as_command_line
from steelyard.domain.result import Analysis, AnalysisSettings
from steelyard.flows.analyse import analyse
from steelyard.flows.open import OpenCampaign
from steelyard.flows.progress import Progress
from steelyard.flows.settings import named_method
from steelyard.flows.source import Source
from steelyard.planning.cost import PASS_RATES
from steelyard.planning.variation import TYPICAL_UNEVENNESS, Amounts, Variation, expected_errors
from steelyard.report.plain import plain
from steelyard.store.wanted import WantedRatings, wanted_ratings

# We look after 50 judgements, 100, 200 and so on: at the last few of these, and now [our choices].
_FIRST, _LOOKS = 50, 4
# Points of the planned curve: from a sixteenth of the campaign to all of it.
_HALVINGS = 4

# Gives what was computed before under a key, or computes it.
Remember = Callable[[Hashable, Callable[[], "PrecisionPoint"]], "PrecisionPoint"]


@dataclass(frozen=True, slots=True)
class PrecisionPoint:
    """The first so many judgements. `half_width`: of the systems' intervals on average.

    It is None where they could not be scored yet; then `why` says why.
    """

    n_judgements: int
    until: datetime
    kept_judgements: int | None
    n_systems: int | None
    half_width: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class PlannedPoint:
    """What the planner expects of so many judgements."""

    n_judgements: int
    half_width: float


@dataclass(frozen=True, slots=True)
class PrecisionOverTime:
    """Precision so far, and as planned until every place is filled. `planned` is empty if no plan fits."""

    method: str
    unit: str
    level: float
    draws: int
    n_wanted: int
    points: tuple[PrecisionPoint, ...]
    planned: tuple[PlannedPoint, ...]
    notes: tuple[str, ...]


def looks(n_judgements: int) -> list[int]:
    """After how many judgements precision is looked at.

    >>> looks(40), looks(130), looks(10_000)
    ([40], [50, 100, 130], [800, 1600, 3200, 6400, 10000])
    """
    sizes = []
    size = _FIRST
    while size < n_judgements:
        sizes.append(size)
        size *= 2
    return [*sizes[-_LOOKS:], n_judgements] if n_judgements else []


def precision_over_time(
    campaign: OpenCampaign,
    source: Source,
    settings: AnalysisSettings,
    progress: Progress,
    *,
    remember: Remember = lambda _, make: make(),
) -> PrecisionOverTime:
    """Precision after more and more judgements, by the same analysis each time, in order of arrival.

    The last point is the analysis of everything. An earlier one never changes, so `remember` may give it.
    """
    moments = _arrivals(source)
    points = []
    for n in looks(len(moments)):
        until = moments[n - 1]
        key = (n, until, settings, progress.n_corrections)

        def make(n: int = n, until: datetime = until) -> PrecisionPoint:
            return _point(source, settings, n, until, is_last=n == len(moments))

        points.append(remember(key, make))
    with campaign.store.read() as connection:
        wanted = wanted_ratings(connection)
    planned = _planned(wanted, settings, progress.n_wanted, campaign.settings)
    return PrecisionOverTime(
        method=settings.method,
        unit=_unit(settings),
        level=settings.method_settings.level,
        draws=settings.method_settings.draws,
        n_wanted=progress.n_wanted,
        points=tuple(points),
        planned=planned,
        notes=_notes(settings, campaign.settings.attribute, has_plan=bool(planned)),
    )


def _arrivals(source: Source) -> list[datetime]:
    """When each judgement came, in order."""
    keys = ["assignment_id", "position", "submitted_at"]
    frames = [source.of(name).select(keys) for name in source.gives]
    if not frames:
        return []
    each = pl.concat(frames).unique(["assignment_id", "position"])
    return each["submitted_at"].sort().to_list()


def _point(
    source: Source, settings: AnalysisSettings, n: int, until: datetime, *, is_last: bool
) -> PrecisionPoint:
    early = source if is_last else _until(source, until)
    try:
        found = analyse(early, settings)
    except NotEnoughData as error:
        return PrecisionPoint(n, until, None, None, None, error.spelt(as_command_line))
    return PrecisionPoint(n, until, found.counts.kept_judgements, len(found.systems), half_width(found))


def half_width(analysis: Analysis) -> float | None:
    """Half the width of the systems' intervals, on average over those that have one; None if none has."""
    found = analysis.systems.select(((pl.col("upper") - pl.col("lower")) / 2).drop_nans().drop_nulls().mean())
    value = found.item()
    return None if value is None else float(value)


def _until(source: Source, until: datetime) -> Source:
    """What had been judged by then."""
    early = pl.col("submitted_at") <= until
    return replace(
        source,
        frame=source.frame.filter(early),
        preferences=source.preferences.filter(early),
        spans=source.spans.filter(early),
    )


def _planned(
    wanted: WantedRatings | None, settings: AnalysisSettings, n_wanted: int, campaign: CampaignSettings
) -> tuple[PlannedPoint, ...]:
    if named_method(settings.method).mean_of != "z" or wanted is None or not n_wanted:
        return ()
    z = NormalDist().inv_cdf((1 + settings.method_settings.level) / 2)
    length = wanted.document_length
    variation = Variation(
        document_length=length,
        together=length if campaign.design.order == "documents" else 1.0,
        unevenness=TYPICAL_UNEVENNESS if length > 1 else 0.0,
    )
    found = []
    for halving in range(_HALVINGS, -1, -1):
        n = n_wanted / 2**halving
        amounts = Amounts(
            hits=n / campaign.design.hit_size,
            ratings=wanted.ratings_per_system * wanted.n_systems * n / n_wanted,
            systems=wanted.n_systems,
            pass_rate=_pass_rate(campaign.attribute),
            documents=max(1.0, wanted.segments_per_system / length),
        )
        found.append(PlannedPoint(round(n), z * expected_errors(amounts, variation).score ** 0.5))
    return tuple(found)


def _pass_rate(attribute: str) -> float:
    return PASS_RATES.get(attribute, min(PASS_RATES.values()))


def _unit(settings: AnalysisSettings) -> str:
    method = named_method(settings.method)
    if method.mean_of == "z":
        return "standard deviations of standardised ratings"
    return (
        "points of the scale" if method.in_points or method.mean_of == "rating" else "the method's own units"
    )


def _notes(settings: AnalysisSettings, attribute: str, *, has_plan: bool) -> tuple[str, ...]:
    if not has_plan:
        return (f"The planner knows standardised ratings only, so there is no plan for {settings.method}.",)
    return (
        f"The plan takes {100 * _pass_rate(attribute):.0f} % of the ratings to be kept, as published, and "
        "ratings to vary as they did in WMT21 and WMT22. Systems that differ much make intervals narrower.",
    )


def precision_record(found: PrecisionOverTime) -> dict[str, Any]:
    """Precision over time in plain types."""
    return {name: plain(value) for name, value in asdict(found).items()}
