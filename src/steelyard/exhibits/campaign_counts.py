"""How large each campaign is."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.work import KNOWN_KINDS, ItemKind
from steelyard.exhibits._sources import share, table_of
from steelyard.frames import scored

_OF_KIND = {
    ItemKind.REGULAR: "Regular",
    ItemKind.REPEAT: "Repeat",
    ItemKind.DEGRADED: "Degraded",
    ItemKind.REFERENCE: "Reference",
}
_COLUMNS = (
    Column("source", "Source"),
    Column("n_systems", "Systems"),
    Column("n_segments", "Segments"),
    Column("n_translations", "Translations"),
    Column("n_hits", "HITs"),
    Column("n_workers", "Workers"),
    Column("n_judgements", "Judgements"),
    *(Column(f"n_{kind}", title) for kind, title in _OF_KIND.items()),
    Column("n_known", "Known"),
    Column("per_translation", "Per translation", 2),
    Column("least_per_translation", "Least"),
    Column("most_per_translation", "Most"),
    Column("kept_judgements", "Kept"),
    Column("kept_share", "Kept, %", 1, per_cent=True),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Systems, segments, translations, HITs, workers and judgements, one row per source.

    The sample behind a study of segment scores [Graham2015, table 1]. "Per translation" counts the
    ratings that belong to a system, regular and repeat, of everyone and in each attribute, over the
    translations that were judged at all; a text that several systems gave counts for each of them. What a
    person excluded is not counted.
    "Known" are gold and calibration items. Whether the ratings suffice for segment scores is better
    read from those of good workers alone: about 15 are needed.
    """
    rows = pl.concat([_row(source) for source in evidence])
    return table_of(TABLE, evidence, _COLUMNS, rows)


def _row(source: Evidence) -> pl.DataFrame:
    frame, counts = source.frame, source.analysis.counts
    of_systems = scored(frame)
    if of_systems.is_empty():
        raise NotEnoughData(f"{source.title}: no regular or repeat item was judged, so there is no sample.")
    per_translation = of_systems.group_by("system_id", "segment_id", "attribute").len()["len"]
    n_of_kind = dict(frame.group_by("item_kind").len().iter_rows())
    return pl.DataFrame(
        {
            "source": [source.title],
            "n_systems": [counts.systems],
            "n_segments": [of_systems["segment_id"].n_unique()],
            "n_translations": [of_systems.select("system_id", "segment_id").n_unique()],
            "n_hits": [frame["hit_id"].n_unique()],
            "n_workers": [frame["worker_id"].n_unique()],
            "n_judgements": [len(frame)],
            **{f"n_{kind}": [n_of_kind.get(str(kind), 0)] for kind in _OF_KIND},
            "n_known": [sum(n_of_kind.get(str(kind), 0) for kind in KNOWN_KINDS)],
            "per_translation": [per_translation.mean()],
            "least_per_translation": [per_translation.min()],
            "most_per_translation": [per_translation.max()],
            "kept_judgements": [counts.kept_judgements],
            "kept_share": [share(counts.kept_judgements, len(frame))],
        },
        schema_overrides={
            column.name: pl.String if column.name == "source" else pl.Float64 if column.digits else pl.Int64
            for column in _COLUMNS
        },
    )


TABLE = Exhibit(
    name="campaign-counts", title="Size of the campaign", cite=("Graham2015",), make=make, several=True
)
