"""Linked campaigns as a table and as a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Intervals, Points, Table
from steelyard.exhibits import linked_systems

Weighed = Callable[..., Evidence]
Ratings = Callable[..., pl.DataFrame]
OPTIONS = ExhibitOptions(draws=200)
N_ITEMS = 25


@pytest.fixture(scope="module")
def sources(crowd: pl.DataFrame, ratings: Ratings, weighed: Weighed) -> list[Evidence]:
    """The toy crowd twice: the second time its careful workers also judge calibration texts."""
    rng = np.random.default_rng(2)
    level = np.linspace(20, 90, N_ITEMS)
    rows = [
        (worker, f"hit of {worker}", "calibration", f"calibration:{item}", "calibration", round(rating))
        for worker in ("ann", "bob", "cem")
        for item, rating in enumerate(np.clip(level + rng.normal(0, 6, N_ITEMS), 0, 100))
    ]
    item = pl.col("segment_id").str.strip_prefix("calibration:").cast(pl.Int64)
    known = (item * (70 / (N_ITEMS - 1)) + 20).cast(pl.Float64)
    texts = ratings(rows).with_columns(known=known, known_sd=pl.lit(2.0))
    settings = {"method": "mean-rating"}
    old = weighed(crowd, title="Old", **settings)
    return [old, weighed(pl.concat([crowd, texts]), title="New", **settings)]


@pytest.fixture(scope="module")
def made(sources: Sequence[Evidence]) -> Table:
    found = linked_systems.TABLE.make(sources, OPTIONS)
    assert isinstance(found, Table)
    return found


def test_all_systems_are_there_campaign_by_campaign_best_first(made: Table) -> None:
    assert made.rows["source"].to_list() == ["Old"] * 3 + ["New"] * 3
    assert made.rows["system_id"].to_list() == ["alpha", "beta", "gamma"] * 2
    assert made.borders == (3,)


def test_own_scores_are_those_of_the_ranking(made: Table, sources: Sequence[Evidence]) -> None:
    for title, source in zip(("Old", "New"), sources, strict=True):
        shown = made.rows.filter(source=title)["score"].to_list()
        assert shown == source.analysis.systems["score"].to_list()


def test_the_first_campaign_stays_as_it_is(made: Table) -> None:
    old = made.rows.filter(source="Old")

    assert old["linked"].to_list() == old["score"].to_list()
    assert old["share_of_link"].to_list() == [0.0, 0.0, 0.0]


def test_the_same_systems_come_out_alike_in_both_campaigns(made: Table) -> None:
    old, new = (made.rows.filter(source=title)["linked"].to_numpy() for title in ("Old", "New"))

    assert new == pytest.approx(old, abs=4)


def test_notes_tell_the_line_and_what_it_costs(made: Table) -> None:
    assert made.notes[0] == "Linked scores are on the scale of Old."
    assert made.notes[1].startswith(f"New is brought to Old through {N_ITEMS} calibration items")
    assert made.notes[1].endswith("of the uncertainty of its systems comes from links.")


def test_the_figure_shows_each_system_with_two_intervals(sources: Sequence[Evidence], made: Table) -> None:
    found = linked_systems.FIGURE.make(sources, OPTIONS)
    assert isinstance(found, Figure)

    marks = found.panels[0].marks
    intervals = [mark for mark in marks if isinstance(mark, Intervals)]
    points = [mark for mark in marks if isinstance(mark, Points)]
    assert intervals[0].low == tuple(made.rows["lower"])
    assert intervals[0].tone == "faint"
    assert tuple(high for mark in intervals[1:] for high in mark.high) == tuple(made.rows["own_upper"])
    assert [mark.series for mark in points] == ["Old", "New"]
    assert tuple(x for mark in points for x in mark.x) == tuple(made.rows["linked"])
    assert found.panels[0].y.categories == tuple(made.rows["system_id"])


def test_one_source_goes_to_the_scale_of_its_earlier_scores(sources: Sequence[Evidence]) -> None:
    found = linked_systems.TABLE.make(sources[1:], OPTIONS)

    assert isinstance(found, Table)
    assert found.notes[0] == "Linked scores are on the scale of the earlier scores."


def test_a_source_without_calibration_items_is_refused(evidence: Evidence) -> None:
    with pytest.raises(NotEnoughData, match="nothing in common"):
        linked_systems.TABLE.make([evidence, replace(evidence, title="Again")], OPTIONS)
