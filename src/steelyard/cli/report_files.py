"""The full report of an analysis as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import progress_bar, write_text

if TYPE_CHECKING:
    from steelyard.domain.exhibit import Evidence, Figure, Table
    from steelyard.domain.result import Analysis


@dataclass(frozen=True)
class ReportFiles:
    """A report, ready to be written: its tables and figures, and sentences on those that are missing."""

    analysis: Analysis
    exhibits: list[Table | Figure]
    missing: list[str]

    def write_html(self, target: str) -> None:
        """Write it as one page, to a file or to standard output."""
        from steelyard.report.html import report_html

        write_text(report_html(self.analysis, self.exhibits, self.missing), target)

    def write_latex(self, folder: Path) -> None:
        """Write it for LaTeX into a folder."""
        from steelyard.report.latex import write_latex

        write_latex(folder, self.analysis, self.exhibits, self.missing)


def require_drawing(latex_folder: Path | None) -> None:
    """Refuse LaTeX where its figures cannot be drawn, before anything is computed or written."""
    if latex_folder is not None:
        from steelyard.report.figure_file import require_matplotlib

        require_matplotlib(latex_folder, ".pdf")


def require_picture(target: Path, option: str) -> None:
    """Refuse a figure whose file has no ending that we draw, or one that needs what is not installed."""
    from steelyard.report.figure_file import ENDINGS, require_matplotlib

    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise click.BadParameter(
            f"name a file that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}.", param_hint=option
        )
    if ending != ".svg":
        require_matplotlib(target, ending)


def report_files(evidence: Evidence) -> ReportFiles:
    """The report of everything that the evidence says."""
    from steelyard.domain.exhibit import ExhibitOptions
    from steelyard.flows.exhibit import n_in_report, report_exhibits

    settings = evidence.analysis.settings
    options = ExhibitOptions(draws=settings.method_settings.draws, seed=settings.seed)
    with progress_bar("Making tables and figures", n_in_report()) as step:
        exhibits, missing = report_exhibits(evidence, options, step=step)
    return ReportFiles(evidence.analysis, exhibits, missing)
