"""The walk of one judgement, from a campaign file to a ranking. Keep in step with ARCHITECTURE.md."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from steelyard.domain.result import AnalysisSettings
from steelyard.flows.analyse import analyse
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.source import from_campaign
from steelyard.flows.submit import Submission, submit
from steelyard.report.json import analysis_record
from steelyard.store import campaigns


def test_one_judgement_walks_from_campaign_file_to_ranking(campaign: OpenCampaign, noon: datetime) -> None:
    # The campaign file became items and HITs (the fixture), and a worker gets a link.
    [link] = add_workers(campaign, 1, base_url="http://here", now=noon)
    assert link.url == f"http://here/w/{link.token}"

    # The worker is given an item: an opaque id and the two texts of adequacy, nothing else.
    view = next_item(campaign, link.worker_id, now=noon)
    assert isinstance(view, NextItem)
    assert (view.position, view.n_done, view.n_items) == (1, 0, 50)
    assert set(view.item.texts) == {"text", "reference"}
    with campaign.store.read() as connection:
        facts = {fact.item_id: fact for fact in campaigns.item_facts(connection)}
    assert view.item.texts["text"] == facts[view.item.item_id].text

    # The answer is checked and appended, and the reply carries the next item.
    submission = Submission(str(uuid.uuid4()), view.assignment_id, view.item.item_id, {"rating": 73}, 12_500)
    reply = submit(campaign, link.worker_id, submission, now=noon + timedelta(seconds=14))
    assert isinstance(reply.next, NextItem)
    assert (reply.next.position, reply.next.n_done) == (2, 1)

    # The judgement is one row of the ratings frame.
    [row] = judged_frames(campaign).ratings.iter_rows(named=True)
    fact = facts[view.item.item_id]
    assert (row["worker_id"], row["rating"], row["seconds"]) == (link.worker_id, 73.0, 12.5)
    assert (row["item_kind"], row["system_id"], row["segment_id"]) == (
        fact.kind,
        fact.system_id,
        fact.segment_id,
    )
    assert row["submitted_at"] == noon + timedelta(seconds=14)


def test_a_finished_hit_becomes_a_ranking(campaign: OpenCampaign, noon: datetime) -> None:
    [link] = add_workers(campaign, 1, base_url="", now=noon)
    view = next_item(campaign, link.worker_id, now=noon)

    while isinstance(view, NextItem):
        rating = 40 + len(view.item.texts["text"]) % 60
        submission = Submission(
            str(uuid.uuid4()), view.assignment_id, view.item.item_id, {"rating": rating}, 900
        )
        view = submit(campaign, link.worker_id, submission, now=noon).next

    analysis = analyse(from_campaign(campaign), AnalysisSettings(method="mean-rating", check="none"))
    document = analysis_record(analysis)
    assert document["counts"]["judgements"] == 50
    assert {system["system_id"] for system in document["systems"]} == {
        "brass",
        "copper",
        "iron",
        "tin",
        "lead",
    }
    # 35 regular and 5 repeats belong to systems; the 10 other controls never enter a score.
    assert sum(system["n_judgements"] for system in document["systems"]) == 40
