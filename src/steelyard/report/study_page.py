"""Studies as pages and for LaTeX: the same tables, figures and sentences as on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard.domain.exhibit import Figure, Table
from steelyard.domain.study import StudyResult
from steelyard.domain.wording import alarms_of, notes_of
from steelyard.report.drawing.palette import DARK, LIGHT, style_sheet
from steelyard.report.html import piece, templates
from steelyard.report.latex import Document, write_document


def study_html(results: Sequence[StudyResult]) -> str:
    """One study, or several of one kind, as a self-contained page like that of a report."""
    return (
        templates()
        .get_template("study.html")
        .render(
            title=results[0].title if len(results) == 1 else " · ".join(found.title for found in results),
            studies=[
                {
                    "result": found,
                    "alarms": alarms_of(found.warnings),
                    "notes": notes_of(found.warnings),
                    "figures": [piece(figure, found.signature) for figure in found.figures],
                    "tables": [piece(table, found.signature) for table in found.tables],
                    "settings": _settings(found.settings),
                    "signatures": found.signature.split("\n"),
                }
                for found in results
            ],
            colours={"light": style_sheet(LIGHT), "dark": style_sheet(DARK)},
        )
    )


def write_study_latex(folder: Path, results: Sequence[StudyResult]) -> Path:
    """Write the tables and figures of studies, and a document that holds them; returns its path.

    Each part is a .tex file that papers can \\input, as in the report of an analysis.
    """
    exhibits: list[Table | Figure] = []
    for found in results:
        exhibits += [*found.tables, *found.figures]
    return write_document(
        folder,
        exhibits,
        Document(
            name="study",
            title=" · ".join(found.title for found in results),
            author="Steelyard study",
            facts=[
                sentence
                for found in results
                for sentence in (found.lead, *found.conclusion, *found.notes)
                if sentence
            ],
            warnings=[warning for found in results for warning in found.warnings],
            signature="\n".join(found.signature for found in results),
        ),
    )


def _settings(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The choices behind a study in words; those that were not made are left out."""
    shown = []
    for name, value in settings.items():
        if value in (None, (), []):
            continue
        written = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        shown.append((name.replace("_", " "), {"True": "yes", "False": "no"}.get(written, written)))
    return shown
