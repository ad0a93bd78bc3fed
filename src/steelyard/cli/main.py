"""The `steelyard` command: finds its subcommands lazily and turns errors into exit codes."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module

import click

from steelyard.cli.catalogue import CATALOGUE, SPELLINGS
from steelyard.domain.errors import EvaluationError, NotEnoughData, as_command_line
from steelyard.domain.extras import missing_part
from steelyard.domain.nearest import nearest
from steelyard.version import __version__

# Exit codes of the public contract.
DONE, UNSUPPORTED, UNUSABLE, UNEXPECTED = 0, 1, 2, 3

# Command: module that defines it. Only the one that is called gets imported beyond click.
COMMANDS = {name: module for section in CATALOGUE.values() for name, (module, _) in section.items()}


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for; listed by what they are for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        cmd_name = SPELLINGS.get(cmd_name, cmd_name)
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"steelyard.cli.{COMMANDS[cmd_name]}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = {**COMMANDS, **SPELLINGS}
        near = nearest(args[0], COMMANDS) if args[0] not in known else None
        if near:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        also = {name: f" Also: {spelling}." for spelling, name in SPELLINGS.items()}
        for title, section in CATALOGUE.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), line + also.get(name, "")) for name, (_, line) in section.items()]
                )


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="steelyard")
@click.option("--debug", is_flag=True, help="Show a traceback when something goes wrong.")
def cli(debug: bool) -> None:
    """Credible human evaluation of machine translation.

    Begin with `steelyard demo`, or print a campaign file to edit with `steelyard example da`.
    `steelyard COMMAND --help` explains a command.
    """


def main() -> None:
    """Run the command line and leave with the contract's exit code."""
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    if debug:
        arguments.remove("--debug")
    sys.exit(run(arguments, debug=debug))


def run(arguments: list[str], *, debug: bool = False) -> int:
    """Run one command; returns its exit code. Errors become one message on stderr."""
    try:
        result = cli.main(arguments, prog_name="steelyard", standalone_mode=False)
    except click.Abort:
        return _fail("Stopped.", UNSUPPORTED, debug=False)
    except click.ClickException as error:
        _with_suggestion(error).show()
        return UNUSABLE
    except KeyboardInterrupt:
        return _fail("Stopped.", UNSUPPORTED, debug=False)
    except BrokenPipeError:
        # The reader of our output has seen enough. Keep Python from complaining when it flushes at exit.
        sys.stdout = None
        return DONE
    except NotEnoughData as error:
        return _fail(f"Error: {error.spelt(as_command_line)}", UNSUPPORTED, debug=debug)
    except EvaluationError as error:
        return _fail(f"Error: {error.spelt(as_command_line)}", UNUSABLE, debug=debug)
    except ModuleNotFoundError as error:
        missing = missing_part(error)
        if missing is error:
            return _unexpected(error, debug=debug)
        return _fail(f"Error: {missing}", UNUSABLE, debug=debug)
    except Exception as error:  # the one place where everything is caught: the user gets a message
        return _unexpected(error, debug=debug)
    return result if isinstance(result, int) else DONE


def _with_suggestion(error: click.ClickException) -> click.ClickException:
    """The error; for an unknown option with the one probably meant, or a command that its first word names.

    Click suggests whatever begins alike: --exclude-hits for --exclude-worker, which is another thing.
    """
    if not isinstance(error, click.NoSuchOption):
        return error
    name = error.option_name.lstrip("-")
    near = nearest(name, [each.lstrip("-") for each in error.possibilities or ()])
    command = name.partition("-")[0]
    hint = ""
    if near is not None:
        hint = f" Did you mean '--{near}'?"
    elif command in COMMANDS:
        hint = f" The command `steelyard {command}` may be what you are looking for."
    return click.UsageError(f"No such option {error.option_name!r}.{hint}", error.ctx)


def _unexpected(error: Exception, *, debug: bool) -> int:
    if isinstance(error, MemoryError):
        message = "Error: this needs more memory than there is. Use a smaller file, or a machine with more."
        return _fail(message, UNUSABLE, debug=debug)
    if isinstance(error, RecursionError):
        return _fail("Error: the input is nested too deeply to be read.", UNUSABLE, debug=debug)
    what = f"{type(error).__name__}: {error}"
    advice = "Please report this, with the output of the same command and --debug."
    return _fail(f"Error: something unexpected happened ({what}). {advice}", UNEXPECTED, debug=debug)


def _fail(message: str, code: int, *, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    click.echo(message, err=True)
    return code
