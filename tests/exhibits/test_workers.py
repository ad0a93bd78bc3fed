from __future__ import annotations

from collections.abc import Callable

import polars as pl

from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.exhibits.tables.workers import TABLE
from steelyard.frames import hit_times_frame

Weighed = Callable[..., Evidence]


def test_those_who_need_a_persons_eye_come_first(evidence: Evidence, options: ExhibitOptions) -> None:
    rows = TABLE.make([evidence], options).rows

    # Both failed and were hurried; the newcomer has a flag, the careful ones have none.
    assert rows["worker_id"].to_list() == ["dull", "ray", "new", "ann", "bob", "cem"]
    assert rows["verdict"].to_list() == ["fail", "fail", "insufficient", "pass", "pass", "pass"]


def test_flags_and_their_reasons_are_words(evidence: Evidence, options: ExhibitOptions) -> None:
    rows = TABLE.make([evidence], options).rows

    newcomer = rows.row(by_predicate=pl.col("worker_id") == "new", named=True)
    assert newcomer["flags"] == "time"
    assert "2.0 seconds per item" in newcomer["remarks"]
    assert rows["flags"].to_list()[-1] == ""


def test_the_advice_is_a_sentence_and_a_manager_decides(evidence: Evidence, options: ExhibitOptions) -> None:
    table = TABLE.make([evidence], options)

    assert table.rows["suggestion"].to_list()[-1] == "Pay."
    assert "A manager decides" in table.notes[0]


def test_a_rejected_hit_is_counted_for_its_worker(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    rejected = hit_times_frame(
        pl.DataFrame({"worker_id": ["bob"], "hit_id": ["hit of bob"], "is_rejected": [True]})
    )

    rows = TABLE.make([weighed(crowd, hit_times=rejected)], options).rows

    assert dict(rows.select("worker_id", "excluded_hits").iter_rows()) == {
        "ann": 0,
        "bob": 1,
        "cem": 0,
        "dull": 0,
        "new": 0,
        "ray": 0,
    }


def test_without_a_check_everyone_is_listed_without_a_verdict(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    rows = TABLE.make([weighed(crowd, check="none")], options).rows

    assert rows["verdict"].to_list() == [None] * 6
    assert rows["mean"].null_count() == 0
