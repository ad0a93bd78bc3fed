"""MQM ratings in ten columns: where errors are marked, what is no judgement, and what is refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from steelyard.domain.errors import SourceError
from steelyard.formats.judgements_file import JudgementsFile, read_judgements

HEADER = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata"
OLD_HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
SOURCE = 'He said "no".'


def _row(target: str = "Er sagte <v>ja</v>.", severity: str = "Major", **cells: str) -> str:
    usual = dict(zip(HEADER.split("\t"), ["A", "d1", "1", "7", "rater1", SOURCE], strict=False))
    usual |= {"target": target, "category": "Accuracy/Mistranslation", "severity": severity, "metadata": "{}"}
    return "\t".join({**usual, **cells}.values())


CLEAN = _row("Er sagte nein.", "No-error", system="B", category="No-error")


def _read(folder: Path, *rows: str, header: str = HEADER) -> JudgementsFile:
    (folder / "mqm.tsv").write_text("\n".join([header, *rows, ""] if header else [*rows, ""]), "utf-8")
    return read_judgements(folder / "mqm.tsv")


def _marks(found: JudgementsFile) -> list[tuple[object, ...]]:
    return found.spans.select("start", "end", "severity", "side").rows()


def test_an_error_lies_between_its_marks_and_a_clean_translation_has_none(tmp_path: Path) -> None:
    found = _read(tmp_path, _row(), CLEAN)

    assert _marks(found) == [(9, 11, "major", "target"), (None, None, None, "target")]
    assert found.spans["category"].to_list() == ["Accuracy/Mistranslation", None]
    assert found.spans.select("worker_id", "system_id", "segment_id", "document_id").rows() == [
        ("rater1", "A", "7", "d1"),
        ("rater1", "B", "7", "d1"),
    ]
    assert found.frame.is_empty()


def test_places_are_counted_in_code_points(tmp_path: Path) -> None:
    text = "\U0001f600\U00020000 e\u0301 क्षि"

    found = _read(tmp_path, _row("\U0001f600<v>\U00020000 e\u0301</v> क्षि"))

    ((start, end, *_),) = _marks(found)
    assert text[start:end] == "\U00020000 e\u0301"  # type: ignore[misc]


@pytest.mark.parametrize("header", ["", OLD_HEADER, HEADER.upper()], ids=["none", "old", "upper case"])
def test_headers_may_be_missing_or_old(tmp_path: Path, header: str) -> None:
    rows = [_row(), CLEAN]
    if header == OLD_HEADER:
        rows = [row.rpartition("\t")[0] for row in rows]

    assert _marks(_read(tmp_path, *rows, header=header)) == [
        (9, 11, "major", "target"),
        (None, None, None, "target"),
    ]


def test_quotation_marks_are_characters(tmp_path: Path) -> None:
    found = _read(tmp_path, _row('"Er <v>sagte</v> nein.'), _row('Er "<v>sagte</v>', rater="rater2"))

    assert _marks(found)[0] == (4, 9, "major", "target")
    assert _marks(found)[1] == (4, 9, "major", "target")


def test_marks_in_the_source_are_on_that_side(tmp_path: Path) -> None:
    found = _read(tmp_path, _row("Er sagte.", source='He said <v>"no"</v>.', category="Accuracy/Omission"))

    assert _marks(found) == [(8, 12, "major", "source")]


@pytest.mark.parametrize(
    ("target", "place", "remark"),
    [
        ("Er sagte <v>ja.", (9, 12), "Marked without an end"),
        ("Er <v>sagte</v> j<v>a</v>.", (3, 11), "Marked in several parts"),
        ("Er sagte <v></v>.", (None, None), "Marked around nothing"),
        ("Er sagte ja.", (None, None), "Marked nowhere"),
    ],
)
def test_odd_marks_are_read_and_counted(
    tmp_path: Path, target: str, place: tuple[int | None, int | None], remark: str
) -> None:
    found = _read(tmp_path, _row(target))

    assert found.spans.select("start", "end").rows() == [place]
    assert [warning for warning in found.warnings if warning.startswith(remark) and "1 row" in warning]


def test_rows_that_are_no_judgements_are_left_out_and_counted(tmp_path: Path) -> None:
    attention = _row("Er sagte ja.", "HOTW-test", category="Found")
    only_metadata = _row("Er sagte ja.", "", rater="", category="")
    also_clean = _row("Er sagte ja.", "No-error", category="No-error")

    found = _read(tmp_path, _row(), attention, only_metadata, also_clean)

    assert _marks(found) == [(9, 11, "major", "target")]
    assert [warning.partition(":")[0] for warning in found.warnings] == [
        "Left out 1 row",
        "Left out 1 row",
        "Called No-error beside other rows of the same judgement, so left out",
    ]


def test_programs_among_raters_are_no_people(tmp_path: Path) -> None:
    found = _read(tmp_path, _row(), _row(rater="AutoMQM-1"))

    assert found.simulated == {"AutoMQM-1"}


def test_times_come_from_the_metadata(tmp_path: Path) -> None:
    found = _read(tmp_path, _row(metadata='{"timestamp": 1725456558197, "note": "x"}'))

    assert str(found.spans["submitted_at"][0]) == "2024-09-04 13:29:18.197000+00:00"


def test_a_number_that_says_nothing_is_replaced_by_the_place_in_the_document(tmp_path: Path) -> None:
    rows = [_row(globalSegId="0", docSegId=number, doc=doc) for doc in ("d1", "d2") for number in ("1", "2")]

    assert _read(tmp_path, *rows).spans["segment_id"].to_list() == ["d1:1", "d1:2", "d2:1", "d2:2"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (_row(severity="Horrible"), "severity horrible is unknown"),
        (_row(severity=""), "severity is empty"),
        (_row("Er</v> sagte <v>ja."), "the marks <v> and </v> in the target do not match"),
        (_row("Er</v> sagte ja."), "the marks <v> and </v> in the target do not match"),
        (_row("<v>Er <v>sagte <v>ja</v>."), "the marks <v> and </v> in the target do not match"),
        (_row("Er <v>sagte</v> nein.", "No-error"), "says No-error, but marks"),
        (_row("Sie <v>sagte</v> ja."), "the target is another text"),
        (_row(system=""), "system is empty"),
        (_row() + "\tmore", "11 cells"),
    ],
)
def test_rows_that_make_no_sense_are_refused_with_their_line(tmp_path: Path, row: str, reason: str) -> None:
    with pytest.raises(SourceError) as refused:
        _read(tmp_path, _row(), CLEAN, row)

    assert [problem for problem in refused.value.problems if problem.startswith("line 4: ")]
    assert reason in refused.value.problems[0]


def test_raters_who_saw_different_texts_are_told_of(tmp_path: Path) -> None:
    found = _read(tmp_path, _row(), _row("Sie <v>sagte</v> ja.", rater="rater2"))

    assert any("workers saw different texts" in warning for warning in found.warnings)


def test_a_data_frame_is_read_like_a_file(tmp_path: Path) -> None:
    from steelyard.formats.judgements_file import from_table

    table = pl.DataFrame(
        [dict(zip(HEADER.split("\t"), row.split("\t"), strict=True)) for row in (_row(), CLEAN)]
    )

    assert _marks(from_table(table)) == _marks(_read(tmp_path, _row(), CLEAN))
