"""Every page works as it stands: its files, commands and code, in order, print what it shows."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import runpy
import shutil
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from fastapi.testclient import TestClient
from tests.pages.blocks import REASONS, SHELL, Block, blocks, inline_commands, pages, quoted, typed
from tests.pages.data import (
    GIVEN,
    JUDGED,
    LONG_LAYOUT,
    PLATFORMS,
    QUOTED,
    SMALLER,
    USUAL,
    Data,
    made_smaller,
    make,
    same_ids,
)
from tests.pages.shell import bash
from tests.pages.shown import missing

from steelyard.cli.main import cli, run
from steelyard.emulators import emulators
from steelyard.emulators.offer import EmulatorSettings
from steelyard.emulators.serving import serving
from steelyard.formats.campaign_schema import campaign_schema
from steelyard.protocols import protocols
from steelyard.web.app import app_at

# Set it to run the examples in their own sizes and compare every number; that takes many minutes.
WHOLE = "STEELYARD_WHOLE_PAGES" in os.environ
# What a terminal has: links are printed there, and questions answered.
TERMINAL = ("--print-links", "--yes")
POSTGRES = re.compile(r"postgres(?:ql)?://[^?\s]+")
# Its code is docs/examples/notebook.py, which test_examples.py runs.
AS_EXAMPLE = "docs/howto/python.md"
WITH_BLOCKS = [page for page in pages() if blocks(page) and page != AS_EXAMPLE]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Data], Path]:
    """Data that is made once, for all pages that begin with it."""
    known: dict[str, Path] = {}

    def once(data: Data) -> Path:
        key = repr(data)
        if key not in known:
            known[key] = tmp_path_factory.mktemp("given") / "data"
            make(data, known[key])
        return known[key]

    return once


class Session:
    """A reader who follows a page in a folder of their own."""

    def __init__(self, page: str, folder: Path, request: pytest.FixtureRequest) -> None:
        self.page, self.folder, self.request = page, folder, request
        self.printed = ""
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.postgres: dict[str, str] = {}

    def follow(self, block: Block) -> None:
        """Do what a reader would do with a block."""
        if block.file:
            self.save(block)
        elif block.language == "python":
            self.run_python(block)
        elif block.language in ("toml", "json", "csv", "tsv"):
            check_part(block)
        else:
            commands = list(typed(block))
            for each in commands:
                self.type(block, each.command, each.shown)
            if not commands:
                self.compare(block, block.text, self.printed, numbers=WHOLE or self.page not in SMALLER)

    def save(self, block: Block) -> None:
        assert block.file is not None
        path = self.folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, "utf-8")
        if path.suffix == ".py" and re.search(r"\brun it\b", block.before):
            runpy.run_path(str(path), run_name="__main__")

    def type(self, block: Block, command: str, shown: str | None) -> None:
        self.bring(command)
        done = bash(command, change=self.change)
        self.printed += done.text
        fails = shown is not None and shown.lstrip().startswith("Error: ")
        assert (done.code != 0) == fails, f"{block.place}: {command}\nends with {done.code}:\n{done.text}"
        if shown is not None:
            self.compare(block, shown, done.text, numbers=WHOLE or self.is_exact(command, shown))

    def is_exact(self, command: str, shown: str) -> bool:
        """Whether a command prints the numbers of the page on smaller data, too."""
        if command.startswith("steelyard plan"):
            # Differences are found by simulation.
            return "difference" not in command + shown
        is_explained = "--explain" in command and self.page not in LONG_LAYOUT
        return is_explained or self.page not in SMALLER

    def compare(self, block: Block, shown: str, printed: str, *, numbers: bool) -> None:
        lost = missing(shown, printed, numbers=numbers)
        assert lost is None, f"{block.place}: the page shows\n{lost}\nbut printed is\n{printed}"

    def run_python(self, block: Block) -> None:
        self.bring(block.text)
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(out):
            exec(compile("\n" * block.line + block.text, block.page, "exec"), self.names)  # noqa: S102 (our page)
        self.printed += out.getvalue()

    def bring(self, command: str) -> None:
        """Put the data there that the page takes for granted, unless it has made it itself."""
        given = USUAL | GIVEN.get(self.page, {})
        for name in sorted(set(re.findall(r"[\w.-]+", command)) & set(given)):
            target = self.folder / name
            is_made = re.search(rf"(?:--db|--to|>|backup \S+|clone \S+ --db) {re.escape(name)}\b", command)
            if target.exists() or is_made:
                continue
            source = self.request.getfixturevalue("made")(given[name])
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)

    def change(self, words: list[str]) -> list[str]:
        """A database of the tests in place of each address; what a terminal prints, here too."""
        changed = [POSTGRES.sub(partial(self.address, is_empty=words[0] == "create"), word) for word in words]
        changed = [re.sub(r"(\?.*)\?", r"\1&", word) for word in changed]
        if "--port" in words:
            # The next free one: that of the page may be taken here.
            place = changed.index("--port")
            del changed[place : place + 2]
        if "--root" in words:
            # The root of the database here, which is not that of the page.
            changed[words.index("--root") + 1] = re.findall(r"root ([0-9a-f]{16})", self.printed)[-1]
        is_small = "--db" in words or self.page in LONG_LAYOUT
        if words[0] == "create" and is_small and words[1].endswith(".toml") and not WHOLE:
            changed[1] = str(made_smaller(self.page, Path(words[1])))
        if words[0] == "evaluate" and not WHOLE:
            # Too few leave no method closer to the truth, as the page says where it looks at all of them.
            changed += ["--draws", "3" if {"--draws", "--spam", "--level"} & set(words) else "12"]
        if words[0] == "replicate" and not WHOLE:
            changed += ["--draws", "20"]
        if words[0] == "rehearse" and not WHOLE:
            changed += ["--people", "2"]
        if words[:2] == ["plot", "efficiency"] and not WHOLE:
            changed += ["--draws", "100"]
        return [*changed, *(option for option in TERMINAL if self.takes(words, option))]

    def takes(self, words: list[str], option: str) -> bool:
        if words[0] == "erase" and "--all" not in words:
            return False
        with click.Context(cli) as context:
            command = cli.get_command(context, words[0])
        return command is not None and any(option in each.opts for each in command.params)

    def address(self, found: re.Match[str], *, is_empty: bool) -> str:
        name = found[0].rpartition("/")[2]
        if name not in self.postgres:
            self.postgres[name] = self.request.getfixturevalue("new_postgres_database")()
            if not is_empty:
                given = self.request.getfixturevalue("made")(USUAL["campaign.db"])
                assert run(["restore", str(given), self.postgres[name]]) == 0
        return self.postgres[name]


def check_part(block: Block) -> None:
    """A part of a file that is not used on the page is at least right for what it is."""
    if block.language == "json":
        json.loads(block.text)
    elif block.language in ("csv", "tsv"):
        rows = list(csv.reader(io.StringIO(block.text), delimiter="," if block.language == "csv" else "\t"))
        assert {len(row) for row in rows} == {len(rows[0])}, block.place
    else:
        whole = tomllib.loads((protocols()["da"].folder / "example.toml").read_text("utf-8"))
        errors = jsonschema.Draft202012Validator(campaign_schema()).iter_errors(
            whole | tomllib.loads(block.text)
        )
        assert [error.message for error in errors] == [], block.place


def answer_once(page: str, address: str, _listening: Any, settings: Any) -> None:
    """In place of a server that runs until it is stopped: its app answers, and people judge if they would."""
    app: Any = app_at(address, settings)
    with TestClient(app) as client:
        assert client.get("/healthz").status_code == 200
    if page in JUDGED:
        # Nobody can judge a draft.
        run(["simulate", address])


def answer_as_emulator(app: Any, listening: Any) -> None:
    """In place of an emulator that runs until it is stopped."""
    listening.close()
    with TestClient(app) as client:
        assert client.get("/emulator/").status_code == 200


@pytest.fixture
def session(
    request: pytest.FixtureRequest,
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    short_chains: None,
) -> Iterator[Session]:
    """A session in an empty folder, of somebody without any settings."""
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    same_ids(monkeypatch)
    if not WHOLE:
        for name in ("_ON_THE_WAY", "_AT_THE_END", "_TESTS_AT_THE_END"):
            # Campaigns that a plan simulates to find its size.
            monkeypatch.setattr(f"steelyard.planning.search.{name}", 8)
    monkeypatch.setattr("steelyard.cli.serve.run_server", partial(answer_once, page))
    monkeypatch.setattr("steelyard.emulators.serving.serve_until_stopped", answer_as_emulator)
    with ExitStack() as stack:
        for name in PLATFORMS.get(page, ()):
            offered, settings = emulators()[name], EmulatorSettings()
            url = stack.enter_context(serving(offered.create_app(settings)))
            for variable, value in offered.environment.items():
                monkeypatch.setenv(variable, value.format(url=url, token=settings.token))
        yield Session(page, folder, request)


@pytest.mark.parametrize("page", WITH_BLOCKS)
def test_a_page_works_from_top_to_bottom(page: str, session: Session) -> None:
    problems = []
    for block in blocks(page):
        if block.not_run is None:
            try:
                session.follow(block)
            except (Exception, AssertionError) as problem:  # all of a page's problems at once
                problems.append(f"{block.place}: {problem}")
    if page in QUOTED:
        lost = missing(quoted(page), (session.folder / QUOTED[page]).read_text("utf-8"), numbers=WHOLE)
        problems += [f"{page} quotes what is not there: {lost}"] if lost else []

    assert not problems, "\n\n".join(problems)


def test_what_is_not_run_is_known_and_says_why() -> None:
    found = {page: Counter(filter(None, (block.not_run for block in blocks(page)))) for page in WITH_BLOCKS}

    assert {page: dict(reasons) for page, reasons in found.items() if reasons} == NOT_RUN
    assert {reason for reasons in found.values() for reason in reasons} <= set(REASONS)


# A page may get another one only for a reason that is in the list.
NOT_RUN = {
    "ARCHITECTURE.md": {"a picture in letters": 2},
    "CONTRIBUTING.md": {"changes this machine": 1, "a part of a file": 1},
    "README.md": {"changes this machine": 2},
    "docs/explanation/linking-campaigns.md": {"needs data of others": 1},
    "docs/howto/add-a-language.md": {"an example of a message": 1, "changes this machine": 1},
    "docs/howto/back-up.md": {"configures another program": 1},
    "docs/howto/deploy.md": {"changes this machine": 4, "configures another program": 1},
    "docs/howto/error-spans.md": {"needs data of others": 2},
    "docs/howto/other-platforms.md": {"needs data of others": 1},
    "docs/howto/prolific.md": {"needs people on a platform": 1},
    "docs/howto/prove-nothing-changed.md": {"an example of a message": 2},
    "docs/howto/reproduce-wmt.md": {"needs data of others": 1},
    "docs/howto/tables-and-figures.md": {"needs data of others": 1},
    "docs/tutorial/install.md": {"changes this machine": 2},
    "docs/tutorial/judging-metrics.md": {"needs data of others": 1},
}


def test_every_block_says_what_it_is() -> None:
    known = {*SHELL, "text", "python", "toml", "json", "csv", "tsv", "yaml", "html", "bibtex", "latex"}

    assert [
        block.place for page in WITH_BLOCKS for block in blocks(page) if block.language not in known
    ] == []


@pytest.mark.parametrize("page", [page for page in pages() if inline_commands(page)])
def test_commands_within_sentences_exist_with_their_options(page: str) -> None:
    problems = []
    with click.Context(cli) as context:
        for line in inline_commands(page):
            name, *words = line.split()
            command = cli.get_command(context, name)
            known = {option for each in (command.params if command else ()) for option in each.opts}
            used = {word.partition("=")[0] for word in words if word.startswith("-") and word != "-"}
            if command is None or not used <= known | {"--help", "-h", "--debug"}:
                problems.append(line)

    assert problems == []
