"""Bots that invent how long they looked, and simulated workers who take their time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.payments import payments
from steelyard.flows.progress import Watch, campaign_progress
from steelyard.flows.settings import settings_from
from steelyard.flows.simulate import simulate
from steelyard.flows.source import from_campaign
from steelyard.flows.submit import Submission, submit
from steelyard.flows.verdicts import worker_verdicts

# Answers enough for every flag, and few enough to be quick.
N_BOTS, N_ANSWERS = 4, 12


def _judge_in_no_time(campaign: OpenCampaign, worker_id: str, *, begin: datetime) -> None:
    """The beginning of a HIT, 5 ms an item, each said to have been looked at for 8 seconds."""
    view = next_item(campaign, worker_id, now=begin)
    for number in range(1, N_ANSWERS + 1):
        assert isinstance(view, NextItem)
        answer = {"rating": (37 * number) % 101}
        sent = Submission(f"{worker_id}-{number}", view.assignment_id, view.item.item_id, answer, 8_000)
        view = submit(campaign, worker_id, sent, now=begin + number * timedelta(milliseconds=5)).next


@pytest.fixture
def overrun(campaign: OpenCampaign, noon: datetime) -> OpenCampaign:
    """A campaign in which four bots have begun a HIT each, and left it."""
    for link in add_workers(campaign, N_BOTS, base_url="", now=noon):
        _judge_in_no_time(campaign, link.worker_id, begin=noon)
    return campaign


def test_bots_that_invent_their_times_are_flagged_and_paid_no_hours(
    overrun: OpenCampaign, noon: datetime
) -> None:
    source = from_campaign(overrun)

    found = payments(
        Watch(overrun), worker_verdicts(source, settings_from(source)), now=noon + timedelta(days=1)
    )

    assert len(found.workers) == N_BOTS
    for worker in found.workers:
        assert {"time", "clock", "reading"} <= set(worker.flags)
        assert worker.suggestion != "pay"
        # What the server's clock says: 12 answers, 5 ms each.
        assert worker.hours == pytest.approx(0.06 / 3600)


def test_simulated_workers_take_their_time_and_have_finished_by_now(toy: OpenCampaign) -> None:
    simulate(toy, 2, seed=7)

    frames, progress = judged_frames(toy), campaign_progress(toy)
    last_at = [worker.last_at for worker in progress.workers if worker.last_at is not None]
    assert progress.n_judgements == 8
    assert frames.ratings["seconds"].min() >= 0.3
    assert frames.haste["overclaimed_seconds"].max() == 0
    assert max(last_at) < datetime.now(UTC)
