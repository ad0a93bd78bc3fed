"""Tables in every format: the same rounded cells for people, full precision for programs."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.exhibit import Column, Table
from steelyard.report.latex_text import escape, file_name
from steelyard.report.numbers import number, p_value, percent
from steelyard.report.table_cells import cell
from steelyard.report.tables import table_csv, table_html, table_json, table_latex, table_text

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (None, 3, "–"),
        (float("nan"), 3, "–"),
        (float("inf"), 3, "–"),
        (-0.5, 1, "−0.5"),
        (1 / 3, 3, "0.333"),
        (-0.0004, 3, "0.000"),
        (12345.0, 0, "12345"),
    ],
)
def test_numbers_have_a_true_minus_and_a_dash_for_none(
    value: float | None, digits: int, expected: str
) -> None:
    assert number(value, digits) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0001, "0.0001"), (0.00009999, "<0.0001"), (0.0, "<0.0001"), (1.0, "1.0000"), (None, "–")],
)
def test_tiny_p_values_are_said_to_be_smaller(value: float | None, expected: str) -> None:
    assert p_value(value) == expected


def test_an_unknown_share_has_no_sign() -> None:
    assert percent(None) == percent(float("nan")) == "–"


@pytest.mark.parametrize(
    ("value", "column", "expected"),
    [
        ("word", Column("w", "W"), "word"),
        (17, Column("n", "N"), "17"),
        (-17, Column("n", "N"), "−17"),
        (2.5, Column("n", "N"), "2.5"),
        (True, Column("n", "N"), "yes"),
        (None, Column("n", "N", 2), "–"),
        (0.125, Column("n", "N", per_cent=True), f"12{NBSP}%"),
        (0.5, Column("n", "N in %", 1, per_cent=True), "50.0"),
        (1e-9, Column("p_holm", "p", 4, p_value=True), "<0.0001"),
        (1e-9, Column("over_x-y_p", "p", 4, p_value=True), "<0.0001"),
        (1e-9, Column("attribute_p", "attribute_p", 4), "0.0000"),
        (1e-9, Column("p_share", "Share", 4), "0.0000"),
        (-0.25, Column("system_p", "system_p", 2), "−0.25"),
        (["a", "b"], Column("flags", "Flags"), "a, b"),
        ("bell\x07", Column("w", "W"), "bell�"),
    ],
)
def test_cells_obey_their_column(value: object, column: Column, expected: str) -> None:
    assert cell(value, column) == expected


def test_text_is_aligned_numbers_right_and_words_left(table: Table) -> None:
    lines = table_text(table).splitlines()

    assert lines[0] == "A toy & its <title>"
    assert lines[2] == "System          n  Score     Kept        p"
    assert lines[4] == f"a,b          1204   0.33   35.3{NBSP}%  <0.0001"
    assert lines[5] == f"long “name”     –  −0.50  100.0{NBSP}%   0.0312"


def test_text_draws_lines_at_borders_but_not_above_the_first_row(table: Table) -> None:
    lines = table_text(table).splitlines()

    rules = [place for place, line in enumerate(lines) if set(line) == {"-"}]
    assert rules == [3, 6]


def test_text_ends_with_notes_and_signature(table: Table) -> None:
    assert table_text(table).endswith(f"A note on 50 %.\n\n{table.signature}")


def test_wide_characters_keep_the_columns_straight() -> None:
    rows = pl.DataFrame({"name": ["翻译", "abcd"], "n": [1, 2]})

    lines = table_text(Table("t", "T", (Column("name", "x"), Column("n", "n")), rows)).splitlines()

    assert lines[-2:] == ["翻译  1", "abcd  2"]


def test_an_empty_table_is_written_in_every_format(table: Table) -> None:
    empty = replace(table, rows=table.rows.clear())

    assert "System" in table_text(empty)
    assert json.loads(table_json(empty))["rows"] == []
    assert r"\bottomrule" in table_latex(empty)
    assert "<tbody>" in table_html(empty)


def test_csv_comes_back_as_it_was(table: Table) -> None:
    back = pl.read_csv(io.StringIO(table_csv(table)))

    assert back.equals(table.rows.with_columns(pl.col("score").fill_nan(None)))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_csv_and_json_round_nothing(values: list[float]) -> None:
    made = Table("t", "T", (Column("x", "x", 1),), pl.DataFrame({"x": values}, schema={"x": pl.Float64}))

    assert pl.read_csv(io.StringIO(table_csv(made)), schema={"x": pl.Float64})["x"].to_list() == values
    assert [row["x"] for row in json.loads(table_json(made))["rows"]] == values


def test_csv_joins_lists() -> None:
    rows = pl.DataFrame({"flags": [["time", "shift"], [], None]}, schema={"flags": pl.List(pl.String)})

    assert table_csv(Table("t", "T", (Column("flags", "F"),), rows)) == 'flags\ntime shift\n""\n\n'


def test_json_has_the_promised_keys_and_null_for_unknown(table: Table) -> None:
    document = json.loads(table_json(table))

    assert list(document) == ["name", "title", "rows", "notes", "signature"]
    assert document["rows"][2] == {"system_id": "x", "n": 3, "score": None, "kept": None, "p_value": None}


def test_only_the_columns_named_are_written(table: Table) -> None:
    narrow = replace(table, columns=table.columns[1:2])

    assert table_csv(narrow).splitlines()[0] == "n"
    assert "long" not in table_text(narrow) + table_latex(narrow) + table_html(narrow)


SPECIALS = r'\{}$&#%_^~<>|"[]*-`' + "'"


@pytest.mark.parametrize("character", list(r"{}$&#%_"))
def test_latex_specials_are_escaped_by_a_backslash(character: str) -> None:
    assert escape(f"a{character}b") == f"a\\{character}b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\", r"\textbackslash{}"),
        ("^~", r"\textasciicircum{}\textasciitilde{}"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ('"', r"{\char34}"),
        ("[0]*", "{[}0{]}{*}"),
        ("a--b", "a-{}-b"),
        ("well-known", "well-known"),
        ("−0.5 – …", r"$-$0.5 -- \ldots{}"),
        ("10⁻³", r"10\textsuperscript{$-$}\textsuperscript{3}"),
        ("a\nb", "a b"),
        (f"5{NBSP}%", r"5~\%"),
    ],
)
def test_latex_prints_every_sign_as_it_is(text: str, expected: str) -> None:
    assert escape(text) == expected


@given(st.text(alphabet=SPECIALS + "ab ", max_size=30))
def test_escaped_text_has_balanced_braces_and_no_bare_special(text: str) -> None:
    escaped = escape(text)

    without_commands = re.sub(r"\\(?:[{}$&#%_]|text[a-z]+\{\}|char34)", "", escaped)
    assert re.findall(r"[\\$&#%_^~<>|\"]", without_commands) == []
    assert without_commands.count("{") == without_commands.count("}")


def test_latex_is_a_booktabs_table_with_caption_and_label(table: Table) -> None:
    lines = table_latex(table).splitlines()

    assert lines[0] == r"\begin{table}[htbp]"
    assert r"\caption{A toy \& its \textless{}title\textgreater{}}\label{tab:toy}" in lines
    assert r"\begin{tabular}{lrrrr}" in lines
    assert r"System & n & Score & Kept & p \\" in lines
    assert r"a,b & 1204 & 0.33 & 35.3~\% & \textless{}0.0001 \\" in lines
    assert lines[-1] == r"\end{table}"


def test_latex_draws_midrules_at_the_header_and_at_borders(table: Table) -> None:
    lines = table_latex(table).splitlines()

    places = [place for place, line in enumerate(lines) if line == r"\midrule"]
    first = lines.index(r"a,b & 1204 & 0.33 & 35.3~\% & \textless{}0.0001 \\")
    assert places == [first - 1, first + 2]


def test_latex_has_notes_and_a_signature_that_can_be_broken(table: Table) -> None:
    written = table_latex(table)

    assert r"A note on 50 \%." in written
    assert r"toy\textbar{}\allowbreak{}method:\allowbreak{}mean-z" in written
    assert "mean-z" not in table_latex(table, document_signature=table.signature)


def test_a_long_table_runs_over_pages_with_its_header_on_each() -> None:
    rows = pl.DataFrame({"n": range(100)})

    written = table_latex(Table("t", "T", (Column("n", "n"),), rows))

    assert r"\begin{longtable}{r}" in written
    assert written.count("n \\\\\n\\midrule") == 2
    assert r"\begin{table}" not in written


def test_a_wide_table_is_shrunk_to_the_line() -> None:
    rows = pl.DataFrame({f"c{k}": [k] for k in range(12)})

    written = table_latex(Table("t", "T", tuple(Column(name, name) for name in rows.columns), rows))

    assert r"\resizebox" in written
    assert written.count("{") == written.count("}")


def test_a_folded_table_keeps_columns_of_the_same_heading_with_what_they_are_about() -> None:
    titles = ["Source", *(title for of in ("raw", "z", "rank") for title in (of, "Low", "High"))]
    rows = pl.DataFrame({f"c{k}": ["x" * 10] for k in range(len(titles))})

    written = table_text(Table("t", "T", tuple(map(Column, rows.columns, titles)), rows))

    headings = [line.split() for line in written.splitlines() if line.startswith("Source")]
    assert headings == [
        ["Source", "raw", "Low", "High", "z", "Low", "High"],
        ["Source", "rank", "Low", "High"],
    ]


def test_sentences_get_a_column_that_wraps() -> None:
    rows = pl.DataFrame({"why": ["word " * 30]})

    wraps = r"{>{\raggedright\arraybackslash}p{0.35\linewidth}}"
    assert wraps in table_latex(Table("t", "T", (Column("why", "Why"),), rows))


def test_long_names_of_systems_may_be_broken_in_latex() -> None:
    rows = pl.DataFrame({"system_id": ["organisation_of_long_names_and_ensembles"], "n": [1]})

    written = table_latex(Table("t", "T", (Column("system_id", "System"), Column("n", "n")), rows))

    assert r">{\raggedright\arraybackslash}p{0.28\linewidth}r}" in written
    assert r"organisation\_\allowbreak{}of\_\allowbreak{}long" in written


def test_latex_sets_headings_over_columns_and_breaks_wide_ones() -> None:
    columns = (
        Column("of", "Of"),
        Column("n", "pairs of ratings", group="Kept"),
        Column("p", "p", group="Kept"),
    )

    lines = table_latex(Table("t", "T", columns, pl.DataFrame({"of": ["a"], "n": [1], "p": [-2]}))).split(
        "\n"
    )

    assert r"\multicolumn{1}{l}{} & \multicolumn{2}{c}{Kept} \\" in lines
    assert r"\cmidrule(lr){2-3}" in lines
    assert r"Of & \shortstack[r]{pairs\\of\\ratings} & p \\" in lines
    assert r"a & 1 & $-$2 \\" in lines


def test_no_latex_float_is_wider_than_the_line(table: Table) -> None:
    lines = table_latex(table).splitlines()

    # The box shrinks what is wider than the line, and nothing else.
    opening = lines.index(r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%")
    assert lines[opening + 1].startswith(r"\begin{tabular}")
    assert r"\end{tabular}}" in lines[opening:]


@pytest.mark.parametrize(("name", "expected"), [("../../etc/x", "etc-x"), ("&", "exhibit"), ("a_b", "a-b")])
def test_file_names_stay_in_their_folder(name: str, expected: str) -> None:
    assert file_name(name) == expected


def test_html_escapes_and_aligns(table: Table) -> None:
    page = table_html(table)

    assert "<h3>A toy &amp; its &lt;title&gt;</h3>" in page
    assert '<th scope="row" class="text">a,b</th><td>1204</td><td>0.33</td>' in page
    assert page.count('<tr class="border">') == 1
    assert f"<code>{table.signature}</code>" in page


def test_html_links_to_the_table_in_full_precision(table: Table) -> None:
    from base64 import b64decode

    found = re.search(r'download="toy\.csv" href="data:text/csv;base64,([^"]+)"', table_html(table))

    assert found
    assert b64decode(found[1]).decode() == table_csv(table)


def test_a_huge_table_is_begun_on_the_page_and_packed_in_the_link() -> None:
    rows = pl.DataFrame({"x": [k / 7 for k in range(20_000)]})

    page = table_html(Table("t", "T", (Column("x", "x", 2),), rows))

    assert page.count("<tr>") <= 402
    assert "The first 400 of 20,000 rows; all are in the file." in page
    assert 'download="t.csv.gz"' in page


def test_a_column_that_repeats_itself_names_no_row() -> None:
    rows = pl.DataFrame({"rank": ["1-2", "1-2"], "system": ["a", "b"]})

    page = table_html(Table("t", "T", (Column("rank", "Rank"), Column("system", "System")), rows))

    assert '<td class="text">1-2</td><th scope="row" class="text">a</th>' in page


def test_signatures_of_several_sources_have_a_line_each(table: Table) -> None:
    several = replace(table, signature="one|a\ntwo|b")

    assert table_text(several).splitlines()[-2:] == ["one|a", "two|b"]
    assert "<code>one|a</code><br>\n<code>two|b</code>" in table_html(several)


def test_a_row_is_named_by_its_id_rather_than_by_its_rank() -> None:
    columns = (Column("ranks", "Rank"), Column("system_id", "System"))
    table = Table("t", "T", columns, pl.DataFrame({"ranks": ["1", "2-3"], "system_id": ["brass", "tin"]}))

    assert '<th scope="row" class="text">brass</th>' in table_html(table)
    assert '<th scope="row" class="text">1</th>' not in table_html(table)


def test_headings_over_columns_span_them_and_stand_before_each_in_text() -> None:
    table = Table(
        "toy",
        "Toy",
        (Column("of", "Of", words=(("a", "in words"),)), *(Column(n, n, group="Kept") for n in ("n", "p"))),
        pl.DataFrame({"of": ["a"], "n": [1], "p": [2]}),
    )

    assert (
        '<tr><td colspan="1"></td><th class="group" colspan="2" scope="colgroup">Kept</th></tr>'
        in table_html(table)
    )
    assert "Of        Kept: n  Kept: p" in table_text(table)
    assert ">in words<" in table_html(table)
    assert "a,1,2" in table_csv(table)


def test_a_table_of_very_many_columns_is_folded_on_the_page() -> None:
    names = [f"s{k}" for k in range(30)]
    columns = (Column("system_id", "System"), *(Column(name, name) for name in names))
    rows = pl.DataFrame({"system_id": ["a", "b"], **{name: [1, 2] for name in names}})

    page = table_html(Table("toy", "Toy", columns, rows))

    parts = page.split("<table")[1:]
    assert [part.count('scope="col"') for part in parts] == [11, 11, 11]
    assert all(part.count('<th scope="row" class="text">a</th>') == 1 for part in parts)


def test_text_sets_columns_closer_before_it_folds_them() -> None:
    rows = pl.DataFrame({f"c{k:02d}": ["x" * 6] for k in range(13)})

    written = table_text(Table("t", "T", tuple(Column(name, name) for name in rows.columns), rows))

    # Two spaces between them would take 13 * 6 + 12 * 2 = 102 columns.
    assert max(map(len, written.splitlines())) == 13 * 6 + 12


def test_text_folds_a_table_between_groups_of_columns() -> None:
    names = [f"c{k}" for k in range(8)]
    columns = (
        Column("system_id", "System"),
        *(Column(n, n, group="Kept" if int(n[1]) > 3 else "All") for n in names),
    )
    rows = pl.DataFrame({"system_id": ["a"], **{name: ["x" * 14] for name in names}})

    written = table_text(Table("t", "T", columns, rows))

    blocks = [line for line in written.splitlines() if line.startswith("System")]
    assert [block.count(":") for block in blocks] == [4, 4]
    assert max(map(len, written.splitlines())) <= 100
