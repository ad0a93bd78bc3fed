from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.frames import hit_times_frame
from steelyard.review.hit_times import corrected_times

Rows = Callable[[Sequence[dict[str, Any]]], pl.DataFrame]
NOON = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


def _minutes(number: float) -> datetime:
    return NOON + timedelta(minutes=number)


def _by_hit(times: pl.DataFrame) -> dict[str, tuple[float | None, int | None]]:
    return {hit: (seconds, open_) for hit, seconds, open_ in times["hit_id", "seconds", "concurrent"].rows()}


def test_work_seconds_are_shared_by_the_hits_open_at_once(make_frame: Rows, make_times: Rows) -> None:
    # h2 lies within h1; h3 comes after both.
    times = make_times(
        [
            {"hit_id": "h1", "work_seconds": 1800, "accepted": 0, "submitted": 30},
            {"hit_id": "h2", "work_seconds": 600, "accepted": 10, "submitted": 20},
            {"hit_id": "h3", "work_seconds": 500, "accepted": 31, "submitted": 40},
        ]
    )

    found = corrected_times(make_frame([{"hit_id": hit} for hit in ("h1", "h2", "h3")]), times)

    # h1 was alone at its acceptance and, h2 being submitted, alone again at its end.
    assert _by_hit(found) == {"h1": (1800.0, 1), "h2": (300.0, 2), "h3": (500.0, 1)}


def test_the_larger_of_the_two_counts_is_taken(make_frame: Rows, make_times: Rows) -> None:
    # Accepted one after the other, submitted in the same order: h1 sees 1 then 3, h3 sees 3 then 1.
    times = make_times(
        [{"hit_id": f"h{i}", "work_seconds": 900, "accepted": i, "submitted": 10 + i} for i in range(1, 4)]
    )

    found = corrected_times(make_frame([{"hit_id": hit} for hit in ("h1", "h2", "h3")]), times)

    assert _by_hit(found) == {"h1": (300.0, 3), "h2": (450.0, 2), "h3": (300.0, 3)}


def test_a_hit_accepted_in_the_second_of_anothers_submission_is_open_beside_it(
    make_frame: Rows, make_times: Rows
) -> None:
    times = make_times(
        [
            {"hit_id": "h1", "accepted": 0, "submitted": 10},
            {"hit_id": "h2", "accepted": 10, "submitted": 20},
        ]
    )

    found = corrected_times(make_frame([{"hit_id": "h1"}, {"hit_id": "h2"}]), times)

    assert found["concurrent"].to_list() == [2, 2]


@pytest.mark.parametrize("end", [(10, 10), (10, 11)])
def test_hits_accepted_in_one_second_see_each_other(
    make_frame: Rows, make_times: Rows, end: tuple[int, int]
) -> None:
    times = make_times(
        [
            {"hit_id": "h1", "accepted": 0, "submitted": end[0]},
            {"hit_id": "h2", "accepted": 0, "submitted": end[1]},
            {"hit_id": "h3", "accepted": 20, "submitted": 30},
        ]
    )

    found = corrected_times(make_frame([{"hit_id": hit} for hit in ("h1", "h2", "h3")]), times)

    assert found["concurrent"].to_list() == [2, 2, 1]


def test_a_hit_without_judgements_counts_as_open(make_frame: Rows, make_times: Rows) -> None:
    times = make_times(
        [
            {"hit_id": "h1", "accepted": 0, "submitted": 10},
            {"hit_id": "elsewhere", "accepted": 5, "submitted": 15},
        ]
    )

    found = corrected_times(make_frame([{"hit_id": "h1"}]), times)

    assert found.rows() == [("W", "h1", 1, 300.0, 2)]


def test_other_workers_hits_do_not_count(make_frame: Rows, make_times: Rows) -> None:
    times = make_times(
        [
            {"hit_id": "h1", "accepted": 0, "submitted": 10},
            {"worker_id": "other", "hit_id": "h1", "accepted": 5, "submitted": 15},
        ]
    )

    found = corrected_times(make_frame([{}]), times)

    assert found.rows() == [("W", "h1", 1, 600.0, 1)]


def test_a_hit_listed_twice_is_one_hit(make_frame: Rows, make_times: Rows) -> None:
    row = {"hit_id": "h1", "work_seconds": 600, "accepted": 0, "submitted": 10}

    assert corrected_times(make_frame([{}]), make_times([row, row])).rows() == [("W", "h1", 1, 600.0, 1)]


def test_coming_back_to_a_hit_adds_its_time_up(make_frame: Rows, make_times: Rows) -> None:
    times = make_times(
        [
            {"hit_id": "h1", "work_seconds": 100, "accepted": 0, "submitted": 2},
            {"hit_id": "h1", "work_seconds": 60, "accepted": 50, "submitted": 51},
        ]
    )

    assert corrected_times(make_frame([{}]), times).rows() == [("W", "h1", 1, 160.0, 1)]


def test_without_work_seconds_the_time_from_acceptance_to_submission_counts(
    make_frame: Rows, make_times: Rows
) -> None:
    times = make_times([{"hit_id": "h1", "accepted": 0, "submitted": 2.5}])

    assert corrected_times(make_frame([{"seconds": 7.0}]), times)["seconds"].to_list() == [150.0]


def test_without_any_times_the_judgements_seconds_are_added_up(make_frame: Rows) -> None:
    frame = make_frame([{"seconds": 7.0}, {"seconds": 8.5}])

    found = corrected_times(frame, hit_times_frame())

    assert found.rows() == [("W", "h1", 2, 15.5, None)]


def test_a_judgement_of_two_attributes_counts_once(make_frame: Rows) -> None:
    rows = [
        {"judgement_id": judgement, "attribute": attribute, "seconds": 10.0}
        for judgement in ("j1", "j2")
        for attribute in ("adequacy", "fluency")
    ]

    found = corrected_times(make_frame(rows), hit_times_frame())

    assert found.rows() == [("W", "h1", 2, 20.0, None)]


def _attributes(*names: str, **columns: Any) -> list[dict[str, Any]]:
    """A row for each attribute of one text."""
    return [{"segment_id": "s", "attribute": name, "seconds": 10.0, **columns} for name in names]


def test_without_ids_the_attributes_of_a_text_are_one_judgement(make_frame: Rows) -> None:
    rows = [
        *_attributes("adequacy", "fluency", "style", position=1),
        *_attributes("adequacy", "fluency", "style", position=2, segment_id="t"),
    ]

    found = corrected_times(make_frame(rows), hit_times_frame())

    assert found.rows() == [("W", "h1", 2, 20.0, None)]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"system_id": "B"}, id="system"),
        pytest.param({"segment_id": "t"}, id="segment"),
        pytest.param({"item_kind": "repeat"}, id="kind"),
        pytest.param({"position": 9}, id="position"),
    ],
)
def test_without_ids_rows_of_different_items_are_judgements_of_their_own(
    make_frame: Rows, other: dict[str, Any]
) -> None:
    rows = [*_attributes("adequacy", position=1), *_attributes("fluency", **{"position": 1, **other})]

    found = corrected_times(make_frame(rows), hit_times_frame())

    assert found.rows() == [("W", "h1", 2, 20.0, None)]


@pytest.mark.parametrize("position", [1, None])
def test_without_ids_a_text_judged_twice_is_two_judgements(make_frame: Rows, position: int | None) -> None:
    rows = _attributes("adequacy", "adequacy", "fluency", "fluency", "style", position=position)

    found = corrected_times(make_frame(rows), hit_times_frame())

    assert found.rows() == [("W", "h1", 2, 20.0, None)]


def test_without_ids_rows_of_one_attribute_stand_for_themselves(make_frame: Rows) -> None:
    frame = make_frame(_attributes("adequacy", "adequacy", "adequacy", position=1))

    assert corrected_times(frame, hit_times_frame()).rows() == [("W", "h1", 3, 30.0, None)]


def test_some_rows_may_have_ids_and_others_none(make_frame: Rows) -> None:
    rows = [
        *_attributes("adequacy", "fluency", position=1, judgement_id="j1"),
        *_attributes("adequacy", "fluency", position=1),
    ]

    assert corrected_times(make_frame(rows), hit_times_frame()).rows() == [("W", "h1", 2, 20.0, None)]


def test_rows_of_different_hits_may_share_a_judgement_id(make_frame: Rows) -> None:
    frame = make_frame([{"judgement_id": "row-1", "hit_id": hit, "seconds": 5.0} for hit in ("h1", "h2")])

    assert corrected_times(frame, hit_times_frame())["seconds"].to_list() == [5.0, 5.0]


def test_a_missing_time_makes_the_sum_unknown(make_frame: Rows) -> None:
    frame = make_frame([{"seconds": 7.0}, {"seconds": None}])

    assert corrected_times(frame, hit_times_frame()).rows() == [("W", "h1", 2, None, None)]


def test_acceptance_and_submission_follow_from_the_judgements(make_frame: Rows) -> None:
    # h1 from 12:00 (one minute before its first judgement) to 12:10, h2 from 12:09 to 12:20.
    frame = make_frame(
        [
            {"hit_id": "h1", "seconds": 30.0, "submitted_at": _minutes(10)},
            {"hit_id": "h1", "seconds": 60.0, "submitted_at": _minutes(1)},
            {"hit_id": "h2", "seconds": 120.0, "submitted_at": _minutes(11)},
            {"hit_id": "h2", "seconds": 20.0, "submitted_at": _minutes(20)},
        ]
    )

    found = corrected_times(frame, hit_times_frame())

    # (30 + 60) / 2 and (120 + 20) / 2.
    assert _by_hit(found) == {"h1": (45.0, 2), "h2": (70.0, 2)}


def test_a_hit_in_work_ends_with_its_last_judgement_so_far(make_frame: Rows, make_times: Rows) -> None:
    frame = make_frame([{"seconds": 30.0, "submitted_at": _minutes(4)}])
    times = make_times([{"hit_id": "h1", "accepted": 3}, {"hit_id": "h2", "accepted": 3.5, "submitted": 9}])

    assert corrected_times(frame, times).rows() == [("W", "h1", 1, 15.0, 2)]


def test_a_submission_before_the_acceptance_is_not_believed(make_frame: Rows, make_times: Rows) -> None:
    times = make_times([{"hit_id": "h1", "accepted": 10, "submitted": 5}])

    assert corrected_times(make_frame([{"seconds": 4.0}]), times).rows() == [("W", "h1", 1, 4.0, None)]


def test_hits_come_sorted_by_worker_and_hit(make_frame: Rows) -> None:
    places = [("V", "h2"), ("W", "h1"), ("V", "h1")]
    frame = make_frame([{"worker_id": worker, "hit_id": hit} for worker, hit in places])

    found = corrected_times(frame, hit_times_frame())

    assert found["worker_id", "hit_id"].rows() == sorted(places)


def test_the_columns_are_the_same_without_judgements(make_frame: Rows) -> None:
    one = corrected_times(make_frame([{}]), hit_times_frame())

    none = corrected_times(make_frame([{}]).clear(), hit_times_frame())

    assert none.schema == one.schema
    assert none.is_empty()


Span = tuple[int, int]


def _open_at(moment: int, spans: Sequence[Span]) -> int:
    """The definition, HIT by HIT: open from acceptance to submission, both moments included."""
    return sum(accepted <= moment <= submitted for accepted, submitted in spans)


@given(
    spans=st.lists(
        st.tuples(st.integers(0, 12), st.integers(0, 6)).map(lambda span: (span[0], sum(span))),
        min_size=1,
        max_size=8,
    )
)
def test_the_count_is_that_of_a_slow_definition(
    make_frame: Rows, make_times: Rows, spans: list[Span]
) -> None:
    hits = [f"h{i}" for i in range(len(spans))]
    times = make_times(
        [{"hit_id": hit, "accepted": a, "submitted": b} for hit, (a, b) in zip(hits, spans, strict=True)]
    )

    found = corrected_times(make_frame([{"hit_id": hit} for hit in hits]), times)

    assert found["concurrent"].to_list() == [max(_open_at(a, spans), _open_at(b, spans)) for a, b in spans]


def test_the_inputs_are_left_untouched(make_frame: Rows, make_times: Rows) -> None:
    frame, times = make_frame([{"seconds": 3.0}]), make_times([{"hit_id": "h1", "accepted": 0}])
    before = frame.clone(), times.clone()

    corrected_times(frame, times)

    assert frame.equals(before[0])
    assert times.equals(before[1])
