"""What is said about the precision of single translations, from scores made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.exhibits.stopping import TABLE


@pytest.fixture
def source(evidence: Evidence, learnt: Callable[[Evidence], Evidence]) -> Evidence:
    """Scores of -1 and 1 in turn with deviations of 0.3, and one of 0.5."""
    found = learnt(evidence)
    place = pl.int_range(pl.len())
    segments = found.analysis.segments.with_columns(
        score=pl.when(place % 2 == 0).then(-1.0).otherwise(1.0),
        sd=pl.when(place == 0).then(0.5).otherwise(0.3),
    )
    return replace(found, analysis=replace(found.analysis, segments=segments))


def table(source: Evidence, **choices: float) -> Table:
    made = TABLE.make([source], ExhibitOptions(**choices))  # type: ignore[arg-type]
    assert isinstance(made, Table)
    return made


def test_all_translations_come_first_and_then_those_of_each_system(source: Evidence) -> None:
    rows = table(source, target_sd=0.4).rows

    n_items = len(source.analysis.segments)
    assert rows["system_id"].to_list() == ["all", *source.analysis.systems["system_id"]]
    assert rows["n_items"][0] == sum(rows["n_items"][1:]) == n_items
    assert rows["n_precise"][0] == n_items - 1
    known = source.analysis.segments["score"].var(ddof=0)
    unknown = (0.25 + (n_items - 1) * 0.09) / n_items
    assert rows["correlation"][0] == pytest.approx((known / (known + unknown)) ** 0.5)


def test_it_says_whether_the_campaign_may_stop(source: Evidence) -> None:
    unsure = source.analysis.segments.with_columns(sd=pl.lit(0.8))

    assert table(source).notes[0].startswith("The campaign may stop: the predicted r is 0.9 or more")
    go_on = table(replace(source, analysis=replace(source.analysis, segments=unsure))).notes[0]
    assert go_on.startswith("Go on: the predicted correlation with the truth is 0.")


def test_one_worker_is_never_enough(source: Evidence) -> None:
    alone = source.frame.filter(worker_id=source.kept["worker_id"][0])
    single = replace(source, judged=alone, keeps=pl.Series([True] * len(alone)))

    found = table(single, target_sd=9.0)

    assert found.rows["n_precise"][0] == 0
    assert "with fewer than 2 workers" in found.notes[0]


def test_means_do_not_know_how_uncertain_they_are(evidence: Evidence, options: ExhibitOptions) -> None:
    with pytest.raises(NotEnoughData, match="mean-z does not know how uncertain its scores"):
        TABLE.make([evidence], options)
