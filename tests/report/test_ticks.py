"""Axes: round ticks inside the ends, values where they belong, labels that keep apart."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from steelyard.domain.exhibit import Axis, Bars, Cells, Line, Panel, Points, Rule
from steelyard.report.drawing.plot import lay_out_panel
from steelyard.report.drawing.scales import AxisScale, axis_scale_of
from steelyard.report.drawing.scene import FONT, SMALL
from steelyard.report.drawing.text_width import shorten, width, wrap
from steelyard.report.drawing.ticks import linear_ticks, logarithmic_ticks

finite = st.floats(-1e12, 1e12)


def is_round(step: float) -> bool:
    leading = step / 10 ** math.floor(math.log10(step) + 1e-9)
    return min(abs(leading - good) for good in (1, 2, 5, 10)) < 1e-6


@given(finite, st.floats(1e-3, 1e9), st.integers(3, 8))
def test_linear_ticks_are_round_evenly_spaced_and_inside(low: float, span: float, wanted: int) -> None:
    assume(span > 1e-6 * abs(low))
    high = low + span

    ticks = [tick.value for tick in linear_ticks(low, high, wanted=wanted)]

    assert 1 <= len(ticks) <= wanted + 1
    assert all(low <= tick <= high for tick in ticks)
    steps = [b - a for a, b in pairwise(ticks)]
    assert all(math.isclose(step, max(steps), rel_tol=1e-4) for step in steps)
    assert not steps or is_round(float(f"{max(steps):.3g}"))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(3, 8))
def test_labels_of_different_ticks_differ(low: float, span: float, wanted: int) -> None:
    assume(span > 1e-6 * abs(low))

    labels = [tick.label for tick in linear_ticks(low, low + span, wanted=wanted)]

    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    ("low", "high", "wanted", "labels"),
    [
        (0.0, 100.0, 5, ["0", "20", "40", "60", "80", "100"]),
        (-0.3, 0.3, 4, ["−0.2", "0.0", "0.2"]),
        (2013, 2022, 5, ["2014", "2016", "2018", "2020", "2022"]),
        (0, 40_000, 4, ["0", "10,000", "20,000", "30,000", "40,000"]),
        (0, 4e9, 4, ["0", "1×10⁹", "2×10⁹", "3×10⁹", "4×10⁹"]),
        (0, 2e-7, 2, ["0", "1×10⁻⁷", "2×10⁻⁷"]),
    ],
)
def test_linear_labels_have_the_digits_they_need(
    low: float, high: float, wanted: int, labels: list[str]
) -> None:
    assert [tick.label for tick in linear_ticks(low, high, wanted=wanted)] == labels


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (1e-12, 1.0, ["10⁻¹⁰", "10⁻⁵", "10⁰"]),
        (0.1, 1000.0, ["0.1", "1", "10", "100", "1,000"]),
        (3.0, 30.0, ["5", "10", "20"]),
        (0.02, 0.07, ["0.02", "0.05"]),
    ],
)
def test_logarithmic_ticks_are_powers_of_ten_or_twos_and_fives(
    low: float, high: float, labels: list[str]
) -> None:
    found = [tick.label for tick in logarithmic_ticks(low, high, wanted=4)]

    assert found == [label.replace("1,000", "1000") for label in labels]


@given(st.floats(1e-200, 1e200), st.floats(1.01, 1e80), st.integers(3, 7))
def test_logarithmic_ticks_lie_inside(low: float, ratio: float, wanted: int) -> None:
    ticks = logarithmic_ticks(low, low * ratio, wanted=wanted)

    assert ticks
    assert all(low <= tick.value <= low * ratio for tick in ticks)
    assert len({tick.label for tick in ticks}) == len(ticks)


@given(st.lists(st.one_of(st.none(), st.floats()), max_size=30))
def test_an_axis_holds_all_finite_values_whatever_it_is_given(values: list[float | None]) -> None:
    axis = axis_scale_of(Panel(Axis("x"), Axis("y"), (Points(tuple(values), tuple(values)),)), "x")

    assert axis.low < axis.high
    known = [value for value in values if value is not None and math.isfinite(value)]
    assume(all(abs(value) < 1e300 for value in known))
    assert all(-1e-9 <= axis.share(value) <= 1 + 1e-9 for value in known)


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20))
def test_a_logarithmic_axis_leaves_out_what_is_not_positive(values: list[float]) -> None:
    panel = Panel(Axis("x", logarithmic=True), Axis("y"), (Points(tuple(values), tuple(values)),))

    axis = axis_scale_of(panel, "x")

    assert 0 < axis.low < axis.high
    assert all(math.isnan(axis.share(value)) for value in values if value <= 0)


def test_given_ends_are_kept_exactly() -> None:
    axis = axis_scale_of(Panel(Axis("x", 0, 100), Axis("y"), (Points((-5.0, 300.0), (1.0, 2.0)),)), "x")

    assert (axis.low, axis.high) == (0.0, 100.0)


def test_histograms_stand_on_zero() -> None:
    axis = axis_scale_of(Panel(Axis("x"), Axis("y"), (Bars((0.0,), (1.0,), (5.0,)),)), "y")

    assert axis.low == 0.0


def test_counts_do_not_get_an_axis_below_zero() -> None:
    panel = Panel(Axis("x"), Axis("y"), (Points((0.0, 9.0), (0.0, 9.0)),))

    assert axis_scale_of(panel, "y").low == 0.0


def test_a_rule_is_never_off_the_axis() -> None:
    panel = Panel(Axis("x"), Axis("y"), (Points((1.0, 2.0), (1.0, 2.0)), Rule("y", 9.0)))

    assert axis_scale_of(panel, "y").high >= 9.0


def test_an_axis_without_data_or_ends_marks_nothing() -> None:
    axis = axis_scale_of(Panel(Axis("x"), Axis("y"), (Points((), ()),)), "x")

    assert axis.is_empty
    assert axis.ticks(wanted=5) == ()


def test_categories_lie_at_their_places() -> None:
    axis = AxisScale(-0.5, 2.5, categories=("a", "b", "c"))

    assert axis.share([0, 1, 2]).tolist() == pytest.approx([1 / 6, 1 / 2, 5 / 6])


@given(st.lists(st.floats(), max_size=10), st.booleans())
def test_any_numbers_can_be_laid_out(values: list[float], logarithmic: bool) -> None:
    axis = Axis("x", logarithmic=logarithmic)

    plot = lay_out_panel(Panel(axis, axis, (Points(tuple(values), tuple(values)),)))

    assert math.isfinite(plot.width + plot.height)


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.booleans())
def test_numbers_below_the_plot_keep_apart_and_on_the_sheet(low: float, span: float, is_line: bool) -> None:
    assume(span > 1e-6 * abs(low))
    values = (low, low + span)
    mark = Line(values, values) if is_line else Points(values, values)

    plot = lay_out_panel(Panel(Axis("x"), Axis("y"), (mark,)))

    ends = []
    for label in plot.x_labels:
        half = width(label.lines[0], FONT) / 2
        ends.append((plot.across(label.value) - half, plot.across(label.value) + half))
    assert all(before[1] < after[0] for before, after in pairwise(ends))
    assert all(left >= 0 and right <= plot.width for left, right in ends)
    assert all(width(label.lines[0], plot.label_size) <= plot.box.left for label in plot.y_labels)


names = st.lists(st.text(alphabet="abcdefgh WMO-_翻é", min_size=1, max_size=60), min_size=1, max_size=40)


@given(names)
def test_names_beside_the_plot_stay_on_the_sheet(categories: list[str]) -> None:
    plot = lay_out_panel(Panel(Axis("x"), Axis("", categories=tuple(categories)), ()))

    room = plot.box.left
    assert all(width(line, plot.label_size) <= room for label in plot.y_labels for line in label.lines)
    assert plot.width == 400


@given(names, st.booleans())
def test_names_below_the_plot_stay_on_the_sheet(categories: list[str], has_cells: bool) -> None:
    marks = (Cells(((0.1,) * len(categories),), (("",) * len(categories),), 0, 1),) if has_cells else ()

    plot = lay_out_panel(Panel(Axis("", categories=tuple(categories)), Axis("", categories=("a",)), marks))

    for label in plot.x_labels:
        x = plot.across(label.value)
        if plot.is_slanted:
            assert x + 4 - width(label.lines[0], SMALL) * math.sqrt(0.5) >= 0
            assert plot.box.bottom + 12 + width(label.lines[0], SMALL) * math.sqrt(0.5) <= plot.height
        else:
            half = max((width(line, FONT) for line in label.lines), default=0.0) / 2
            assert x - half >= 0
            assert x + half <= plot.width


@pytest.mark.parametrize(("n_systems", "longest"), [(3, 60), (15, 60), (50, 25)])
def test_names_of_a_grid_are_whole_as_long_as_a_page_has_room(n_systems: int, longest: int) -> None:
    names = tuple(f"{k:x>{longest}}" for k in range(n_systems))
    row = (0.1,) * n_systems

    plot = lay_out_panel(
        Panel(
            Axis("", categories=names),
            Axis("", categories=names),
            (Cells((row,) * n_systems, (("",) * n_systems,) * n_systems, 0, 1),),
        )
    )

    shown = [" ".join(label.lines) for label in (*plot.x_labels, *plot.y_labels)]
    assert shown == [*names, *names]
    assert plot.width <= 1000


def test_a_name_that_was_cut_is_known_in_full() -> None:
    long = "a-very-long-name-" * 12

    plot = lay_out_panel(Panel(Axis("x"), Axis("", categories=(long, "short")), ()))

    assert [label.whole for label in plot.y_labels] == [long, ""]


@given(st.text(max_size=80), st.floats(20, 300))
def test_shortened_text_fits(text: str, room: float) -> None:
    assert width(shorten(text, FONT, room), FONT) <= max(room, width("W…", FONT) + FONT)


@given(st.text(alphabet="abc DEF-_/", max_size=120), st.floats(60, 300), st.integers(1, 3))
def test_wrapped_text_fits_and_keeps_its_beginning(text: str, room: float, lines: int) -> None:
    wrapped = wrap(text, FONT, room, lines=lines)

    assert len(wrapped) <= lines
    assert all(width(line, FONT) <= room for line in wrapped)
    if wrapped:
        assert text.strip().startswith(wrapped[0].split("…")[0].strip()[:3])


def test_shortened_names_keep_both_ends() -> None:
    shortened = shorten("CUNI-Transformer-2018", FONT, 90)

    assert shortened.startswith("CUNI")
    assert shortened.endswith("18")
    assert "…" in shortened
