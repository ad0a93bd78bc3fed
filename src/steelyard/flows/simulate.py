"""Simulate: a crowd of honest, careless and cheating workers for a campaign."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil

import numpy as np

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.entry import TrainingItem
from steelyard.domain.errors import Conflict
from steelyard.domain.judgement import Answer
from steelyard.domain.plugin import Protocol
from steelyard.domain.text import changed_part
from steelyard.domain.wording import counted
from steelyard.domain.work import SUBSTITUTE_KINDS, ItemKind, ShownItem, ShownText, own_kind
from steelyard.flows.assign import NextItem, WorkView, next_item
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.shown import as_shown, order_of
from steelyard.flows.submit import Submission, submit
from steelyard.flows.training import placed_training
from steelyard.protocols import protocols
from steelyard.simulate.crowd import MEAN_ITEM_PACE, Mix, SimulatedWorker, make_crowd, perceived, shown_ms
from steelyard.simulate.quality import item_quality
from steelyard.store import campaigns
from steelyard.store.campaigns import ItemFacts
from steelyard.store.prefilled import Marked, prefilled_spans
from steelyard.store.progress import Progress
from steelyard.store.progress import progress as progress_now
from steelyard.store.verdicts import n_judgements_of_people
from steelyard.store.work import PlacedTexts

# Chance makes some HITs slower than the expected one [our choice].
_TO_SPARE = 1.2


@dataclass(frozen=True, slots=True)
class _KnownItem:
    """An item in stored order, how good each of its translations is, and where it was damaged."""

    placed: PlacedTexts
    qualities: Sequence[float]
    damaged: Sequence[tuple[int, int] | None]

    def shown(self, order: Sequence[int], settings: CampaignSettings) -> ShownItem:
        """The item as somebody sees it."""
        damaged = tuple(self.damaged[place - 1] for place in order)
        return as_shown(self.placed, order, settings)._replace(damaged=damaged)


@dataclass(frozen=True)
class Hand:
    """One simulated worker at work, with its own random generator so that order does not matter."""

    worker: SimulatedWorker
    rng: np.random.Generator
    items: Mapping[str, _KnownItem]
    protocol: Protocol
    settings: CampaignSettings

    @property
    def seconds_per_item(self) -> float:
        return self.protocol.seconds_per_item[self.settings.attribute]

    def judge(self, assignment_id: str, item_id: str) -> tuple[Answer, int]:
        """An answer to one item of an assignment and the milliseconds it took."""
        known = self.items[item_id]
        order = order_of(self.settings, assignment_id, known.placed) or range(1, len(known.qualities) + 1)
        impressions = [perceived(self.worker, known.qualities[place - 1], self.rng) for place in order]
        milliseconds = shown_ms(self.worker, self.seconds_per_item, self.rng)
        shown = known.shown(order, self.settings)
        # Who does not look finds nothing but by chance.
        found = tuple(
            part if seen.looked else None for part, seen in zip(shown.damaged, impressions, strict=True)
        )
        qualities = [seen.quality for seen in impressions]
        return self.protocol.simulate(shown._replace(damaged=found), qualities, self.rng), milliseconds

    def try_out(self, item: TrainingItem) -> Answer:
        """An answer to a training item; how good its translations are, nobody has said."""
        shown = as_shown(placed_training(item, ""), None, self.settings)
        qualities = [float(self.rng.random()) for _ in item.texts]
        return self.protocol.simulate(shown._replace(damaged=(None,) * len(item.texts)), qualities, self.rng)


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a simulated crowd has done."""

    n_workers: int
    n_judgements: int


def make_hands(campaign: OpenCampaign, n: int, *, seed: int, mix: Mix | None = None) -> list[Hand]:
    """A crowd that knows, unlike people, how good each item of this campaign really is."""
    rng = np.random.default_rng(seed)
    with campaign.store.snapshot() as connection:
        facts = {fact.item_id: fact for fact in campaigns.item_facts(connection)}
        marked = prefilled_spans(connection)
    settings = campaign.settings
    items = {
        fact.item_id: _known(fact, facts.get(fact.base_item_id or ""), marked.get(fact.item_id, {}))
        for fact in facts.values()
    }
    crowd = make_crowd(n, mix=mix, rng=rng)
    protocol = protocols()[settings.protocol]
    return [
        Hand(worker, own_rng, items, protocol, settings)
        for worker, own_rng in zip(crowd, rng.spawn(n), strict=True)
    ]


def _known(fact: ItemFacts, base: ItemFacts | None, marked: Marked) -> _KnownItem:
    """All there is to know about an item."""
    segments = (fact.segment, *(each.segment for each in fact.beside))
    texts = _texts(fact)
    # A damaged copy is below the text it was made from: one shown beside it, or that of its base.
    every = [*texts, *(() if base is None else _texts(base))]
    originals = {text[:2]: text.text for text in every if text.kind not in SUBSTITUTE_KINDS}
    made_from = [originals.get(text[:2]) for text in texts]
    qualities = [
        item_quality(text.kind, text=text.text, reference=segment.reference, base_text=original)
        for text, segment, original in zip(texts, segments, made_from, strict=True)
    ]
    damaged = tuple(
        changed_part(original, text.text) if text.kind is ItemKind.DEGRADED and original is not None else None
        for text, original in zip(texts, made_from, strict=True)
    )
    placed = PlacedTexts(fact.item_id, texts, segments, fact.document_id, prefilled=marked)
    return _KnownItem(placed, qualities, damaged)


def _texts(fact: ItemFacts) -> tuple[ShownText, ...]:
    """The translations of an item in stored order, each with its own kind."""
    beside = [each.shown for each in fact.beside]
    kind = own_kind(fact.kind, fact.system_id, beside)
    return (ShownText(fact.system_id, fact.segment_id, fact.text, kind), *beside)


def simulate(
    campaign: OpenCampaign, n_workers: int, *, seed: int, progress: Callable[[int], None] | None = None
) -> Simulated:
    """Let new simulated workers take HITs in turn until none is left for them.

    The workers are marked as simulated for ever. Conflict where people have judged: made-up judgements
    would take places that are theirs, and mix with what they said.
    """
    _require_nobody_judged(campaign)
    return judge_in_turn(campaign, n_workers, seed=seed, progress=progress)


def judge_in_turn(
    campaign: OpenCampaign,
    n_workers: int,
    *,
    seed: int,
    most_each: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Simulated:
    """New simulated workers take HITs in turn, `most_each` at most, and judge them.

    Each has a clock of their own that goes on by what an item takes them, so that the stored times are those
    of people. They begin so long ago that all will have finished by now.
    """
    hands = make_hands(campaign, n_workers, seed=seed)
    with campaign.store.snapshot() as connection:
        before = progress_now(connection)
    began_at = datetime.now(UTC) - _longest_work(hands, before, most_each)
    links = add_workers(campaign, n_workers, base_url="", now=began_at, is_simulated=True)
    waiting = [_AtWork(link.worker_id, hand, began_at) for link, hand in zip(links, hands, strict=True)]
    n_judgements = n_rounds = 0
    while waiting and n_rounds != most_each:
        done = [(worker, _finish_one_hit(campaign, worker, progress)) for worker in waiting]
        n_judgements += sum(n_done for _, n_done in done)
        waiting = [worker for worker, n_done in done if n_done]
        n_rounds += 1
    return Simulated(n_workers, n_judgements)


@dataclass(slots=True)
class _AtWork:
    """A simulated worker, and what time it is for them."""

    worker_id: str
    hand: Hand
    clock: datetime


def _longest_work(hands: Sequence[Hand], before: Progress, most_each: int | None) -> timedelta:
    """About how long the slowest of them needs for their share of the free places, with some to spare."""
    n_free = before.places.free
    if not hands or not n_free:
        return timedelta()
    n_hits = ceil(n_free / len(hands))
    n_items = min(n_hits, most_each or n_hits) * before.n_free_items / n_free
    slowest = max(hand.worker.pace * hand.seconds_per_item for hand in hands)
    return timedelta(seconds=_TO_SPARE * n_items * slowest * MEAN_ITEM_PACE)


def _require_nobody_judged(campaign: OpenCampaign) -> None:
    with campaign.store.read() as connection:
        n_judgements = n_judgements_of_people(connection)
    if n_judgements:
        raise Conflict(
            f"People have given {counted(n_judgements, 'judgement')} in {campaign.settings.name}, so nothing "
            "is simulated there. Try it out in a copy: steelyard clone DB --db NEW."
        )


def _finish_one_hit(campaign: OpenCampaign, worker: _AtWork, progress: Callable[[int], None] | None) -> int:
    n_done = 0
    view: WorkView = next_item(campaign, worker.worker_id, now=worker.clock)
    while isinstance(view, NextItem):
        answer, milliseconds = worker.hand.judge(view.assignment_id, view.item.item_id)
        worker.clock += timedelta(milliseconds=milliseconds)
        submission = Submission(
            str(uuid.uuid4()), view.assignment_id, view.item.item_id, answer, milliseconds
        )
        view = submit(campaign, worker.worker_id, submission, now=worker.clock).next
        n_done += 1
        if progress:
            progress(1)
    return n_done
