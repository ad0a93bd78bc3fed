from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Cells, Evidence, ExhibitOptions
from steelyard.exhibits.significance import FIGURE, TABLE

Weighed = Callable[..., Evidence]


@pytest.fixture
def three(evidence: Evidence) -> Evidence:
    """Three systems, best first, whose p-values are known; beta and gamma could not be compared."""
    p_values = {
        ("alpha", "beta"): 0.03,
        ("alpha", "gamma"): 0.0004,
        ("beta", "alpha"): 0.97,
        ("gamma", "alpha"): 0.9996,
        ("beta", "gamma"): None,
        ("gamma", "beta"): None,
    }
    pairs = pl.DataFrame(
        [(better, worse, p_value) for (better, worse), p_value in p_values.items()],
        schema={"better": pl.String, "worse": pl.String, "p_value": pl.Float64},
        orient="row",
    )
    return replace(evidence, analysis=replace(evidence.analysis, pairs=pairs))


def test_the_row_is_better_than_the_column(three: Evidence, options: ExhibitOptions) -> None:
    table = TABLE.make([three], options)

    assert [column.title for column in table.columns] == ["System", "alpha", "beta", "gamma"]
    assert table.rows.rows() == [
        ("alpha", None, 0.03, 0.0004),
        ("beta", 0.97, None, None),
        ("gamma", 0.9996, None, None),
    ]


def test_the_notes_say_who_earned_which_stars(three: Evidence, options: ExhibitOptions) -> None:
    notes = TABLE.make([three], options).notes

    assert notes[1:] == ("*** p < 0.001: alpha over gamma.", "* p < 0.05: alpha over beta.")


def test_cells_are_shaded_up_to_the_threshold_and_empty_where_unknown(
    three: Evidence, options: ExhibitOptions
) -> None:
    (panel,) = FIGURE.make([three], options).panels
    (cells,) = panel.marks

    assert panel.x.categories == panel.y.categories == ("alpha", "beta", "gamma")
    assert isinstance(cells, Cells)
    assert (cells.low, cells.high) == (0.0, 0.05)
    assert cells.values == ((None, 0.03, 0.0004), (0.97, None, None), (0.9996, None, None))
    assert cells.texts == (("", ".030*", "<.001***"), (".970", "", ""), ("1.000", "", ""))


def test_many_systems_leave_room_for_stars_only(evidence: Evidence, options: ExhibitOptions) -> None:
    names = [f"system {k}" for k in range(9)]
    pairs = pl.DataFrame(
        [(a, b, 0.0099 if a < b else 0.9901) for a in names for b in names if a != b],
        schema=["better", "worse", "p_value"],
        orient="row",
    )
    systems = pl.DataFrame({"system_id": names, "cluster": [1] * 9})
    nine = replace(evidence, analysis=replace(evidence.analysis, systems=systems, pairs=pairs))

    (cells,) = FIGURE.make([nine], options).panels[0].marks

    assert isinstance(cells, Cells)
    assert cells.texts[0] == ("",) + ("**",) * 8
    assert cells.texts[8] == ("",) * 9


def test_lines_part_the_clusters(evidence: Evidence, options: ExhibitOptions) -> None:
    clusters = evidence.analysis.systems.with_columns(cluster=pl.Series([1, 1, 2]))

    table = TABLE.make([replace(evidence, analysis=replace(evidence.analysis, systems=clusters))], options)

    assert table.borders == (2,)


@pytest.mark.parametrize("exhibit", [TABLE, FIGURE], ids=["table", "figure"])
def test_systems_that_could_not_be_compared_have_no_significance(
    three: Evidence, options: ExhibitOptions, exhibit: object
) -> None:
    unknown = three.analysis.pairs.with_columns(p_value=pl.lit(None, pl.Float64))
    nothing = replace(three, analysis=replace(three.analysis, pairs=unknown))

    with pytest.raises(NotEnoughData, match="No two systems could be compared"):
        exhibit.make([nothing], options)  # type: ignore[attr-defined]
