from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.domain.result import MethodSettings
from steelyard.domain.scale import Scale
from steelyard.evaluation.normalisation.settings import NormalisationSettings
from steelyard.evaluation.normalisation.study import normalise_frame
from steelyard.exhibits.normalisation import TABLE

Weighed = Callable[..., Evidence]
OPTIONS = ExhibitOptions(methods=("two-stage", "mean-z"))
QUALITY = {"alpha": 75.0, "beta": 60.0, "gamma": 45.0}


@pytest.fixture(scope="module")
def gold(crowd: pl.DataFrame) -> pl.DataFrame:
    """The toy crowd's judgements; of the first five segments an expert gave what the quality is."""
    known = pl.col("system_id").replace_strict(QUALITY, return_dtype=pl.Float64)
    is_gold = pl.col("segment_id").is_in([f"s{s}" for s in range(5)]) & (pl.col("item_kind") == "regular")
    return crowd.with_columns(known=pl.when(is_gold).then(known))


@pytest.fixture(scope="module")
def source(gold: pl.DataFrame, weighed: Weighed) -> Evidence:
    return weighed(gold)


@pytest.fixture(scope="module")
def table(source: Evidence) -> Table:
    made = TABLE.make([source], OPTIONS)
    assert isinstance(made, Table)
    return made


def _cells(table: Table, gold: str, *names: str) -> list[tuple[Any, ...]]:
    return table.rows.filter(gold=gold).select(names).rows()


def test_the_halves_are_those_of_a_study_of_everybodys_ratings(table: Table, source: Evidence) -> None:
    settings = NormalisationSettings(methods=OPTIONS.methods, analysis=source.analysis.settings)
    rows = normalise_frame(source.frame, replace(settings, random_workers=False)).rows

    assert _cells(table, "known", "retained", "r", "delta", "worker_kappa") == (
        rows.select("retained", "r", "delta", "worker_kappa").rows()
    )
    assert _cells(table, "held out", "r", "delta", "difference", "upper") == (
        rows.select("held_out_r", "held_out_delta", "difference", "upper").rows()
    )
    assert table.rows["retained"][0] == len(
        source.frame.filter(pl.col("item_kind").is_in(["regular", "repeat"]))
    )


def test_methods_are_called_as_in_the_paper(table: Table) -> None:
    assert table.rows["shown"].to_list() == ["straight average", "two-stage", "mean-z"] * 2
    assert table.borders == (3,)


def test_notes_tell_how_gold_was_held_out_and_what_agrees(table: Table) -> None:
    told = " ".join(table.notes)

    assert "Over 15 gold translations. Held out: in 10 parts" in told
    assert "one of 5 equal parts of the scale" in told
    assert "From everybody's judgements" in told


def test_on_points_categories_are_the_points(gold: pl.DataFrame, weighed: Weighed) -> None:
    points = gold.with_columns((pl.col("rating", "known") / 25).round().clip(1, 4))
    settings = MethodSettings(draws=0, scale=Scale(1, 4))
    source = weighed(points, method_settings=settings, check="none")

    made = TABLE.make([source], replace(OPTIONS, methods=("scaling",)))

    told = " ".join(made.notes)
    assert "the nearest point of the scale; K: beyond a chance of 1/4" in told


def test_without_gold_it_is_said_where_to_put_it(evidence: Evidence) -> None:
    with pytest.raises(NotEnoughData, match=r"\[gold\] table of the campaign file"):
        TABLE.make([evidence], OPTIONS)
