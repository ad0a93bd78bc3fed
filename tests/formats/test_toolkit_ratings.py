"""Error spans of mt-metrics-eval: standalone lines, .seg.rating files with and without their folder."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.domain.errors import SourceError
from steelyard.formats.judgements_file import JudgementsFile, read_judgements

# Letters beyond the basic plane, and a letter with a combining mark.
TEXT = "\U0001f600 \U00020000 cafe\u0301 zu."


def _error(start: int, end: int, severity: object = "minor", **keys: object) -> dict[str, object]:
    usual = {"category": "fluency/grammar", "severity": severity, "score": 1.0, "is_source_error": False}
    return {"start": start, "end": end, **usual, **keys}


ERRORS = [_error(2, 3), _error(4, 9, "Major"), _error(0, 1, is_source_error=True), _error(13, 13)]


def _standalone(**keys: Any) -> dict[str, Any]:
    usual = {
        "source": "A source.",
        "hypothesis": TEXT,
        "errors": ERRORS,
        "document_id": "d1",
        "segment_id": 0,
        "system_id": "A",
        "rater_id": "rater1",
        "src_lang": "en",
        "tgt_lang": "de",
    }
    return {**usual, **keys}


def _read_standalone(folder: Path, *records: dict[str, Any]) -> JudgementsFile:
    (folder / "ratings.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    return read_judgements(folder / "ratings.jsonl")


def _marks(found: JudgementsFile) -> list[tuple[Any, ...]]:
    return found.spans.select("start", "end", "severity", "side").rows()


def test_standalone_ratings_end_one_after_the_last_character(tmp_path: Path) -> None:
    found = _read_standalone(tmp_path, _standalone(), _standalone(system_id="B", errors=[], rater_id=None))

    assert _marks(found)[:3] == [
        (2, 3, "minor", "target"),
        (4, 9, "major", "target"),
        (0, 1, "minor", "source"),
    ]
    assert [TEXT[start:end] for start, end, *_ in _marks(found)[:2]] == ["\U00020000", "cafe\u0301"]
    assert found.spans.select("worker_id", "system_id", "segment_id", "document_id").unique().sort(
        "system_id"
    ).rows() == [
        ("rater1", "A", "1", "d1"),
        ("rater", "B", "1", "d1"),
    ]
    assert _marks(found)[-1] == (None, None, None, "target")


def test_a_mark_around_nothing_is_something_missing_and_counted(tmp_path: Path) -> None:
    found = _read_standalone(tmp_path, _standalone())

    assert _marks(found)[3] == (None, None, "minor", "target")
    assert any("so read as something missing: 1 mark." in warning for warning in found.warnings)


def test_texts_of_both_sides_are_known(tmp_path: Path) -> None:
    found = _read_standalone(tmp_path, _standalone())

    assert sorted(found.texts.select("side", "text").rows()) == [("source", "A source."), ("target", TEXT)]


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"errors": [_error(4, 99)]}, "end 99, but the target has 13 characters"),
        ({"errors": [_error(4, 12, is_source_error=True)]}, "end 12, but the source has 9 characters"),
        ({"errors": [_error(4, 2)]}, "ends before it starts (start 4, end 2)"),
        ({"errors": [_error(4, 5, None)]}, "severity null is unknown"),
        ({"errors": [{"start_i": 1, "end_i": 2, "severity": "minor"}]}, "they count characters in two ways"),
        ({"errors": [_error(4, 5), {**_error(4, 5), "end_i": 4}]}, "they count characters in two ways"),
        ({"errors": [{**_error(4, 5), "start": "missing"}]}, "must be two whole numbers from 0 on"),
        ({"errors": [_error(4, 5, is_source_error="no")]}, "is neither true nor false"),
        ({"errors": [_error(4, 10**30)]}, "must be two whole numbers from 0 on"),
        ({"errors": None}, "has no errors; of a translation without any the list is empty, []."),
        ({"system_id": None}, "system is empty"),
        ({"segment_id": None}, "segment is empty"),
    ],
)
def test_standalone_ratings_that_make_no_sense_are_refused(
    tmp_path: Path, keys: dict[str, Any], reason: str
) -> None:
    with pytest.raises(SourceError) as refused:
        _read_standalone(tmp_path, _standalone(), _standalone(**keys))

    assert refused.value.problems[0].startswith("line 2: ")
    assert reason in refused.value.problems[0]


RATING = json.dumps({"errors": ERRORS[:3]})
LINES = [f"A\t{RATING}\tr1", "A\tNone", 'A\t{"errors": []}\tr2', "B\tNone", "B\tNone\tr1", f"B\t{RATING}\tr1"]


def _folder(
    root: Path, lines: list[str] = LINES, *, texts: bool = True, name: str = "en-de.mqm.seg.rating"
) -> Path:
    files = {"human-scores/" + name: lines}
    if texts:
        files |= {
            "sources/en-de.txt": ["Eins.", "Zwei.", "Drei."],
            "documents/en-de.docs": ["news\td1", "news\td1", "chat\td2"],
            "system-outputs/en-de/A.txt": [TEXT, "two", "three"],
            "references/en-de.B.txt": ["one", "two", TEXT],
        }
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("\n".join([*content, ""]), "utf-8")
    return root / "human-scores" / name


def test_line_k_of_a_system_is_segment_k_and_none_was_not_judged(tmp_path: Path) -> None:
    found = read_judgements(_folder(tmp_path))

    judged = found.spans.select("worker_id", "system_id", "segment_id", "document_id", "domain").unique()
    assert sorted(judged.rows()) == [
        ("r1", "A", "1", "d1", "news"),
        ("r1", "B", "3", "d2", "chat"),
        ("r2", "A", "3", "d2", "chat"),
    ]
    assert _marks(found)[1] == (4, 9, "major", "target")
    assert found.texts.filter(system_id="B", side="target")["text"].to_list() == [TEXT]


@pytest.mark.parametrize("ending", [".gz", ".tsv"])
def test_without_a_folder_segments_are_known_by_number(tmp_path: Path, ending: str) -> None:
    path = _folder(tmp_path, texts=False)
    other = path.with_name(path.name + ending) if ending == ".gz" else path.with_name("errors.tsv")
    content = path.read_bytes()
    other.write_bytes(gzip.compress(content) if ending == ".gz" else content)

    found = read_judgements(other)

    assert set(found.spans["segment_id"]) == {"1", "3"}
    assert any("known by number only" in warning for warning in found.warnings)
    assert found.texts.is_empty()


def test_a_rater_without_a_name_has_that_of_the_file(tmp_path: Path) -> None:
    lines = [line.rpartition("\t")[0] if line.count("\t") == 2 else line for line in LINES]

    found = read_judgements(_folder(tmp_path, lines, name="en-de.mqm.rater1.seg.rating"))

    assert set(found.spans["worker_id"]) == {"mqm.rater1"}


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (LINES[:-1], "B has 2 lines, but the files of texts or documents have 3"),
        ([*LINES[:-1], "B\tnone\tr1"], "line 6: none is neither None nor"),
        ([*LINES[:-1], "B"], "line 6: has 1 cells"),
        (
            [*LINES[:-1], 'B\t{"errors": [{"start": 2, "end": 99, "severity": "minor"}]}\tr1'],
            "line 6: a marked error has end 99",
        ),
    ],
)
def test_rating_files_that_make_no_sense_are_refused(tmp_path: Path, lines: list[str], reason: str) -> None:
    with pytest.raises(SourceError) as refused:
        read_judgements(_folder(tmp_path, lines))

    assert any(reason in problem for problem in refused.value.problems)


def test_files_of_the_folder_must_have_a_line_for_each_segment(tmp_path: Path) -> None:
    path = _folder(tmp_path)
    (tmp_path / "system-outputs/en-de/A.txt").write_text("one\n", "utf-8")

    with pytest.raises(SourceError, match=r"system-outputs/en-de/A.txt has 1 line, but other files"):
        read_judgements(path)
