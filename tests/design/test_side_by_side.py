"""Documents side by side: groups of systems, the same over a document, and their control documents."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.appending import Appender, meetings
from steelyard.design.builder import build, n_hits
from steelyard.design.explain import explain
from steelyard.design.side_by_side import draw_groups
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.errors import CampaignError
from steelyard.domain.text import Segment, System
from steelyard.domain.work import SUBSTITUTE_KINDS, ItemKind, texts_of

QUOTA = {ItemKind.DEGRADED: 10, ItemKind.REPEAT: 5}
THREE = DesignSettings(hit_size=40, order="documents", n_translations=3, quota=QUOTA)


def campaign_of(lengths, n_systems, design=THREE, *, missing=(), seed=1):
    rng = np.random.default_rng(seed)

    def text():
        return " ".join(f"word{k}" for k in rng.integers(2000, size=int(rng.integers(4, 15))))

    segments = tuple(
        Segment(f"d{document}-{k}", f"d{document}", text(), text())
        for document, length in enumerate(lengths)
        for k in range(length)
    )
    systems = tuple(System(f"system-{k}") for k in range(n_systems))
    translations = {
        system.system_id: [None if (number, each.segment_id) in missing else text() for each in segments]
        for number, system in enumerate(systems)
    }
    settings = CampaignSettings("toy", "Toy", "da", "adequacy", "de", "en", design=design)
    return Campaign(settings, systems, segments, translations)


def laid_out(campaign, *, seed=5, met=(), prefix="id"):
    numbers = iter(range(10**9))
    return build(
        campaign,
        rng=np.random.default_rng(seed),
        new_ids=lambda n: [f"{prefix}{next(numbers):06d}" for _ in range(n)],
        met=met,
    )


def runs_of(design, hit):
    """The items of a HIT, document by document and group by group."""
    item = {each.item_id: each for each in design.items}

    def run(each):
        return systems_of(each), each.segment_id.partition("-")[0], each.kind is not ItemKind.REGULAR

    return [(key, list(found)) for key, found in groupby((item[each.item_id] for each in hit.placed), run)]


def systems_of(item):
    return tuple(text.system_id for text in texts_of(item))


@cache
def seven_systems():
    """Seven systems, thirty documents, two rounds."""
    rng = np.random.default_rng(3)
    lengths = tuple(rng.integers(3, 7, size=30).tolist())
    campaign = campaign_of(lengths, 7, replace(THREE, ratings_per_item=2))
    return campaign, laid_out(campaign)


def test_every_round_shows_each_translation_once_in_groups_as_even_as_can_be():
    campaign, design = seven_systems()
    item = {each.item_id: each for each in design.items}
    for number in (1, 2):
        places = [
            item[placed.item_id]
            for hit in design.hits
            if hit.round == number
            for placed in hit.placed
            if not placed.is_padding
        ]
        shown = Counter(
            (text.system_id, text.segment_id)
            for each in places
            if each.kind is ItemKind.REGULAR
            for text in texts_of(each)
        )
        assert len(shown) == 7 * len(campaign.segments)
        assert set(shown.values()) == {1}
    assert {len(texts_of(each)) for each in design.items} == {2, 3}


def test_a_document_is_shown_whole_and_in_order_by_the_same_systems_in_the_same_places():
    campaign, design = seven_systems()
    sizes = Counter(segment.document_id for segment in campaign.segments)
    orders = {}
    for hit in design.hits:
        for (systems, document, _), items in runs_of(design, hit):
            assert [each.segment_id for each in items] == [f"{document}-{k}" for k in range(sizes[document])]
            assert orders.setdefault((document, frozenset(systems)), systems) == systems


def test_each_control_document_is_in_the_other_half_with_one_translation_changed_at_most():
    _, design = seven_systems()
    item = {each.item_id: each for each in design.items}
    damaged = Counter()
    for hit in design.hits:
        half = {placed.item_id: placed.group for placed in hit.placed}
        kinds = Counter(item[placed.item_id].kind for placed in hit.placed)
        assert kinds[ItemKind.DEGRADED] >= 5
        for placed in hit.placed:
            control = item[placed.item_id]
            if control.kind is ItemKind.REGULAR:
                continue
            base = item[control.base_item_id]
            assert half[base.item_id] != placed.group
            assert systems_of(base) == systems_of(control)
            changed = [
                new.system_id
                for old, new in zip(texts_of(base), texts_of(control), strict=True)
                if old.text != new.text
            ]
            kinds_shown = [text.kind for text in texts_of(control)]
            if control.kind is ItemKind.REPEAT:
                assert changed == []
                assert set(kinds_shown) == {ItemKind.REPEAT}
            else:
                [system] = changed
                damaged[system] += 1
                assert sorted(kinds_shown) == [ItemKind.DEGRADED, *[ItemKind.REPEAT] * (len(kinds_shown) - 1)]
                assert kinds_shown[systems_of(control).index(system)] is ItemKind.DEGRADED
    assert set(damaged) == {f"system-{k}" for k in range(7)}


def test_all_pairs_of_systems_meet_about_equally_often():
    campaign, design = seven_systems()

    rows = explain(design, campaign).meetings

    counts = [n for row, each in enumerate(rows) for column, n in enumerate(each.n_items) if column > row]
    assert len(counts) == 21
    # Documents of up to six segments meet as a whole.
    assert max(counts) - min(counts) <= 3 * 6


def test_every_hit_shows_all_systems_in_shares_that_differ_by_few_documents():
    _, design = seven_systems()
    for hit in design.hits:
        shown = Counter(
            system
            for (systems, _, is_control), items in runs_of(design, hit)
            if not is_control
            for system in systems
            for _ in items
        )
        assert len(shown) == 7
        assert max(shown.values()) - min(shown.values()) <= 2 * 6


@settings(max_examples=25, deadline=None)
@given(
    n_systems=st.integers(2, 9),
    most=st.integers(2, 6),
    n_documents=st.integers(1, 12),
    rounds=st.integers(1, 4),
)
def test_groups_of_a_document_hold_all_systems_and_differ_in_size_by_one_at_most(
    n_systems, most, n_documents, rounds
):
    design = replace(THREE, n_translations=most, ratings_per_item=rounds)
    campaign = campaign_of((2,) * n_documents, n_systems, design)

    drawn = list(draw_groups(campaign, rng=np.random.default_rng(n_systems)))

    assert len(drawn) == rounds
    for groups in drawn:
        for document in {each.document_id for each in campaign.segments}:
            own = [systems for name, systems in groups if name == document]
            assert sorted(each for systems in own for each in systems) == list(range(n_systems))
            sizes = [len(systems) for systems in own]
            assert max(sizes) <= most
            assert max(sizes) - min(sizes) <= 1
            assert len(sizes) == -(-n_systems // most)


def test_rounds_added_later_bring_others_together_and_keep_places_and_known_items():
    campaign = campaign_of((4,) * 12, 4, replace(THREE, n_translations=2))
    first = laid_out(campaign)
    known = list(first.items)
    met = list(meetings(known, {each.segment_id for each in campaign.segments}))

    design = laid_out(campaign, seed=9, met=met, prefix="new")
    added = Appender(known, last_hit=len(first.hits), last_round=1).append(design)

    pairs = [
        {
            (each.segment_id, pair)
            for each in made.items
            if each.kind is ItemKind.REGULAR
            for pair in combinations(sorted(systems_of(each)), 2)
        }
        for made in (first, design)
    ]
    assert not pairs[0] & pairs[1]
    order = {}
    for each in (*known, *added.items):
        key = each.segment_id.partition("-")[0], frozenset(systems_of(each))
        assert order.setdefault(key, systems_of(each)) == systems_of(each)


def test_a_system_is_left_out_of_documents_that_it_has_only_in_part():
    campaign = campaign_of((4,) * 12, 3, missing={(1, "d3-2")})

    design = laid_out(campaign)

    shown = {systems for hit in design.hits for (systems, name, _), _ in runs_of(design, hit) if name == "d3"}
    assert [sorted(systems) for systems in shown] == [["system-0", "system-2"]]
    assert any("1 document of single systems is not shown" in warning for warning in design.warnings)


def test_what_is_laid_out_can_be_explained_and_counted_beforehand():
    campaign, design = seven_systems()

    report = explain(design, campaign)

    assert {row.n_regular for row in report.systems} >= {2 * len(campaign.segments)}
    assert abs(n_hits(campaign) - len(design.hits)) <= 0.2 * len(design.hits)
    # Workers cannot tell a damaged text by where it stands.
    places = [
        [text.kind for text in texts_of(each)].index(each.kind)
        for each in design.items
        if each.kind in SUBSTITUTE_KINDS and len(texts_of(each)) == 3
    ]
    share = np.bincount(places, minlength=3) / len(places)
    assert np.abs(share - 1 / 3).max() < 4 * (2 / 9 / len(places)) ** 0.5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"systems": 1}, "there is one system only"),
        ({"order": "grouped"}, 'set order = "documents"'),
        ({"hit_size": 400}, "segments times groups of systems are too few for one HIT of 400 items"),
        ({"gold_every": 5}, "no room for gold"),
        ({"missing": {(1, f"d{k}-0") for k in range(8)}}, "system-1 translated none as a whole"),
    ],
)
def test_what_cannot_be_had_is_said(change, said):
    others = {name: change[name] for name in ("order", "hit_size", "gold_every") if name in change}
    campaign = campaign_of(
        (4,) * 8, change.get("systems", 3), replace(THREE, **others), missing=change.get("missing", ())
    )

    with pytest.raises(CampaignError) as caught:
        laid_out(campaign)

    assert any(said in problem for problem in caught.value.problems)
