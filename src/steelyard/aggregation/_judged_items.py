"""Shared by the worker models: ratings as numbered items and workers, and where each item comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from steelyard.documents import documents_of
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.options import option
from steelyard.domain.result import MethodSettings
from steelyard.domain.work import KNOWN_KINDS, ItemKind
from steelyard.frames import as_categories, index_of, spread_credit
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.connectivity import number_of_blocks
from steelyard.stats.worker_model.effects import ItemOrigin

OffsetPer = Literal["usual", "worker", "system", "hit"]
# Kinds of texts: a repeat is the text that it repeats.
_IS_KNOWN = pl.col("item_kind").is_in([str(kind) for kind in KNOWN_KINDS])
_KINDS = (
    *(ItemKind.REGULAR, ItemKind.DEGRADED, ItemKind.REFERENCE, ItemKind.GOLD, ItemKind.CALIBRATION),
    ItemKind.REPEAT,
)
# Segments have their own effect only if this many translations of each were judged [our choice].
_TEXTS_PER_SEGMENT = 1.5
# From this many texts on, a worker's offset for one system can be separated from their quality [our choice].
_TEXTS_PER_SYSTEM = 2.0


@dataclass(frozen=True, slots=True)
class WorkerModelSettings(MethodSettings):
    """Choices of every worker model."""

    offset_per: OffsetPer = option(
        "usual",
        help="What shares an offset: all ratings of a worker, those of one system, or those in one HIT.",
        signature="offset",
        usual="what the ratings support",
    )


@dataclass(frozen=True)
class JudgedItems:
    """Ratings in points, each with the numbers of its item, worker and document.

    `part`: what shares an offset, or None for all ratings of a worker. `cells`: system_id, segment_id,
    attribute, item: which item counts for which systems, in order. `known` and `known_sd`: of each item,
    what an earlier campaign says of it; NaN where nothing. `documents_known`: see `Documents`.
    """

    item: IntArray
    worker: IntArray
    rating: FloatArray
    document: IntArray
    documents_known: bool
    part: IntArray | None
    origin: ItemOrigin
    workers: list[str]
    systems: list[str]
    attributes: list[str]
    cells: pl.DataFrame
    known: FloatArray
    known_sd: FloatArray
    degraded: IntArray
    """Pairs (n, 2) of a regular item and its degraded copy."""
    repeated: IntArray
    """Pairs (n, 2) of a regular item and its repeat, where these are kept apart."""

    @property
    def n_items(self) -> int:
        """How many texts were judged, counted by attribute."""
        return len(self.origin.kind)

    @property
    def group(self) -> IntArray:
        """Of each item the number of what it is of: kind, system and attribute."""
        origin = self.origin
        return (
            origin.kind * (origin.n_systems + 1) + origin.system + 1
        ) * origin.n_criteria + origin.criterion

    @property
    def n_workers(self) -> int:
        """How many workers judged them."""
        return len(self.workers)


def judged_items(
    frame: pl.DataFrame, *, method: str, offset_per: OffsetPer, repeats_apart: bool = False
) -> JudgedItems:
    """The ratings of a frame by item: each distinct text in each attribute.

    Regular and repeat ratings of one system's segment are of one text, unless `repeats_apart`; its degraded
    copy is another; the reference of a segment is one text, as whichever system it was shown. Degraded copies
    and references inform about workers, not about systems. Raises NotEnoughData if no system was judged.
    """
    kept = _named(frame)
    kind = _kind_of(kept["item_kind"])
    if repeats_apart:
        kind = np.where(
            (kept["item_kind"] == str(ItemKind.REPEAT)).to_numpy(), _KINDS.index(ItemKind.REPEAT), kind
        )
    regular = kind == 0
    if not regular.any():
        raise NotEnoughData(
            f"{method}: there is no rating of a regular or repeat item, so no system can be scored. "
            "Wait for judgements, or check the kinds in the file: controls alone score nobody."
        )
    workers, worker = index_of(kept["worker_id"])
    attributes, attribute = index_of(kept["attribute"])
    segments, segment = index_of(kept["segment_id"])
    named, system = index_of(kept["system_id"])
    shown = np.where(kind == _KINDS.index(ItemKind.REFERENCE), 0, system)
    size = len(named) * len(segments) * len(attributes)
    key = kind * size + (shown * len(segments) + segment) * len(attributes) + attribute
    _, first, item = np.unique(key, return_index=True, return_inverse=True)
    cells = _cells(kept.with_columns(pl.Series("item", item)).filter(pl.Series(regular)))
    scored = np.isin(np.array(named, dtype=object), kept.filter(pl.Series(regular))["system_id"].unique())
    number = np.where(scored, np.cumsum(scored) - 1, -1)
    of_item = np.where(kind[first] == 0, number[system[first]], -1)
    n_systems = int(scored.sum()) if scored.sum() > 1 else 0
    n_texts = len(np.unique(key[regular] // len(attributes)))
    by_segment = n_texts >= _TEXTS_PER_SEGMENT * len(np.unique(segment[regular]))
    known = kept.select(pl.col("known", "known_sd").fill_null(float("nan"))).to_numpy()[first]
    documents = documents_of(frame)
    return JudgedItems(
        item=item.astype(np.int64),
        worker=worker,
        rating=kept["rating"].to_numpy(),
        document=documents.number,
        documents_known=documents.known,
        part=_parts(kept, worker, np.where(regular, number[system], -1), key // len(attributes), offset_per),
        origin=ItemOrigin(
            kind=_renumbered(kind[first]),
            system=of_item if n_systems else np.full(len(first), -1),
            segment=segment[first] if by_segment else np.full(len(first), -1),
            criterion=attribute[first],
            n_kinds=len(np.unique(kind)),
            n_systems=n_systems,
            n_segments=len(segments) if by_segment else 0,
            n_criteria=len(attributes),
        ),
        workers=workers,
        systems=cells["system_id"].unique().cast(pl.String).sort().to_list(),
        attributes=attributes,
        cells=cells,
        known=known[:, 0],
        known_sd=known[:, 1],
        degraded=_pairs(key[first], kind[first], ItemKind.DEGRADED, size=size),
        repeated=_pairs(key[first], kind[first], ItemKind.REPEAT, size=size),
    )


def has_known_items(frame: pl.DataFrame) -> bool:
    """Whether there are gold or calibration items whose quality the models may start from."""
    return bool(frame.select((_IS_KNOWN & pl.col("known").is_not_null()).any()).item())


def odd_shapes(items: JudgedItems) -> tuple[str, ...]:
    """Warnings where ratings are too few or too far apart to separate workers from what they judged."""
    found = []
    blocks = number_of_blocks(items.worker, items.item)
    regular = items.origin.kind[items.item] == 0
    per_item = np.bincount(items.item[regular], minlength=items.n_items)[items.origin.kind == 0]
    alone = float((per_item == 1).mean())
    if alone > 0.5:
        found.append(
            f"{alone:.0%} of the judged translations have one rating only: nobody knows who is right, "
            "so the model leans on controls and on systems as a whole; scores of single segments say little."
        )
    if blocks > 1 and items.n_workers > 1:
        through = (
            "only the systems they have in common compare them"
            if items.origin.n_systems
            else ("a harsh group looks like poor texts")
        )
        found.append(f"The workers fall into {blocks} groups that share no judged text: {through}.")
    return tuple(found)


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    """What is needed of the frame, with names as ordered categories, those of credited systems included."""
    kept = frame.select(
        *("worker_id", "hit_id", "system_id", "segment_id", "attribute", "item_kind", "rating"),
        "credited",
        # What an expert says of a translation that is judged like any other is for comparing only.
        *(pl.when(_IS_KNOWN).then(pl.col(name)).alias(name) for name in ("known", "known_sd")),
    )
    if not isinstance(kept["system_id"].dtype, pl.Enum):
        names = pl.concat([kept["system_id"].unique(), kept["credited"].drop_nulls().explode().unique()])
        systems = pl.Enum(names.drop_nulls().unique().sort())
        kept = kept.with_columns(pl.col("system_id").cast(systems), pl.col("credited").cast(pl.List(systems)))
    return kept.with_columns(as_categories(kept[name]) for name in ("worker_id", "segment_id", "attribute"))


def _pairs(key: IntArray, kind: IntArray, control: ItemKind, *, size: int) -> IntArray:
    """The items of regular texts beside those of their controls; `key` is in order."""
    of_control = np.flatnonzero(kind == _KINDS.index(control))
    base = key[of_control] - _KINDS.index(control) * size
    place = np.searchsorted(key, base).clip(max=len(key) - 1)
    found = key[place] == base
    return np.stack([place[found], of_control[found]], axis=1)


def _kind_of(column: pl.Series) -> IntArray:
    places = {str(kind): place for place, kind in enumerate(_KINDS)} | {str(ItemKind.REPEAT): 0}
    codes: IntArray = (
        column.cast(pl.String).replace_strict(places, return_dtype=pl.Int64).to_numpy().astype(np.int64)
    )
    return codes


def _renumbered(kind: IntArray) -> IntArray:
    """Kinds by place among those that occur; regular ones stay 0."""
    _, place = np.unique(kind, return_inverse=True)
    return place.astype(np.int64)


def _cells(rows: pl.DataFrame) -> pl.DataFrame:
    """Which item counts for which system's segment: one of several, if several of its texts are alike."""
    return (
        spread_credit(
            rows.select("system_id", "segment_id", "attribute", "item", "credited").unique(
                ["system_id", "segment_id", "attribute", "item"], maintain_order=True
            )
        )
        .select("system_id", "segment_id", "attribute", "item")
        .unique(maintain_order=True)
        .sort("system_id", "segment_id", "attribute", "item")
    )


def _parts(
    rows: pl.DataFrame, worker: IntArray, system: IntArray, text: IntArray, offset_per: OffsetPer
) -> IntArray | None:
    """The number of what shares an offset with each rating; None: all ratings of a worker do.

    As usual, an offset for each system, as people find one system's style better than others do; unless
    workers saw too few texts of any.
    """
    if offset_per == "worker":
        return None
    if offset_per == "hit":
        hits, hit = index_of(rows["hit_id"])
        return _numbered(worker * len(hits) + hit)
    n_systems = int(system.max()) + 1
    if n_systems < 2:
        return None
    # Controls share one offset beside those of the systems.
    part = worker * (n_systems + 1) + np.where(system >= 0, system, n_systems)
    regular = system >= 0
    texts = _numbered(text[regular])
    n_texts = len(np.unique(part[regular] * (int(texts.max()) + 1) + texts))
    if offset_per == "usual" and n_texts < _TEXTS_PER_SYSTEM * len(np.unique(part[regular])):
        return None
    return _numbered(part)


def _numbered(key: IntArray) -> IntArray:
    _, number = np.unique(key, return_inverse=True)
    return number.astype(np.int64)
