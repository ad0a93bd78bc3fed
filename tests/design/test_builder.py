from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from steelyard.design.builder import build, n_hits
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.errors import CampaignError
from steelyard.domain.text import System
from steelyard.domain.work import CONTROL_KINDS, ItemKind


@pytest.fixture(scope="module", params=[2, 3, 5, 8, 12, 30])
def by_many_systems(request, built, shape_of):
    return built(shape_of(n_systems=request.param, n_segments=150))


@pytest.mark.parametrize("kind", CONTROL_KINDS)
def test_bases_of_each_kind_are_balanced_over_systems(by_many_systems, kind):
    assert max(by_many_systems.spread_after_each_hit(kind)) <= 2


def test_groups_have_nearly_the_same_mix_of_systems(by_many_systems):
    made = by_many_systems

    for hit in made.hits[:20]:
        regular = made.of_kind(hit, ItemKind.REGULAR)
        for system in made.campaign.systems:
            per_group = Counter(
                placed.group for placed, item in regular if item.system_id == system.system_id
            )
            assert max(per_group.values(), default=0) - min(per_group[g] for g in range(10)) <= 1


def test_systems_of_half_the_weight_are_judged_half_as_often(built, shape_of):
    # In each round 200 + 100 + 200 of 3 x 200 translations, hence 500 / 70 = 7.1, that is 8 HITs.
    design = DesignSettings(ratings_per_item=2)
    made = built(shape_of(n_systems=3, n_segments=200, weights=(2.0, 1.0, 2.0), design=design))

    shown = Counter(
        (hit.round, item.system_id)
        for hit in made.hits
        for placed, item in made.of_kind(hit, ItemKind.REGULAR)
        if not placed.is_padding
    )
    assert len(made.hits) == 2 * 8
    assert shown == {
        (number, name): 100 if name == "system-1" else 200
        for number in (1, 2)
        for name in ("system-0", "system-1", "system-2")
    }


def test_each_round_draws_other_translations_of_a_light_system(built, shape_of):
    design = DesignSettings(ratings_per_item=2)
    made = built(shape_of(n_systems=2, n_segments=200, weights=(1.0, 0.5), design=design))

    drawn = {
        number: {
            item.segment_id
            for hit in made.hits
            if hit.round == number
            for _, item in made.of_kind(hit, ItemKind.REGULAR)
            if item.system_id == "system-1"
        }
        for number in (1, 2)
    }
    # Two independent halves of 200 share 50, give or take 5 (hypergeometric).
    assert 25 < len(drawn[1] & drawn[2]) < 75


def test_light_systems_serve_as_bases_in_proportion(built, shape_of):
    made = built(shape_of(n_systems=3, n_segments=600, weights=(1.0, 1.0, 0.5)))

    counts = Counter(item.system_id for hit in made.hits for _, item in made.of_kind(hit, ItemKind.DEGRADED))
    for name, share in (("system-0", 0.4), ("system-1", 0.4), ("system-2", 0.2)):
        assert abs(counts[name] - share * counts.total()) <= 2


def test_identical_texts_are_judged_once_and_credited_to_all(built, shape_of):
    same = {(i, j): f"one and the same text number {j}" for i in (0, 2) for j in range(40)}

    made = built(shape_of(n_systems=3, texts=same))

    judged = [item for item in made.item.values() if item.kind is ItemKind.REGULAR]
    shared = [item for item in judged if item.credited]
    assert len(judged) == 3 * 90 - 40
    assert {(item.text, *sorted((item.system_id, *item.credited))) for item in shared} == {
        (f"one and the same text number {j}", "system-0", "system-2") for j in range(40)
    }


def test_without_merging_each_translation_has_an_item_of_its_own(built, shape_of):
    same = {(i, j): f"one and the same text number {j}" for i in (0, 2) for j in range(40)}

    made = built(shape_of(n_systems=3, texts=same, design=DesignSettings(merge_duplicates=False)))

    judged = [item for item in made.item.values() if item.kind is ItemKind.REGULAR]
    assert len(judged) == 3 * 90
    assert not any(item.credited for item in judged)


def test_absent_translations_are_left_out_with_a_warning(built, shape_of):
    made = built(shape_of(n_systems=3, n_segments=200, coverage=0.7))

    judged = {(i.system_id, i.segment_id) for i in made.item.values() if i.kind is ItemKind.REGULAR}
    assert judged == {(each.system_id, each.segment_id) for each in made.campaign.each_translation()}
    assert any("3 systems lack translations" in warning for warning in made.design.warnings)


@pytest.mark.parametrize("coverage", [1.0, 0.8])
def test_no_two_translations_of_a_segment_share_a_hit_if_there_are_enough_segments(built, shape_of, coverage):
    n_segments = 75 if coverage == 1.0 else 120
    design = DesignSettings(ratings_per_item=2)
    made = built(shape_of(n_systems=6, n_segments=n_segments, coverage=coverage, design=design))

    for hit in made.hits:
        segments = [item.segment_id for _, item in made.of_kind(hit, ItemKind.REGULAR)]
        assert len(set(segments)) == len(segments)
    assert made.design.closest is None


@pytest.mark.parametrize(
    ("n_systems", "n_segments", "hit_size"),
    [(4, 60, 100), (3, 45, 100), (4, 36, 100), (2, 30, 50), (5, 60, 200)],
)
def test_translations_of_a_segment_are_not_within_20_positions_if_that_can_be(
    built, shape_of, n_systems, n_segments, hit_size
):
    design = DesignSettings(hit_size)
    made = built(shape_of(n_systems=n_systems, n_segments=n_segments, design=design))

    assert made.design.closest > 20
    assert made.design.warnings == ()


def test_a_warning_tells_how_close_they_come_if_it_cannot_be(built, shape_of):
    made = built(shape_of(n_systems=10, n_segments=10))

    assert made.design.closest <= 20
    assert any(f"as close as {made.design.closest} positions" in warning for warning in made.design.warnings)


def test_controls_of_the_2013_layout_are_not_all_half_a_hit_away(built, shape_of):
    made = built(shape_of(n_segments=150, design=DesignSettings(layout="2013")))

    offsets = Counter(
        abs(base.group - control.group) for hit in made.hits for base, control in made.pairs(hit)
    )
    assert set(offsets) == {4, 5, 6}
    # Offsets 4, 5, 6 round the groups with weights 1, 2, 1; 270 pairs, hence about 135 at 5.
    assert 100 < offsets[5] < 170


def test_in_free_order_controls_come_anywhere(built, shape_of):
    made = built(shape_of(n_segments=150, design=DesignSettings(order="free")))

    least, most = made.design.separation
    assert least < 10
    assert most > 80


def test_a_fixed_partition_has_one_round_and_falls_into_blocks(built, shape_of):
    design = DesignSettings(ratings_per_item=3, partition="fixed")
    made = built(shape_of(n_systems=7, n_segments=100, design=design))

    # 700 translations fill 10 HITs without padding: no two have an item in common.
    assert {hit.round for hit in made.hits} == {1}
    assert made.design.blocks == len(made.hits) == 10
    assert any("10 blocks" in warning for warning in made.design.warnings)


def test_new_partitions_are_connected(built, shape_of):
    made = built(shape_of(n_systems=7, n_segments=100, design=DesignSettings(ratings_per_item=2)))

    assert made.design.blocks == 1
    assert made.design.warnings == ()


def test_with_a_single_rating_blocks_are_nothing_to_warn_of(built, shape_of):
    made = built(shape_of(n_systems=7, n_segments=100))

    assert made.design.blocks == 10
    assert made.design.warnings == ()


def test_gold_keeps_away_from_its_own_regular_item_where_it_can(built, shape_of):
    made = built(shape_of(n_systems=3, n_segments=400, gold=0.1, design=DesignSettings(gold_every=6)))

    for hit in made.hits:
        regular = {item.segment_id for _, item in made.of_kind(hit, ItemKind.REGULAR)}
        gold = [item.segment_id for _, item in made.of_kind(hit, ItemKind.GOLD)]
        assert len(set(gold)) == len(gold) == 16
        assert not regular & set(gold)


@pytest.mark.parametrize("attribute", ["adequacy", "fluency"])
@pytest.mark.parametrize("layout", ["2014", "2013"])
def test_the_same_seed_gives_the_same_hits_whatever_the_ids(campaign_of, shape_of, attribute, layout):
    design = DesignSettings(ratings_per_item=2, layout=layout, gold_every=12)
    shape = shape_of(n_segments=90, attribute=attribute, coverage=0.9, copied=0.1, gold=0.2, design=design)
    campaign = campaign_of(shape)

    designs = [
        build(campaign, rng=np.random.default_rng(5), new_ids=new_ids)
        for new_ids in (
            lambda n: [f"{k:07}" for k in range(n)],
            lambda n: [f"{10**6 - k:07}" for k in range(n)],
        )
    ]

    assert _without_ids(designs[0]) == _without_ids(designs[1])


def test_another_seed_gives_other_hits(campaign_of, shape_of, new_ids):
    campaign = campaign_of(shape_of())

    designs = [build(campaign, rng=np.random.default_rng(seed), new_ids=new_ids) for seed in (5, 6)]

    assert _without_ids(designs[0]) != _without_ids(designs[1])


def _without_ids(design):
    item = {each.item_id: (each.kind, each.system_id, each.segment_id, each.text) for each in design.items}
    return [
        (hit.round, hit.number, [(item[p.item_id], p.position, p.group, p.is_padding) for p in hit.placed])
        for hit in design.hits
    ]


def test_ids_are_what_new_ids_gives_and_nothing_more(campaign_of, shape_of):
    given_out = []

    def new_ids(number):
        given_out.extend(f"{k * 7919 % 10**6:06x}" for k in range(len(given_out), len(given_out) + number))
        return given_out[-number:]

    design = build(campaign_of(shape_of()), rng=np.random.default_rng(1), new_ids=new_ids)

    assert sorted(item.item_id for item in design.items) == sorted(given_out)


def test_the_order_of_ids_does_not_give_the_kinds_away(built, shape_of):
    made = built(shape_of(n_segments=200))

    # Sorted by id, the controls are spread evenly: each half has its share.
    kinds = [item.kind is ItemKind.REGULAR for item in made.design.items]
    half = len(kinds) // 2
    assert abs(np.mean(kinds[:half]) - np.mean(kinds[half:])) < 0.1


@pytest.mark.parametrize("order", ["grouped", "free"])
def test_progress_counts_the_hits(campaign_of, shape_of, new_ids, order):
    campaign = campaign_of(shape_of(copied=0.3, design=DesignSettings(ratings_per_item=2, order=order)))
    seen = []

    design = build(campaign, rng=np.random.default_rng(1), new_ids=new_ids, progress=seen.append)

    assert seen == list(range(1, len(design.hits) + 1))
    assert n_hits(campaign) == len(design.hits)


def test_progress_of_a_campaign_that_cannot_be_is_nothing(campaign_of, shape_of):
    assert n_hits(campaign_of(shape_of(design=DesignSettings(97)))) == 0


def test_translations_without_visible_text_are_shown_but_never_a_base(built, shape_of):
    empty = {(k % 4, k): " \u200b " for k in range(60)}

    made = built(shape_of(texts=empty))

    bases = {made.item[item.base_item_id].text for item in made.design.items if item.base_item_id}
    shown = [item for hit in made.hits for _, item in made.of_kind(hit, ItemKind.REGULAR)]
    assert " \u200b " not in bases
    assert sum(item.text == " \u200b " for item in shown) >= 60
    assert "60 translations have no visible text" in made.design.warnings[0]


@pytest.mark.parametrize("attribute", ["adequacy", "fluency"])
@pytest.mark.parametrize("hit_size", [50, 100])
def test_few_degradable_texts_suffice_if_there_are_enough_for_every_hit(built, shape_of, attribute, hit_size):
    # Three segments in ten have more than one word: 21 translations of 70, where 10 are needed.
    short = {(i, j): f"word{j} of{i}".split()[i % 2] for i in range(4) for j in range(100) if j % 10 >= 3}
    design = DesignSettings(hit_size, merge_duplicates=False)

    made = built(shape_of(n_segments=100, texts=short, attribute=attribute, design=design))

    bases = [made.item[item.base_item_id] for item in made.design.items if item.kind is ItemKind.DEGRADED]
    assert all(len(base.text.split()) >= 3 for base in bases)


def test_two_words_are_degraded_only_where_the_hit_has_nothing_longer(built, shape_of):
    # One in ten is longer than two words: about 7 in a HIT, where 10 are needed.
    short = {(i, j): f"word{j} word{j + i}" for i in range(4) for j in range(100) if j % 10}

    made = built(shape_of(n_segments=100, texts=short))

    short_bases = 0
    for hit in made.hits:
        base_of = {
            made.item[control.item_id].base_item_id: made.item[control.item_id].kind
            for _, control in made.pairs(hit)
        }
        for _, item in made.of_kind(hit, ItemKind.REGULAR):
            is_degraded = base_of.get(item.item_id) is ItemKind.DEGRADED
            short_bases += is_degraded and len(item.text.split()) == 2
            assert is_degraded or len(item.text.split()) == 2
    assert short_bases


def test_single_words_are_degraded_for_adequacy_if_there_is_nothing_else(built, shape_of):
    made = built(shape_of(words=(1, 1)))

    degraded = [item for item in made.design.items if item.kind is ItemKind.DEGRADED]
    assert degraded
    assert all(item.text != made.item[item.base_item_id].text for item in degraded)


def test_borrowed_phrases_come_from_other_documents(built, shape_of):
    made = built(shape_of())

    document = {segment.segment_id: segment.document_id for segment in made.campaign.segments}
    for item in (item for item in made.design.items if item.kind is ItemKind.DEGRADED):
        base = made.item[item.base_item_id].text.split()
        changed = [k for k, word in enumerate(item.text.split()) if word != base[k]]
        phrase = " ".join(item.text.split()[changed[0] : changed[-1] + 1])
        sources = [s for s in made.campaign.segments if phrase in s.reference]
        assert any(source.document_id != document[item.segment_id] for source in sources)


def test_a_degraded_text_stays_the_same_through_the_campaign(built, shape_of):
    made = built(shape_of(n_segments=60, design=DesignSettings(ratings_per_item=4)))

    first = [item.text for item in made.design.items]
    assert [item.text for item in made.design.items] == first
    assert len({i.item_id for i in made.item.values() if i.kind is ItemKind.DEGRADED}) < 10 * len(made.hits)


def test_the_named_degradation_is_used(built, shape_of):
    made = built(shape_of(words=(10, 10), design=DesignSettings(degradation="delete-words")))

    # Of 10 words it removes 4.
    degraded = [item.text.split() for item in made.item.values() if item.kind is ItemKind.DEGRADED]
    assert {len(words) for words in degraded} == {6}


def test_references_on_few_segments_are_shared_out(built, shape_of):
    # 35 % of 70 are 24 with a reference, where 10 are needed beside 10 that may be degraded.
    made = built(shape_of(n_segments=300, references=0.35))

    reference = {segment.segment_id: segment.reference for segment in made.campaign.segments}
    shown = [item for item in made.item.values() if item.kind is ItemKind.REFERENCE]
    assert all(item.text and item.text == reference[item.segment_id] for item in shown)


def test_without_references_phrases_are_borrowed_from_translations(built, shape_of):
    quota = {ItemKind.DEGRADED: 10, ItemKind.REPEAT: 10}

    made = built(shape_of(references=0.0, design=DesignSettings(quota=quota)))

    texts = {translation.text for translation in made.campaign.each_translation()}
    degraded = [item for item in made.item.values() if item.kind is ItemKind.DEGRADED]
    assert degraded
    assert not {item.text for item in degraded} & texts


def test_hits_without_degraded_items_come_with_a_warning(built, shape_of):
    made = built(shape_of(design=DesignSettings(quota={ItemKind.REPEAT: 10})))

    assert any("without degraded items" in warning for warning in made.design.warnings)


def test_texts_that_cannot_be_degraded_are_refused_with_advice(campaign_of, shape_of, new_ids):
    campaign = campaign_of(shape_of(words=(1, 2), attribute="fluency"))

    with pytest.raises(CampaignError, match="needs 10 translations that can be degraded"):
        build(campaign, rng=np.random.default_rng(1), new_ids=new_ids)


@pytest.mark.parametrize(
    ("n_segments", "advice"),
    # 98 items have 10 controls of each kind as well, hence 68 regular ones.
    [(17, "68 translations .* 70 .* Set hit_size = 98"), (8, "32 .* Add texts")],
)
def test_too_few_translations_are_refused_with_a_size_that_fits(
    campaign_of, shape_of, new_ids, n_segments, advice
):
    campaign = campaign_of(shape_of(n_segments=n_segments))

    with pytest.raises(CampaignError, match=advice):
        build(campaign, rng=np.random.default_rng(1), new_ids=new_ids)


def problems_of(campaign):
    with pytest.raises(CampaignError) as caught:
        build(campaign, rng=np.random.default_rng(1), new_ids=lambda n: [str(k) for k in range(n)])
    return caught.value.problems


def test_all_problems_of_a_campaign_are_told_at_once(campaign_of, shape_of):
    campaign = campaign_of(shape_of())
    broken = replace(
        campaign,
        settings=replace(
            campaign.settings, attribute="style", design=DesignSettings(97, 0, degradation="magic")
        ),
        systems=(*campaign.systems, System("system-0"), System("ghost", weight=0.0)),
        translations={**campaign.translations, "system-1": ["short"]},
    )

    told = "\n".join(problems_of(broken))

    for word in (
        "ratings_per_item",
        '"style"',
        "97 items",
        '"system-0" occurs 2',
        "1 texts for 90",
        "weight 0",
    ):
        assert word in told
    assert '"ghost" has no translations' in told


def test_everything_that_is_lacking_is_told_at_once(campaign_of, shape_of):
    quota = {ItemKind.DEGRADED: 10, ItemKind.REFERENCE: 10, ItemKind.CALIBRATION: 3}
    design = DesignSettings(quota=quota, gold_every=10, degradation="magic")
    campaign = campaign_of(shape_of(n_segments=10, references=0.0, n_calibration=2, design=design))

    told = problems_of(
        replace(campaign, systems=(replace(campaign.systems[0], weight=1e-3), *campaign.systems[1:]))
    )

    for start in (
        'the degradation "magic"',
        'system "system-0": the weight 0.001',
        "30 translations are fewer",
    ):
        assert any(problem.startswith(start) for problem in told)
    for start in ("there are no references", "gold_every = 10 puts 10", "the quota asks for 3 calibration"):
        assert any(problem.startswith(start) for problem in told)


def test_gold_of_absent_translations_is_refused(campaign_of, shape_of):
    campaign = campaign_of(shape_of(gold=0.5, coverage=0.9, design=DesignSettings(gold_every=10)))
    column = campaign.translations["system-2"]
    gone = next(k for k, text in enumerate(column) if text is None)
    absent = {("system-2", f"seg{gone}"): 50.0, ("nobody", "seg1"): 1.0, ("system-1", "seg999"): 1.0}

    told = problems_of(replace(campaign, gold={**campaign.gold, **absent}))

    assert "name 3 translations that do not exist" in told[0]


def test_a_system_may_not_be_called_as_the_calibration_texts_are(campaign_of, shape_of):
    design = DesignSettings(quota={ItemKind.DEGRADED: 10, ItemKind.CALIBRATION: 3})
    campaign = campaign_of(shape_of(n_calibration=5, design=design))
    renamed = replace(
        campaign,
        systems=(System("calibration"), *campaign.systems[1:]),
        translations={**campaign.translations, "calibration": campaign.translations["system-0"]},
    )

    assert 'a system is called "calibration"' in problems_of(renamed)[0]


def test_gold_and_calibration_that_no_hit_shows_are_warned_of(built, shape_of):
    made = built(shape_of(gold=0.1, n_calibration=5))

    assert any("without gold_every" in warning for warning in made.design.warnings)
    assert any("the quota puts none" in warning for warning in made.design.warnings)
