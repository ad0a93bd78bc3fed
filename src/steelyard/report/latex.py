"""Reports and studies for LaTeX: one file per table, figures as PDF, a document that holds them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from steelyard.aggregation import methods
from steelyard.domain.differences import differences
from steelyard.domain.exhibit import Figure, Table
from steelyard.domain.result import Analysis
from steelyard.domain.wording import alarms_of, counted, notes_of
from steelyard.exhibits.agreement import report_agreement_table
from steelyard.exhibits.rank_probabilities import expected_ranks_table
from steelyard.exhibits.ranking import short_ranking_table
from steelyard.report import whole_files
from steelyard.report.drawing.plot import WIDTH
from steelyard.report.drawing.sheet import draw_panels
from steelyard.report.drawing.thinning import crowd_note
from steelyard.report.figure_file import require_matplotlib, write_figure
from steelyard.report.latex_text import breakable, escape, file_name
from steelyard.report.tables_latex import signed_below, table_latex
from steelyard.report.text import (
    agreement_line,
    contamination_line,
    excluded_line,
    flags_line,
    settled_line,
    workers_line,
)
from steelyard.report.words import brief_title

# A single panel of more units than this takes the whole line, and one of the usual width a part of it
# [our choices]; a smaller one takes less, so that its letters are no larger.
NARROW, _USUAL_SHARE = 560.0, 0.72
# Any engine of today takes it; scripts beyond Latin need XeLaTeX or LuaLaTeX and a font that has them.
_PREAMBLE = r"""\documentclass[a4paper]{article}
\usepackage[margin=25mm]{geometry}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[utf8]{inputenc}
  \usepackage[T1]{fontenc}
\else
  \usepackage{fontspec}
\fi
\usepackage{array}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{graphicx}
% Names of systems cannot be hyphenated: rather wide spaces than lines that are too long.
\emergencystretch=3em
"""


@dataclass(frozen=True)
class Document:
    """What a LaTeX document says beside its tables and figures; `name` is that of its file."""

    name: str
    title: str
    author: str
    facts: Sequence[str]
    warnings: Sequence[str]
    signature: str


def write_latex(
    folder: Path, analysis: Analysis, exhibits: Sequence[Table | Figure] = (), missing: Sequence[str] = ()
) -> Path:
    """Write the report of an analysis as report.tex and its parts; returns the path of the former.

    `missing` are sentences on what could not be shown, and why.
    """
    given = {exhibit.name for exhibit in exhibits if isinstance(exhibit, Table)}
    # Exhibits take the place of tables of their name.
    own = [table for table in _own(analysis) if table.name not in given]
    lines = (flags_line, excluded_line, contamination_line, agreement_line, settled_line)
    further = [line(analysis) for line in lines]
    method = methods()[analysis.settings.method]
    facts = [
        f"{counted(analysis.counts.systems, 'system')}, {counted(analysis.counts.hits, 'HIT')}, "
        f"{workers_line(analysis)}.",
        f"Method: {method.title} ({method.name}). Check: {analysis.settings.check}. {differences(analysis)}",
        *(f"{line[0].upper()}{line[1:]}." for line in further if line),
        *analysis.notes,
        *missing,
    ]
    return write_document(
        folder,
        [*own, *exhibits],
        Document("report", analysis.title, "Steelyard report", facts, analysis.warnings, analysis.signature),
    )


def write_document(folder: Path, exhibits: Sequence[Table | Figure], document: Document) -> Path:
    """Write a document and its parts into the folder, which is made if need be; returns its path.

    Each part is a .tex file that papers can \\input, a figure's beside its .pdf. Files of these names
    are replaced, each only when its successor is complete; others are left alone.
    """
    if any(isinstance(exhibit, Figure) for exhibit in exhibits):
        # Half a folder would be worse than none.
        require_matplotlib(folder, ".pdf")
    whole_files.made_folder(folder)
    parts = []
    for name, exhibit in named_parts(exhibits, document.name):
        if isinstance(exhibit, Figure):
            # Heading, notes and signature are in the caption.
            write_figure(exhibit, folder / f"{name}.pdf", has_words=False)
            written = _figure(exhibit, name, document)
        else:
            brief = replace(exhibit, title=brief_title(exhibit.title, document.title))
            written = table_latex(brief, document_signature=document.signature)
        whole_files.write_whole(folder / f"{name}.tex", written.encode())
        parts.append(name)
    path = folder / f"{document.name}.tex"
    whole_files.write_whole(path, _text(document, parts).encode())
    return path


def _own(analysis: Analysis) -> list[Table]:
    """The tables that every report has. What was found about single workers is not for print."""
    return [
        short_ranking_table(analysis),
        *(
            short_ranking_table(analysis, found.systems, attribute=found.attribute)
            for found in analysis.attributes
        ),
        *([sure] if (sure := expected_ranks_table(analysis)) is not None else []),
        *([report_agreement_table(analysis)] if agreement_line(analysis) else []),
    ]


def named_parts(exhibits: Sequence[Table | Figure], document: str) -> Iterator[tuple[str, Table | Figure]]:
    """Each part with a name of its own for its files, none of them that of the document."""
    taken = {document}
    for exhibit in exhibits:
        kind = "figure" if isinstance(exhibit, Figure) else "table"
        stem = f"{kind}-{file_name(exhibit.name)}"
        # Also on disks that take capitals and small letters for the same.
        number = next(n for n in range(1, len(taken) + 2) if _numbered(stem, n).lower() not in taken)
        taken.add(_numbered(stem, number).lower())
        yield _numbered(stem, number), exhibit


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"


def _figure(figure: Figure, name: str, document: Document) -> str:
    title = brief_title(figure.title, document.title)
    words = " ".join(part for part in (figure.caption, crowd_note(figure)) if part)
    width = draw_panels(figure)[0].width if len(figure.panels) == 1 else inf
    share = _USUAL_SHARE * min(width / WIDTH, 1) if width <= NARROW else 1
    lines = [
        r"\begin{figure}[htbp]",
        r"\centering",
        rf"\includegraphics[width={share:.2g}\linewidth,height=0.8\textheight,keepaspectratio]{{{name}.pdf}}",
        rf"\caption[{escape(title)}]{{{escape(title.rstrip('.'))}. {escape(words)}}}"
        rf"\label{{fig:{file_name(figure.name)}}}",
    ]
    lines += signed_below(figure.signature, document.signature)
    return "\n".join([*lines, r"\end{figure}"]) + "\n"


def _text(document: Document, parts: Sequence[str]) -> str:
    lines = [
        _PREAMBLE,
        rf"\title{{{escape(document.title)}}}",
        rf"\author{{{document.author}}}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
        *(f"{escape(fact)}\n" for fact in document.facts),
    ]
    for heading, said in (("Warnings", alarms_of(document.warnings)), ("Notes", notes_of(document.warnings))):
        if said:
            items = [rf"\item {escape(warning)}" for warning in said]
            lines += [rf"\paragraph{{{heading}}}", r"\begin{itemize}", *items, r"\end{itemize}", ""]
    lines.append(rf"\noindent{{\footnotesize\ttfamily\raggedright {breakable(document.signature)}\par}}")
    # Floats must not pile up: LaTeX holds only a few of them at once.
    lines += [
        f"\\input{{{part}}}\n\\clearpage" if place % 8 == 7 else f"\\input{{{part}}}"
        for place, part in enumerate(parts)
    ]
    return "\n".join([*lines, r"\end{document}"]) + "\n"
