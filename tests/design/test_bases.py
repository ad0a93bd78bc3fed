from __future__ import annotations

import pytest

from steelyard.design.bases import has_visible_text, texts_of


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u00a0", "\u200b\u200e", "\ufeff", "\u2028"])
def test_spaces_and_zero_width_characters_are_not_visible(text):
    assert not has_visible_text(text)


@pytest.mark.parametrize("text", ["a", " .", "漢", "\u200fש", "🙂", "–"])
def test_any_mark_on_the_page_is_visible(text):
    assert has_visible_text(text)


def test_borrowing_leaves_out_the_segments_own_document(campaign_of, shape_of):
    campaign = campaign_of(shape_of(n_segments=23))

    borrowed = texts_of(campaign).borrow(7)

    expected = {s.reference for s in campaign.segments if s.document_id != campaign.segments[7].document_id}
    assert len(borrowed) == 18
    assert set(borrowed) == expected


def test_with_one_document_only_the_segment_itself_is_left_out(campaign_of, shape_of):
    campaign = campaign_of(shape_of(n_segments=5))

    borrowed = texts_of(campaign).borrow(2)

    assert set(borrowed) == {s.reference for k, s in enumerate(campaign.segments) if k != 2}


def test_what_is_borrowed_behaves_as_a_sequence(campaign_of, shape_of):
    borrowed = texts_of(campaign_of(shape_of(n_segments=20))).borrow(3)

    assert borrowed[-1] == list(borrowed)[-1]
    assert list(borrowed[2:4]) == [borrowed[2], borrowed[3]]
    with pytest.raises(IndexError):
        borrowed[len(borrowed)]
