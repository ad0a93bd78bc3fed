from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.evaluation.normalisation.settings import NormalisationSettings
from steelyard.evaluation.normalisation.study import fit_all, random_resistance, ready_normalisation
from steelyard.exhibits.random_resistance import TABLE

OPTIONS = ExhibitOptions(methods=("weighted-vote", "two-stage"))
QUALITY = {"alpha": 75.0, "beta": 60.0, "gamma": 45.0}


@pytest.fixture(scope="module")
def source(crowd: pl.DataFrame, weighed: Callable[..., Evidence]) -> Evidence:
    """The toy crowd, and an expert who knows how good every translation is."""
    known = pl.col("system_id").replace_strict(QUALITY, return_dtype=pl.Float64)
    return weighed(crowd.with_columns(known=pl.when(pl.col("item_kind") == "regular").then(known)))


@pytest.fixture(scope="module")
def table(source: Evidence) -> Table:
    made = TABLE.make([source], OPTIONS)
    assert isinstance(made, Table)
    return made


def test_workers_come_first_and_methods_below(table: Table) -> None:
    assert table.rows["of"].to_list() == ["worker"] * 5 + ["method"] * 3
    assert table.rows["name"].to_list()[5:] == ["straight average", "weighted-vote", "two-stage"]
    assert table.borders == (5,)


def test_the_rows_are_those_of_a_study(table: Table, source: Evidence) -> None:
    settings = NormalisationSettings(methods=OPTIONS.methods, analysis=source.analysis.settings)
    study = ready_normalisation(source.frame, settings)

    workers, methods = random_resistance(study, fit_all(study))

    names = ("delta", "k_delta", "weighted_vote", "two_stage")
    assert table.rows.filter(of="worker").select(names).equals(workers.select(names))
    names = ("change", "r_scores", "r_before", "r_after")
    assert table.rows.filter(of="method").select(names).equals(methods.select(names))


def test_what_was_not_asked_for_has_no_column(source: Evidence) -> None:
    made = TABLE.make([source], replace(OPTIONS, methods=("two-stage",)))

    titles = [column.title for column in made.columns]
    assert "Weight, two-stage" in titles
    assert "Weight, weighted-vote" not in titles


def test_without_gold_nothing_is_told(evidence: Evidence) -> None:
    with pytest.raises(NotEnoughData, match="an expert must have rated at least three"):
        TABLE.make([evidence], OPTIONS)
