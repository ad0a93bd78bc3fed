from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.builder import build, pairs_of
from steelyard.design.layout import layout_for
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.errors import CampaignError
from steelyard.domain.work import CONTROL_KINDS, ItemKind

hurried = settings(max_examples=12, deadline=None)


@pytest.fixture(scope="session")
def shapes(shape_of):
    @st.composite
    def draw_shape(draw):
        hit_size = draw(st.sampled_from([50, 100, 100, 200]))
        n_systems = draw(st.integers(1, 9))
        least = -(-layout_for(hit_size).n_regular // n_systems)
        return shape_of(
            n_systems=n_systems,
            n_segments=draw(st.integers(least, least + 120)),
            hit_size=hit_size,
            ratings_per_item=draw(st.integers(1, 2)),
            attribute=draw(st.sampled_from(["adequacy", "fluency"])),
            words=draw(st.sampled_from([(3, 25), (1, 12)])),
            seed=draw(st.integers(0, 2**32)),
        )

    return draw_shape()


def holds_for_random_campaigns(shapes, built, check):
    @hurried
    @given(shapes)
    def run(shape):
        check(built(shape))

    run()


def test_every_hit_has_the_counts_of_its_layout(shapes, built):
    def check(made):
        layout = layout_for(made.campaign.settings.design.hit_size)
        wanted = {ItemKind.REGULAR: layout.n_regular, **layout.quota}
        for hit in made.design.hits:
            assert Counter(made.item[placed.item_id].kind for placed in hit.placed) == wanted

    holds_for_random_campaigns(shapes, built, check)


def test_positions_and_groups_run_through_every_hit(shapes, built):
    def check(made):
        size = made.campaign.settings.design.hit_size
        for hit in made.design.hits:
            assert [placed.position for placed in hit.placed] == list(range(1, size + 1))
            assert [placed.group for placed in hit.placed] == [k * 10 // size for k in range(size)]

    holds_for_random_campaigns(shapes, built, check)


def test_base_and_control_are_apart_as_far_as_the_layout_promises(shapes, built):
    def check(made):
        size = made.campaign.settings.design.hit_size
        least, most = {50: (20, 28), 100: (40, 58), 200: (80, 118)}[size]
        for hit in made.design.hits:
            between = [abs(control.position - base.position) - 1 for base, control in made.pairs(hit)]
            assert len(between) == 3 * size // 10
            assert least <= min(between)
            assert max(between) <= most

    holds_for_random_campaigns(shapes, built, check)


def test_a_base_serves_one_control_in_a_hit_and_sits_in_the_partner_group(shapes, built):
    def check(made):
        for hit in made.design.hits:
            pairs = made.pairs(hit)
            assert len({base.item_id for base, _ in pairs}) == len(pairs)
            assert all((base.group + 5) % 10 == control.group for base, control in pairs)
            assert all(made.item[base.item_id].kind is ItemKind.REGULAR for base, _ in pairs)

    holds_for_random_campaigns(shapes, built, check)


def test_controls_name_the_system_and_segment_of_their_base(shapes, built):
    def check(made):
        controls = [item for item in made.design.items if item.kind is not ItemKind.REGULAR]
        for control in controls:
            base = made.item[control.base_item_id]
            assert (base.system_id, base.segment_id) == (control.system_id, control.segment_id)

    holds_for_random_campaigns(shapes, built, check)


def test_controls_show_what_their_kind_says(shapes, built):
    def check(made):
        reference = {segment.segment_id: segment.reference for segment in made.campaign.segments}
        for item in made.design.items:
            base = made.item.get(item.base_item_id)
            assert {
                ItemKind.REGULAR: base is None,
                ItemKind.REPEAT: base is not None and item.text == base.text,
                ItemKind.REFERENCE: item.text == reference[item.segment_id],
                ItemKind.DEGRADED: base is not None and item.text not in (base.text, ""),
            }[item.kind]

    holds_for_random_campaigns(shapes, built, check)


def test_every_round_covers_every_translation_once_apart_from_padding(shapes, built):
    def check(made):
        expected = Counter((each.system_id, each.segment_id) for each in made.campaign.each_translation())
        for number in range(1, made.campaign.settings.design.ratings_per_item + 1):
            hits = [hit for hit in made.design.hits if hit.round == number]
            shown = [pair for hit in hits for pair in made.of_kind(hit, ItemKind.REGULAR)]
            own = Counter(
                (item.system_id, item.segment_id) for placed, item in shown if not placed.is_padding
            )
            assert own == expected
        assert [hit.number for hit in made.design.hits] == list(range(1, len(made.design.hits) + 1))

    holds_for_random_campaigns(shapes, built, check)


def test_each_translation_has_one_item_and_at_most_one_of_each_control(shapes, built):
    def check(made):
        keys = Counter((item.kind, item.system_id, item.segment_id) for item in made.design.items)
        regular = [key for key in keys if key[0] is ItemKind.REGULAR]
        assert set(keys.values()) == {1}
        assert len(regular) == len(list(made.campaign.each_translation()))

    holds_for_random_campaigns(shapes, built, check)


def test_systems_take_turns_in_regular_items(shapes, built):
    def check(made):
        assert max(made.spread_after_each_hit(ItemKind.REGULAR)) <= 1

    holds_for_random_campaigns(shapes, built, check)


@pytest.mark.parametrize("n_systems", [2, 3, 5, 8, 12, 30])
@pytest.mark.parametrize("kind", CONTROL_KINDS)
def test_bases_of_each_kind_are_balanced_over_systems(built, shape_of, n_systems, kind):
    made = built(shape_of(n_systems=n_systems, n_segments=150))

    assert max(made.spread_after_each_hit(kind)) <= 2


@pytest.mark.parametrize("n_systems", [2, 3, 5, 8, 12, 30])
def test_groups_have_nearly_the_same_mix_of_systems(built, shape_of, n_systems):
    made = built(shape_of(n_systems=n_systems, n_segments=150))

    for hit in made.design.hits[:20]:
        regular = made.of_kind(hit, ItemKind.REGULAR)
        for system in made.campaign.systems:
            per_group = Counter(
                placed.group for placed, item in regular if item.system_id == system.system_id
            )
            assert max(per_group.values(), default=0) - min(per_group[g] for g in range(10)) <= 1


def test_no_two_translations_of_a_segment_share_a_hit_if_there_are_enough_segments(built, shape_of):
    made = built(shape_of(n_systems=6, n_segments=75, ratings_per_item=2))

    for hit in made.design.hits:
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
    made = built(shape_of(n_systems=n_systems, n_segments=n_segments, hit_size=hit_size))

    assert _closest(made) == made.design.closest
    assert made.design.closest > 20
    assert made.design.warnings == ()


def test_a_warning_tells_how_close_they_come_if_it_cannot_be(built, shape_of):
    made = built(shape_of(n_systems=10, n_segments=10))

    assert _closest(made) == made.design.closest
    assert made.design.closest <= 20
    assert any(f"as close as {made.design.closest} positions" in warning for warning in made.design.warnings)


def _closest(made):
    """The least distance of two items of one segment that are not a control and its base."""
    distances = []
    for hit in made.design.hits:
        own = {frozenset((base.position, control.position)) for base, control in made.pairs(hit)}
        where = [(placed.position, made.item[placed.item_id].segment_id) for placed in hit.placed]
        distances += [
            q - p for p, s in where for q, t in where if p < q and s == t and frozenset((p, q)) not in own
        ]
    return min(distances)


@pytest.mark.parametrize("attribute", ["adequacy", "fluency"])
def test_the_same_seed_gives_the_same_hits_whatever_the_ids(campaign_of, shape_of, attribute):
    campaign = campaign_of(shape_of(n_segments=40, ratings_per_item=2, attribute=attribute))
    forwards, backwards = count(), count(10**6, -1)

    designs = [
        build(campaign, rng=np.random.default_rng(5), new_id=lambda ids=ids: f"{next(ids):07}")
        for ids in (forwards, backwards)
    ]

    assert _without_ids(designs[0]) == _without_ids(designs[1])


def test_another_seed_gives_other_hits(campaign_of, shape_of):
    campaign, ids = campaign_of(shape_of()), count()

    designs = [build(campaign, rng=np.random.default_rng(s), new_id=lambda: str(next(ids))) for s in (5, 6)]

    assert _without_ids(designs[0]) != _without_ids(designs[1])


def _without_ids(design):
    item = {each.item_id: (each.kind, each.system_id, each.segment_id, each.text) for each in design.items}
    return [
        (hit.round, hit.number, [(item[p.item_id], p.position, p.group, p.is_padding) for p in hit.placed])
        for hit in design.hits
    ]


def test_ids_are_what_new_id_gives_and_nothing_more(campaign_of, shape_of):
    given_out = []

    def new_id():
        given_out.append(f"{len(given_out) * 7919 % 10**6:06x}")
        return given_out[-1]

    design = build(campaign_of(shape_of()), rng=np.random.default_rng(1), new_id=new_id)

    assert sorted(item.item_id for item in design.items) == sorted(given_out)


def test_progress_counts_the_hits(campaign_of, shape_of):
    seen, ids = [], count()

    design = build(
        campaign_of(shape_of(ratings_per_item=2)),
        rng=np.random.default_rng(1),
        new_id=lambda: str(next(ids)),
        progress=seen.append,
    )

    assert seen == list(range(1, len(design.hits) + 1))


def test_translations_without_visible_text_are_shown_but_never_a_base(built, shape_of):
    empty = {(k % 4, k): " \u200b " for k in range(60)}

    made = built(shape_of(texts=empty))

    bases = {made.item[item.base_item_id].text for item in made.design.items if item.base_item_id}
    shown = [item for hit in made.design.hits for _, item in made.of_kind(hit, ItemKind.REGULAR)]
    assert " \u200b " not in bases
    assert sum(item.text == " \u200b " for item in shown) >= 60
    assert "60 translations have no visible text" in made.design.warnings[0]


@pytest.mark.parametrize("attribute", ["adequacy", "fluency"])
@pytest.mark.parametrize("hit_size", [50, 100])
def test_few_degradable_texts_suffice_if_there_are_enough_for_every_hit(built, shape_of, attribute, hit_size):
    # Three segments in ten have more than one word: 21 translations of 70, where 10 are needed.
    short = {(i, j): f"word{j}" for i in range(4) for j in range(100) if j % 10 >= 3}

    made = built(shape_of(n_segments=100, texts=short, attribute=attribute, hit_size=hit_size))

    bases = [made.item[item.base_item_id] for item in made.design.items if item.kind is ItemKind.DEGRADED]
    assert all(len(base.text.split()) >= 3 for base in bases)


def test_two_words_are_degraded_only_where_the_group_has_nothing_longer(built, shape_of):
    short = {(i, j): f"word{j} word{j + 1}" for i in range(4) for j in range(100) if j % 5}

    made = built(shape_of(n_segments=100, texts=short))

    for hit in made.design.hits:
        length = {
            placed.item_id: len(item.text.split()) for placed, item in made.of_kind(hit, ItemKind.REGULAR)
        }
        base_of = {made.item[control.item_id].base_item_id for _, control in made.pairs(hit)}
        for base, control in made.pairs(hit):
            if made.item[control.item_id].kind is ItemKind.DEGRADED and length[base.item_id] == 2:
                mates = [p.item_id for p in hit.placed if p.group == base.group and p.item_id in length]
                assert all(length[mate] == 2 or mate in base_of for mate in mates)


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


def test_texts_that_cannot_be_degraded_are_refused_with_advice(campaign_of, shape_of):
    campaign = campaign_of(shape_of(words=(1, 2), attribute="fluency"))

    with pytest.raises(CampaignError, match="needs 10 translations that can be degraded"):
        build(campaign, rng=np.random.default_rng(1), new_id=lambda: "x")


@pytest.mark.parametrize(
    ("n_segments", "advice"), [(17, "68 translations .* 70 .* Set hit_size = 50"), (8, "32 .* Add texts")]
)
def test_too_few_translations_are_refused_with_a_size_that_fits(campaign_of, shape_of, n_segments, advice):
    campaign = campaign_of(shape_of(n_segments=n_segments))

    with pytest.raises(CampaignError, match=advice):
        build(campaign, rng=np.random.default_rng(1), new_id=lambda: "x")


def test_all_problems_of_a_campaign_are_told_at_once(campaign_of, shape_of):
    campaign = campaign_of(shape_of())
    broken = replace(
        campaign,
        settings=replace(
            campaign.settings, attribute="style", target_language="ja", design=DesignSettings(60, 0)
        ),
        translations={**campaign.translations, "system-0": [None, *campaign.translations["system-0"][1:]]},
    )

    with pytest.raises(CampaignError) as caught:
        build(broken, rng=np.random.default_rng(1), new_id=lambda: "x")

    assert [
        word in str(caught.value) for word in ("ratings_per_item", "style", '"ja"', "seg0", "hit_size 60")
    ] == [True] * 5


def test_pairs_can_be_listed_for_an_audit(built, shape_of):
    made = built(shape_of())
    hit = made.design.hits[0]

    pairs = pairs_of(hit, made.design.items)

    assert Counter(kind for kind, _, _ in pairs) == Counter(dict(layout_for(100).quota))
    assert sorted((b.position, c.position) for b, c in made.pairs(hit)) == sorted((b, c) for _, b, c in pairs)
