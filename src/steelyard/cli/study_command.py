"""Makes the commands of studies: whatever one found is printed, written as JSON, as a page or for LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.named_sources import split_name
from steelyard.cli.options import Decorator, json_option, keep_sources, with_options, write_text
from steelyard.cli.report_files import require_drawing

if TYPE_CHECKING:
    from steelyard.domain.study import StudyResult

# What a command may read, by the names of its parameters: none of it is ever written over.
_READ = ("source", "second", "sources", "hit_times", "metric_scores", "table")
# What it may write beside the study itself.
_WRITTEN = ("picture", "target")

html_option = click.option("--html", "html_file", metavar="FILE", help="Write the study as a page.")
latex_option = click.option(
    "--latex",
    "latex_folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the study for LaTeX: tables, figures and a document that holds them.",
)


def study_command(
    kind: type[click.Command], *parameters: Decorator, draws: bool = True
) -> Callable[[Callable[..., Sequence[StudyResult]]], click.Command]:
    """A command of this kind with these arguments and options, and those that every study has.

    What it decorates runs the study, or several, and returns what they found; `draws`: with figures.
    """

    def decorate(study: Callable[..., Sequence[StudyResult]]) -> click.Command:
        @click.command(cls=kind)
        @with_options(*parameters, html_option, latex_option, json_option)
        @wraps(study)
        def command(
            html_file: str | None, latex_folder: Path | None, json_file: str | None, **choices: Any
        ) -> None:
            written = [choices.get(name) for name in _WRITTEN]
            keep_sources(_addresses(choices), html_file, json_file, *written)
            if draws:
                require_drawing(latex_folder)
            results = study(**choices)
            _show(results, html_file, latex_folder, json_file)

        return command

    return decorate


def _addresses(choices: dict[str, Any]) -> list[str]:
    """All that the command reads, without the names that sources may be given."""
    found: list[str] = []
    for name in _READ:
        value = choices.get(name)
        found += value if isinstance(value, tuple) else [str(value)] if value is not None else []
    return [address for given in found for address in (given, split_name(given)[1])]


def _show(
    results: Sequence[StudyResult], html_file: str | None, latex_folder: Path | None, json_file: str | None
) -> None:
    from steelyard.report.study import study_json, study_text

    if html_file is not None:
        from steelyard.report.study_page import study_html

        write_text(study_html(results), html_file)
    if latex_folder is not None:
        from steelyard.report.study_page import write_study_latex

        write_study_latex(latex_folder, results)
    if json_file:
        write_text(study_json(results), json_file)
    if "-" not in (json_file, html_file):
        click.echo("\n\n\n".join(map(study_text, results)))
