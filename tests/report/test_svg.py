"""Figures as SVG: well-formed, escaped, complete, small, the same every time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.exhibit import (
    Axis,
    Band,
    Bars,
    Cells,
    Figure,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Rule,
    Table,
)
from steelyard.report.drawing.clipping import clip_area, clip_line
from steelyard.report.drawing.palette import DARK, LIGHT, LOOKS, STRONGEST, THEMED, TONES
from steelyard.report.drawing.scene import Box, Drawing, Text
from steelyard.report.drawing.sheet import draw_panels, draw_sheet
from steelyard.report.drawing.text_width import width
from steelyard.report.drawing.thinning import crowd_note, thin_line
from steelyard.report.svg import to_svg

SVG = "{http://www.w3.org/2000/svg}"
MakeFigure = Callable[..., Figure]


def parsed(figure: Figure) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(figure, themed=False))  # noqa: S314 (our own text)


def words(figure: Figure) -> list[str]:
    return [shape.text for shape in draw_sheet(figure).shapes if isinstance(shape, Text)]


def ends_of(text: Text) -> tuple[float, float]:
    wide = width(text.text, text.size, bold=text.is_bold)
    left = {"start": text.x, "middle": text.x - wide / 2, "end": text.x - wide}[text.anchor]
    return left, left + wide


def stays_inside(drawing: Drawing) -> bool:
    """Whether level text lies on the sheet."""
    level = [shape for shape in drawing.shapes if isinstance(shape, Text) and not shape.angle]
    return all(
        ends_of(text)[0] >= -0.1
        and ends_of(text)[1] <= drawing.width + 0.1
        and text.size * 0.7 <= text.y <= drawing.height
        for text in level
    )


@pytest.mark.parametrize("themed", [True, False])
def test_every_mark_is_drawn_as_well_formed_xml(every_mark: Figure, themed: bool) -> None:
    body = to_svg(every_mark, themed=themed).removeprefix('<?xml version="1.0" encoding="UTF-8"?>\n')

    pieces = ElementTree.fromstring(f"<all>{body}</all>")  # noqa: S314 (our own text)

    assert len(list(pieces)) == (len(every_mark.panels) if themed else 1)
    assert all(piece.get("role") == "img" and piece.get("aria-label") for piece in pieces)
    assert all(piece[0].tag.endswith("title") and piece[0].text for piece in pieces)


def test_on_a_page_every_colour_is_the_pages_own(every_mark: Figure) -> None:
    colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', to_svg(every_mark, themed=True)))

    assert colours - {"none"} <= set(THEMED.values())


def test_a_file_has_light_colours_and_its_own_fonts(every_mark: Figure) -> None:
    written = to_svg(every_mark, themed=False)

    assert "var(" not in written
    assert 'fill="#ffffff"' in written
    assert "sans-serif" in written


@pytest.mark.parametrize("themed", [True, False])
def test_nothing_is_fetched_or_run(every_mark: Figure, themed: bool) -> None:
    written = to_svg(every_mark, themed=themed).replace('xmlns="http://www.w3.org/2000/svg"', "")

    assert re.findall(r"http|href|url\(|<script|\bon\w+=|\bid=", written) == []


@pytest.mark.parametrize("themed", [True, False])
def test_the_same_figure_gives_the_same_text(every_mark: Figure, themed: bool) -> None:
    assert to_svg(every_mark, themed=themed) == to_svg(replace(every_mark), themed=themed)


def test_a_file_bears_title_and_signature(every_mark: Figure) -> None:
    found = words(every_mark)

    assert "Every mark" in found
    assert every_mark.signature in found


def test_words_are_escaped(figure_of: MakeFigure) -> None:
    nasty = '<script>"&\x00\x1b'
    figure = figure_of(
        Points((1.0,), (0.0,), nasty, labels=(nasty,), named=True),
        x=Axis(nasty),
        y=Axis(nasty, categories=(nasty,)),
        title=nasty,
    )

    written = to_svg(figure, themed=True) + to_svg(figure, themed=False)

    assert "<script" not in written
    assert "&lt;script&gt;" in written
    assert not set("\x00\x1b") & set(written)


ALL_TONES = [
    lambda tone: Points((1.0, 2.0), (1.0, 2.0), "s", tone),
    lambda tone: Line((1.0, 2.0), (1.0, 2.0), "s", tone),
    lambda tone: Line((1.0, 2.0), (1.0, 2.0), "s", tone, dashed=True),
    lambda tone: Band((1.0, 2.0), (1.0, 2.0), (2.0, 3.0), "s", tone),
    lambda tone: Bars((1.0,), (2.0,), (3.0,), "s", tone),
    lambda tone: Intervals((1.0,), (2.0,), (3.0,), "s", tone),
    lambda tone: Rule("x", 1.0, "s", tone),
]


@pytest.mark.parametrize("tone", TONES)
@pytest.mark.parametrize("make", ALL_TONES)
def test_every_mark_comes_in_every_tone(
    figure_of: MakeFigure, make: Callable[[str], Mark], tone: str
) -> None:
    written = to_svg(figure_of(make(tone), Points((1.0, 3.0), (1.0, 3.0))), themed=True)

    assert f"var(--{tone}" in written


def test_tones_differ_without_colour() -> None:
    assert len({look.marker for look in LOOKS.values()}) == len(TONES)
    dashes = [dash for look in LOOKS.values() for dash in (look.dash, look.dashed)]
    assert len(set(dashes)) == len(dashes)


@pytest.mark.parametrize("value", [math.nan, math.inf, None])
def test_what_is_unknown_is_left_out(figure_of: MakeFigure, value: float | None) -> None:
    known, holed = (1.0, 2.0, 3.0), (1.0, value, 3.0)
    figure = figure_of(
        Points(known, holed),
        Line(known, holed),
        Band(known, holed, (2.0, 3.0, 4.0)),
        Bars(holed, (2.0, 3.0, 4.0), known),
        Intervals(holed, known, known),
        Rule("x", math.nan),
    )

    written = to_svg(figure, themed=False)

    assert re.findall(r"nan|inf(?!o)|None", written) == []
    assert written.count("<circle") == 2


@pytest.mark.parametrize(
    "marks",
    [
        (),
        (Points((), ()),),
        (Points((math.nan,), (1.0,)),),
        (Line((), ()),),
        (Band((), (), ()),),
        (Bars((), (), ()),),
        (Intervals((), (), ()),),
        (Rule("x", 1.0, "alone"),),
    ],
)
def test_an_empty_panel_says_so(figure_of: MakeFigure, marks: tuple[Mark, ...]) -> None:
    assert "nothing to show" in words(figure_of(*marks))


def test_a_full_panel_does_not_say_that_it_is_empty(every_mark: Figure) -> None:
    assert "nothing to show" not in words(every_mark)


def test_a_figure_without_panels_still_has_its_title(every_mark: Figure) -> None:
    assert "Every mark" in words(replace(every_mark, panels=()))


def test_cells_without_categories_are_empty(figure_of: MakeFigure) -> None:
    assert "nothing to show" in words(figure_of(Cells(((0.1,),), (("x",),), 0, 1)))


def test_a_legend_names_each_series_once_and_only_named_ones(figure_of: MakeFigure) -> None:
    figure = figure_of(
        Band((1.0, 2.0), (1.0, 1.0), (2.0, 2.0), "curve"),
        Line((1.0, 2.0), (1.5, 1.5), "curve"),
        Line((1.0, 2.0), (1.5, 1.5), "other", "second"),
        Points((1.0,), (1.0,)),
    )

    assert [word for word in words(figure) if word in ("curve", "other", "")] == ["curve", "other"]


def test_dots_can_be_pointed_at_by_their_labels(figure_of: MakeFigure) -> None:
    figure = figure_of(Points((1.0, math.nan, 3.0), (1.0, 2.0, 3.0), labels=("first", "second", "third")))

    titles = [element.text for element in parsed(figure).iter(f"{SVG}title")]

    assert titles[1:] == ["first", "third"]


def test_named_dots_are_named_beside_them(figure_of: MakeFigure) -> None:
    assert {"first", "second"} <= set(
        words(figure_of(Points((1.0, 2.0), (1.0, 2.0), labels=("first", "second"), named=True)))
    )


def test_names_of_crowded_dots_do_not_cover_each_other(figure_of: MakeFigure) -> None:
    rng = np.random.default_rng(4)
    x, y = (tuple(rng.normal(0, 0.2, 60)) for _ in range(2))
    figure = figure_of(Points(x, y, labels=tuple(f"system-{k}" for k in range(60)), named=True))

    named = [
        shape
        for shape in draw_panels(figure)[0].shapes
        if isinstance(shape, Text) and shape.text.startswith("system")
    ]

    assert len(named) > 5
    boxes = [(*ends_of(text), text.y - text.size + 1, text.y + 2) for text in named]
    for k, (left, right, top, bottom) in enumerate(boxes):
        for other in boxes[:k]:
            assert right <= other[0] or left >= other[1] or bottom <= other[2] or top >= other[3]


def test_text_in_cells_is_left_out_where_it_would_be_too_small(figure_of: MakeFigure) -> None:
    n = 30
    names = Axis("", categories=tuple(f"s{k}" for k in range(n)))
    cells = Cells(((0.01,) * n,) * n, (("0.0123",) * n,) * n, 0.0, 0.05)

    assert "0.0123" not in words(figure_of(cells, x=names, y=names))


def test_cells_are_shaded_from_low_to_high(figure_of: MakeFigure) -> None:
    names = Axis("", categories=("a", "b", "c"))
    cells = Cells(((0.0, 0.04, 0.3),) * 3, (("", "", ""),) * 3, 0.0, 0.05)

    written = to_svg(figure_of(cells, x=names, y=names), themed=True)

    shades = re.findall(r'fill="var\(--main-shade\)" fill-opacity="([\d.]+)"', written)
    # p = 0.04 is a fifth of the way from 0.05 to 0: 0.2 + 0.8 * 0.2 of the strongest, which is 0.8.
    assert sorted(map(float, shades)) == pytest.approx([0.8 * (0.2 + 0.8 * 0.2), 0.8], abs=1e-3)


def test_a_crowd_of_dots_becomes_squares_and_the_caption_says_so(figure_of: MakeFigure) -> None:
    values = tuple(np.random.default_rng(1).normal(size=50_000))
    figure = figure_of(Points(values, values[::-1], labels=("x",) * 50_000))

    written = to_svg(figure, themed=True)

    assert "<circle" not in written
    assert len(written) < 60_000
    assert crowd_note(figure).startswith("50,000 points are shown as squares")
    assert any("50,000 points" in line for line in words(figure))


def test_two_thousand_dots_are_still_dots_in_a_small_file(figure_of: MakeFigure) -> None:
    values = tuple(np.random.default_rng(1).normal(size=2_000))
    figure = figure_of(Points(values, values[::-1], labels=tuple(f"worker {k}" for k in range(2_000))))

    written = to_svg(figure, themed=False)

    assert written.count("<circle") == 2_000
    assert len(written) < 300_000
    assert crowd_note(figure) == ""


def test_a_few_dots_stay_dots_among_a_crowd(figure_of: MakeFigure) -> None:
    values = tuple(np.random.default_rng(1).normal(size=5_000))
    figure = figure_of(Points(values, values[::-1]), Points((0.0,), (0.0,), tone="third"))

    written = to_svg(figure, themed=True)

    assert "var(--main-shade)" in written
    assert "var(--third)" in written


def test_many_panels_of_many_dots_stay_small(every_mark: Figure) -> None:
    values = tuple(np.random.default_rng(1).normal(size=2_000))
    panels = tuple(Panel(Axis("x"), Axis("y"), (Points(values, values),)) for _ in range(12))

    assert len(to_svg(replace(every_mark, panels=panels), themed=True)) < 300_000


def test_a_long_line_is_thinned_without_losing_its_peaks(figure_of: MakeFigure) -> None:
    x = np.linspace(0, 1, 50_000)
    y = np.zeros(50_000)
    y[12_345] = 7.0
    places = list(zip(300 * x, y, strict=True))

    thinned = thin_line(places)

    assert len(thinned) < 3_000
    assert max(place[1] for place in thinned) == 7.0
    assert (thinned[0], thinned[-1]) == (places[0], places[-1])


@given(
    st.lists(st.text(max_size=40), min_size=1, max_size=25),
    st.text(max_size=150),
    st.text(max_size=150),
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=25),
)
def test_no_word_leaves_the_sheet(
    figure_of: MakeFigure, categories: list[str], title: str, series: str, values: list[float]
) -> None:
    places = tuple(float(k % len(categories)) for k in range(len(values)))
    figure = figure_of(
        Points(tuple(values), places, series, labels=tuple("name" for _ in values), named=True),
        Rule("x", values[0], title),
        Rule("y", 0.0, series),
        x=Axis(title),
        y=Axis(series, categories=tuple(categories)),
        title=title,
    )

    assert all(stays_inside(panel) for panel in draw_panels(figure))
    assert stays_inside(draw_sheet(replace(figure, title=title)))


def test_every_panel_keeps_its_words_on_its_sheet(every_mark: Figure) -> None:
    assert all(stays_inside(panel) for panel in draw_panels(every_mark))


def test_a_panel_is_as_wide_as_a_phone_and_a_large_grid_wider(figure_of: MakeFigure) -> None:
    names = Axis("", categories=tuple(f"system-{k}" for k in range(20)))
    cells = Cells(((0.5,) * 20,) * 20, (("",) * 20,) * 20, 0, 1)

    assert draw_panels(figure_of(Points((1.0,), (1.0,))))[0].width == 400
    assert draw_panels(figure_of(cells, x=names, y=names))[0].width > 600


def test_the_height_follows_the_number_of_categories(figure_of: MakeFigure) -> None:
    heights = [
        draw_panels(figure_of(y=Axis("", categories=tuple(f"s{k}" for k in range(n)))))[0].height
        for n in (5, 15)
    ]

    assert heights[1] - heights[0] == pytest.approx(230)


BOX = Box(0.0, 0.0, 10.0, 10.0)
somewhere = st.tuples(st.floats(-50, 50), st.floats(-50, 50))


@given(st.lists(somewhere, min_size=2, max_size=8))
def test_clipped_lines_lie_in_the_box(places: list[tuple[float, float]]) -> None:
    for part in clip_line(places, BOX):
        assert all(-1e-9 <= value <= 10 + 1e-9 for place in part for value in place)


def test_a_line_across_the_box_is_cut_at_its_edges() -> None:
    assert clip_line([(-5.0, 5.0), (15.0, 5.0)], BOX) == [((0.0, 5.0), (10.0, 5.0))]


def test_a_line_that_leaves_and_returns_has_two_parts() -> None:
    parts = clip_line([(1.0, 5.0), (1.0, -5.0), (9.0, -5.0), (9.0, 5.0)], BOX)

    assert parts == [((1.0, 5.0), (1.0, 0.0)), ((9.0, 0.0), (9.0, 5.0))]


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10)), min_size=2, max_size=8))
def test_a_line_inside_the_box_is_left_alone(places: list[tuple[float, float]]) -> None:
    assert clip_line(places, BOX) == [tuple(places)]


def test_an_area_is_cut_at_the_edges() -> None:
    cut = clip_area([(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)], BOX)

    assert set(cut) == {(0.0, 0.0), (5.0, 0.0), (5.0, 5.0), (0.0, 5.0)}
    assert cut[0] == cut[-1]


@given(st.lists(somewhere, min_size=3, max_size=8))
def test_clipped_areas_lie_in_the_box(outline: list[tuple[float, float]]) -> None:
    assert all(-1e-9 <= value <= 10 + 1e-9 for place in clip_area(outline, BOX) for value in place)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mixed(colour: str, paper: str, share: float) -> str:
    parts = [
        round(share * int(colour[k : k + 2], 16) + (1 - share) * int(paper[k : k + 2], 16)) for k in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("role", ["ink", "soft", *(f"{tone}-edge" for tone in TONES)])
def test_text_and_lines_stand_out_from_the_paper(colours: dict[str, str], role: str) -> None:
    assert contrast(colours[role], colours["paper"]) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("tone", TONES)
@pytest.mark.parametrize("strength", [0.16, 0.4, STRONGEST])
def test_ink_can_be_read_on_every_shade(colours: dict[str, str], tone: str, strength: float) -> None:
    shade = mixed(colours[f"{tone}-shade"], colours["paper"], strength)

    assert contrast(colours["ink"], shade) >= 4.5


def test_light_and_dark_have_the_same_roles() -> None:
    assert set(LIGHT) == set(DARK)


def test_the_table_is_no_part_of_the_drawing(every_mark: Figure, table: Table) -> None:
    assert table.notes[0] not in to_svg(every_mark, themed=False)


def test_signatures_of_several_sources_have_a_line_each_below_the_figure(every_mark: Figure) -> None:
    drawing = draw_sheet(replace(every_mark, signature="one|a\ntwo|b"))

    places = {shape.text: shape.y for shape in drawing.shapes if isinstance(shape, Text)}
    assert places["one|a"] < places["two|b"]


def test_panels_side_by_side_are_crowded_together_or_not_at_all(figure_of: MakeFigure) -> None:
    many = tuple(float(k) for k in range(2_001))
    crowd, few = Points(many, many), Points((1.0, 2.0), (1.0, 2.0), tone="second")
    figure = figure_of(crowd)
    (panel,) = figure.panels
    both = replace(figure, panels=(panel, replace(panel, marks=(few,))))

    drawn = to_svg(both, themed=True)

    assert "<circle" not in drawn
    assert crowd_note(both).startswith("2,003 points are shown as squares")


def test_a_panel_of_other_axes_keeps_its_dots_beside_a_crowd(figure_of: MakeFigure) -> None:
    many = tuple(float(k) for k in range(2_001))
    figure = figure_of(Points(many, many))
    (panel,) = figure.panels
    other = replace(panel, x=Axis("another"), marks=(Points((1.0, 2.0), (1.0, 2.0)),))

    assert to_svg(replace(figure, panels=(panel, other)), themed=True).count("<circle") == 2


def test_intervals_over_categories_are_drawn_for_phones_and_wider_for_screens(figure_of: MakeFigure) -> None:
    figure = figure_of(Intervals((0.1, 0.2), (0.3, 0.4), (0.0, 1.0)), y=Axis("", categories=("a", "b")))

    drawn = to_svg(figure, themed=True)

    found = re.findall(r'<svg class="panel ([a-z-]+)" style="--units:([0-9.]+)"', drawn)
    assert [kind for kind, _ in found] == ["small-screen", "large-screen"]
    narrow, wide = (float(units) for _, units in found)
    # The style sheet lets a unit grow to 1.35 pixels, and a rem is 16 of them.
    assert narrow * 0.8 <= 360
    assert wide * 1.35 == pytest.approx(46 * 16, abs=1)


def test_a_figure_saved_to_a_file_is_drawn_once(figure_of: MakeFigure) -> None:
    figure = figure_of(Intervals((0.1, 0.2), (0.3, 0.4), (0.0, 1.0)), y=Axis("", categories=("a", "b")))

    assert to_svg(figure, themed=False).count("<svg") == 1
