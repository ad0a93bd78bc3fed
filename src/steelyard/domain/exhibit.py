"""Exhibits: tables and figures as data, before anyone decides whether they become text, a page or a file.

A figure is described by what it shows (points, lines, bars, intervals, cells on axes), never by how it
is drawn, so that the page, the printed file and the table behind it cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from steelyard.domain.cells import Cell, CellMetric
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.options import option, require_known_values
from steelyard.domain.result import Analysis, AnalysisSettings

if TYPE_CHECKING:
    import polars as pl

# What a colour means; the renderers choose the colours.
Tone = Literal["main", "second", "third", "good", "bad", "unsure", "faint"]
Chance = Literal["uniform", "cohen", "scott"]
PairWeight = Literal["pair", "item"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: its name in `rows`, its heading, and how its numbers are written.

    `digits` None: whole numbers and words as they are. `per_cent`: the number is a share, shown times 100.
    `p_value`: one too small for its digits is shown as smaller than the least of them, never as 0.
    `group`: a heading over this column and its neighbours of the same group. `words`: what people read in
    place of the codes in `rows`.
    """

    name: str
    title: str
    digits: int | None = None
    per_cent: bool = False
    p_value: bool = False
    group: str = ""
    words: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Table:
    """A table: full precision in `rows`, whose columns are those of `columns` in that order; null is unknown.

    `borders`: rows (from 0) above which a line is drawn, such as the first of each cluster.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: pl.DataFrame
    notes: tuple[str, ...] = ()
    signature: str = ""
    borders: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis. Ends left None follow the data. With `categories`, places 0, 1, 2, ... bear those names:
    from left to right, or from top to bottom."""

    title: str
    low: float | None = None
    high: float | None = None
    categories: tuple[str, ...] = ()
    logarithmic: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """Dots. `labels`, if given, name each of them (shown on pointing, or beside it if `named`)."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    series: str = ""
    tone: Tone = "main"
    labels: tuple[str, ...] = ()
    named: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line through the points in the order given."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    series: str = ""
    tone: Tone = "main"
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """The area between two curves over x."""

    x: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    series: str = ""
    tone: Tone = "main"


@dataclass(frozen=True, slots=True)
class Bars:
    """Upright bars from `left` to `right`, from 0 to `height`: a histogram."""

    left: tuple[float, ...]
    right: tuple[float, ...]
    height: tuple[float, ...]
    series: str = ""
    tone: Tone = "main"


@dataclass(frozen=True, slots=True)
class Intervals:
    """Level bars from `low` to `high` at the places `at` of the upright axis; `thick` ones are amounts."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    at: tuple[float, ...]
    series: str = ""
    tone: Tone = "main"
    thick: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the whole panel at one value of the axis `of`."""

    of: Literal["x", "y"]
    at: float
    label: str = ""
    tone: Tone = "faint"


@dataclass(frozen=True, slots=True)
class Cells:
    """A grid of cells, row by row from the top, shaded between `low` (strong) and `high` (blank).

    None is an empty cell. `texts` has the same shape. Both axes have categories.
    """

    values: tuple[tuple[float | None, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    low: float
    high: float
    tone: Tone = "main"


@dataclass(frozen=True, slots=True)
class Lane:
    """One person's marks below a running text: from one of its pieces up to before another, in a tone."""

    name: str
    marks: tuple[tuple[int, int, Tone], ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A running text in pieces, wrapped to the room there is, each shaded by its `heat` from 0 to 1.

    `lanes` run along below each line. `keys`: what the tones of marks mean. A panel with a passage has
    no axes.
    """

    pieces: tuple[str, ...]
    heat: tuple[float, ...]
    lanes: tuple[Lane, ...] = ()
    keys: tuple[tuple[str, Tone], ...] = ()
    right_to_left: bool = False
    tone: Tone = "bad"


Mark = Points | Line | Band | Bars | Intervals | Rule | Cells | Passage


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes and what is drawn on them, in order."""

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    title: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure of one or more panels, with the table of all it shows."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    table: Table
    signature: str = ""

    @classmethod
    def of(cls, table: Table, *, caption: str, panels: Sequence[Panel]) -> Figure:
        """The figure of what a table holds, under the table's name, title and signature."""
        return cls(table.name, table.title, caption, tuple(panels), table, table.signature)


@dataclass(frozen=True)
class Evidence:
    """What an exhibit is made from: one source's judgements and hours of work, and their analysis.

    `judged` holds everyone's ratings, or preferences if the method reads these (of the attribute chosen, if
    one was), without what a person excluded, and `keeps` says about each row whether the scores rest on it.
    `spans` holds the errors that everyone marked, and `texts` the texts they are in, where known; None: no
    errors were marked. `analyse` answers the same source again under other settings. `language`: that of the
    translations, if known.
    """

    title: str
    judged: pl.DataFrame
    keeps: pl.Series
    hit_times: pl.DataFrame
    analysis: Analysis
    analyse: Callable[[AnalysisSettings], Analysis]
    language: str | None = None
    spans: pl.DataFrame | None = None
    texts: pl.DataFrame | None = None

    @property
    def marked(self) -> pl.DataFrame:
        """The marked errors of everyone; NotEnoughData where there are none."""
        if self.spans is None:
            raise NotEnoughData("This needs marked errors, and these judgements have none.")
        return self.spans

    @property
    def kept_spans(self) -> pl.DataFrame:
        """The marked errors in HITs whose judgements the scores rest on."""
        of_a_hit = ["worker_id", "hit_id"]
        hits = self.judged.filter(self.keeps).select(of_a_hit).unique()
        return self.marked.join(hits, on=of_a_hit, how="semi", maintain_order="left")

    @property
    def frame(self) -> pl.DataFrame:
        """The ratings; NotEnoughData where there are only preferences."""
        if "preference" in self.judged.columns:
            raise NotEnoughData("This needs ratings, and these judgements are preferences.")
        return self.judged

    @property
    def kept(self) -> pl.DataFrame:
        """The ratings that the scores rest on."""
        return self.frame.filter(self.keeps)


@dataclass(frozen=True, slots=True)
class ExhibitOptions:
    """Choices that some exhibits leave to their reader."""

    # A rating on a line is given to the point, so there cannot be more than a hundred categories.
    categories: tuple[int, ...] = option(
        (5, 4, 2), help="Numbers of categories for agreement.", metavar="N,…", minimum=2, maximum=100
    )
    chance: Chance = option("uniform", help="What agreement by chance is taken to be.")
    weight: PairWeight = option("pair", help="What counts once in agreement between workers.")
    worker: str | None = option(None, help="The worker to show, in exhibits of one worker.")
    draws: int = 1000
    seed: int = 7
    segment: str | None = option(None, help="The segment to show, in exhibits of one segment.")
    system: str | None = option(None, help="The system to show, in exhibits of one translation.")
    methods: tuple[str, ...] = option(
        (),
        help="Methods to compare, in exhibits that compare them.",
        metavar="NAME,…",
        usual="up to the exhibit",
    )
    cells: tuple[tuple[Cell, tuple[str, ...]], ...] = ()
    """The systems that make up each cell of a comparison of years; empty: their names say."""
    cell_metrics: tuple[CellMetric, ...] = ()
    """Scores by metrics to show beside people's in a comparison of years."""
    split: bool = option(
        False, help="Split each source by workers instead of comparing two, in exhibits of replication."
    )
    target_sd: float | None = option(
        None,
        help="Standard deviation up to which a translation's score is precise enough (exhibit stopping).",
        usual="that of a predicted correlation of 0.9",
        minimum=0,
    )

    def __post_init__(self) -> None:
        require_known_values(self)
        if not self.categories:
            raise ChoiceError("Give at least one number of {categories}, such as 5.")
