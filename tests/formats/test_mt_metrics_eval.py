"""Folders in the layout of mt-metrics-eval."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from steelyard.domain.errors import SourceError
from steelyard.domain.text import Segment
from steelyard.formats.mt_metrics_eval import read_mt_metrics_eval
from steelyard.formats.texts import LanguagePair

PAIR = LanguagePair("en", "de")
FILES = {
    "sources/en-de.txt": "One.\nTwo.\nThree.\n",
    "sources/zh-en.txt": "一\n",
    "references/en-de.refA.txt": "Eins A.\nZwei A.\nDrei A.\n",
    "references/en-de.refB.txt": "Eins B.\nZwei B.\nDrei B.\n",
    "references/en-de.refC.txt": "Eins C.\nZwei C.\nDrei C.\n",
    "documents/en-de.docs": "news\tnews-1\nnews\tnews-1\nchat\tchat-1\n",
    "system-outputs/en-de/Lab.v1.txt": "Eins L.\n\nDrei L.\n",
    "system-outputs/en-de/refA.txt": "Eins A.\nZwei A.\nDrei A.\n",
    "system-outputs/en-de/refB.txt": "Eins B.\nZwei B.\nDrei B.\n",
}


@pytest.fixture
def test_set(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "wmt99" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "wmt99"


def test_segments_are_the_lines_of_the_source(test_set: Path) -> None:
    texts = read_mt_metrics_eval(test_set, pair=PAIR, reference="refA")

    assert texts.segments == (
        Segment("1", "news-1", "One.", "Eins A."),
        Segment("2", "news-1", "Two.", "Zwei A."),
        Segment("3", "chat-1", "Three.", "Drei A."),
    )


def test_the_chosen_reference_is_no_system(test_set: Path) -> None:
    texts = read_mt_metrics_eval(test_set, pair=PAIR, reference="refA")

    assert list(texts.translations) == ["Lab.v1", "refB", "refC"]
    assert texts.translations["Lab.v1"] == ["Eins L.", "", "Drei L."]


def test_other_references_are_people_and_take_part_if_they_stand_beside_the_outputs(test_set: Path) -> None:
    texts = read_mt_metrics_eval(test_set, pair=PAIR, reference="A")

    assert texts.humans == {"refB", "refC"}
    assert texts.on_request == {"refC"}


def test_an_empty_line_can_mean_that_there_is_no_translation(test_set: Path) -> None:
    texts = read_mt_metrics_eval(test_set, pair=PAIR, reference="refA", incomplete=True)

    assert texts.translations["Lab.v1"] == ["Eins L.", None, "Drei L."]


def test_packed_files_are_unpacked(test_set: Path) -> None:
    plain = read_mt_metrics_eval(test_set, pair=PAIR, reference="refA")
    for path in [path for path in test_set.rglob("*") if path.is_file()]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()

    assert read_mt_metrics_eval(test_set, pair=PAIR, reference="refA") == plain


def test_documents_may_be_absent(test_set: Path) -> None:
    (test_set / "documents" / "en-de.docs").unlink()

    texts = read_mt_metrics_eval(test_set, pair=PAIR, reference="refA")

    assert [segment.document_id for segment in texts.segments] == ["1", "2", "3"]


def test_references_may_be_absent(test_set: Path) -> None:
    for path in (test_set / "references").glob("*"):
        path.unlink()

    texts = read_mt_metrics_eval(test_set, pair=PAIR)

    assert {segment.reference for segment in texts.segments} == {""}
    assert list(texts.translations) == ["Lab.v1", "refA", "refB"]


def test_the_only_reference_needs_no_choosing(test_set: Path) -> None:
    for name in ("refB", "refC"):
        (test_set / "references" / f"en-de.{name}.txt").unlink()

    assert read_mt_metrics_eval(test_set, pair=PAIR).segments[0].reference == "Eins A."


def test_a_region_makes_no_difference(test_set: Path) -> None:
    assert (
        len(read_mt_metrics_eval(test_set, pair=LanguagePair("en-GB", "de-AT"), reference="refA").segments)
        == 3
    )


def test_all_problems_are_listed(test_set: Path) -> None:
    (test_set / "system-outputs/en-de/Lab.v1.txt").write_text("Eins.\n", "utf-8")
    (test_set / "documents/en-de.docs").write_bytes("Grüße\n".encode("cp1252"))

    with pytest.raises(SourceError) as caught:
        read_mt_metrics_eval(test_set, pair=PAIR)

    text = str(caught.value)
    assert "3 problems" in text
    assert 'has 3 references (refA, refB, refC); choose one: [texts] reference = "refA".' in text
    assert "system-outputs/en-de/Lab.v1.txt: has 1 lines, but the source has 3" in text
    assert "documents/en-de.docs: line 1 is not UTF-8" in text


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (LanguagePair("en", "fr"), "has no texts from en to fr; it has: en-de, zh-en."),
        (LanguagePair("zh", "en"), "has no translations in system-outputs/zh-en."),
    ],
)
def test_a_pair_that_is_not_there_is_named(test_set: Path, pair: LanguagePair, expected: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_mt_metrics_eval(test_set, pair=pair)

    assert expected in str(caught.value)


def test_any_other_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is not a folder in the layout of mt-metrics-eval"):
        read_mt_metrics_eval(tmp_path, pair=PAIR)
