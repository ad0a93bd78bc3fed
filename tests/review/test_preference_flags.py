from __future__ import annotations

import polars as pl
import pytest

from steelyard.domain.scale import VAS
from steelyard.frames import hit_times_frame, preferences_frame
from steelyard.review.consistency import consistency
from steelyard.review.flags import worker_flags
from steelyard.review.hit_times import corrected_times


def _frame(said: str, *, seconds: float = 20.0) -> pl.DataFrame:
    """One worker's preferences: a, b, t for a tie and x for both bad."""
    full = {"a": "a", "b": "b", "t": "tie", "x": "both_bad"}
    rows = [("W", f"s{number}", full[letter]) for number, letter in enumerate(said)]
    same = {"hit_id": "h", "system_a": "A", "system_b": "B", "item_kind": "regular", "attribute": ""}
    frame = pl.DataFrame(rows, schema=["worker_id", "segment_id", "preference"], orient="row")
    return preferences_frame(
        frame.with_columns(pl.lit(value).alias(name) for name, value in same.items()).with_columns(
            seconds=pl.lit(seconds)
        )
    )


def _flags(frame: pl.DataFrame) -> tuple[list[str], list[str]]:
    times = hit_times_frame()
    found = worker_flags(frame, corrected_times(frame, times), times, rules="usual", scale=VAS)
    return found["flags"][0].to_list(), found["details"][0].to_list()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("a" * 20, ["side"]),
        ("b" * 18 + "aa", ["side"]),
        ("ab" * 10, []),
        ("a" * 9, []),  # too few
        ("a" * 12 + "bbb", []),  # p = 0.035
        ("t" * 9 + "x" * 8 + "ab", ["ties"]),
        ("t" * 8 + "ab", []),  # exactly 80 %
    ],
)
def test_flags_of_preferences(said: str, expected: list[str]) -> None:
    assert _flags(_frame(said))[0] == expected


def test_details_give_the_numbers() -> None:
    assert _flags(_frame("b" * 18 + "aa"))[1] == [
        "Of 20 preferences, 18 are for the translation shown second."
    ]


def test_hurry_is_flagged_as_for_ratings() -> None:
    assert _flags(_frame("ab" * 10, seconds=1.0))[0] == ["time"]


def test_repeats_are_counted_whichever_side_came_first() -> None:
    base = _frame("ab")
    again = base.with_columns(
        item_kind=pl.lit("repeat"), system_a=pl.lit("B"), system_b=pl.lit("A"), preference=pl.lit("b")
    )

    found = consistency(pl.concat([base, again.head(1)]), scale=VAS)

    assert found.row(0) == ("W", 1, None, None)
