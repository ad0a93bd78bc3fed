"""No text of ours becomes a formula in a spreadsheet, and reading it back gives the text."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.exhibit import Column, Table
from steelyard.domain.spreadsheet import as_cell, from_cell
from steelyard.formats.judgements_file import read_judgements
from steelyard.formats.judgements_writing import write_judgements
from steelyard.formats.people_file import people_csv, read_people
from steelyard.formats.table_file import write_table
from steelyard.frames import ratings_frame
from steelyard.report.tables import table_csv

STARTS = ("=", "+", "-", "@", "\t", "\r")
HOSTILE = ["=cmd|'/C calc'!A0", "+1", "-2+3", "@SUM(A1)", "'=1+1", "''-x", "'tis", "plain"]


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\nab")) | st.text())
def test_a_text_comes_back_from_its_cell(text: str) -> None:
    assert from_cell(as_cell(text)) == text


@given(st.sampled_from(STARTS), st.text())
def test_no_cell_begins_like_a_formula(start: str, rest: str) -> None:
    assert as_cell(start + rest) == f"'{start}{rest}"


def _judged(worker: str = "W") -> pl.DataFrame:
    return ratings_frame(
        pl.DataFrame(
            {
                "worker_id": [worker] * len(HOSTILE),
                "hit_id": "h1",
                "item_kind": "regular",
                "segment_id": [f"s{number}" for number in range(len(HOSTILE))],
                "system_id": HOSTILE,
                "attribute": "",
                "rating": [float(number) for number in range(len(HOSTILE))],
            }
        )
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_judgements_of_systems_named_like_formulas_come_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"judgements.{ending}"
    write_judgements(_judged("=W"), path)

    found = read_judgements(path).frame

    assert sorted(found["system_id"].cast(pl.String)) == sorted(HOSTILE)
    assert set(found["worker_id"].cast(pl.String)) == {"=W"}


def test_an_exported_table_has_no_cell_that_begins_like_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "judgements.csv"
    write_judgements(_judged("=W"), path)

    cells = [cell for row in csv.reader(path.read_text("utf-8").splitlines()) for cell in row]

    assert [cell for cell in cells if cell.startswith(STARTS)] == []


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"score": [-1.5], "n": [-2]}), tmp_path / "table.csv")

    assert (tmp_path / "table.csv").read_text("utf-8") == "score,n\n-1.5,-2\n"


def test_a_table_of_a_report_has_no_formula_either() -> None:
    rows = pl.DataFrame({"system": HOSTILE, "score": [-0.5] * len(HOSTILE)})
    table = Table(name="t", title="", columns=(Column("system", "s"), Column("score", "s")), rows=rows)

    cells = [cell for row in csv.reader(table_csv(table).splitlines()[1:]) for cell in row[:1]]

    assert cells == [as_cell(name) for name in HOSTILE]


def test_people_named_like_formulas_come_back(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(people_csv([{"name": "=Ana", "email": "a@b.org"}], ["name", "email"]), "utf-8")

    assert path.read_text("utf-8").splitlines()[1] == "'=Ana,a@b.org"
    assert [person.name for person in read_people(path)] == ["=Ana"]
