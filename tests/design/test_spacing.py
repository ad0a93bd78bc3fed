from __future__ import annotations

import numpy as np
import pytest

from steelyard.design.layout import layout_of
from steelyard.design.spacing import TOO_CLOSE, Card, Slot, Spreader
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.work import ItemKind


def slots_of(layout, *, n_segments, seed):
    """Pairs of a base and a control half a HIT apart, and single items in between; three systems."""
    rng = np.random.default_rng(seed)
    half, slots = layout.hit_size // 2, []
    free = set(range(1, layout.hit_size + 1))
    for position in rng.permutation(half)[:20].tolist():
        slots.append([position + 1, position + 1 + half])
        free -= set(slots[-1])
    slots += [[position] for position in sorted(free)]
    return [
        Slot(Card(k, k % 3, k % n_segments, k), ItemKind.REPEAT if len(at) == 2 else None, list(at))
        for k, at in enumerate(slots)
    ]


def nearest(slots):
    at = [(position, slot.card.segment, id(slot)) for slot in slots for position in slot.positions]
    return min(abs(p - q) for p, s, i in at for q, t, j in at if s == t and i != j)


@pytest.mark.parametrize("name", ["2014", "2013"])
@pytest.mark.parametrize("seed", range(3))
class TestSpreading:
    def spread(self, name, seed):
        layout = layout_of(DesignSettings(layout=name))
        slots = slots_of(layout, n_segments=40, seed=seed)
        before = [(slot.card, list(slot.positions)) for slot in slots]
        rng = np.random.default_rng(seed)
        # Cards of even number may not become bases.
        Spreader(slots, layout=layout, may_serve=lambda _, entry: entry % 2 == 1, rng=rng).spread()
        return layout, before, slots

    def test_items_of_one_segment_come_to_stand_apart(self, name, seed):
        _, _, slots = self.spread(name, seed)

        assert nearest(slots) > TOO_CLOSE

    def test_positions_stay_in_their_groups(self, name, seed):
        layout, before, slots = self.spread(name, seed)

        for (_, old), slot in zip(before, slots, strict=True):
            assert [layout.group_of(p) for p in old] == [layout.group_of(p) for p in slot.positions]
        taken = sorted(position for slot in slots for position in slot.positions)
        assert taken == list(range(1, layout.hit_size + 1))

    def test_cards_go_to_slots_of_their_system_and_only_where_they_may(self, name, seed):
        _, before, slots = self.spread(name, seed)

        for (card, _), slot in zip(before, slots, strict=True):
            assert slot.card.system == card.system
            assert slot.kind is None or slot.card == card or slot.card.entry % 2 == 1
        assert sorted(slot.card.entry for slot in slots) == sorted(card.entry for card, _ in before)

    def test_controls_keep_their_distance(self, name, seed):
        layout, _, slots = self.spread(name, seed)

        between = [abs(s.positions[1] - s.positions[0]) - 1 for s in slots if s.kind is not None]
        assert layout.min_separation <= min(between)
        assert max(between) <= layout.max_separation


def test_what_cannot_be_done_is_made_as_good_as_may_be():
    layout = layout_of(DesignSettings())
    slots = slots_of(layout, n_segments=8, seed=1)
    before = nearest(slots)

    Spreader(slots, layout=layout, may_serve=lambda *_: True, rng=np.random.default_rng(1)).spread()

    assert before <= nearest(slots) <= TOO_CLOSE


def test_positions_without_a_slot_are_left_alone():
    layout = layout_of(DesignSettings())
    slots = [slot for slot in slots_of(layout, n_segments=40, seed=2) if 17 not in slot.positions]

    Spreader(slots, layout=layout, may_serve=lambda *_: True, rng=np.random.default_rng(1)).spread()

    assert all(17 not in slot.positions for slot in slots)
