"""`steelyard progress`: the dashboard in the terminal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import database_argument, json_option, keep_sources, show
from steelyard.cli.over_series import series_at
from steelyard.cli.series_progress import progress_of_series

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from steelyard.flows.precision import PrecisionOverTime
    from steelyard.flows.progress import Overview, WorkerProgress
    from steelyard.flows.release import HitPlaces
    from steelyard.planning.spending import Spending


@click.command()
@database_argument
@click.option("--hits", is_flag=True, help="Also list every HIT: who has it, since when, how far.")
@click.option("--precision", is_flag=True, help="Also show how wide the intervals of systems have been.")
@json_option
def progress(db: str, hits: bool, precision: bool, json_file: str | None) -> int:
    """Show how far a campaign has got, when it will end, what it costs, and who works on it.

    For a series it prints a line for each campaign.
    """
    from steelyard.flows.open import open_campaign
    from steelyard.flows.progress import Watch
    from steelyard.flows.release import hit_places
    from steelyard.web.overview_schemas import HITS

    keep_sources([db], json_file)
    series = series_at(db)
    if series is not None:
        if hits or precision:
            one = series.places[0].shown
            raise click.UsageError(f"--hits and --precision are about one campaign: name it, such as {one}.")
        return progress_of_series(series, json_file)
    now = datetime.now(UTC)
    with open_campaign(db) as campaign:
        watch = Watch(campaign)
        overview = watch.overview(now=now)
        record, parts = overview_record(overview), [overview_text(overview, now=now)]
        if hits:
            places = hit_places(campaign, now=now)
            record["hits"] = HITS.dump_python(places, mode="json")
            parts.append(_hits_text(places))
        if precision:
            from steelyard.flows.precision import precision_record

            over_time = _precision(watch, overview)
            record["precision"] = precision_record(over_time)
            parts.append(_precision_text(over_time))
    document = json.dumps(record, indent=2, ensure_ascii=False)
    show("\n\n".join(parts), f"{document}\n", json_file)
    return 0


def overview_record(overview: Overview) -> dict[str, Any]:
    """A campaign at a glance, as `GET /api/v1/campaign` has it but for the links."""
    from steelyard.web.overview_schemas import overview_view

    return overview_view(overview).model_dump(mode="json")


def overview_text(overview: Overview, *, now: datetime) -> str:
    """A campaign at a glance for the terminal."""
    from steelyard.report.characters import printable

    settings, found, places = overview.settings, overview.progress, overview.progress.places
    pair = f"{settings.source_language} → {settings.target_language}"
    counts = ", ".join(
        f"{n:,} {name}"
        for name, n in (
            ("submitted", places.submitted),
            ("open", places.open),
            ("idle", places.idle),
            ("free", places.free),
            ("excluded", places.excluded),
        )
        if n or name in ("submitted", "free")
    )
    lines = [
        f"{settings.title} ({settings.name}): {settings.protocol}, {settings.attribute}, {pair}",
        f"State       {overview.state.value}",
        f"Judgements  {found.n_judgements:,}; {found.n_left:,} of {found.n_wanted:,} items are left to judge",
        f"HITs        {counts}",
        f"End         {overview.forecast.text}",
        *_money_lines(overview.money),
        *(f"Warning     {warning}" for warning in overview.warnings),
        *(f"Note        {note}" for note in overview.notes),
        "",
        *_workers_lines(found.workers, now=now),
    ]
    return "\n".join(map(printable, lines))


def _money_lines(money: Spending) -> list[str]:
    from steelyard.domain.wording import in_currency

    lines = []
    if money.expected.cost is not None:
        spent, committed, expected = (
            in_currency(amount.cost, money.currency)
            for amount in (money.spent, money.committed, money.expected)
        )
        fee = ", the platform's fee included" if money.fee else ""
        lines.append(f"Money       {spent} spent, {committed} committed, {expected} expected in all{fee}")
    few = "less than 0.1 worked" if money.hours_worked else "none worked yet"
    worked = f"{money.hours_worked:,.1f} worked" if money.hours_worked >= 0.05 else few
    return [*lines, f"Hours       {worked}, {money.expected.hours:,.1f} expected in all"]


def _workers_lines(workers: Sequence[WorkerProgress], *, now: datetime) -> list[str]:
    from steelyard.flows.forecast import ago

    active = [worker for worker in workers if worker.n_assignments]
    if not active:
        return ["Nobody has started yet. For the links that people need: steelyard links DB"]
    rows = [
        (
            worker.worker_id,
            str(worker.n_submitted),
            str(worker.n_done),
            "–" if worker.seconds_per_item is None else f"{worker.seconds_per_item:.1f}",
            "–" if worker.last_at is None else ago(worker.last_at, now),
            _open_words(worker),
        )
        for worker in active
    ]
    lines = _aligned([("worker", "HITs", "items", "s/item", "last seen", "now"), *rows], left=(0, 5))
    waiting = len(workers) - len(active)
    others = "One more has a link and has" if waiting == 1 else f"{waiting} more have a link and have"
    return lines + ([f"{others} not started."] if waiting else [])


def _open_words(worker: WorkerProgress) -> str:
    held = worker.open
    words = [] if held is None else [f"{held.n_done} of {held.n_items} in {held.hit_id}"]
    words += ["idle"] if held is not None and held.is_idle else []
    words += [
        word
        for word, holds in (
            (f"{worker.n_released} released", worker.n_released),
            ("excluded", worker.is_excluded),
            ("blocked", worker.is_blocked),
            ("link revoked", worker.is_revoked),
            ("simulated", worker.is_simulated),
        )
        if holds
    ]
    return ", ".join(words)


def _hits_text(hits: Iterable[HitPlaces]) -> str:
    rows = [
        (
            hit.hit_id,
            str(hit.part),
            str(hit.round),
            place.state if place.released_at is None else f"{place.state}, released",
            place.worker_id or "",
            f"{place.n_done} of {hit.n_items}",
            "" if place.since is None else f"{place.since:%Y-%m-%d %H:%M}",
            "" if place.last_at is None else f"{place.last_at:%Y-%m-%d %H:%M}",
        )
        for hit in hits
        for place in (*hit.places, *hit.released)
    ]
    heading = ("HIT", "part", "round", "state", "worker", "done", "since", "last seen")
    return "\n".join(_aligned([heading, *rows], left=(0, 3, 4, 6, 7)))


def _precision(watch: Any, overview: Overview) -> PrecisionOverTime:
    from steelyard.flows.precision import precision_over_time
    from steelyard.flows.settings import settings_from
    from steelyard.flows.source import from_campaign

    source = from_campaign(watch.campaign)
    return precision_over_time(watch.campaign, source, settings_from(source), overview.progress)


def _precision_text(found: PrecisionOverTime) -> str:
    lines = [f"Half-width of the systems' intervals ({found.method}, {found.unit}), on average"]
    rows = [
        (f"{point.n_judgements:,}", "–" if point.half_width is None else f"{point.half_width:.3f}")
        for point in found.points
    ]
    lines += _aligned([("judgements", "half-width"), *rows], left=()) if rows else ["Nothing was judged yet."]
    lines += [f"{point.n_judgements:,} judgements: {point.why}" for point in found.points if point.why][-1:]
    if found.planned:
        planned = [(f"{point.n_judgements:,}", f"{point.half_width:.3f}") for point in found.planned]
        lines += ["", *_aligned([("judgements", "as planned"), *planned], left=())]
    return "\n".join([*lines, *found.notes])


def _aligned(rows: Sequence[Sequence[str]], *, left: Sequence[int]) -> list[str]:
    """Rows in columns; those at the places in `left` begin at the same place, others end at it."""
    from steelyard.report.characters import columns

    widths = [max(columns(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for place, cell in enumerate(row):
            gap = " " * (widths[place] - columns(cell))
            cells.append(cell + gap if place in left else gap + cell)
        lines.append("  ".join(cells).rstrip())
    return lines
