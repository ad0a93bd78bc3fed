"""The probabilities of ranks, as a table and as a grid, from draws made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Cells, Evidence, ExhibitOptions, Figure, Table
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits.rank_probabilities import FIGURE, TABLE

Drawn = Callable[[list[list[float]]], Evidence]
# Ranks in the four draws: alpha 1 1 2 1, beta 2 2 1 3, gamma 3 3 3 2.
DRAWS = [[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]]


@pytest.fixture
def drawn(evidence: Evidence) -> Drawn:
    """Makes evidence with these draws of the scores; systems are named s0, s1, ... if they are not three."""

    def make(draws: list[list[float]]) -> Evidence:
        analysis = replace(evidence.analysis, draws=np.array(draws))
        if len(draws[0]) != 3:
            names = [f"s{k}" for k in range(len(draws[0]))]
            row = analysis.systems.head(1).drop("system_id")
            systems = pl.concat([row.with_columns(system_id=pl.lit(name)) for name in names])
            analysis = replace(analysis, systems=systems.select(analysis.systems.columns))
        return replace(evidence, analysis=analysis)

    return make


def table_of(source: Evidence, options: ExhibitOptions) -> Table:
    made = TABLE.make([source], options)
    assert isinstance(made, Table)
    return made


def cells_of(source: Evidence, options: ExhibitOptions) -> Cells:
    made = FIGURE.make([source], options)
    assert isinstance(made, Figure)
    (panel,) = made.panels
    (cells,) = panel.marks
    assert isinstance(cells, Cells)
    return cells


def test_shares_of_draws_are_probabilities(drawn: Drawn, options: ExhibitOptions) -> None:
    rows = table_of(drawn(DRAWS), options).rows

    assert rows["system_id"].to_list() == ["alpha", "beta", "gamma"]
    assert rows["best"].to_list() == [0.75, 0.25, 0.0]
    assert rows["rank_1"].to_list() == [0.75, 0.25, 0.0]
    assert rows["rank_2"].to_list() == [0.25, 0.5, 0.25]
    assert rows["rank_3"].to_list() == [0.0, 0.25, 0.75]


def test_an_expected_rank_is_the_mean_of_ranks(drawn: Drawn, options: ExhibitOptions) -> None:
    # (1 + 1 + 2 + 1) / 4, (2 + 2 + 1 + 3) / 4, (3 + 3 + 3 + 2) / 4.
    assert table_of(drawn(DRAWS), options).rows["expected_rank"].to_list() == [1.25, 2.0, 2.75]


def test_equal_scores_share_their_ranks(drawn: Drawn, options: ExhibitOptions) -> None:
    rows = table_of(drawn([[1.0, 1.0, 1.0]]), options).rows

    assert rows["expected_rank"].to_list() == pytest.approx([2.0] * 3)
    assert rows["best"].to_list() == pytest.approx([1 / 3] * 3)


def test_the_table_says_on_how_many_draws_it_rests(drawn: Drawn, options: ExhibitOptions) -> None:
    assert table_of(drawn(DRAWS), options).notes == ("From 4 draws of what the scores may be.",)


def test_cells_are_systems_by_ranks_in_per_cent(drawn: Drawn, options: ExhibitOptions) -> None:
    cells = cells_of(drawn(DRAWS), options)

    assert cells.texts == (("75", "25", ""), ("25", "50", "25"), ("", "25", "75"))
    assert cells.values == ((0.75, 0.25, None), (0.25, 0.5, 0.25), (None, 0.25, 0.75))


def test_first_ranks_are_at_the_left_and_best_systems_at_the_top(
    drawn: Drawn, options: ExhibitOptions
) -> None:
    (panel,) = FIGURE.make([drawn(DRAWS)], options).panels

    assert panel.x.categories == ("1", "2", "3")
    assert panel.y.categories == ("alpha", "beta", "gamma")


def test_the_strongest_shade_is_certainty(drawn: Drawn, options: ExhibitOptions) -> None:
    cells = cells_of(drawn(DRAWS), options)

    assert (cells.low, cells.high) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("n_swapped", "texts"),
    [
        # Of a thousand draws: none; .4 %, which would be written as 0; .5 %; and .6 %.
        (0, ("100", "")),
        (4, (">99", "")),
        (5, (">99", "1")),
        (6, ("99", "1")),
    ],
)
def test_what_is_tiny_is_blank_and_what_is_not_certain_does_not_look_so(
    drawn: Drawn, options: ExhibitOptions, n_swapped: int, texts: tuple[str, str]
) -> None:
    draws = [[2.0, 1.0]] * (1000 - n_swapped) + [[1.0, 2.0]] * n_swapped

    assert cells_of(drawn(draws), options).texts[0] == texts


def test_with_fifty_systems_every_fifth_rank_is_named(drawn: Drawn, options: ExhibitOptions) -> None:
    source = drawn([[float(-k) for k in range(50)]])

    (panel,) = FIGURE.make([source], options).panels

    named = [name for name in panel.x.categories if name]
    assert len(panel.x.categories) == 50
    assert named == ["1", "5", "10", "15", "20", "25", "30", "35", "40", "45", "50"]


def test_probabilities_spread_over_many_ranks_are_shaded_all_the_same(
    drawn: Drawn, options: ExhibitOptions
) -> None:
    # Thirty systems that take turns: each has every rank once in thirty draws.
    draws = [[float((k + turn) % 30) for k in range(30)] for turn in range(30)]

    assert cells_of(drawn(draws), options).low == pytest.approx(1 / 30)


@pytest.mark.parametrize("exhibit", [TABLE, FIGURE])
def test_without_draws_the_reader_is_told_which_method_has_them(
    evidence: Evidence, options: ExhibitOptions, exhibit: Exhibit
) -> None:
    with pytest.raises(NotEnoughData, match=r"mean-z gives every system one score.*method=.worker-model"):
        exhibit.make([evidence], options)


def test_draws_without_a_score_of_every_system_have_no_order(drawn: Drawn, options: ExhibitOptions) -> None:
    with pytest.raises(NotEnoughData, match="cannot all be put in order"):
        TABLE.make([drawn([[1.0, float("nan"), 2.0]])], options)


def test_the_rank_of_a_single_system_is_no_question(drawn: Drawn, options: ExhibitOptions) -> None:
    with pytest.raises(NotEnoughData, match="only one system"):
        FIGURE.make([drawn([[1.0], [2.0]])], options)
