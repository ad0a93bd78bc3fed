from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl

from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.exhibits.workers import TABLE
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


def test_what_no_method_has_learnt_has_no_column(evidence: Evidence, options: ExhibitOptions) -> None:
    columns = TABLE.make([evidence], options).rows.columns

    assert not {"offset", "offset_sd", "slope", "precision", "weight", "portrait"} & set(columns)


def test_what_a_method_has_learnt_stands_beside_its_deviation(
    evidence: Evidence, learnt: Callable[[Evidence], Evidence], options: ExhibitOptions
) -> None:
    table = TABLE.make([learnt(evidence)], options)
    assert isinstance(table, Table)

    names = [column.name for column in table.columns]
    first = names.index("offset")
    assert names[first : first + 8] == [
        *("offset", "offset_sd", "slope", "slope_sd", "precision", "precision_sd", "weight", "portrait"),
    ]
    titles = {column.name: column.title for column in table.columns}
    assert titles["offset_sd"] == "± offset"


def test_each_worker_has_their_own_portrait(
    evidence: Evidence, learnt: Callable[[Evidence], Evidence], options: ExhibitOptions
) -> None:
    rows = TABLE.make([learnt(evidence)], options).rows

    # The constant worker is the fourth of six by name: slope 4/3, weight 4/4; the mean is exactly 50.
    dull = rows.row(by_predicate=pl.col("worker_id") == "dull", named=True)
    assert dull["portrait"] == (
        "neither harsh nor generous, stretches the scale one and a half times, "
        "as reliable as the average worker"
    )


def test_a_method_that_does_not_know_how_sure_it_is_has_no_deviations(
    evidence: Evidence, learnt: Callable[[Evidence], Evidence], options: ExhibitOptions
) -> None:
    source = learnt(evidence)
    workers = source.analysis.workers.drop("offset_sd").with_columns(slope_sd=pl.lit(None, pl.Float64))

    rows = TABLE.make([replace(source, analysis=replace(source.analysis, workers=workers))], options).rows

    assert {"offset", "slope", "precision_sd"} <= set(rows.columns)
    assert not {"offset_sd", "slope_sd"} & set(rows.columns)
