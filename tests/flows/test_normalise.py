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
from steelyard.evaluation.normalisation.settings import Normalisation, NormalisationSettings
from steelyard.evaluation.normalisation.study import normalise_frame as normalise_frame
from steelyard.exhibits.studies.normalisation import normalisation_study
from steelyard.flows.normalise import normalise
from steelyard.flows.source import Source
from steelyard.frames import ratings_frame
from steelyard.report.study import study_json, study_text

ANALYSIS = AnalysisSettings(method_settings=MethodSettings(scale=Scale(1, 4)))
SETTINGS = NormalisationSettings(methods=("two-stage", "mean-z"), folds=3, analysis=ANALYSIS)


def _ratings(attribute: str) -> pl.DataFrame:
    """Six workers who judge twelve translations each on four points; an expert judged all but the first."""
    rng = np.random.default_rng(len(attribute))
    rows = [
        (f"w{w}", f"s{t:02}", float(np.clip(np.rint(1 + t / 4 + rng.normal(0, 0.3 + w / 5)), 1, 4)), t)
        for w in range(6)
        for t in range(12)
    ]
    table = pl.DataFrame(rows, schema=["worker_id", "segment_id", "rating", "known"], orient="row")
    same = {"hit_id": "h", "item_kind": "regular", "attribute": attribute, "system_id": "S"}
    return ratings_frame(
        table.with_columns(
            *(pl.lit(value).alias(name) for name, value in same.items()),
            known=pl.when(pl.col("known") > 0).then((1 + pl.col("known") / 4).round()),
        )
    )


@pytest.fixture(scope="module")
def source() -> Source:
    return Source(
        _ratings(""),
        title="Toys",
        campaign="toys",
        protocol="adequacy4",
        warnings=("Odd columns.",),
        scale=Scale(1, 4),
    )


@pytest.fixture(scope="module")
def study(source: Source) -> Normalisation:
    return normalise(source, SETTINGS)


def test_the_figures_are_those_of_the_sources_ratings(source: Source, study: Normalisation) -> None:
    alone = normalise_frame(source.frame, SETTINGS)

    assert study.rows.equals(alone.rows)
    assert study.random_workers.equals(alone.random_workers)
    assert study.resistance.equals(alone.resistance)


def test_title_and_warnings_are_the_sources(study: Normalisation) -> None:
    assert study.title == "Toys"
    assert study.warnings[0] == "Odd columns."


@pytest.mark.parametrize(
    ("settings", "signature"),
    [
        (
            SETTINGS,
            "campaign:toys|protocol:adequacy4|qc:none|gold:11|folds:3|methods:mean-rating,two-stage,mean-z|"
            "scale:1,4|random:5|seed:7",
        ),
        (
            NormalisationSettings(
                methods=("two-stage",),
                random_workers=False,
                analysis=AnalysisSettings(
                    seed=1,
                    method_settings=MethodSettings(
                        for_others=(
                            ("gold_form", "printed"),
                            ("gold_expected", "gold"),
                            ("vote_by", "others"),
                            ("without_gold", "shrunk"),
                        ),
                        unit="worker",
                        gold_scale=Scale(0, 3),
                    ),
                ),
            ),
            "campaign:toys|protocol:adequacy4|qc:none|gold:11|folds:10|methods:mean-rating,two-stage|"
            "unit:worker|gold-form:printed|gold-expected:gold|vote-by:others|without-gold:shrunk|"
            "gold-scale:0,3|seed:1",
        ),
    ],
)
def test_the_signature_tells_every_choice(
    source: Source, settings: NormalisationSettings, signature: str
) -> None:
    assert normalise(source, settings).signature.partition("|")[2] == signature


def test_one_attribute_of_several_can_be_taken(source: Source, study: Normalisation) -> None:
    both = pl.concat([source.frame.with_columns(attribute=pl.lit("sense")), _ratings("fluency")])
    only = replace(SETTINGS, analysis=replace(ANALYSIS, attribute="sense"))

    found = normalise(replace(source, frame=both), only)

    assert found.rows.equals(study.rows)
    assert "|attribute:sense|" in found.signature


def test_an_attribute_that_nobody_rated_is_refused(source: Source) -> None:
    with pytest.raises(SourceError, match="no rating is of attribute 'wit'"):
        normalise(source, replace(SETTINGS, analysis=replace(ANALYSIS, attribute="wit")))


def test_progress_is_told_of_every_run_of_a_method(source: Source, heard: Any) -> None:
    normalise(source, SETTINGS, progress=heard.progress)

    # Three methods: with all gold, without any, on three folds, and with random workers.
    assert heard.announced == [("Normalising", 18)]
    assert sum(heard.steps) == 18


def test_the_text_has_tables_the_conclusion_warnings_and_the_signature(study: Normalisation) -> None:
    text = study_text(normalisation_study(study))

    lines = text.splitlines()
    assert lines[0] == "Normalisation against an expert: Toys – gold known to the methods"
    for heading in ("– gold held out", "– five who click at random", "– scores with and without them"):
        assert text.count(heading) == 1
    assert study.conclusion in " ".join(lines)
    assert "Warning: Odd columns." in lines
    assert lines[-1] == study.signature


def test_the_text_shows_no_column_that_tells_nothing(study: Normalisation) -> None:
    known, held_out, *_ = study_text(normalisation_study(study)).split("\n\nNormalisation against an expert")

    assert "Without score" not in known
    assert "Workers' K" in known
    assert "straight average  " in held_out
    assert "Workers' K" not in held_out.partition("Over 11")[0]


def test_without_random_workers_nothing_is_said_of_them(source: Source) -> None:
    study = normalise(source, replace(SETTINGS, random_workers=False))

    assert "random" not in study_text(normalisation_study(study))
    assert json.loads(study_json([normalisation_study(study)]))["random_workers"] == []


def test_json_keeps_full_precision_and_null(study: Normalisation) -> None:
    document = json.loads(study_json([normalisation_study(study)]))

    assert [row["held_out_r"] for row in document["methods"]] == study.rows["held_out_r"].to_list()
    assert document["methods"][0]["difference"] is None
    assert document["settings"] == {
        "methods": ["mean-rating", "two-stage", "mean-z"],
        "folds": 3,
        "random_workers": True,
        "gold_form": "usual",
        "gold_expected": "uniform",
        "vote_by": "gold",
        "without_gold": "exclude",
        "seed": 7,
    }
    assert set(document) == {
        *("signature", "title", "settings", "n_gold", "n_folds", "n_categories", "methods"),
        *("random_workers", "resistance", "conclusion", "warnings"),
    }
