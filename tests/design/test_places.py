from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from steelyard.design.assembly import Design, assemble
from steelyard.design.entries import Entries, entries_of
from steelyard.design.places import CODE, Places, closest, separation
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.text import CalibrationText, Segment, System
from steelyard.domain.work import Hit, Item, ItemKind, PlacedItem

REGULAR, REPEAT, DEGRADED, REFERENCE, GOLD, CALIBRATION = ItemKind


def places_of(hits, *, rounds=None):
    """Places from lists of (kind, entry)."""
    flat = [place for hit in hits for place in hit]
    return Places(
        round=np.array(rounds or [1] * len(hits), dtype=np.int32),
        start=np.cumsum([0, *map(len, hits)]),
        kind=np.array([CODE[kind] for kind, _ in flat], dtype=np.int8),
        entry=np.array([entry for _, entry in flat], dtype=np.int32),
        group=np.zeros(len(flat), dtype=np.int16),
        is_padding=np.zeros(len(flat), dtype=np.bool_),
    )


@pytest.fixture
def campaign():
    """Entries: a/g0 = 0 (shared with b), a/g1 = 1, b/g1 = 2, b/g2 = 3; a lacks g2."""
    segments = tuple(Segment(f"g{k}", "doc", f"source {k}", f"reference {k}") for k in range(3))
    translations = {"a": ["same", "a one", None], "b": ["same", "b one", "b two"]}
    settings = CampaignSettings("toy", "Toy", "da", "adequacy", "de", "en", design=DesignSettings(4, 2))
    calibration = (CalibrationText("old", "an old text", "old reference", "old source", 0.7, 0.2),)
    systems = (System("a"), System("b"))
    return Campaign(settings, systems, segments, translations, {("b", "g2"): 80.0}, calibration)


@pytest.fixture
def design_of(campaign):
    entries = entries_of(campaign, merge=True)

    def make(places, ids=lambda n: [f"{(k * 7) % 101:03}" for k in range(1, n + 1)]):
        return assemble(
            campaign,
            entries,
            places,
            control_text=lambda kind, entry: f"{kind} of {entry}",
            new_ids=ids,
            warnings=["beware"],
        )

    return make


def test_items_have_what_their_kind_needs(design_of):
    hits = [
        [(REGULAR, 0), (DEGRADED, 0), (GOLD, 3), (CALIBRATION, 0)],
        [(REGULAR, 3), (REPEAT, 0), (REGULAR, 0)],
    ]

    items = {(item.kind, item.segment_id): item for item in design_of(places_of(hits)).items}

    base, gold_base = items[REGULAR, "g0"].item_id, items[REGULAR, "g2"].item_id
    assert {key: item[2:-1] for key, item in items.items()} == {
        (REGULAR, "g0"): ("a", "g0", "same", None, ("b",), None, None),
        (REGULAR, "g2"): ("b", "g2", "b two", None, (), None, None),
        (REPEAT, "g0"): ("a", "g0", "repeat of 0", base, ("b",), None, None),
        (DEGRADED, "g0"): ("a", "g0", "degraded of 0", base, (), None, None),
        (GOLD, "g2"): ("b", "g2", "b two", gold_base, (), 80.0, None),
        (CALIBRATION, "calibration:old"): (
            "calibration",
            "calibration:old",
            "an old text",
            None,
            (),
            0.7,
            0.2,
        ),
    }


def test_only_what_is_placed_becomes_an_item(design_of):
    design = design_of(places_of([[(REGULAR, 1)], [(REGULAR, 1), (REGULAR, 2)]]))

    assert sorted(item.text for item in design.items) == ["a one", "b one"]


def test_gold_without_a_regular_item_has_no_base(design_of):
    design = design_of(places_of([[(GOLD, 3), (REGULAR, 1)]]))

    assert {item.kind: item.base_item_id for item in design.items} == {REGULAR: None, GOLD: None}


def test_hits_hold_their_items_in_order(design_of):
    hits = [[(REGULAR, 2), (REGULAR, 1)], [(REGULAR, 1), (REGULAR, 3), (REPEAT, 1)]]
    design = design_of(places_of(hits, rounds=[1, 2]))

    text = {item.item_id: (item.kind, item.text) for item in design.items}
    assert [(hit.hit_id, hit.round, hit.number) for hit in design.hits] == [("H0001", 1, 1), ("H0002", 2, 2)]
    assert [[text[placed.item_id] for placed in hit.placed] for hit in design.hits] == [
        [(REGULAR, "b one"), (REGULAR, "a one")],
        [(REGULAR, "a one"), (REGULAR, "b two"), (REPEAT, "repeat of 1")],
    ]
    assert [[placed.position for placed in hit.placed] for hit in design.hits] == [[1, 2], [1, 2, 3]]
    assert design.n_places == 5


def test_items_and_hits_behave_as_sequences(design_of):
    design = design_of(places_of([[(REGULAR, k)] for k in (0, 1, 2, 3)]))

    for made in (design.items, design.hits):
        everything = list(made)
        assert len(made) == len(everything) == 4
        assert [made[k] for k in range(-4, 4)] == everything * 2
        assert list(made[1:3]) == everything[1:3]
        with pytest.raises(IndexError):
            made[4]


def test_items_come_in_order_of_ids_of_any_script(design_of):
    names = ["ж", "a", "漢", "z"]
    design = design_of(places_of([[(REGULAR, k) for k in range(4)]]), ids=lambda n: names[:n])

    assert [item.item_id for item in design.items] == ["a", "z", "ж", "漢"]
    assert [placed.item_id for placed in design.hits[0].placed] == names


@pytest.mark.parametrize("ids", [lambda n: ["x"] * n, lambda n: ["x", "y", "z"]])
def test_ids_that_are_too_few_or_come_twice_are_noticed(design_of, ids):
    with pytest.raises(AssertionError, match=r"ids as items|no id twice"):
        design_of(places_of([[(REGULAR, 0), (REGULAR, 1)]]), ids=ids)


def test_the_measures_of_the_hits_are_reported(design_of):
    # Items of g1 (entries 1 and 2) stand 2 apart; a control and its base have 3 and 0 items between them.
    hits = [
        [(REGULAR, 1), (REGULAR, 0), (REGULAR, 2), (REPEAT, 0), (DEGRADED, 1)],
        [(REGULAR, 3), (REPEAT, 3)],
    ]

    design = design_of(places_of(hits))

    assert design.closest == 2
    assert design.separation == (0, 3)
    assert design.blocks == 2
    assert design.warnings[0] == "beware"
    assert "2 blocks" in design.warnings[1]


def test_a_control_and_its_base_are_not_close_to_each_other(design_of):
    design = design_of(places_of([[(REGULAR, 1), (REPEAT, 1), (REGULAR, 3), (GOLD, 3)]]))

    # But gold is close to the item it is made from.
    assert design.closest == 1
    assert design_of(places_of([[(REGULAR, 1), (REPEAT, 1)]])).closest is None


def test_without_controls_there_is_no_separation(design_of):
    assert design_of(places_of([[(REGULAR, 1), (CALIBRATION, 0)]])).separation is None


def test_large_campaigns_are_measured_to_their_end():
    # 6,000 HITs of 100 entries of their own, more than are looked at together; only in the last one are
    # two of one segment, and a control.
    n_hits = 6000
    entry = np.arange(n_hits * 100, dtype=np.int32)
    segment = entry.copy()
    segment[-1] = segment[-8]
    entries = Entries(np.zeros_like(entry), segment, [""] * len(entry), {})
    kind = np.zeros(len(entry), dtype=np.int8)
    kind[-2], entry[-2] = CODE[REPEAT], entry[-50]
    places = Places(
        np.ones(n_hits, dtype=np.int32),
        np.arange(n_hits + 1) * 100,
        kind,
        entry,
        np.zeros(len(entry), dtype=np.int16),
        np.zeros(len(entry), dtype=np.bool_),
    )

    assert closest(places, entries) == 7
    assert separation(places) == (47, 47)


def test_designs_of_listed_hits_count_their_places():
    item = Item("i", REGULAR, "a", "g0", "text")
    design = Design([item], [Hit("H0001", 1, 1, (PlacedItem("i", 1, 0),))])

    assert design.n_places == 1


def test_very_many_ids_are_asked_for_in_portions():
    segments = tuple(Segment(f"g{k}", "doc", "", "") for k in range(70_000))
    settings = CampaignSettings("toy", "Toy", "da", "adequacy", "de", "en")
    campaign = Campaign(settings, (System("a"),), segments, {"a": ["text"] * len(segments)})
    asked = []

    def new_ids(n):
        asked.append(n)
        return [f"{k:06}" for k in range(sum(asked) - n, sum(asked))]

    design = assemble(
        campaign,
        entries_of(campaign, merge=True),
        places_of([[(REGULAR, k) for k in range(70_000)]]),
        control_text=lambda kind, entry: "",
        new_ids=new_ids,
        warnings=[],
    )

    assert sum(asked) == len(design.items) == 70_000
    assert design.items[69_999].segment_id == "g69999"
    assert Counter(len(hit.placed) for hit in design.hits) == {70_000: 1}
