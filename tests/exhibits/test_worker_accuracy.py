"""Accuracy of workers: who is counted where, and what the caption says of those who failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Bars, Evidence, ExhibitOptions, Figure, Rule
from steelyard.exhibits.worker_accuracy import FIGURE

Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
Weighed = Callable[..., Evidence]
LEVELS = [20.0, 80.0, 30.0, 70.0, 40.0, 60.0] * 2
# Who rates as the first three do is exactly right, and who turns the scale round exactly wrong.
RIGHT, WRONG = LEVELS, [100 - level for level in LEVELS]
CREW = {
    "ann": (RIGHT, "pass"),
    "bob": (RIGHT, "pass"),
    "cem": (RIGHT, "pass"),
    "dan": (RIGHT, "pass"),
    "lost": (RIGHT, "fail"),
    "wrong": (WRONG, "fail"),
    "new": (RIGHT, "insufficient"),
}


@pytest.fixture
def crew(ratings: Ratings, weighed: Weighed) -> Evidence:
    """Four who passed, of whom the truth is made, two who failed and one of whom nothing is known."""
    rows = [
        (worker, f"hit of {worker}", "regular", f"s{k}", "alpha", value)
        for worker, (values, _) in CREW.items()
        for k, value in enumerate(values)
    ]
    source = weighed(ratings(rows), check="none", method="mean-rating")
    verdicts = pl.Series("verdict", [CREW[worker][1] for worker in source.analysis.workers["worker_id"]])
    analysis = replace(
        source.analysis,
        settings=replace(source.analysis.settings, check="paired-t"),
        workers=source.analysis.workers.with_columns(verdicts),
    )
    passed = [worker for worker, (_, verdict) in CREW.items() if verdict == "pass"]
    return replace(source, analysis=analysis, keeps=source.frame["worker_id"].is_in(passed))


def made(source: Evidence, options: ExhibitOptions) -> Figure:
    figure = FIGURE.make([source], options)
    assert isinstance(figure, Figure)
    return figure


def counts(figure: Figure) -> list[dict[float, float]]:
    """For each panel the bars that are not empty: their left ends and heights."""
    found = []
    for panel in figure.panels:
        (bars,) = [mark for mark in panel.marks if isinstance(mark, Bars)]
        found.append({left: n for left, n in zip(bars.left, bars.height, strict=True) if n})
    return found


def test_passed_and_failed_workers_are_counted_by_tenths(crew: Evidence, options: ExhibitOptions) -> None:
    # A correlation of 1 belongs to the tenth from .9.
    assert counts(made(crew, options)) == [{0.9: 4.0}, {-1.0: 1.0, 0.9: 1.0}]


def test_panels_say_whom_they_show(crew: Evidence, options: ExhibitOptions) -> None:
    titles = [panel.title for panel in made(crew, options).panels]

    assert titles == ["passed (4 workers)", "failed (2 workers)"]


def test_panels_have_the_same_axes(crew: Evidence, options: ExhibitOptions) -> None:
    passed, failed = made(crew, options).panels

    assert (passed.x, passed.y) == (failed.x, failed.y)


def test_a_line_is_drawn_at_six_tenths(crew: Evidence, options: ExhibitOptions) -> None:
    rules = [mark for panel in made(crew, options).panels for mark in panel.marks if isinstance(mark, Rule)]

    assert [(rule.of, rule.at) for rule in rules] == [("x", 0.6)] * 2


def test_the_caption_says_which_share_of_the_accurate_failed(crew: Evidence, options: ExhibitOptions) -> None:
    # Above .6 are the four who passed and lost.
    assert "Of 5 workers above r = 0.6, 1 failed the check (20.0 %)." in made(crew, options).caption


def test_the_caption_counts_who_is_not_shown(crew: Evidence, options: ExhibitOptions) -> None:
    assert "Not shown: 1 worker without a verdict" in made(crew, options).caption


def test_where_nobody_is_accurate_the_caption_says_so(crew: Evidence, options: ExhibitOptions) -> None:
    # Only the worker who turns the scale round has a verdict.
    workers = crew.analysis.workers.with_columns(
        verdict=pl.when(pl.col("worker_id") == "wrong").then(pl.lit("fail")).otherwise(pl.lit("insufficient"))
    )
    alone = replace(crew, analysis=replace(crew.analysis, workers=workers))

    assert "Nobody is above r = 0.6." in made(alone, options).caption


def test_the_table_has_the_counts_of_both(crew: Evidence, options: ExhibitOptions) -> None:
    rows = made(crew, options).table.rows

    assert rows["n_passed"].sum() == 4
    assert rows["n_failed"].sum() == 2
    assert rows.filter(pl.col("left") == 0.9).select("right", "n_passed", "n_failed").row(0) == (1.0, 4, 1)


def test_workers_of_several_sources_are_counted_together(crew: Evidence, options: ExhibitOptions) -> None:
    figure = FIGURE.make([crew, replace(crew, title="Again")], options)

    assert isinstance(figure, Figure)
    assert counts(figure) == [{0.9: 8.0}, {-1.0: 2.0, 0.9: 2.0}]


def test_without_a_check_nobody_passed_or_failed(crew: Evidence, options: ExhibitOptions) -> None:
    settings = replace(crew.analysis.settings, check="none")
    unchecked = replace(crew, analysis=replace(crew.analysis, settings=settings))

    with pytest.raises(NotEnoughData, match="choose a check"):
        FIGURE.make([unchecked], options)


def test_without_common_translations_there_is_no_truth(crew: Evidence, options: ExhibitOptions) -> None:
    alone = replace(crew, keeps=crew.frame["worker_id"] == "ann")

    with pytest.raises(NotEnoughData, match="no truth to compare"):
        FIGURE.make([alone], options)


def test_workers_without_a_verdict_have_no_panel(crew: Evidence, options: ExhibitOptions) -> None:
    workers = crew.analysis.workers.with_columns(verdict=pl.lit("insufficient"))
    unknown = replace(crew, analysis=replace(crew.analysis, workers=workers))

    with pytest.raises(NotEnoughData, match="nobody's accuracy is known"):
        FIGURE.make([unknown], options)
