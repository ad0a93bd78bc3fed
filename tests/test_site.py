"""The documentation site: its navigation, pages made from code, and pages kept by hand beside it."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import get_args

import pytest

from steelyard.domain.judgement import FrameName
from steelyard.domain.layouts import SPAN_LAYOUTS
from steelyard.exhibits import figures, tables
from steelyard.flows.export import HitsLayout
from steelyard.formats._judgement_columns import ALIASES
from steelyard.formats.campaign_schema import schema_text
from steelyard.version import __version__

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
IMAGES = DOCS / "images"
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def reference(name: str) -> str:
    return (DOCS / "reference" / name).read_text("utf-8")


def test_the_navigation_names_every_page_once_and_nothing_else() -> None:
    named = re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), flags=re.M)
    there = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))

    assert sorted(named) == there, (
        "name each page of docs once in mkdocs.yml; then run scripts/make_reference.py"
    )


def test_pages_link_to_what_is_on_the_site() -> None:
    """What lies outside docs is not there."""
    assert [
        f"{page.relative_to(DOCS)}: {target}"
        for page in DOCS.rglob("*.md")
        for target in LINK.findall(page.read_text("utf-8"))
        if not (page.parent / target).resolve().is_relative_to(DOCS)
    ] == []


def test_pages_have_one_title_and_need_no_generator_of_their_own() -> None:
    """Plain Markdown: any generator, and any reader, can do with it."""
    problems = []
    for page in sorted(DOCS.rglob("*.md")):
        bare = re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.M | re.S)
        name = page.relative_to(DOCS)
        problems += [f"{name}: {n} titles"] if (n := len(re.findall(r"^# ", bare, flags=re.M))) != 1 else []
        problems += [
            f"{name}: {found}" for found in re.findall(r"^(?:::: \S+|===.*|\{%.*|\[TOC\])", bare, flags=re.M)
        ]

    assert problems == []


def test_the_gallery_shows_every_table_and_figure_and_nothing_else() -> None:
    page = reference("gallery.md")

    assert re.findall(r"^steelyard table (\S+)", page, flags=re.M) == sorted(tables())
    assert re.findall(r"^steelyard plot (\S+)", page, flags=re.M) == sorted(figures())
    assert all(f"## {name}\n" in page for name in {exhibit.title for exhibit in tables().values()})
    pictures = re.findall(r"\]\(\.\./images/gallery/(\S+)\.svg\)", page)
    assert pictures == sorted(path.stem for path in (IMAGES / "gallery").iterdir())


def test_the_gallery_says_what_each_table_and_figure_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    head = importlib.import_module("make_gallery").head
    page = reference("gallery.md")
    known = [("table", exhibit) for exhibit in tables().values()] + [
        ("plot", exhibit) for exhibit in figures().values()
    ]

    missing = [exhibit.name for verb, exhibit in known if head(exhibit, verb) not in page]
    assert missing == [], "run scripts/make_gallery.py"


def test_every_picture_is_on_its_pages_and_in_the_list_of_the_script(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    listed = importlib.import_module("make_pictures").PICTURES
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for path in [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "mkdocs.yml"]
    }
    shown = {
        (name, page) for page, text in texts.items() for name in re.findall(r"images/([\w./-]+\w)", text)
    }

    there = {path.relative_to(IMAGES).as_posix() for path in IMAGES.rglob("*.*")}
    assert there == set(listed)
    assert {(name, page) for name, picture in listed.items() for page in picture.pages} == shown
    makers = {picture.maker for picture in listed.values()} - {"drawn by hand"}
    assert [maker for maker in makers if not is_function(maker)] == []


def is_function(maker: str) -> bool:
    """Whether a script has it; they are not loaded for that, which takes seconds."""
    module, _, name = maker.partition(".")
    return f"\ndef {name}(folder: Path)" in (ROOT / "scripts" / f"{module}.py").read_text("utf-8")


def test_the_signatures_of_pictures_are_of_this_version() -> None:
    found = {
        (path.name, version)
        for path in IMAGES.rglob("*.svg")
        for version in re.findall(r"steelyard:([\d.]+)", path.read_text("utf-8"))
    }

    assert len(found) > 5
    assert {version for _, version in found} == {".".join(__version__.split(".")[:2])}


def test_pictures_are_small() -> None:
    """They are in every clone and in every sdist."""
    assert sum(path.stat().st_size for path in IMAGES.rglob("*.*")) < 3_000_000


def test_the_page_of_the_campaign_file_names_every_key() -> None:
    kinds = json.loads(schema_text())["$defs"].values()
    keys = {key for kind in kinds for key in kind.get("properties", {})}
    page = reference("campaign-file.md")

    assert len(keys) > 60
    assert sorted(key for key in keys if not re.search(rf"`(?:\w+\.)?{re.escape(key)}`", page)) == []


def test_the_page_of_the_campaign_file_says_what_each_key_means() -> None:
    """In the words that `steelyard schema` gives to editors."""
    kinds = json.loads(schema_text())["$defs"].values()
    meanings = [key["description"] for kind in kinds for key in kind.get("properties", {}).values()]
    page = " ".join(reference("campaign-file.md").replace("`", "").split())

    assert len(meanings) > 100
    assert [meaning for meaning in meanings if " ".join(meaning.replace("`", "").split()) not in page] == []


@pytest.mark.parametrize("frame", list(ALIASES))
def test_the_page_of_the_judgements_file_names_every_column(frame: FrameName) -> None:
    page = reference("judgements-file.md")

    assert [column for column in ALIASES[frame] if f"`{column}`" not in page] == []


def test_every_column_in_the_tables_of_the_judgements_file_is_read() -> None:
    known = {column for aliases in ALIASES.values() for column in aliases}
    tables_of_columns = re.findall(
        r"^\| Column \|.*\n\|[-|]+\n((?:\|.*\n)+)", reference("judgements-file.md"), flags=re.M
    )
    first_cells = [row.split("|")[1] for table in tables_of_columns for row in table.splitlines()]
    named = {column for cell in first_cells for column in re.findall(r"`(\w+)`", cell)}

    assert len(named) > 30
    assert named - known == set()


def test_the_page_of_other_systems_names_every_layout_that_is_written() -> None:
    page = reference("files-of-other-systems.md")
    foreign = [name for name in get_args(HitsLayout) if name != "audit"]

    assert [name for name in foreign if f"--as {name}" not in page] == []
    assert [name for name in SPAN_LAYOUTS if f"| `{name}` |" not in page] == []
