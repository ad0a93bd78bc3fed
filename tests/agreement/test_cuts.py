"""Where ratings and z are cut into categories."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.agreement.cuts import Cut, rating_cuts, z_cuts
from steelyard.domain.scale import VAS, Scale

LINE = np.arange(0.0, 101.0)
WANTED = (5, 4, 2)


def sizes(cuts: list[Cut]) -> list[int]:
    return [cut.n_categories for cut in cuts]


def test_a_line_is_cut_into_equal_widths() -> None:
    cuts = rating_cuts(LINE, scale=VAS, wanted=WANTED)

    assert sizes(cuts) == [5, 4, 2]
    assert cuts[1].place(np.array([0.0, 24.0, 25.0, 75.0, 100.0])).tolist() == [1, 1, 2, 4, 4]


@pytest.mark.parametrize("used", [[1, 2, 3, 4, 5], [2, 4], [3], []])
def test_points_of_a_short_scale_are_categories_whether_used_or_not(used: list[float]) -> None:
    cuts = rating_cuts(np.array(used, dtype=np.float64), scale=Scale(1.0, 5.0), wanted=WANTED)

    assert sizes(cuts) == [5, 4, 2]
    assert cuts[0].place(np.array([1.0, 2.0, 3.0, 4.0, 5.0])).tolist() == [1, 2, 3, 4, 5]


def test_a_scale_of_four_points_is_not_cut_into_five() -> None:
    cuts = rating_cuts(np.array([1.0, 2.0, 3.0, 4.0]), scale=Scale(1.0, 4.0), wanted=WANTED)

    assert sizes(cuts) == [4, 2]
    assert cuts[1].place(np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [1, 1, 2, 2]


def test_all_points_come_before_the_wanted_cuts_that_are_coarser() -> None:
    cuts = rating_cuts(np.array([0.0, 6.0]), scale=Scale(0.0, 6.0), wanted=WANTED)

    assert sizes(cuts) == [7, 5, 4, 2]
    assert cuts[0].place(np.array([0.0, 1.0, 6.0])).tolist() == [1, 2, 7]


def test_few_values_among_many_ratings_are_points_even_on_a_line() -> None:
    rating = np.tile([1.0, 2.0, 3.0, 4.0, 5.0], 20)

    cuts = rating_cuts(rating, scale=VAS, wanted=WANTED)

    # Cut by width all of them would agree, for 1 to 5 lie in the lowest fifth of a line to 100.
    assert sizes(cuts) == [5, 4, 2]
    assert cuts[0].place(rating[:5]).tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("n_workers", "is_short"), [(4, False), (5, True)])
def test_few_values_on_a_line_are_points_only_if_enough_workers_say_so(
    n_workers: int, is_short: bool
) -> None:
    rating = np.tile([1.0, 2.0, 3.0, 4.0, 5.0], 20)

    cut = rating_cuts(rating, scale=VAS, wanted=WANTED, n_workers=n_workers)[0]

    assert cut.place(rating[:5]).tolist() == ([1, 2, 3, 4, 5] if is_short else [1, 1, 1, 1, 1])


def test_a_crowd_that_clicks_at_the_ends_of_a_line_leaves_it_a_line() -> None:
    cuts = rating_cuts(np.tile([0.0, 100.0], 500), scale=VAS, wanted=WANTED, n_workers=50)

    # As two points of a scale they would be two categories and nothing else.
    assert sizes(cuts) == [5, 4, 2]


def test_a_scale_from_nought_to_ten_has_eleven_points() -> None:
    cuts = rating_cuts(np.array([0.0, 3.0, 10.0]), scale=Scale(0.0, 10.0), wanted=WANTED)

    assert sizes(cuts) == [11, 5, 4, 2]
    assert cuts[0].place(np.array([0.0, 3.0, 10.0])).tolist() == [1, 4, 11]


def test_a_short_line_without_steps_is_cut_by_width() -> None:
    cuts = rating_cuts(np.linspace(0.0, 1.0, 200), scale=Scale(0.0, 1.0), wanted=WANTED)

    assert sizes(cuts) == [5, 4, 2]


def test_few_values_among_few_ratings_are_an_accident() -> None:
    rating = np.array([10.0, 55.0, 80.0])

    cuts = rating_cuts(rating, scale=VAS, wanted=WANTED)

    assert sizes(cuts) == [5, 4, 2]
    assert cuts[0].place(rating).tolist() == [1, 3, 5]


def test_eleven_values_are_a_line() -> None:
    rating = np.tile(np.arange(0.0, 101.0, 10.0), 20)

    assert sizes(rating_cuts(rating, scale=VAS, wanted=WANTED)) == [5, 4, 2]


def test_half_points_make_a_short_scale_a_line() -> None:
    rating = np.tile(np.arange(1.0, 5.1, 0.25), 20)

    assert sizes(rating_cuts(rating, scale=Scale(1.0, 5.0), wanted=(5, 2))) == [5, 2]
    assert rating_cuts(rating, scale=Scale(1.0, 5.0), wanted=(2,))[0].place(
        np.array([2.75, 3.0])
    ).tolist() == [1, 2]


def test_one_value_among_many_ratings_is_no_scale_of_one_point() -> None:
    assert sizes(rating_cuts(np.full(200, 50.0), scale=VAS, wanted=WANTED)) == [5, 4, 2]


def test_z_is_cut_at_the_percentiles_of_those_that_are_known() -> None:
    z = np.array([np.nan, -1.0, 0.0, 1.0, 2.0, np.nan])

    (cut,) = z_cuts(z, wanted=(2,))

    # The median of -1, 0, 1, 2 is 0.5.
    assert cut.place(np.array([-1.0, 0.0, 0.5, 1.0])).tolist() == [1, 1, 1, 2]


def test_z_that_differ_by_rounding_fall_together() -> None:
    third = 1 / 3
    z = np.array([third, third + 1e-16, np.nextafter(third, 1), 5.0, -5.0])

    (cut,) = z_cuts(z, wanted=(2,))

    assert len(set(cut.place(z[:3]).tolist())) == 1


def test_nothing_known_can_still_be_asked() -> None:
    (cut,) = z_cuts(np.array([np.nan]), wanted=(3,))

    assert cut.place(np.empty(0)).tolist() == []
