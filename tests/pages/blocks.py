"""The code blocks of a Markdown page: what each one is, what the page says about it, and its commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", flags=re.M | re.S)
SAVED = re.compile(r"[Ss]ave (?:this|it) as `([^`]+)`")
# Written right above a block, where readers do not see it.
MARK = re.compile(r"<!-- not run: (.+?) -->\s*$")
INLINE = re.compile(r"(?<!`)`steelyard ([^`]+)`(?!`)")
# Why a block may not be run. Anything else can be run, by the emulators if need be.
REASONS = (
    "changes this machine",  # root, services, containers, installing
    "configures another program",
    "a picture in letters",
    "a part of a file",
    "an example of a message",
    "needs data of others",  # published, or judged on another site
    "needs people on a platform",
)
SHELL = ("sh", "bash", "console")


@dataclass(frozen=True, slots=True)
class Block:
    """A block as it stands in the page, without the indentation of a list."""

    page: str
    line: int
    language: str
    text: str
    before: str
    """What the page says since the block before."""

    @property
    def not_run(self) -> str | None:
        """Why it is not run, if the page says so."""
        found = MARK.search(self.before)
        return found[1] if found else None

    @property
    def file(self) -> str | None:
        """The name under which the reader saves it."""
        found = SAVED.findall(self.before)
        return found[-1] if found else None

    @property
    def place(self) -> str:
        return f"{self.page}, line {self.line}"


@dataclass(frozen=True, slots=True)
class Typed:
    """What the reader types, and what the page shows after it: None where it shows nothing."""

    command: str
    shown: str | None


def pages() -> list[str]:
    """Every page of the documentation, by its path; what is made from the code shows it already."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    names = sorted(path.relative_to(ROOT).as_posix() for path in found)
    return [name for name in names if name != "CHANGELOG.md" and not _is_generated(name)]


def _is_generated(page: str) -> bool:
    return "<!-- Made by scripts/" in text_of(page)


@cache
def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


@cache
def blocks(page: str) -> list[Block]:
    text, end, found = text_of(page), 0, []
    for match in FENCE.finditer(text):
        indent, language, body = match.groups()
        body = re.sub(rf"^{indent}", "", body, flags=re.M)
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(page, line, language.strip(), body, text[end : match.start()]))
        end = match.end()
    return found


def typed(block: Block) -> Iterator[Typed]:
    """The commands of a block: behind prompts, or the whole of a shell block without any."""
    if not re.search(r"^\$ ", block.text, flags=re.M):
        if block.language in SHELL:
            yield Typed(block.text, None)
        return
    before, *parts = re.split(r"^\$ ", block.text, flags=re.M)
    assert not before.strip(), f"{block.place}: there is something above the first prompt"
    for part in parts:
        lines = part.split("\n")
        end = next(k for k, line in enumerate(lines) if not line.endswith("\\")) + 1
        yield Typed("\n".join(lines[:end]), "\n".join(lines[end:]))


def quoted(page: str) -> str:
    """What a page quotes."""
    return "\n".join(re.findall(r"^> ?(.*)$", text_of(page), flags=re.M))


def inline_commands(page: str) -> list[str]:
    """Commands in the middle of a sentence, those that are shortened left out."""
    prose = FENCE.sub("", text_of(page))
    found = [" ".join(command.split()) for command in INLINE.findall(prose)]
    # CONTRIBUTING.md speaks of a method that somebody may add.
    skipped = ("…", "...", "trimmed-mean")
    return [each for each in found if each[0] != "-" and not any(part in each for part in skipped)]
