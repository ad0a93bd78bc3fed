"""Forecast: when a running campaign will be complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np

from steelyard.domain.running import Action, CampaignState
from steelyard.planning.forecast import LEVEL, WINDOW_HOURS, HoursLeft, hours_left, pace, stretches
from steelyard.store.progress import Progress

# A campaign was paused or closed from one moment to another.
Pause = tuple[datetime, datetime]
CLOSING_VERBS = ("pause", "close")
OPENING_VERBS = ("resume",)
ForecastStatus = Literal["expected", "done", "too_early", "draft", "paused", "closed"]
# An end further away than this is no forecast any more [our choice].
_MOST_HOURS = 10 * 365 * 24.0
_NOT_OPEN = {
    CampaignState.DRAFT: "The campaign is a draft: nobody can judge until it is opened.",
    CampaignState.PAUSED: "The campaign is paused: nothing arrives until it is resumed.",
    CampaignState.CLOSED: "The campaign is closed.",
}


@dataclass(frozen=True, slots=True)
class Forecast:
    """When everything will be judged, in words (`text`) and as moments.

    `per_hour` and `window_hours`: the recent pace, and over how long it was seen. The end lies between
    `earliest_at` and `latest_at` with a chance of `level`. `latest_at` is None where the pace is too
    uncertain to say. All three are None unless `status` is "expected".
    """

    status: ForecastStatus
    text: str
    n_left: int
    per_hour: float | None = None
    window_hours: float | None = None
    hours: HoursLeft | None = None
    expected_at: datetime | None = None
    earliest_at: datetime | None = None
    latest_at: datetime | None = None
    level: float = LEVEL


def forecast(
    progress: Progress, state: CampaignState, *, now: datetime, pauses: Sequence[Pause] = ()
) -> Forecast:
    """The forecast from the recent pace, of a week at most in which the campaign was open."""
    if progress.n_left == 0 and progress.n_openings:
        return Forecast("done", "Everything has been judged.", 0)
    if state in _NOT_OPEN:
        status: ForecastStatus = state.value  # type: ignore[assignment]
        return Forecast(status, _NOT_OPEN[state], progress.n_left)
    first = progress.arrivals.first
    if first is None:
        return Forecast("too_early", "Nobody has judged anything yet.", progress.n_left)
    hours = _open_hours(datetime.fromtimestamp(first, UTC), now, pauses)
    n, each = stretches(hours)
    ends = [_open_hours_before(now, number * each, pauses) for number in range(n, -1, -1)]
    # The present second belongs to the last stretch.
    seconds = np.array([int(end.timestamp()) + 1 for end in ends], dtype=np.int64)
    found = pace(np.diff(progress.arrivals.before(seconds)), hours_each=each)
    if found is None:
        text = "It is too early to say when everything will be judged."
        if hours > WINDOW_HOURS:
            text = "Hardly anything has been judged in the last week, so the end cannot be foreseen."
        return Forecast("too_early", text, progress.n_left)
    left = hours_left(progress.n_left, found)
    moments = [_after(now, each) for each in (left.expected, left.earliest, left.latest)]
    return Forecast(
        status="expected",
        text=_text(left, found.hours),
        n_left=progress.n_left,
        per_hour=found.per_hour,
        window_hours=found.hours,
        hours=left,
        expected_at=moments[0],
        earliest_at=moments[1],
        latest_at=moments[2],
    )


def pauses_of(actions: Sequence[Action]) -> list[Pause]:
    """When a campaign was paused or closed, and open again, by the log of such actions."""
    found: list[Pause] = []
    begun: datetime | None = None
    for action in actions:
        if action.verb in CLOSING_VERBS:
            begun = begun or action.done_at
        elif begun is not None:
            found.append((begun, action.done_at))
            begun = None
    return found


def _open_hours(begin: datetime, end: datetime, pauses: Sequence[Pause]) -> float:
    """Hours from one moment to another in which the campaign was open."""
    closed = sum((max(timedelta(0), min(b, end) - max(a, begin)) for a, b in pauses), timedelta(0))
    # A clock may be set back.
    return max((end - begin - closed).total_seconds() / 3600, 0.0)


def _open_hours_before(now: datetime, hours: float, pauses: Sequence[Pause]) -> datetime:
    """The moment since which the campaign was open for this many hours."""
    left, end = timedelta(hours=hours), now
    for begun, over in sorted(pauses, reverse=True):
        if over > end or end - over >= left:
            continue
        left -= end - over
        end = begun
    return end - left


def _after(now: datetime, hours: float | None) -> datetime | None:
    return None if hours is None or hours > _MOST_HOURS else now + timedelta(hours=hours)


def _text(left: HoursLeft, window: float) -> str:
    seen = f"at the pace of the last {duration(window)}"
    if left.latest is None or left.latest > _MOST_HOURS:
        return f"In about {duration(left.expected)} {seen}, but that pace is too uncertain for a latest date."
    night = "" if window >= 24 else " Nights are not in it yet."
    between = f"{duration(left.earliest)} and {duration(left.latest)}"
    return f"In about {duration(left.expected)} {seen}; probably between {between}.{night}"


def duration(hours: float) -> str:
    """A length of time in words, as exactly as people would say it.

    >>> duration(0.4), duration(1.2), duration(30), duration(100), duration(24 * 40)
    ('24 minutes', '1.2 hours', '30 hours', '4 days', '6 weeks')
    """
    if hours < 1:
        return _counted(hours * 60, "minute")
    if hours < 10:
        return f"{hours:.1f} hours"
    if hours < 48:
        return _counted(hours, "hour")
    days = hours / 24
    return _counted(days, "day") if days < 21 else _counted(days / 7, "week")


def ago(moment: datetime, now: datetime) -> str:
    """How long ago a moment was, in words."""
    hours = (now - moment).total_seconds() / 3600
    return "just now" if hours < 1 / 60 else f"{duration(hours)} ago"


def _counted(number: float, noun: str) -> str:
    whole = max(1, round(number))
    return f"{whole} {noun}{'' if whole == 1 else 's'}"
