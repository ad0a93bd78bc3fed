"""When a campaign will be complete, in words and as moments."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest

from steelyard.domain.running import Action, CampaignState
from steelyard.flows.forecast import Forecast, forecast, pauses_of
from steelyard.store.arrivals import Arrivals
from steelyard.store.progress import Progress


def forecast_of(
    moments: list[datetime],
    *,
    now: datetime,
    n_left: int = 100,
    state: CampaignState = CampaignState.OPEN,
    pauses: list[tuple[datetime, datetime]] | None = None,
) -> Forecast:
    seconds = np.array(sorted(int(moment.timestamp()) for moment in moments), dtype=np.int64)
    progress = Progress(1, 0, 0, len(moments), 500, (), (), n_left=n_left, arrivals=Arrivals(seconds))
    return forecast(progress, state, now=now, pauses=pauses or [])


def every(noon: datetime, *, minutes: float, hours: float) -> list[datetime]:
    return [noon + timedelta(minutes=minutes * number) for number in range(int(hours * 60 / minutes))]


def test_a_steady_pace_gives_the_moment_of_the_end(noon: datetime) -> None:
    now = noon + timedelta(hours=8)

    found = forecast_of(every(noon, minutes=1, hours=8), now=now, n_left=240)

    assert found.status == "expected"
    assert found.per_hour == pytest.approx(60, rel=0.01)
    assert found.expected_at is not None
    assert found.earliest_at is not None
    assert found.latest_at is not None
    assert abs(found.expected_at - (now + timedelta(hours=4))) < timedelta(minutes=3)
    assert now < found.earliest_at < found.expected_at < found.latest_at
    assert "In about 4.0 hours at the pace of the last 8.0 hours" in found.text
    assert "Nights are not in it yet" in found.text


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (CampaignState.PAUSED, "paused"),
        (CampaignState.DRAFT, "draft"),
        (CampaignState.CLOSED, "closed"),
    ],
)
def test_a_campaign_that_is_not_open_says_so(noon: datetime, state: CampaignState, words: str) -> None:
    found = forecast_of(every(noon, minutes=1, hours=8), now=noon + timedelta(hours=8), state=state)

    assert found.status == words
    assert words in found.text
    assert found.expected_at is None


def test_nothing_left_is_the_end_whatever_the_state(noon: datetime) -> None:
    for state in CampaignState:
        assert forecast_of([noon], now=noon, n_left=0, state=state).status == "done"


def test_it_is_too_early_with_little_data(noon: datetime) -> None:
    assert forecast_of([], now=noon).text == "Nobody has judged anything yet."
    few = forecast_of(every(noon, minutes=1, hours=0.3), now=noon + timedelta(hours=0.3))
    assert (few.status, few.expected_at) == ("too_early", None)


def test_a_week_of_silence_is_no_pace(noon: datetime) -> None:
    found = forecast_of(every(noon, minutes=1, hours=8), now=noon + timedelta(days=12))

    assert found.status == "too_early"
    assert "in the last week" in found.text


def test_the_time_of_pauses_does_not_count(noon: datetime) -> None:
    hour = timedelta(hours=1)
    early, late = every(noon, minutes=1, hours=4), every(noon + 72 * hour, minutes=1, hours=4)
    now = noon + 76 * hour
    # Opened for an hour in between, in which nobody came.
    pauses = [(noon + 4 * hour, noon + 50 * hour), (noon + 51 * hour, noon + 72 * hour)]

    found = forecast_of(early + late, now=now, pauses=pauses)

    assert found.window_hours == pytest.approx(9, rel=0.01)
    assert found.per_hour == pytest.approx(480 / 9, rel=0.02)
    assert forecast_of(early + late, now=now).per_hour == pytest.approx(480 / 76, rel=0.02)


def test_pauses_last_from_the_first_of_several_to_the_next_opening(noon: datetime) -> None:
    verbs = ["resume", "pause", "close", "resume", "close"]
    actions = [
        Action(number, noon + timedelta(hours=number), "manager", verb) for number, verb in enumerate(verbs)
    ]

    assert pauses_of(actions) == [(noon + timedelta(hours=1), noon + timedelta(hours=3))]


def test_an_uncertain_pace_gives_no_latest_date(noon: datetime) -> None:
    burst = [noon + timedelta(seconds=20 * number) for number in range(60)]

    found = forecast_of(burst, now=noon + timedelta(hours=5), n_left=1000)

    assert found.latest_at is None
    assert "too uncertain for a latest date" in found.text
