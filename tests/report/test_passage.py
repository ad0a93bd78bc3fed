"""Running texts with shades and lanes, as drawings."""

from __future__ import annotations

import pytest

from steelyard.domain.exhibit import Axis, Lane, Panel, Passage
from steelyard.report.drawing.chart import draw_panel
from steelyard.report.drawing.plot import lay_out_panel
from steelyard.report.drawing.scene import Drawing, Path, Text

WORDS = tuple(piece for k in range(30) for piece in (f"word{k}", " "))


def drawn(passage: Passage, *, room: float = 400.0) -> Drawing:
    return draw_panel(lay_out_panel(Panel(Axis(""), Axis(""), (passage,)), room=room))


def texts(drawing: Drawing) -> list[Text]:
    return [shape for shape in drawing.shapes if isinstance(shape, Text)]


def corners(drawing: Drawing) -> list[tuple[float, float]]:
    paths = [shape for shape in drawing.shapes if isinstance(shape, Path)]
    return [place for path in paths for part in path.parts for place in part]


@pytest.mark.parametrize("room", [300.0, 400.0, 545.0])
def test_all_words_are_there_in_lines_within_the_sheet(room: float) -> None:
    drawing = drawn(Passage(WORDS, (0.5,) * len(WORDS)), room=room)

    assert [text.text for text in texts(drawing)] == [f"word{k}" for k in range(30)]
    assert len({text.y for text in texts(drawing)}) > 2
    assert max(text.y for text in texts(drawing)) < drawing.height
    assert all(0 <= x <= room and 0 <= y <= drawing.height for x, y in corners(drawing))


def test_what_nobody_marked_has_no_shade() -> None:
    assert corners(drawn(Passage(("a", " ", "b"), (0.0, 0.0, 0.0)))) == []
    assert len(corners(drawn(Passage(("a", " ", "b"), (1.0, 0.0, 0.0))))) == 5


def test_a_word_in_pieces_is_not_broken_at_the_end_of_a_line() -> None:
    pieces = tuple(piece for k in range(20) for piece in ("under", "stand", " "))

    drawing = drawn(Passage(pieces, (0.0,) * len(pieces)))

    lines = [text.y for text in texts(drawing)]
    assert lines[::2] == lines[1::2]


def test_a_text_without_spaces_is_broken_anywhere() -> None:
    drawing = drawn(Passage(("河",) * 100, (0.0,) * 100))

    assert len({text.y for text in texts(drawing)}) > 2
    assert max(text.x for text in texts(drawing)) < 400


def test_lanes_are_below_lines_that_have_marks_and_named_there() -> None:
    lanes = (Lane("ann", ((0, 1, "bad"),)), Lane("bob", ()))

    drawing = drawn(Passage(WORDS, (0.0,) * len(WORDS), lanes, keys=(("major", "bad"),)))

    named = [text for text in texts(drawing) if text.text in ("ann", "bob")]
    first, second = (next(text for text in texts(drawing) if text.text == f"word{k}") for k in (0, 29))
    assert [text.text for text in named] == ["ann", "bob"]
    assert all(first.y < text.y < second.y for text in named)
    assert "major" in {text.text for text in texts(drawing)}


def test_right_to_left_begins_at_the_right() -> None:
    drawing = drawn(Passage(("أ", " ", "ب"), (0.0,) * 3, right_to_left=True))

    first, second = texts(drawing)
    assert first.x > second.x > 350
