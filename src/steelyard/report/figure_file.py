"""Figures as files: .svg by our own writer, .png and .pdf by Matplotlib from the very same shapes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.domain.errors import SourceError
from steelyard.domain.exhibit import Figure
from steelyard.domain.extras import how_to_install
from steelyard.report import whole_files
from steelyard.report.characters import printable
from steelyard.report.drawing.palette import DARK, PRINTED
from steelyard.report.drawing.scene import Circles, Drawing, Stroke, Text
from steelyard.report.drawing.scene import Path as Outline
from steelyard.report.drawing.sheet import draw_sheet
from steelyard.report.svg import to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDINGS = (".svg", ".png", ".pdf")
# Points of print per unit of a drawing, and pixels per inch [our choice].
POINTS, RESOLUTION = 0.9, 200
# Tried in turn for what DejaVu Sans lacks, if installed.
_FURTHER_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans",
    "WenQuanYi Zen Hei",
    "Arial Unicode MS",
)
_ALIGNMENT = {"start": "left", "middle": "center", "end": "right"}


def write_figure(figure: Figure, path: Path, *, has_words: bool = True) -> None:
    """Write the figure in the format that the file's name ends in: .svg, .png or .pdf.

    The same figure gives the same file. Without words it leaves heading, notes and signature to the caption
    of the document that includes it.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise SourceError(
            str(path),
            [
                f"a figure cannot be written as {ending or 'a file without an ending'}. "
                f"Use a name that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}."
            ],
        )
    if ending == ".svg":
        whole_files.write_whole(path, to_svg(figure, themed=False, has_words=has_words).encode())
        return
    whole_files.write_whole(path, _painted(draw_sheet(figure, has_words=has_words), ending, path))


def require_matplotlib(path: Path, ending: str) -> None:
    """Refuse to write a picture there where Matplotlib, which comes with the extra `plots`, is missing."""
    try:
        import matplotlib.backends.backend_agg  # noqa: F401 (whether it can be had)
    except ImportError:
        # Where the picture itself is asked for, another format may do; a document needs this one.
        instead = " Figures as .svg files need nothing else." if path.suffix.lower() == ending else ""
        problem = f"drawing {ending} files needs Matplotlib: {how_to_install('plots')}.{instead}"
        raise SourceError(str(path), [problem]) from None


def _painted(sheet: Drawing, ending: str, path: Path) -> bytes:
    """The drawing as a picture, by Matplotlib."""
    require_matplotlib(path, ending)
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    # A figure without pyplot leaves no state behind.
    canvas = Canvas(figsize=(sheet.width * POINTS / 72, sheet.height * POINTS / 72), facecolor="white")
    FigureCanvasAgg(canvas)
    axes = canvas.add_axes((0, 0, 1, 1))
    with rc_context({"pdf.fonttype": 42}), warnings.catch_warnings():
        # A name in a script that no font here knows is drawn as boxes; the data table has it right.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from font", category=UserWarning)
        _paint(axes, sheet, POINTS)
        # No dates: the same figure gives the same file.
        known: dict[str, Any] = {"CreationDate": None} if ending == ".pdf" else {"Software": None}
        written = BytesIO()
        canvas.savefig(written, format=ending[1:], dpi=RESOLUTION, metadata=known)
    return written.getvalue()


def draw_on(figure: Figure, axes: Axes) -> None:
    """Draw the figure on axes that are there, as large as fits, without heading, notes and signature.

    On a dark canvas it is drawn in the colours for that.
    """
    from matplotlib.colors import to_rgba

    sheet = draw_sheet(figure, has_words=False)
    axes.set_aspect("equal", adjustable="box")
    room = axes.get_window_extent()
    pixels = min(room.width / sheet.width, room.height / sheet.height)
    # One of several parts of a canvas may have no ground of its own; then that of its axes is as good.
    grounds = [to_rgba(found.get_facecolor()) for found in (axes.figure, axes)]
    is_dark = next((red + green + blue < 1.5 for red, green, blue, alpha in grounds if alpha), False)
    _paint(axes, sheet, 72 * pixels / axes.figure.dpi, DARK if is_dark else PRINTED)


def _paint(axes: Axes, sheet: Drawing, points: float, colours: Mapping[str, str] = PRINTED) -> None:
    """Draw all shapes on axes that take on the units of the drawing; `points`: of print, per unit."""
    from matplotlib import rc_context

    axes.set(xlim=(0, sheet.width), ylim=(sheet.height, 0))
    axes.set_axis_off()
    with rc_context({"font.family": _fonts()}):
        for order, shape in enumerate(sheet.shapes):
            match shape:
                case Text():
                    _text(axes, shape, order, points, colours)
                case Circles():
                    _circles(axes, shape, order, points, colours)
                case Outline():
                    _outline(axes, shape, order, points, colours)


def _fonts() -> list[str]:
    from matplotlib.font_manager import get_font_names

    installed = set(get_font_names())
    return ["DejaVu Sans", *(name for name in _FURTHER_FONTS if name in installed)]


def _text(axes: Axes, text: Text, order: int, points: float, colours: Mapping[str, str]) -> None:
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=3 * points, foreground=colours["paper"])] if text.has_halo else None
    axes.text(
        text.x,
        text.y,
        printable(text.text),
        fontsize=text.size * points,
        color=colours[text.colour],
        ha=_ALIGNMENT[text.anchor],
        va="baseline",
        fontweight="bold" if text.is_bold else "normal",
        rotation=-text.angle,
        rotation_mode="anchor",
        parse_math=False,
        path_effects=halo,
        zorder=order,
    )


def _circles(axes: Axes, circles: Circles, order: int, points: float, colours: Mapping[str, str]) -> None:
    from matplotlib.collections import EllipseCollection
    from matplotlib.colors import to_rgba

    sizes = [2 * circles.radius] * len(circles.centres)
    axes.add_collection(
        EllipseCollection(
            sizes,
            sizes,
            [0.0] * len(sizes),
            units="xy",
            offsets=list(circles.centres),
            offset_transform=axes.transData,
            facecolors=[to_rgba(colours[circles.fill], circles.opacity)],
            edgecolors=[colours[circles.stroke.colour]],
            linewidths=[circles.stroke.width * points],
            zorder=order,
        ),
        autolim=False,
    )


def _outline(axes: Axes, outline: Outline, order: int, points: float, colours: Mapping[str, str]) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Curve

    places: list[tuple[float, float]] = []
    codes: list[int] = []
    for part in outline.parts:
        places += part
        codes += _codes(part)
    is_seen = outline.stroke or (outline.fill and outline.opacity)
    if not places or not is_seen:
        return
    stroke = outline.stroke
    patch = PathPatch(
        Curve(places, codes),
        facecolor=to_rgba(colours[outline.fill], outline.opacity) if outline.fill else "none",
        edgecolor=colours[stroke.colour] if stroke else "none",
        linewidth=stroke.width * points if stroke else 0,
        linestyle=_dash(stroke),
        capstyle="butt",
        zorder=order,
    )
    axes.add_artist(patch)


def _codes(part: Sequence[tuple[float, float]]) -> list[int]:
    from matplotlib.path import Path as Curve

    codes = [int(Curve.MOVETO)] + [int(Curve.LINETO)] * (len(part) - 1)
    if len(part) > 2 and part[0] == part[-1]:
        codes[-1] = int(Curve.CLOSEPOLY)
    return codes


def _dash(stroke: Stroke | None) -> Any:
    """Matplotlib takes dashes in multiples of the line's width."""
    if stroke is None or not stroke.dash:
        return "solid"
    return (0, tuple(length / stroke.width for length in stroke.dash))
