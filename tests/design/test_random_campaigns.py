"""What every design promises, on campaigns of any size, layout and unevenness."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.design.layout import layout_of, layout_problems
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.work import CONTROL_KINDS, SCORED_KINDS, ItemKind

hurried = settings(max_examples=6)


@st.composite
def designs(draw: st.DrawFn) -> DesignSettings:
    """Settings of every kind that have a layout; one in three leaves all to the defaults."""
    ratings = draw(st.integers(1, 2))
    if draw(st.integers(0, 2)) == 0:
        return DesignSettings(draw(st.sampled_from([50, 60, 100, 100, 200])), ratings)
    order = draw(st.sampled_from(["grouped", "grouped", "free"]))
    grouped = order == "grouped"
    groups = draw(st.sampled_from([4, 6, 8, 10, 12]))
    hit_size = groups * draw(st.integers(3, 10)) + (0 if grouped else draw(st.integers(0, 1)))
    number = st.integers(0, hit_size // 7)
    chosen = DesignSettings(
        hit_size=hit_size,
        ratings_per_item=ratings,
        layout=draw(st.sampled_from(["2014", "2013"])) if grouped else "2014",
        order=order,
        groups=groups if grouped else None,
        quota={
            ItemKind.DEGRADED: draw(st.sampled_from([0, 5, 5, 6, 10])),
            ItemKind.REPEAT: draw(number),
            ItemKind.REFERENCE: draw(number),
            ItemKind.CALIBRATION: draw(st.integers(0, 4)),
        },
        gold_every=draw(st.sampled_from([None, None, 6, 7])),
        merge_duplicates=draw(st.booleans()),
    )
    assume(not layout_problems(chosen))
    return chosen


@pytest.fixture(scope="session")
def shapes(shape_of):
    @st.composite
    def draw_shape(draw, *, even=False):
        design = draw(designs())
        n_regular, n_gold = layout_of(design).n_regular, layout_of(design).n_gold
        # With fewer segments than regular items a HIT takes long to arrange: seldom, and not many HITs.
        few = draw(st.integers(0, 5)) == 0
        n_systems = draw(st.integers(1, 3)) if few else draw(st.one_of(st.integers(1, 8), st.integers(1, 30)))
        # Half of the texts at least are left after gaps, copies and weights.
        least = max(-(-max(2 * n_regular, 6 * n_gold) // n_systems), n_regular * 2 // 3 if few else n_regular)
        return shape_of(
            n_systems=n_systems,
            n_segments=draw(st.integers(least, least + 20)),
            design=design,
            attribute=draw(st.sampled_from(["adequacy", "fluency"])),
            seed=draw(st.integers(0, 2**32)),
            coverage=1.0 if even else draw(st.sampled_from([1.0, 1.0, 0.8])),
            copied=0.0 if even else draw(st.sampled_from([0.0, 0.0, 0.2])),
            weights=()
            if even or draw(st.booleans())
            else tuple(draw(st.sampled_from([1.0, 1.0, 0.7])) for _ in range(n_systems)),
            gold=0.6 if n_gold else 0.0,
            n_calibration=7,
        )

    return draw_shape


@pytest.fixture(scope="session")
def built_once(built):
    """Hypothesis draws the same shapes for every fact here: each is built once, and only looked at."""
    made = {}

    def make(shape):
        key = repr(shape)
        if key not in made:
            made[key] = built(shape)
        return made[key]

    return make


@pytest.fixture
def holds_for_all(shapes, built_once):
    """Whether something holds for random campaigns, uneven ones too or only even ones."""

    def check(fact, *, even=False):
        @hurried
        @given(shapes(even=even))
        def run(shape):
            fact(built_once(shape))

        run()

    return check


def test_every_hit_has_the_counts_of_its_layout(holds_for_all):
    def fact(made):
        layout = made.layout
        wanted = Counter({**layout.quota, ItemKind.REGULAR: layout.n_regular, ItemKind.GOLD: layout.n_gold})
        for hit in made.hits:
            assert Counter(made.item[placed.item_id].kind for placed in hit.placed) == wanted

    holds_for_all(fact)


def test_positions_and_groups_run_through_every_hit(holds_for_all):
    def fact(made):
        size, groups = made.layout.hit_size, made.layout.n_groups
        for hit in made.hits:
            assert [placed.position for placed in hit.placed] == list(range(1, size + 1))
            assert [placed.group for placed in hit.placed] == [k * groups // size for k in range(size)]

    holds_for_all(fact)


def test_base_and_control_are_apart_as_far_as_the_layout_promises(holds_for_all):
    def fact(made):
        layout = made.layout
        between = [abs(c.position - b.position) - 1 for hit in made.hits for b, c in made.pairs(hit)]
        assert len(between) == layout.n_controls * len(made.hits)
        assert made.design.separation == ((min(between), max(between)) if between else None)
        if layout.order == "grouped" and between:
            half, size = layout.n_groups // 2, layout.group_size
            assert min(between) >= (half - 1) * size
            assert max(between) <= (half + 1) * size - (2 if layout.name == "2014" else 0)

    holds_for_all(fact)


def test_a_base_serves_one_control_in_a_hit_and_sits_about_half_a_hit_away(holds_for_all):
    def fact(made):
        n_groups = made.layout.n_groups
        offsets = set(made.layout.offsets)
        for hit in made.hits:
            pairs = made.pairs(hit)
            assert len({base.item_id for base, _ in pairs}) == len(pairs)
            assert {(base.group - control.group) % n_groups for base, control in pairs} <= offsets
            assert all(made.item[base.item_id].kind is ItemKind.REGULAR for base, _ in pairs)

    holds_for_all(fact)


def test_controls_name_the_system_and_segment_of_their_base_and_show_what_their_kind_says(holds_for_all):
    def fact(made):
        reference = {segment.segment_id: segment.reference for segment in made.campaign.segments}
        for item in made.item.values():
            if item.kind not in CONTROL_KINDS:
                continue
            base = made.item[item.base_item_id]
            assert (base.kind, base.system_id, base.segment_id) == (
                ItemKind.REGULAR,
                item.system_id,
                item.segment_id,
            )
            assert {
                ItemKind.REPEAT: item.text == base.text,
                ItemKind.REFERENCE: item.text == reference[item.segment_id],
                ItemKind.DEGRADED: item.text not in (base.text, ""),
            }[item.kind]

    holds_for_all(fact)


def test_every_round_covers_every_text_once_apart_from_padding(holds_for_all):
    def fact(made):
        assume(len({system.weight for system in made.campaign.systems}) == 1)
        expected = {item_id for item_id, item in made.item.items() if item.kind is ItemKind.REGULAR}
        for number in range(1, made.campaign.settings.design.ratings_per_item + 1):
            hits = [hit for hit in made.hits if hit.round == number]
            shown = [p for hit in hits for p, _ in made.of_kind(hit, ItemKind.REGULAR)]
            own = Counter(placed.item_id for placed in shown if not placed.is_padding)
            assert own == Counter(expected)
            assert not any(placed.is_padding for hit in hits[:-1] for placed in hit.placed)
        assert [hit.number for hit in made.hits] == list(range(1, len(made.hits) + 1))

    holds_for_all(fact)


def test_every_translation_is_judged_and_credited_to_its_system(holds_for_all):
    def fact(made):
        assume(len({system.weight for system in made.campaign.systems}) == 1)
        text_of = {(t.system_id, t.segment_id): t.text for t in made.campaign.each_translation()}
        judged = {
            (system_id, item.segment_id): item.text
            for item in made.item.values()
            if item.kind is ItemKind.REGULAR
            for system_id in (item.system_id, *item.credited)
        }
        assert judged == text_of

    holds_for_all(fact)


def test_each_text_has_one_item_and_at_most_one_of_each_other_kind(holds_for_all):
    def fact(made):
        keys = Counter((item.kind, item.system_id, item.segment_id) for item in made.item.values())
        assert set(keys.values()) == {1}

    holds_for_all(fact)


def test_items_are_in_order_of_their_ids(holds_for_all):
    def fact(made):
        ids = [item.item_id for item in made.design.items]
        assert all(a < b for a, b in pairwise(ids))

    holds_for_all(fact)


def test_only_scored_items_are_credited_to_further_systems(holds_for_all):
    def fact(made):
        for item in made.item.values():
            base = made.item.get(item.base_item_id, item)
            assert item.credited == (base.credited if item.kind in SCORED_KINDS else ())

    holds_for_all(fact)


def test_systems_take_turns_in_regular_items(holds_for_all):
    def fact(made):
        assert max(made.spread_after_each_hit(ItemKind.REGULAR)) <= 1

    holds_for_all(fact, even=True)


def test_systems_of_different_size_keep_to_their_shares(holds_for_all):
    def fact(made):
        rounds = made.campaign.settings.design.ratings_per_item
        own = Counter(
            item.system_id
            for hit in made.hits
            for placed, item in made.of_kind(hit, ItemKind.REGULAR)
            if not placed.is_padding
        )
        share = {system.system_id: own[system.system_id] / own.total() for system in made.campaign.systems}
        assert all(count % rounds == 0 for count in own.values())
        counts, places = Counter(), 0
        for hit in made.hits:
            regular = made.of_kind(hit, ItemKind.REGULAR)
            counts.update(item.system_id for _, item in regular)
            places += len(regular)
            assert all(abs(counts[name] - places * share[name]) <= 3 for name in share)

    holds_for_all(fact)


@pytest.mark.parametrize("kind", CONTROL_KINDS)
def test_bases_of_each_kind_are_balanced_over_systems(holds_for_all, kind):
    def fact(made):
        # Where nearly every regular item is a base, there is little to choose from.
        assume(2 * made.layout.n_controls <= made.layout.n_regular)
        assert max(made.spread_after_each_hit(kind)) <= 2

    holds_for_all(fact, even=True)


def test_groups_have_nearly_the_same_mix_of_systems(holds_for_all):
    def fact(made):
        n_groups = made.layout.n_groups
        for hit in made.hits:
            regular = made.of_kind(hit, ItemKind.REGULAR)
            room = Counter(placed.group for placed, _ in regular)
            if max(room.values()) - min(room[group] for group in range(n_groups)) > 1:
                continue
            for system in made.campaign.systems:
                mix = Counter(placed.group for placed, item in regular if item.system_id == system.system_id)
                assert max(mix.values(), default=0) - min(mix[group] for group in range(n_groups)) <= 1

    holds_for_all(fact)


def test_no_hit_holds_an_item_twice(holds_for_all):
    def fact(made):
        assert all(len({placed.item_id for placed in hit.placed}) == len(hit.placed) for hit in made.hits)

    holds_for_all(fact)


def test_the_closest_items_of_a_segment_are_as_close_as_reported(holds_for_all):
    def fact(made):
        assert made.design.closest == _closest(made)

    holds_for_all(fact)


def _closest(made):
    """The least distance of two items of one segment that are not a control and its base."""
    distances = []
    for hit in made.hits:
        own = {frozenset((base.position, control.position)) for base, control in made.pairs(hit)}
        where = [(placed.position, made.item[placed.item_id].segment_id) for placed in hit.placed]
        distances += [
            q - p for p, s in where for q, t in where if p < q and s == t and frozenset((p, q)) not in own
        ]
    return min(distances, default=None)


def test_gold_is_every_so_many_th_item_with_what_the_expert_said(holds_for_all):
    def fact(made):
        every, gold = made.layout.gold_every, made.campaign.gold
        for hit in made.hits:
            shown = made.of_kind(hit, ItemKind.GOLD)
            assert [placed.position % (every or 1) for placed, _ in shown] == [0] * made.layout.n_gold
            for _, item in shown:
                rated = [gold[name] for name in _authors(made.campaign, item) if name in gold]
                assert item.known == pytest.approx(np.mean(rated))

    holds_for_all(fact)


def _authors(campaign, item):
    """(system_id, segment_id) of all translations that this item stands for."""
    if not campaign.settings.design.merge_duplicates:
        return [(item.system_id, item.segment_id)]
    place = [segment.segment_id for segment in campaign.segments].index(item.segment_id)
    return [
        (name, item.segment_id)
        for name, column in campaign.translations.items()
        if column[place] == item.text
    ]


def test_known_items_are_dealt_evenly(holds_for_all):
    def fact(made):
        for kind, number in ((ItemKind.GOLD, None), (ItemKind.CALIBRATION, 7)):
            counts = Counter(item.item_id for hit in made.hits for _, item in made.of_kind(hit, kind))
            # Gold that would come beside its own segment waits, hence one more.
            assert max(counts.values(), default=0) - min(counts.values(), default=0) <= (1 if number else 2)

    holds_for_all(fact)


def test_calibration_items_bring_their_score_along(holds_for_all):
    def fact(made):
        text = {f"calibration:{each.calibration_id}": each for each in made.campaign.calibration}
        for item in made.item.values():
            if item.kind is ItemKind.CALIBRATION:
                own = text[item.segment_id]
                assert (item.text, item.known, item.known_sd) == (own.text, own.score, own.sd)
                assert (item.system_id, item.base_item_id) == ("calibration", None)

    holds_for_all(fact)
