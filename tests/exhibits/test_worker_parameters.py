"""What a model learnt of workers against what their ratings show."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from statistics import correlation
from typing import Any

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Line, Panel, Points
from steelyard.exhibits._worker_truth import beside_truth
from steelyard.exhibits.worker_parameters import FIGURE, has_parameters

Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
Weighed = Callable[..., Evidence]
LEVELS = [20.0, 80.0, 30.0, 70.0, 40.0, 60.0] * 2
# How far each worker rates above the others; the mean over the five is 2.
ABOVE = {"ann": 0.0, "bob": 0.0, "cem": 0.0, "high": 20.0, "low": -10.0}
LEARNT = {"ann": -2.0, "bob": -2.0, "cem": -3.0, "high": 15.0, "low": -9.0}


@pytest.fixture
def crew(ratings: Ratings, weighed: Weighed) -> Evidence:
    """Five workers who rate alike on different levels, and a model that has seen most of that."""
    rows = [
        (worker, f"hit of {worker}", "regular", f"s{k}", "alpha", level + above)
        for worker, above in ABOVE.items()
        for k, level in enumerate(LEVELS)
    ]
    source = weighed(ratings(rows), check="none", method="mean-rating")
    workers = source.analysis.workers.with_columns(
        offset=pl.Series([LEARNT[worker] for worker in source.analysis.workers["worker_id"]]),
        precision=pl.Series([1.0, 2.0, 3.0, 4.0, 5.0]),
    )
    return replace(source, analysis=replace(source.analysis, workers=workers))


def panels(source: Evidence, options: ExhibitOptions) -> tuple[Panel, ...]:
    figure = FIGURE.make([source], options)
    assert isinstance(figure, Figure)
    return figure.panels


def points_of(panel: Panel) -> list[Points]:
    return [mark for mark in panel.marks if isinstance(mark, Points)]


def test_offsets_learnt_stand_against_those_seen(crew: Evidence, options: ExhibitOptions) -> None:
    _, offsets = panels(crew, options)
    (points,) = points_of(offsets)

    assert points.labels == tuple(ABOVE)
    assert points.y == tuple(LEARNT.values())
    # The mean of all ratings is 52: z sum to 0, so an offset is how far a worker's mean is from it.
    assert points.x == pytest.approx([above - 2 for above in ABOVE.values()])


def test_precisions_learnt_stand_against_those_seen(crew: Evidence, options: ExhibitOptions) -> None:
    precisions, _ = panels(crew, options)
    (points,) = points_of(precisions)

    assert points.y == (1.0, 2.0, 3.0, 4.0, 5.0)
    assert points.x == tuple(beside_truth(crew)["precision"])
    assert precisions.x.logarithmic
    assert precisions.y.logarithmic


@pytest.mark.parametrize("place", [0, 1])
def test_on_the_line_both_sides_are_the_same(crew: Evidence, options: ExhibitOptions, place: int) -> None:
    (line,) = [mark for mark in panels(crew, options)[place].marks if isinstance(mark, Line)]

    assert line.x == line.y


def test_the_line_reaches_as_far_as_both_sides_do(crew: Evidence, options: ExhibitOptions) -> None:
    _, offsets = panels(crew, options)
    (line,) = [mark for mark in offsets.marks if isinstance(mark, Line)]

    # Learnt are -9 to 15, seen -12 to 18.
    assert line.x == pytest.approx((-9.0, 15.0))


def test_the_caption_has_the_correlation_of_offsets(crew: Evidence, options: ExhibitOptions) -> None:
    figure = FIGURE.make([crew], options)

    assert isinstance(figure, Figure)
    r = correlation(list(ABOVE.values()), list(LEARNT.values()))
    assert f"{r:.2f} of offsets." in figure.caption


def test_the_caption_has_the_correlation_of_precisions_where_they_differ(
    crew: Evidence, options: ExhibitOptions
) -> None:
    # Those whom the model takes to be alike correlate with nothing.
    alike = crew.analysis.workers.with_columns(precision=pl.lit(1.0))

    figure = FIGURE.make([replace(crew, analysis=replace(crew.analysis, workers=alike))], options)

    assert isinstance(figure, Figure)
    assert "of the logarithms of precisions" not in figure.caption


def test_a_worker_of_whom_the_model_knows_nothing_is_counted_as_not_shown(
    crew: Evidence, options: ExhibitOptions
) -> None:
    workers = crew.analysis.workers.with_columns(
        offset=pl.when(pl.col("worker_id") != "low").then(pl.col("offset"))
    )

    figure = FIGURE.make([replace(crew, analysis=replace(crew.analysis, workers=workers))], options)

    assert isinstance(figure, Figure)
    assert figure.table.rows["worker_id"].to_list() == ["ann", "bob", "cem", "high"]
    assert "1 worker" in figure.caption


def test_points_are_told_apart_by_verdict_where_there_was_a_check(
    crew: Evidence, options: ExhibitOptions
) -> None:
    verdicts = pl.Series("verdict", ["pass", "pass", "pass", "fail", "insufficient"])
    analysis = replace(
        crew.analysis,
        settings=replace(crew.analysis.settings, check="paired-t"),
        workers=crew.analysis.workers.with_columns(verdicts),
    )

    precisions, _ = panels(replace(crew, analysis=analysis), options)

    assert [(mark.series, mark.labels) for mark in points_of(precisions)] == [
        ("pass", ("ann", "bob", "cem")),
        ("fail", ("high",)),
        ("insufficient", ("low",)),
    ]


def test_a_method_that_learns_nothing_of_workers_is_named_with_one_that_does(
    evidence: Evidence, options: ExhibitOptions
) -> None:
    with pytest.raises(NotEnoughData, match=r"mean-z learns neither.*method=.worker-model"):
        FIGURE.make([evidence], options)


def test_without_common_translations_there_is_no_truth(crew: Evidence, options: ExhibitOptions) -> None:
    with pytest.raises(NotEnoughData, match="no truth to compare"):
        FIGURE.make([replace(crew, keeps=crew.frame["worker_id"] == "ann")], options)


def test_only_methods_that_learn_have_parameters(crew: Evidence, evidence: Evidence) -> None:
    assert has_parameters(crew.analysis)
    assert not has_parameters(evidence.analysis)
