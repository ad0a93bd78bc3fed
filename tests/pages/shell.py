"""A shell in which `steelyard` and `python` run in this process, with all that shells do around them."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import IO, NamedTuple

from steelyard.cli.main import run

# Each sends its words, and waits for the exit code while this process does the work.
FUNCTIONS = """
_here() { local code joined=; [ /dev/fd/1 -ef /dev/fd/2 ] && joined=joined
  printf '%s\\0' $# "$PWD" "$joined" "$@" >&"$ASK"; read -r code <&"$TOLD"
  [ ! -s "$FOLDER/out" ] || cat "$FOLDER/out"
  [ ! -s "$FOLDER/err" ] || cat "$FOLDER/err" >&2; return "$code"; }
steelyard() { _here steelyard "$@"; }
python() { _here python "$@"; }
sh() { ( . "./$1" ); }
set -o pipefail
"""
# What somebody pastes where a command reads what is typed.
PASTED = "a-token-of-nobody\n"


class Printed(NamedTuple):
    """The exit code of a command, and everything it printed, errors too."""

    code: int
    text: str


def bash(command: str, *, change: Callable[[list[str]], list[str]] = list) -> Printed:
    """Run commands here until one fails; `change` may put other words in place of those of `steelyard`."""
    ask_read, ask = os.pipe()
    told, told_write = os.pipe()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        more = {"ASK": str(ask), "TOLD": str(told), "FOLDER": name}
        with (folder / "log").open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                ["bash", "-e", "-c", FUNCTIONS + command],
                env=os.environ | more,
                pass_fds=(ask, told),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        os.close(ask)
        os.close(told)
        assert process.stdin is not None
        process.stdin.write(PASTED.encode())
        with suppress(BrokenPipeError):
            # Most commands read nothing of it.
            process.stdin.close()
        with os.fdopen(ask_read, "rb") as asked, os.fdopen(told_write, "wb", buffering=0) as telling:
            for words in _requests(asked):
                telling.write(f"{_do(words, folder, change)}\n".encode())
        return Printed(process.wait(), (folder / "log").read_text("utf-8"))


def _requests(asked: IO[bytes]) -> Iterator[list[str]]:
    """The folder and the words of each command, until all is done."""
    while number := _word(asked):
        yield [_word(asked) for _ in range(int(number) + 2)]


def _word(asked: IO[bytes]) -> str:
    """What comes before the next zero byte."""
    return b"".join(iter(lambda: asked.read(1).rstrip(b"\0"), b"")).decode()


def _do(words: list[str], folder: Path, change: Callable[[list[str]], list[str]]) -> int:
    here, joined, program, *arguments = words
    before = Path.cwd(), sys.argv
    with (
        (folder / "out").open("w", encoding="utf-8") as printed,
        (folder / "err").open("w", encoding="utf-8") as errors,
        redirect_stdout(printed),
        # Where both go to one place, in the order in which they were written.
        redirect_stderr(printed if joined else errors),
    ):
        os.chdir(here)
        try:
            if program == "steelyard":
                return run(change(arguments))
            sys.argv = arguments
            runpy.run_path(arguments[0], run_name="__main__")
        finally:
            os.chdir(before[0])
            sys.argv = before[1]
    return 0
