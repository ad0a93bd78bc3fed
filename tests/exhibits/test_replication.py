"""The table and the two figures of replication, from one source, from two, and from several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Band, Evidence, ExhibitOptions, Figure, Line, Panel, Points, Rule, Table
from steelyard.evaluation.replication.opinions import Collection
from steelyard.evaluation.replication.settings import Replication, ReplicationSettings
from steelyard.evaluation.replication.study import replicate_collections
from steelyard.exhibits.replication import TABLE
from steelyard.exhibits.replication_curve import FIGURE as CURVE
from steelyard.exhibits.replication_scatter import FIGURE as SCATTER
from steelyard.frames import ratings_frame
from steelyard.stats.correlation import pearson

OPTIONS = ExhibitOptions(draws=20)
N_WORKERS, N_ITEMS = 12, 30


def _crowd(workers: str, *, seed: int, noise: float = 12.0) -> pl.DataFrame:
    """Twelve workers judge thirty translations of one system; the quality is the same for every crowd."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(30, 70, N_ITEMS)
    rows = [
        (f"{workers}{w}", f"s{t}", quality[t] + rng.normal(0, noise))
        for w in range(N_WORKERS)
        for t in range(N_ITEMS)
    ]
    table = pl.DataFrame(rows, schema=["worker_id", "segment_id", "rating"], orient="row")
    same = {"system_id": "A", "hit_id": "h", "item_kind": "regular", "attribute": ""}
    return ratings_frame(table.with_columns(pl.lit(value).alias(name) for name, value in same.items()))


@pytest.fixture(scope="module")
def pair(weighed: Callable[..., Evidence]) -> list[Evidence]:
    """Two collections of the same translations."""
    return [
        weighed(_crowd(workers, seed=seed), title=title, check="none")
        for workers, seed, title in (("w", 1, "First"), ("v", 2, "Second"))
    ]


def _study(first: Evidence, second: Evidence | None) -> Replication:
    collections = [
        None if one is None else Collection(one.title, one.kept, one.analysis.settings.method_settings)
        for one in (first, second)
    ]
    settings = ReplicationSettings(draws=20, analysis=first.analysis.settings)
    assert collections[0] is not None
    return replicate_collections(collections[0], collections[1], settings)


@pytest.fixture(scope="module")
def study(pair: list[Evidence]) -> Replication:
    return _study(*pair)


@pytest.fixture(scope="module")
def table(pair: list[Evidence]) -> Table:
    return _table(pair)


@pytest.fixture(scope="module")
def panel(pair: list[Evidence]) -> Panel:
    """The one panel of the curve."""
    (found,) = _figure(CURVE, pair).panels
    return found


@pytest.fixture(scope="module")
def scatter(pair: list[Evidence]) -> Figure:
    return _figure(SCATTER, pair)


def _table(evidence: list[Evidence], options: ExhibitOptions = OPTIONS) -> Table:
    made = TABLE.make(evidence, options)
    assert isinstance(made, Table)
    return made


def _figure(exhibit: Any, evidence: list[Evidence], options: ExhibitOptions = OPTIONS) -> Figure:
    made = exhibit.make(evidence, options)
    assert isinstance(made, Figure)
    return made


def test_the_table_holds_each_of_two_collections_against_the_other(
    pair: list[Evidence], study: Replication, table: Table
) -> None:
    back = _study(*reversed(pair))

    for title, of in (("First", study), ("Second", back)):
        found = table.rows.filter(pl.col("source") == title)
        of_z = of.rows.filter((pl.col("against") == "full") & (pl.col("scale") == "z"))
        shown = of_z.filter(pl.col("ratings").is_in(found["ratings"].to_list()))
        assert found["z_r"].to_list() == shown["r"].to_list()
        assert found["z_expected"].to_list() == shown["expected"].to_list()


@pytest.mark.parametrize("n_sources", [1, 3])
def test_another_number_of_sources_is_split_each(pair: list[Evidence], n_sources: int) -> None:
    sources = [*pair, replace(pair[0], title="Third")][:n_sources]

    table = _table(sources)

    assert table.rows["source"].unique(maintain_order=True).to_list() == [one.title for one in sources]
    # Halves of twelve workers have six.
    assert table.rows["ratings"].max() == 6
    assert any("A half has half the ratings." in note for note in table.notes)


def test_two_sources_are_split_each_if_asked(pair: list[Evidence], table: Table) -> None:
    split = _table(pair, replace(OPTIONS, split=True))

    assert split.rows["ratings"].max() == 6
    assert table.rows["ratings"].max() == N_WORKERS
    assert split.rows["source"].unique(maintain_order=True).to_list() == ["First", "Second"]


def test_the_notes_tell_reliability_and_ratings_needed(study: Replication, table: Table) -> None:
    assert study.conclusion in " ".join(table.notes)


def test_the_curve_has_raw_and_z_with_bands_and_what_is_expected(study: Replication, panel: Panel) -> None:
    lines = {mark.series: mark for mark in panel.marks if isinstance(mark, Line)}
    assert list(lines) == ["raw", "raw, expected", "z", "z, expected", "reliability, N to N"]
    of_z = study.rows.filter((pl.col("against") == "full") & (pl.col("scale") == "z"))
    assert lines["z"].y == tuple(of_z["r"])
    assert lines["z, expected"].y == tuple(of_z["expected"])
    assert lines["z, expected"].dashed
    bands = [mark for mark in panel.marks if isinstance(mark, Band)]
    assert bands[1].lower == tuple(of_z["lower"])


def test_rules_meet_on_the_reliability_at_the_ratings_needed(study: Replication, panel: Panel) -> None:
    (needed,) = study.needed

    rules = {rule.of: rule for rule in panel.marks if isinstance(rule, Rule)}
    assert rules["y"].at == 0.9
    assert rules["x"].at == needed.ratings
    assert rules["x"].label == f"N = {needed.ratings}"
    reliability = next(mark for mark in panel.marks if getattr(mark, "series", "") == "reliability, N to N")
    reached = np.interp(needed.ratings, reliability.x, reliability.y)
    before = np.interp(needed.ratings - 1, reliability.x, reliability.y)
    assert before < 0.9 <= reached + 1e-3


def test_everything_drawn_lies_within_the_axes(panel: Panel) -> None:
    drawn = [y for mark in panel.marks if isinstance(mark, Line) for y in mark.y]
    drawn += [y for mark in panel.marks if isinstance(mark, Band) for y in (*mark.lower, *mark.upper)]
    assert panel.y.low is not None
    assert panel.y.low <= min(drawn)
    assert max(drawn) <= 1.0 + 1e-12


def test_a_number_of_ratings_far_beyond_what_there_is_has_no_rule(weighed: Callable[..., Evidence]) -> None:
    noisy = weighed(_crowd("w", seed=1, noise=60.0), check="none")
    (needed,) = _study(noisy, None).needed
    assert needed.ratings is None or needed.ratings > 24

    (panel,) = _figure(CURVE, [noisy]).panels

    assert not any(isinstance(mark, Rule) and mark.of == "x" for mark in panel.marks)


def test_each_split_source_has_a_panel(pair: list[Evidence]) -> None:
    figure = _figure(CURVE, pair, replace(OPTIONS, split=True))

    assert [panel.title for panel in figure.panels] == ["First", "Second"]


def test_the_scatter_has_a_panel_for_each_number_of_ratings(scatter: Figure) -> None:
    numbers = [panel.title.partition(",")[0] for panel in scatter.panels]

    assert numbers == ["N = 1", "N = 2", "N = 5", "N = 10"]
    for panel in scatter.panels:
        points = next(mark for mark in panel.marks if isinstance(mark, Points))
        assert len(points.x) == N_ITEMS
        assert panel.title.endswith(f"r = {pearson(np.array(points.x), np.array(points.y)):.2f}")
        assert panel.x.high == panel.y.high == -panel.x.low == -panel.y.low


def test_points_come_closer_to_the_diagonal_with_more_ratings(scatter: Figure) -> None:
    apart = [
        np.mean(np.abs(np.subtract(points.x, points.y)))
        for panel in scatter.panels
        for points in panel.marks
        if isinstance(points, Points)
    ]

    assert apart == sorted(apart, reverse=True)


def test_halves_are_called_halves(pair: list[Evidence]) -> None:
    figure = _figure(SCATTER, pair[:1])

    assert {(panel.x.title, panel.y.title) for panel in figure.panels} == {("first half", "second half")}


@pytest.mark.parametrize("exhibit", [TABLE, CURVE, SCATTER], ids=lambda exhibit: exhibit.name)
def test_collections_of_other_translations_are_refused(exhibit: Any, pair: list[Evidence]) -> None:
    other = replace(pair[1], judged=pair[1].frame.with_columns(system_id=pl.lit("B")))

    with pytest.raises(NotEnoughData, match="have no translation in common"):
        exhibit.make([pair[0], other], OPTIONS)
