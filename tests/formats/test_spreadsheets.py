"""Tables as Excel saves them in half of Europe are read like any other, wherever a table is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.domain.errors import SourceError
from steelyard.formats._folder import files_to_analyse
from steelyard.formats.cell_metrics_file import read_cell_metrics
from steelyard.formats.hit_times_file import read_hit_times
from steelyard.formats.judgements_file import read_judgements
from steelyard.formats.judgements_writing import ENDINGS
from steelyard.formats.people_file import read_people
from steelyard.formats.table_file import read_table

HEADER = "worker;system;segment;rating"
ROWS = (HEADER, "Zoë;A;1;72,5", "Zoë;B;1;40", 'Zoë;"C; late";2;1,5E+01')
JUDGED = "\n".join(ROWS) + "\n"
UNCLEAR = "may be more than a thousand or a fraction; write thousands without a mark, and fractions with a"
# By the name of the way to save: a file's content.
SAVED: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "UTF-8 with a mark": lambda text: text.replace("\n", "\r\n").encode("utf-8-sig"),
    "Windows-1252": lambda text: text.replace("\n", "\r\n").encode("cp1252"),
    "with sep=": lambda text: f"sep=;\n{text}".replace("\n", "\r\n").encode("utf-8-sig"),
    "Unicode text": lambda text: text.replace(";", "\t").replace("\n", "\r\n").encode("utf-16"),
}


def _file(folder: Path, content: bytes, name: str = "judgements.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def _problems(read: Callable[[Path], object], path: Path) -> tuple[str, ...]:
    with pytest.raises(SourceError) as caught:
        read(path)
    return caught.value.problems


@pytest.mark.parametrize("way", SAVED)
def test_judgements_are_read_however_a_spreadsheet_saves_them(way: str, tmp_path: Path) -> None:
    text = JUDGED if way != "Unicode text" else JUDGED.replace('"C; late"', "C, late")

    found = read_judgements(_file(tmp_path, SAVED[way](text)))

    assert found.frame["rating"].to_list() == [72.5, 40.0, 15.0]
    assert found.frame["worker_id"].cast(str).to_list() == ["Zoë"] * 3
    assert len(found.warnings) == (way == "Windows-1252")


def test_a_guessed_encoding_is_told(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, JUDGED.encode("cp1252")))

    assert "not UTF-8, and was read as Windows-1252" in found.warnings[0]


@pytest.mark.parametrize("way", ["plain", "CRLF", "with sep="])
def test_problems_name_the_line_also_below_a_line_that_names_the_separator(way: str, tmp_path: Path) -> None:
    """Also with a cell in quotes that has a line end of its own."""
    quoted = f'{HEADER}\nw;"two\nlines";1;5\nw;A;1;high\n'
    unquoted = f"{HEADER}\nw;A;1;high\n"
    above = way == "with sep="

    assert _problems(read_judgements, _file(tmp_path, SAVED[way](unquoted))) == (
        f"line {2 + above}: rating high is not a number.",
    )
    assert _problems(read_judgements, _file(tmp_path, SAVED[way](quoted))) == (
        f"line {4 + above}: rating high is not a number.",
    )


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("w;A;1;1.234,5", "line 2: rating 1.234,5 has marks between its thousands; write it without."),
        (
            "w;A;1;72,5\nw;A;2;1.234",
            "line 3: rating 1.234 has a point, and other numbers have a decimal comma; write all alike.",
        ),
        ("w;A;1;72\nw;A;2;1.000", f"line 3: rating 1.000 {UNCLEAR} comma."),
    ],
)
def test_a_number_that_can_be_read_in_two_ways_is_refused(rows: str, problem: str, tmp_path: Path) -> None:
    assert _problems(read_judgements, _file(tmp_path, f"{HEADER}\n{rows}\n".encode())) == (problem,)


@pytest.mark.parametrize(
    ("separator", "row", "problem"),
    [
        (
            ";",
            "72,5;1.234",
            "seconds 1.234 has a point, and other numbers have a decimal comma; write all alike",
        ),
        (
            "\t",
            "72.5;1,234",
            "seconds 1,234 has a comma, and other numbers have a decimal point; write all alike",
        ),
        ("\t", "72;1,234", f"seconds 1,234 {UNCLEAR} point"),
        (",", '72;"1,234"', f"seconds 1,234 {UNCLEAR} point"),
    ],
)
def test_a_file_has_one_decimal_mark_in_all_columns(
    separator: str, row: str, problem: str, tmp_path: Path
) -> None:
    text = f"{HEADER};seconds\nw;A;1;{row}\n".replace(";", separator)

    assert _problems(read_judgements, _file(tmp_path, text.encode())) == (f"line 2: {problem}.",)


@pytest.mark.parametrize(
    ("separator", "seconds"),
    [(";", "1,234"), (";", "0.234"), ("\t", "0,234"), ("\t", "1.234"), (",", "1.234")],
)
def test_fractions_of_three_digits_are_read_where_they_can_be_nothing_else(
    separator: str, seconds: str, tmp_path: Path
) -> None:
    text = f"{HEADER};seconds\nw;A;1;72;{seconds}\n".replace(";", separator)

    found = read_judgements(_file(tmp_path, text.encode()))

    assert found.frame["seconds"].to_list() == [float(seconds.replace(",", "."))]


def test_other_tables_have_one_decimal_mark_too(tmp_path: Path) -> None:
    cells = "pair;metric;curr-old;curr_new;best_old;best_new\nde-en;bleu;1.234;30;21,25;31\n"
    times = "worker;hit;work_seconds\nw;h1;311,5\nw;h2;1.834\n"

    assert _problems(read_cell_metrics, _file(tmp_path, cells.encode(), "cells.csv")) == (
        "line 2: curr-old 1.234 has a point, and other numbers have a decimal comma; write all alike.",
    )
    assert _problems(read_hit_times, _file(tmp_path, times.encode(), "times.csv")) == (
        "line 3: work_seconds 1.834 has a point, and other numbers have a decimal comma; write all alike.",
    )


def test_between_commas_a_decimal_comma_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, b'worker,system,segment,rating\nw,A,1,"72,5"\n')

    assert _problems(read_judgements, path) == (
        "line 2: rating 72,5 has a decimal comma; write a point instead.",
    )


def test_decimal_points_between_semicolons_are_points(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, f"{HEADER}\nw;A;1;72.5\n".encode()))

    assert found.frame["rating"].to_list() == [72.5]


def test_names_with_a_comma_stay_as_they_are(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, f"{HEADER}\nw;A;1,5;70\n".encode()))

    assert found.frame["segment_id"].cast(str).to_list() == ["1,5"]


@pytest.mark.parametrize("way", SAVED)
def test_people_are_read_however_a_spreadsheet_saves_them(way: str, tmp_path: Path) -> None:
    content = SAVED[way]("Name;Email\nZoë Müller;zoe@example.org\n")

    (person,) = read_people(_file(tmp_path, content, "people.csv"))

    assert (person.name, person.email) == ("Zoë Müller", "zoe@example.org")


@pytest.mark.parametrize("way", SAVED)
def test_any_table_is_read_however_a_spreadsheet_saves_it(way: str, tmp_path: Path) -> None:
    content = SAVED[way]("segment;source;reference\n1;Grüße, viele;Greetings\n")

    table = read_table(_file(tmp_path, content, "texts.csv"))

    assert table.columns == {"segment": ["1"], "source": ["Grüße, viele"], "reference": ["Greetings"]}
    assert table.place(0) == ("line 3" if way == "with sep=" else "line 2")
    assert len(table.warnings) == (way == "Windows-1252")


def test_hit_times_may_have_decimal_commas(tmp_path: Path) -> None:
    path = _file(tmp_path, b"\xef\xbb\xbfworker;hit;work_seconds\r\nw;h,1;311,5\r\n", "times.csv")

    frame = read_hit_times(path)

    assert frame["work_seconds"].to_list() == [311.5]
    assert frame["hit_id"].to_list() == ["h,1"]


def test_scores_of_metrics_may_have_decimal_commas(tmp_path: Path) -> None:
    text = "pair;metric;curr_old;curr_new;best_old;best_new\nde-en;bleu;20,5;30;21,25;31\n"

    (found,) = read_cell_metrics(_file(tmp_path, text.encode(), "cells.csv"))

    assert tuple(found.values) == (20.5, 30.0, 21.25, 31.0)


@pytest.mark.parametrize("way", ["CRLF", "with sep=", "Unicode text"])
def test_such_a_file_is_found_in_a_folder(way: str, tmp_path: Path) -> None:
    _file(tmp_path, SAVED[way](JUDGED.replace('"C; late"', "C")))

    assert files_to_analyse(tmp_path, ENDINGS) == ["judgements.csv"]


def test_a_workbook_is_told_to_be_saved_as_a_table(tmp_path: Path) -> None:
    (problem,) = _problems(read_judgements, _file(tmp_path, b"PK", "judgements.xlsx"))

    assert "use .csv, which spreadsheets save and open" in problem


def test_excel_s_unicode_text_is_told_to_be_a_table(tmp_path: Path) -> None:
    path = _file(tmp_path, SAVED["Unicode text"](JUDGED), "judgements.txt")

    (problem,) = _problems(read_judgements, path)

    assert "name it .tsv" in problem
