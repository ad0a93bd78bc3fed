"""Figures as files and as pieces of a page."""

from __future__ import annotations

import re
import sys
from base64 import b64decode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.domain.errors import SourceError
from steelyard.domain.exhibit import Axis, Figure, Points, Rule
from steelyard.report.drawing.palette import PRINTED
from steelyard.report.figure_file import ENDINGS, write_figure
from steelyard.report.svg import to_svg
from steelyard.report.tables import table_csv
from steelyard.report.tables_html import figure_html


def pixels(path: Path) -> np.ndarray[Any, Any]:
    from matplotlib.image import imread

    return imread(path)[..., :3]


def has_colour(picture: np.ndarray[Any, Any], colour: str) -> bool:
    codes = (picture * 255 + 0.5).astype(np.uint32) @ np.array([65536, 256, 1], dtype=np.uint32)
    return np.count_nonzero(codes == int(colour[1:], 16)) > 20


@pytest.fixture(scope="module")
def folder(every_mark: Figure, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every mark, in every format, twice."""
    target = tmp_path_factory.mktemp("figures")
    for ending in ENDINGS:
        for name in ("one", "two"):
            write_figure(every_mark, target / f"{name}{ending}")
    return target


@pytest.mark.parametrize(
    ("ending", "beginning"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")]
)
def test_every_mark_can_be_written_in_every_format(folder: Path, ending: str, beginning: bytes) -> None:
    assert (folder / f"one{ending}").read_bytes().startswith(beginning)


def test_nothing_unfinished_is_left_behind(folder: Path) -> None:
    assert len(list(folder.iterdir())) == 2 * len(ENDINGS)


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_figure_gives_the_same_file(folder: Path, ending: str) -> None:
    assert (folder / f"one{ending}").read_bytes() == (folder / f"two{ending}").read_bytes()


def test_drawing_leaves_no_figure_behind(folder: Path) -> None:
    from matplotlib import pyplot

    assert pyplot.get_fignums() == []


def test_the_picture_has_the_drawings_size_and_colours(every_mark: Figure, folder: Path) -> None:
    picture = pixels(folder / "one.png")
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', to_svg(every_mark, themed=False))
    assert found
    # 0.9 points per unit at 200 pixels per inch.
    assert picture.shape[1] == pytest.approx(float(found[1]) * 0.9 * 200 / 72, abs=2)
    assert picture.shape[0] == pytest.approx(float(found[2]) * 0.9 * 200 / 72, abs=2)
    assert all(has_colour(picture, PRINTED[role]) for role in ("ink", "soft", "third-edge", "bad"))


def test_a_dot_is_painted_where_the_drawing_has_it(figure_of: Callable[..., Figure], tmp_path: Path) -> None:
    figure = figure_of(Points((1.0,), (1.0,), tone="bad"), x=Axis("x", 0, 2), y=Axis("y", 0, 2))
    write_figure(figure, tmp_path / "figure.png")

    picture = pixels(tmp_path / "figure.png")
    wanted = np.array([0xD5, 0x5E, 0x00]) / 255
    rows, columns = np.nonzero(np.abs(picture - wanted).max(axis=2) < 0.05)
    crosses = re.findall(r'd="M([\d.]+) ([\d.]+)[^"]*" fill="#d55e00"', to_svg(figure, themed=False))
    scale = 0.9 * 200 / 72
    # The outline of a cross begins in its middle, 1.8 units up.
    (x, y), *_ = crosses
    assert columns.mean() == pytest.approx(float(x) * scale, abs=2)
    assert rows.mean() == pytest.approx((float(y) + 1.8) * scale, abs=2)


@pytest.mark.parametrize("name", ["figure.gif", "figure", "figure.svg.txt"])
def test_an_unknown_ending_is_refused_with_the_known_ones(
    every_mark: Figure, name: str, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match=r"ends in \.svg, \.png or \.pdf"):
        write_figure(every_mark, tmp_path / name)


def test_capitals_in_an_ending_do_not_matter(every_mark: Figure, tmp_path: Path) -> None:
    write_figure(every_mark, tmp_path / "FIGURE.SVG")

    assert (tmp_path / "FIGURE.SVG").exists()


def test_without_matplotlib_the_error_says_what_to_do(
    every_mark: Figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(SourceError, match=r"steelyard\[plots\].*\.svg files need nothing else"):
        write_figure(every_mark, tmp_path / "figure.png")


@pytest.mark.parametrize("ending", [".png", ".pdf"])
def test_any_words_can_be_painted(figure_of: Callable[..., Figure], ending: str, tmp_path: Path) -> None:
    figure = figure_of(
        Points((1.0,), (0.0,), labels=("$x_1$ \\frac",), named=True),
        Rule("x", 1.0, "$not math$"),
        y=Axis("", categories=("百度 مترجم 😀 \x00",)),
    )

    write_figure(figure, tmp_path / f"figure{ending}")

    assert (tmp_path / f"figure{ending}").stat().st_size > 1000


def test_an_empty_figure_can_be_painted_with_and_without_words(
    figure_of: Callable[..., Figure], tmp_path: Path
) -> None:
    write_figure(figure_of(), tmp_path / "whole.png")
    write_figure(figure_of(), tmp_path / "bare.png", has_words=False)

    assert len(pixels(tmp_path / "bare.png")) < len(pixels(tmp_path / "whole.png"))


def test_on_a_page_a_figure_has_drawing_caption_data_and_links(every_mark: Figure) -> None:
    piece = figure_html(every_mark)

    assert piece.count("<svg") == len(every_mark.panels)
    assert "<strong>Every mark.</strong> One of each.</figcaption>" in piece
    assert "<summary>Data</summary>" in piece
    assert "a,b</th>" in piece


def test_the_links_of_a_figure_hold_its_data_and_the_drawing(every_mark: Figure) -> None:
    links = dict(re.findall(r'download="([^"]+)" href="data:[^,]+,([^"]+)"', figure_html(every_mark)))

    assert b64decode(links["every-mark.csv"]).decode() == table_csv(every_mark.table)
    assert b64decode(links["every-mark.svg"]).decode() == to_svg(every_mark, themed=False)


def test_a_figures_words_are_escaped_on_the_page(figure_of: Callable[..., Figure]) -> None:
    figure = replace(figure_of(), title="<script>", caption="<script>", signature="<script>")

    assert "<script" not in figure_html(figure)
