"""Commands that weigh judgements and report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.analysis_options import analysis_options, evidence_from
from steelyard.cli.options import json_option, keep_sources, progress_bar, source_argument, write_text


@click.command()
@source_argument
@analysis_options
@click.option(
    "--segments", "segments_file", type=click.Path(path_type=Path), help="Write segment scores as a table."
)
@json_option
def analyse(source: str, segments_file: Path | None, json_file: str | None, **choices: Any) -> None:
    """Check workers, score and rank systems. SOURCE is a campaign's database or a judgements file."""
    keep_sources([source, str(choices["hit_times"])], segments_file, json_file)
    analysis = evidence_from([source], choices)[0].analysis
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
@click.option("--html", "html_file", metavar="FILE", help="The page to write.")
@click.option(
    "--latex",
    "latex_folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write it for LaTeX: tables, figures and a document that holds them.",
)
@analysis_options
def report(source: str, html_file: str | None, latex_folder: Path | None, **choices: Any) -> None:
    """Write the full report: as one self-contained page, as LaTeX, or both."""
    from steelyard.domain.exhibit import ExhibitOptions
    from steelyard.flows.exhibit import N_IN_REPORT, report_exhibits

    if html_file is None and latex_folder is None:
        raise click.UsageError("Say what to write: --html FILE, --latex DIR, or both.")
    keep_sources([source, str(choices["hit_times"])], html_file)
    evidence = evidence_from([source], choices)[0]
    analysis = evidence.analysis
    options = ExhibitOptions(draws=analysis.settings.method_settings.draws, seed=analysis.settings.seed)
    with progress_bar("Making tables and figures", N_IN_REPORT) as step:
        exhibits, missing = report_exhibits(evidence, options, step=step)
    judged = f"Report of {analysis.counts.kept_judgements:,} judgements in"
    if html_file is not None:
        from steelyard.report.html import to_html

        write_text(to_html(analysis, exhibits, missing), html_file)
        if html_file != "-":
            click.echo(f"{judged} {html_file}")
    if latex_folder is not None:
        from steelyard.report.latex import write_latex

        try:
            write_latex(latex_folder, analysis, exhibits, missing)
        except OSError as error:
            raise click.FileError(str(latex_folder), error.strerror) from None
        click.echo(f"{judged} {latex_folder / 'report.tex'}")
