from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steelyard.design.bases import ELIGIBLE, FORCED, NEVER, PREFERRED, BaseBook, borrowing, has_visible_text
from steelyard.design.degradations import choose
from steelyard.design.entries import entries_of
from steelyard.domain.plugin import Damage
from steelyard.domain.work import ItemKind


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u00a0", "\u200b\u200e", "\ufeff", "\u2028"])
def test_spaces_and_zero_width_characters_are_not_visible(text):
    assert not has_visible_text(text)


@pytest.mark.parametrize("text", ["a", " .", "漢", "\u200fש", "🙂", "–"])
def test_any_mark_on_the_page_is_visible(text):
    assert has_visible_text(text)


def test_borrowing_leaves_out_the_segments_own_document(campaign_of, shape_of):
    campaign = campaign_of(shape_of(n_segments=23))

    borrowed = borrowing(campaign)(7)

    expected = {s.reference for s in campaign.segments if s.document_id != campaign.segments[7].document_id}
    assert len(borrowed) == 18
    assert set(borrowed) == expected


def test_with_one_document_only_the_segment_itself_is_left_out(campaign_of, shape_of):
    campaign = campaign_of(shape_of(n_segments=5))

    borrowed = borrowing(campaign)(2)

    assert set(borrowed) == {s.reference for k, s in enumerate(campaign.segments) if k != 2}


def test_where_a_reference_is_absent_a_translation_is_borrowed(campaign_of, shape_of):
    campaign = campaign_of(shape_of(n_systems=2, n_segments=10))
    segments = tuple(
        replace(segment, reference=" " if k == 8 else segment.reference)
        for k, segment in enumerate(campaign.segments)
    )
    first = [None if k == 8 else text for k, text in enumerate(campaign.translations["system-0"])]
    lacking = replace(campaign, segments=segments, translations={**campaign.translations, "system-0": first})

    borrowed = borrowing(lacking)(1)

    assert campaign.translations["system-1"][8] in borrowed
    assert " " not in borrowed


def test_what_is_borrowed_behaves_as_a_sequence(campaign_of, shape_of):
    borrowed = borrowing(campaign_of(shape_of(n_segments=20)))(3)

    assert borrowed[-1] == list(borrowed)[-1]
    assert list(borrowed[2:4]) == [borrowed[2], borrowed[3]]
    with pytest.raises(IndexError):
        borrowed[len(borrowed)]


@pytest.fixture
def book(campaign_of, shape_of):
    texts = {(0, 0): "three words here", (0, 1): "two words", (0, 2): "one", (0, 3): " "}
    campaign = campaign_of(shape_of(n_systems=1, n_segments=12, texts=texts))
    segments = tuple(replace(s, reference="") if s.segment_id == "seg0" else s for s in campaign.segments)
    campaign = replace(campaign, segments=segments)
    damage = choose(attribute="adequacy").damage("en")
    entries = entries_of(campaign, merge=True)
    return BaseBook(campaign, entries, damage=damage, rng=np.random.default_rng(1))


def test_texts_are_graded_by_how_well_they_can_be_degraded(book):
    assert book.grade[:4].tolist() == [PREFERRED, ELIGIBLE, FORCED, NEVER]
    assert book.can_be_degraded[:4].tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (ItemKind.DEGRADED, [True, True, True, False]),
        (ItemKind.REPEAT, [True, True, True, False]),
        (ItemKind.REFERENCE, [False, True, True, False]),
    ],
)
def test_what_a_text_serves_depends_on_the_kind(book, kind, expected):
    assert book.serves(kind)[:4].tolist() == expected


def test_a_text_that_cannot_be_degraded_is_never_offered_again(campaign_of, shape_of):
    campaign = campaign_of(shape_of(n_systems=1, n_segments=3))
    calls = []

    def degrade(text, *_):
        calls.append(text)

    damage = Damage(lambda _: True, lambda _: True, degrade)
    book = BaseBook(campaign, entries_of(campaign, merge=True), damage=damage, rng=np.random.default_rng(1))

    assert [book.degrade(1), book.degrade(1)] == [False, False]
    assert book.grade.tolist() == [PREFERRED, NEVER, PREFERRED]
    assert len(calls) == 1


def test_a_damaged_text_is_made_once(book):
    assert book.degrade(0)
    assert book.text(ItemKind.DEGRADED, 0) == book.text(ItemKind.DEGRADED, 0) != "three words here"
