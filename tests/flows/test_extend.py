"""Extending a running campaign: what is added is whole, and what is stored stays as it is."""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from steelyard.domain.errors import CampaignError, ChoiceError, Conflict
from steelyard.domain.work import CONTROL_KINDS, ItemKind
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.create import create
from steelyard.flows.extend import design_extension, extend, write_extension
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.progress import campaign_progress
from steelyard.flows.simulate import make_hands, simulate
from steelyard.flows.source import from_campaign
from steelyard.flows.submit import Submission, submit
from steelyard.store import campaigns, tables, work
from steelyard.store.actions import logged_actions
from steelyard.store.audit import AuditRow, audit_rows

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def opened(address: str, noon: datetime) -> Callable[[Any], AbstractContextManager[OpenCampaign]]:
    """Creates a campaign of these texts, on each database in turn."""

    @contextmanager
    def make(texts: Any) -> Iterator[OpenCampaign]:
        create(texts.write(), address, now=noon)
        with open_campaign(address) as campaign:
            yield campaign

    return make


@pytest.fixture
def on_file(tmp_path: Path, noon: datetime) -> Callable[[Any], AbstractContextManager[OpenCampaign]]:
    """Creates a campaign of these texts in a SQLite file, for facts that do not depend on the database."""

    @contextmanager
    def make(texts: Any) -> Iterator[OpenCampaign]:
        create(texts.write(), str(tmp_path / "toy.db"), now=noon)
        with open_campaign(str(tmp_path / "toy.db")) as campaign:
            yield campaign

    return make


def audit(campaign: OpenCampaign) -> list[AuditRow]:
    with campaign.store.read() as connection:
        return audit_rows(connection)


def parts_of_hits(campaign: OpenCampaign) -> dict[str, int]:
    with campaign.store.read() as connection:
        return {row.hit_id: row.part for row in connection.execute(select(tables.hits))}


def everything(campaign: OpenCampaign) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, to see what has changed."""
    with campaign.store.read() as connection:
        return {
            name: [tuple(row) for row in connection.execute(select(table))]
            for name, table in tables.metadata.tables.items()
        }


def regular_ratings(rows: list[AuditRow]) -> Counter[tuple[str, str]]:
    """How often each translation stands in HITs as a regular item."""
    return Counter(
        (system, row.segment)
        for row in rows
        if row.kind is ItemKind.REGULAR
        for system in (row.system, *row.credited)
    )


def test_more_ratings_are_that_many_more_of_every_translation(opened, texts, noon) -> None:
    with opened(texts) as campaign:
        before = audit(campaign)
        extend(campaign, ratings=2, by="manager", now=noon)
        rows = audit(campaign)

    assert rows[: len(before)] == before
    assert {row.round for row in rows} == {1, 2, 3}
    for number in (1, 2, 3):
        found = regular_ratings([row for row in rows if row.round == number])
        assert len(found) == len(texts.systems) * len(texts.segments)


def test_nothing_that_is_stored_changes(opened, texts, noon) -> None:
    with opened(replace(texts, segments=range(1, 21))) as campaign:
        simulate(campaign, 2, seed=1)
        before = everything(campaign)
        wider = replace(texts, systems=(*texts.systems, "delta"))
        extend(campaign, texts=wider.write("wider.toml"), by="manager", now=noon)
        after = everything(campaign)

    grown = {name for name in before if len(after[name]) > len(before[name])}
    assert grown == {
        *("systems", "segments", "items", "hits", "hit_items", "openings", "actions"),
        *({"shared_places"} & grown),
    }
    for name, rows in before.items():
        assert set(rows) <= set(after[name]), name


def test_an_item_that_is_stored_keeps_its_id(opened, texts, noon) -> None:
    with opened(replace(texts, copied=True)) as campaign:
        before = {
            (row.system, row.segment): row.item_id for row in audit(campaign) if row.kind is ItemKind.REGULAR
        }
        extend(campaign, ratings=1, by="manager", now=noon)
        after = [row for row in audit(campaign) if row.round == 2 and row.kind is ItemKind.REGULAR]

    assert after
    assert {row.item_id for row in after} == set(before.values())
    assert all(before[row.system, row.segment] == row.item_id for row in after)


def test_a_new_round_lays_out_other_hits_and_the_same_ones_when_made_again(on_file, texts) -> None:
    with on_file(texts) as campaign:
        one, two = (design_extension(campaign, ratings=1) for _ in range(2))
        first_round = [row.segment + row.system for row in audit(campaign) if row.kind is ItemKind.REGULAR]
        designs = []
        for designed in (one, two):
            [(_, made)] = designed.appended
            known = {row.item_id: row for row in audit(campaign)}
            designs.append(
                [
                    known[placed.item_id].segment + known[placed.item_id].system
                    for hit in made.hits
                    for placed in hit.placed
                    if placed.item_id in known
                ]
            )

    assert designs[0] == designs[1]
    assert designs[0] != first_round


def test_every_new_hit_has_its_quota_of_controls_far_from_their_bases(opened, texts, noon) -> None:
    with opened(texts) as campaign:
        wider = replace(texts, systems=(*texts.systems, "delta"), segments=range(1, 61))
        extend(campaign, texts=wider.write("wider.toml"), by="manager", now=noon)
        rows = [row for row in audit(campaign) if row.round > 1]

    hits: dict[str, list[AuditRow]] = {}
    for row in rows:
        hits.setdefault(row.hit, []).append(row)
    assert len(hits) > 2
    for found in hits.values():
        kinds = Counter(row.kind for row in found)
        assert (kinds[ItemKind.DEGRADED], kinds[ItemKind.REPEAT], kinds[ItemKind.REFERENCE]) == (5, 1, 1)
        between = [
            abs(row.position - row.base_position) - 1
            for row in found
            if row.kind in CONTROL_KINDS and row.base_position is not None
        ]
        assert len(between) == 7
        # Four groups of five: bases are half a HIT away, a group in between at least.
        assert min(between) >= 5


def test_further_segments_are_a_part_of_their_own_with_all_systems(opened, texts, noon) -> None:
    with opened(replace(texts, design={"ratings_per_item": "2"})) as campaign:
        longer = replace(texts, segments=range(1, 61), design={"ratings_per_item": "2"})
        added = extend(campaign, texts=longer.write("longer.toml"), by="manager", now=noon)
        rows, part = audit(campaign), parts_of_hits(campaign)

    of_part = {number: {row.segment for row in rows if part[row.hit] == number} for number in (1, 2)}
    assert of_part[1] == {f"s{k}" for k in range(1, 31)}
    assert of_part[2] == {f"s{k}" for k in range(31, 61)}
    assert [(each.part, each.first_round, each.last_round) for each in added.rounds] == [(2, 3, 4)]
    assert added.n_segments == 30


def test_a_new_system_stands_in_new_rounds_beside_all_others_in_equal_shares(opened, texts, noon) -> None:
    with opened(texts) as campaign:
        wider = replace(texts, systems=(*texts.systems, "delta"))
        added = extend(campaign, texts=wider.write("wider.toml"), by="manager", now=noon)
        rows = audit(campaign)
        with campaign.store.read() as connection:
            systems = [system.system_id for system in campaigns.systems(connection)]

    assert added.systems == ("delta",)
    assert systems == ["alpha", "beta", "gamma", "delta"]
    assert {row.system for row in rows if row.round == 1} == {"alpha", "beta", "gamma"}
    new = [row for row in rows if row.round == 2 and row.kind is ItemKind.REGULAR]
    for hit in {row.hit for row in new}:
        shares = Counter(row.system for row in new if row.hit == hit)
        assert set(shares) == {"alpha", "beta", "gamma", "delta"}
        assert max(shares.values()) - min(shares.values()) <= 1


def test_a_file_with_nothing_but_the_new_system_is_enough(on_file, texts, noon) -> None:
    with on_file(texts) as campaign:
        alone = replace(texts, systems=("delta",))
        extend(campaign, texts=alone.write("alone.toml"), by="manager", now=noon)
        rows = audit(campaign)

    assert {row.system for row in rows if row.round == 2} == {"alpha", "beta", "gamma", "delta"}


def test_a_file_may_add_systems_and_segments_at_once(on_file, texts, noon) -> None:
    with on_file(texts) as campaign:
        wider = replace(texts, systems=(*texts.systems, "delta"), segments=range(1, 61))
        added = extend(campaign, texts=wider.write("wider.toml"), by="manager", now=noon)
        rows = audit(campaign)

    assert [(each.part, each.first_round) for each in added.rounds] == [(1, 2), (2, 3)]
    for number in (2, 3):
        assert {row.system for row in rows if row.round == number} == {"alpha", "beta", "gamma", "delta"}


def test_with_a_fixed_partition_more_ratings_are_more_places_on_the_same_hits(opened, texts, noon) -> None:
    with opened(replace(texts, design={"partition": '"fixed"', "ratings_per_item": "2"})) as campaign:
        before = audit(campaign)
        n_places = campaign_progress(campaign).n_openings
        added = extend(campaign, ratings=3, by="manager", now=noon)
        after = campaign_progress(campaign)

        assert audit(campaign) == before
    assert added.n_hits == 0
    assert added.n_openings == 3 * n_places // 2
    assert after.n_openings == n_places + added.n_openings


def test_a_campaign_in_document_order_gets_whole_documents(on_file, texts, noon) -> None:
    design = {"order": '"documents"', "hit_size": "40"}
    texts = replace(texts, design=design)
    path = texts.folder / "campaign.toml"
    texts.write()
    path.write_text(path.read_text("utf-8").replace("groups = 4\n", ""), "utf-8")
    create(path, str(texts.folder / "documents.db"), now=noon)
    with open_campaign(str(texts.folder / "documents.db")) as campaign:
        extend(campaign, ratings=1, by="manager", now=noon)
        rows = [row for row in audit(campaign) if row.round == 2 and row.kind is ItemKind.REGULAR]

    documents: dict[tuple[str, str, str], list[int]] = {}
    for row in rows:
        documents.setdefault((row.hit, row.system, row.document), []).append(row.position)
    assert documents
    for positions in documents.values():
        assert positions == list(range(positions[0], positions[0] + len(positions)))


def test_pairs_get_further_rounds_segments_and_systems(on_file, texts, noon) -> None:
    pairs = replace(
        texts,
        systems=("alpha", "beta", "gamma", "delta"),
        protocol="pairwise",
        attribute="overall",
        design={"quota": "{ degraded = 5, repeat = 1 }"},
    )
    with on_file(pairs) as campaign:
        extend(campaign, ratings=1, by="manager", now=noon)
        wider = replace(pairs, systems=(*pairs.systems, "epsilon", "zeta"), segments=range(1, 61))
        added = extend(campaign, texts=wider.write("wider.toml"), by="manager", now=noon)
        rows, part = audit(campaign), parts_of_hits(campaign)

    assert [(each.part, each.first_round) for each in added.rounds] == [(1, 3), (2, 4)]
    regular = [row for row in rows if row.kind is ItemKind.REGULAR and row.base_position is None]
    for number in (3, 4):
        assert {row.system for row in regular if row.round == number} == {*wider.systems}
    assert {part[row.hit] for row in rows if row.round == 4} == {2}


def test_further_rounds_of_pairs_show_those_that_have_not_met(on_file, texts, noon) -> None:
    pairs = replace(
        texts,
        systems=("alpha", "beta", "gamma", "delta"),
        protocol="pairwise",
        attribute="overall",
        design={"quota": "{ degraded = 5, repeat = 1 }"},
    )
    with on_file(pairs) as campaign:
        extend(campaign, ratings=2, by="manager", now=noon)
        rows = audit(campaign)

    shown: dict[str, set[str]] = {}
    for row in rows:
        shown.setdefault(row.item_id, set()).add(row.system)
    pairs_of_segments = {
        (row.segment, frozenset(shown[row.item_id])) for row in rows if len(shown[row.item_id]) == 2
    }
    # Six pairs of four systems, each once in three rounds.
    assert len(pairs_of_segments) == 6 * len(texts.segments)


def test_more_ratings_of_weighted_systems_need_the_file(on_file, texts, noon) -> None:
    weighted = replace(texts, weights={"gamma": 0.5})
    with on_file(weighted) as campaign:
        with pytest.raises(CampaignError, match=r"holds only .* gamma.*--ratings N --texts"):
            extend(campaign, ratings=1, by="manager", now=noon)
        extend(campaign, ratings=1, texts=weighted.write("same.toml"), by="manager", now=noon)
        rows = [row for row in audit(campaign) if row.round == 2]

    found = regular_ratings(rows)
    assert Counter(system for system, _ in found) == {"alpha": 30, "beta": 30, "gamma": 15}


def test_a_new_system_beside_weighted_ones_needs_the_texts_of_all(on_file, texts, noon) -> None:
    weighted = replace(texts, weights={"gamma": 0.5})
    with on_file(weighted) as campaign:
        alone = replace(weighted, systems=("delta",)).write("alone.toml")
        with pytest.raises(CampaignError, match="Put all systems into the file"):
            extend(campaign, texts=alone, by="manager", now=noon)
        wider = replace(weighted, systems=(*texts.systems, "delta")).write("wider.toml")
        extend(campaign, texts=wider, by="manager", now=noon)
        rows = [row for row in audit(campaign) if row.round == 2]

    found = Counter(system for system, _ in regular_ratings(rows))
    assert found == {"alpha": 30, "beta": 30, "gamma": 15, "delta": 30}


def test_a_dry_run_says_what_it_costs_and_writes_nothing(on_file, texts) -> None:
    with on_file(texts) as campaign:
        before = everything(campaign)
        planned = design_extension(campaign, ratings=2).extended

        assert everything(campaign) == before
    assert planned.n_hits == planned.n_openings
    assert planned.n_judgements == planned.n_hits * 20
    assert planned.hours == pytest.approx(planned.n_judgements * 18 / 3600)
    assert planned.cost is None


def test_a_warning_says_when_other_workers_are_needed(on_file, texts, noon) -> None:
    with on_file(texts) as campaign:
        at_first = design_extension(campaign, ratings=1).extended.warnings
        with campaign.store.write() as connection:
            worker = work.add_worker(connection, now=noon).worker_id
        next_item(campaign, worker, now=noon)
        longer = replace(texts, segments=range(1, 61)).write("longer.toml")

        assert not any("other workers" in warning for warning in at_first)
        assert any(
            "other workers" in each for each in design_extension(campaign, ratings=1).extended.warnings
        )
        of_segments = design_extension(campaign, texts=longer).extended.warnings
        assert not any("other workers" in warning for warning in of_segments)


def test_a_part_that_fills_no_hit_is_refused(on_file, texts, noon) -> None:
    with on_file(texts) as campaign:
        longer = replace(texts, segments=range(1, 34)).write("longer.toml")
        with pytest.raises(CampaignError, match=r"part 2: [\s\S]*keeps the campaign's settings"):
            extend(campaign, texts=longer, by="manager", now=noon)


def test_an_extension_is_logged(opened, texts, noon) -> None:
    with opened(texts) as campaign:
        added = extend(campaign, ratings=1, by="command line", now=noon)
        with campaign.store.read() as connection:
            action = logged_actions(connection)[-1]

    assert (action.verb, action.done_by, action.done_at) == ("extend", "command line", noon)
    assert action.detail["n_hits"] == added.n_hits


def test_of_two_extensions_at_the_same_moment_one_is_refused_and_adds_nothing(opened, texts, noon) -> None:
    with opened(texts) as campaign:
        one, two = (design_extension(campaign, ratings=1) for _ in range(2))
        write_extension(campaign, one, by="manager", now=noon)
        n_openings = campaign_progress(campaign).n_openings
        with pytest.raises(Conflict, match="extended by somebody else"):
            write_extension(campaign, two, by="manager", now=noon)

        assert campaign_progress(campaign).n_openings == n_openings


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"attribute": "fluency"}, r"\[campaign\] attribute is fluency here and adequacy"),
        ({"design": {"hit_size": "40"}}, r"\[design\] hit_size is 40 here and 20"),
        ({"design": {"ratings_per_item": "4"}}, "Use --ratings for more ratings"),
        ({"systems": ("alpha", "beta")}, "no translations of them by gamma"),
    ],
)
def test_a_file_that_contradicts_the_campaign_is_refused(on_file, texts, noon, change, problem) -> None:
    with on_file(texts) as campaign:
        longer = replace(texts, segments=range(1, 61), **change)
        with pytest.raises(CampaignError, match=problem):
            extend(campaign, texts=longer.write("longer.toml"), by="manager", now=noon)


def test_other_texts_under_a_stored_name_are_refused(on_file, texts, noon) -> None:
    with on_file(texts) as campaign:
        path = texts.write("changed.toml")
        table = path.with_suffix(".tsv")
        lines = table.read_text("utf-8").splitlines()
        source, translation = texts.text("source", 1), texts.text("beta", 2)
        changed = [line.replace(source, "other").replace(translation, "other") for line in lines]
        table.write_text("\n".join(changed), "utf-8")
        with pytest.raises(CampaignError) as found:
            extend(campaign, texts=path, by="manager", now=noon)

    assert len(found.value.problems) == 2
    assert "1 segment of the file (s1)" in found.value.problems[0]
    assert 'system "beta" has another translation of 1 segment (s2)' in found.value.problems[1]


def test_a_file_with_nothing_new_is_refused(on_file, texts, noon) -> None:
    with on_file(texts) as campaign:
        with pytest.raises(CampaignError, match="has all of these texts already"):
            extend(campaign, texts=texts.write("same.toml"), by="manager", now=noon)
        with pytest.raises(ChoiceError, match="Say what to add"):
            extend(campaign, by="manager", now=noon)


def test_a_worker_goes_on_with_an_open_hit_while_the_campaign_is_extended(opened, texts, noon) -> None:
    with opened(texts) as campaign:
        with campaign.store.write() as connection:
            worker = work.add_worker(connection, now=noon).worker_id
        hand = make_hands(campaign, 1, seed=1)[0]
        begun = threading.Event()
        failed: list[BaseException] = []

        def judge() -> None:
            try:
                view = next_item(campaign, worker, now=noon)
                while isinstance(view, NextItem):
                    answer, shown_ms = hand.judge(view.assignment_id, view.item.item_id)
                    sent = Submission(
                        str(uuid.uuid4()), view.assignment_id, view.item.item_id, answer, shown_ms
                    )
                    view = submit(campaign, worker, sent, now=noon).next
                    begun.set()
            except BaseException as error:
                failed.append(error)
                begun.set()

        judging = threading.Thread(target=judge)
        judging.start()
        begun.wait()
        wider = replace(texts, systems=(*texts.systems, "delta"), segments=range(1, 61))
        extend(campaign, texts=wider.write("wider.toml"), by="manager", now=noon)
        judging.join()
        after = campaign_progress(campaign)

        assert not failed
    assert (after.n_submitted, after.n_judgements) == (1, 20)


def test_the_analysis_is_that_of_one_campaign(on_file, texts, noon) -> None:
    with on_file(texts) as campaign:
        simulate(campaign, 2, seed=1)
        wider = replace(texts, systems=(*texts.systems, "delta"))
        extend(campaign, texts=wider.write("wider.toml"), by="manager", now=noon)
        simulate(campaign, 2, seed=2)
        frame = from_campaign(campaign).frame

    assert set(frame["system_id"]) == {"alpha", "beta", "gamma", "delta"}
    assert campaign.settings.name == "toy"
