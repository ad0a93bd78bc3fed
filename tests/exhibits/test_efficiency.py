from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.exhibit import Band, Evidence, ExhibitOptions, Figure, Line
from steelyard.evaluation.comparison import evaluate_frame
from steelyard.evaluation.settings import EvaluationSettings
from steelyard.exhibits import efficiency
from steelyard.exhibits.efficiency import FIGURE

Weighed = Callable[..., Evidence]
OPTIONS = ExhibitOptions(draws=150, methods=("mean-rating",))


@pytest.fixture(scope="module")
def figure(evidence: Evidence) -> Figure:
    return FIGURE.make([evidence], OPTIONS)


def test_the_curves_are_those_of_an_evaluation(figure: Figure, evidence: Evidence) -> None:
    # One trial for fifty draws.
    settings = EvaluationSettings(methods=("mean-rating",), draws=3, analysis=evidence.analysis.settings)
    expected = evaluate_frame(evidence.frame, settings).rows.filter(method="mean-rating")

    (curve,) = (mark for mark in figure.panels[0].marks if getattr(mark, "series", "") == "mean-rating")

    assert isinstance(curve, Line)
    # Of six workers three are drawn from.
    assert curve.x == (1.0, 2.0, 3.0)
    assert curve.y == tuple(expected["r"])


def test_bands_are_1_96_errors_wide_to_either_side(figure: Figure) -> None:
    band = next(mark for mark in figure.panels[0].marks if isinstance(mark, Band))

    row = figure.table.rows.row(0, named=True)
    assert row["method"] == "mean-z"
    assert band.upper[0] == pytest.approx(row["r"] + 1.96 * row["r_se"])
    assert band.lower[0] == pytest.approx(row["r"] - 1.96 * row["r_se"])


def test_mean_z_is_always_there(figure: Figure) -> None:
    assert figure.table.rows["method"].unique(maintain_order=True).to_list() == ["mean-z", "mean-rating"]


@pytest.mark.parametrize(("asked", "made"), [(0, 2), (1000, 20), (9000, 30)])
def test_trials_are_as_many_as_a_curve_needs(evidence: Evidence, asked: int, made: int) -> None:
    drawn = FIGURE.make([evidence], replace(OPTIONS, draws=asked, methods=("mean-z",)))

    assert f"{made} trials, seed 7." in drawn.caption


def test_of_many_ratings_some_segments_are_tried(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(efficiency, "MOST_RATINGS", 200)

    drawn = FIGURE.make([evidence], OPTIONS)

    # 345 ratings of ten segments.
    (n_tried,) = [n for n in range(1, 10) if f"Tried on {n} of 10 segments" in drawn.caption]
    assert drawn.table.rows["n_items"].max() <= 3 * n_tried


def test_too_few_judgements_of_the_same_translations_are_refused(
    crowd: pl.DataFrame, weighed: Weighed
) -> None:
    few = weighed(crowd.filter(pl.col("worker_id").is_in(["ann", "bob", "cem"])))

    with pytest.raises(NotEnoughData, match="ten translations or more must have been judged by six"):
        FIGURE.make([few], OPTIONS)


def test_an_unknown_method_is_refused(evidence: Evidence) -> None:
    with pytest.raises(ChoiceError, match="There is no method 'mode'"):
        FIGURE.make([evidence], replace(OPTIONS, methods=("mode",)))
