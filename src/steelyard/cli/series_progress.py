"""`steelyard progress` of a series: a line for each campaign."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import show
from steelyard.cli.over_series import campaign_records, ended

if TYPE_CHECKING:
    from steelyard.flows.progress import Overview
    from steelyard.flows.series import CampaignPlace, Series


def progress_of_series(series: Series, json_file: str | None) -> int:
    """Show how far each campaign is, what it costs and when it ends."""
    from steelyard.exhibits.studies.series import series_progress_table
    from steelyard.flows.open import open_campaign
    from steelyard.flows.progress import Watch
    from steelyard.flows.series import for_each
    from steelyard.report.series import series_json
    from steelyard.report.tables import table_text
    from steelyard.web.overview_schemas import overview_view

    now = datetime.now(UTC)

    def act(place: CampaignPlace) -> Overview:
        with open_campaign(place.address) as campaign:
            return Watch(campaign).overview(now=now)

    outcomes = for_each(series, act)
    rows = [
        {"campaign": one.name} | ({} if one.result is None else _row(one.result, now=now)) for one in outcomes
    ]
    warnings = [f"{one.name}: {warning}" for one in outcomes if one.result for warning in one.result.warnings]
    found = campaign_records(
        outcomes, lambda overview: {"overview": overview_view(overview).model_dump(mode="json")}
    )
    show(
        table_text(series_progress_table(series.name, rows, warnings)),
        series_json(series.name, found),
        json_file,
    )
    return ended(outcomes)


def _row(overview: Overview, *, now: datetime) -> dict[str, Any]:
    from steelyard.domain.wording import in_currency
    from steelyard.flows.forecast import ago
    from steelyard.flows.series_overview import glance

    seen = glance(overview)
    money = None
    if seen.spent is not None and seen.expected is not None:
        expected = in_currency(seen.expected, seen.currency).removeprefix(f"{seen.currency} ")
        money = f"{in_currency(seen.spent, seen.currency)} of {expected}"
    end = seen.forecast.expected_at
    return {
        "state": seen.state.value,
        "judged": 1 - seen.n_left / seen.n_wanted if seen.n_wanted else None,
        "n_judgements": seen.n_judgements,
        "n_idle": seen.places.idle,
        "n_workers": seen.n_workers,
        "money": money,
        "end": seen.forecast.status.replace("_", " ") if end is None else f"about {end:%Y-%m-%d}",
        "last": None if seen.last_at is None else ago(seen.last_at, now),
    }
