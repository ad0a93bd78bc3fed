"""Simulate: a crowd of honest, careless and cheating workers for a campaign."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from steelyard.domain.judgement import Answer
from steelyard.domain.plugin import Protocol
from steelyard.flows.assign import NextItem, WorkView, next_item
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.submit import Submission, submit
from steelyard.protocols import protocols
from steelyard.simulate.crowd import Mix, SimulatedWorker, make_crowd, perceived, shown_ms
from steelyard.simulate.quality import item_quality
from steelyard.store import campaigns


@dataclass(frozen=True)
class Hand:
    """One simulated worker at work, with randomness of its own so that order does not matter."""

    worker: SimulatedWorker
    rng: np.random.Generator
    quality: Mapping[str, float]
    protocol: Protocol
    attribute: str

    def judge(self, item_id: str) -> tuple[Answer, int]:
        """An answer to one item and the milliseconds it took."""
        impression = perceived(self.worker, self.quality[item_id], self.rng)
        milliseconds = shown_ms(self.worker, self.protocol.seconds_per_item[self.attribute], self.rng)
        return self.protocol.simulate([impression], self.rng), milliseconds


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a simulated crowd has done."""

    n_workers: int
    n_judgements: int


def make_hands(campaign: OpenCampaign, n: int, *, seed: int, mix: Mix | None = None) -> list[Hand]:
    """A crowd that knows, unlike people, how good each item of this campaign really is."""
    rng = np.random.default_rng(seed)
    with campaign.store.read() as connection:
        facts = {fact.item_id: fact for fact in campaigns.item_facts(connection)}
    quality = {
        fact.item_id: item_quality(
            fact.kind,
            text=fact.text,
            reference=fact.reference,
            base_text=facts[fact.base_item_id].text if fact.base_item_id else None,
        )
        for fact in facts.values()
    }
    crowd = make_crowd(n, mix=mix, rng=rng)
    protocol = protocols()[campaign.settings.protocol]
    return [
        Hand(worker, own_rng, quality, protocol, campaign.settings.attribute)
        for worker, own_rng in zip(crowd, rng.spawn(n), strict=True)
    ]


def simulate(
    campaign: OpenCampaign, n_workers: int, *, seed: int, progress: Callable[[int], None] | None = None
) -> Simulated:
    """Let new simulated workers take HITs in turn until none is left for them."""
    n_judgements = 0
    links = add_workers(campaign, n_workers, base_url="", now=datetime.now(UTC))
    waiting = [
        (link.worker_id, hand)
        for link, hand in zip(links, make_hands(campaign, n_workers, seed=seed), strict=True)
    ]
    while waiting:
        still_waiting = []
        for worker_id, hand in waiting:
            n_done = _finish_one_hit(campaign, worker_id, hand, progress)
            n_judgements += n_done
            if n_done:
                still_waiting.append((worker_id, hand))
        waiting = still_waiting
    return Simulated(n_workers, n_judgements)


def _finish_one_hit(
    campaign: OpenCampaign, worker_id: str, hand: Hand, progress: Callable[[int], None] | None
) -> int:
    n_done = 0
    view: WorkView = next_item(campaign, worker_id, now=datetime.now(UTC))
    while isinstance(view, NextItem):
        answer, milliseconds = hand.judge(view.item.item_id)
        submission = Submission(
            str(uuid.uuid4()), view.assignment_id, view.item.item_id, answer, milliseconds
        )
        view = submit(campaign, worker_id, submission, now=datetime.now(UTC)).next
        n_done += 1
        if progress:
            progress(1)
    return n_done
