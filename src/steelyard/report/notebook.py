"""Results in a notebook: a few lines of text, or a small view with the first figure and table."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from textwrap import shorten

from markupsafe import Markup

from steelyard.domain.exhibit import Figure, Table
from steelyard.domain.study import StudyResult
from steelyard.domain.wording import alarms_of, notes_of
from steelyard.report.characters import columns as width_of
from steelyard.report.characters import printable
from steelyard.report.drawing.palette import DARK, LIGHT, style_sheet
from steelyard.report.drawing.thinning import crowd_note
from steelyard.report.html import templates
from steelyard.report.svg import to_svg
from steelyard.report.table_cells import numeric, rows
from steelyard.report.tables_html import notes, table_grid

# How long a line of text may be, and a cell in it; how many lines of a table are text [our choice].
LINE, CELL, FEW_ROWS, FEW_COLUMNS = 100, 24, 5, 5
# How many rows of a table a view shows [our choice].
MOST_ROWS = 30
# Every rule of the style sheet begins with this class. Twice, so that it wins over the notebook's own rules.
_SCOPE = ".steelyard-view.steelyard-view"


def brief_text(result: StudyResult) -> str:
    """The result in a few lines: its title, what it rests on, its conclusion or the first rows of its table.

    What else there is, tables and figures, is named.
    """
    found = [_line(result.title), _line(result.lead)]
    if result.conclusion:
        found.append(shorten(printable(" ".join(result.conclusion)), 2 * LINE, placeholder=" …"))
    elif result.tables:
        found += _first_rows(result.tables[0])
    alarms = alarms_of(result.warnings)
    if alarms:
        more = f" (and {len(alarms) - 1} more)" if len(alarms) > 1 else ""
        found.append(_line(f"Warning{more}: {alarms[0]}"))
    return "\n".join(line for line in found if line)


def result_view(result: StudyResult) -> str:
    """The result as a piece of a notebook: conclusion, first figure, first table, and what else there is."""
    figures, tables = result.figures[:1], result.tables[: 1 if result.figures else 2]
    others = [
        *(f"table {table.name}" for table in result.tables[len(tables) :]),
        *(f"figure {figure.name}" for figure in result.figures[len(figures) :]),
    ]
    return (
        templates()
        .get_template("notebook.html")
        .render(
            result=result,
            style=_style(),
            alarms=alarms_of(result.warnings),
            notes=[*result.notes, *notes_of(result.warnings)],
            figures=[_figure(figure) for figure in figures],
            tables=[_table(table) for table in tables],
            others=others,
            signatures=result.signature.split("\n") if result.signature else [],
        )
    )


def figure_view(figure: Figure) -> str:
    """A figure alone, as a piece of a notebook."""
    alone = StudyResult(figure.name, "", {}, (), (figure,), signature=figure.signature)
    return result_view(alone)


@cache
def _style() -> Markup:
    """The style sheet, every rule of which holds within a view alone."""
    written = (
        templates()
        .get_template("notebook.css")
        .render(light=Markup(style_sheet(LIGHT)), dark=Markup(style_sheet(DARK)))  # noqa: S704 (our own)
    )
    return Markup(written.replace("&", _SCOPE))  # noqa: S704 (our own file)


def _figure(figure: Figure) -> Markup:
    # Our own writer has escaped every word in it.
    drawing = Markup(to_svg(figure, themed=True))  # noqa: S704
    words = " ".join(part for part in (figure.caption, crowd_note(figure)) if part)
    return Markup(
        '<figure>\n<div class="panels">\n{}\n</div>\n'
        "<figcaption><strong>{}.</strong> {}</figcaption>\n</figure>\n"
    ).format(drawing, printable(figure.title).rstrip("."), printable(words))


def _table(table: Table) -> Markup:
    n_rows, shown = len(table.rows), replace(table, rows=table.rows.head(MOST_ROWS))
    more = Markup("")
    if n_rows > MOST_ROWS:
        more = Markup('<p class="note">The first {:,} of {:,} rows.</p>\n').format(MOST_ROWS, n_rows)
    title = Markup('<p class="heading">{}</p>\n').format(printable(table.title))
    return title + table_grid(shown) + more + notes(table)


def _line(text: str) -> str:
    return shorten(printable(text), LINE, placeholder=" …")


def _cell(text: str) -> str:
    """A text on one line, cut in a word too: many names of systems are one long word."""
    line = " ".join(text.split())
    return line if len(line) <= CELL else f"{line[: CELL - 1].rstrip()}…"


def _first_rows(table: Table) -> list[str]:
    """The first columns of the first rows, in columns."""
    brief = replace(table, columns=table.columns[:FEW_COLUMNS])
    written = [[column.title for column in brief.columns], *rows(brief, most=FEW_ROWS)]
    cells = [[_cell(text) for text in row] for row in written]
    widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            " " * (width - width_of(text)) + text if is_right else text + " " * (width - width_of(text))
            for text, width, is_right in zip(row, widths, numeric(brief), strict=True)
        ).rstrip()
        for row in cells
    ]
    rest = len(table.rows) - FEW_ROWS
    return [*lines, f"… and {rest:,} more"] if rest > 0 else lines
