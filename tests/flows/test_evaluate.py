from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import SourceError
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.domain.scale import Scale
from steelyard.evaluation.comparison import evaluate_frame as evaluate_frame
from steelyard.evaluation.settings import Evaluation, EvaluationSettings
from steelyard.exhibits.studies.evaluation import evaluation_study, evaluation_table
from steelyard.flows.evaluate import evaluate
from steelyard.flows.source import Source
from steelyard.frames import ratings_frame
from steelyard.report.study import study_json, study_text

SETTINGS = EvaluationSettings(draws=2, ratings=(1, 2), spam=(0.0, 0.5), methods=("mean-rating",))


def _ratings(attribute: str) -> pl.DataFrame:
    """Eight workers who judge twelve translations each, noisily."""
    rng = np.random.default_rng(len(attribute))
    rows = [
        (f"w{w}", f"S{t % 3}", f"s{t // 3}", float(np.clip(round(8 * t + rng.normal(0, 20)), 0, 100)))
        for w in range(8)
        for t in range(12)
    ]
    table = pl.DataFrame(rows, schema=["worker_id", "system_id", "segment_id", "rating"], orient="row")
    same = {"hit_id": "h", "item_kind": "regular", "attribute": attribute}
    return ratings_frame(table.with_columns(pl.lit(value).alias(name) for name, value in same.items()))


@pytest.fixture(scope="module")
def source() -> Source:
    return Source(_ratings(""), title="Toys", campaign="toys", protocol="da", warnings=("Odd columns.",))


@pytest.fixture(scope="module")
def evaluation(source: Source) -> Evaluation:
    return evaluate(source, SETTINGS)


def test_the_rows_are_those_of_the_sources_ratings(source: Source, evaluation: Evaluation) -> None:
    assert evaluation.rows.equals(evaluate_frame(source.frame, SETTINGS).rows)


def test_title_and_warnings_are_the_sources(evaluation: Evaluation) -> None:
    assert evaluation.title == "Toys"
    assert "Odd columns." in evaluation.warnings


@pytest.mark.parametrize(
    ("settings", "signature"),
    [
        (
            SETTINGS,
            "campaign:toys|protocol:da|level:segments|truth:others|share:0.5|least:3|ratings:1,2|spam:0,0.5|"
            "methods:mean-z,mean-rating|draws:2|seed:7",
        ),
        (
            EvaluationSettings(
                draws=2,
                level="systems",
                share=0.3,
                methods=("mean-z",),
                analysis=AnalysisSettings(seed=1, method_settings=MethodSettings(scale=Scale(-5, 100))),
            ),
            "campaign:toys|protocol:da|level:systems|truth:others|share:0.3|spam:0|methods:mean-z|"
            "scale:-5,100|draws:2|seed:1",
        ),
        (
            replace(SETTINGS, truth="all", least_truth=4, ratings=(1,), spam=(0.0,)),
            "campaign:toys|protocol:da|level:segments|truth:all|least:4|ratings:1|spam:0|"
            "methods:mean-z,mean-rating|qc:paired-t|draws:2|seed:7",
        ),
    ],
)
def test_the_signature_tells_every_choice(
    source: Source, settings: EvaluationSettings, signature: str
) -> None:
    assert evaluate(source, settings).signature.partition("|")[2] == signature


def test_one_attribute_of_several_can_be_taken(source: Source, evaluation: Evaluation) -> None:
    both = pl.concat([source.frame.with_columns(attribute=pl.lit("sense")), _ratings("fluency")])
    only = replace(SETTINGS, analysis=AnalysisSettings(attribute="sense"))

    found = evaluate(replace(source, frame=both), only)

    assert found.rows.equals(evaluation.rows)
    assert "|attribute:sense|" in found.signature


@pytest.mark.parametrize("choice", [{"attribute": "wit"}, {"check_attributes": ("wit",)}])
def test_an_attribute_that_nobody_rated_is_refused(source: Source, choice: dict[str, object]) -> None:
    analysis = replace(AnalysisSettings(), **choice)

    with pytest.raises(SourceError, match="no rating is of attribute 'wit'"):
        evaluate(source, replace(SETTINGS, analysis=analysis))


def test_progress_is_told_of_every_method_run(source: Source, heard: Any) -> None:
    evaluate(source, SETTINGS, progress=heard.progress)

    # Two draws, sizes, shares of clickers and methods.
    assert heard.announced == [("Trying methods", 16)]
    assert sum(heard.steps) == 16


def test_the_text_has_a_table_the_conclusion_warnings_and_the_signature(evaluation: Evaluation) -> None:
    lines = study_text(evaluation_study(evaluation)).splitlines()

    assert lines[0] == "Which method comes closest to the truth: Toys"
    assert any(line.split("  ")[0] == "ratings" for line in lines[2:5])
    assert evaluation.conclusion in " ".join(lines)
    assert "Warning: Odd columns." in lines
    assert lines[-1] == evaluation.signature


def test_the_highest_correlation_of_each_kind_of_trial_is_marked(evaluation: Evaluation) -> None:
    rows = evaluation.rows.with_columns(
        marked=evaluation_table(evaluation).rows["marked"].str.ends_with(" *")
    )

    best = rows.filter("marked")

    assert len(best) == 4
    assert (
        best["r"].to_list()
        == rows.group_by("ratings", "spam", maintain_order=True).agg(pl.col("r").max())["r"].to_list()
    )


def test_columns_that_tell_nothing_are_not_shown(source: Source) -> None:
    table = evaluation_table(
        evaluate(source, EvaluationSettings(draws=2, level="systems", methods=("mean-z",)))
    )

    shown = {column.name for column in table.columns}
    assert not shown & {"level", "ratings", "spam", "scored", "coverage", "wins"}


def test_json_keeps_full_precision_and_null(evaluation: Evaluation) -> None:
    document = json.loads(study_json([evaluation_study(evaluation)]))

    assert [row["r"] for row in document["rows"]] == evaluation.rows["r"].to_list()
    assert document["rows"][0]["wins"] is None
    assert document["settings"]["ratings"] == [1, 2]
    assert document["settings"]["least_truth"] == 3
    assert set(document) == {"signature", "title", "settings", "rows", "conclusion", "warnings"}
