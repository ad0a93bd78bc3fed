"""Scores of an analysis as a folder for judging metrics."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from steelyard.cli.main import run
from steelyard.domain.errors import SourceError
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.flows.analyse import weigh
from steelyard.flows.campaign_texts import translations_of
from steelyard.flows.metric_folder import WrittenFolder, write_metric_folder
from steelyard.flows.open import open_campaign
from steelyard.flows.source import read_source
from steelyard.formats.metric_folder import read_metric_folder
from steelyard.formats.mt_metrics_eval import read_mt_metrics_eval
from steelyard.formats.texts import LanguagePair
from steelyard.meta.scores import ScoreSet

DATA = Path(__file__).parents[3] / "shared" / "data" / "wmt21-toen"
PLAIN = AnalysisSettings(method="mean-rating", check="none", method_settings=MethodSettings(draws=0))
ROWS = """worker,system,segment,document,rating
w1,Online A,s10,d2,40
w1,Online A,s9,d1,60
w2,lab,s9,d1,80
w2,lab,s2,d1,20
"""


@pytest.fixture(scope="module")
def collected(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a campaign that simulated workers finished, eval.db."""
    folder = tmp_path_factory.mktemp("collected")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    assert run(["create", str(folder / "campaign.toml"), "--db", str(folder / "eval.db")]) == 0
    assert run(["simulate", str(folder / "eval.db")]) == 0
    return folder


@pytest.fixture(scope="module")
def written(collected: Path) -> Path:
    """The folder that `analyse` made of it, beside the segment scores as a table."""
    target = collected / "metrics"
    options = ["--draws", "0", "--segments", str(collected / "segments.csv"), "--metric-folder", str(target)]
    assert run(["analyse", str(collected / "eval.db"), *options]) == 0
    return target


def write_file(folder: Path, rows: str, **names: str | None) -> WrittenFolder:
    """Analyse a judgements file and write the folder `out` beside it."""
    path = folder / "judgements.csv"
    path.write_text(rows, "utf-8")
    evidence = weigh(read_source(str(path)), PLAIN)
    return write_metric_folder(str(path), evidence, folder / "out", **names)


def cells(scores: ScoreSet, segments: list[str]) -> dict[tuple[str, str], float]:
    assert scores.segments is not None
    return {
        (system, segment): score
        for system, row in zip(scores.systems, scores.segments.tolist(), strict=True)
        for segment, score in zip(segments, row, strict=True)
        if not np.isnan(score)
    }


def test_scores_are_those_of_the_table_line_by_line(collected: Path, written: Path) -> None:
    with (collected / "segments.csv").open() as file:
        rows = list(csv.DictReader(file))
    segments = (written / "de-en.segments.txt").read_text("utf-8").splitlines()

    scored = read_metric_folder(written, "de-en")

    for gold, column in zip(scored.golds, ("score", "mean_rating"), strict=True):
        expected = {(row["system_id"], row["segment_id"]): float(row[column]) for row in rows if row[column]}
        assert cells(gold, segments) == expected


def test_the_gold_bears_the_name_of_the_attribute(written: Path) -> None:
    golds = read_metric_folder(written, "de-en").golds

    assert [gold.name for gold in golds] == ["adequacy", "adequacy-raw"]
    assert all(gold.overall is not None for gold in golds)


def test_texts_and_documents_are_those_of_the_campaign(collected: Path, written: Path) -> None:
    with open_campaign(str(collected / "eval.db")) as campaign:
        texts = translations_of(campaign)

    pair = LanguagePair("de", "en")
    back = read_mt_metrics_eval(written, pair=pair, reference="refA", incomplete=True)

    assert {name: tuple(lines) for name, lines in back.translations.items()} == texts.translations
    assert [segment.reference for segment in back.segments] == [each.reference for each in texts.segments]
    assert [segment.document_id for segment in back.segments] == [each.document_id for each in texts.segments]


def test_other_scores_may_join_the_folder(collected: Path, written: Path) -> None:
    options = ["--draws", "0", "--method", "mean-rating", "--gold-name", "plain"]

    assert run(["analyse", str(collected / "eval.db"), "--metric-folder", str(written), *options]) == 0

    assert [gold.name for gold in read_metric_folder(written, "de-en", golds=["plain"]).golds] == ["plain"]


def test_scores_that_are_there_are_not_written_over(
    collected: Path, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (written / "human-scores/de-en.adequacy.seg.score").read_text("utf-8")

    options = ["--draws", "0", "--check", "none", "--metric-folder", str(written)]
    assert run(["analyse", str(collected / "eval.db"), *options]) == 2

    captured = capsys.readouterr()
    assert "human-scores/de-en.adequacy.seg.score: already exists" in captured.err
    # What was analysed is printed all the same.
    assert "steelyard:" in captured.out
    assert (written / "human-scores/de-en.adequacy.seg.score").read_text("utf-8") == before


def test_what_was_written_is_told_beside_json(
    collected: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--draws", "0", "--json", "-", "--pair", "deu-eng", "--metric-folder", str(tmp_path / "new")]

    assert run(["analyse", str(collected / "eval.db"), *options]) == 0

    captured = capsys.readouterr()
    assert json.loads(captured.out)["counts"]["systems"] > 0
    assert "Scores and texts of" in captured.err
    assert "(deu-eng; adequacy, adequacy-raw)" in captured.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metric-folder", "out"], "add --pair"),
        (["--pair", "de-en"], "belong to --metric-folder"),
        (["--gold-name", "da"], "belong to --metric-folder"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "judgements.csv"
    path.write_text(ROWS, "utf-8")

    assert run(["analyse", str(path), *options]) == 2

    assert message in capsys.readouterr().err


def test_a_file_needs_a_pair(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="give the pair"):
        write_file(tmp_path, ROWS)


def test_segments_of_a_file_are_in_natural_order(tmp_path: Path) -> None:
    made = write_file(tmp_path, ROWS, pair="cs-en")

    scored = read_metric_folder(tmp_path / "out", "cs-en")
    assert (tmp_path / "out/cs-en.segments.txt").read_text("utf-8") == "s2\ns9\ns10\n"
    assert scored.documents == ("d1", "d1", "d2")
    assert cells(scored.golds[0], ["s2", "s9", "s10"]) == {
        ("Online_A", "s9"): 60,
        ("Online_A", "s10"): 40,
        ("lab", "s2"): 20,
        ("lab", "s9"): 80,
    }
    assert (made.n_systems, made.n_segments, made.has_texts, made.golds) == (2, 3, False, ("da",))


def test_names_that_the_layout_cannot_hold_are_changed_and_told(tmp_path: Path) -> None:
    made = write_file(tmp_path, ROWS, pair="cs-en", gold_name="my scores")

    assert made.golds == ("my_scores",)
    assert made.warnings == (
        'Names of systems may hold neither spaces nor slashes there: "Online A" is Online_A.',
    )


def test_names_that_would_be_the_same_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="would have the same names"):
        write_file(tmp_path, ROWS.replace("lab", "Online_A"), pair="cs-en")


def test_the_gold_of_a_file_is_named_after_its_only_attribute(tmp_path: Path) -> None:
    rows = ROWS.replace("document,", "attribute,").replace("d1", "fluency").replace("d2", "fluency")

    assert write_file(tmp_path, rows, pair="cs-en").golds == ("fluency",)
    assert read_metric_folder(tmp_path / "out", "cs-en").documents is None


def test_segments_in_several_documents_leave_documents_unknown(tmp_path: Path) -> None:
    made = write_file(tmp_path, ROWS.replace("s2,d1", "s9,d2"), pair="cs-en")

    assert read_metric_folder(tmp_path / "out", "cs-en").documents is None
    assert "Some segments are in several documents, so no documents were written." in made.warnings


@pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")
def test_published_segment_scores_stand_at_their_lines(tmp_path: Path) -> None:
    with gzip.open(DATA / "expected" / "cs-en.segments.csv.gz", "rt") as file:
        expected = {(row["system"], row["segment"]): float(row["z"]) for row in csv.DictReader(file)}
    options = ["--recipe", "wmt", "--check", "none", "--draws", "0", "--pair", "cs-en"]

    path = str(DATA / "cs-en.judgements.csv.gz")
    assert run(["analyse", path, *options, "--metric-folder", str(tmp_path / "out")]) == 0

    segments = (tmp_path / "out/cs-en.segments.txt").read_text("utf-8").splitlines()
    gold = read_metric_folder(tmp_path / "out", "cs-en", golds=["da"]).golds[0]
    # The official means and deviations were rounded to seven digits.
    assert cells(gold, segments) == pytest.approx(expected, abs=3e-5)
