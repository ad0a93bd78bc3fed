"""Tables of texts, long and wide: what they become, and how contradictions are answered."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.errors import SourceError
from steelyard.domain.text import Segment
from steelyard.formats.table_file import write_table
from steelyard.formats.texts import Texts
from steelyard.formats.texts_table import read_texts_table

LONG = {
    "segment": ["1", "1", "2", "2"],
    "system": ["alpha", "beta", "alpha", "beta"],
    "translation": ["A one", "B one", "A two", "B two"],
    "document": ["news", "news", "blog", "blog"],
    "source": ["eins", "eins", "zwei", "zwei"],
    "reference": ["one", "one", "two", "two"],
}
WIDE = {
    "id": ["1", "2"],
    "doc": ["news", "blog"],
    "src": ["eins", "zwei"],
    "ref": ["one", "two"],
    "alpha": ["A one", "A two"],
    "beta": ["B one", "B two"],
}
EXPECTED = Texts(
    segments=(Segment("1", "news", "eins", "one"), Segment("2", "blog", "zwei", "two")),
    translations={"alpha": ["A one", "A two"], "beta": ["B one", "B two"]},
)


def table(path: Path, columns: dict[str, list[str]]) -> Path:
    """A table as other programs write it: without marks against formulas."""
    write_table(pl.DataFrame(columns), path, raw=True)
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("columns", [LONG, WIDE], ids=["long", "wide"])
def test_long_and_wide_tables_say_the_same_in_every_format(
    tmp_path: Path, columns: dict[str, list[str]], ending: str
) -> None:
    assert read_texts_table(table(tmp_path / f"x{ending}", columns)) == EXPECTED


def test_names_of_other_tools_are_known(tmp_path: Path) -> None:
    names = ["seg_id", "Model", "MT", "doc_id", "SRC", "ref"]

    columns = dict(zip(names, LONG.values(), strict=True))

    assert read_texts_table(table(tmp_path / "x.csv", columns)) == EXPECTED


def test_any_other_name_can_be_mapped(tmp_path: Path) -> None:
    names = ["a", "b", "c", "d", "e", "f"]

    path = table(tmp_path / "x.csv", dict(zip(names, LONG.values(), strict=True)))

    assert read_texts_table(path, columns=dict(zip(LONG, names, strict=True))) == EXPECTED


def test_a_column_that_is_mapped_wins_over_one_of_the_right_name(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", {**LONG, "refB": ["eine", "eine", "zwo", "zwo"]})

    texts = read_texts_table(path, columns={"reference": "refB"})

    assert [segment.reference for segment in texts.segments] == ["eine", "zwo"]


def test_source_reference_and_document_may_be_absent(tmp_path: Path) -> None:
    columns = {name: LONG[name] for name in ("segment", "system", "translation")}

    texts = read_texts_table(table(tmp_path / "x.csv", columns))

    assert texts.segments == (Segment("1", "1", "", ""), Segment("2", "2", "", ""))


def test_the_source_needs_to_be_said_once_only(tmp_path: Path) -> None:
    columns = {**LONG, "source": ["", "eins", "zwei", " "]}

    assert read_texts_table(table(tmp_path / "x.csv", columns)).segments == EXPECTED.segments


def test_what_a_system_does_not_translate_is_none(tmp_path: Path) -> None:
    columns = {name: cells[:3] for name, cells in LONG.items()}

    assert read_texts_table(table(tmp_path / "x.csv", columns)).translations["beta"] == ["B one", None]


def test_an_empty_cell_of_a_long_table_is_an_empty_translation(tmp_path: Path) -> None:
    columns = {**LONG, "translation": ["A one", "", "A two", "B two"]}

    assert read_texts_table(table(tmp_path / "x.csv", columns)).translations["beta"] == ["", "B two"]


@pytest.mark.parametrize(("incomplete", "expected"), [(False, ""), (True, None)])
def test_an_empty_cell_of_a_wide_table_depends_on_the_campaign(
    tmp_path: Path, incomplete: bool, expected: str | None
) -> None:
    path = table(tmp_path / "x.csv", {**WIDE, "beta": ["B one", ""]})

    assert read_texts_table(path, incomplete=incomplete).translations["beta"] == ["B one", expected]


def test_a_wide_table_without_segments_numbers_its_rows(tmp_path: Path) -> None:
    columns = {name: cells for name, cells in WIDE.items() if name != "id"}

    assert [
        segment.segment_id for segment in read_texts_table(table(tmp_path / "x.csv", columns)).segments
    ] == ["1", "2"]


def test_systems_that_are_named_leave_the_other_columns_alone(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", {**WIDE, "comment": ["good", "bad"]})

    assert list(read_texts_table(path, systems=["beta", "alpha"]).translations) == ["alpha", "beta"]
    assert list(read_texts_table(path).translations) == ["alpha", "beta", "comment"]


def test_every_contradiction_is_named_with_both_lines(tmp_path: Path) -> None:
    columns = {
        "segment": ["1", "1", "1", "2", ""],
        "system": ["alpha", "beta", "alpha", "alpha", "beta"],
        "translation": ["A", "B", "again", "C", "D"],
        "document": ["news", "blog", "news", "news", "news"],
        "source": ["eins", "ein", "eins", "zwei", "drei"],
        "reference": ["one", "one", "a", "two", "three"],
    }

    with pytest.raises(SourceError) as caught:
        read_texts_table(table(tmp_path / "x.csv", columns))

    assert list(caught.value.problems) == [
        "line 3: segment 1 has a different document in line 2.",
        "line 3: segment 1 has a different source in line 2.",
        'line 4: system "alpha" has a translation of segment 1 in line 2 too.',
        "line 4: segment 1 has a different reference in line 2.",
        "line 6: has no segment.",
    ]


def test_a_segment_twice_in_a_wide_table_is_named_with_both_rows(tmp_path: Path) -> None:
    path = table(tmp_path / "x.parquet", {**WIDE, "id": ["7", "7"]})

    with pytest.raises(SourceError, match="row 2: segment 7 is in row 1 too"):
        read_texts_table(path)


def test_a_line_that_ends_too_early_has_no_translation(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("segment,system,translation\n1,alpha\n", "utf-8")

    with pytest.raises(SourceError, match="line 2: has no translation"):
        read_texts_table(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("columns", "wanted", "expected"),
    [
        (LONG, {"segmnet": "id"}, 'there is no "segmnet" to choose; did you mean "segment"?'),
        (LONG, {"source": "from"}, 'there is no column "from" to take as source; it has: segment, system'),
        ({"system": ["a"], "mt": ["b"]}, {}, "has a column for systems but none for the segment"),
        ({"system": ["a"], "id": ["b"]}, {}, 'Name the right one: columns = { translation = "COLUMN" }'),
        ({"id": ["1"], "source": ["a"]}, {}, "has no translations; it has: id, source. Give a row per"),
    ],
)
def test_columns_that_cannot_be_found_are_named(
    tmp_path: Path, columns: dict[str, list[str]], wanted: dict[str, str], expected: str
) -> None:
    with pytest.raises(SourceError) as caught:
        read_texts_table(table(tmp_path / "x.csv", columns), columns=wanted)

    assert expected in str(caught.value)


def test_warnings_of_the_table_are_handed_on(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text('segment\tsystem\ttranslation\n1\ta\t"Stop!"\n2\ta\tGo "on".\n', "utf-8")

    texts = read_texts_table(tmp_path / "x.tsv")

    assert texts.translations["a"] == ['"Stop!"', 'Go "on".']
    assert texts.warnings == ("Quotation marks were taken as part of the texts.",)


TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00\t\r\n"), max_size=12)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
@given(grid=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=6))
def test_any_texts_come_back_from_long_and_wide_tables(
    place: Path, ending: str, grid: list[tuple[str, str, str]]
) -> None:
    sources, alpha, beta = (list(texts) for texts in zip(*grid, strict=True))
    numbers = [str(k) for k in range(1, len(grid) + 1)]
    wide = {"segment": numbers, "source": sources, "alpha": alpha, "beta": beta}
    long = {
        "segment": numbers * 2,
        "system": ["alpha"] * len(grid) + ["beta"] * len(grid),
        "translation": alpha + beta,
    }

    for columns in (wide, long):
        texts = read_texts_table(table(place / f"any{ending}", columns))
        assert texts.translations == {"alpha": alpha, "beta": beta}
