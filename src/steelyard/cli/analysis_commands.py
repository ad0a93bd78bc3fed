"""Commands that analyse judgements and report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.analysis_options import (
    BriefMethodsCommand,
    MethodsCommand,
    analysis_options,
    evidence_from,
)
from steelyard.cli.options import json_option, keep_sources, source_argument, write_text
from steelyard.cli.over_series import series_at
from steelyard.cli.report_files import report_files, require_drawing
from steelyard.cli.series_analysis import Targets, analyse_series, report_series

if TYPE_CHECKING:
    from steelyard.flows.metric_folder import WrittenFolder


@click.command(cls=MethodsCommand)
@source_argument
@analysis_options
@click.option(
    "--segments", "segments_file", type=click.Path(path_type=Path), help="Write segment scores as a table."
)
@click.option(
    "--metric-folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write scores, and a campaign's texts, as a folder for judging metrics.",
)
@click.option(
    "--pair", metavar="LP", help="Language pair in that folder, e.g. de-en.  [default: the campaign's]"
)
@click.option(
    "--gold-name",
    metavar="NAME",
    help="What the scores are called in that folder.  [default: the attribute, or da]",
)
@json_option
def analyse(
    source: str,
    segments_file: Path | None,
    metric_folder: Path | None,
    pair: str | None,
    gold_name: str | None,
    json_file: str | None,
    **choices: Any,
) -> int:
    """Check workers, score and rank systems.

    SOURCE is a campaign's database, a judgements file, or a series of campaigns: a folder of databases or a
    PostgreSQL database with several. In a series each campaign is analysed separately.
    """
    series = series_at(source)
    if series is not None:
        if pair is not None:
            raise click.UsageError("The campaigns of a series name their languages themselves: omit --pair.")
        targets = Targets(segments_file, metric_folder, gold_name)
        return analyse_series(series, targets, json_file, choices)
    keep_sources([source, str(choices["hit_times"]), str(choices["domains"])], segments_file, json_file)
    _require_pair(source, metric_folder, pair, gold_name)
    evidence = evidence_from([source], choices)[0]
    analysis = evidence.analysis
    if segments_file:
        from steelyard.formats.table_file import write_table

        write_table(analysis.segments, segments_file)
    if json_file:
        from steelyard.report.json import analysis_json

        write_text(analysis_json(analysis), json_file)
    if json_file != "-":
        from steelyard.report.text import analysis_text

        click.echo(analysis_text(analysis))
    if metric_folder:
        from steelyard.flows.metric_folder import write_metric_folder

        written = write_metric_folder(source, evidence, metric_folder, pair=pair, gold_name=gold_name)
        _tell_folder(written, metric_folder, aside=json_file == "-")
    return 0


def _tell_folder(written: WrittenFolder, folder: Path, *, aside: bool) -> None:
    """Say what was written, on stderr if the output is for a program."""
    from steelyard.report.characters import printable

    for warning in written.warnings:
        click.echo(f"Warning: {printable(warning)}", err=True)
    what = "Scores and texts" if written.has_texts else "Scores"
    golds = ", ".join(written.golds)
    click.echo(
        f"{what} of {written.n_systems} systems and {written.n_segments:,} segments "
        f"({written.pair}; {golds}) in {folder}",
        err=aside,
    )


def _require_pair(source: str, folder: Path | None, pair: str | None, gold_name: str | None) -> None:
    """Refuse options that do not go together, before anything takes time."""
    from steelyard.flows.source import is_database

    if folder is None and (pair or gold_name):
        raise click.UsageError("--pair and --gold-name belong to --metric-folder DIR.")
    if folder is not None and pair is None and not is_database(source):
        raise click.UsageError("A file does not name its languages: add --pair, e.g. --pair de-en.")


@click.command(cls=BriefMethodsCommand)
@source_argument
@click.option("--html", "html_file", metavar="FILE", help="The page to write.")
@click.option(
    "--latex",
    "latex_folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write it for LaTeX: tables, figures and a document that holds them.",
)
@analysis_options
def report(source: str, html_file: str | None, latex_folder: Path | None, **choices: Any) -> int:
    """Write the full report as one self-contained page, as LaTeX, or both.

    For a series, FILE is an overview of all campaigns; their own reports go into a folder beside it, named as
    FILE without its ending, and for LaTeX into folders of DIR.
    """
    if html_file is None and latex_folder is None:
        raise click.UsageError("Say what to write: --html FILE, --latex DIR, or both.")
    require_drawing(latex_folder)
    series = series_at(source)
    if series is not None:
        return report_series(series, Targets(html_file=html_file, latex_folder=latex_folder), choices)
    keep_sources([source, str(choices["hit_times"]), str(choices["domains"])], html_file)
    made = report_files(evidence_from([source], choices)[0])
    judged = f"Report of {made.analysis.counts.kept_judgements:,} judgements in"
    if html_file is not None:
        made.write_html(html_file)
        if html_file != "-":
            click.echo(f"{judged} {html_file}")
    if latex_folder is not None:
        made.write_latex(latex_folder)
        click.echo(f"{judged} {latex_folder / 'report.tex'}", err=html_file == "-")
    return 0
