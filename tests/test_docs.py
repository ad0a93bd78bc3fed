"""Documents keep up with the code: reference pages, examples, links, the two commands of the README."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

import steelyard
from steelyard.cli.main import cli, run

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


def test_the_readme_shows_both_commands_and_make_has_them() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")

    assert "make demo" in readme
    assert "make test" in readme
    assert {"demo", "test", "setup", "bench"} <= set(re.findall(r"^(\w+):", makefile, flags=re.M))


def _blocks(page: Path, language: str = "") -> list[str]:
    """The blocks of a page that are marked with this language, lines that go on in the next one joined."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.M | re.S)


def _typed(line: str, serve: Callable[..., object], capture: pytest.CaptureFixture[str]) -> int:
    """Do what a shell would with a line; its exit code. A server starts on a free port and goes on."""
    _, *words = shlex.split(line, comments=True)
    if not line.startswith("steelyard "):
        return subprocess.run(["sh", "-c", line], check=False).returncode
    if words[0] == "serve":
        serve(*words[1:])
        return 0
    end = words.index(">") if ">" in words else len(words)
    capture.readouterr()
    code = run(words[:end])
    if end < len(words):
        Path(words[end + 1]).write_text(capture.readouterr().out, "utf-8")
    return code


def test_the_lines_of_the_readme_work_one_after_the_other(
    serve: Callable[..., object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In an empty folder, as somebody without any settings; lines of `make` set up or test this clone."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    readme = ROOT / "README.md"
    lines = [line for block in _blocks(readme) for line in block.splitlines()]
    typed = [line for line in lines if not line.startswith(("make ", "export PATH="))]

    codes = {line: _typed(line, serve, capsys) for line in typed}

    assert len(codes) >= 20
    assert {line: code for line, code in codes.items() if code != 0} == {}
    for name in ("report.html", "significance.pdf", "monday.db"):
        assert Path(name).stat().st_size > 0
    (example,) = _blocks(readme, "python")
    names: dict[str, Any] = {}
    exec(compile(example, "README.md", "exec"), names)  # noqa: S102 (our own page)
    names["campaign"].close()
    assert "kept:" in capsys.readouterr().out


def test_versions_agree_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")

    assert f"version: {steelyard.__version__}" in citation
    assert f"## {steelyard.__version__}" in changelog


def test_requirements_name_no_address() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        assert "://" not in path.read_text("utf-8"), path.name


def _shown_commands() -> list[tuple[str, str]]:
    """Every `steelyard` command in a block of the tutorials and explanations, with its page."""
    found = []
    for page in sorted([*ROOT.glob("docs/tutorial/*.md"), *ROOT.glob("docs/explanation/*.md")]):
        for block in _blocks(page, r"\w*"):
            commands = [line.removeprefix("$ ") for line in block.splitlines()]
            found += [(page.name, line) for line in commands if line.startswith("steelyard ")]
    # Its table names studies and what each needs.
    table = re.findall(r"^\|.*?`(steelyard [^`]+\.db)`", (ROOT / "README.md").read_text("utf-8"), flags=re.M)
    return found + [("README.md", line) for line in table]


@pytest.mark.parametrize(("page", "line"), _shown_commands())
def test_a_command_of_a_page_exists_with_its_options(page: str, line: str) -> None:
    _, name, *words = shlex.split(line, comments=True)
    ends = [words.index(mark) for mark in (">", "|") if mark in words]

    with click.Context(cli) as context:
        command = cli.get_command(context, name)
        assert command is not None
        command.make_context(name, words[: min(ends, default=len(words))], parent=context)


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
