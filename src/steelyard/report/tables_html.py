"""Tables as pieces of a page."""

from __future__ import annotations

from markupsafe import Markup

from steelyard.domain.exhibit import Table
from steelyard.report.characters import printable
from steelyard.report.downloads import download
from steelyard.report.latex_text import file_name
from steelyard.report.table_cells import numeric, rows
from steelyard.report.tables_csv import table_csv

# Longer tables are begun on the page and complete in the file beside them [our choice].
MOST_ROWS = 400
# Longer words are set in several lines [our choice].
LONG_WORDS = 32


def table_html(table: Table, *, page_signature: str = "") -> str:
    """The table with its title, notes, signature and a link to its data, as a piece of the page.

    A signature that the page bears itself is not repeated.
    """
    return (
        Markup('<div class="exhibit" id="table-{}">\n<h3>{}</h3>\n').format(
            file_name(table.name), printable(table.title)
        )
        + table_grid(table)
        + notes(table)
        + Markup('<p class="links">Download: {}</p>\n').format(csv_link(table))
        + signed(table.signature, page_signature=page_signature)
        + Markup("</div>\n")
    )


def signed(signature: str, *, page_signature: str) -> Markup:
    """The signatures of all sources, one a line; nothing if there is none or the page bears it itself."""
    if signature in ("", page_signature):
        return Markup("")
    lines = Markup("<br>\n").join(
        Markup("<code>{}</code>").format(printable(line)) for line in signature.split("\n")
    )
    return Markup('<p class="signed">{}</p>\n').format(lines)


def table_grid(table: Table) -> Markup:
    """The table alone, in a box that scrolls if it is too wide for the page."""
    right, naming = numeric(table), _naming(table)
    head = Markup("").join(
        Markup('<th scope="col"{}>{}</th>').format(_side(is_right), printable(column.title))
        for column, is_right in zip(table.columns, right, strict=True)
    )
    body = Markup("\n").join(
        Markup("<tr{}>{}</tr>").format(
            Markup(' class="border"') if place in table.borders and place else "",
            Markup("").join(
                _cell(text, is_right=is_right, is_name=k == naming)
                for k, (text, is_right) in enumerate(zip(row, right, strict=True))
            ),
        )
        for place, row in enumerate(rows(table, most=MOST_ROWS))
    )
    grid = Markup(
        '<div class="scroll" tabindex="0" role="group" aria-label="{}">\n<table>\n'
        "<thead><tr>{}</tr></thead>\n<tbody>\n{}\n</tbody>\n</table>\n</div>\n"
    ).format(printable(table.title), head, body)
    if len(table.rows) <= MOST_ROWS:
        return grid
    return grid + Markup('<p class="note">The first {:,} of {:,} rows; all are in the file.</p>\n').format(
        MOST_ROWS, len(table.rows)
    )


def _naming(table: Table) -> int | None:
    """The column that names each row, if there is one: of ids, or else the first of words, none twice."""
    places = [
        place
        for place, (column, is_number) in enumerate(zip(table.columns, numeric(table), strict=True))
        if not is_number and table.rows[column.name].n_unique() == len(table.rows)
    ]
    of_ids = [place for place in places if table.columns[place].name.endswith("_id")]
    return next(iter(of_ids or places), None)


def _cell(text: str, *, is_right: bool, is_name: bool) -> Markup:
    look = Markup(' class="text long"') if len(text) > LONG_WORDS and not is_right else _side(is_right)
    if is_name:
        return Markup('<th scope="row"{}>{}</th>').format(look, text)
    return Markup("<td{}>{}</td>").format(look, text)


def _side(is_right: bool) -> Markup:
    return Markup("") if is_right else Markup(' class="text"')


def notes(table: Table) -> Markup:
    """The notes below a table."""
    return Markup("").join(Markup('<p class="note">{}</p>\n').format(printable(note)) for note in table.notes)


def csv_link(table: Table) -> Markup:
    """A link that saves the table in full precision."""
    return download(f"{file_name(table.name)}.csv", table_csv(table), "text/csv", "CSV")
