"""What the scores may be, from draws made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Intervals, Points
from steelyard.exhibits.score_posterior import FIGURE

Drawn = Callable[[np.ndarray], Evidence]
# The whole numbers from 0 to 100, so that each hundredth of them is a number.
HUNDRED = np.arange(101.0)


@pytest.fixture
def drawn(evidence: Evidence) -> Drawn:
    """Makes evidence with these draws of the scores of alpha, beta and gamma."""
    return lambda draws: replace(evidence, analysis=replace(evidence.analysis, draws=draws))


@pytest.fixture
def figure(drawn: Drawn, options: ExhibitOptions) -> Figure:
    """Draws of alpha are 0 to 100, of beta the same less 200, of gamma always -300."""
    draws = np.stack([HUNDRED, HUNDRED[::-1] - 200, np.full(101, -300.0)], axis=1)
    made = FIGURE.make([drawn(draws)], options)
    assert isinstance(made, Figure)
    return made


def marks_of(figure: Figure, kind: type) -> list[Intervals]:
    return [mark for mark in figure.panels[0].marks if isinstance(mark, kind)]


def test_bars_hold_half_and_nine_tenths_of_the_draws(figure: Figure) -> None:
    bars = {mark.series: mark for mark in marks_of(figure, Intervals)}

    assert bars["50 % of draws"].low == pytest.approx((25.0, -175.0, -300.0))
    assert bars["50 % of draws"].high == pytest.approx((75.0, -125.0, -300.0))
    assert bars["90 % of draws"].low == pytest.approx((5.0, -195.0, -300.0))
    assert bars["90 % of draws"].high == pytest.approx((95.0, -105.0, -300.0))


def test_the_short_bar_is_drawn_over_the_long_one(figure: Figure) -> None:
    assert [mark.series for mark in marks_of(figure, Intervals)] == ["90 % of draws", "50 % of draws"]


def test_points_are_the_scores_of_the_ranking_best_at_the_top(figure: Figure, evidence: Evidence) -> None:
    (panel,) = figure.panels
    (points,) = [mark for mark in panel.marks if isinstance(mark, Points)]

    assert points.x == tuple(evidence.analysis.systems["score"])
    assert points.y == (0.0, 1.0, 2.0)
    assert panel.y.categories == ("alpha", "beta", "gamma")


def test_the_table_has_median_and_deviation(figure: Figure) -> None:
    rows = figure.table.rows

    assert rows["median"].to_list() == pytest.approx([50.0, -150.0, -300.0])
    # The sample variance of 0, 1, ..., 100 is 101 * 102 / 12.
    assert rows["sd"].to_list() == pytest.approx([(101 * 102 / 12) ** 0.5] * 2 + [0.0])


def test_the_caption_says_on_how_many_draws_it_rests(figure: Figure) -> None:
    assert "101 draws" in figure.caption


def test_a_system_without_draws_keeps_its_row_and_has_no_bar(drawn: Drawn, options: ExhibitOptions) -> None:
    draws = np.stack([HUNDRED, np.full(101, np.nan), HUNDRED], axis=1)

    made = FIGURE.make([drawn(draws)], options)

    assert isinstance(made, Figure)
    assert [mark.at for mark in marks_of(made, Intervals)] == [(0.0, 2.0)] * 2
    assert made.table.rows["median"].to_list() == [50.0, None, 50.0]


def test_without_any_draw_of_a_score_there_is_nothing_to_show(drawn: Drawn, options: ExhibitOptions) -> None:
    with pytest.raises(NotEnoughData, match="nothing to show"):
        FIGURE.make([drawn(np.full((5, 3), np.nan))], options)


def test_without_draws_the_reader_is_told_which_method_has_them(
    evidence: Evidence, options: ExhibitOptions
) -> None:
    with pytest.raises(NotEnoughData, match=r"method=.worker-model"):
        FIGURE.make([evidence], options)
