"""Error spans in WMT's JSON lines of 2024 and 2025: judgements, places, texts, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.domain.errors import SourceError
from steelyard.formats.judgements_file import JudgementsFile, read_judgements

# Letters beyond the basic plane, and a letter with a combining mark.
TEXT = "\U0001f600 \U00020000 cafe\u0301 zu."
MARKS = [
    {"start_i": 2, "end_i": 2, "severity": "minor", "error_type": None},
    {"start_i": 4, "end_i": 8, "severity": "major", "error_type": None},
    {"start_i": "missing", "end_i": "missing", "severity": "major", "error_type": None},
]


def _of_2024(**keys: Any) -> dict[str, Any]:
    usual = {
        "langs": "en-de",
        "line_id": 7,
        "src": "A source.",
        "tgt": TEXT,
        "doc_id": "news.1",
        "domain": "news",
        "esa_spans": MARKS,
        "esa_score": "71",
        "times": ["1725000000.5", "1725000030.5"],
        "system": "A",
        "annotator": "acc1",
        "speech_info": None,
    }
    return {**usual, **keys}


def _of_2025(scores: Any, segment: str = "en-de_#_news_#_doc1_#_3", **keys: Any) -> dict[str, Any]:
    texts = {"A": TEXT, "B": "Ganz anders."}
    return {"doc_id": segment, "src_text": "A source.", "tgt_text": texts, "scores": scores, **keys}


def _read(folder: Path, *records: dict[str, Any]) -> JudgementsFile:
    lines = [json.dumps(record, ensure_ascii=number % 2 == 0) for number, record in enumerate(records)]
    (folder / "judged.jsonl").write_text("\n".join(lines), "utf-8")
    return read_judgements(folder / "judged.jsonl")


def _marked(found: JudgementsFile, text: str = TEXT) -> list[str | None]:
    places = found.spans.select("start", "end").iter_rows()
    return [None if start is None else text[start:end] for start, end in places]


def test_a_line_of_2024_is_a_rating_with_its_marks_and_texts(tmp_path: Path) -> None:
    found = _read(tmp_path, _of_2024(), _of_2024(system="B", esa_spans=[], esa_score="100"))

    judged = ("worker_id", "system_id", "segment_id", "document_id", "domain", "rating", "seconds")
    assert found.frame.select(judged).rows() == [
        ("acc1", "A", "7", "news.1", "news", 71.0, 30.0),
        ("acc1", "B", "7", "news.1", "news", 100.0, 30.0),
    ]
    assert _marked(found) == ["\U00020000", "cafe\u0301", None, None]
    assert found.spans["severity"].to_list() == ["minor", "major", "major", None]
    assert set(found.spans["judgement_id"]) == set(found.frame["judgement_id"])
    texts = found.texts.filter(system_id="A").select("side", "text").rows()
    assert sorted(texts) == [("source", "A source."), ("target", TEXT)]


def test_of_several_answers_to_an_item_the_latest_counts(tmp_path: Path) -> None:
    later = _of_2024(esa_score="5", times=["1725000050", "1725000060"])

    found = _read(tmp_path, later, _of_2024())

    assert found.frame["rating"].to_list() == [5.0]
    assert any("1 judgement: the item was submitted again later" in warning for warning in found.warnings)


def test_segments_of_several_language_pairs_stay_apart(tmp_path: Path) -> None:
    found = _read(tmp_path, _of_2024(), _of_2024(langs="en-cs"))

    assert found.frame["segment_id"].to_list() == ["en-de:7", "en-cs:7"]
    assert found.spans["segment_id"].unique().sort().to_list() == ["en-cs:7", "en-de:7"]


def test_a_line_of_2025_has_all_judgements_of_a_segment(tmp_path: Path) -> None:
    once = {"human1": 40, "annotator1": "p1", "errors1": MARKS, "times1": [100.0, 160.0]}
    twice = {**once, "human2": 90.5, "annotator2": "p2", "errors2": [], "times2": [200.0, 201.0]}

    found = _read(tmp_path, _of_2025({"A": twice, "B": {}}))

    judged = ("worker_id", "system_id", "segment_id", "document_id", "domain", "rating", "seconds")
    assert found.frame.select(judged).rows() == [
        ("p1", "A", "news_#_doc1:3", "news_#_doc1", "news", 40.0, 60.0),
        ("p2", "A", "news_#_doc1:3", "news_#_doc1", "news", 90.5, 1.0),
    ]
    assert _marked(found) == ["\U00020000", "cafe\u0301", None, None]
    assert set(found.texts["system_id"]) == {"A"}


def test_the_control_task_has_a_list_of_judgements_for_a_system(tmp_path: Path) -> None:
    each = {"human": 40, "annotator": "p1", "errors": [], "times": [1, 2]}

    found = _read(tmp_path, _of_2025({"A": [each, {**each, "annotator": "p2", "human": 60}], "B": []}))

    assert found.frame.select("worker_id", "rating").rows() == [("p1", 40.0), ("p2", 60.0)]


def test_marks_without_scores_are_read_as_spans_alone(tmp_path: Path) -> None:
    mqm = [{"start_i": 0, "end_i": 0, "severity": "minor", "error_type": ["Accuracy", "Addition"]}]

    found = _read(tmp_path, _of_2025({"A": {"human1": None, "annotator1": "p1", "errors1": mqm}}))

    assert found.frame.is_empty()
    assert found.spans.select("start", "end", "category").rows() == [(0, 1, "Accuracy/Addition")]


def test_judgements_without_a_score_among_others_are_counted(tmp_path: Path) -> None:
    found = _read(tmp_path, _of_2024(), _of_2024(system="B", esa_score=None))

    assert len(found.frame) == 1
    assert found.spans["system_id"].unique().sort().to_list() == ["A", "B"]
    assert any(warning.startswith("1 judgement without a score") for warning in found.warnings)


def _mark(**keys: object) -> dict[str, object]:
    return {"start_i": 2, "end_i": 5, "severity": "minor", **keys}


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        (
            _mark(end_i=len(TEXT)),
            "end_i 13, but the target has 13 characters, counted from 0; is it one after",
        ),
        (_mark(end_i=99), "end_i 99, but the target has 13 characters, counted from 0."),
        (_mark(end_i=10**30), "must be two whole numbers from 0 on"),
        (_mark(end_i=1), "ends before it starts (start_i 2, end_i 1)"),
        (_mark(severity="bad"), 'severity "bad" is unknown'),
        ({"start": 2, "end": 5, "severity": "minor"}, "they count characters in two ways"),
        ("no mark", "not a list of objects"),
    ],
)
@pytest.mark.parametrize("year", [2024, 2025])
def test_marks_that_make_no_sense_are_refused_with_their_line(
    tmp_path: Path, mark: object, reason: str, year: int
) -> None:
    fine, wrong = _of_2024(), _of_2024(system="B", esa_spans=[MARKS[0], mark])
    if year == 2025:
        fine, wrong = (
            _of_2025(
                {"A": {"human1": 4, "annotator1": "p", "errors1": each["esa_spans"]}}, f"x_#_y_#_z_#_{n}"
            )
            for n, each in enumerate((fine, wrong))
        )

    with pytest.raises(SourceError) as refused:
        _read(tmp_path, fine, wrong)

    assert len(refused.value.problems) == 1
    assert refused.value.problems[0].startswith("line 2")
    assert reason in refused.value.problems[0]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (_of_2025({}, "news_#_3_#_4"), "doc_id news_#_3_#_4 is not LANGUAGES_#_DOMAIN_#_DOCUMENT_#_SEGMENT"),
        (_of_2025([]), "scores is not an object"),
        (_of_2025({"A": 7}), "neither an object nor a list"),
        (_of_2025({"A": {"human1": 1}}, tgt_text="x"), "tgt_text is not an object"),
        (_of_2025({"A": {"human1": 1, "errors1": []}}), "worker is empty"),
        (_of_2024(annotator=""), "worker is empty"),
        (_of_2024(esa_score="good"), "rating good is not a number"),
        (_of_2024(esa_score="-3"), "rating -3 is outside the scale"),
    ],
)
def test_lines_that_cannot_be_understood_are_refused(
    tmp_path: Path, record: dict[str, Any], reason: str
) -> None:
    with pytest.raises(SourceError) as refused:
        _read(tmp_path, record)

    assert refused.value.problems[0].startswith("line 1")
    assert reason in refused.value.problems[0]


def test_different_texts_of_one_translation_are_told_of(tmp_path: Path) -> None:
    found = _read(tmp_path, _of_2024(), _of_2024(annotator="acc2", tgt=f"{TEXT} Mehr."))

    assert any("Of 1 translation workers saw different texts" in warning for warning in found.warnings)
