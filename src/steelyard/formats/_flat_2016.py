"""Flat tables of the direct-assessment scripts, one row per rating, as WMT has released them.

ad-latest.csv holds all ratings, ad-good-raw.csv those of workers who passed; *-good-stnd.csv holds
standardised scores, from which the ratings are recovered (see `_standardised_2016`). In a file *-redup a
judgement of a text that several systems gave has a row for each of them: such rows share one judgement_id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.scale import Scale
from steelyard.domain.wording import Note, counted
from steelyard.formats._judgement_columns import DEFAULT_SCALE, as_text, named
from steelyard.formats._judgement_table import JudgementTable, with_languages_apart
from steelyard.formats._spaced import spaced_names
from steelyard.formats._standardised_2016 import (
    group_of,
    is_standardised,
    moments_for,
    ratings_from,
    unlike,
)
from steelyard.formats.hit_times_file import read_hit_times
from steelyard.formats.upload_2016 import ATTRIBUTE_NAMES
from steelyard.frames import hit_times_frame

# Our names for the columns of a flat table.
_NEEDED = {
    "worker": "WorkerId",
    "hit": "HITId",
    "system": "sys_id",
    "segment": "sid",
    "kind": "type",
    "rating": "score",
}
# Those it may lack; some releases put Input. before them. `key`: the scripts' name of an item or document.
_OPTIONAL = {"key": "rid", "hit_seconds": "time", "attribute": "item", "source": "src", "target": "trg"}
# R writes this where nothing is known; of the other columns it could be a name.
_UNKNOWN = "NA"
_MAY_BE_UNKNOWN = ("hit", "key", "hit_seconds")
# Rows that agree in these and in the rating are one judgement, if its key is known.
_OF_A_JUDGEMENT = ("hit", "worker", "key", "segment", "kind")
_ATTRIBUTES = {short: attribute for attribute, short in ATTRIBUTE_NAMES.items()}


def is_flat(columns: Sequence[str]) -> bool:
    """Whether these are the columns of a flat table."""
    return set(_NEEDED.values()) <= set(columns)


def is_spaced_flat(text: str) -> bool:
    """Whether this is a flat table with spaces or tabs in its header, whatever its name ends in."""
    return is_flat(spaced_names(text))


def from_flat(table: JudgementTable, path: Path | None, *, scale: Scale | None) -> JudgementTable:
    """The rows of a flat table under our names.

    `path` is where it was read from: beside it may lie what leads back from scores to ratings, and the
    times of its HITs.
    """
    found = {name.removeprefix("Input."): name for name in table.cells.columns}
    taken = {**_NEEDED, **{name: found[theirs] for name, theirs in _OPTIONAL.items() if theirs in found}}
    cells = pl.DataFrame([as_text(table.cells[column]).alias(name) for name, column in taken.items()])
    cells = cells.with_columns(
        pl.col(name).replace(_UNKNOWN, None) for name in _MAY_BE_UNKNOWN if name in taken
    )
    warnings = list(table.warnings)
    ignored = [name for name in table.cells.columns if name not in taken.values()]
    if ignored:
        warnings.append(Note(f"Ignored columns: {named(ignored)}."))
    cells = _with_shared_ids(cells)
    if path is not None and is_standardised(path.name, cells["rating"], scale or DEFAULT_SCALE):
        cells, noted = _with_ratings(cells, table, path)
        warnings += noted
    times = _times_beside(path, cells)
    if not times.is_empty():
        warnings.append(Note(f"Took the times of HITs from {_times_file(path)}."))
    cells, noted = with_languages_apart(_under_our_names(cells))
    return replace(table, cells=cells, warnings=(*warnings, *noted), hit_times=times)


def _with_shared_ids(cells: pl.DataFrame) -> pl.DataFrame:
    """Adds `judgement_id`: the same for rows of several systems that agree in all the rest, else none.

    A worker who saw the very same thing twice has each row twice: the first ones belong together.
    """
    nothing = cells.with_columns(pl.lit(None, pl.String).alias("judgement_id"))
    if "key" not in cells.columns:
        return nothing
    of_one = [*_OF_A_JUDGEMENT, "rating"]
    alike = cells.select(pl.struct(of_one).is_duplicated() & pl.col("key").is_not_null()).to_series()
    if not alike.any():
        return nothing
    time = pl.int_range(pl.len()).over(*of_one, "system").alias("time")
    rows = cells.with_row_index("row").filter(alike).with_columns(time)
    name = pl.concat_str(*of_one, "time", separator=":", ignore_nulls=True)
    several = pl.len().over(*of_one, "time") > 1
    ids = rows.select("row", pl.when(several).then(name).alias("judgement_id"))
    return cells.with_row_index("row").join(ids, on="row", how="left", maintain_order="left").drop("row")


def _with_ratings(cells: pl.DataFrame, table: JudgementTable, path: Path) -> tuple[pl.DataFrame, list[str]]:
    """The cells with ratings for scores, and what is to be said about that; SourceError if that fails."""
    group = _groups(cells, path)
    by_group = moments_for(path, group.unique(maintain_order=True).to_list())
    numbered = cells.with_row_index("row")
    problems: list[tuple[int, str]] = []
    parts, unusual = [], []
    files = {moments.name: moments for moments in by_group.values()}
    for name, moments in files.items():
        own = [key for key, used in by_group.items() if used.name == name]
        part = numbered.filter(group.is_in(own))
        ratings, wrong = ratings_from(part, moments)
        problems += [(part["row"][row], text) for row, text in wrong]
        parts.append(part.with_columns(ratings))
        once = pl.col("judgement_id").is_null() | pl.col("judgement_id").is_first_distinct()
        unusual += unlike(parts[-1].filter(once), moments)
    if problems:
        problems.sort()
        places = table.places([row for row, _ in problems])
        raise SourceError(
            str(path), [f"{place}: {text}." for place, (_, text) in zip(places, problems, strict=True)]
        )
    said = f"Recovered the raw ratings from standardised scores, with {named(sorted(files))}."
    warnings: list[str] = [Note(said)]
    if unusual:
        warnings.append(
            f"The ratings of {counted(len(unusual), 'worker')} ({named(unusual)}) have another mean "
            "or deviation than they were standardised with: the file lacks some of their ratings, or has "
            "some twice, and new standardised scores will differ from the published ones."
        )
    return pl.concat(parts).sort("row").drop("row"), warnings


def _groups(cells: pl.DataFrame, path: Path) -> pl.Series:
    """What the scripts call the part of a campaign that was standardised together: ad-csen."""
    if {"attribute", "source", "target"} <= set(cells.columns):
        parts = [pl.col(name).fill_null("") for name in ("attribute", "source", "target")]
        return cells.select(pl.format("{}-{}{}", *parts)).to_series()
    return pl.repeat(group_of(path.name), len(cells), eager=True)


def _times_file(path: Path | None) -> str:
    return f"{path.name.partition('-')[0]}-hit-time.csv" if path else ""


def _times_beside(path: Path | None, cells: pl.DataFrame) -> pl.DataFrame:
    """The times of all HITs of these workers, those of other language pairs too: they may overlap."""
    file = path.with_name(_times_file(path)) if path else None
    if file is None or not file.is_file() or cells["hit"].null_count() == len(cells):
        return hit_times_frame()
    times = read_hit_times(file)
    return times.filter(pl.col("worker_id").is_in(cells["worker"].unique().implode()))


def _under_our_names(cells: pl.DataFrame) -> pl.DataFrame:
    """The columns of a judgements file, and `languages`."""
    if "attribute" in cells.columns:
        cells = cells.with_columns(pl.col("attribute").replace(_ATTRIBUTES))
    if {"source", "target"} <= set(cells.columns):
        cells = cells.with_columns(pl.concat_str("source", "target", separator="-").alias("languages"))
    if cells["hit"].null_count() == len(cells) and "hit_seconds" in cells.columns:
        cells = cells.drop("hit_seconds")
    if "key" in cells.columns and _keys_are_documents(cells):
        cells = cells.with_columns(pl.col("key").alias("document"))
    return cells.drop("key", "source", "target", strict=False)


def _keys_are_documents(cells: pl.DataFrame) -> bool:
    """Whether a key stands for several segments of a HIT: then it is a document's, else an item's."""
    segments = cells.filter(pl.col("key").is_not_null()).unique(["hit", "worker", "key", "segment"])
    return bool(segments.select(pl.struct("hit", "worker", "key").is_duplicated().any()).item())
