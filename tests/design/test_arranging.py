from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design import arranging
from steelyard.design.arranging import TOO_CLOSE, Arranger
from steelyard.design.builder import build
from steelyard.design.entries import Entries
from steelyard.design.layout import layout_of
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.work import CONTROL_KINDS, ItemKind

hurried = settings(max_examples=30)
seeds = st.integers(0, 2**32)
SETTINGS = [
    DesignSettings(),
    DesignSettings(layout="2013"),
    DesignSettings(48, groups=8, gold_every=7, quota={ItemKind.DEGRADED: 5, ItemKind.CALIBRATION: 3}),
    DesignSettings(layout="2013", gold_every=6),
    DesignSettings(97, order="free"),
]


def arranged(chosen, *, seed=1, n_systems=3, n_segments=None, n_hits=20, serves=lambda entry: entry >= 0):
    """HITs of systems in turn, every segment once or, if there are few, in turn as well."""
    layout, rng = layout_of(chosen), np.random.default_rng(seed)
    number = np.arange(n_hits * layout.n_regular, dtype=np.int32)
    entry = rng.permuted(number.reshape(n_hits, -1), axis=1)
    segment = number if n_segments is None else number % layout.n_regular % n_segments
    made = Arranger(
        entry.copy(),
        layout=layout,
        entries=Entries(number % n_systems, segment.astype(np.int32), [""] * len(number), {}),
        serves=np.tile(serves(number), (len(CONTROL_KINDS), 1)),
        degrade=lambda entry: bool(serves(entry)),
        rng=rng,
    )
    made.arrange()
    return entry, made


def spread_over_groups(made):
    """Most minus least of a system in a group, by HIT and system."""
    n_regular, n_groups = made.layout.n_regular, made.layout.n_groups
    for row, groups in zip(made.system[made.entry].tolist(), made.group.tolist(), strict=True):
        for system in set(row):
            own = Counter(g for s, g in zip(row, groups[:n_regular], strict=True) if s == system)
            yield max(own.values()) - min(own[group] for group in range(n_groups))


def nearest(made):
    """The least distance of two items of one segment that are not a control and its base."""
    layout = made.layout
    distances = []
    for row, at in zip(made.segment[made.entry].tolist(), made.position.tolist(), strict=True):
        shown = [(p, s, c) for c, (p, s) in enumerate(zip(at[: layout.n_regular], row, strict=True))]
        controls = at[layout.n_regular : layout.n_regular + layout.n_controls]
        shown += [(p, row[c], c) for c, p in enumerate(controls)]
        distances += [abs(p - q) for p, s, c in shown for q, t, d in shown if s == t and c < d]
    return min(distances)


@pytest.mark.parametrize("chosen", SETTINGS)
def test_everything_but_gold_has_a_position_of_its_own(chosen):
    _, made = arranged(chosen)

    for row in made.position.tolist():
        assert sorted([*row, *made.layout.gold_positions]) == list(range(1, made.layout.hit_size + 1))


@pytest.mark.parametrize("chosen", SETTINGS)
def test_every_control_keeps_a_base_that_was_chosen_for_its_kind(chosen):
    before, made = arranged(chosen)

    stops = np.cumsum([0, *(made.layout.quota[kind] for kind in CONTROL_KINDS), len(before[0])])
    for start, stop in pairwise(stops):
        assert (np.sort(before[:, start:stop], axis=1) == np.sort(made.entry[:, start:stop], axis=1)).all()


@hurried
@given(st.sampled_from(["2014", "2013"]), seeds)
def test_all_pairs_of_either_layout_are_as_far_apart_as_promised(name, seed):
    _, made = arranged(DesignSettings(layout=name), seed=seed)

    assert made.between().min() >= 40
    assert made.between().max() <= (60 if name == "2013" else 58)
    offsets = (made.group[:, :30] - made.group[:, 70:]) % 10
    assert set(offsets.ravel().tolist()) <= ({4, 5, 6} if name == "2013" else {5})


def test_the_start_of_the_2013_layout_leaves_many_pairs_too_near_or_too_far():
    _, made = arranged(DesignSettings(layout="2013"), seed=3)
    made._start(np.arange(20), made.layout)

    # A quarter of the pairs has offset 4, of which half are too near; likewise too far.
    assert ((made.between() < 40) | (made.between() > 60)).mean() > 0.15


def test_a_hit_that_does_not_come_right_is_dealt_by_the_rule_of_2014(monkeypatch):
    monkeypatch.setattr(arranging, "MAX_STEPS", 0)

    _, made = arranged(DesignSettings(layout="2013"), seed=3)

    assert ((made.group[:, :30] - made.group[:, 70:]) % 10 == 5).all()
    assert made.between().max() <= 58


def test_a_broken_promise_is_noticed():
    _, made = arranged(DesignSettings())
    made.position[0, :2] = made.position[0, 1::-1]

    with pytest.raises(AssertionError, match="items are in their groups"):
        made._check()


@pytest.mark.parametrize("n_systems", [1, 2, 3, 5, 8, 12, 20, 30, 70])
@pytest.mark.parametrize("name", ["2014", "2013"])
def test_no_system_has_two_more_in_one_group_than_in_another(n_systems, name):
    _, made = arranged(DesignSettings(layout=name), n_systems=n_systems, n_hits=100)

    assert max(spread_over_groups(made)) <= 1


def test_a_chain_of_exchanges_helps_where_a_single_one_does_not():
    # Four groups of three: each lane of bases has one place in every group, so that systems with many
    # bases cannot simply change places. All such HITs come out even nevertheless.
    quota = {ItemKind.DEGRADED: 8, ItemKind.REPEAT: 4}
    _, made = arranged(DesignSettings(32, groups=4, quota=quota), n_systems=5, n_hits=200)

    assert max(spread_over_groups(made)) <= 1


@pytest.mark.parametrize("name", ["2014", "2013"])
@pytest.mark.parametrize("seed", range(3))
class TestSpacing:
    """Forty segments for 70 regular items; only entries of odd number may become bases in the search."""

    def spaced(self, name, seed):
        return arranged(
            DesignSettings(layout=name),
            seed=seed,
            n_segments=40,
            n_hits=4,
            serves=lambda entry: entry % 2 == 1,
        )

    def test_items_of_one_segment_come_to_stand_apart(self, name, seed):
        _, made = self.spaced(name, seed)

        assert nearest(made) > TOO_CLOSE

    def test_groups_stay_even_and_controls_keep_their_distance(self, name, seed):
        _, made = self.spaced(name, seed)

        assert max(spread_over_groups(made)) <= 1
        assert made.between().min() >= 40
        assert made.between().max() <= 60

    def test_entries_become_bases_only_where_they_may_and_by_their_system(self, name, seed):
        before, made = self.spaced(name, seed)

        assert (np.sort(before, axis=1) == np.sort(made.entry, axis=1)).all()
        stops = np.cumsum([0, *(made.layout.quota[kind] for kind in CONTROL_KINDS)])
        for start, stop in pairwise(stops):
            for old, new in zip(
                before[:, start:stop].tolist(), made.entry[:, start:stop].tolist(), strict=True
            ):
                assert all(entry % 2 for entry in set(new) - set(old))
                assert Counter(made.system[old].tolist()) == Counter(made.system[new].tolist())


def test_what_cannot_be_done_is_made_as_good_as_may_be():
    _, made = arranged(DesignSettings(), n_segments=8, n_hits=2)

    assert 1 < nearest(made) <= TOO_CLOSE
    assert max(spread_over_groups(made)) <= 1


@pytest.mark.parametrize("seed", range(12))
def test_weights_far_apart_in_small_hits_still_fit_the_layout(campaign_of, shape_of, seed):
    shape = shape_of(
        n_systems=2, n_segments=120, design=DesignSettings(hit_size=50), words=(9, 9), weights=(1.0, 0.1)
    )

    design = build(
        campaign_of(shape), rng=np.random.default_rng(seed), new_ids=lambda n: [f"{k:06x}" for k in range(n)]
    )

    least, most = design.separation
    assert least >= 20
    assert most <= 28
