from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from steelyard.domain.differences import differences
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Cells, Evidence, ExhibitOptions
from steelyard.domain.result import PairTest
from steelyard.exhibits import tables
from steelyard.exhibits.significance import FIGURE, TABLE

Weighed = Callable[..., Evidence]


_P_VALUES = ("p_value", "p_two_sided", "p_holm")


def _pairs(rows: dict[tuple[str, str], tuple[float | None, ...]]) -> pl.DataFrame:
    schema = {"better": pl.String, "worse": pl.String, **dict.fromkeys(_P_VALUES, pl.Float64)}
    return pl.DataFrame([(*pair, *p_values) for pair, p_values in rows.items()], schema=schema, orient="row")


@pytest.fixture
def three(evidence: Evidence) -> Evidence:
    """Three systems, best first, whose p-values are known; beta and gamma could not be compared."""
    pairs = _pairs(
        {
            ("alpha", "beta"): (0.015, 0.03, 0.04),
            ("alpha", "gamma"): (0.0002, 0.0004, 0.0008),
            ("beta", "alpha"): (0.985, 0.03, 0.04),
            ("gamma", "alpha"): (0.9998, 0.0004, 0.0008),
            ("beta", "gamma"): (None, None, None),
            ("gamma", "beta"): (None, None, None),
        }
    )
    return replace(evidence, analysis=replace(evidence.analysis, pairs=pairs))


@pytest.mark.parametrize(
    ("test", "below", "above"),
    [
        (PairTest(), (0.04, 0.0008), (None, None)),
        (PairTest(correction="none"), (0.03, 0.0004), (None, None)),
        (PairTest(correction="none", one_sided=True), (0.015, 0.0002), (0.985, 0.9998)),
    ],
    ids=["holm", "two-sided", "one-sided"],
)
def test_the_grid_has_the_p_values_that_decide(
    three: Evidence, options: ExhibitOptions, test: PairTest, below: tuple[float], above: tuple[float]
) -> None:
    table = TABLE.make([replace(three, analysis=replace(three.analysis, test=test))], options)

    assert [column.title for column in table.columns] == ["System", "alpha", "beta", "gamma"]
    assert table.rows.rows() == [
        ("alpha", None, *below),
        ("beta", above[0], None, None),
        ("gamma", above[1], None, None),
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
    assert cells.values == ((None, 0.04, 0.0008), (None, None, None), (None, None, None))
    assert cells.texts == (("", ".040*", "<.001***"), ("", "", ""), ("", "", ""))


def test_many_systems_leave_room_for_stars_only(evidence: Evidence, options: ExhibitOptions) -> None:
    names = [f"system {k}" for k in range(9)]
    pairs = _pairs(
        {(a, b): (0.0001 if a < b else 0.9999, 0.0002, 0.0099) for a in names for b in names if a != b}
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
    unknown = three.analysis.pairs.with_columns(pl.lit(None, pl.Float64).alias(name) for name in _P_VALUES)
    nothing = replace(three, analysis=replace(three.analysis, pairs=unknown))

    with pytest.raises(NotEnoughData, match="No two systems could be compared"):
        exhibit.make([nothing], options)  # type: ignore[attr-defined]


def test_the_table_of_the_ranking_names_the_test_and_its_units(
    evidence: Evidence, options: ExhibitOptions
) -> None:
    (note,) = tables()["ranking"].make([evidence], options).notes

    assert note == differences(evidence.analysis)
    assert "Units of inference: 3 workers" in note
