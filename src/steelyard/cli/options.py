"""Options and helpers that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from steelyard.domain.errors import ChoiceError, as_command_line
from steelyard.domain.options import Option, options_of

# More than anybody pays, and few enough cents to be counted exactly [our choice].
MOST_MONEY = 1e9

database_argument = click.argument("db", metavar="DB")
source_argument = click.argument("source", metavar="SOURCE")
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=7, show_default=True, help="Seed of everything random."
)
reason_option = click.option("--reason", default="", metavar="TEXT", help="Why, for the log.")
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
    help="Port to listen on; 0 for any free one.  [default: 8000, or the next free one]",
)
media_option = click.option(
    "--media",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Folder of the files that sources show.  [default: beside the database, with .media at its end]",
)


class MoneyAmount(click.ParamType[float]):
    """A positive amount of money, in units of its currency."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            amount = float(value)
        except ValueError:
            self.fail(f"{value!r} is no amount of money; write it as 1.50.", param, ctx)
        if not MOST_MONEY >= amount > 0:
            self.fail(f"{value} is no amount that can be paid; it is more than 0.", param, ctx)
        return amount


def read_url(context: click.Context, option: click.Parameter, given: str | None) -> str | None:
    """An address of a server as someone typed it, without a slash at its end."""
    if given is None:
        return None
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise click.BadParameter(
            f"{given!r} is not the address of a server; write it as https://example.org or "
            "http://example.org:8000/eval.",
            context,
            option,
        )
    return given.rstrip("/")


base_url_option = click.option(
    "--base-url",
    metavar="URL",
    callback=read_url,
    help="Address at which workers reach the server.  [default: where it was last served]",
)


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class SectionedOption(click.Option):
    """An option that the help shows under a heading."""

    def __init__(self, *declarations: Any, section: str | None = None, **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help has its options in sections, those without one first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(param, "section", None) or "Options", []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def click_options(cls: type, *names: str, section: str | None = None) -> tuple[Decorator, ...]:
    """The options that a settings class declares, or those of these names, for `with_options`.

    One that is not given is None: what that means is up to the settings.
    """
    known = {found.name: found for found in options_of(cls)}
    return tuple(_attached(known[name], section) for name in names or known)


def _attached(found: Option, section: str | None) -> Decorator:
    declarations, attributes = _declared(found)
    return click.option(*declarations, cls=SectionedOption, section=section, **attributes)


def in_section(decorator: Decorator, section: str) -> Decorator:
    """The same option, under a heading of the help."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        decorated: Any = decorator(command)
        decorated.__click_params__[-1].section = section
        return command

    return decorate


def made_option(found: Option, *, section: str | None = None) -> SectionedOption:
    """An option as the command line knows it."""
    declarations, attributes = _declared(found)
    return SectionedOption(declarations, section=section, **attributes)


def _declared(found: Option) -> tuple[list[str], dict[str, Any]]:
    name = f"--{found.name.replace('_', '-')}"
    text = f"{found.help}  [default: {found.usually}]" if found.usually else found.help
    if found.is_flag:
        both = f"{name}/--{found.opposite}" if found.opposite else name
        return [both], {"is_flag": True, "default": None, "help": text}
    return [name], {"type": _OptionType(found), "metavar": _metavar(found), "help": text}


def _metavar(found: Option) -> str | None:
    if found.metavar is None and found.choices and not found.several:
        return f"[{'|'.join(found.choices)}]"
    return found.metavar


# Generic in new releases of click only.
class _OptionType(click.ParamType):  # type: ignore[type-arg]
    """What may be typed for an option: whatever the option itself can read."""

    def __init__(self, found: Option) -> None:
        self.found = found
        self.name = "text" if found.kind is str else {int: "integer", float: "float"}[found.kind]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self.found.read(value)
        except ChoiceError as error:
            # The message names the option already.
            raise click.UsageError(error.spelt(as_command_line), ctx) from None


def with_options(*options: Decorator) -> Decorator:
    """Gives a command these options, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def write_text(text: str, target: str, *, private: bool = False) -> None:
    """Write to a file, or to standard output if the target is a dash.

    If that fails, what was there stays. A `private` file holds links or names: only its owner may read it.
    """
    if target == "-":
        click.echo(text, nl=not text.endswith("\n"))
        return
    from steelyard.formats.text_file import whole_file

    # Where a symbolic link leads: the link stays.
    path = Path(target).resolve()
    if path.exists() and not path.is_file():
        _write_to_device(text, path)
        return
    with whole_file(path, private=private) as partial:
        partial.write_text(text, encoding="utf-8")


def _write_to_device(text: str, path: Path) -> None:
    """Write to what is no ordinary file, such as a pipe: nothing can take its place."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.FileError(str(path), error.strerror) from None


def show(text: str, document: str, json_file: str | None, *, private: bool = False) -> None:
    """Print a text, and write its JSON document to a file or in place of the text."""
    if json_file:
        write_text(document, json_file, private=private)
    if json_file != "-":
        click.echo(text)


def keep_sources(sources: Sequence[str], *targets: str | Path | None) -> None:
    """Refuse what cannot be written, before anything takes time.

    That is over what is read, over any campaign's database, into no folder, or two things to one place.
    """
    places: list[Path] = []
    for target in targets:
        if target is None:
            continue
        path = Path(target)
        place = path if str(target) == "-" else path.resolve()
        if place in places:
            where = "the terminal" if str(target) == "-" else str(target)
            raise click.UsageError(f"Two results cannot both go to {where}: name a file for each.")
        places.append(place)
        if str(target) == "-":
            continue
        if not path.name:
            raise click.BadParameter(f"{str(target)!r} is not the name of a file.")
        if not path.parent.is_dir():
            raise click.FileError(str(target), "No such file or directory")
        if any(_is_same(path, source) for source in sources):
            raise click.BadParameter(f"{target} is being read: name another file to write to.")
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


def printable_address(address: str) -> str:
    """An address without a password, for a hint on the terminal."""
    scheme, separator, rest = address.partition("://")
    credentials, at, host = rest.rpartition("@")
    user, colon, _ = credentials.partition(":")
    return f"{scheme}{separator}{user}{':…' if colon else ''}{at}{host}" if separator else address
