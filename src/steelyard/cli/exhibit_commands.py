"""Commands that make single tables and figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.analysis_options import BriefMethodsCommand, analysis_options, evidence_from
from steelyard.cli.cell_options import cells_of, cells_option, metric_scores_of, metric_scores_option
from steelyard.cli.named_sources import split_name
from steelyard.cli.options import (
    click_options,
    in_section,
    json_option,
    keep_sources,
    with_options,
    write_text,
)
from steelyard.cli.report_files import require_picture
from steelyard.domain.exhibit import ExhibitOptions
from steelyard.domain.nearest import no_such
from steelyard.domain.options import given_options, options_of

if TYPE_CHECKING:
    from steelyard.domain.exhibit import Evidence
    from steelyard.domain.plugin import Exhibit

_OPTIONS = (*(found.name for found in options_of(ExhibitOptions)), "cells", "metric_scores")
_SINGLE = "Options of individual exhibits"
# What some exhibits leave to their reader.
_exhibit_options = with_options(
    *click_options(ExhibitOptions, section=_SINGLE),
    in_section(cells_option, _SINGLE),
    in_section(metric_scores_option, _SINGLE),
)
_name_argument = click.argument("name", metavar="NAME")
_sources_argument = click.argument("sources", metavar="[TITLE=]SOURCE…", nargs=-1, required=True)


@click.command(cls=BriefMethodsCommand)
@_name_argument
@_sources_argument
@_exhibit_options
@analysis_options
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    help="Write it to a .csv, .tsv, .jsonl, .parquet or .tex file.",
)
@json_option
def table(
    name: str, sources: tuple[str, ...], target: Path | None, json_file: str | None, **choices: Any
) -> None:
    """Make a table from judgements. `steelyard exhibits` lists the names."""
    import steelyard.report.tables as written
    from steelyard.exhibits import tables
    from steelyard.flows.exhibit import make_table

    _require_known("table", name, list(tables()))
    _let_everyone(tables()[name], choices)
    keep_sources(_files_read(sources, choices), target, json_file)
    evidence, options = _evidence(tables()[name], sources, choices)
    made = make_table(name, evidence, options)
    if target is not None:
        if target.suffix.lower() == ".tex":
            write_text(written.table_latex(made), str(target))
        else:
            from steelyard.formats.table_file import write_table

            write_table(made.rows, target)
    if json_file:
        write_text(written.table_json(made), json_file)
    if target is None and json_file != "-":
        click.echo(written.table_text(made))


@click.command(cls=BriefMethodsCommand)
@_name_argument
@_sources_argument
@click.option(
    "--out",
    "target",
    required=True,
    type=click.Path(path_type=Path),
    help="The file to draw: .svg, .png or .pdf.",
)
@click.option(
    "--bare",
    is_flag=True,
    help="Draw neither title nor signature, for papers whose captions have them: both are printed instead.",
)
@_exhibit_options
@analysis_options
def plot(name: str, sources: tuple[str, ...], target: Path, bare: bool, **choices: Any) -> None:
    """Draw a figure from judgements. `steelyard exhibits` lists the names."""
    from steelyard.exhibits import figures
    from steelyard.flows.exhibit import make_figure
    from steelyard.report.drawing.thinning import crowd_note
    from steelyard.report.figure_file import write_figure

    _require_known("figure", name, list(figures()))
    _let_everyone(figures()[name], choices)
    require_picture(target, "--out")
    keep_sources(_files_read(sources, choices), target)
    evidence, options = _evidence(figures()[name], sources, choices)
    made = make_figure(name, evidence, options)
    write_figure(made, target, has_words=not bare)
    told = (made.title, made.caption, crowd_note(made), made.signature)
    click.echo("\n".join(words for words in told if words))


def _evidence(
    exhibit: Exhibit, sources: tuple[str, ...], choices: dict[str, Any]
) -> tuple[list[Evidence], ExhibitOptions]:
    from steelyard.aggregation import methods

    compared = list(methods()) if exhibit.runs_methods else []
    chosen = {name: value for name, value in choices.items() if name not in _OPTIONS}
    # Wrong options are refused before anything takes time.
    own, cells = ExhibitOptions(**given_options(ExhibitOptions, choices)), cells_of(choices["cells"])
    cell_metrics = metric_scores_of(choices["metric_scores"])
    titles, addresses = zip(*(split_name(source) for source in sources), strict=True)
    evidence = [
        found if title is None else replace(found, title=title)
        for title, found in zip(titles, evidence_from(addresses, chosen, compared=compared), strict=True)
    ]
    options = replace(
        own,
        draws=evidence[0].analysis.settings.method_settings.draws,
        seed=choices["seed"],
        cells=cells,
        cell_metrics=cell_metrics,
    )
    return evidence, options


def _let_everyone(exhibit: Exhibit, choices: dict[str, Any]) -> None:
    """Ask for no check that an exhibit would not look at, unless one is named."""
    if exhibit.of_everyone and choices["check"] is None and choices["keep"] is None:
        choices["keep"] = "everyone"


def _files_read(sources: tuple[str, ...], choices: dict[str, Any]) -> list[str]:
    """All that is read, and must not be written over."""
    return [
        *(split_name(source)[1] for source in sources),
        *(str(choices[name]) for name in ("hit_times", "metric_scores") if choices[name]),
    ]


def _require_known(noun: str, name: str, known: list[str]) -> None:
    if name not in known:
        raise click.BadParameter(no_such(noun, name, known), param_hint="NAME")
