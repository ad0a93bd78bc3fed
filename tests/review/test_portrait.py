from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.scale import VAS, Scale
from steelyard.review.portrait import Manner, portrait, portraits

LIKERT = Scale(1.0, 5.0)
NEITHER = "neither harsh nor generous"
USUAL = "uses the scale as most do"


def test_a_generous_worker_who_uses_half_the_scale_is_told_in_one_sentence() -> None:
    manner = Manner(offset=9.0, slope=0.5, weight=0.4, offset_sd=1.0, slope_sd=0.1)

    assert portrait(manner) == (
        "generous by 9 points, uses half the scale, as reliable as 0.4 of an average worker"
    )


@pytest.mark.parametrize(
    ("offset", "sd", "told"),
    [
        (9.4, 2.0, "generous by 9 points"),
        (-9.6, 2.0, "harsh by 10 points"),
        (2.0, 0.1, "generous by 2 points"),
        (2.0, None, "generous by 2 points"),
        # Below 2 points of 100, however sure.
        (1.99, 0.1, NEITHER),
        # 10 is exactly two deviations of 5 from 0, and 10.1 more than that.
        (10.0, 5.0, NEITHER),
        (-10.1, 5.0, "harsh by 10 points"),
        (0.0, None, NEITHER),
    ],
)
def test_an_offset_is_told_only_where_it_is_large_and_sure(
    offset: float, sd: float | None, told: str
) -> None:
    assert portrait(Manner(offset=offset, offset_sd=sd)) == told


@pytest.mark.parametrize(
    ("scale", "offset", "told"),
    [
        # 2 % of a scale 4 points wide are .08 points.
        (LIKERT, 0.4, "generous by 0.4 points"),
        (LIKERT, 0.07, NEITHER),
        (Scale(0.0, 1.0), -0.03, "harsh by 0.03 points"),
        (Scale(0.0, 50.0), 1.2, "generous by 1 point"),
    ],
)
def test_points_are_those_of_the_scale(scale: Scale, offset: float, told: str) -> None:
    assert portrait(Manner(offset=offset), scale=scale) == told


@pytest.mark.parametrize(
    ("slope", "told"),
    [
        (-0.5, "uses the scale backwards"),
        (0.01, "uses hardly any of the scale"),
        (0.1, "uses a tenth of the scale"),
        (0.25, "uses a quarter of the scale"),
        (0.5, "uses half the scale"),
        (0.75, "uses three quarters of the scale"),
        (0.9, USUAL),
        (1.1, USUAL),
        (1.5, "stretches the scale one and a half times"),
        (2.1, "stretches the scale 2 times"),
    ],
)
def test_a_slope_has_a_name_that_people_use(slope: float, told: str) -> None:
    assert portrait(Manner(slope=slope)) == told


@pytest.mark.parametrize(
    ("slope", "sd", "told"),
    [
        # .5 is two deviations of .25 below 1.
        (0.5, 0.25, USUAL),
        (0.5, 0.24, "uses half the scale"),
        (-0.2, 0.2, "uses hardly any of the scale"),
        (-0.5, 0.2, "uses the scale backwards"),
    ],
)
def test_a_slope_that_may_be_chance_is_not_held_against_anybody(slope: float, sd: float, told: str) -> None:
    assert portrait(Manner(slope=slope, slope_sd=sd)) == told


def test_a_slope_that_was_not_learnt_is_not_spoken_of() -> None:
    assert portrait(Manner(offset=5.0, slope=1.0, slope_sd=0.0)) == "generous by 5 points"


@pytest.mark.parametrize(
    ("weight", "told"),
    [
        (0.0, "adds next to nothing"),
        (0.04, "adds next to nothing"),
        (0.4, "as reliable as 0.4 of an average worker"),
        (1.0, "as reliable as the average worker"),
        (1.04, "as reliable as the average worker"),
        (2.1, "as reliable as 2.1 average workers"),
    ],
)
def test_a_weight_counts_average_workers(weight: float, told: str) -> None:
    assert portrait(Manner(weight=weight)) == told


def test_of_a_worker_of_whom_nothing_is_known_nothing_is_told() -> None:
    assert portrait(Manner()) is None


def test_a_frame_of_workers_has_a_portrait_for_each_and_null_where_nothing_is_known() -> None:
    workers = pl.DataFrame(
        {
            "worker_id": ["a", "b", "c"],
            "offset": [9.0, None, float("nan")],
            "slope": [0.5, None, float("nan")],
            "weight": [0.4, None, float("nan")],
            "offset_sd": [1.0, None, None],
            "slope_sd": [0.1, None, None],
        }
    )

    told = portraits(workers)

    assert told.name == "portrait"
    assert told.dtype == pl.String
    assert told.to_list() == [
        "generous by 9 points, uses half the scale, as reliable as 0.4 of an average worker",
        None,
        None,
    ]


def test_a_method_that_does_not_know_how_sure_it_is_has_portraits_too() -> None:
    workers = pl.DataFrame({"offset": [-5.0], "slope": [None], "weight": [1.0]})

    assert portraits(workers).to_list() == ["harsh by 5 points, as reliable as the average worker"]


def test_the_scale_of_the_frame_is_the_one_given() -> None:
    workers = pl.DataFrame({"offset": [0.4], "slope": [None], "weight": [None]})

    assert portraits(workers, scale=LIKERT).to_list() == ["generous by 0.4 points"]
    assert portraits(workers, scale=VAS).to_list() == [NEITHER]


@given(
    offset=st.floats(-100, 100),
    slope=st.floats(0.001, 5),
    sd=st.floats(0.001, 10),
)
def test_harsh_and_generous_are_opposites_and_nothing_else_changes(
    offset: float, slope: float, sd: float
) -> None:
    above = portrait(Manner(offset=offset, slope=slope, offset_sd=sd, slope_sd=sd)) or ""
    below = portrait(Manner(offset=-offset, slope=slope, offset_sd=sd, slope_sd=sd)) or ""

    if above.startswith(NEITHER):
        assert below == above
    else:
        swapped = {"generous": "harsh", "harsh": "generous"}
        first, _, rest = above.partition(" ")
        assert below == f"{swapped[first]} {rest}"


@pytest.mark.parametrize(
    ("slope", "words"),
    [
        (0.05, "hardly tells systems apart"),
        (0.5, "tells systems apart 0.5 times as clearly as most"),
        (1.0, "tells systems apart as clearly as most"),
        (None, None),
    ],
)
def test_slopes_of_comparisons_have_words_of_their_own(slope: float | None, words: str | None) -> None:
    workers = pl.DataFrame({"slope": [slope]}, schema={"slope": pl.Float64})

    assert portraits(workers, compares=True).to_list() == [words]
