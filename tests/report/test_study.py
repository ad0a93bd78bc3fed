"""Studies as text, JSON, pages and LaTeX: the same tables, figures and sentences in each."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
import pytest

from steelyard.domain.exhibit import Axis, Column, Figure, Panel, Points, Table
from steelyard.domain.study import StudyResult
from steelyard.report.study import study_json, study_text
from steelyard.report.study_page import study_html, write_study_latex
from steelyard.report.tables import WIDTH, table_text

COLUMNS = (Column("method", "Method"), Column("r", "r", 3))


@dataclass(frozen=True)
class Counted:
    """A part of a record that is no plain type."""

    workers: int
    share: float


@pytest.fixture
def result() -> StudyResult:
    rows = pl.DataFrame({"method": ["a<b>", "c"], "r": [0.123456789, None]})
    table = Table("closeness", "How close", COLUMNS, rows, notes=("r: a correlation.",))
    drawn = Figure.of(
        replace(table, name="curve", title="The curve"),
        caption="A point for each.",
        panels=[Panel(Axis("x"), Axis("y"), (Points((1.0, 2.0), (1.0, 2.0)),))],
    )
    return StudyResult(
        name="closeness",
        title="A study of closeness",
        settings={"draws": 20, "methods": ("a<b>", "c"), "by": None, "split": False},
        tables=(table,),
        figures=(drawn,),
        lead="12 translations.",
        conclusion=("a<b> came closest.",),
        notes=("Left out: d.",),
        warnings=("Few workers.",),
        signature="steelyard:0.2|study:closeness",
        record={"rows": rows, "counts": [Counted(3, float("nan"))], "nested": {"share": float("inf")}},
    )


# Text


def test_the_text_has_every_part_in_its_order(result: StudyResult) -> None:
    text = study_text(result)

    parts = (
        *("A study of closeness\n12 translations.", "How close", "0.123", "r: a correlation."),
        *("a<b> came closest.", "Left out: d.", "Warning: Few workers.", "steelyard:0.2|study:closeness"),
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert text.endswith("study:closeness")


def test_a_table_with_the_title_of_the_study_is_headed_once(result: StudyResult) -> None:
    titled = replace(result.tables[0], title=result.title)

    assert study_text(replace(result, tables=(titled,), lead="")).count(result.title) == 1
    assert study_text(replace(result, tables=(titled,))).count(result.title) == 2


def test_sentences_are_wrapped_but_names_with_hyphens_stay_whole(result: StudyResult) -> None:
    names = " > ".join(f"metric-{number}-ref" for number in range(30))

    lines = study_text(replace(result, conclusion=(names,))).splitlines()

    assert max(map(len, lines)) <= WIDTH
    assert all(line.endswith(("-ref", ">")) for line in lines if "metric-" in line)


# Wide tables


def _wide(n_columns: int, *, title: str = "number of things") -> Table:
    """Two rows and as many columns of numbers, every second one the error of the one before."""
    columns = [Column("pair", "Pair"), Column("measure", "Measure")]
    columns += [
        Column(f"c{k}", "±" if k % 2 else f"{title} {k}", 3, per_cent=False) for k in range(n_columns)
    ]
    rows = {"pair": ["de-en", "de-en"], "measure": ["fluency", "adequacy"]}
    numbers = {f"c{k}": [100 + k + 0.125, 200 + k + 0.125] for k in range(n_columns)}
    return Table("wide", "Wide", tuple(columns), pl.DataFrame({**rows, **numbers}), borders=(1,))


@pytest.mark.parametrize("n_columns", [2, 8, 12, 30, 61])
def test_a_wide_table_fits_and_loses_no_number(n_columns: int) -> None:
    text = table_text(_wide(n_columns))

    assert max(map(len, text.splitlines())) <= WIDTH
    for k in range(n_columns):
        assert f"{100 + k}.125" in text
        assert f"{200 + k}.125" in text


def test_every_block_names_its_rows_and_parts_no_error_from_its_number() -> None:
    blocks = table_text(_wide(30)).split("\n\n")[1:]

    assert len(blocks) > 1
    for block in blocks:
        assert block.count("de-en  fluency") == block.count("de-en  adequacy") == 1
        rows = [line.split() for line in block.splitlines() if line.startswith("de-en")]
        # A whole number of pairs of columns beside the two names.
        assert all(len(row) % 2 == 0 for row in rows)
        assert sum(set(line) == {"-"} for line in block.splitlines()) == 2


def test_headings_are_broken_before_columns_are_moved() -> None:
    text = table_text(_wide(8))

    assert text.count("de-en  fluency") == 1
    assert any(line.split() == ["number"] * 4 for line in text.splitlines())


def test_a_narrow_table_is_printed_in_one_piece_with_headings_on_one_line() -> None:
    lines = table_text(_wide(2)).splitlines()

    assert lines[2].split() == ["Pair", "Measure", "number", "of", "things", "0", "±"]


def test_a_table_that_cannot_fit_is_left_whole() -> None:
    rows = pl.DataFrame({"who": ["a", "b"], "why": ["x" * 150, "y"], "n": [1, 2]})
    columns = (Column("who", "Who"), Column("why", "Why"), Column("n", "n"))

    assert len(table_text(Table("t", "T", columns, rows)).split("\n\n")) == 2


def test_stars_stand_right_behind_their_number() -> None:
    rows = pl.DataFrame({"who": ["a"], "score": [1.5], "mark": ["**"], "n": [3]})
    columns = (Column("who", "Who"), Column("score", "Score", 1), Column("mark", "*"), Column("n", "n"))

    assert table_text(Table("t", "T", columns, rows)).splitlines()[-1] == "a      1.5**  3"


# JSON


def test_the_json_is_the_record_in_full_precision_without_nan(result: StudyResult) -> None:
    document = json.loads(study_json([result]), parse_constant=pytest.fail)

    assert document == {
        "rows": [{"method": "a<b>", "r": 0.123456789}, {"method": "c", "r": None}],
        "counts": [{"workers": 3, "share": None}],
        "nested": {"share": None},
    }
    assert list(document) == ["rows", "counts", "nested"]


def test_several_studies_are_one_document(result: StudyResult) -> None:
    one = json.loads(study_json([result]))

    assert json.loads(study_json([result, result])) == {"studies": [one, one]}


# Pages


def test_the_page_has_every_part_and_asks_for_nothing(result: StudyResult) -> None:
    page = study_html([result])

    for part in ("12 translations.", "How close", "The curve", "Left out: d.", "Few workers.", "<svg"):
        assert part in page
    assert "draws 20; methods a&lt;b&gt;, c; split no." in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    assert page.count("steelyard:0.2|study:closeness") >= 1


def test_names_on_the_page_are_escaped(result: StudyResult) -> None:
    page = study_html([result])

    assert "a<b>" not in page
    assert "a&lt;b&gt; came closest." in page


def test_two_studies_share_a_page(result: StudyResult) -> None:
    page = study_html([result, replace(result, title="Another study")])

    assert page.count("<h1>") == 2
    assert page.count("<!doctype html>") == 1


# LaTeX


def test_a_signature_among_the_notes_stays_whole(result: StudyResult) -> None:
    signature = "steelyard:0.2|" + "|".join(f"key{k}:value" for k in range(20))

    text = study_text(replace(result, notes=(f"Gold: {signature}",)))

    assert signature in text.split()


def test_the_folder_has_a_part_for_each_table_and_figure(result: StudyResult, tmp_path: Path) -> None:
    written = write_study_latex(tmp_path / "tex", [result])

    document = written.read_text("utf-8")
    assert written.name == "study.tex"
    parts = re.findall(r"\\input\{(.+?)\}", document)
    assert parts == ["table-closeness", "figure-curve"]
    for part in parts:
        assert (written.parent / f"{part}.tex").is_file()
    assert (written.parent / "figure-curve.pdf").read_bytes().startswith(b"%PDF")
    assert r"\item Few workers." in document
    assert "a$<$b$>$ came closest." in document or r"a\textless{}b\textgreater{} came closest." in document


def test_parts_of_the_same_name_do_not_replace_each_other(result: StudyResult, tmp_path: Path) -> None:
    write_study_latex(tmp_path, [result, result])

    assert (tmp_path / "table-closeness.tex").is_file()
    assert (tmp_path / "table-closeness-2.tex").is_file()
