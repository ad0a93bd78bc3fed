"""Commands that weigh judgements and report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import json_option, seed_option, source_argument, write_text

if TYPE_CHECKING:
    from steelyard.domain.plugin import Scale
    from steelyard.domain.result import Analysis


def _analysis_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that decide what an analysis says."""
    for option in reversed(
        (
            click.option(
                "--method", help="How ratings become scores: see `steelyard methods`.  [default: mean-z]"
            ),
            click.option(
                "--check",
                help="How workers are checked: see `steelyard checks`, or none.  [default: paired-t]",
            ),
            click.option(
                "--clusters",
                type=click.Choice(["strict", "wmt21"]),
                help="Rule for borders.  [default: strict]",
            ),
            click.option(
                "--standardise-over",
                type=click.Choice(["all", "system"]),
                help="Ratings that define a worker's mean.  [default: all]",
            ),
            click.option(
                "--unit",
                type=click.Choice(["judgement", "worker", "flat"]),
                help="What a segment score averages.  [default: judgement]",
            ),
            click.option(
                "--recipe",
                type=click.Choice(["wmt"]),
                help="All of these as WMT21/22 had them; options given beside it win.",
            ),
            click.option("--attribute", help="Take one attribute of a file with several."),
            click.option(
                "--scale", metavar="MIN,MAX", help="Range of the ratings in a file.  [default: 0,100]"
            ),
            click.option(
                "--columns",
                metavar="OURS=THEIRS,…",
                help="Column names of a file, e.g. worker=login,rating=points.",
            ),
            seed_option,
        )
    ):
        command = option(command)
    return command


@click.command()
@source_argument
@_analysis_options
@click.option(
    "--segments", "segments_file", type=click.Path(path_type=Path), help="Write segment scores as a table."
)
@json_option
def analyse(source: str, segments_file: Path | None, json_file: str | None, **choices: Any) -> None:
    """Check workers, score and rank systems. SOURCE is a campaign's database or a judgements file."""
    analysis = _analyse(source, choices)
    if segments_file:
        from steelyard.formats.table_file import write_table

        write_table(analysis.segments, segments_file)
    if json_file:
        from steelyard.report.json import to_json

        write_text(to_json(analysis), json_file)
    if json_file != "-":
        from steelyard.report.text import to_text

        click.echo(to_text(analysis))


@click.command()
@source_argument
@click.option("--html", "html_file", required=True, metavar="FILE", help="The page to write.")
@_analysis_options
def report(source: str, html_file: str, **choices: Any) -> None:
    """Write the full report as one self-contained page."""
    from steelyard.report.html import to_html

    analysis = _analyse(source, choices)
    write_text(to_html(analysis), html_file)
    if html_file != "-":
        click.echo(f"Report of {analysis.counts.kept_judgements:,} judgements in {html_file}")


def _analyse(source: str, choices: dict[str, Any]) -> Analysis:
    from steelyard.aggregation import methods
    from steelyard.flows.settings import settings_from
    from steelyard.flows.source import analyse_source, read_source
    from steelyard.qc import checks

    _require_known("method", choices["method"], list(methods()))
    _require_known("check", choices["check"], [*checks(), "none"])
    check, columns, scale = (choices.pop(name) for name in ("check", "columns", "scale"))
    read = read_source(source, columns=_columns(columns), scale=_scale(scale))
    return analyse_source(read, settings_from(**choices), check=check)


def _require_known(option: str, name: str | None, known: list[str]) -> None:
    if name is not None and name not in known:
        raise click.BadParameter(
            f"{name!r} is unknown; there is: {', '.join(known)}.", param_hint=f"--{option}"
        )


def _columns(text: str | None) -> dict[str, str] | None:
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(ours.strip() and equals and theirs.strip() for ours, equals, theirs in pairs):
        raise click.BadParameter("write it as worker=login,rating=points", param_hint="--columns")
    return {ours.strip(): theirs.strip() for ours, _, theirs in pairs}


def _scale(text: str | None) -> Scale | None:
    from steelyard.domain.plugin import Scale

    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low = high = 0.0
    if not low < high:
        raise click.BadParameter(
            "write it as two numbers, the smaller first, e.g. 0,100", param_hint="--scale"
        )
    return Scale(low, high)
