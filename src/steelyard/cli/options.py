"""Options and helpers that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

database_argument = click.argument("db", metavar="DB")
source_argument = click.argument("source", metavar="SOURCE")
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=7, show_default=True, help="Seed of everything random."
)
json_option = click.option(
    "--json", "json_file", metavar="FILE", help="Write JSON to a file, or to the terminal with -."
)
target_option = click.option(
    "--to",
    "target",
    required=True,
    type=click.Path(path_type=Path),
    help="A .csv, .tsv, .jsonl or .parquet file.",
)
port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The next free one is taken.",
)
base_url_option = click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="Where the server is reached."
)


def write_text(text: str, target: str) -> None:
    """Write to a file, or to standard output if the target is a dash."""
    if target == "-":
        click.echo(text, nl=not text.endswith("\n"))
        return
    path = Path(target)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.FileError(target, error.strerror) from None


def show(text: str, document: str, json_file: str | None) -> None:
    """Print a text and write its JSON document where it is wanted: to a file, or in place of the text."""
    if json_file:
        write_text(document, json_file)
    if json_file != "-":
        click.echo(text)


def keep_sources(sources: Sequence[str], *targets: str | Path | None) -> None:
    """Refuse to write over what is read, or over any campaign's database."""
    for target in targets:
        if target is None or str(target) == "-":
            continue
        path = Path(target)
        if not path.name:
            raise click.BadParameter(f"{str(target)!r} is no name of a file.")
        if any(_is_same(path, source) for source in sources):
            raise click.BadParameter(f"{target} is what is read: name another file to write to.")
        if path.is_file():
            with path.open("rb") as file:
                if file.read(16) == b"SQLite format 3\x00":
                    raise click.BadParameter(f"{target} is a database: name another file to write to.")


def _is_same(path: Path, source: str) -> bool:
    try:
        return path.samefile(source)
    except OSError:
        return False


@contextmanager
def progress_bar(label: str, length: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, nothing in a pipe; gives a function to call with each step's size."""
    if not sys.stderr.isatty() or length < 1:
        yield lambda _: None
        return
    step = max(1, length // 200)
    with click.progressbar(length=length, label=label, file=sys.stderr, update_min_steps=step) as bar:
        yield bar.update
