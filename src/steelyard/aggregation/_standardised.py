"""Ratings standardised by worker, as the settings of a method say."""

from __future__ import annotations

import polars as pl

from steelyard.domain.result import MethodSettings
from steelyard.frames import standardise_ratings


def with_z(frame: pl.DataFrame, settings: MethodSettings) -> pl.DataFrame:
    """What scores need of the frame, with `value` (z, null if none), `defines_worker`, `n_defining`.

    A worker's mean and deviation are taken over the rows that `standardise_over` says, for all
    attributes together or each alone; `n_defining` is how many these are.
    """
    found = standardise_ratings(frame, settings)
    return frame.select(
        *("worker_id", "hit_id", "system_id", "document_id", "segment_id", "attribute", "item_kind"),
        *("credited", "rating"),
        pl.Series("defines_worker", found.defines_worker),
        pl.Series("value", found.z).fill_nan(None),
        pl.Series("n_defining", found.n_defining),
    )
