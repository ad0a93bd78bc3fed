"""Explaining a design: numbers by hand, the published layout, and slow counts on random campaigns."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from steelyard.design.assembly import Design
from steelyard.design.builder import build
from steelyard.design.explain import explain
from steelyard.design.layout_report import KindRow, Mark, PairRow, Promise, Separation, SystemRow
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.text import CalibrationText, Segment, System
from steelyard.domain.work import CONTROL_KINDS, Hit, Item, ItemKind, PlacedItem

REGULAR, REPEAT, DEGRADED, REFERENCE = (
    ItemKind.REGULAR,
    ItemKind.REPEAT,
    ItemKind.DEGRADED,
    ItemKind.REFERENCE,
)
# Two HITs of four groups of two. Upper case: a base; lower case: the repeat of it; dots: other items.
#          group   0     1     2     3
FIRST = [*"A.", *"B.", *"a.", *".b"]
SECOND = [*"c.", *"D.", *"C.", *"d."]


def made_by_hand():
    """Systems x and y; repeats of segments A and D by x, of B and C by y."""
    owner = {"A": "x", "B": "y", "C": "y", "D": "x"}
    items, hits = {}, []
    for number, letters in enumerate((FIRST, SECOND), start=1):
        placed = []
        for position, letter in enumerate(letters, start=1):
            if letter == ".":
                # The last two dots of the second HIT are one segment by both systems.
                shared = number == 2 and position in (6, 8)
                segment_id = "shared" if shared else f"{number}-{position}"
                system_id = "x" if position in (2, 6) else "y"
                item = Item(f"i{number}{position}", REGULAR, system_id, segment_id, "text")
            elif letter.isupper():
                item = Item(f"i{letter}", REGULAR, owner[letter], letter, "text")
            else:
                name = letter.upper()
                item = Item(f"i{letter}", REPEAT, owner[name], name, "text", f"i{name}")
            items[item.item_id] = item
            placed.append(
                PlacedItem(item.item_id, position, (position - 1) // 2, (number, position) == (2, 4))
            )
        hits.append(Hit(f"H{number}", 1, number, tuple(placed)))
    items["i12"] = items["i12"]._replace(credited=("y",))
    return Design(list(items.values()), hits, warnings=("mind the gap.",))


def settings_of(**changes):
    design = DesignSettings(**{"hit_size": 8, "quota": {REPEAT: 2}, **changes})
    return CampaignSettings("toy", "Toy", "da", "adequacy", "de", "en", design=design)


@pytest.fixture
def report():
    campaign = Campaign(settings_of(), (System("x"), System("y")), (), {})
    return explain(made_by_hand(), campaign)


def test_the_promise_is_that_of_the_layout(report):
    # Four groups of two: 2 x (2 - 1) to 2 x (2 + 1) - 2 items between.
    assert report.promise == Promise(8, 4, 2, ((REGULAR, 6), (REPEAT, 2)), (2, 4))


def test_hits_rounds_places_and_padding_are_counted(report):
    assert (report.n_hits, report.n_rounds, report.n_places, report.n_padding) == (2, 1, 16, 1)
    assert report.hit_sizes == (8, 8)
    assert report.control_shares == (0.25, 0.25)


def test_pairs_of_the_example_have_their_positions_and_the_items_between(report):
    # A at 1, its repeat at 5: positions 2, 3, 4 between. B at 3, its repeat at 8: 4 to 7.
    assert report.example_pairs == (PairRow(REPEAT, 1, 5, 3), PairRow(REPEAT, 3, 8, 4))


def test_groups_of_the_example_show_bases_controls_and_partners(report):
    plain, base, control = Mark(REGULAR, None), Mark(REGULAR, REPEAT), Mark(REPEAT, None)

    assert [row.marks for row in report.example_groups] == [
        (base, plain),
        (base, plain),
        (control, plain),
        (plain, control),
    ]
    assert [row.partners for row in report.example_groups] == [(), (), (0,), (1,)]
    assert [row.positions for row in report.example_groups] == [(1, 2), (3, 4), (5, 6), (7, 8)]


def test_kinds_per_group_are_means_over_hits(report):
    # Repeats in groups 2 and 3 of the first HIT, 0 and 3 of the second.
    assert report.kinds == (
        KindRow(REGULAR, 12, (1.5, 2.0, 1.5, 1.0)),
        KindRow(REPEAT, 4, (0.5, 0.0, 0.5, 1.0)),
    )


def test_separations_are_summed_up_over_all_hits(report):
    # A 1-5: 3; B 3-8: 4; C 5-1: 3, before its base; D 3-7: 3.
    assert report.bins == ((3, 3), (4, 4))
    assert report.separations == (Separation(REPEAT, 4, 3, 3.0, 4, 0.25, (3, 1)),)


def test_systems_are_counted_per_hit_and_group_with_their_bases(report):
    x, y = report.systems

    # x: A, 2 and 6 in the first HIT (groups 0, 0, 2); D, 2 and 6 in the second (1, 0, 2).
    assert x == SystemRow("x", 6, (3, 3), ((1, 2), (0, 1), (1, 1), (0, 0)), (0, 2, 0))
    # y: B, 4 and 7 in the first (1, 1, 3); C, 4 and 8 in the second (2, 1, 3).
    assert y == SystemRow("y", 6, (3, 3), ((0, 0), (1, 2), (0, 1), (1, 1)), (0, 2, 0))


def test_the_closest_translations_of_a_segment_are_found(report):
    # Positions 6 and 8 of the second HIT; a repeat and its base do not count.
    assert report.closest == 2


def test_credits_blocks_and_warnings_are_passed_on(report):
    assert report.n_credited == 1
    assert report.n_blocks == 2
    assert report.warnings == ("mind the gap.",)


def test_a_control_whose_base_is_in_another_hit_is_unpaired():
    design = made_by_hand()
    moved = [each._replace(base_item_id="iD") if each.item_id == "ia" else each for each in design.items]
    campaign = Campaign(settings_of(), (System("x"), System("y")), (), {})
    report = explain(replace(design, items=moved), campaign)

    assert report.n_unpaired == 1
    assert report.example_pairs == (PairRow(REPEAT, 3, 8, 4),)


def random_campaign(**changes):
    rng = np.random.default_rng(4)

    def text():
        return " ".join(f"w{k}" for k in rng.integers(5000, size=12))

    n_segments = changes.pop("n_segments", 150)
    systems = tuple(System(f"system-{k}") for k in range(changes.pop("n_systems", 4)))
    segments = tuple(Segment(str(k), f"d{k // 6}", text(), text()) for k in range(n_segments))
    translations = {system.system_id: [text() for _ in segments] for system in systems}
    calibration = tuple(CalibrationText(str(k), text(), text(), "", 0.1, 0.2) for k in range(20))
    settings = replace(settings_of(), design=DesignSettings(**changes))
    return Campaign(settings, systems, segments, translations, calibration=calibration)


def built(campaign):
    return build(campaign, rng=np.random.default_rng(3), new_ids=lambda n: [f"id{k:06d}" for k in range(n)])


def test_every_group_of_the_published_layout_has_seven_regular_items_and_a_control_of_each_kind():
    campaign = random_campaign()
    report = explain(built(campaign), campaign)

    assert report.promise.counts == ((REGULAR, 70), (REPEAT, 10), (DEGRADED, 10), (REFERENCE, 10))
    assert report.promise.separation == (40, 58)
    assert {row.kind: row.per_group for row in report.kinds} == {
        REGULAR: (7.0,) * 10,
        REPEAT: (1.0,) * 10,
        DEGRADED: (1.0,) * 10,
        REFERENCE: (1.0,) * 10,
    }
    assert [row.partners for row in report.example_groups] == [((group + 5) % 10,) for group in range(10)]
    assert len(report.example_pairs) == 30
    assert all(40 <= row.least <= row.most <= 58 for row in report.separations)
    assert all(row.before_base == 0.5 for row in report.separations)


@pytest.fixture(
    scope="module",
    params=[
        {},
        {"layout": "2013", "ratings_per_item": 2},
        {"order": "free"},
        {"order": "documents", "ratings_per_item": 2},
        {"hit_size": 50, "n_systems": 3, "n_segments": 30},
        {"quota": {DEGRADED: 10, ItemKind.CALIBRATION: 4}},
    ],
    ids=["2014", "2013", "free", "documents", "few segments", "calibration"],
)
def random_case(request):
    """A design of each order with its report, and its places as (HIT, placed item, item)."""
    campaign = random_campaign(**request.param)
    design = built(campaign)
    item = {each.item_id: each for each in design.items}
    places = [(hit, placed, item[placed.item_id]) for hit in design.hits for placed in hit.placed]
    return design, explain(design, campaign), places


def pairs_the_slow_way(places):
    """(kind, system, items between, whether the control comes first) of every control."""
    position = {(hit.hit_id, item.item_id): placed.position for hit, placed, item in places}
    for hit, placed, item in places:
        if item.kind in CONTROL_KINDS:
            base = position[hit.hit_id, item.base_item_id]
            yield item.kind, item.system_id, abs(base - placed.position) - 1, placed.position < base


def test_separations_agree_with_slow_ones(random_case):
    design, report, places = random_case
    pairs = list(pairs_the_slow_way(places))

    for row in report.separations:
        apart = [between for kind, _, between, _ in pairs if kind is row.kind]
        first = [is_first for kind, _, _, is_first in pairs if kind is row.kind]
        assert (row.n_pairs, row.least, row.most) == (len(apart), min(apart), max(apart))
        assert row.median == np.median(apart)
        assert row.before_base == pytest.approx(np.mean(first))
        assert row.histogram == tuple(sum(low <= n <= high for n in apart) for low, high in report.bins)
    assert sum(row.n_pairs for row in report.separations) == len(pairs)
    assert design.separation == (min(pair[2] for pair in pairs), max(pair[2] for pair in pairs))


def test_systems_agree_with_slow_counts(random_case):
    design, report, places = random_case
    counts = Counter(
        (hit.hit_id, item.system_id, placed.group) for hit, placed, item in places if item.kind is REGULAR
    )
    bases = Counter((system_id, kind) for kind, system_id, _, _ in pairs_the_slow_way(places))

    for row in report.systems:
        assert row.n_bases == tuple(bases[row.system_id, kind] for kind in CONTROL_KINDS)
        for group, (least, most) in enumerate(row.per_group):
            found = [counts[hit.hit_id, row.system_id, group] for hit in design.hits]
            assert (least, most) == (min(found), max(found))


def test_the_closest_translations_agree_with_all_pairs_of_places(random_case):
    design, report, places = random_case
    distances = []
    for k, (hit, placed, item) in enumerate(places):
        for other_hit, later, other in places[k + 1 : k + len(hit.placed)]:
            is_own = item.item_id == other.base_item_id or other.item_id == item.base_item_id
            if other_hit is hit and item.segment_id == other.segment_id and not is_own:
                distances.append(later.position - placed.position)

    assert report.closest == min(distances, default=None) == design.closest


def test_blocks_agree_with_the_design(random_case):
    design, report, _ = random_case

    assert report.n_blocks == design.blocks


def test_without_controls_there_are_no_separations():
    campaign = random_campaign(quota={})
    report = explain(built(campaign), campaign)

    assert (report.separations, report.bins, report.example_pairs) == ((), (), ())
