from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.domain.result import Analysis, AnalysisSettings
from steelyard.exhibits.ranking_variants import TABLE

Weighed = Callable[..., Evidence]
Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]


def test_raw_means_are_those_of_all_and_of_kept_workers(
    crowd: pl.DataFrame, evidence: Evidence, options: ExhibitOptions
) -> None:
    rows = TABLE.make([evidence], options).rows

    alpha = rows.row(by_predicate=pl.col("system_id") == "alpha", named=True)
    of_alpha = crowd.filter(pl.col("item_kind").is_in(["regular", "repeat"]), system_id="alpha")
    kept = of_alpha.filter(pl.col("worker_id").is_in(["ann", "bob", "cem"]))
    # Each segment weighs the same, however often it was judged.
    for name, judged in (("raw_all_score", of_alpha), ("raw_kept_score", kept)):
        assert alpha[name] == pytest.approx(
            judged.group_by("segment_id").agg("rating").select(pl.col("rating").list.mean().mean()).item()
        )


def test_the_chosen_analysis_stands_first_and_decides_the_order(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    chosen = weighed(crowd, method="mean-rating")

    table = TABLE.make([chosen], options)

    assert table.rows["chosen_score"].to_list() == chosen.analysis.systems["score"].to_list()
    assert table.rows["chosen_rank"].to_list() == [1, 2, 3]
    assert table.rows["chosen_score"].equals(table.rows["raw_kept_score"], check_names=False)
    assert [column.title for column in table.columns[:3]] == ["System", "mean-rating", "rank"]


def test_variants_filter_by_the_default_check_where_the_analysis_has_none(
    crowd: pl.DataFrame, evidence: Evidence, weighed: Weighed, options: ExhibitOptions
) -> None:
    unfiltered = TABLE.make([weighed(crowd, check="none")], options).rows

    usual = TABLE.make([evidence], options).rows
    assert unfiltered["z_kept_score"].equals(usual["z_kept_score"])
    assert unfiltered["z_all_score"].equals(unfiltered["chosen_score"], check_names=False)


def test_a_variant_in_which_nobody_passes_is_left_out_and_said_to_be(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    careless = crowd.filter(pl.col("worker_id").is_in(["dull", "ray"]))

    table = TABLE.make([weighed(careless, check="none")], options)

    names = [column.name for column in table.columns]
    assert "raw_all_score" in names
    assert "raw_kept_score" not in names
    assert [
        note for note in table.notes if note.startswith("Left out: raw, kept. paired-t: no worker passed")
    ]


def test_a_system_that_only_a_variant_ranks_comes_last_with_its_score(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    # Nobody but the random worker judged delta.
    delta = crowd.filter(worker_id="ray", system_id="gamma").with_columns(system_id=pl.lit("delta"))

    rows = TABLE.make([weighed(pl.concat([crowd, delta]))], options).rows

    last = rows.row(-1, named=True)
    assert (last["system_id"], last["chosen_score"], last["raw_kept_rank"]) == ("delta", None, None)
    assert last["raw_all_score"] is not None


def test_notes_tell_kendalls_tau_with_the_analysis(evidence: Evidence, options: ExhibitOptions) -> None:
    def reversed_order(settings: AnalysisSettings) -> Analysis:
        turned = evidence.analysis.systems.with_columns(-pl.col("score"))
        return replace(evidence.analysis, systems=turned)

    notes = TABLE.make([replace(evidence, analyse=reversed_order)], options).notes

    assert notes[1] == (
        "raw, all (mean-rating, check none): Kendall's tau with the analysis is −1.000 over 3 systems."
    )


def test_variants_cost_no_resampling_and_the_chosen_one_nothing(
    evidence: Evidence, options: ExhibitOptions
) -> None:
    asked: list[AnalysisSettings] = []

    def noted(settings: AnalysisSettings) -> Analysis:
        asked.append(settings)
        return evidence.analyse(settings)

    rows = TABLE.make([replace(evidence, analyse=noted)], options).rows

    assert [(settings.method, settings.check) for settings in asked] == [
        ("mean-rating", "none"),
        ("mean-rating", "paired-t"),
        ("mean-z", "none"),
    ]
    assert {settings.method_settings.draws for settings in asked} == {0}
    assert rows["z_kept_score"].equals(rows["chosen_score"], check_names=False)


def test_one_system_has_no_order(crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions) -> None:
    alone = crowd.filter(system_id="beta")

    with pytest.raises(NotEnoughData, match="only one system"):
        TABLE.make([weighed(alone)], options)


def test_a_second_source_adds_its_raw_ratings_of_all_and_of_kept_workers(
    crowd: pl.DataFrame, evidence: Evidence, weighed: Weighed, options: ExhibitOptions
) -> None:
    # The same workers on five points, where the best system is the worst.
    points = crowd.with_columns(rating=pl.lit(1.0) + (pl.col("rating") / 25).floor())
    swapped = points.with_columns(pl.col("system_id").replace({"alpha": "gamma", "gamma": "alpha"}))

    table = TABLE.make([evidence, replace(weighed(swapped), title="five points")], options)

    alone = TABLE.make([weighed(swapped)], options).rows.sort("system_id")
    rows = table.rows.sort("system_id")
    for name in ("raw_all", "raw_kept"):
        assert rows[f"{name}_2_score"].to_list() == alone[f"{name}_score"].to_list()
    assert "z_all_2_score" not in rows.columns
    assert "five points, raw, kept" in [column.title for column in table.columns]
    assert any("five points, raw, all" in note and "\N{MINUS SIGN}" in note for note in table.notes)
