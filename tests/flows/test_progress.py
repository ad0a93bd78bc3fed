"""Progress while people are judging: every look is consistent in itself."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.progress import Watch, campaign_progress
from steelyard.flows.release import release
from steelyard.flows.submit import Submission, submit


def judge(campaign: OpenCampaign, worker_id: str, n: int) -> None:
    view = next_item(campaign, worker_id, now=datetime.now(UTC))
    for _ in range(n):
        assert isinstance(view, NextItem)
        answer = Submission(str(uuid.uuid4()), view.assignment_id, view.item.item_id, {"rating": 50}, 9_000)
        view = submit(campaign, worker_id, answer, now=datetime.now(UTC)).next


def test_counts_fit_together_at_every_moment_of_the_work(campaign: OpenCampaign, noon: datetime) -> None:
    add_workers(campaign, 3, base_url="", now=noon)
    watch = Watch(campaign)
    looks = []
    with ThreadPoolExecutor(4) as pool:
        # Two finish a HIT of 50 items, one leaves.
        work = [pool.submit(judge, campaign, f"W000{number}", n) for number, n in ((1, 50), (2, 50), (3, 7))]
        while not all(each.done() for each in work):
            looks.append(watch.progress(now=datetime.now(UTC)))
        for each in work:
            each.result()
    looks.append(watch.progress(now=datetime.now(UTC)))
    release(campaign, ["W0003"], by="manager", now=datetime.now(UTC))
    looks.append(watch.progress(now=datetime.now(UTC)))

    for found in looks:
        places = found.places
        assert places.free + places.open + places.idle + places.submitted == found.n_openings == 10
        assert sum(worker.n_submitted for worker in found.workers) == places.submitted == found.n_submitted
        is_last = found is looks[-1]
        assert found.n_left + found.n_judgements == found.n_wanted + (7 if is_last else 0)
    counts = [found.n_judgements for found in looks]
    assert counts == sorted(counts)
    assert counts[-1] == 107
    anew = campaign_progress(campaign)
    assert (looks[-1].workers, looks[-1].places) == (anew.workers, anew.places)
