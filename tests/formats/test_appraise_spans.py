"""Errors marked in Appraise: places, severities and categories, and what is refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import polars as pl
import pytest

from steelyard.domain.errors import SourceError
from steelyard.formats.judgements_file import JudgementsFile, read_judgements

DATA = Path(__file__).parents[3] / "shared" / "data"
published = pytest.mark.skipif(not (DATA / "wmt24-esa").is_dir(), reason="the folder of real data is absent")
MISSING = {"start_i": "missing", "end_i": "missing", "severity": "major", "error_type": None}


def _span(start: int, end: int, severity: str = "minor", kind: object = None) -> dict[str, object]:
    return {"start_i": start, "end_i": end, "severity": severity, "error_type": kind}


def _read(
    folder: Path, *answers: object, score: int | str = 70, documents: tuple[str, ...] = ()
) -> JudgementsFile:
    """One account's answers, one item each, in documents of their own unless named."""
    text = io.StringIO()
    for number, answer in enumerate(answers):
        document = documents[number] if documents else f"news.{number}"
        spans = answer if isinstance(answer, str) else json.dumps(answer)
        kind = "BAD" if "#bad" in document else "TGT"
        times = (f"{10 * number}.0", f"{10 * number + 5}.0")
        csv.writer(text).writerow(
            ("acc1", "sys-A", 500, kind, "eng", "zho", score, document, "False", spans, *times)
        )
    (folder / "scores.csv").write_text(text.getvalue(), "utf-8")
    return read_judgements(folder / "scores.csv")


def _marks(found: JudgementsFile) -> list[tuple[object, ...]]:
    return found.spans.select("start", "end", "severity", "category").rows()


def test_ends_are_counted_in_as_appraise_does_and_become_half_open(tmp_path: Path) -> None:
    found = _read(tmp_path, [_span(3, 3), _span(8, 11, "major")])

    assert _marks(found) == [(3, 4, "minor", None), (8, 12, "major", None)]
    assert found.frame["rating"].to_list() == [70.0]
    assert found.spans["judgement_id"].unique().to_list() == found.frame["judgement_id"].to_list()


def test_a_marked_letter_beyond_the_basic_plane_is_one_code_point(tmp_path: Path) -> None:
    text = "a\U0001f600b\U00020000"

    found = _read(tmp_path, [_span(1, 1), _span(3, 3)])

    assert [text[start:end] for start, end, *_ in _marks(found)] == ["\U0001f600", "\U00020000"]  # type: ignore[misc]


def test_something_missing_has_no_place_and_no_error_no_severity(tmp_path: Path) -> None:
    found = _read(tmp_path, [MISSING], [])

    assert _marks(found) == [(None, None, "major", None), (None, None, None, None)]


def test_mqm_has_categories_and_its_scores_of_0_are_no_ratings(tmp_path: Path) -> None:
    found = _read(tmp_path, [_span(0, 4, "major", ["Accuracy", "Mistranslation"])], [], score=0)

    assert _marks(found) == [(0, 5, "major", "Accuracy/Mistranslation"), (None, None, None, None)]
    assert found.frame.is_empty()
    assert any("the scores were not read" in warning for warning in found.warnings)


def test_a_score_of_0_without_categories_is_a_rating(tmp_path: Path) -> None:
    assert _read(tmp_path, [_span(0, 4, "major")], score=0).frame["rating"].to_list() == [0.0]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([_span(9, 3)], "ends before it starts (start_i 9, end_i 3)"),
        ([_span(-1, 3)], "must be two whole numbers from 0 on"),
        ([{**_span(2, 3), "end_i": "missing"}], 'or both "missing"'),
        ([{**_span(2, 3), "start_i": 1.5}], "must be two whole numbers"),
        ([_span(2, 3, "awful")], 'severity "awful" is unknown'),
        ([{"start_i": 2, "end_i": 3}], "severity null is unknown"),
        ([{"start": 2, "end": 3, "severity": "minor"}], "has start and end, though this kind of file has"),
        ([{**_span(2, 3), "end": 4}], "they count characters in two ways"),
        ([_span(2, 3, "minor", [1])], "error_type [1] is not a list of names"),
        ("[{", "are not JSON"),
        ('{"start_i": 2}', "are not a list of objects"),
    ],
)
def test_marks_that_make_no_sense_are_refused_with_their_line(
    tmp_path: Path, answer: object, reason: str
) -> None:
    with pytest.raises(SourceError) as refused:
        _read(tmp_path, [], answer)

    assert len(refused.value.problems) == 1
    assert refused.value.problems[0].startswith("line 2: ")
    assert reason in refused.value.problems[0]


def _prefilled(start: int, end: int) -> dict[str, object]:
    return {"start_i": start, "end_i": end, "severity": "minor"}


def test_marks_that_came_with_the_batch_end_one_after_their_last_character(tmp_path: Path) -> None:
    found = _read(tmp_path, [_prefilled(4, 7), _span(9, 11)], [_prefilled(0, 2)])

    assert [mark[:2] for mark in _marks(found)] == [(4, 7), (9, 12), (0, 2)]
    assert any(warning.startswith("2 marks without error_type") for warning in found.warnings)


@pytest.mark.parametrize(
    "marks",
    [[_prefilled(4, 7)], [_prefilled(4, 7), _prefilled(8, 8), _span(9, 11)]],
    ids=["all", "equal ends"],
)
def test_marks_without_a_type_are_workers_where_nothing_says_otherwise(
    tmp_path: Path, marks: list[dict[str, object]]
) -> None:
    assert _marks(_read(tmp_path, marks))[0][:2] == (4, 8)


def test_the_latest_answer_to_an_item_counts_and_fillers_are_marked(tmp_path: Path) -> None:
    documents = ("news.1", "news.1#bad", "news.1", "news.1#dup", "news.2#incomplete")

    found = _read(tmp_path, [], [], [_span(0, 0)], [], [MISSING], documents=documents)

    kinds = found.frame.sort("submitted_at").select("item_kind", "document_id", "is_filler").rows()
    assert kinds == [
        ("degraded", "news.1", False),
        ("regular", "news.1", False),
        ("repeat", "news.1", True),
        ("regular", "news.2", True),
    ]
    assert any("1 row: the item was submitted again later" in warning for warning in found.warnings)
    assert any("2 rows of documents that only fill up HITs" in warning for warning in found.warnings)
    first = found.spans.filter(item_kind="regular", document_id="news.1")
    assert first.select("start", "end").rows() == [(0, 1)]


@published
@pytest.mark.parametrize(("pair", "n_missing"), [("en-zh", 492), ("en-ja", 607)])
def test_every_published_mark_is_read_or_of_a_row_that_was_left_out(pair: str, n_missing: int) -> None:
    path = DATA / "wmt24-esa" / f"{pair}.appraise.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        n_marks = sum(len(json.loads(row[9])) for row in csv.reader(file) if "tutorial" not in row[1])

    found = read_judgements(path)

    marked = found.spans.filter(pl.col("severity").is_not_null())
    left_out = [warning for warning in found.warnings if warning.startswith("Left out")]
    assert 0 <= n_marks - len(marked) < 60
    assert len(left_out) == 3
    assert marked["start"].null_count() <= n_missing
    assert found.spans["judgement_id"].n_unique() == len(found.frame)
