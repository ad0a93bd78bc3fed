"""Judgements as files are written: the columns of a frame in their order, and what lies beside them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

import polars as pl

from steelyard.domain.judgement import FrameName
from steelyard.formats._judgement_columns import HANDLING, MARKING
from steelyard.formats.table_file import write_table
from steelyard.frames import spread_credit

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".tsv.gz", ".jsonl.gz")
# What an export may write beside the ratings.
NEIGHBOURS: tuple[FrameName, ...] = ("preferences", "spans")
# By frame, its columns in the order written, under the names they have in a file.
_JUDGED = {
    "item_kind": "kind",
    "hit_id": "hit",
    "position": "position",
    "document_id": "document",
    "attribute": "attribute",
    "seconds": "seconds",
    "submitted_at": "submitted_at",
    "judgement_id": "judgement_id",
}
_WORKER, _SEGMENT, _SYSTEM = {"worker_id": "worker"}, {"segment_id": "segment"}, {"system_id": "system"}
_COMPARED = ("system_a", "system_b", "preference")
_MARKED = ("start", "end", "severity", "category", "side")
_WRITTEN: dict[FrameName, dict[str, str]] = {
    "ratings": {**_WORKER, **_SEGMENT, "rating": "rating", **_SYSTEM, **_JUDGED},
    "preferences": {**_WORKER, **_SEGMENT, **{name: name for name in _COMPARED}, **_JUDGED},
    "spans": {**_WORKER, **_SYSTEM, **_SEGMENT, **{name: name for name in _MARKED}, **_JUDGED},
}
# What people decided about judgements, whose were made up, which words their workers saw, and how they came
# about.
_MARKS = ("excluded", "simulated", "revision", "filler", *HANDLING)
# Written only where some row has them.
_WRITTEN_IF_ANY: dict[FrameName, tuple[str, ...]] = {
    "ratings": ("domain", "known", "known_sd", *_MARKS, "joined"),
    "preferences": ("domain", "control_side", "credited_a", "credited_b", *_MARKS),
    "spans": ("domain", "credited", *MARKING, *_MARKS),
}


def neighbour(path: Path, frame: FrameName) -> Path:
    """Where an export to `path` writes preferences or spans.

    >>> str(neighbour(Path("news.csv.gz"), "spans"))
    'news.spans.csv.gz'
    """
    ending = next((each for each in reversed(ENDINGS) if path.name.lower().endswith(each)), path.suffix)
    stem = path.name[: len(path.name) - len(ending)]
    return path.with_name(f"{stem}.{frame}{path.name[len(stem) :]}")


def write_judgements(frame: pl.DataFrame, path: str | Path, *, name: FrameName = "ratings") -> None:
    """Write a frame of ratings, preferences or spans; reading the file back gives the same rows.

    A rating credited to several systems has a row for each, all with its judgement_id. Preferences and
    spans list those systems in a separate cell, as JSON. The frame may have the columns `excluded` (a
    person's reason), `simulated`, `revision` and `joined` beside its own: see `flows.export`.
    """
    path = Path(path)
    table = written_table(frame, name)
    write_table(table.select(as_written(table.columns, columns_with_cells(table, name), path)), path)


def written_table(frame: pl.DataFrame, name: FrameName) -> pl.DataFrame:
    """The rows of a frame under the names they have in a file, with every column that may be written."""
    if name == "ratings" and "credited" in frame.columns:
        frame = spread_credit(frame)
    some = [each for each in _WRITTEN_IF_ANY[name] if each in frame.columns]
    lists = [each for each in some if frame[each].dtype == pl.List]
    written = _WRITTEN[name].items()
    return frame.select(*(pl.col(ours).alias(theirs) for ours, theirs in written), *some).with_columns(
        pl.col(each).map_elements(lambda names: json.dumps(names.to_list()), pl.String)
        if frame[each].count()
        else pl.lit(None, pl.String).alias(each)
        for each in lists
    )


def columns_with_cells(table: pl.DataFrame, name: FrameName) -> set[str]:
    """The columns of a table to write: all that every file has, and of the others those with some cell."""
    others = {each for each in _WRITTEN_IF_ANY[name] if each in table.columns and not table[each].count()}
    return set(table.columns) - others


def as_written(columns: Sequence[str], wanted: Collection[str], path: Path) -> list[pl.Expr]:
    """The wanted columns in order, as the format of the file writes them."""
    time = pl.col("submitted_at")
    if path.suffix != ".parquet":
        time = time.dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ")
    return [time if each == "submitted_at" else pl.col(each) for each in columns if each in wanted]
