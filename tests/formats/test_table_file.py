"""Tables: what is written is read back, and texts keep the quotation marks that are theirs."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.errors import SourceError
from steelyard.formats.table_file import CellTable, read_table, write_table

ANY = st.characters(exclude_categories=("Cs",), exclude_characters="\x00")
IN_A_LINE = st.characters(exclude_categories=("Cs",), exclude_characters="\x00\t\r\n")


def cells(alphabet: st.SearchStrategy[str], awkward: str) -> st.SearchStrategy[list[tuple[str, str, str]]]:
    text = st.text(alphabet, max_size=8) | st.text(st.sampled_from(awkward), max_size=6)
    return st.lists(st.tuples(text, text, text), min_size=1, max_size=5)


def rows_of(table: CellTable) -> list[tuple[str, ...]]:
    return [tuple(cell or "" for cell in row) for row in zip(*table.columns.values(), strict=True)]


def comes_back(rows: Sequence[tuple[str, str, str]], path: Path) -> bool:
    write_table(pl.DataFrame(rows, schema=["one", "two", "three"], orient="row"), path, raw=True)
    return rows_of(read_table(path)) == list(rows)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@given(rows=cells(ANY, '"\t\n\r,; ab'))
def test_any_texts_come_back_as_they_were(place: Path, ending: str, rows: list[tuple[str, str, str]]) -> None:
    assert comes_back(rows, place / f"any{ending}")


@given(rows=cells(IN_A_LINE, '",; ab'))
def test_any_texts_without_tabs_and_line_ends_come_back_from_tsv(
    place: Path, rows: list[tuple[str, str, str]]
) -> None:
    assert comes_back(rows, place / "any.tsv")


@given(rows=cells(IN_A_LINE, '",; ab'))
def test_any_texts_that_nobody_quoted_come_back_from_tsv(
    place: Path, rows: list[tuple[str, str, str]]
) -> None:
    # A mark inside a cell that no mark begins: no program writes that around a cell.
    rows = [*rows, ('a "b" c', "x", "y")]
    path = place / "bare.tsv"
    lines = ["one\ttwo\tthree", *("\t".join(row) for row in rows)]
    path.write_text("\n".join(lines), "utf-8", newline="")

    expected = [row for row in rows if any(row)]

    assert [row for row in rows_of(read_table(path)) if any(row)] == expected


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_quotation_marks_of_the_texts_stay_in_a_tsv(tmp_path: Path) -> None:
    text = 'id\ttext\n1\t"Stop!"\n2\t"I came.\n3\tI saw."\n4\tHe said "no".\n'

    table = read_table(write(tmp_path / "x.tsv", text))

    assert list(table.columns["text"]) == ['"Stop!"', '"I came.', 'I saw."', 'He said "no".']
    assert table.warnings == ("Quotation marks were taken as part of the texts.",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('id\ttext\n1\t"a ""b"" c"\n2\td\n', ['a "b" c', "d"]),
        ('"id"\t"text"\n"1"\t"a"\n"2"\t"b"\n', ["a", "b"]),
        ('id\ttext\n1\t"a, b"\n2\tc\n', ["a, b", "c"]),
        ('id\ttext\n1\t"a\tb"\n2\tc\n', ["a\tb", "c"]),
        ('id\ttext\tmore\n1\t"a\nb"\tx\n2\tc\ty\n', ["a\nb", "c"]),
        ('id\ttext\n1\t""\n2\tc\n', ["", "c"]),
    ],
    ids=["doubled", "around all", "spreadsheet", "tab inside", "line end inside", "empty"],
)
def test_quotation_marks_of_a_writer_are_taken_off_a_tsv(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    table = read_table(write(tmp_path / "x.tsv", text))

    assert list(table.columns["text"]) == expected
    assert table.warnings == ()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_may_have_another_separator(tmp_path: Path, separator: str) -> None:
    text = f"id{separator}text\r\n1{separator}süß\r\n"

    table = read_table(write(tmp_path / "x.csv", "\ufeff" + text))

    assert {name: list(column) for name, column in table.columns.items()} == {"id": ["1"], "text": ["süß"]}


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
def test_packed_tables_are_unpacked(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"id": ["1"], "text": ["süß"]})
    write_table(frame, tmp_path / f"x{ending}")
    packed = tmp_path / f"x{ending}.gz"
    packed.write_bytes(gzip.compress((tmp_path / f"x{ending}").read_bytes()))

    assert rows_of(read_table(packed)) == [("1", "süß")]


def test_lines_are_counted_through_cells_of_several_lines(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "x.csv", 'a,b\n1,"x\ny"\n\n2,z\n'))

    assert [table.place(0), table.place(1)] == ["line 2", "line 5"]


def test_cells_that_a_line_does_not_have_are_none(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "x.csv", "a,b\n1\n"))

    assert list(table.columns["b"]) == [None]


def test_numbers_of_parquet_and_jsonl_become_text(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1.0, None], "b": [True, False]}).write_parquet(tmp_path / "x.parquet")
    (tmp_path / "x.jsonl").write_text('{"a": 1, "b": true}\n{"b": false}\n', "utf-8")

    expected = {"a": ["1", None], "b": ["true", "false"]}
    for ending in ("parquet", "jsonl"):
        table = read_table(tmp_path / f"x.{ending}")
        assert {name: list(column) for name, column in table.columns.items()} == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.csv", "", "is empty: the first line must name the columns"),
        ("x.csv", "a,a\n1,2\n", "line 1: the column 'a' appears twice"),
        ("x.csv", "a,b\n1,2,3\n4,5\n6,7,8\n", "line 4: 3 cells, but the header names 2 columns"),
        ("x.csv", 'a,b\n1,"2"3\n', r"line 2: cannot be split into cells .* look at its quotes"),
        ("x.jsonl", '{"a": 1}\n[1]\nno\n', "line 3: not JSON"),
        ("x.jsonl", '{"a": 1}\n[1]\nno\n', "line 2: not a JSON object"),
        ("x.jsonl", '{"a": "\\ud800"}\n', "line 1: holds .* half a character"),
        ("x.jsonl", '{"a": "x\\u0000"}\n', "line 1: holds "),
        ("x.parquet", "no", "is not a readable Parquet file"),
        ("x.doc", "no", r"cannot tell the format; end the name in \.csv"),
    ],
)
def test_what_cannot_be_read_is_named_by_line(tmp_path: Path, name: str, text: str, expected: str) -> None:
    with pytest.raises(SourceError, match=expected):
        read_table(write(tmp_path / name, text))


def test_zero_bytes_in_parquet_are_named_by_row(tmp_path: Path) -> None:
    pl.DataFrame({"text": ["a", "b\x00"]}).write_parquet(tmp_path / "x.parquet")

    with pytest.raises(SourceError, match="row 2: text holds a zero byte"):
        read_table(tmp_path / "x.parquet")


def test_a_parquet_file_on_a_full_disk_is_said_to_be_unwritable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_the_disk(_: pl.LazyFrame, path: Path, *, row_group_size: int) -> None:
        raise pl.exceptions.ComputeError("underlying IO error: No space left on device")

    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", fill_the_disk)

    with pytest.raises(SourceError, match=r"cannot be written \(.*No space left on device\)"):
        write_table(pl.DataFrame({"a": [1]}), tmp_path / "a.parquet")
