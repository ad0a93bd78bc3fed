"""One translation with everybody's marks above each other."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import ChoiceError
from steelyard.domain.exhibit import Axis, Column, Evidence, ExhibitOptions, Figure, Panel
from steelyard.domain.plugin import Exhibit
from steelyard.domain.wording import counted, listed
from steelyard.exhibits._passages import KEYS, passage_of_readings, readings_of, target_texts
from steelyard.exhibits._sources import table_of, title_of

_COLUMNS = (
    Column("worker_id", "Worker"),
    Column("start", "From"),
    Column("end", "To"),
    Column("severity", "Severity"),
    Column("category", "Category"),
    Column("marked", "Text"),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """One translation, shaded by how many marked each part, with every worker's marks in a lane below.

    The segment and the system are those asked for; else the translation that most workers judged, and of
    these the one with most marks. Everyone is shown, whatever a check found. A number behind a worker's name
    counts marks without a place in the translation: something missing, or an error of the source
    [Kocmi2024].
    """
    source = evidence[0]
    texts = target_texts(source)
    spans = source.marked.filter(pl.col("item_kind").is_in(["regular", "repeat"])).cast(
        dict.fromkeys((*KEYS, "worker_id"), pl.String)
    )
    system, segment = _chosen(spans, texts, options)
    of_text = spans.filter(system_id=system, segment_id=segment)
    text = texts[system, segment]
    readings = readings_of(of_text, length=len(text))
    passage = passage_of_readings(text, readings, with_lanes=True)
    marked = [
        text[start:end] if side == "target" and start is not None else None
        for start, end, side in of_text.select("start", "end", "side").iter_rows()
    ]
    order = ("worker_id", "start", "end", "severity", "category")
    rows = of_text.with_columns(pl.Series("marked", marked, pl.String)).sort(order, nulls_last=True)
    table = table_of(FIGURE, evidence, _COLUMNS, rows, notes=("A row without severity: no error.",))
    elsewhere = any(reading.n_elsewhere for reading in readings)
    noted = " Behind a name: how many more concern something missing, or the source."
    further = noted if elsewhere else ""
    return Figure(
        FIGURE.name,
        f"{title_of(FIGURE, evidence)}, {system}, segment {segment}",
        f"What {counted(len(readings), 'worker')} marked in the translation of segment {segment} by "
        f"{system}, each in a lane of their own; the text is shaded by how many marked it.{further}",
        (Panel(x=Axis(""), y=Axis(""), marks=(passage,)),),
        table,
        table.signature,
    )


def _chosen(
    spans: pl.DataFrame, texts: dict[tuple[str, str], str], options: ExhibitOptions
) -> tuple[str, str]:
    """The translation asked for, or the most interesting of those that fit."""
    known = pl.DataFrame(list(texts), schema=dict.fromkeys(KEYS, pl.String), orient="row")
    found = (
        spans.join(known, on=KEYS, how="semi")
        .group_by(KEYS)
        .agg(n_workers=pl.col("worker_id").n_unique(), n_marks=pl.col("severity").count())
        .sort(-pl.col("n_workers").cast(pl.Int64), -pl.col("n_marks").cast(pl.Int64), *KEYS)
    )
    for name, column in (("segment", "segment_id"), ("system", "system_id")):
        wanted = getattr(options, name)
        if wanted is None:
            continue
        fitting = found.filter(pl.col(column) == wanted)
        if fitting.is_empty():
            some = listed(sorted(set(found[column])), most=8)
            raise ChoiceError(f"No translation with marks is of the {name} {wanted!r}. There are: {some}.")
        found = fitting
    if found.is_empty():
        raise ChoiceError("No judged translation has a known text.")
    system, segment = found.select(KEYS).row(0)
    return system, segment


FIGURE = Exhibit(
    name="marks",
    title="Marks of all workers",
    cite=("Kocmi2024",),
    make=make,
    of_everyone=True,
    of_spans=True,
)
