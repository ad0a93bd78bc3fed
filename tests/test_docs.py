"""Documents keep up with the code: reference pages, links, pictures; tests/pages runs what they show."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import steelyard

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.md")])
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def test_the_reference_is_what_the_code_says() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "make_reference.py"), "--check"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_links_between_pages_lead_somewhere() -> None:
    assert PAGES
    assert [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in LINK.findall(page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ] == []


def test_programs_and_files_that_pages_name_exist() -> None:
    named = re.compile(r"\b(?:bench|deploy|docs|scripts|src|tests)/[\w./-]+\.\w+")

    assert [
        f"{page.relative_to(ROOT)}: {name}"
        for page in PAGES
        for name in named.findall(page.read_text("utf-8"))
        if not (ROOT / name).exists()
    ] == []


@pytest.mark.parametrize("folder", ["explanation", "howto", "reference", "tutorial"])
def test_the_index_of_a_folder_names_every_page(folder: str) -> None:
    index = (ROOT / "docs" / folder / "README.md").read_text("utf-8")
    names = [page.name for page in ROOT.glob(f"docs/{folder}/*.md") if page.name != "README.md"]

    assert [name for name in names if f"]({name})" not in index] == []


def test_the_readme_shows_both_commands_and_make_has_them() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")

    assert "make demo" in readme
    assert "make test" in readme
    assert {"demo", "test", "setup", "bench"} <= set(re.findall(r"^(\w+):", makefile, flags=re.M))


def test_versions_agree_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")

    assert f"version: {steelyard.__version__}" in citation
    assert f"## {steelyard.__version__}" in changelog


def test_requirements_name_no_address() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        assert "://" not in path.read_text("utf-8"), path.name


PROMISE_TESTS = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def _promises() -> list[str]:
    """The rows of the tables of promises, of all sections."""
    text = (ROOT / "docs" / "explanation" / "security.md").read_text("utf-8")
    part = text.partition("## What we promise")[2].partition("## What we do not promise")[0]
    heads = ("| Promise |", "|---")
    return [line for line in part.splitlines() if line.startswith("|") and not line.startswith(heads)]


def test_every_promise_of_security_names_a_test() -> None:
    assert [row for row in _promises() if not PROMISE_TESTS.search(row)] == []


def test_every_test_that_security_names_exists() -> None:
    named = {found for row in _promises() for found in PROMISE_TESTS.findall(row)}

    assert len(named) > 20
    missing = [
        (file, name)
        for file, name in sorted(named)
        if not (ROOT / file).is_file() or f"def {name}(" not in (ROOT / file).read_text("utf-8")
    ]
    assert missing == []
