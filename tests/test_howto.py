"""The how-to pages work as they stand: their campaign files, their commands, and what these print."""

from __future__ import annotations

import re
import runpy
import shlex
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import pytest

from steelyard.cli.main import cli, run
from steelyard.design.builder import build
from steelyard.formats.campaign_toml import read_campaign

HOWTO = Path(__file__).parent.parent / "docs" / "howto"
PAGES = sorted(path.name for path in HOWTO.glob("*.md") if path.name != "README.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.M | re.S)
# "Save this as `name`" and the block after it.
FILE = re.compile(r"[Ss]ave this as `([^`]+)`.*?^```\w+\n(.*?)^```$", flags=re.M | re.S)
CUT = "…"
# The page that begins where campaigns end, those about judgements of others (their numbers are
# in test_real_data.py and test_recipes.py), and those about a campaign that is there; all others design one.
ANALYSING = "tables-and-figures.md"
# Its Python runs in test_examples.py.
IN_PYTHON = "python.md"
PUBLISHED = ("reproduce-wmt.md", "error-spans.md")
RUNNING = (
    *("run-a-campaign.md", "links-and-people.md", "correct-a-mistake.md", "extend-a-campaign.md"),
    *("pay-workers.md", "back-up.md", "prove-nothing-changed.md", "run-a-series.md", "deploy.md"),
    *("managers.md", "adjudicate.md", "participants-rights.md"),
)
DESIGNING = [page for page in PAGES if page not in (ANALYSING, IN_PYTHON, *PUBLISHED, *RUNNING)]


class Command(NamedTuple):
    """A command that a page shows, where its output goes, and the output as far as the page has it."""

    arguments: list[str]
    target: str
    shown: str


def text_of(page: str) -> str:
    return (HOWTO / page).read_text("utf-8")


def commands(page: str) -> Iterator[Command]:
    """All `steelyard` commands in blocks of text and shell."""
    for language, block in BLOCK.findall(text_of(page)):
        if language not in ("text", "sh"):
            continue
        # In a text, output is what stands up to the next prompt; a shell block shows none.
        for part in re.split(r"^\$ " if language == "text" else r"^", block, flags=re.M):
            line, _, shown = part.partition("\n")
            if line.startswith("steelyard "):
                _, *words = shlex.split(line, comments=True)
                end = words.index(">") if ">" in words else len(words)
                yield Command(words[:end], "".join(words[end + 1 :]), shown)


def campaign_files(page: str) -> list[str]:
    """The names of the files with a whole campaign that the page says to save."""
    return [name for name, block in FILE.findall(text_of(page)) if "[campaign]" in block]


# Quick, and nothing comes before them. What is simulated takes too long here.
PRINTING = [
    (page, command)
    for page in PAGES
    for command in commands(page)
    if command.arguments[0] == "plan" or "--explain-layout" in command.arguments
]
LAID_OUT = {page for page, command in PRINTING if command.arguments[0] == "create"}


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all files that the page of the test says to make, and we are in it."""
    page = request.getfixturevalue("page")
    monkeypatch.chdir(tmp_path)
    for name, block in FILE.findall(text_of(page)):
        (tmp_path / name).write_text(block, "utf-8")
        if name.endswith(".py"):
            runpy.run_path(name)
    capture = request.getfixturevalue("capsys")
    for command in commands(page):
        if command.target:
            assert run(command.arguments) == 0
            (tmp_path / command.target).write_text(capture.readouterr().out, "utf-8")
    return tmp_path


@pytest.mark.parametrize("page", DESIGNING)
def test_every_whole_campaign_file_of_a_page_is_one_the_reader_saves(page: str) -> None:
    whole = [block for language, block in BLOCK.findall(text_of(page)) if "[campaign]" in block]

    assert len(whole) == len(campaign_files(page)) == 1


# Where a page shows the layout of its HITs, they are built for that.
@pytest.mark.parametrize("page", [page for page in DESIGNING if page not in LAID_OUT])
def test_the_campaign_file_of_a_page_is_accepted_and_builds_hits(page: str, folder: Path) -> None:
    (name,) = campaign_files(page)
    numbers = count()

    campaign = read_campaign(folder / name).campaign
    design = build(
        campaign,
        rng=np.random.default_rng(campaign.settings.seed),
        new_ids=lambda n: [f"item-{next(numbers)}" for _ in range(n)],
    )

    assert len(design.hits) > 0


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_exist_with_these_options(page: str, folder: Path) -> None:
    problems = []
    for command in commands(page):
        name, *rest = command.arguments
        with click.Context(cli) as context:
            try:
                found = cli.get_command(context, name)
                assert found is not None, name
                found.make_context(name, rest, parent=context)
            except click.ClickException as problem:
                problems.append(f"steelyard {' '.join(command.arguments)}: {problem.format_message()}")

    assert problems == []


@pytest.mark.parametrize("page", sorted({page for page, _ in PRINTING}))
def test_a_plan_or_layout_prints_what_the_page_shows(
    page: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (command for shown_on, command in PRINTING if shown_on == page):
        run(command.arguments)

        captured = capsys.readouterr()
        # Pages shorten output and wrap long messages.
        pieces = [" ".join(piece.split()) for piece in command.shown.split(CUT)]
        wanted = ".*".join(re.escape(piece) for piece in pieces)
        printed = " ".join(f"{captured.out}\n{captured.err}".split())
        assert re.search(wanted, printed), f"steelyard {' '.join(command.arguments)} prints: {printed}"


@pytest.mark.parametrize("page", [ANALYSING])
def test_the_commands_of_the_page_on_tables_and_figures_work_one_after_the_other(
    page: str, folder: Path
) -> None:
    found = [command.arguments for command in commands(page) if not command.target]

    codes = {" ".join(arguments): run(arguments) for arguments in found}

    assert len(codes) >= 9
    assert set(codes.values()) == {0}, codes
    for name in (
        "report.html",
        "report/report.tex",
        "agreement.tex",
        "variants.csv",
        "pace.svg",
        "worker.png",
    ):
        assert (folder / name).stat().st_size > 0


def test_the_index_names_every_page() -> None:
    index = text_of("README.md")

    assert [page for page in PAGES if f"]({page})" not in index] == []
