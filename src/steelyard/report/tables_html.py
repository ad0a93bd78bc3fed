"""Tables and figures as pieces of a page."""

from __future__ import annotations

import gzip
from base64 import b64encode
from dataclasses import replace

from markupsafe import Markup

from steelyard.domain.exhibit import Figure, Table
from steelyard.report.characters import printable
from steelyard.report.drawing.thinning import crowd_note
from steelyard.report.latex_text import file_name
from steelyard.report.svg import to_svg
from steelyard.report.table_cells import groups, numeric, rows
from steelyard.report.tables_csv import table_csv
from steelyard.report.words import brief_title

# Longer tables begin on the page and are complete in the file beside them [our choice].
MOST_ROWS = 400
# Longer words are set in several lines [our choice].
LONG_WORDS = 24
# A longer word in a heading may be broken anywhere [our choice].
LONG_WORD = 13
# A table of more columns than the first is set closer, one of more than the second is folded [our choice].
FEW_COLUMNS, MOST_COLUMNS = 9, 15
# Larger tables are packed, which every reader of CSV files understands [our choice].
LARGE = 200_000


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
    """The table alone, in a box that scrolls if it is too wide for the page.

    One of very many columns is folded into several parts, each with the column that names the rows.
    """
    written = list(rows(table, most=MOST_ROWS))
    grid = Markup("").join(_grid(table, part, written) for part in _parts(table))
    if len(table.rows) <= MOST_ROWS:
        return grid
    return grid + Markup('<p class="note">The first {:,} of {:,} rows; all are in the file.</p>\n').format(
        MOST_ROWS, len(table.rows)
    )


def _parts(table: Table) -> list[list[int]]:
    """The places of the columns, in parts that fit a page where that is possible."""
    naming, every = _naming(table), list(range(len(table.columns)))
    if len(every) <= MOST_COLUMNS or naming is None:
        return [every]
    others = [place for place in every if place != naming]
    n_parts = -(-len(others) // (MOST_COLUMNS - 1))
    size = -(-len(others) // n_parts)
    return [[naming, *others[start : start + size]] for start in range(0, len(others), size)]


def _grid(table: Table, part: list[int], written: list[list[str]]) -> Markup:
    """Some columns of the table as one grid."""
    right, naming = numeric(table), _naming(table)
    shown = replace(table, columns=tuple(table.columns[place] for place in part))
    head = Markup("").join(
        _heading(printable(table.columns[place].title), is_right=right[place]) for place in part
    )
    body = Markup("\n").join(
        Markup("<tr{}>{}</tr>").format(
            Markup(' class="border"') if number in table.borders and number else "",
            Markup("").join(
                _cell(row[place], is_right=right[place], is_name=place == naming) for place in part
            ),
        )
        for number, row in enumerate(written)
    )
    return Markup(
        '<div class="scroll" tabindex="0" role="group" aria-label="{}">\n<table{}>\n'
        "<thead>{}<tr>{}</tr></thead>\n<tbody>\n{}\n</tbody>\n</table>\n</div>\n"
    ).format(
        printable(table.title),
        Markup(' class="many"') if len(part) > FEW_COLUMNS else "",
        _group_heads(shown),
        head,
        body,
    )


def _heading(title: str, *, is_right: bool) -> Markup:
    """The heading of a column, which may be broken anywhere if one of its words is long."""
    has_long_word = max(map(len, title.split()), default=0) > LONG_WORD
    kinds = [*(["text"] if not is_right else []), *(["broken"] if has_long_word else [])]
    look = Markup(' class="{}"').format(" ".join(kinds)) if kinds else ""
    return Markup('<th scope="col"{}>{}</th>').format(look, title)


def _group_heads(table: Table) -> Markup:
    """The row of headings over neighbouring columns; nothing if there are none."""
    found = groups(table)
    if not found:
        return Markup("")
    cells = Markup("").join(
        Markup('<th class="group" colspan="{}" scope="colgroup">{}</th>').format(n, printable(group))
        if group
        else Markup('<td colspan="{}"></td>').format(n)
        for group, n in found
    )
    return Markup("<tr>{}</tr>\n").format(cells)


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


def figure_html(figure: Figure, *, page_signature: str = "", source: str = "") -> str:
    """The figure with everything that belongs to it, as a piece of the page.

    A signature that the page bears itself, or the title of its source, is not repeated with the figure; its
    file always has both.
    """
    name, title = file_name(figure.name), printable(brief_title(figure.title, source))
    # Our own writer has escaped every word in it.
    drawing = Markup(to_svg(figure, themed=True))  # noqa: S704
    alone = download(f"{name}.svg", to_svg(figure, themed=False), "image/svg+xml", "SVG")
    words = " ".join(part for part in (figure.caption, crowd_note(figure)) if part)
    caption = Markup("<figcaption><strong>{}.</strong> {}</figcaption>\n").format(
        title.rstrip("."), printable(words)
    )
    panels = Markup('<div class="panels" tabindex="0" role="group" aria-label="{}">\n{}\n</div>\n')
    data = Markup("<details><summary>Data</summary>\n{}{}</details>\n").format(
        table_grid(replace(figure.table, title=title)), notes(figure.table)
    )
    links = Markup('<p class="links">Download: {} {}</p>\n').format(
        csv_link(replace(figure.table, name=figure.name)), alone
    )
    return (
        Markup('<figure class="exhibit" id="figure-{}">\n').format(name)
        + panels.format(title, drawing)
        + caption
        + Markup('<div class="behind">\n')
        + data
        + links
        + Markup("</div>\n")
        + signed(figure.signature, page_signature=page_signature)
        + Markup("</figure>\n")
    )


def download(name: str, content: str, media_type: str, words: str) -> Markup:
    """A link that saves the content under a name; much of it comes packed, as .gz."""
    data = content.encode()
    if len(data) > LARGE:
        # No date: the same page for the same analysis.
        data, name, media_type, words = (
            gzip.compress(data, mtime=0),
            f"{name}.gz",
            "application/gzip",
            f"{words} (packed)",
        )
    address = f"data:{media_type};base64,{b64encode(data).decode()}"
    return Markup('<a class="download" download="{}" href="{}">{}</a>').format(name, address, words)
