from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.design.entries import entries_of, gold_of
from steelyard.domain.campaign import Campaign, CampaignSettings
from steelyard.domain.text import Segment, System

texts = st.lists(
    st.lists(st.one_of(st.none(), st.sampled_from(["a", "b", "c", ""])), min_size=7, max_size=7),
    min_size=1,
    max_size=5,
)


def campaign_with(columns, *, weights=(), gold=()):
    weights = weights or (1.0,) * len(columns)
    systems = tuple(System(f"s{k}", weight=weight) for k, weight in enumerate(weights))
    segments = tuple(Segment(f"g{k}", "doc", "source", "reference") for k in range(len(columns[0])))
    settings = CampaignSettings("toy", "Toy", "da", "adequacy", "de", "en")
    translations = {system.system_id: column for system, column in zip(systems, columns, strict=True)}
    return Campaign(settings, systems, segments, translations, dict(gold))


def listed(entries):
    return [
        (system, segment, text, entries.credited.get(k, ()))
        for k, (system, segment, text) in enumerate(
            zip(entries.system.tolist(), entries.segment.tolist(), entries.text, strict=True)
        )
    ]


def test_identical_texts_of_a_segment_become_one_entry():
    campaign = campaign_with([["a", "b"], ["a", "c"], ["x", "c"]])

    entries = entries_of(campaign, merge=True)

    # Segment g0 first: s0 and s1 have none yet, s0 gives its name. At g1, s1 has none and s2 one.
    assert listed(entries) == [
        (0, 0, "a", ("s1",)),
        (0, 1, "b", ()),
        (1, 1, "c", ("s2",)),
        (2, 0, "x", ()),
    ]


def test_without_merging_every_translation_is_an_entry():
    campaign = campaign_with([["a", None], ["a", "c"]])

    assert listed(entries_of(campaign, merge=False)) == [(0, 0, "a", ()), (1, 0, "a", ()), (1, 1, "c", ())]


def test_merged_entries_are_named_after_systems_in_turn():
    campaign = campaign_with([["same"] * 60] * 3)

    entries = entries_of(campaign, merge=True)

    assert Counter(entries.system.tolist()) == {0: 20, 1: 20, 2: 20}


def test_heavier_systems_give_their_name_more_often():
    campaign = campaign_with([["same"] * 60] * 2, weights=(1.0, 2.0))

    entries = entries_of(campaign, merge=True)

    assert Counter(entries.system.tolist()) == {0: 20, 1: 40}


@given(texts, st.booleans())
def test_every_translation_is_in_exactly_one_entry(columns, merge):
    campaign = campaign_with(columns)

    entries = entries_of(campaign, merge=merge)

    names = [
        (name, f"g{segment}", text)
        for system, segment, text, credited in listed(entries)
        for name in (f"s{system}", *credited)
    ]
    assert sorted(names) == sorted((t.system_id, t.segment_id, t.text) for t in campaign.each_translation())


@given(texts)
def test_merged_entries_of_a_segment_differ_in_text(columns):
    entries = entries_of(campaign_with(columns), merge=True)

    keys = list(zip(entries.segment.tolist(), entries.text, strict=True))
    assert len(set(keys)) == len(keys)


def test_gold_belongs_to_the_entry_that_has_the_text():
    gold = {("s1", "g0"): 40.0, ("s0", "g0"): 60.0, ("s1", "g1"): 7.0}
    campaign = campaign_with([["a", "b"], ["a", "c"]], gold=gold.items())

    assert gold_of(campaign, entries_of(campaign, merge=True)) == {0: (40.0 + 60.0) / 2, 2: 7.0}


def test_unmerged_entries_keep_their_own_gold():
    gold = {("s1", "g0"): 40.0, ("s0", "g0"): 60.0}
    campaign = campaign_with([["a", "b"], ["a", "c"]], gold=gold.items())

    assert gold_of(campaign, entries_of(campaign, merge=False)) == {0: 60.0, 2: 40.0}


@pytest.mark.parametrize("merge", [True, False])
def test_without_gold_there_is_none(merge):
    campaign = replace(campaign_with([["a"]]), gold={})

    assert gold_of(campaign, entries_of(campaign, merge=merge)) == {}
