"""Commands take marked errors in every format, by what the file holds: the same judgements in each."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.cli.main import DONE, UNSUPPORTED, run
from steelyard.domain.text import Segment
from steelyard.flows.source import read_source
from steelyard.formats.judgements_writing import write_judgements
from steelyard.formats.marks_to_write import MarksToWrite
from steelyard.formats.span_writing import write_marked_errors
from steelyard.frames import ratings_frame, spans_frame, texts_frame

TEXT = "\U0001f600 ein Satz mit elf Wörtern."
SEGMENTS = tuple(Segment(str(number), f"d{number // 2}", f"Source {number}.", "") for number in range(1, 7))


@cache
def _errors() -> MarksToWrite:
    """Eight workers mark up to three errors in each of three systems' translations, and rate them."""
    rng = np.random.default_rng(5)
    spans, ratings = [], []
    for worker in (f"w{number}" for number in range(8)):
        for place, system in enumerate(("A", "B", "C")):
            for segment in SEGMENTS:
                n_marks = int(rng.binomial(3, 0.15 + 0.25 * place))
                judged = {
                    "worker_id": worker,
                    "system_id": system,
                    "segment_id": segment.segment_id,
                    "document_id": segment.document_id,
                    "hit_id": worker,
                    "attribute": "",
                    "item_kind": "regular",
                    "domain": "news",
                    "side": "target",
                    "judgement_id": f"{worker}:{system}:{segment.segment_id}",
                }
                marks = [
                    {"start": k, "end": k + 3, "severity": ["minor", "major"][k % 2]} for k in range(n_marks)
                ]
                spans += [{**judged, **mark} for mark in marks or [{}]]
                ratings.append({**judged, "rating": float(90 - 15 * n_marks - rng.integers(0, 10))})
    texts = [
        (system, segment.segment_id, "regular", side, text)
        for system in ("A", "B", "C")
        for segment in SEGMENTS
        for side, text in (("target", TEXT), ("source", segment.source))
    ]
    return MarksToWrite(
        spans_frame(pl.DataFrame(spans, infer_schema_length=None)),
        "en",
        "de",
        segments=SEGMENTS,
        name="esa",
        ratings=ratings_frame(pl.DataFrame(ratings)),
        texts=texts_frame(pl.DataFrame(texts, schema=list(texts_frame().columns), orient="row")),
    )


def _last_marked(marks: Any) -> list[dict[str, object]]:
    return [
        {"start_i": mark.start, "end_i": mark.end - 1, "severity": mark.severity, "error_type": None}
        for mark in marks
    ]


def _appraise(folder: Path) -> Path:
    text = io.StringIO()
    for number, each in enumerate(_errors().judged()):
        place = (
            each.worker,
            each.system,
            each.segment,
            "TGT",
            "eng",
            "deu",
            each.rating,
            each.document,
            "False",
        )
        spans = json.dumps(_last_marked(each.marks))
        csv.writer(text).writerow((*place, spans, f"{60 * number}.0", f"{60 * number + 30}.0"))
    (folder / "scores.csv").write_text(text.getvalue(), "utf-8")
    return folder / "scores.csv"


def _of_2025(folder: Path, *, control: bool) -> Path:
    """A line for each segment; the numbers of judgements go on as far as there are any."""
    records: dict[str, dict[str, Any]] = {}
    for each in _errors().judged():
        doc_id = f"en-de_#_news_#_{each.document}_#_{each.segment}"
        empty: dict[str, Any] = {"doc_id": doc_id, "src_text": each.source, "tgt_text": {}, "scores": {}}
        record = records.setdefault(each.segment, empty)
        record["tgt_text"][each.system] = each.text
        judged = {"human": each.rating, "annotator": each.worker, "errors": _last_marked(each.marks)}
        said = record["scores"].setdefault(each.system, [] if control else {})
        if control:
            said.append(judged)
        else:
            number = len(said) // 3 + 1
            said.update({f"{name}{number}": value for name, value in judged.items()})
    path = folder / "humeval.jsonl"
    path.write_text("\n".join(map(json.dumps, records.values())), "utf-8")
    return path


def _written(layout: str, name: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        ((path,), _) = write_marked_errors(_errors(), folder / name, layout)
        return path

    return write


def _ours(folder: Path) -> Path:
    write_judgements(_errors().ratings, folder / "ours.csv")
    write_judgements(_errors().spans, folder / "ours.spans.csv", name="spans")
    return folder / "ours.csv"


def _one_rater_each(folder: Path) -> Path:
    errors = _errors()
    chosen = pl.col("worker_id") == pl.format("w{}", "segment_id")
    one = MarksToWrite(
        errors.spans.filter(chosen), "en", "de", segments=SEGMENTS, name="esa", texts=errors.texts
    )
    ((path,), _) = write_marked_errors(one, folder / "toolkit", "seg-rating")
    return path


FORMATS: dict[str, Callable[[Path], Path]] = {
    "ours": _ours,
    "appraise": _appraise,
    "mqm": _written("mqm", "mqm.tsv"),
    "wmt24": _written("wmt-jsonl", "wmt24.jsonl"),
    "wmt25": lambda folder: _of_2025(folder, control=False),
    "wmt25-control": lambda folder: _of_2025(folder, control=True),
    "standalone": _written("ratings-jsonl", "ratings.jsonl"),
    "seg-rating": _one_rater_each,
}
ANYBODY = ("--check", "none")
COMMANDS: dict[str, tuple[str, ...]] = {
    "analyse": ("analyse", "SOURCE", *ANYBODY, "--method", "mean-rating"),
    "report": ("report", "SOURCE", *ANYBODY, "--method", "mean-rating", "--html", "FOLDER/report.html"),
    "table": ("table", "ranking", "SOURCE", *ANYBODY, "--method", "mean-rating"),
    "plot": ("plot", "rating-histograms", "SOURCE", *ANYBODY, "--out", "FOLDER/figure.svg"),
    "replicate": ("replicate", "SOURCE", *ANYBODY, "--draws", "20"),
    "evaluate": (
        "evaluate",
        "SOURCE",
        *ANYBODY,
        "--draws",
        "2",
        "--methods",
        "mean-rating",
        "--ratings",
        "1",
    ),
}
# What takes several judgements of a translation cannot do without.
NEED_SEVERAL = ("replicate", "evaluate")


@pytest.fixture(scope="module", params=FORMATS)
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    return request.param, FORMATS[request.param](tmp_path_factory.mktemp("judged"))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_every_format(
    source: tuple[str, Path], command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, path = source
    arguments = [
        each.replace("SOURCE", str(path)).replace("FOLDER", str(tmp_path)) for each in COMMANDS[command]
    ]

    code = run(arguments)

    is_short = name == "seg-rating" and command in NEED_SEVERAL
    assert code == (UNSUPPORTED if is_short else DONE), capsys.readouterr().err


def test_normalising_asks_for_an_experts_ratings_which_no_such_file_has(
    source: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["normalise", str(source[1])]) == UNSUPPORTED

    assert "known" in capsys.readouterr().err


def test_every_format_says_the_same(source: tuple[str, Path]) -> None:
    name, path = source

    found = read_source(str(path))

    marks = ("worker_id", "system_id", "start", "end", "severity")
    expected = _errors().spans
    if name == "seg-rating":
        expected = expected.filter(pl.col("worker_id") == pl.format("w{}", "segment_id"))
    assert sorted(found.spans.select(marks).rows(), key=repr) == sorted(
        expected.select(marks).rows(), key=repr
    )
    if found.weights is None:
        rated = ("worker_id", "system_id", "rating")
        assert sorted(found.frame.select(rated).rows()) == sorted(_errors().ratings.select(rated).rows())
    if name not in ("ours", "appraise"):
        assert set(found.texts["side"]) == {"source", "target"}
