"""How much work was good, language by language."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._sources import passed, require_checked, share, table_of, was_checked

_COLUMNS = (
    Column("language", "Language"),
    Column("source", "Source"),
    Column("n_workers", "Workers"),
    Column("good_workers", "Good workers"),
    Column("good_share", "Good workers, %", 1, per_cent=True),
    Column("n_judgements", "Judgements"),
    Column("kept_judgements", "Kept"),
    Column("kept_share", "Kept, %", 1, per_cent=True),
)
_TYPES = (pl.String, pl.String, pl.Int64, pl.Int64, pl.Float64, pl.Int64, pl.Int64, pl.Float64)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """How many workers passed the check and how many judgements were kept, one row per source.

    With one source per target language this is the breakdown of [Graham2013, table 4], where French and
    Spanish had a good share six times that of English. Campaigns know their target language; judgements files
    do not. A worker is good who passed the check; kept are
    the judgements that the scores rest on. Not for comparing crowds that met different controls: fewer
    degraded pairs, or milder damage, let fewer honest workers pass. What a person excluded is not counted.
    """
    require_checked(evidence)
    rows = [_row(source) for source in evidence]
    schema = {column.name: dtype for column, dtype in zip(_COLUMNS, _TYPES, strict=True)}
    is_known = any(source.language for source in evidence)
    columns = _COLUMNS if is_known else _COLUMNS[1:]
    return table_of(TABLE, evidence, columns, pl.DataFrame(rows, schema=schema, orient="row"))


def _row(source: Evidence) -> tuple[str | int | float | None, ...]:
    judged, n_kept = source.judged, source.analysis.counts.kept_judgements
    workers = set(judged["worker_id"].cast(pl.String).unique())
    good = len(workers.intersection(passed(source.analysis))) if was_checked(source.analysis) else None
    return (
        source.language,
        source.title,
        len(workers),
        good,
        share(good, len(workers)),
        len(judged),
        n_kept,
        share(n_kept, len(judged)),
    )


TABLE = Exhibit(
    name="pass-by-language",
    title="Good workers and judgements",
    cite=("Graham2013",),
    make=make,
    several=True,
)
