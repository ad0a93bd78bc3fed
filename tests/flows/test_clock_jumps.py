"""A server whose clock jumps: nobody's answer is refused or lost, and no time is negative."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

import pytest

from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.collect import Arrival, Collector, Delivered
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import WorkerLink, add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.submit import Submission, Submitted, submit

JUMPS = [timedelta(days=-2), timedelta(days=400)]


@pytest.fixture
def link(campaign: OpenCampaign, noon: datetime) -> WorkerLink:
    [link] = add_workers(campaign, 1, base_url="", now=noon)
    return link


def answer_to(view: object) -> Submission:
    assert isinstance(view, NextItem)
    return Submission(str(uuid.uuid4()), view.assignment_id, view.item.item_id, {"rating": 50}, 1000)


@pytest.mark.parametrize("jump", JUMPS, ids=["back", "ahead"])
def test_answers_are_stored_before_during_and_after_a_jump(
    campaign: OpenCampaign, link: WorkerLink, noon: datetime, jump: timedelta
) -> None:
    view: object = next_item(campaign, link.worker_id, now=noon)
    for now in (noon, noon + jump, noon):
        submitted = submit(campaign, link.worker_id, answer_to(view), now=now)
        assert submitted.is_new
        assert next_item(campaign, link.worker_id, now=now) == submitted.next
        view = submitted.next

    assert judged_frames(campaign).ratings["seconds"].min() >= 0
    assert judged_frames(campaign).ratings.height == 3


@pytest.mark.parametrize("jump", JUMPS, ids=["back", "ahead"])
def test_answers_that_are_collected_are_stored_too(
    campaign: OpenCampaign, link: WorkerLink, noon: datetime, jump: timedelta
) -> None:
    delivered: list[Delivered] = []
    collector = Collector(campaign, delivered.extend)
    view: object = next_item(campaign, link.worker_id, now=noon)
    for now in (noon, noon + jump, noon):
        collector.add(Arrival(link.token, answer_to(view), now, None))
        collector.collect()
        outcome = delivered.pop()[1]
        assert isinstance(outcome, Submitted)
        view = outcome.next

    assert judged_frames(campaign).ratings["seconds"].min() >= 0
    assert judged_frames(campaign).ratings.height == 3
