from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Bars, Evidence, ExhibitOptions, Figure, Rule
from steelyard.domain.result import MethodSettings
from steelyard.domain.scale import Scale
from steelyard.evaluation.normalisation.settings import NormalisationSettings
from steelyard.evaluation.normalisation.study import fit_all, ready_normalisation
from steelyard.exhibits.score_distribution import FIGURE
from steelyard.frames import ratings_frame

OPTIONS = ExhibitOptions(methods=("scaling", "mean-z"))


@pytest.fixture(scope="module")
def source(weighed: Callable[..., Evidence]) -> Evidence:
    """Three workers judge twelve translations on four points; the expert finds all half a point better."""
    rows = [(f"w{w}", f"s{t:02}", 1.0 + (t + (w == 2)) % 4) for w in range(3) for t in range(12)]
    table = pl.DataFrame(rows, schema=["worker_id", "segment_id", "rating"], orient="row")
    frame = table.with_columns(
        known=1.5 + pl.col("segment_id").str.tail(2).cast(pl.Int64) % 3,
        hit_id=pl.lit("h"),
        item_kind=pl.lit("regular"),
        system_id=pl.lit("S"),
        attribute=pl.lit(""),
    )
    settings = MethodSettings(draws=0, scale=Scale(1, 4))
    return weighed(ratings_frame(frame), method="mean-rating", check="none", method_settings=settings)


@pytest.fixture(scope="module")
def figure(source: Evidence) -> Figure:
    made = FIGURE.make([source], OPTIONS)
    assert isinstance(made, Figure)
    return made


def test_there_is_a_panel_for_each_method(figure: Figure) -> None:
    assert [panel.title for panel in figure.panels] == ["straight average", "scaling", "mean-z"]


def test_means_that_are_borders_lie_in_the_stretch_above(figure: Figure) -> None:
    # Two say 1, 2, 3, 4 in turn and the third 2, 3, 4, 1: means of 4/3, 7/3, 10/3 and 3, three of each.
    rows = figure.table.rows.filter(pl.col("n_translations") > 0).filter(method="straight average")

    assert [round(left, 1) for left in rows["left"]] == [1.3, 2.3, 3.0, 3.3]
    assert rows["n_translations"].to_list() == [3, 3, 3, 3]


def test_the_bars_are_counts_of_final_scores(figure: Figure, source: Evidence) -> None:
    settings = NormalisationSettings(methods=OPTIONS.methods, analysis=source.analysis.settings)
    score = fit_all(ready_normalisation(source.frame, settings))[2].score
    bars = figure.panels[2].marks[0]

    assert isinstance(bars, Bars)
    edges = np.append(bars.left, bars.right[-1])
    assert bars.height == tuple(np.histogram(score, edges)[0])


def test_methods_in_points_share_an_axis_that_holds_the_scale(figure: Figure) -> None:
    straight, scaling, z = (panel.x for panel in figure.panels)

    assert straight == scaling
    assert straight.low is not None
    assert straight.high is not None
    assert straight.low <= 1 < 4 <= straight.high
    assert z.title == "final score (units of its own)"


def test_a_rule_marks_the_mean(figure: Figure) -> None:
    rule = figure.panels[0].marks[1]

    assert isinstance(rule, Rule)
    assert rule.at == pytest.approx((4 / 3 + 7 / 3 + 10 / 3 + 3) / 4)


def test_scores_all_the_same_have_one_bar(source: Evidence) -> None:
    # Standardised, opposite workers cancel out in every translation.
    turned = source.frame.filter(pl.col("worker_id") != "w2").with_columns(
        rating=pl.when(pl.col("worker_id") == "w1").then(5 - pl.col("rating")).otherwise("rating")
    )

    drawn = FIGURE.make([replace(source, judged=turned)], OPTIONS)

    rows = drawn.table.rows.filter(method="mean-z").filter(pl.col("n_translations") > 0)
    assert rows["n_translations"].to_list() == [12]


def test_without_gold_nothing_is_drawn(evidence: Evidence) -> None:
    with pytest.raises(NotEnoughData, match="an expert must have rated at least three"):
        FIGURE.make([evidence], OPTIONS)
