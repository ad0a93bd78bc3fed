"""Pairs: every two systems meet equally often, nobody twice at a time, controls beside their originals."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from steelyard.design.builder import build, n_hits
from steelyard.design.entries import entries_of
from steelyard.design.explain import explain
from steelyard.design.layout import layout_of
from steelyard.design.pairing import draw_pairs
from steelyard.design.tournament import matchings
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.errors import CampaignError
from steelyard.domain.work import ItemKind, texts_of

QUOTA = {ItemKind.DEGRADED: 5, ItemKind.REPEAT: 5}
PAIRS = DesignSettings(hit_size=50, quota=QUOTA, n_translations=2)


def drawn(campaign, seed: int = 1) -> tuple[list[list[tuple[int, int]]], list[list[int]]]:
    """The pairs of each round as systems, and their segments."""
    entries = entries_of(campaign, merge=campaign.settings.design.merge_duplicates)
    rounds = list(draw_pairs(campaign, entries, rng=np.random.default_rng(seed)))
    systems = [[tuple(sorted(entries.system[list(pair)].tolist())) for pair in pairs] for pairs in rounds]
    return systems, [[int(entries.segment[pair.first]) for pair in pairs] for pairs in rounds]


@pytest.mark.parametrize("n_systems", range(2, 13))
def test_a_tournament_has_every_pair_once_and_everybody_once_per_matching(n_systems: int) -> None:
    tournament = matchings(n_systems)

    assert sorted(pair for matching in tournament for pair in matching) == list(
        combinations(range(n_systems), 2)
    )
    for matching in tournament:
        systems = [system for pair in matching for system in pair]
        assert len(systems) == len(set(systems)) == n_systems // 2 * 2


@pytest.mark.parametrize("n_systems", [2, 3, 4, 5, 8])
def test_all_pairs_of_systems_meet_equally_often_in_a_round_up_to_one(
    campaign_of, shape_of, n_systems: int
) -> None:
    design = replace(PAIRS, ratings_per_item=3)

    rounds, _ = drawn(campaign_of(shape_of(n_systems=n_systems, n_segments=53, design=design)))

    assert len(rounds) == 3
    for pairs in rounds:
        met = Counter(pairs)
        assert set(met) == set(combinations(range(n_systems), 2))
        assert max(met.values()) - min(met.values()) <= 1


@pytest.mark.parametrize("n_systems", [4, 5])
def test_after_a_whole_tournament_all_have_met_on_every_segment_once(
    campaign_of, shape_of, n_systems: int
) -> None:
    n_rounds = len(matchings(n_systems))
    design = replace(PAIRS, ratings_per_item=n_rounds)

    rounds, segments = drawn(campaign_of(shape_of(n_systems=n_systems, n_segments=40, design=design)))

    met = Counter(
        (segment, pair)
        for pairs, own in zip(rounds, segments, strict=True)
        for segment, pair in zip(own, pairs, strict=True)
    )
    assert len(met) == 40 * n_systems * (n_systems - 1) // 2
    assert set(met.values()) == {1}


@pytest.mark.parametrize(("coverage", "copied"), [(1.0, 0.0), (0.7, 0.0), (1.0, 0.3), (0.8, 0.2)])
@pytest.mark.parametrize("merge", [True, False])
def test_no_translation_is_twice_in_a_round_and_none_meets_its_own_copy(
    campaign_of, shape_of, coverage: float, copied: float, merge: bool
) -> None:
    design = replace(PAIRS, ratings_per_item=4, merge_duplicates=merge)
    campaign = campaign_of(
        shape_of(n_systems=5, n_segments=60, coverage=coverage, copied=copied, design=design)
    )
    entries = entries_of(campaign, merge=merge)

    for pairs in draw_pairs(campaign, entries, rng=np.random.default_rng(1)):
        shown = [entry for pair in pairs for entry in pair]
        assert len(shown) == len(set(shown))
        assert all(entries.segment[first] == entries.segment[second] for first, second in pairs)
        assert all(entries.text[first] != entries.text[second] for first, second in pairs)


def test_whoever_is_left_over_on_a_segment_is_paired_too(campaign_of, shape_of) -> None:
    campaign = campaign_of(shape_of(n_systems=6, n_segments=60, coverage=0.7, design=PAIRS))
    entries = entries_of(campaign, merge=True)
    n_texts = Counter(entries.segment.tolist())

    [pairs] = draw_pairs(campaign, entries, rng=np.random.default_rng(1))

    n_pairs = Counter(int(entries.segment[pair.first]) for pair in pairs)
    assert all(n_pairs[segment] == number // 2 for segment, number in n_texts.items())


def test_systems_come_first_equally_often(campaign_of, shape_of) -> None:
    campaign = campaign_of(shape_of(n_systems=6, n_segments=100, design=PAIRS))
    entries = entries_of(campaign, merge=True)

    [pairs] = draw_pairs(campaign, entries, rng=np.random.default_rng(1))

    first = Counter(entries.system[[pair.first for pair in pairs]].tolist())
    assert max(first.values()) - min(first.values()) <= 2


@pytest.fixture(scope="module")
def made(built, shape_of):
    return built(shape_of(n_systems=5, n_segments=70, design=replace(PAIRS, ratings_per_item=3)))


def test_every_item_is_a_pair_of_one_segment(made) -> None:
    for item in made.design.items:
        first, second = texts_of(item)
        assert first.segment_id == second.segment_id
        assert first.text != second.text


def test_every_hit_has_its_quota_and_every_control_its_distance(made) -> None:
    layout = layout_of(made.campaign.settings.design)

    assert len(made.hits) == 3 * -(-140 // 40) == n_hits(made.campaign)
    for hit in made.hits:
        kinds = Counter(made.item[placed.item_id].kind for placed in hit.placed)
        assert kinds == {ItemKind.REGULAR: 40, **QUOTA}
        between = [abs(control.position - base.position) - 1 for base, control in made.pairs(hit)]
        assert layout.min_separation <= min(between)
        assert max(between) <= layout.max_separation


@pytest.mark.parametrize(("n_systems", "n_segments"), [(5, 90), (20, 100)])
def test_a_hit_has_no_segment_twice_if_there_are_enough(built, shape_of, n_systems, n_segments) -> None:
    made = built(shape_of(n_systems=n_systems, n_segments=n_segments, design=PAIRS))

    for hit in made.hits:
        regular = [item.segment_id for _, item in made.of_kind(hit, ItemKind.REGULAR)]
        assert len(set(regular)) == len(regular) == 40


def test_a_degraded_control_is_a_translation_of_its_base_beside_its_damaged_copy(made) -> None:
    texts_by = {
        (system_id, segment.segment_id): text
        for system_id, column in made.campaign.translations.items()
        for segment, text in zip(made.campaign.segments, column, strict=True)
    }
    controls = [item for item in made.design.items if item.kind is ItemKind.DEGRADED]
    places = Counter()

    for item in controls:
        texts = texts_of(item)
        [damaged] = [text for text in texts if text.kind is ItemKind.DEGRADED]
        [original] = [text for text in texts if text.kind is ItemKind.REGULAR]
        base = {text.text for text in texts_of(made.item[item.base_item_id])}
        assert damaged.system_id == original.system_id
        assert original.text == texts_by[original.system_id, original.segment_id]
        assert original.text in base
        assert damaged.text not in base
        places[texts.index(damaged)] += 1

    # The damaged copy is not always at the same place of the store.
    assert min(places[0], places[1]) > len(controls) / 4


def test_a_repeat_is_the_same_pair(made) -> None:
    repeats = [item for item in made.design.items if item.kind is ItemKind.REPEAT]

    assert repeats
    for item in repeats:
        base = texts_of(made.item[item.base_item_id])
        assert {text.text for text in texts_of(item)} == {text.text for text in base}
        assert {text.kind for text in texts_of(item)} == {ItemKind.REPEAT}


def test_a_reference_control_is_a_translation_beside_the_reference(built, shape_of) -> None:
    quota = {ItemKind.DEGRADED: 5, ItemKind.REFERENCE: 5}
    made = built(shape_of(design=replace(PAIRS, quota=quota)))
    references = {segment.segment_id: segment.reference for segment in made.campaign.segments}
    controls = [item for item in made.design.items if item.kind is ItemKind.REFERENCE]

    assert controls
    for item in controls:
        kinds = {text.kind: text for text in texts_of(item)}
        assert set(kinds) == {ItemKind.REFERENCE, ItemKind.REGULAR}
        assert kinds[ItemKind.REFERENCE].text == references[item.segment_id]
        assert kinds[ItemKind.REGULAR].text in {t.text for t in texts_of(made.item[item.base_item_id])}


def test_no_reference_stands_beside_a_translation_that_looks_the_same(campaign_of, shape_of, new_ids) -> None:
    quota = {ItemKind.DEGRADED: 5, ItemKind.REFERENCE: 5}
    campaign = campaign_of(shape_of(design=replace(PAIRS, quota=quota)))
    copied = campaign.translations["system-0"]
    segments = [
        replace(each, reference=f"{text} ") for each, text in zip(campaign.segments, copied, strict=True)
    ]

    made = build(replace(campaign, segments=tuple(segments)), rng=np.random.default_rng(1), new_ids=new_ids)

    controls = [item for item in made.items if item.kind is ItemKind.REFERENCE]
    assert controls
    assert "system-0" not in {item.system_id for item in controls}


@pytest.mark.parametrize("change", [lambda text: f"{text} ", lambda text: text.replace(" ", "  ", 1)])
def test_translations_that_look_the_same_never_meet(campaign_of, shape_of, change) -> None:
    campaign = campaign_of(shape_of(n_systems=3, design=replace(PAIRS, ratings_per_item=3)))
    texts = campaign.translations
    alike = texts | {"system-1": [change(text) for text in texts["system-0"]]}

    rounds, _ = drawn(replace(campaign, translations=alike))

    assert {pair for pairs in rounds for pair in pairs} == {(0, 2), (1, 2)}


def test_a_pair_that_comes_again_in_a_later_round_is_the_same_item(built, shape_of) -> None:
    made = built(shape_of(n_systems=2, n_segments=80, design=replace(PAIRS, ratings_per_item=3)))

    regular = [item for item in made.design.items if item.kind is ItemKind.REGULAR]
    shown = Counter(
        placed.item_id
        for hit in made.hits
        for placed, item in made.of_kind(hit, ItemKind.REGULAR)
        if not placed.is_padding
    )

    assert len(regular) == 80
    assert set(shown.values()) == {3}
    assert {hit.round for hit in made.hits} == {1, 2, 3}


def test_the_same_text_of_several_systems_is_credited_to_all(built, shape_of) -> None:
    texts = {(system, segment): f"the same {segment}" for system in (0, 1) for segment in range(90)}
    made = built(shape_of(n_systems=4, n_segments=90, texts=texts, design=PAIRS))

    for item in made.design.items:
        if item.kind is ItemKind.REGULAR:
            names = [{text.system_id, *text.credited} for text in texts_of(item)]
            assert names[0] & names[1] == set()
            assert {"system-0", "system-1"} in names or {"system-0", "system-1"} & (
                names[0] | names[1]
            ) == set()


def test_the_same_seed_gives_the_same_pairs_at_the_same_places(campaign_of, shape_of, new_ids) -> None:
    campaign = campaign_of(shape_of(design=PAIRS))

    def contents(design) -> list[tuple]:
        item = {each.item_id: each for each in design.items}
        return [
            [(item[placed.item_id].kind, texts_of(item[placed.item_id])) for placed in hit.placed]
            for hit in design.hits
        ]

    one, other = (build(campaign, rng=np.random.default_rng(3), new_ids=new_ids) for _ in range(2))

    assert contents(one) == contents(other)


def test_the_report_counts_both_translations_and_who_meets_whom(made) -> None:
    report = explain(made.design, made.campaign)
    pairs = [
        texts_of(item)
        for hit in made.hits
        for placed, item in made.of_kind(hit, ItemKind.REGULAR)
        if not placed.is_padding
    ]
    met = Counter(frozenset((first.system_id, second.system_id)) for first, second in pairs)

    names = [system.system_id for system in made.campaign.systems]
    assert [row.system_id for row in report.meetings] == names
    for row in report.meetings:
        wanted = [met[frozenset((row.system_id, name))] if name != row.system_id else 0 for name in names]
        assert list(row.n_items) == wanted
    placed = [
        text
        for hit in made.hits
        for _, item in made.of_kind(hit, ItemKind.REGULAR)
        for text in texts_of(item)
    ]
    assert {row.system_id: row.n_regular for row in report.systems} == Counter(t.system_id for t in placed)
    assert report.n_blocks == made.design.blocks == 1
    assert report.n_unpaired == 0


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"n_systems": 1}, "a pair needs two"),
        ({"design": replace(PAIRS, order="given")}, 'order = "given" is not possible with pairs'),
        ({"weights": (1.0, 1.0, 0.5, 1.0)}, "leave the weights out"),
        ({"gold": 0.5, "design": replace(PAIRS, gold_every=10)}, "pairs cannot use them"),
        ({"n_calibration": 5}, "no partner"),
        ({"design": replace(PAIRS, hit_size=97)}, "97 items cannot be cut"),
        ({"n_segments": 15}, "a round has 30 pairs of translations, fewer than the 40"),
    ],
)
def test_what_pairs_cannot_have_is_refused_with_the_reason(
    campaign_of, shape_of, new_ids, changes, complaint: str
) -> None:
    campaign = campaign_of(shape_of(**{"design": PAIRS, **changes}))

    with pytest.raises(CampaignError, match=complaint):
        build(campaign, rng=np.random.default_rng(1), new_ids=new_ids)


def test_systems_that_never_meet_are_warned_about(built, shape_of) -> None:
    # Two systems have the first half of the segments, two others the second.
    coverage = shape_of(n_systems=4, n_segments=160, design=PAIRS)
    made = built(coverage)
    assert not [warning for warning in made.design.warnings if "never meet" in warning]

    campaign = made.campaign
    halves = {
        system.system_id: [
            text if (number < 80) == (index < 2) else None
            for number, text in enumerate(campaign.translations[system.system_id])
        ]
        for index, system in enumerate(campaign.systems)
    }
    apart = build(
        replace(campaign, translations=halves),
        rng=np.random.default_rng(1),
        new_ids=lambda n: [f"{k:05}" for k in range(n)],
    )

    assert [warning for warning in apart.warnings if "2 parts that never meet" in warning]
