"""The table and the figure of change over years."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.cells import CellMetric, FourCells, cell_systems
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Line, Points, Table
from steelyard.exhibits import figures, tables
from steelyard.report.figure_file import write_figure
from steelyard.report.tables import table_latex, table_text

Weighed = Callable[..., Evidence]
Years = Callable[..., Evidence]
NAMES = ("CURR-07", "CURR-12", "BEST-07", "BEST-12")
OPTIONS = ExhibitOptions(draws=40)
EVERYONE: dict[str, Any] = {"check": "none"}


@pytest.fixture(scope="session")
def years(ratings: Callable[..., pl.DataFrame], weighed: Weighed) -> Years:
    """Makes evidence with about these cell means in fluency and adequacy, under a pair's name."""

    def make(pair: str, fluency: tuple[float, ...], adequacy: tuple[float, ...] | None = None) -> Evidence:
        rng = np.random.default_rng(3)
        means = {"fluency": fluency} | ({"adequacy": adequacy} if adequacy else {})
        rows = [
            (f"w{w}", f"h{w}", "regular", f"s{s}", name, mean + rng.normal(0, 6), attribute)
            for attribute, cells in means.items()
            for w in range(6)
            for name, mean in zip(NAMES, cells, strict=True)
            for s in range(10)
        ]
        return weighed(ratings(rows), title=pair, **EVERYONE)

    return make


@pytest.fixture(scope="module")
def two_pairs(years: Years) -> list[Evidence]:
    return [
        years("de-en", (65, 45, 50, 55), (64, 52, 46, 49)),
        years("cs-en", (45, 65, 41, 41), (62, 47, 42, 41)),
    ]


@pytest.fixture(scope="module")
def table(two_pairs: list[Evidence]) -> Table:
    made = tables()["longitudinal"].make(two_pairs, OPTIONS)
    assert isinstance(made, Table)
    return made


@pytest.fixture(scope="module")
def figure(two_pairs: list[Evidence]) -> Figure:
    made = figures()["longitudinal"].make(two_pairs, OPTIONS)
    assert isinstance(made, Figure)
    return made


def row_of(table: Table, source: str, measure: str, scale: str = "points") -> dict[str, Any]:
    return table.rows.row(
        by_predicate=(pl.col("source") == source)
        & (pl.col("measure") == measure)
        & (pl.col("scale") == scale),
        named=True,
    )


def test_pairs_stand_one_after_the_other_and_all_of_them_last(table: Table) -> None:
    assert table.rows["source"].unique(maintain_order=True).to_list() == ["de-en", "cs-en", "all pairs"]
    assert table.rows["measure"].to_list() == ["fluency", "fluency", "adequacy", "adequacy", "F1"] * 3
    assert table.borders == (5, 10)


def test_headings_have_the_years_that_names_of_systems_tell(table: Table) -> None:
    titles = [column.title for column in table.columns]

    assert titles[3:8] == ["CURR 07", "*", "CURR 12", "*", "Delta"]
    assert ("n", "BEST 12") in [(column.group, column.title) for column in table.columns]


def test_stars_stand_on_the_larger_of_two_cells(table: Table) -> None:
    falling, rising = row_of(table, "de-en", "fluency"), row_of(table, "cs-en", "fluency")

    assert (falling["curr_old_stars"], falling["curr_new_stars"]) == ("***", "")
    assert (rising["curr_old_stars"], rising["curr_new_stars"]) == ("", "***")


def test_equal_cells_f1_and_means_over_pairs_have_no_stars(table: Table) -> None:
    stars = ["curr_old_stars", "curr_new_stars", "best_old_stars", "best_new_stars"]

    assert [row_of(table, "cs-en", "fluency")[name] for name in stars[2:]] == ["", ""]
    assert {row_of(table, "de-en", "F1")[name] for name in stars} == {""}
    assert {row_of(table, "all pairs", "fluency")[name] for name in stars} == {""}


def test_the_row_over_all_is_the_mean_of_the_pairs(table: Table) -> None:
    gains = [row_of(table, pair, "adequacy")["gain"] for pair in ("de-en", "cs-en")]

    assert row_of(table, "all pairs", "adequacy")["gain"] == pytest.approx(sum(gains) / 2)


def test_the_table_is_written_as_text_and_latex(table: Table) -> None:
    assert "Gain = Change + Delta" in " ".join(table_text(table).split())
    assert "cs-en" in table_latex(table)


def test_one_attribute_leaves_out_what_is_unknown(years: Years) -> None:
    made = tables()["longitudinal"].make([years("fr-en", (65, 58, 53, 55))], OPTIONS)

    assert isinstance(made, Table)
    assert made.rows["measure"].to_list() == ["fluency", "fluency"]
    assert made.title == "Change over years: fr-en"


def test_metrics_are_shown_beside_people(years: Years) -> None:
    scores = (CellMetric("fr-en", "BLEU", FourCells(38.3, 26.5, 21.1, 23.8)),)

    made = tables()["longitudinal"].make(
        [years("fr-en", (65, 58, 53, 55))], replace(OPTIONS, cell_metrics=scores)
    )

    assert isinstance(made, Table)
    assert row_of(made, "fr-en", "BLEU", "metric")["gain"] == pytest.approx(14.5)


def test_a_figure_has_a_point_for_each_measure_of_each_pair(figure: Figure, table: Table) -> None:
    (panel,) = figure.panels
    points = {mark.series: mark for mark in panel.marks if isinstance(mark, Points) and mark.series}

    assert list(points) == ["fluency", "adequacy", "F1"]
    for measure, mark in points.items():
        rows = [row_of(table, pair, measure) for pair in ("de-en", "cs-en")]
        assert mark.x == pytest.approx([row["best_new"] - row["best_old"] for row in rows])
        assert mark.y == pytest.approx([row["curr_old"] - row["curr_new"] for row in rows])
    assert points["fluency"].labels == ("de-en, fluency", "cs-en, fluency")


def test_each_pair_is_named_once_beside_its_point_furthest_to_the_right(figure: Figure, table: Table) -> None:
    (names,) = [
        mark for mark in figure.panels[0].marks if isinstance(mark, Points) and "de-en" in mark.labels
    ]

    shown = {label: x for label, x in zip(names.labels, names.x, strict=True) if label}
    measures = ("fluency", "adequacy", "F1")
    assert shown == {
        pair: max(row_of(table, pair, measure)["change"] for measure in measures)
        for pair in ("de-en", "cs-en")
    }
    assert names.named


def test_faint_lines_join_equal_gains_and_are_labelled_by_them(figure: Figure) -> None:
    (panel,) = figure.panels
    lines = [mark for mark in panel.marks if isinstance(mark, Line) and mark.tone == "faint"]
    ends = [mark for mark in panel.marks if isinstance(mark, Points) and mark.labels[0].startswith("gain")]

    assert len(lines) == len(ends) >= 4
    for line, end in zip(lines, ends, strict=True):
        gains = {round(x + y, 9) for x, y in zip(line.x, line.y, strict=True)}
        assert len(gains) == 1
        assert end.labels == (f"gain {gains.pop():g}".replace("-", "−"),)
        assert (end.x[0], end.y[0]) == (line.x[0], line.y[0])


def test_both_axes_are_equally_long_and_have_0(figure: Figure) -> None:
    (panel,) = figure.panels
    ends = [(axis.low, axis.high) for axis in (panel.x, panel.y)]

    assert all(low is not None and high is not None and low < 0 < high for low, high in ends)
    (x_low, x_high), (y_low, y_high) = ends
    assert x_high - x_low == pytest.approx(y_high - y_low)  # type: ignore[operator]


def test_a_pair_with_one_attribute_has_one_point_and_no_line_through_it(years: Years) -> None:
    made = figures()["longitudinal"].make([years("fr-en", (65, 58, 53, 55))], OPTIONS)

    assert isinstance(made, Figure)
    marks = made.panels[0].marks
    assert [mark.series for mark in marks if isinstance(mark, Points) and mark.series] == ["fluency"]
    assert {mark.tone for mark in marks if isinstance(mark, Line)} == {"faint"}


def test_a_study_without_any_change_can_be_drawn(years: Years, tmp_path: Path) -> None:
    source = years("fr-en", (50, 50, 50, 50))
    level = replace(source, judged=source.frame.with_columns(rating=pl.lit(50.0)), keeps=source.keeps)

    made = figures()["longitudinal"].make([level], OPTIONS)

    assert isinstance(made, Figure)
    write_figure(made, tmp_path / "level.svg")
    assert made.table.rows["gain"].to_list() == [0.0]


def test_cells_may_be_named_by_the_reader(evidence: Evidence) -> None:
    cells = cell_systems("curr_old=alpha,curr_new=beta,best_old=alpha,best_new=gamma")

    made = tables()["longitudinal"].make([evidence], replace(OPTIONS, cells=cells))

    assert isinstance(made, Table)
    # 75 - 60 + 45 - 75, as the toy crowd sees its systems.
    assert made.rows["gain"][0] == pytest.approx(-15.0, abs=5.0)


@pytest.mark.parametrize("exhibits", [tables, figures])
def test_systems_that_are_no_cells_are_refused_with_the_option_to_use(
    exhibits: Callable[[], dict[str, Any]], evidence: Evidence
) -> None:
    with pytest.raises(NotEnoughData, match=r"^Toy: .*Systems found: alpha, beta, gamma\. .*cells="):
        exhibits()["longitudinal"].make([evidence], OPTIONS)
