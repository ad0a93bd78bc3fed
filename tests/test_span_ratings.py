"""Ratings from marked errors, and the official scores of published MQM ratings."""

from __future__ import annotations

import gzip
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import steelyard as sy
from steelyard.cli.main import run
from steelyard.domain.errors import ChoiceError, SourceError
from steelyard.domain.result import MethodSettings
from steelyard.domain.span_weights import WEIGHTS
from steelyard.frames import spans_frame, standardise_ratings
from steelyard.span_ratings import span_ratings, span_scale

DATA = Path(__file__).parents[2] / "shared" / "data"
published = pytest.mark.skipif(not (DATA / "mqm-ted").is_dir(), reason="the folder of real data is absent")
# Worker, system, segment, kind, severity, category.
ROWS = [
    ("w1", "A", "1", "regular", "major", "Accuracy/Omission"),
    ("w1", "A", "1", "regular", "minor", "Fluency/Punctuation"),
    ("w1", "A", "1", "regular", "minor", "Fluency/Punctuation"),
    ("w1", "B", "1", "regular", None, None),
    ("w1", "B", "1", "degraded", "critical", None),
    ("w2", "A", "1", "regular", "minor", None),
]
NAMES = ("worker_id", "system_id", "segment_id", "item_kind", "severity", "category")


def _spans() -> pl.DataFrame:
    rows = pl.DataFrame(ROWS, schema=dict.fromkeys(NAMES, pl.String), orient="row")
    return spans_frame(rows.with_columns(hit_id=pl.lit("h"), attribute=pl.lit(""), side=pl.lit("target")))


def test_a_rating_is_minus_what_the_errors_of_a_translation_cost() -> None:
    found = span_ratings(_spans(), WEIGHTS["marot"])

    assert found.select("worker_id", "system_id", "item_kind", "rating").rows() == [
        ("w1", "A", "regular", -5.2),
        ("w1", "B", "regular", 0.0),
        ("w1", "B", "degraded", -5.0),
        ("w2", "A", "regular", -1.0),
    ]
    assert str(found["rating"][1]) == "0.0"


def test_the_scale_reaches_from_the_worst_rating_to_0() -> None:
    ratings = span_ratings(_spans(), WEIGHTS["mtme"])

    assert (span_scale(ratings).minimum, span_scale(ratings).maximum) == (-25.0, 0.0)
    assert span_scale(ratings.with_columns(rating=pl.lit(-31.5))).minimum == -31.5


def test_ratings_from_errors_are_standardised_by_worker() -> None:
    # By mtme w1 gives -5.2 and 0 and, to a degraded copy, 0 (critical has no weight there): mean -5.2/3.
    ratings = span_ratings(_spans(), WEIGHTS["mtme"])

    z = standardise_ratings(ratings, MethodSettings(minimum_ratings=2)).z

    given = np.array([-5.2, 0.0, 0.0])
    expected = (given + 5.2 / 3) / np.sqrt(((given + 5.2 / 3) ** 2).sum() / 2)
    # w2 gave one rating, which has no deviation.
    np.testing.assert_allclose(z, [*expected, np.nan])


def test_mean_z_of_errors_is_that_of_the_same_numbers_given_as_ratings(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    marks, ratings = ["worker,system,segment,start,end,severity"], ["worker,system,segment,rating"]
    for worker, system, segment in product("abc", "XY", range(8)):
        given = rng.choice(["minor", "major", ""], size=2).tolist()
        marks += [f"{worker},{system},{segment},,,{severity}" for severity in dict.fromkeys(given)]
        cost = sum({"minor": 1, "major": 5, "": 0}[severity] for severity in dict.fromkeys(given))
        ratings.append(f"{worker},{system},{segment},{-cost}")
    files = [_written(tmp_path, name, *lines) for name, lines in (("m.csv", marks), ("r.csv", ratings))]

    by_errors = sy.analyse(sy.read(files[0], weights="mtme"), method="mean-z", check="none", draws=0)
    given_ratings = sy.analyse(sy.read(files[1], scale=(-25, 0)), method="mean-z", check="none", draws=0)

    columns = ["system_id", "score"]
    assert_frame_equal(by_errors.systems.select(columns), given_ratings.systems.select(columns))


@published
@pytest.mark.parametrize("weights", [None, "mtme"])
def test_the_worker_model_reads_scores_and_errors_of_error_span_annotation(weights: str | None) -> None:
    path = DATA / "esa-wmt23-en-de" / "ESA-2b.judgements.csv.gz"

    analysis = sy.analyse(sy.read(str(path), weights=weights), method="worker-model", draws=0)

    assert analysis.diagnostics is not None
    assert analysis.diagnostics.converged
    assert len(analysis.systems) == 13
    assert analysis.systems["score"].is_finite().all()


def _written(folder: Path, name: str, header: str, *rows: str) -> str:
    (folder / name).write_text("\n".join([header, *rows, ""]), "utf-8")
    return str(folder / name)


def test_unknown_weights_and_judgements_without_errors_are_refused(tmp_path: Path) -> None:
    ratings = _written(tmp_path, "r.csv", "worker,segment,rating,system", "w1,1,50,A")
    spans = _written(
        tmp_path, "s.csv", "worker,system,segment,start,end,severity", "w1,A,1,0,2,minor", "w1,B,1,,,"
    )

    with pytest.raises(ChoiceError, match="have none"):
        sy.read(ratings, weights="mtme")
    with pytest.raises(ChoiceError, match="marot"):
        sy.read(spans, weights="marrot")
    assert sy.read(spans).frame["rating"].to_list() == [-1.0, 0.0]
    assert sy.read(pl.read_csv(spans), weights="marot").source.weights == "marot"


def test_errors_that_no_weights_know_are_told_of(tmp_path: Path) -> None:
    columns = "worker,system,segment,start,end,severity"
    rows = ("w1,A,1,0,2,Major", "w1,A,1,2,4,grave", "w1,B,1,0,2,grave")

    read = sy.read(_written(tmp_path, "s.csv", columns, *rows), weights="wmt24")

    assert read.frame["rating"].to_list() == [-5.0, 0.0]
    assert [warning for warning in read.source.warnings if "cost nothing" in warning] == [
        "Errors of an unknown severity cost nothing: 2 errors with the severity grave. Weights know neutral, "
        "trivial, minor, major, critical, undecided."
    ]


def test_domains_come_from_a_file_that_must_know_every_document(tmp_path: Path) -> None:
    rows = ("w1,1,50,A,d1", "w1,2,60,A,d2")
    ratings = _written(tmp_path, "r.csv", "worker,segment,rating,system,document", *rows)
    domains = _written(tmp_path, "d.tsv", "canary line\tGUID", "news\td1", "news\td1", "social\td2")
    part = _written(tmp_path, "e.tsv", "news\td1")
    mixed = _written(tmp_path, "f.tsv", "news\td1", "social\td1", "alone", "social\td2")

    assert sy.read(ratings, domains=domains).frame["domain"].to_list() == ["news", "social"]
    with pytest.raises(SourceError, match="1 document of the judgements is not in it: d2"):
        sy.read(ratings, domains=part)
    with pytest.raises(SourceError) as refused:
        sy.read(ratings, domains=mixed)
    assert [problem.partition(":")[0] for problem in refused.value.problems] == ["line 2", "line 3"]


@published
def test_segment_scores_of_published_mqm_ratings_are_the_official_ones() -> None:
    text = gzip.decompress((DATA / "mqm-ted" / "expected" / "en-de.segments.tsv.gz").read_bytes()).decode()
    cells = [line.replace("\t", " ").split(" ") for line in text.splitlines()[1:]]
    official = {(system, segment): float(score) for system, score, segment in cells if score != "None"}

    found = sy.analyse(
        sy.read(DATA / "mqm-ted" / "en-de.mqm.tsv.gz"), method="mean-rating", check="none", draws=0
    )

    # The official scores call the reference by another name than the ratings.
    scores = {
        ("ref-A" if system == "ref" else system, segment): score
        for system, segment, score in found.segments.select("system_id", "segment_id", "score").iter_rows()
    }
    assert scores.keys() == official.keys()
    assert len(scores) == 7406
    assert max(abs(scores[cell] - official[cell]) for cell in scores) < 1e-9
    assert "|weights:mtme|" in found.signature


@published
def test_scores_people_gave_are_the_ratings_unless_weights_are_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = str(DATA / "wmt24-esa" / "en-zh.appraise.csv.gz")

    assert sy.read(source).frame["rating"].max() == 100.0
    by_errors = sy.read(source, weights="mtme").frame
    assert by_errors["rating"].max() == 0.0
    assert len(by_errors) == len(sy.read(source).frame)
    assert run(["table", "ranking", source, "--weights", "marot", "--draws", "0"]) == 0
    assert "weights:marot" in capsys.readouterr().out
