"""Marked errors written for other programs and read back: what stays, and what is said of the rest."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from steelyard.domain.errors import SourceError
from steelyard.domain.layouts import SPAN_LAYOUTS
from steelyard.domain.text import Segment
from steelyard.formats.judgements_file import JudgementsFile, read_judgements
from steelyard.formats.marks_to_write import MarksToWrite
from steelyard.formats.span_writing import write_marked_errors
from steelyard.frames import ratings_frame, spans_frame, texts_frame

# Letters beyond the basic plane, one with a combining mark, Devanagari, quotes, and the end of a line.
TEXTS = {
    ("A", "1"): "\U0001f600 \U00020000 cafe\u0301 \u0915\u094d\u0937\u093f.",
    ("A", "2"): 'Er sagte:\r\n"nein".',
    ("B", "1"): "Ganz anders",
    ("B", "2"): "Auch so.",
}
SOURCES = {"1": "Not \U0001f600 again.", "2": "He said no."}
NOON = datetime(2026, 5, 4, 12, 0, 0, 250_000, tzinfo=UTC)
# Worker, system, segment, start, end, severity, category, side.
MARKS: list[tuple[Any, ...]] = [
    ("w1", "A", "1", 2, 3, "minor", "Fluency/Grammar", "target"),
    ("w1", "A", "1", 4, 9, "major", None, "target"),
    ("w1", "A", "1", 2, 9, "major", "Accuracy/Mistranslation", "target"),
    ("w1", "A", "2", 9, 11, "minor", "Fluency/Punctuation", "target"),
    ("w1", "A", "2", None, None, "major", "Accuracy/Omission", "target"),
    ("w1", "B", "1", 0, 11, "critical", None, "target"),
    ("w1", "B", "2", None, None, None, None, "target"),
]
ON_SOURCE = ("w1", "B", "1", 4, 5, "minor", "Source issue", "source")
SECOND = ("w2", "A", "1", 0, 1, "minor", None, "target")
COLUMNS = ("worker_id", "system_id", "segment_id", "start", "end", "severity", "category", "side")


def _errors(*marks: tuple[Any, ...], kinds: dict[str, str] | None = None, **changes: Any) -> MarksToWrite:
    spans = pl.DataFrame([*MARKS, *marks], schema=list(COLUMNS), orient="row", infer_schema_length=None)
    judgement = pl.format("{}:{}:{}", "worker_id", "system_id", "segment_id")
    spans = spans_frame(
        spans.with_columns(
            judgement_id=judgement,
            hit_id=pl.lit("h"),
            attribute=pl.lit(""),
            item_kind=pl.col("worker_id").replace_strict(kinds or {}, default="regular"),
            document_id=pl.format("doc-{}", "segment_id"),
            domain=pl.lit("news"),
            submitted_at=pl.lit(NOON),
            seconds=pl.lit(12.5),
        )
    )
    ratings = spans.unique("judgement_id", maintain_order=True).with_columns(rating=pl.lit(71.25))
    texts = [(*place, "regular", "target", text) for place, text in TEXTS.items()]
    texts += [(system, number, "regular", "source", SOURCES[number]) for system, number in TEXTS]
    values: dict[str, Any] = {
        "segments": tuple(Segment(number, f"doc-{number}", text, "") for number, text in SOURCES.items()),
        "ratings": ratings_frame(ratings),
        "texts": texts_frame(pl.DataFrame(texts, schema=list(texts_frame().columns), orient="row")),
        "name": "esa",
    }
    return MarksToWrite(spans, "de", "en", **{**values, **changes})


ENDINGS = {"mqm": "out.tsv", "ratings-jsonl": "out.jsonl", "wmt-jsonl": "out.jsonl", "seg-rating": "folder"}
layouts = pytest.mark.parametrize("layout", SPAN_LAYOUTS)


def _there_and_back(folder: Path, layout: str, errors: MarksToWrite) -> tuple[JudgementsFile, list[str]]:
    files, notes = write_marked_errors(errors, folder / ENDINGS[layout], layout)
    (path,) = files
    return read_judgements(path), notes


def _rows(frame: pl.DataFrame, *more: str) -> list[tuple[Any, ...]]:
    return sorted(frame.select(*COLUMNS, *more).rows(), key=repr)


@layouts
def test_spans_come_back_as_they_were(tmp_path: Path, layout: str) -> None:
    errors = _errors() if layout == "wmt-jsonl" else _errors(ON_SOURCE)

    found, _ = _there_and_back(tmp_path, layout, errors)

    assert _rows(found.spans, "document_id") == _rows(errors.spans, "document_id")
    assert found.spans["judgement_id"].n_unique() == errors.spans["judgement_id"].n_unique()


@layouts
def test_marked_characters_are_the_same_in_every_convention(tmp_path: Path, layout: str) -> None:
    found, _ = _there_and_back(tmp_path, layout, _errors())

    texts = {
        row[:2]: row[2]
        for row in found.texts.filter(side="target").select("system_id", "segment_id", "text").rows()
    }
    marked = found.spans.drop_nulls("start").select("system_id", "segment_id", "start", "end").rows()
    words = sorted(texts[system, segment][start:end] for system, segment, start, end in marked)
    broken = "\r\n" if layout.endswith("jsonl") else "  "
    assert words == sorted(["\U00020000", "cafe\u0301", "\U00020000 cafe\u0301", broken, "Ganz anders"])


@layouts
def test_texts_of_both_sides_come_back(tmp_path: Path, layout: str) -> None:
    found, notes = _there_and_back(tmp_path, layout, _errors())

    known = {row[:3]: row[3] for row in found.texts.select("system_id", "segment_id", "side", "text").rows()}
    assert known["A", "1", "target"] == TEXTS["A", "1"]
    assert known["B", "2", "source"] == SOURCES["2"]
    is_lines = not layout.endswith("jsonl")
    assert any(note.startswith("Line ends and tabs within 1 text") for note in notes) == is_lines


def test_scores_times_and_domains_come_back_in_wmts_lines(tmp_path: Path) -> None:
    errors = _errors()

    found, notes = _there_and_back(tmp_path, "wmt-jsonl", errors)

    said = ("worker_id", "system_id", "segment_id", "domain", "rating", "seconds", "submitted_at")
    assert sorted(found.frame.select(said).rows()) == sorted(errors.ratings.select(said).rows())
    assert notes == []


def test_ends_are_written_as_each_format_counts_them(tmp_path: Path) -> None:
    for layout in ("wmt-jsonl", "ratings-jsonl"):
        write_marked_errors(_errors(), tmp_path / f"{layout}.jsonl", layout)

    theirs = [
        json.loads((tmp_path / f"{name}.jsonl").read_text("utf-8").splitlines()[0])
        for name in ("wmt-jsonl", "ratings-jsonl")
    ]
    assert [(mark["start_i"], mark["end_i"]) for mark in theirs[0]["esa_spans"]] == [(2, 2), (4, 8), (2, 8)]
    assert [(mark["start"], mark["end"]) for mark in theirs[1]["errors"]] == [(2, 3), (4, 9), (2, 9)]
    assert theirs[0]["esa_score"] == "71.25"
    assert [mark["score"] for mark in theirs[1]["errors"]] == [1.0, 5.0, 5.0]
    assert theirs[1]["segment_id"] == 0


def test_ten_columns_have_the_mark_in_the_text(tmp_path: Path) -> None:
    write_marked_errors(_errors(), tmp_path / "out.tsv", "mqm")

    header, first, *_, last = (tmp_path / "out.tsv").read_text("utf-8").splitlines()
    assert header.split("\t")[:5] == ["system", "doc", "docSegId", "globalSegId", "rater"]
    assert first.split("\t")[6] == "\U0001f600 <v>\U00020000</v> cafe\u0301 \u0915\u094d\u0937\u093f."
    assert last.split("\t")[7:9] == ["No-error", "No-error"]
    found = read_judgements(tmp_path / "out.tsv")
    assert set(found.spans["submitted_at"]) == {NOON}


def test_marks_in_the_source_do_not_fit_into_wmts_lines_and_are_counted(tmp_path: Path) -> None:
    found, notes = _there_and_back(tmp_path, "wmt-jsonl", _errors(ON_SOURCE))

    assert set(found.spans["side"]) == {"target"}
    assert notes == ["1 mark in the source left out: the layout has marks in translations only."]


def test_segments_that_are_no_numbers_keep_their_names_where_there_is_room(tmp_path: Path) -> None:
    def renamed(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(pl.format("n:{}", "segment_id").alias("segment_id"))

    usual = _errors()
    errors = MarksToWrite(
        renamed(usual.spans),
        "de",
        "en",
        segments=tuple(
            Segment(f"n:{each.segment_id}", each.document_id, each.source, "") for each in usual.segments
        ),
        texts=renamed(usual.texts),
    )

    for layout in SPAN_LAYOUTS:
        (tmp_path / layout).mkdir()
        found, notes = _there_and_back(tmp_path / layout, layout, errors)
        names = {"1", "2"} if layout == "ratings-jsonl" else {"n:1", "n:2"}
        assert set(found.spans["segment_id"]) == names
        assert ("2 segments numbered anew" in " ".join(notes)) == (layout == "ratings-jsonl")


@layouts
def test_controls_are_left_out_and_counted(tmp_path: Path, layout: str) -> None:
    found, notes = _there_and_back(tmp_path, layout, _errors(SECOND, kinds={"w2": "degraded"}))

    assert set(found.spans["worker_id"]) == {"w1"}
    assert "1 judgement of control items left out: the layout has no kinds of items." in notes


def test_raters_who_judged_the_same_get_a_rating_file_each(tmp_path: Path) -> None:
    files, _ = write_marked_errors(_errors(SECOND), tmp_path / "folder", "seg-rating")

    assert [path.name for path in files] == ["de-en.esa.w1.seg.rating", "de-en.esa.w2.seg.rating"]
    assert [_rows(read_judgements(path).spans) for path in files] == [_rows(_errors().spans), [SECOND]]


@layouts
def test_a_judgement_counts_for_every_system_with_the_same_text(tmp_path: Path, layout: str) -> None:
    usual = _errors()
    credited = pl.when(pl.col("system_id") == "B").then(pl.lit(["C"])).alias("credited")
    same = usual.texts.filter(system_id="B").with_columns(system_id=pl.lit("C"))
    errors = _errors(texts=pl.concat([usual.texts, same]))
    errors = MarksToWrite(
        errors.spans.with_columns(credited), "de", "en", segments=errors.segments, texts=errors.texts
    )

    found, _ = _there_and_back(tmp_path, layout, errors)

    b, c = (found.spans.filter(system_id=name).drop("system_id", "judgement_id") for name in ("B", "C"))
    assert b.equals(c)
    assert len(b) == 2


def test_unknown_severities_are_written_and_told_of(tmp_path: Path) -> None:
    _, notes = write_marked_errors(
        _errors(("w1", "A", "1", 0, 1, "awful", None, "target")), tmp_path / "out.tsv", "mqm"
    )

    assert "Other programs, and ours when it reads the file, do not know: awful." in notes


@pytest.mark.parametrize(
    ("layout", "name", "changes", "reason"),
    [
        ("mqm", "out.csv", {}, "end the name in .tsv"),
        ("wmt-jsonl", "out.json", {}, "end the name in .jsonl"),
        ("mqm", "out.tsv", {"text": "a <v> b"}, "segment 1 holds <v> or </v>"),
        ("mqm", "out.tsv", {"spans": spans_frame()}, "there are no marked errors"),
    ],
)
def test_what_a_layout_cannot_hold_is_refused(
    tmp_path: Path, layout: str, name: str, changes: dict[str, Any], reason: str
) -> None:
    errors = _errors()
    texts = errors.texts.with_columns(text=pl.lit(changes["text"])) if "text" in changes else errors.texts
    errors = MarksToWrite(
        changes.get("spans", errors.spans), "de", "en", segments=errors.segments, texts=texts
    )

    with pytest.raises(SourceError, match=reason):
        write_marked_errors(errors, tmp_path / name, layout)
