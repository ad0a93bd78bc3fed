"""Which document each judgement is of: the unit, beside the worker, that inference rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from steelyard.frames import index_of
from steelyard.stats.arrays import IntArray
from steelyard.stats.connectivity import block_of_left


class Documents(NamedTuple):
    """The documents that rows belong to: `number` (rows,) counts them from 0.

    `known`: whether any of them has several segments. If not, each segment stands for itself.
    """

    number: IntArray
    known: bool


def documents_of(frame: pl.DataFrame) -> Documents:
    """The document of each row: segments that were ever shown in one document belong together.

    Files may give every system's copy of a document an id of its own, or leave the id out in some rows; the
    segments that rows share tell which ids mean the same document.
    """
    segments, segment = index_of(frame["segment_id"])
    with_id = frame["document_id"].is_not_null().to_numpy()
    if not with_id.any():
        return Documents(segment, known=False)
    _, document = index_of(frame.filter(pl.Series(with_id))["document_id"])
    alone = np.arange(len(segments))
    # Every segment is tied to a document of its own too, so that those without an id count as one each.
    ends = np.concatenate([segment[with_id], alone]), np.concatenate([document + len(segments), alone])
    block = block_of_left(*ends)
    return Documents(block[segment], known=int(block.max()) + 1 < len(segments))


def segment_documents(frame: pl.DataFrame, segments: Sequence[str]) -> Documents:
    """The document of each of these segments of a frame, counted from 0; see `documents_of`.

    Where all are of one document, of which nothing could be learnt about others, each stands for itself.
    """
    names, place = index_of(frame["segment_id"])
    number = np.empty(len(names), dtype=np.int64)
    number[place] = documents_of(frame).number
    at = {name: k for k, name in enumerate(names)}
    used, document = np.unique(number[[at[name] for name in segments]], return_inverse=True)
    if len(used) in (1, len(segments)):
        return Documents(np.arange(len(segments)), known=False)
    return Documents(document.astype(np.int64), known=True)
