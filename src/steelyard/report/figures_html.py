"""Figures as pieces of a page: the drawing, its caption, its data and links to both."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from steelyard.domain.exhibit import Figure
from steelyard.report.characters import printable
from steelyard.report.downloads import download
from steelyard.report.drawing.thinning import crowd_note
from steelyard.report.latex_text import file_name
from steelyard.report.svg import to_svg
from steelyard.report.tables_html import csv_link, notes, signed, table_grid


def figure_html(figure: Figure, *, page_signature: str = "") -> str:
    """The figure with everything that belongs to it, as a piece of the page.

    A signature that the page bears itself is not repeated below the figure; its file always has it.
    """
    name = file_name(figure.name)
    # Our own writer has escaped every word in it.
    drawing = Markup(to_svg(figure, themed=True))  # noqa: S704
    alone = download(f"{name}.svg", to_svg(figure, themed=False), "image/svg+xml", "SVG")
    words = " ".join(part for part in (figure.caption, crowd_note(figure)) if part)
    caption = Markup("<figcaption><strong>{}.</strong> {}</figcaption>\n").format(
        printable(figure.title).rstrip("."), printable(words)
    )
    panels = Markup('<div class="panels" tabindex="0" role="group" aria-label="{}">\n{}\n</div>\n')
    data = Markup("<details><summary>Data</summary>\n{}{}</details>\n").format(
        table_grid(figure.table), notes(figure.table)
    )
    links = Markup('<p class="links">Download: {} {}</p>\n').format(
        csv_link(replace(figure.table, name=figure.name)), alone
    )
    return (
        Markup('<figure class="exhibit" id="figure-{}">\n').format(name)
        + panels.format(printable(figure.title), drawing)
        + caption
        + Markup('<div class="behind">\n')
        + data
        + links
        + Markup("</div>\n")
        + signed(figure.signature, page_signature=page_signature)
        + Markup("</figure>\n")
    )
