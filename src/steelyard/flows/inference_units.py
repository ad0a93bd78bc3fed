"""Warnings about the units of inference: too few of them, or documents that are there but not named."""

from __future__ import annotations

import polars as pl

from steelyard.domain.result import InferenceUnits
from steelyard.domain.wording import counted
from steelyard.domain.work import ItemKind

# With fewer clusters than this in a dimension, clustered errors are rough [our choice].
ENOUGH_CLUSTERS = 8
# How many HITs are looked at, and how many neighbours in them are enough to see an order [our choices].
_HITS_SEEN, _ENOUGH_NEIGHBOURS = 300, 20


def few_clusters(units: InferenceUnits | None, *, too_narrow: bool) -> tuple[str, ...]:
    """A warning where a test rests on few workers or few documents, with its degrees of freedom.

    `too_narrow`: whether intervals, which come from resampling, do not allow for so few. Of a single worker
    or document nothing is tested, which another warning says.
    """
    if units is None or min(units.workers, units.documents) < 2:
        return ()
    thing = "document" if units.documents_known else "segment"
    found = ((units.workers, "worker"), (units.documents, thing))
    few = [counted(n, name) for n, name in found if n < ENOUGH_CLUSTERS]
    wanted = [f"at least {ENOUGH_CLUSTERS} {name}s" for n, name in found if n < ENOUGH_CLUSTERS]
    if not few:
        return ()
    df = min(units.workers, units.documents) - 1
    intervals = ", and the intervals are too narrow" if too_narrow else ""
    return (
        f"The scores rest on {' and '.join(few)}: with {counted(df, 'degree')} of freedom only large "
        f"differences are significant, p-values are rough{intervals}. Collect judgements from "
        f"{' and '.join(wanted)}.",
    )


def hidden_documents(units: InferenceUnits | None, frame: pl.DataFrame) -> tuple[str, ...]:
    """A warning where no documents are named, and HITs show that there are some.

    They do if most regular items follow the segment before theirs, of the same system, in the same HIT.
    """
    if units is None or units.documents_known or "system_id" not in frame.columns or not _is_in_order(frame):
        return ()
    return (
        "No documents are named, yet most HITs show a system's segments one after another, like documents. "
        "Segments of one document are alike: counted as independent, they make intervals too narrow and too "
        "many differences significant (5 to 7 % of pairs of equal systems in published WMT campaigns at "
        "p < 0.05, one-sided, instead of 4 to 5.5 %). Give the file a column document.",
    )


def _is_in_order(frame: pl.DataFrame) -> bool:
    """Whether most neighbours within HITs are consecutive segments of one system."""
    regular = frame.filter(pl.col("item_kind") == str(ItemKind.REGULAR))
    hits = regular["hit_id"].unique(maintain_order=True).head(_HITS_SEEN)
    of_hit = ["worker_id", "hit_id"]
    shown = (
        regular.filter(pl.col("hit_id").is_in(hits.implode()))
        .select(*of_hit, "position", "system_id", pl.col("segment_id").cast(pl.String))
        .unique([*of_hit, "position", "system_id", "segment_id"], maintain_order=True)
        .sort(*of_hit, "position", maintain_order=True)
        .with_columns(
            stem=pl.col("segment_id").str.replace(r"\d+$", ""),
            number=pl.col("segment_id").str.extract(r"(\d{1,15})$").cast(pl.Int64),
        )
    )
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift() for name in (*of_hit, "system_id", "stem"))
    neighbours, follow = shown.select(
        neighbours=pl.all_horizontal(pl.col(name) == pl.col(name).shift() for name in of_hit).sum(),
        follow=(same & (pl.col("number") == pl.col("number").shift() + 1)).sum(),
    ).row(0)
    return bool(neighbours >= _ENOUGH_NEIGHBOURS and 2 * follow > neighbours)
