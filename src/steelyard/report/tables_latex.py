"""Tables as LaTeX, set with booktabs."""

from __future__ import annotations

from steelyard.domain.exhibit import Table
from steelyard.report.latex_text import breakable, breakable_name, escape, file_name
from steelyard.report.table_cells import groups, heading_lines, numeric, rows

# More rows than this do not fit a page; a table of more columns is set closer [our choice].
LONG, WIDE = 40, 7
# Longer words are set in several lines [our choice].
SENTENCE, NAME = 60, 32
# A width that is never more than the line's.
_FITTING = r"\ifdim\width>\linewidth\linewidth\else\width\fi"


def table_latex(table: Table, *, document_signature: str = "") -> str:
    """The table as a float with caption and label, notes and signature below it.

    It needs the packages array, booktabs and graphicx, for it is shrunk where it would be wider than the
    line; a table of many rows runs over pages and needs longtable. A signature that the document bears
    itself is not repeated.
    """
    written = list(rows(table))
    layout = _layout(table, written)
    header = _header(table, written)
    body = []
    for place, row in enumerate(written):
        if place in table.borders and place:
            body.append(r"\midrule")
        body.append(f"{' & '.join(map(_cell, row))} \\\\")
    title = rf"\caption{{{escape(table.title)}}}\label{{tab:{file_name(table.name)}}}"
    below = _below(table, document_signature)
    is_wide = len(table.columns) > WIDE
    if len(table.rows) > LONG:
        lines = [*_long(layout, header, [title, *body], is_wide=is_wide), *below]
    else:
        lines = [*_float(layout, header, [title, *body], is_wide=is_wide), *below, r"\end{table}"]
    return "\n".join(lines) + "\n"


def _layout(table: Table, written: list[list[str]]) -> str:
    """Numbers to the right, words to the left, long names and sentences in columns that wrap."""
    longest = [max((len(row[k]) for row in written), default=0) for k in range(len(table.columns))]
    return "".join(
        "r" if is_number else _of_words(length)
        for is_number, length in zip(numeric(table), longest, strict=True)
    )


def _of_words(length: int) -> str:
    if length <= NAME:
        return "l"
    share = "0.35" if length > SENTENCE else "0.28"
    return rf">{{\raggedright\arraybackslash}}p{{{share}\linewidth}}"


def _cell(text: str) -> str:
    return breakable_name(text) if len(text) > NAME else escape(text)


def _header(table: Table, written: list[list[str]]) -> str:
    """The headings, in several lines where their cells are narrower, below those that span columns."""
    right = numeric(table)
    titles = [
        _stacked(heading_lines(column.title, [row[k] for row in written]), is_right=right[k])
        for k, column in enumerate(table.columns)
    ]
    lines, rules, place = [], [], 1
    for group, n in groups(table):
        lines.append(rf"\multicolumn{{{n}}}{{{'c' if group else 'l'}}}{{{escape(group)}}}")
        rules += [rf"\cmidrule(lr){{{place}-{place + n - 1}}}"] if group else []
        place += n
    spanning = f"{' & '.join(lines)} \\\\\n{''.join(rules)}\n" if lines else ""
    return f"{spanning}{' & '.join(titles)} \\\\"


def _stacked(lines: list[str], *, is_right: bool) -> str:
    if len(lines) == 1:
        return escape(lines[0])
    stacked = r"\\".join(map(escape, lines))
    return rf"\shortstack[{'r' if is_right else 'l'}]{{{stacked}}}"


def _float(layout: str, header: str, content: list[str], *, is_wide: bool) -> list[str]:
    title, *body = content
    return [
        r"\begin{table}[htbp]",
        r"\centering",
        *([r"\setlength{\tabcolsep}{3pt}"] if is_wide else []),
        title,
        rf"\resizebox{{{_FITTING}}}{{!}}{{%",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        header,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}}",
    ]


def _long(layout: str, header: str, content: list[str], *, is_wide: bool) -> list[str]:
    title, *body = content
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


def _below(table: Table, document_signature: str) -> list[str]:
    notes = escape(" ".join(table.notes))
    written = [rf"\par\smallskip{{\footnotesize\raggedright {notes}\par}}"] if notes else []
    return [*written, *signed_below(table.signature, document_signature)]


def signed_below(signature: str, document_signature: str) -> list[str]:
    """The signature below a table or figure; nothing if there is none or the document bears it itself."""
    if not signature or set(signature.split("\n")) <= set(document_signature.split("\n")):
        return []
    return [rf"\par\smallskip{{\scriptsize\ttfamily\raggedright {breakable(signature)}\par}}"]
