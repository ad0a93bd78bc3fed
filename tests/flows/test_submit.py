"""Answers that fit, answers that do not, answers sent twice."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime

import pytest

from steelyard.domain.errors import AnswerError, Conflict, NotFound
from steelyard.flows.assign import Finished, NextItem, next_item
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import add_workers, holder
from steelyard.flows.open import OpenCampaign
from steelyard.flows.submit import Submission, submit
from steelyard.flows.work_status import work_status


@pytest.fixture
def worker_id(campaign: OpenCampaign, noon: datetime) -> str:
    [link] = add_workers(campaign, 1, base_url="", now=noon)
    return link.worker_id


@pytest.fixture
def submission(campaign: OpenCampaign, worker_id: str, noon: datetime) -> Submission:
    """A good answer to the worker's first item."""
    view = next_item(campaign, worker_id, now=noon)
    assert isinstance(view, NextItem)
    return Submission(str(uuid.uuid4()), view.assignment_id, view.item.item_id, {"rating": 50}, 1000)


def test_the_same_submission_again_gets_the_same_reply_and_is_stored_once(
    campaign: OpenCampaign, worker_id: str, submission: Submission, noon: datetime
) -> None:
    first = submit(campaign, worker_id, submission, now=noon)
    again = submit(campaign, worker_id, submission, now=noon)

    assert (first.is_new, again.is_new) == (True, False)
    assert again.next == first.next
    assert judged_frames(campaign).ratings.height == 1


def test_a_late_retry_gets_the_reply_it_missed(
    campaign: OpenCampaign, worker_id: str, submission: Submission, noon: datetime
) -> None:
    first = submit(campaign, worker_id, submission, now=noon)
    assert isinstance(first.next, NextItem)
    second = replace(submission, judgement_id=str(uuid.uuid4()), item_id=first.next.item.item_id)
    submit(campaign, worker_id, second, now=noon)

    late = submit(campaign, worker_id, submission, now=noon)

    assert late.next == first.next


def test_eight_copies_at_once_are_stored_once_and_all_answered(
    campaign: OpenCampaign, worker_id: str, submission: Submission, noon: datetime
) -> None:
    with ThreadPoolExecutor(8) as threads:
        jobs = [threads.submit(submit, campaign, worker_id, submission, now=noon) for _ in range(8)]
        replies = [job.result() for job in jobs]

    assert sum(reply.is_new for reply in replies) == 1
    assert len({reply.next.item.item_id for reply in replies if isinstance(reply.next, NextItem)}) == 1
    assert judged_frames(campaign).ratings.height == 1


def test_two_different_answers_to_one_item_conflict(
    campaign: OpenCampaign, worker_id: str, submission: Submission, noon: datetime
) -> None:
    submit(campaign, worker_id, submission, now=noon)

    with pytest.raises(Conflict, match="not the item to be judged now"):
        submit(campaign, worker_id, replace(submission, judgement_id=str(uuid.uuid4())), now=noon)

    assert judged_frames(campaign).ratings.height == 1


def test_a_judgement_id_of_another_judgement_is_refused(
    campaign: OpenCampaign, worker_id: str, submission: Submission, noon: datetime
) -> None:
    reply = submit(campaign, worker_id, submission, now=noon)
    assert isinstance(reply.next, NextItem)

    with pytest.raises(Conflict, match="belongs to another judgement"):
        submit(campaign, worker_id, replace(submission, item_id=reply.next.item.item_id), now=noon)


def test_a_wrong_item_is_refused(
    campaign: OpenCampaign, worker_id: str, submission: Submission, noon: datetime
) -> None:
    with pytest.raises(Conflict, match="reload the page"):
        submit(campaign, worker_id, replace(submission, item_id="nonsense"), now=noon)


def test_another_workers_assignment_does_not_exist_for_you(
    campaign: OpenCampaign, submission: Submission, noon: datetime
) -> None:
    [other] = add_workers(campaign, 1, base_url="", now=noon)

    with pytest.raises(NotFound, match="no such assignment"):
        submit(campaign, other.worker_id, submission, now=noon)


@pytest.mark.parametrize("rating", [-1, 100.5, None, "73", True, float("nan"), float("inf")])
def test_a_rating_outside_the_scale_is_refused_and_nothing_is_stored(
    campaign: OpenCampaign, worker_id: str, submission: Submission, noon: datetime, rating: object
) -> None:
    with pytest.raises(AnswerError) as caught:
        submit(campaign, worker_id, replace(submission, answer={"rating": rating}), now=noon)

    assert caught.value.field == "rating"
    assert judged_frames(campaign).ratings.is_empty()


def test_the_last_answer_finishes_the_hit_and_closes_it(
    campaign: OpenCampaign, worker_id: str, submission: Submission, noon: datetime
) -> None:
    view = submit(campaign, worker_id, submission, now=noon).next
    last = submission
    while isinstance(view, NextItem):
        last = replace(submission, judgement_id=str(uuid.uuid4()), item_id=view.item.item_id)
        view = submit(campaign, worker_id, last, now=noon).next

    assert view == Finished(submission.assignment_id, 50, 50, n_hits_done=1, more=True)
    assert work_status(campaign, worker_id, now=noon).state == "ready"
    with pytest.raises(Conflict, match="closed already"):
        submit(campaign, worker_id, replace(last, judgement_id=str(uuid.uuid4())), now=noon)


def test_asking_again_without_answering_gives_the_same_item(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    first = next_item(campaign, worker_id, now=noon)

    assert next_item(campaign, worker_id, now=noon) == first


def test_asking_twice_at_once_begins_one_hit(campaign: OpenCampaign, worker_id: str, noon: datetime) -> None:
    with ThreadPoolExecutor(6) as threads:
        jobs = [threads.submit(next_item, campaign, worker_id, now=noon) for _ in range(6)]
        views = [job.result() for job in jobs]

    assert len({view.assignment_id for view in views}) == 1


def test_a_token_opens_only_what_it_is_for(campaign: OpenCampaign, noon: datetime) -> None:
    [link] = add_workers(campaign, 1, base_url="", now=noon)

    assert holder(campaign, link.token, "worker") == link.worker_id
    with pytest.raises(NotFound, match="Ask the organiser"):
        holder(campaign, link.token, "manager")
