"""Document order: whole documents in order, control documents in the other half, kinds by segment."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.documents import lay_out_documents
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.errors import CampaignError
from steelyard.domain.text import CalibrationText, Segment, System
from steelyard.domain.work import CONTROL_KINDS, ItemKind

VOCABULARY = [f"word{k}" for k in range(3000)]
EQUAL = DesignSettings(hit_size=100, order="documents")


@dataclass(frozen=True)
class Outline:
    """A campaign's documents by length; its texts follow from `seed`."""

    lengths: tuple[int, ...]
    n_systems: int = 3
    design: DesignSettings = EQUAL
    words: tuple[int, int] = (4, 20)
    seed: int = 1
    weights: tuple[float, ...] = ()
    has_references: bool = True
    missing: float = 0.0
    """Share of the translations that are absent."""


def campaign_of(outline):
    rng = np.random.default_rng(outline.seed)

    def text():
        n_words = int(rng.integers(outline.words[0], outline.words[1] + 1))
        return " ".join(VOCABULARY[k] for k in rng.integers(len(VOCABULARY), size=n_words))

    segments = tuple(
        Segment(f"d{document}-{k}", f"d{document}", text(), text() if outline.has_references else "")
        for document, length in enumerate(outline.lengths)
        for k in range(length)
    )
    weights = outline.weights or (1.0,) * outline.n_systems
    systems = tuple(System(f"system-{k}", weight=weight) for k, weight in enumerate(weights))
    translations = {
        system.system_id: [None if rng.random() < outline.missing else text() for _ in segments]
        for system in systems
    }
    settings = CampaignSettings("toy", "Toy", "da", "adequacy", "de", "en", design=outline.design)
    return Campaign(settings, systems, segments, translations)


@dataclass(frozen=True)
class Document:
    """A run of places: one document of one system, or a control document."""

    system_id: str
    document_id: str
    is_control: bool
    places: list

    @property
    def name(self):
        return self.system_id, self.document_id

    @property
    def start(self):
        return self.places[0][0].position

    @property
    def kinds(self):
        return [item.kind for _, item in self.places]


class LaidOut:
    """A campaign with its design, read back from items and HITs alone."""

    def __init__(self, campaign, seed=5, prefix="id"):
        self.campaign = campaign
        self.design = lay_out_documents(
            campaign,
            rng=np.random.default_rng(seed),
            new_ids=lambda n: [f"{prefix}{k:06d}" for k in range(n)],
        )
        self.document_of = {segment.segment_id: segment.document_id for segment in campaign.segments}

    @cached_property
    def item(self):
        return {item.item_id: item for item in self.design.items}

    def places(self, hit):
        return [(placed, self.item[placed.item_id]) for placed in hit.placed]

    def documents(self, hit):
        def name(place):
            _, item = place
            return item.system_id, self.document_of[item.segment_id], item.kind is not ItemKind.REGULAR

        return [Document(*key, list(run)) for key, run in groupby(self.places(hit), name)]

    def segments_of(self, system_id, document_id):
        """What the system has of the document, in order."""
        texts = self.campaign.translations[system_id]
        return [
            segment.segment_id
            for segment, text in zip(self.campaign.segments, texts, strict=True)
            if segment.document_id == document_id and text is not None
        ]

    def kind_counts(self, hit):
        return Counter(item.kind for _, item in self.places(hit))

    def between(self, hit):
        """Items between every control and its base, the slow way."""
        at = {placed.item_id: placed.position for placed in hit.placed}
        return [
            abs(placed.position - at[item.base_item_id]) - 1
            for placed, item in self.places(hit)
            if item.kind in CONTROL_KINDS
        ]


def short_documents(n=60, longest=12, seed=3):
    return tuple(np.random.default_rng(seed).integers(2, longest + 1, n).tolist())


@st.composite
def outlines(draw):
    hit_size = draw(st.sampled_from([50, 60, 100, 130]))
    n_systems = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    longest = draw(st.integers(1, hit_size // 3))
    volume = draw(st.integers(1, 5)) * hit_size / n_systems + longest
    lengths = []
    while sum(lengths) < volume:
        lengths.append(int(rng.integers(1, longest + 1)))
    return Outline(
        lengths=tuple(lengths),
        n_systems=n_systems,
        design=DesignSettings(hit_size=hit_size, ratings_per_item=draw(st.integers(1, 2)), order="documents"),
        words=draw(st.sampled_from([(4, 20), (1, 6)])),
        seed=int(rng.integers(2**32)),
        missing=draw(st.sampled_from([0.0, 0.0, 0.1])),
        has_references=draw(st.sampled_from([True, True, False])),
    )


def holds_for_random_campaigns(check):
    @settings(max_examples=25)
    @given(outlines())
    def run(outline):
        check(laid_out(outline))

    run()


@lru_cache(maxsize=64)
def laid_out(outline):
    """Every property is checked on the same campaigns: they need to be laid out only once."""
    return LaidOut(campaign_of(outline), seed=outline.seed)


def test_a_hit_is_a_list_of_whole_documents_with_their_segments_in_order():
    def check(made):
        for hit in made.design.hits:
            for document in made.documents(hit):
                shown = [item.segment_id for _, item in document.places]
                assert shown == made.segments_of(*document.name)

    holds_for_random_campaigns(check)


def test_positions_run_from_one_and_halves_follow_each_other():
    def check(made):
        for hit in made.design.hits:
            assert [placed.position for placed in hit.placed] == list(range(1, len(hit.placed) + 1))
            assert [half for half, _ in groupby(placed.group for placed in hit.placed)] == [0, 1]

    holds_for_random_campaigns(check)


def test_every_document_of_every_system_comes_once_in_every_round():
    def check(made):
        names = {
            (system.system_id, segment.document_id)
            for system in made.campaign.systems
            for segment, text in zip(
                made.campaign.segments, made.campaign.translations[system.system_id], strict=True
            )
            if text is not None
        }
        for round_number in range(1, made.campaign.settings.design.ratings_per_item + 1):
            own = Counter(
                document.name
                for hit in made.design.hits
                if hit.round == round_number
                for document in made.documents(hit)
                if not document.is_control and not document.places[0][0].is_padding
            )
            assert own == Counter(names)

    holds_for_random_campaigns(check)


def test_a_document_is_padding_as_a_whole_and_never_a_control():
    def check(made):
        for hit in made.design.hits:
            for document in made.documents(hit):
                flags = {placed.is_padding for placed, _ in document.places}
                assert len(flags) == 1
                assert not (document.is_control and flags == {True})

    holds_for_random_campaigns(check)


def test_no_item_comes_twice_in_a_hit():
    def check(made):
        for hit in made.design.hits:
            assert len({placed.item_id for placed in hit.placed}) == len(hit.placed)

    holds_for_random_campaigns(check)


def test_a_control_document_repeats_a_document_of_the_other_half_of_its_hit():
    def check(made):
        for hit in made.design.hits:
            documents = made.documents(hit)
            base = {document.name: document for document in documents if not document.is_control}
            controls = [document for document in documents if document.is_control]
            assert controls
            assert len({control.name for control in controls}) == len(controls) < len(base)
            for control in controls:
                halves = {placed.group for placed, _ in (*control.places, *base[control.name].places)}
                own = {placed.group for placed, _ in control.places}
                assert halves == {0, 1}
                assert len(own) == 1

    holds_for_random_campaigns(check)


def test_every_control_names_the_regular_item_of_its_system_and_segment():
    def check(made):
        for item in made.design.items:
            if item.kind is ItemKind.REGULAR:
                assert item.base_item_id is None
            else:
                base = made.item[item.base_item_id]
                assert base.kind is ItemKind.REGULAR
                assert (base.system_id, base.segment_id) == (item.system_id, item.segment_id)

    holds_for_random_campaigns(check)


def test_controls_show_what_their_kind_says():
    def check(made):
        reference = {segment.segment_id: segment.reference for segment in made.campaign.segments}
        for item in made.design.items:
            base = made.item.get(item.base_item_id)
            assert {
                ItemKind.REGULAR: base is None,
                ItemKind.REPEAT: base is not None and item.text == base.text,
                ItemKind.REFERENCE: item.text == reference[item.segment_id] != "",
                ItemKind.DEGRADED: base is not None and item.text not in (base.text, ""),
            }[item.kind]

    holds_for_random_campaigns(check)


def test_the_separation_reported_is_that_of_the_hits():
    def check(made):
        between = [number for hit in made.design.hits for number in made.between(hit)]
        assert made.design.separation == (min(between), max(between))

    holds_for_random_campaigns(check)


def test_hits_have_the_size_and_the_share_of_controls_asked_for_or_a_warning_tells():
    def check(made):
        hit_size, warnings = made.campaign.settings.design.hit_size, " ".join(made.design.warnings)
        sizes = [len(hit.placed) for hit in made.design.hits]
        shares = [
            sum(made.kind_counts(hit)[kind] for kind in CONTROL_KINDS) / len(hit.placed)
            for hit in made.design.hits
        ]
        off_size = sum(not 85 * hit_size <= 100 * size <= 115 * hit_size for size in sizes)
        off_share = sum(not 0.25 <= share <= 0.30 for share in shares)
        assert (f"{off_size} of {len(sizes)} HITs are more than 15% off" in warnings) == (off_size > 0)
        assert (f"in {off_share} of {len(sizes)} HITs control documents are not" in warnings) == (
            off_share > 0
        )

    holds_for_random_campaigns(check)


def test_a_warning_counts_the_hits_on_which_no_worker_can_be_tested():
    def check(made):
        warnings = " ".join(made.design.warnings)
        degraded = [made.kind_counts(hit)[ItemKind.DEGRADED] for hit in made.design.hits]
        few = sum(number < 5 for number in degraded)
        if any(degraded):
            told = f"{few} of {len(degraded)} HITs have fewer than 5 degraded items (least: {min(degraded)})"
            assert (told in warnings) == (few > 0)
        else:
            assert "no HIT has a degraded item" in warnings

    holds_for_random_campaigns(check)


def test_the_same_seed_gives_the_same_hits_whatever_the_ids():
    def check(made):
        again = LaidOut(made.campaign, seed=9, prefix="other")
        first = LaidOut(made.campaign, seed=9)
        for one, other in zip(first.design.hits, again.design.hits, strict=True):
            left = [(item.kind, item.system_id, item.segment_id, item.text) for _, item in first.places(one)]
            right = [
                (item.kind, item.system_id, item.segment_id, item.text) for _, item in again.places(other)
            ]
            assert left == right

    holds_for_random_campaigns(check)


@pytest.fixture(scope="module")
def usual():
    """Three systems, documents of 2 to 12 segments, two rounds of HITs of about 100 items."""
    design = replace(EQUAL, ratings_per_item=2)
    return LaidOut(campaign_of(Outline(short_documents(), design=design)))


def test_short_documents_fill_hits_within_the_bounds_and_without_a_warning(usual):
    assert usual.design.warnings == ()
    for hit in usual.design.hits:
        controls = len(hit.placed) - usual.kind_counts(hit)[ItemKind.REGULAR]
        assert 85 <= len(hit.placed) <= 115
        assert 0.25 <= controls / len(hit.placed) <= 0.30


def test_controls_are_at_least_as_far_from_their_bases_as_in_hits_with_groups(usual):
    for hit in usual.design.hits:
        assert min(usual.between(hit)) >= 0.4 * len(hit.placed)


def test_each_kind_of_control_gets_a_third(usual):
    counts = Counter(item.kind for hit in usual.design.hits for _, item in usual.places(hit))
    total = sum(counts[kind] for kind in CONTROL_KINDS)

    assert all(abs(counts[kind] - total / 3) <= 1 for kind in CONTROL_KINDS)


def test_each_kind_gets_a_third_of_every_hit(usual):
    for hit in usual.design.hits:
        counts = usual.kind_counts(hit)
        numbers = [counts[kind] for kind in CONTROL_KINDS]
        assert max(numbers) - min(numbers) <= 2


def test_a_hit_too_small_for_a_third_has_five_degraded_items_all_the_same():
    # About 12 of 45 items are controls; a third of them would be 4.
    made = LaidOut(campaign_of(Outline((3,) * 60, design=replace(EQUAL, hit_size=45))))

    assert {made.kind_counts(hit)[ItemKind.DEGRADED] for hit in made.design.hits} == {5}


def test_kinds_vary_within_control_documents_as_if_drawn_for_each_segment(usual):
    kinds = [
        document.kinds
        for hit in usual.design.hits
        for document in usual.documents(hit)
        if document.is_control
    ]
    neighbours = [left is right for run in kinds for left, right in pairwise(run)]

    # Of independent neighbours a third are alike; three standard deviations of the mean.
    assert len(neighbours) > 300
    assert np.mean(neighbours) == pytest.approx(1 / 3, abs=3 * np.sqrt(2 / 9 / len(neighbours)))


def test_half_of_the_control_documents_come_before_their_base(usual):
    first = [
        document.places[0][0].group == 0
        for hit in usual.design.hits
        for document in usual.documents(hit)
        if document.is_control
    ]

    assert np.mean(first) == pytest.approx(0.5, abs=3 * np.sqrt(0.25 / len(first)))


def test_systems_share_every_hit_as_evenly_as_documents_allow(usual):
    for hit in usual.design.hits:
        regular = Counter(item.system_id for _, item in usual.places(hit) if item.kind is ItemKind.REGULAR)
        assert max(regular.values()) - min(regular.values()) <= 12


def test_control_documents_are_balanced_over_systems(usual):
    counts = Counter(
        item.system_id
        for hit in usual.design.hits
        for _, item in usual.places(hit)
        if item.kind is not ItemKind.REGULAR
    )

    # Two rounds, in each of them a document of up to 12 segments more or less.
    assert max(counts.values()) - min(counts.values()) <= 24


def test_no_hit_holds_a_document_by_two_systems_if_there_are_enough_hits(usual):
    assert usual.design.closest is None
    for hit in usual.design.hits:
        regular = [document for document in usual.documents(hit) if not document.is_control]
        assert len({document.document_id for document in regular}) == len(regular)


def test_every_round_is_packed_anew(usual):
    packed = {
        round_number: {
            frozenset(document.name for document in usual.documents(hit) if not document.is_control)
            for hit in usual.design.hits
            if hit.round == round_number
        }
        for round_number in (1, 2)
    }

    assert not packed[1] & packed[2]


def test_another_seed_gives_other_hits(usual):
    other = LaidOut(usual.campaign, seed=6)

    assert [item.segment_id for _, item in other.places(other.design.hits[0])] != [
        item.segment_id for _, item in usual.places(usual.design.hits[0])
    ]


def test_two_rounds_connect_all_hits(usual):
    assert usual.design.blocks == 1


def test_progress_counts_the_hits():
    seen = []
    campaign = campaign_of(Outline(short_documents()))

    design = lay_out_documents(
        campaign,
        rng=np.random.default_rng(1),
        new_ids=lambda n: [str(k) for k in range(n)],
        progress=seen.append,
    )

    assert seen == list(range(1, len(design.hits) + 1))


def test_a_fixed_partition_has_one_round():
    design = replace(EQUAL, ratings_per_item=4, partition="fixed")
    made = LaidOut(campaign_of(Outline(short_documents(), design=design)))

    assert {hit.round for hit in made.design.hits} == {1}


def test_translations_of_a_segment_that_must_share_a_hit_are_reported():
    made = LaidOut(campaign_of(Outline((9, 9, 9), n_systems=6)))
    distances = [
        later.position - earlier.position
        for hit in made.design.hits
        for k, (earlier, one) in enumerate(made.places(hit))
        for later, other in made.places(hit)[k + 1 :]
        if one.segment_id == other.segment_id and one.system_id != other.system_id
    ]

    assert made.design.closest == min(distances)
    assert any(f"as close as {min(distances)} positions" in w for w in made.design.warnings) == (
        min(distances) <= 20
    )


@pytest.mark.parametrize(("length", "n_parts"), [(58, 2), (115, 3), (400, 8)])
def test_a_document_too_long_for_a_hit_comes_in_equal_consecutive_parts(length, n_parts):
    # At most 57 of 115 items: beside it a second document and its control, a quarter of the HIT each.
    made = LaidOut(campaign_of(Outline((length, *short_documents()))))
    parts = [
        tuple(item.segment_id for _, item in document.places)
        for hit in made.design.hits
        for document in made.documents(hit)
        if document.name == ("system-0", "d0") and not document.is_control
    ]
    ordered = sorted(parts, key=lambda part: int(part[0].split("-")[1]))

    assert len(parts) == n_parts
    assert [segment_id for part in ordered for segment_id in part] == [f"d0-{k}" for k in range(length)]
    assert max(len(part) for part in parts) - min(len(part) for part in parts) <= 1
    assert any(w.startswith("1 documents are longer than 57 segments") for w in made.design.warnings)


def test_all_systems_have_a_long_document_cut_alike():
    made = LaidOut(campaign_of(Outline((90, *short_documents()), missing=0.1)))
    first_half = {f"d0-{k}" for k in range(45)}

    for hit in made.design.hits:
        for document in made.documents(hit):
            if document.document_id == "d0":
                inside = {item.segment_id in first_half for _, item in document.places}
                assert len(inside) == 1


def test_texts_of_one_word_are_repeated_instead_of_degraded():
    made = LaidOut(campaign_of(Outline(short_documents(), words=(1, 1))))
    kinds = {item.kind for item in made.design.items}

    assert kinds == {ItemKind.REGULAR, ItemKind.REPEAT, ItemKind.REFERENCE}
    assert any("no HIT has a degraded item" in warning for warning in made.design.warnings)


def test_without_references_controls_are_repeated_and_degraded_by_halves():
    made = LaidOut(campaign_of(Outline(short_documents(), has_references=False)))
    counts = Counter(item.kind for hit in made.design.hits for _, item in made.places(hit))

    assert counts[ItemKind.REFERENCE] == 0
    assert abs(counts[ItemKind.REPEAT] - counts[ItemKind.DEGRADED]) <= 1


def test_an_empty_translation_is_judged_and_repeated_but_never_degraded():
    campaign = campaign_of(Outline(short_documents()))
    texts = {system_id: ["", *column[1:]] for system_id, column in campaign.translations.items()}
    made = LaidOut(replace(campaign, translations=texts))
    kinds = {item.kind for item in made.design.items if item.segment_id == "d0-0"}

    assert ItemKind.REGULAR in kinds
    assert kinds <= {ItemKind.REGULAR, ItemKind.REPEAT}
    assert any("3 translations have no visible text" in warning for warning in made.design.warnings)


def test_systems_that_lack_translations_are_counted_in_a_warning():
    made = LaidOut(campaign_of(Outline(short_documents(), missing=0.05)))

    assert any(w.startswith("3 systems lack translations of some segments") for w in made.design.warnings)


def test_a_quota_sets_the_shares_of_the_kinds():
    quota = {ItemKind.DEGRADED: 15, ItemKind.REPEAT: 5}
    made = LaidOut(campaign_of(Outline(short_documents(), design=replace(EQUAL, quota=quota))))
    counts = Counter(item.kind for hit in made.design.hits for _, item in made.places(hit))

    assert counts[ItemKind.REFERENCE] == 0
    assert abs(counts[ItemKind.DEGRADED] - 3 * counts[ItemKind.REPEAT]) <= 4


def test_a_quota_of_nothing_makes_hits_without_control_documents():
    made = LaidOut(campaign_of(Outline(short_documents(), design=replace(EQUAL, quota={}))))

    assert {item.kind for item in made.design.items} == {ItemKind.REGULAR}
    assert made.design.separation is None
    assert all(85 <= len(hit.placed) <= 115 for hit in made.design.hits)
    assert any("without control documents" in warning for warning in made.design.warnings)


def test_a_system_of_half_the_weight_has_half_as_many_items_in_each_round():
    design = replace(EQUAL, ratings_per_item=2)
    made = LaidOut(campaign_of(Outline(short_documents(), design=design, weights=(1.0, 0.5, 1.0))))
    for round_number in (1, 2):
        counts = Counter(
            item.system_id
            for hit in made.design.hits
            if hit.round == round_number
            for placed, item in made.places(hit)
            if item.kind is ItemKind.REGULAR and not placed.is_padding
        )
        # To the nearest whole document.
        assert counts["system-1"] == pytest.approx(counts["system-0"] / 2, abs=6)


def test_too_few_texts_for_two_full_hits_are_padded_with_whole_documents():
    # 130 translations are too many for one HIT of 115 items and too few for two of 85.
    made = LaidOut(campaign_of(Outline((5,) * 13, n_systems=2)))
    reused = [placed for hit in made.design.hits for placed in hit.placed if placed.is_padding]

    assert len(made.design.hits) == 2
    assert all(85 <= len(hit.placed) <= 115 for hit in made.design.hits)
    assert len(reused) % 5 == 0


def test_too_few_texts_for_one_hit_are_refused_with_a_size_that_would_do():
    # 55 of 100 items: even with 30 % controls that makes 79 items. 55 / 0.725 = 75.9.
    with pytest.raises(
        CampaignError, match=r"55 translations are too few .* Set hit_size = 75, or add texts"
    ):
        LaidOut(campaign_of(Outline((5,) * 11, n_systems=1)))


def test_the_size_proposed_does():
    made = LaidOut(campaign_of(Outline((5,) * 11, n_systems=1, design=replace(EQUAL, hit_size=75))))

    assert len(made.design.hits) == 1


def test_all_problems_are_listed_at_once():
    design = replace(
        EQUAL,
        groups=10,
        ratings_per_item=0,
        gold_every=6,
        degradation="shuffle-letters",
        quota={ItemKind.REFERENCE: 10, ItemKind.DEGRADED: 10},
    )
    campaign = campaign_of(Outline(short_documents(), design=design, has_references=False))

    with pytest.raises(CampaignError) as caught:
        LaidOut(campaign)

    told = " ".join(caught.value.problems)
    assert "groups = 10 means nothing" in told
    assert "ratings_per_item must be at least 1" in told
    assert "no room for gold or calibration texts" in told
    assert "shuffle-letters" in told
    assert "there are no references" in told


def test_calibration_texts_are_refused():
    quota = {ItemKind.DEGRADED: 10, ItemKind.CALIBRATION: 5}
    campaign = campaign_of(Outline(short_documents(), design=replace(EQUAL, quota=quota)))
    known = tuple(CalibrationText(str(k), "a text", "a reference", "", 0.1, 0.2) for k in range(20))

    with pytest.raises(CampaignError, match="no room for gold or calibration texts"):
        LaidOut(replace(campaign, calibration=known))


def test_segments_of_a_document_need_not_stand_together_in_the_files():
    campaign = campaign_of(Outline((6,) * 40))
    order = np.random.default_rng(2).permutation(len(campaign.segments)).tolist()
    shuffled = replace(
        campaign,
        segments=tuple(campaign.segments[k] for k in order),
        translations={name: [texts[k] for k in order] for name, texts in campaign.translations.items()},
    )
    made = LaidOut(shuffled)

    for hit in made.design.hits:
        for document in made.documents(hit):
            shown = [item.segment_id for _, item in document.places]
            assert shown == made.segments_of(*document.name)
