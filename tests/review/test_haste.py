from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from steelyard.domain.scale import VAS
from steelyard.frames import hit_times_frame
from steelyard.review.flags import worker_flags
from steelyard.review.haste import hasty_answers
from steelyard.review.hit_times import corrected_times
from steelyard.review.payment import suggestion

MakeFrame = Callable[..., pl.DataFrame]


def _judged(*answers: tuple[float, float, float]) -> pl.DataFrame:
    """Answers by seconds of work, seconds claimed and the least for reading."""
    names = ("seconds", "claimed_seconds", "least_seconds")
    rows = [{"worker_id": "W", "hit_id": "h1", **dict(zip(names, each, strict=True))} for each in answers]
    return pl.DataFrame(rows)


def _flags(make_frame: MakeFrame, **known: Any) -> list[str]:
    frame = make_frame([{"seconds": 60.0, "rating": float(7 * number)} for number in range(12)])
    times = hit_times_frame(
        pl.DataFrame([{"worker_id": "W", "hit_id": "h1", "work_seconds": 720.0, **known}])
    )
    found = worker_flags(frame, corrected_times(frame, times), times, rules="usual", scale=VAS)
    return list(found["flags"][0])


def test_answers_below_the_least_time_for_reading_are_unread() -> None:
    [found] = hasty_answers(_judged((1.0, 1.0, 2.0), (2.0, 2.0, 2.0), (9.0, 9.0, 2.0))).to_dicts()

    assert (found["n_answers"], found["n_unread"]) == (3, 1)


def test_one_claim_beyond_the_clock_may_be_our_own_clock_set_back() -> None:
    [once] = hasty_answers(_judged((0.0, 400.0, 1.0), (8.0, 8.0, 1.0))).to_dicts()
    [twice] = hasty_answers(_judged((0.0, 400.0, 1.0), (1.0, 8.0, 1.0))).to_dicts()

    assert (once["overclaimed_seconds"], twice["overclaimed_seconds"]) == (0, 7)


def test_claims_beyond_the_clock_are_flagged_above_a_tolerance(make_frame: MakeFrame) -> None:
    # 10 seconds and a twentieth of 720.
    assert _flags(make_frame, overclaimed_seconds=46.0) == []
    assert _flags(make_frame, overclaimed_seconds=46.1) == ["clock"]


def test_more_than_half_of_the_answers_faster_than_reading_are_flagged(make_frame: MakeFrame) -> None:
    assert _flags(make_frame, n_answers=12, n_unread=6) == []
    assert _flags(make_frame, n_answers=12, n_unread=7) == ["reading"]


def test_a_few_answers_say_nothing_about_reading(make_frame: MakeFrame) -> None:
    assert _flags(make_frame, n_answers=9, n_unread=9) == []


def test_files_without_such_times_raise_neither_flag(make_frame: MakeFrame) -> None:
    assert _flags(make_frame) == []


def test_invented_times_call_for_a_look_even_at_somebody_who_passed() -> None:
    assert suggestion("pass", ["clock"]) == "look"
    assert suggestion("fail", ["clock", "reading"]) == "refuse"
