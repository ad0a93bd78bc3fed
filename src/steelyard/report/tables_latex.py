"""Tables as LaTeX, set with booktabs."""

from __future__ import annotations

from steelyard.domain.exhibit import Table
from steelyard.report.latex_text import breakable, escape, file_name
from steelyard.report.table_cells import numeric, rows

# More rows than this do not fit a page, more columns often not its width [our choice].
LONG, WIDE = 40, 7
# Longer words are set in several lines [our choice].
SENTENCE = 60


def table_latex(table: Table) -> str:
    """The table as a float with caption and label, notes and signature below it.

    It needs the package booktabs; a table of many rows runs over pages and needs longtable, one of
    many columns is shrunk to the width of the line and needs graphicx.
    """
    written = list(rows(table))
    layout = _layout(table, written)
    header = f"{' & '.join(escape(column.title) for column in table.columns)} \\\\"
    body = []
    for place, row in enumerate(written):
        if place in table.borders and place:
            body.append(r"\midrule")
        body.append(f"{' & '.join(map(escape, row))} \\\\")
    title = rf"\caption{{{escape(table.title)}}}\label{{tab:{file_name(table.name)}}}"
    is_wide = len(table.columns) > WIDE
    if len(table.rows) > LONG:
        lines = [*_long([layout, header, title], body, is_wide=is_wide), *_below(table)]
    else:
        lines = [*_float([layout, header, title], body, is_wide=is_wide), *_below(table), r"\end{table}"]
    return "\n".join(lines) + "\n"


def _layout(table: Table, written: list[list[str]]) -> str:
    """Numbers to the right, words to the left, sentences in a column of their own width."""
    longest = [max((len(row[k]) for row in written), default=0) for k in range(len(table.columns))]
    return "".join(
        "r" if is_number else r"p{0.35\linewidth}" if length > SENTENCE else "l"
        for is_number, length in zip(numeric(table), longest, strict=True)
    )


def _float(head: list[str], body: list[str], *, is_wide: bool) -> list[str]:
    layout, header, title = head
    tabular = [
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        header,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if is_wide:
        fitting = r"\ifdim\width>\linewidth\linewidth\else\width\fi"
        tabular = [rf"\resizebox{{{fitting}}}{{!}}{{%", *tabular[:-1], rf"{tabular[-1]}}}"]
    return [r"\begin{table}[htbp]", r"\centering", title, *tabular]


def _long(head: list[str], body: list[str], *, is_wide: bool) -> list[str]:
    layout, header, title = head
    return [
        r"{\scriptsize\setlength{\tabcolsep}{3pt}" if is_wide else r"{\small",
        rf"\begin{{longtable}}{{{layout}}}",
        rf"{title}\\",
        *(r"\toprule", header, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", header, r"\midrule", r"\endhead"),
        *(r"\bottomrule", r"\endfoot"),
        *body,
        r"\end{longtable}}",
    ]


def _below(table: Table) -> list[str]:
    notes = [rf"\par\smallskip{{\footnotesize {escape(note)}\par}}" for note in table.notes]
    if table.signature:
        notes.append(rf"\par\smallskip{{\scriptsize\ttfamily {breakable(table.signature)}\par}}")
    return notes
