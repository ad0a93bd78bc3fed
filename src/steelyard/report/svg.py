"""Figures as SVG, written without any library: inside a page, or as a file of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from steelyard.domain.exhibit import Figure
from steelyard.report.characters import printable
from steelyard.report.drawing.palette import PRINTED, THEMED
from steelyard.report.drawing.plot import WIDE, WIDTH, is_level
from steelyard.report.drawing.scene import Circles, Drawing, Path, Place, Shape, Stroke, Text
from steelyard.report.drawing.sheet import draw_panels, draw_sheet

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif"


def to_svg(figure: Figure, *, themed: bool, has_words: bool = True) -> str:
    """The figure as SVG. The same figure gives the same text.

    `themed`: a piece of a page, one <svg> per panel, coloured by the page's own custom properties so
    that it follows the page from light to dark. A single panel of intervals over categories comes twice,
    and the page shows the one that fits the screen. Otherwise a whole file in light colours, all panels,
    heading and signature included unless it goes without words.
    """
    if themed and len(figure.panels) == 1 and is_level(figure.panels[0]):
        narrow, wide = draw_panels(figure), draw_panels(figure, room=WIDE)
        return "\n".join([_of_page(narrow[0], "small-screen"), _of_page(wide[0], "large-screen")])
    if themed:
        return "\n".join(
            _of_page(panel, "wide" if panel.width > WIDTH else "") for panel in draw_panels(figure)
        )
    return _file(draw_sheet(figure, has_words=has_words))


def _of_page(panel: Drawing, kind: str) -> str:
    # The style sheet knows how large a unit may get, on a screen and in print.
    size = f'class="{f"panel {kind}".rstrip()}" style="--units:{_n(panel.width)}"'
    opening = (
        f'<svg {size} viewBox="0 0 {_n(panel.width)} {_n(panel.height)}" '
        f'role="img" aria-label="{_words(panel.title)}">'
    )
    return f"{opening}{_named(panel)}{_shapes(panel.shapes, THEMED)}</svg>"


def _file(sheet: Drawing) -> str:
    size = f'width="{_n(sheet.width)}" height="{_n(sheet.height)}"'
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {_n(sheet.width)} {_n(sheet.height)}" '
        f'font-family="{FONTS}" role="img" aria-label="{_words(sheet.title)}">'
    )
    paper = f'<rect width="100%" height="100%" fill="{PRINTED["paper"]}"/>'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{opening}{_named(sheet)}{paper}\n'
        f"{_shapes(sheet.shapes, PRINTED)}\n</svg>\n"
    )


def _named(drawing: Drawing) -> str:
    description = f"<desc>{_words(drawing.description)}</desc>" if drawing.description else ""
    return f"<title>{_words(drawing.title)}</title>{description}"


def _shapes(shapes: Sequence[Shape], colours: Mapping[str, str]) -> str:
    return "\n".join(_shape(shape, colours) for shape in shapes)


def _shape(shape: Shape, colours: Mapping[str, str]) -> str:
    match shape:
        case Text():
            return _text(shape, colours)
        case Circles():
            return _circles(shape, colours)
        case Path():
            return _path(shape, colours)


def _text(text: Text, colours: Mapping[str, str]) -> str:
    look = [f'x="{_n(text.x)}" y="{_n(text.y)}" font-size="{_n(text.size)}" fill="{colours[text.colour]}"']
    if text.anchor != "start":
        look.append(f'text-anchor="{text.anchor}"')
    if text.is_bold:
        look.append('font-weight="600"')
    if text.angle:
        look.append(f'transform="rotate({_n(text.angle)} {_n(text.x)} {_n(text.y)})"')
    if text.has_halo:
        look.append(
            f'paint-order="stroke" stroke="{colours["paper"]}" stroke-width="3" stroke-linejoin="round"'
        )
    return f"<text {' '.join(look)}>{_title(text.title)}{_words(text.text)}</text>"


def _circles(circles: Circles, colours: Mapping[str, str]) -> str:
    look = f'fill="{colours[circles.fill]}"{_stroke(circles.stroke, colours)}{_opacity(circles.opacity)}'
    radius = _n(circles.radius)
    titles = circles.titles or ("",) * len(circles.centres)
    drawn = [
        _element(f'circle cx="{_n(x)}" cy="{_n(y)}" r="{radius}"', title)
        for (x, y), title in zip(circles.centres, titles, strict=True)
    ]
    return f"<g {look}>{''.join(drawn)}</g>"


def _path(path: Path, colours: Mapping[str, str]) -> str:
    fill = colours[path.fill] if path.fill else "none"
    look = f'fill="{fill}"{_stroke(path.stroke, colours)}{_opacity(path.opacity) if path.fill else ""}'
    return _element(f'path d="{"".join(map(_outline, path.parts))}" {look}', path.title)


def _element(opening: str, title: str) -> str:
    if not title:
        return f"<{opening}/>"
    return f"<{opening}>{_title(title)}</{opening.split(maxsplit=1)[0]}>"


def _title(title: str) -> str:
    return f"<title>{_words(title)}</title>" if title else ""


def _stroke(stroke: Stroke | None, colours: Mapping[str, str]) -> str:
    if stroke is None:
        return ""
    dash = f' stroke-dasharray="{" ".join(map(_n, stroke.dash))}"' if stroke.dash else ""
    return f' stroke="{colours[stroke.colour]}" stroke-width="{_n(stroke.width)}"{dash}'


def _opacity(opacity: float) -> str:
    return "" if opacity == 1 else f' fill-opacity="{opacity:g}"'


def _outline(places: Sequence[Place]) -> str:
    """A line in tenths of a unit, each place as its distance from the one before, which is shortest."""
    tenths = [(round(10 * x), round(10 * y)) for x, y in places]
    (x, y), is_closed = tenths[0], len(tenths) > 2 and tenths[0] == tenths[-1]
    parts = [f"M{_tenth(x)} {_tenth(y)}"]
    for next_x, next_y in tenths[1:-1] if is_closed else tenths[1:]:
        if next_y == y:
            parts.append(f"h{_tenth(next_x - x)}")
        elif next_x == x:
            parts.append(f"v{_tenth(next_y - y)}")
        else:
            parts.append(f"l{_tenth(next_x - x)} {_tenth(next_y - y)}")
        x, y = next_x, next_y
    return "".join(parts) + ("z" if is_closed else "")


def _tenth(value: int) -> str:
    return f"{value / 10:g}" if abs(value) < 1_000_000 else f"{value / 10:.1f}"


def _n(value: float) -> str:
    return f"{round(value, 1) + 0.0:g}"


def _words(text: str) -> str:
    return escape(printable(text))
