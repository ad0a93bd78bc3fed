"""A report for LaTeX: a document, its parts, and nothing outside the folder."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from steelyard.domain.errors import SourceError
from steelyard.domain.exhibit import Figure, Table
from steelyard.domain.result import Analysis
from steelyard.domain.wording import Note
from steelyard.report.latex import write_latex


@pytest.fixture(scope="module")
def folder(
    analysis: Analysis, table: Table, every_mark: Figure, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A report with a table and a figure beside its own."""
    target = tmp_path_factory.mktemp("report") / "new" / "latex"
    write_latex(target, analysis, [table, every_mark])
    return target


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_each_table_is_a_file_and_each_figure_two(folder: Path) -> None:
    assert names(folder) == [
        "figure-every-mark.pdf",
        "figure-every-mark.tex",
        "report.tex",
        "table-agreement.tex",
        "table-ranking-adequacy.tex",
        "table-ranking-fluency.tex",
        "table-ranking.tex",
        "table-toy.tex",
    ]


def test_the_document_holds_every_part_and_they_are_all_there(folder: Path) -> None:
    document = (folder / "report.tex").read_text("utf-8")

    parts = re.findall(r"\\input\{([^}]+)\}", document)
    assert sorted(f"{part}.tex" for part in parts) == [
        name for name in names(folder) if name.endswith(".tex") and name != "report.tex"
    ]


def test_the_document_is_whole(folder: Path) -> None:
    document = (folder / "report.tex").read_text("utf-8")

    assert document.startswith(r"\documentclass")
    assert document.index(r"\begin{document}") < document.index(r"\input") < document.index(r"\end{document}")
    for package in ("booktabs", "longtable", "graphicx"):
        assert rf"\usepackage{{{package}}}" in document


@pytest.mark.parametrize(
    "part", ["report.tex", "table-ranking.tex", "figure-every-mark.tex", "table-toy.tex"]
)
def test_environments_and_braces_are_closed(folder: Path, part: str) -> None:
    written = re.sub(r"\\[{}]", "", (folder / part).read_text("utf-8"))

    assert written.count("{") == written.count("}")
    begun, ended = (re.findall(rf"\\{word}\{{(\w+)\}}", written) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)


def test_the_document_escapes_titles_and_warnings(folder: Path) -> None:
    document = (folder / "report.tex").read_text("utf-8")

    assert r"\title{A {\char34}title{\char34} \textless{}script\textgreater{}}" in document
    assert r"\item Mind \textless{}this\textgreater{}, at 50 \%." in document


def test_the_ranking_has_every_system_and_its_borders(folder: Path) -> None:
    ranking = (folder / "table-ranking.tex").read_text("utf-8")

    assert r"1--2 & \textless{}b\textgreater{}good\textless{}/b\textgreater{} & 0.512 &" in ranking
    assert r"3 & bad\_50\% & $-$0.600 & -- & -- &" in ranking
    assert ranking.count(r"\midrule") == 2


def test_no_worker_is_named_in_print(folder: Path) -> None:
    assert all("w-careful" not in path.read_text("utf-8") for path in folder.glob("*.tex"))


def test_a_figure_has_its_caption_and_label(folder: Path) -> None:
    written = (folder / "figure-every-mark.tex").read_text("utf-8")

    assert r"{figure-every-mark.pdf}" in written
    assert r"{Every mark. One of each.}\label{fig:every-mark}" in written


def test_a_small_figure_is_not_blown_up(
    analysis: Analysis, every_mark: Figure, figure_of: Callable[..., Figure], tmp_path: Path
) -> None:
    """Two systems have a grid of four cells, whose letters would be larger than those around it."""
    grid = every_mark.panels[-1]
    usual = figure_of(*every_mark.panels[1].marks)
    small = figure_of(*grid.marks, x=grid.x, y=grid.y)

    write_latex(tmp_path, analysis, [usual, small])

    shares = [
        float(re.findall(r"width=([\d.]+)", path.read_text("utf-8"))[0])
        for path in sorted(tmp_path.glob("figure-*.tex"))
    ]
    assert min(shares) < 0.5 < max(shares) == 0.72


def test_the_signature_of_the_document_stands_in_it_once(folder: Path) -> None:
    texts = [path.read_text("utf-8") for path in folder.glob("*.tex")]

    assert sum(text.count(r"steelyard:\allowbreak{}0.2\textbar{}") for text in texts) == 1


def test_captions_do_not_repeat_the_title_of_the_document(
    analysis: Analysis, table: Table, tmp_path: Path
) -> None:
    write_latex(tmp_path, analysis, [replace(table, title=f"Toy: {analysis.title}")])

    assert r"\caption{Toy}" in (tmp_path / "table-toy.tex").read_text("utf-8")


def test_notes_are_apart_from_warnings(analysis: Analysis, tmp_path: Path) -> None:
    write_latex(tmp_path, replace(analysis, warnings=("Nobody passed.", Note("Ignored columns: colour."))))

    document = (tmp_path / "report.tex").read_text("utf-8")
    warned, noted = document[document.index(r"\paragraph{Warnings}") :].split(r"\paragraph{Notes}")
    assert r"\item Nobody passed." in warned
    assert r"\item Ignored columns: colour." in noted


def test_parts_of_one_name_get_files_of_their_own(analysis: Analysis, table: Table, tmp_path: Path) -> None:
    write_latex(tmp_path, analysis, [table, replace(table, name="TOY"), replace(table, name="../toy")])

    assert {"table-toy.tex", "table-TOY-2.tex", "table-toy-3.tex"} <= set(names(tmp_path))


def test_an_exhibit_takes_the_place_of_our_table_of_that_name(
    analysis: Analysis, table: Table, tmp_path: Path
) -> None:
    write_latex(tmp_path, analysis, [replace(table, name="ranking")])

    assert "A toy" in (tmp_path / "table-ranking.tex").read_text("utf-8")
    assert "table-ranking-2.tex" not in names(tmp_path)


def test_writing_again_replaces_our_files_and_leaves_others(
    analysis: Analysis, table: Table, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    write_latex(tmp_path, analysis, [table])
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    write_latex(tmp_path, analysis, [table])

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_without_matplotlib_nothing_is_written(
    tmp_path: Path, analysis: Analysis, table: Table, every_mark: Figure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)

    with pytest.raises(SourceError, match=r"steelyard\[plots\]"):
        write_latex(tmp_path / "new", analysis, [table, every_mark])

    assert not (tmp_path / "new").exists()


def test_tables_alone_need_no_matplotlib(
    tmp_path: Path, analysis: Analysis, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    write_latex(tmp_path, analysis, [table])

    assert (tmp_path / "table-toy.tex").exists()


def test_what_could_not_be_shown_is_said_in_the_document(tmp_path: Path, analysis: Analysis) -> None:
    write_latex(tmp_path, analysis, missing=["Pace is not shown: 50 % are unknown."])

    assert r"Pace is not shown: 50 \% are unknown." in (tmp_path / "report.tex").read_text("utf-8")


def test_signatures_of_several_sources_have_a_line_each(
    tmp_path: Path, analysis: Analysis, table: Table, every_mark: Figure
) -> None:
    write_latex(
        tmp_path, analysis, [replace(table, signature="one\ntwo"), replace(every_mark, signature="one\ntwo")]
    )

    for name in ("table-toy", "figure-every-mark"):
        assert "one\\par\ntwo\\par}" in (tmp_path / f"{name}.tex").read_text("utf-8")
