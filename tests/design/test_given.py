"""HITs laid out elsewhere: kept in order, texts found, controls paired, problems listed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given as given_random
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from steelyard.design.given import lay_out_given
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings, GivenItem
from steelyard.domain.errors import CampaignError
from steelyard.domain.text import CalibrationText, Segment, System
from steelyard.domain.work import CONTROL_KINDS, ItemKind

REGULAR, REPEAT, DEGRADED, REFERENCE = (
    ItemKind.REGULAR,
    ItemKind.REPEAT,
    ItemKind.DEGRADED,
    ItemKind.REFERENCE,
)
N_SEGMENTS = 12


def text_of(system_id, segment):
    """Words that no other text has, so that phrases can be borrowed."""
    return " ".join(f"{system_id}{segment}w{k}" for k in range(8))


def campaign_of(*hits, **changes):
    """Two systems, twelve segments in four documents, and these HITs."""
    segments = tuple(
        Segment(str(k + 1), f"d{k // 3}", f"source {k}", text_of("r", k)) for k in range(N_SEGMENTS)
    )
    translations = {name: [text_of(name, k) for k in range(N_SEGMENTS)] for name in ("a", "b")}
    design = changes.pop("design", DesignSettings(order="given"))
    settings = CampaignSettings("toy", "Toy", "da", "adequacy", "de", "en", design=design)
    campaign = Campaign(settings, (System("a"), System("b")), segments, translations, given=tuple(hits))
    return replace(campaign, **changes)


def item(kind, system_id, segment_id, text=None):
    return GivenItem(kind, system_id, str(segment_id), text)


def laid_out(campaign, seed=1, prefix="id"):
    return lay_out_given(
        campaign,
        rng=np.random.default_rng(seed),
        new_ids=lambda n: [f"{prefix}{k:04d}" for k in range(n)],
    )


def shown(design, hit):
    by_id = {each.item_id: each for each in design.items}
    return [by_id[placed.item_id] for placed in hit.placed]


def warned(design, words):
    return [warning for warning in design.warnings if words in warning]


PAIRS = (
    *(item(REGULAR, "a", k) for k in range(1, 7)),
    *(item(DEGRADED, "a", k) for k in range(1, 7)),
)


@st.composite
def given_hits(draw):
    """HITs of regular items, some of which have a control somewhere in the HIT."""
    hits = []
    for _ in range(draw(st.integers(1, 4))):
        names = draw(
            st.lists(
                st.tuples(st.sampled_from("ab"), st.integers(1, N_SEGMENTS)),
                min_size=2,
                max_size=12,
                unique=True,
            )
        )
        kinds = draw(
            st.lists(st.sampled_from([None, *CONTROL_KINDS]), min_size=len(names), max_size=len(names))
        )
        items = [item(REGULAR, *name) for name in names]
        items += [item(kind, *name) for kind, name in zip(kinds, names, strict=True) if kind is not None]
        hits.append(tuple(draw(st.permutations(items))))
    return tuple(hits)


@hypothesis_settings(max_examples=40)
@given_random(given_hits())
def test_items_and_hits_are_those_of_the_file_in_its_order(hits):
    design = laid_out(campaign_of(*hits))

    assert [hit.number for hit in design.hits] == list(range(1, len(hits) + 1))
    for hit, wanted in zip(design.hits, hits, strict=True):
        assert [placed.position for placed in hit.placed] == list(range(1, len(wanted) + 1))
        assert [(each.kind, each.system_id, each.segment_id) for each in shown(design, hit)] == [
            (each.kind, each.system_id, each.segment_id) for each in wanted
        ]


@hypothesis_settings(max_examples=40)
@given_random(given_hits())
def test_every_control_names_its_base_and_the_separation_is_counted(hits):
    design = laid_out(campaign_of(*hits))
    between = []
    for hit in design.hits:
        position = {placed.item_id: placed.position for placed in hit.placed}
        for each in shown(design, hit):
            if each.kind in CONTROL_KINDS:
                between.append(abs(position[each.item_id] - position[each.base_item_id]) - 1)

    assert design.separation == ((min(between), max(between)) if between else None)


@hypothesis_settings(max_examples=40)
@given_random(given_hits())
def test_one_text_is_one_item_through_all_hits(hits):
    design = laid_out(campaign_of(*hits))
    keys = Counter((each.kind, each.system_id, each.segment_id) for each in design.items)

    assert set(keys.values()) == {1}
    assert [each.item_id for each in design.items] == sorted(each.item_id for each in design.items)


@hypothesis_settings(max_examples=40)
@given_random(given_hits())
def test_hits_of_a_round_share_no_regular_item_but_padding(hits):
    design = laid_out(campaign_of(*hits))
    own = Counter(
        (hit.round, placed.item_id)
        for hit in design.hits
        for placed, each in zip(hit.placed, shown(design, hit), strict=True)
        if each.kind is REGULAR and not placed.is_padding
    )

    assert set(own.values()) == {1}


def test_texts_come_from_the_campaign_where_the_file_has_none():
    design = laid_out(
        campaign_of(
            (item(REGULAR, "a", 3), item(REPEAT, "a", 3), item(REGULAR, "b", 5), item(REFERENCE, "b", 5))
        )
    )
    texts = [each.text for each in shown(design, design.hits[0])]

    assert texts == [text_of("a", 2), text_of("a", 2), text_of("b", 4), text_of("r", 4)]


def test_a_degraded_text_is_made_once_for_the_campaign():
    pair = (item(REGULAR, "a", 3), item(DEGRADED, "a", 3))
    design = laid_out(campaign_of(pair, pair[::-1]))
    degraded = [each for each in design.items if each.kind is DEGRADED]

    assert len(degraded) == 1
    assert degraded[0].text != text_of("a", 2)
    # Adequacy: words are replaced, first and last stay.
    assert degraded[0].text.split()[0] == "a2w0"
    assert degraded[0].text.split()[-1] == "a2w7"


def test_the_same_seed_gives_the_same_texts_whatever_the_ids():
    campaign = campaign_of(PAIRS)

    assert [each.text for each in laid_out(campaign, seed=4).items] == [
        each.text for each in laid_out(campaign, seed=4, prefix="other").items
    ]


def test_texts_of_the_file_are_used_as_they_are():
    design = laid_out(
        campaign_of(
            (
                item(REGULAR, "a", 3, "their own"),
                item(DEGRADED, "a", 3, "their bad one"),
                item(REFERENCE, "a", 3, "their reference"),
            )
        )
    )

    assert [each.text for each in shown(design, design.hits[0])] == [
        "their own",
        "their bad one",
        "their reference",
    ]


def test_a_repeat_without_text_repeats_the_text_of_its_base():
    design = laid_out(campaign_of((item(REGULAR, "a", 3, "their own"), item(REPEAT, "a", 3))))

    assert [each.text for each in shown(design, design.hits[0])] == ["their own", "their own"]


def test_two_texts_of_one_translation_are_two_items_with_their_own_controls():
    hits = [
        (item(REGULAR, "a", 3, text), item(REPEAT, "a", 3, text))
        for text in ("first version", "second version")
    ]
    design = laid_out(campaign_of(*hits))

    for hit in design.hits:
        base, control = shown(design, hit)
        assert control.base_item_id == base.item_id
        assert control.text == base.text
    assert len(design.items) == 4
    assert warned(design, "1 translations come with more than one text")


def test_of_two_texts_in_one_hit_a_repeat_belongs_to_the_same_one():
    design = laid_out(
        campaign_of(
            (item(REGULAR, "a", 3, "first"), item(REGULAR, "a", 3, "second"), item(REPEAT, "a", 3, "second"))
        )
    )
    _, second, control = shown(design, design.hits[0])

    assert control.base_item_id == second.item_id


def test_a_regular_item_that_comes_twice_in_a_hit_is_two_items():
    design = laid_out(campaign_of((item(REGULAR, "a", 3), item(REGULAR, "a", 3))))
    first, second = shown(design, design.hits[0])

    assert first.item_id != second.item_id
    assert warned(design, "1 items come once more in their HIT")


@pytest.mark.parametrize("kind", CONTROL_KINDS)
def test_a_control_without_base_in_its_hit_is_shown_with_a_warning(kind):
    design = laid_out(campaign_of((item(REGULAR, "a", 1), item(kind, "b", 2)), (item(REGULAR, "b", 2),)))
    alone = shown(design, design.hits[0])[1]
    elsewhere = shown(design, design.hits[1])[0]

    assert alone.base_item_id == elsewhere.item_id
    assert design.separation is None
    assert warned(design, f"1 controls (1 {kind}) have no regular item")
    assert warned(design, "HIT 1, position 2")


def test_a_control_without_base_anywhere_names_none():
    design = laid_out(campaign_of((item(REGULAR, "a", 1), item(REFERENCE, "b", 2))))

    assert shown(design, design.hits[0])[1].base_item_id is None


def test_a_warning_counts_hits_with_too_few_degraded_pairs():
    design = laid_out(campaign_of(PAIRS, PAIRS[:10]))

    # The second HIT has six bases and four degraded items.
    assert warned(design, "1 of 2 HITs have fewer than 5 degraded items with their base (least: 4)")


def test_a_warning_counts_the_translations_that_are_in_no_hit():
    design = laid_out(campaign_of(PAIRS))

    assert warned(design, "18 translations are in none of the HITs")


def test_a_whole_file_has_no_warning():
    regular = [item(REGULAR, name, k + 1) for name in "ab" for k in range(N_SEGMENTS)]
    degraded = [item(DEGRADED, "a", k + 1) for k in range(5)]

    assert laid_out(campaign_of((*regular, *degraded))).warnings == ()


def test_groups_are_tenths_of_a_hit():
    regular = [item(REGULAR, name, k + 1) for name in "ab" for k in range(10)]
    design = laid_out(campaign_of(regular, regular[:3]))

    assert [placed.group for placed in design.hits[0].placed] == [k // 2 for k in range(20)]
    assert [placed.group for placed in design.hits[1].placed] == [0, 1, 2]


def test_a_few_items_seen_before_are_padding_and_many_begin_a_new_round():
    regular = [item(REGULAR, name, k + 1) for name in "ab" for k in range(N_SEGMENTS)]
    design = laid_out(campaign_of(regular[:10], regular[10:18], [*regular[18:], *regular[:3]], regular[5:15]))

    assert [hit.round for hit in design.hits] == [1, 1, 1, 2]
    assert [placed.is_padding for placed in design.hits[2].placed] == [False] * 6 + [True] * 3
    assert not any(placed.is_padding for placed in design.hits[3].placed)


def test_blocks_are_hits_without_a_common_item():
    first = [item(REGULAR, "a", k) for k in (1, 2, 3)]
    second = [item(REGULAR, "b", k) for k in (1, 2, 3)]
    fixed = DesignSettings(order="given", ratings_per_item=3, partition="fixed")
    design = laid_out(campaign_of(first, second, [first[0], item(REGULAR, "b", 9)], design=fixed))

    assert design.blocks == 2
    assert warned(design, "2 blocks")


def test_the_closest_translations_of_a_segment_are_reported():
    design = laid_out(
        campaign_of(
            (
                item(REGULAR, "a", 1),
                item(REPEAT, "a", 1),
                item(REGULAR, "a", 2),
                item(REGULAR, "a", 3),
                item(REGULAR, "b", 1),
            )
        )
    )

    # A repeat and its own base do not count: the repeat at 2 and the other system's at 5 do.
    assert design.closest == 3


def test_gold_items_carry_the_rating_of_the_expert():
    campaign = campaign_of((item(REGULAR, "a", 1), item(ItemKind.GOLD, "a", 2)), gold={("a", "2"): 3.0})
    gold = shown(laid_out(campaign), laid_out(campaign).hits[0])[1]

    assert (gold.kind, gold.known, gold.text) == (ItemKind.GOLD, 3.0, text_of("a", 1))


@pytest.mark.parametrize("segment_id", ["7", "calibration:7"])
def test_calibration_items_carry_their_score(segment_id):
    known = (CalibrationText("7", "an old text", "a reference", "", 0.4, 0.1),)
    hit = (item(REGULAR, "a", 1), GivenItem(ItemKind.CALIBRATION, "calibration", segment_id))
    design = laid_out(campaign_of(hit, calibration=known))
    placed = shown(design, design.hits[0])[1]

    assert (placed.text, placed.known, placed.known_sd) == ("an old text", 0.4, 0.1)
    assert (placed.system_id, placed.segment_id) == ("calibration", "calibration:7")


def test_all_places_without_a_text_are_listed_at_once():
    campaign = campaign_of(
        (item(REGULAR, "c", 1), item(REGULAR, "a", 99), item(REGULAR, "a", 1)),
        (item(ItemKind.GOLD, "b", 1), item(REFERENCE, "a", 2), item(REGULAR, "b", 3)),
        (item(REGULAR, "a", 3), GivenItem(ItemKind.CALIBRATION, "calibration", "5")),
        (),
    )
    segments = tuple(replace(segment, reference="") for segment in campaign.segments)
    translations = {**campaign.translations, "b": [None] * N_SEGMENTS}

    with pytest.raises(CampaignError) as caught:
        laid_out(replace(campaign, segments=segments, translations=translations))

    assert [problem.partition(": ")[0] for problem in caught.value.problems] == [
        "HIT 1, position 1",
        "HIT 1, position 2",
        "HIT 2, position 1",
        "HIT 2, position 2",
        "HIT 2, position 3",
        "HIT 3, position 2",
        "HIT 4",
    ]
    told = " ".join(caught.value.problems)
    assert 'no system "c"' in told
    assert 'no segment "99"' in told
    assert "no reference to show" in told
    assert 'system "b" has no translation of segment "3"' in told
    assert 'no calibration text "5"' in told


def test_a_text_that_cannot_be_degraded_is_refused_with_hit_and_position():
    campaign = campaign_of((item(REGULAR, "a", 1), item(DEGRADED, "a", 1)))
    empty = {**campaign.translations, "a": ["", *campaign.translations["a"][1:]]}

    with pytest.raises(CampaignError, match=r"HIT 1, position 2: the text .* cannot be degraded"):
        laid_out(replace(campaign, translations=empty))


def test_an_attribute_without_degradation_is_no_problem_if_the_file_has_the_texts():
    hit = (item(REGULAR, "a", 1), item(DEGRADED, "a", 1, "a bad text"))
    campaign = campaign_of(hit)
    odd = replace(campaign, settings=replace(campaign.settings, attribute="politeness"))

    assert laid_out(odd).hits

    without = replace(odd, given=((hit[0], replace(hit[1], text=None)),))
    with pytest.raises(CampaignError, match="politeness"):
        laid_out(without)


def test_settings_that_do_not_go_with_given_hits_are_refused():
    design = DesignSettings(order="given", ratings_per_item=2)

    with pytest.raises(CampaignError, match=r'Set partition = "fixed"'):
        laid_out(campaign_of(PAIRS, design=design))
    with pytest.raises(CampaignError, match="takes HITs from a file"):
        laid_out(campaign_of())


def test_progress_counts_the_hits():
    seen = []
    lay_out_given(
        campaign_of(PAIRS, PAIRS),
        rng=np.random.default_rng(1),
        new_ids=lambda n: [str(k) for k in range(n)],
        progress=seen.append,
    )

    assert seen == [1, 2]


def test_a_control_without_base_in_two_hits_of_a_round_is_marked_in_the_second():
    alone = item(REFERENCE, "b", 9)
    hits = (
        (*(item(REGULAR, "a", k) for k in range(1, 5)), alone),
        (*(item(REGULAR, "a", k) for k in (6, 7)), alone),
    )

    design = laid_out(campaign_of(*hits))

    assert {hit.round for hit in design.hits} == {1}
    assert [[placed.is_padding for placed in hit.placed] for hit in design.hits] == [
        [False] * 5,
        [False, False, True],
    ]
