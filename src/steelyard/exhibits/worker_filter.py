"""How strong each check filters, and what it does to the consistency of ratings."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.agreement.differences import distinct_differences, repeat_differences
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.work import ItemKind
from steelyard.exhibits._sources import checked_ratings, share, table_of
from steelyard.qc import checks, checks_of

_COLUMNS = (
    Column("filter", "Filter"),
    Column("n_workers", "Workers"),
    Column("worker_share", "Workers, %", 1, per_cent=True),
    Column("insufficient_workers", "Too few pairs"),
    Column("n_judgements", "Judgements"),
    Column("judgement_share", "Judgements, %", 1, per_cent=True),
    Column("same_mean", "Same worker, mean", 1),
    Column("same_sd", "sd", 1),
    Column("same_pairs", "Pairs"),
    Column("distinct_mean", "Distinct workers, mean", 1),
    Column("distinct_sd", "sd", 1),
    Column("distinct_pairs", "Pairs"),
)
_Row = tuple[str | int | float | None, ...]
_UNFILTERED = "unfiltered"
# As in the paper; ours follow.
_FIRST = ("welch", "mann-whitney")


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """How much each check keeps, and how far ratings of the same text then lie apart.

    The layout of [Graham2013, table 1], with a row for every check there is. "Same worker" is the
    difference between a worker's two ratings of a repeated text, "distinct workers" that between the
    first ratings of any two workers of such a text, both as magnitudes in points. A filter is good if it
    makes the first small while it keeps many workers. Checks are run at the threshold, with the least
    number of pairs and on the attributes of the analysis; single HITs that it leaves out stay in here,
    and consistency is not asked for. Do not choose a check by its share alone: a stricter one may just
    have less power.
    """
    source = evidence[0]
    if not (source.frame["item_kind"] == str(ItemKind.DEGRADED)).any():
        raise NotEnoughData("No degraded copy was judged, so no check can distinguish workers.")
    rows = [_row(_UNFILTERED, source.frame, whole=source.frame)]
    rows += [_filtered(source, name) for name in _in_order()]
    table = pl.DataFrame(rows, schema={column.name: _type(column) for column in _COLUMNS}, orient="row")
    return table_of(TABLE, evidence, _COLUMNS, table, notes=_notes(table), borders=(1,))


def _in_order() -> list[str]:
    found = checks_of("ratings")
    return [*(name for name in _FIRST if name in found), *(name for name in found if name not in _FIRST)]


def _filtered(source: Evidence, check: str) -> _Row:
    """What a check leaves."""
    known = checks()[check]
    settings = known.own_settings(source.analysis.settings.check_settings)
    verdicts = known.run(checked_ratings(source), settings)
    passed = [verdict.worker_id for verdict in verdicts if verdict.verdict == "pass"]
    tested = sum(verdict.verdict != "insufficient" for verdict in verdicts)
    kept = source.frame.filter(pl.col("worker_id").is_in(passed))
    return _row(check, kept, whole=source.frame, n_tested=tested)


def _row(name: str, kept: pl.DataFrame, *, whole: pl.DataFrame, n_tested: int | None = None) -> _Row:
    n_workers, n_all = kept["worker_id"].n_unique(), whole["worker_id"].n_unique()
    same, distinct = repeat_differences(kept), distinct_differences(kept)
    return (
        name,
        n_workers,
        share(n_workers, n_all),
        None if n_tested is None else n_all - n_tested,
        len(kept),
        share(len(kept), len(whole)),
        *(same.mean, same.sd, same.n),
        *(distinct.mean, distinct.sd, distinct.n),
    )


def _type(column: Column) -> type[pl.DataType]:
    if column.name == "filter":
        return pl.String
    return pl.Float64 if column.digits else pl.Int64


def _notes(table: pl.DataFrame) -> tuple[str, ...]:
    notes = ["Workers with too few pairs for a check are not kept by it."]
    if not table["same_pairs"][0]:
        notes.append("There are no repeats, which welch and mann-whitney need to judge anyone.")
    return tuple(notes)


TABLE = Exhibit(name="worker-filter", title="Filters of workers", cite=("Graham2013",), make=make)
