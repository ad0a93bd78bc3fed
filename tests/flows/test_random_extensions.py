"""What every extension promises, on campaigns of all sorts that are extended several times amid the work."""

from __future__ import annotations

import tempfile
import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from steelyard.domain.work import CONTROL_KINDS, ItemKind
from steelyard.flows.create import create
from steelyard.flows.extend import extend
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.store import tables, work
from steelyard.store.assignments import submit_assignment
from steelyard.store.audit import AuditRow, audit_rows
from steelyard.store.claims import claim_opening

NOW = datetime(2024, 5, 1, tzinfo=UTC)
NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")


@dataclass(frozen=True)
class Step:
    """One extension, and how many workers judge all they can before it."""

    ratings: int | None
    n_systems: int
    n_segments: int
    n_workers: int


@dataclass(frozen=True)
class Story:
    """A campaign and what happens to it."""

    n_systems: int
    n_segments: int
    design: dict[str, str]
    copied: bool
    steps: tuple[Step, ...]


@st.composite
def stories(draw: st.DrawFn) -> Story:
    design = {
        "ratings_per_item": str(draw(st.integers(1, 2))),
        "partition": draw(st.sampled_from(['"new"', '"new"', '"fixed"'])),
    }
    steps = []
    for _ in range(draw(st.integers(1, 3))):
        n_systems, n_segments = draw(st.sampled_from([(0, 0), (1, 0), (0, 25), (1, 30)]))
        ratings = draw(st.integers(1, 2)) if n_systems + n_segments == 0 or draw(st.booleans()) else None
        steps.append(Step(ratings, n_systems, n_segments, draw(st.integers(0, 4))))
    return Story(
        draw(st.integers(2, 3)), draw(st.integers(20, 40)), design, draw(st.booleans()), tuple(steps)
    )


@dataclass
class Run:
    """A story that was carried out: what each extension promised, and who took which HITs."""

    rows: list[AuditRow]
    part: dict[str, int]
    n_openings: dict[str, int]
    taken: dict[str, list[str]]
    promised: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Ratings promised of each translation."""
    per_round: dict[int, set[str]] = field(default_factory=dict)
    """The systems that take part in each round."""


@pytest.fixture(scope="module")
def runs(word_texts: Any) -> list[Run]:
    """Some stories, each carried out once."""
    made: list[Run] = []

    @settings(max_examples=6, phases=[Phase.generate])
    @given(stories())
    def tell(story: Story) -> None:
        with tempfile.TemporaryDirectory() as folder:
            made.append(_carried_out(story, word_texts(Path(folder))))

    tell()
    assert len(made) >= 6
    return made


def _carried_out(story: Story, texts: Any) -> Run:
    texts = replace(
        texts,
        systems=NAMES[: story.n_systems],
        segments=range(1, story.n_segments + 1),
        design=story.design,
        copied=story.copied,
    )
    address = str(texts.folder / "toy.db")
    create(texts.write(), address, now=NOW)
    usual = int(story.design["ratings_per_item"])
    promised = Counter({(s, f"s{k}"): usual for s in texts.systems for k in texts.segments})
    n_rounds = 1 if "fixed" in story.design["partition"] else usual
    per_round = {number: set(texts.systems) for number in range(1, n_rounds + 1)}
    taken: dict[str, list[str]] = defaultdict(list)
    with open_campaign(address) as campaign:
        for step in story.steps:
            _work(campaign, step.n_workers, taken)
            before = texts
            texts = replace(
                texts,
                systems=NAMES[: min(len(NAMES), len(texts.systems) + step.n_systems)],
                segments=range(1, len(texts.segments) + step.n_segments + 1),
            )
            adds = texts != before
            file = texts.write("further.toml") if adds else None
            added = extend(campaign, ratings=step.ratings, texts=file, by="manager", now=NOW)
            old, new = before.segments, range(len(before.segments) + 1, len(texts.segments) + 1)
            if len(texts.systems) > len(before.systems) or not adds:
                promised.update({(s, f"s{k}"): step.ratings or 1 for s in texts.systems for k in old})
            promised.update({(s, f"s{k}"): step.ratings or usual for s in texts.systems for k in new})
            for each in added.rounds:
                if each.n_hits:
                    numbers = range(each.first_round, each.last_round + 1)
                    per_round.update({number: set(texts.systems) for number in numbers})
        while _work(campaign, 2, taken):
            pass
        with campaign.store.read() as connection:
            openings = tables.openings.c
            n_free = select(func.count()).where(openings.assignment_id.is_(None))
            assert connection.execute(n_free).scalar_one() == 0, "workers have taken all there is"
            counts = select(openings.hit_id, func.count()).group_by(openings.hit_id)
            return Run(
                rows=audit_rows(connection),
                part={row.hit_id: row.part for row in connection.execute(select(tables.hits))},
                n_openings={row[0]: row[1] for row in connection.execute(counts)},
                taken=taken,
                promised=promised,
                per_round=per_round,
            )


def _work(campaign: OpenCampaign, n_workers: int, taken: dict[str, list[str]]) -> int:
    """New workers and those of before take whatever HITs they may, in turn; returns how many HITs."""
    n_taken = 0
    with campaign.store.write() as connection:
        earlier = list(taken)[-2:]
        workers = [*earlier, *(work.add_worker(connection, now=NOW).worker_id for _ in range(n_workers))]
        while workers:
            for worker in list(workers):
                found = claim_opening(connection, worker, assignment_id=str(uuid.uuid4()), now=NOW)
                if found is None:
                    workers.remove(worker)
                    continue
                submit_assignment(connection, found.assignment_id, now=NOW)
                taken[worker].append(found.hit_id)
                n_taken += 1
    return n_taken


def _by_hit(run: Run) -> dict[str, list[AuditRow]]:
    found: dict[str, list[AuditRow]] = defaultdict(list)
    for row in run.rows:
        found[row.hit].append(row)
    return found


def test_nobody_sees_an_item_or_a_translation_in_two_hits(runs: list[Run]) -> None:
    assert any(len(hits) > 1 for run in runs for hits in run.taken.values())
    for run in runs:
        hits = _by_hit(run)
        for own in run.taken.values():
            items = Counter(item for hit in own for item in {row.item_id for row in hits[hit]})
            assert max(items.values()) == 1
            shown = Counter(text for hit in own for text in {(row.segment, row.text) for row in hits[hit]})
            assert max(shown.values()) == 1 or _is_reference(shown, run)


def _is_reference(shown: Counter[tuple[str, str]], run: Run) -> bool:
    """Whether the only texts that come again are references, which several translations have in common."""
    references = {(row.segment, row.text) for row in run.rows if row.kind is ItemKind.REFERENCE}
    return all(text in references for text, n in shown.items() if n > 1)


def test_somebody_who_judged_one_part_judges_another(runs: list[Run]) -> None:
    parts = [{run.part[hit] for hit in hits} for run in runs for hits in run.taken.values()]

    assert max(map(len, parts)) > 1


def test_nobody_judges_two_rounds_of_a_part(runs: list[Run]) -> None:
    for run in runs:
        number = {row.hit: row.round for row in run.rows}
        for own in run.taken.values():
            rounds = {(run.part[hit], number[hit]) for hit in own}
            assert len(rounds) == len({part for part, _ in rounds})


def test_every_translation_gets_the_ratings_that_were_promised(runs: list[Run]) -> None:
    for run in runs:
        # Padding comes on top: an item counts once in each round.
        found: Counter[tuple[str, str]] = Counter()
        seen: set[tuple[int, str]] = set()
        for row in run.rows:
            if row.kind is ItemKind.REGULAR and (row.round, row.item_id) not in seen:
                seen.add((row.round, row.item_id))
                for system in (row.system, *row.credited):
                    found[system, row.segment] += run.n_openings[row.hit]
        assert found == run.promised


def test_every_hit_has_its_controls_and_every_system_its_share(runs: list[Run]) -> None:
    for run in runs:
        for found in _by_hit(run).values():
            kinds = Counter(row.kind for row in found)
            assert [kinds[kind] for kind in CONTROL_KINDS] == [5, 1, 1]
            apart = [
                abs(row.position - row.base_position) - 1
                for row in found
                if row.kind in CONTROL_KINDS and row.base_position is not None
            ]
            assert len(apart) == 7
            assert min(apart) >= 5
            systems = run.per_round[found[0].round]
            shares = Counter(row.system for row in found if row.kind is ItemKind.REGULAR)
            assert set(shares) <= systems
            assert min(shares[system] for system in systems) >= 13 // len(systems) - 2
