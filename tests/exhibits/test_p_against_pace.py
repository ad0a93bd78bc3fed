from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Points, Rule
from steelyard.exhibits.p_against_pace import FIGURE
from steelyard.frames import hit_times_frame

Weighed = Callable[..., Evidence]


def test_each_worker_is_a_point_of_pace_and_p(evidence: Evidence, options: ExhibitOptions) -> None:
    (panel,) = FIGURE.make([evidence], options).panels

    points = {mark.series: mark for mark in panel.marks if isinstance(mark, Points)}
    assert set(points) == {"pass", "fail"}
    assert points["pass"].labels == ("ann", "bob", "cem")
    # 60 judgements in 480 seconds, and in 120.
    assert points["pass"].x == (8.0, 8.0, 8.0)
    assert points["fail"].x == (2.0, 2.0)
    # The constant worker's pairs do not differ at all.
    assert dict(zip(points["fail"].labels, points["fail"].y, strict=True))["dull"] == 1.0


def test_the_line_is_at_the_threshold(crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions) -> None:
    (panel,) = FIGURE.make([weighed(crowd, threshold=0.01)], options).panels

    (rule,) = [mark for mark in panel.marks if isinstance(mark, Rule)]
    assert (rule.of, rule.at) == ("y", 0.01)


def test_the_caption_counts_who_cannot_be_shown(evidence: Evidence, options: ExhibitOptions) -> None:
    # The newcomer judged no degraded copy.
    assert "1 worker without time or p-value not shown." in FIGURE.make([evidence], options).caption


def test_hits_open_at_once_share_their_time(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    ann = crowd.filter(worker_id="ann").drop("seconds", "submitted_at")
    again = ann.with_columns(hit_id=pl.lit("second hit"))
    start, end = crowd["submitted_at"].min(), crowd["submitted_at"].max()
    times = hit_times_frame(
        pl.DataFrame(
            {
                "worker_id": ["ann"] * 2,
                "hit_id": ["hit of ann", "second hit"],
                "work_seconds": [600.0, 600.0],
                "accepted_at": [start] * 2,
                "submitted_at": [end] * 2,
            }
        )
    )
    frame = pl.concat([ann, again]).with_columns(
        seconds=pl.lit(None, pl.Float64), submitted_at=pl.lit(None, crowd.schema["submitted_at"])
    )

    (panel,) = FIGURE.make([weighed(frame.select(crowd.columns), hit_times=times)], options).panels

    (points,) = [mark for mark in panel.marks if isinstance(mark, Points)]
    # Two HITs of 60, 600 seconds each, both open all the time: 600 seconds for 120 judgements.
    assert points.x == (5.0,)


def test_without_times_nobody_has_a_pace(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    timeless = crowd.with_columns(
        seconds=pl.lit(None, pl.Float64), submitted_at=pl.lit(None, crowd.schema["submitted_at"])
    )

    with pytest.raises(NotEnoughData, match="how long"):
        FIGURE.make([weighed(timeless)], options)


def test_without_a_check_there_is_no_p(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    with pytest.raises(NotEnoughData, match="choose a check"):
        FIGURE.make([weighed(crowd, check="none")], options)
