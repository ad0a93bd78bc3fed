"""Ratings from marked errors: what the errors of a translation cost together, as a number below 0."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.judgement import FRAME_NAMES, FrameName
from steelyard.domain.scale import Scale
from steelyard.domain.span_weights import WORST_ERROR, SpanWeights
from steelyard.frames import ratings_frame

# What rows of one judged translation share; `judgement_id` may be unknown.
_JUDGED = (
    *(
        "judgement_id",
        "worker_id",
        "assignment_id",
        "hit_id",
        "item_id",
        "item_kind",
        "document_id",
        "domain",
    ),
    *("segment_id", "is_automated", "is_filler", "system_id", "attribute", "position"),
)


def is_of_spans(frame: pl.DataFrame) -> bool:
    """Whether a frame is one of marked errors rather than of ratings or preferences."""
    return "severity" in frame.columns


def judged_translations(spans: pl.DataFrame) -> pl.DataFrame:
    """The judged translations of a spans frame, one row each, in order of their first rows.

    What describes a judgement, and lists of its marks: `starts`, `ends` (null in both: something is missing),
    `severities`, `sides` and `marked_after` (seconds). A translation without error has empty lists.
    """
    said = pl.col("severity").is_not_null()
    marks = {"start": "starts", "end": "ends", "severity": "severities", "side": "sides"}
    return spans.group_by(_JUDGED, maintain_order=True).agg(
        pl.col("seconds").max(),
        pl.col("submitted_at").max(),
        pl.col("credited").first(),
        pl.col("injected_start", "injected_end").first(),
        *(pl.col(name).filter(said).alias(many) for name, many in marks.items()),
        pl.col("marked_seconds").filter(said).alias("marked_after"),
    )


def span_ratings(spans: pl.DataFrame, weights: SpanWeights) -> pl.DataFrame:
    """The ratings frame of a spans frame: for each judged translation, minus the weights of its errors.

    A translation without error has 0. Errors in the source count as well where their weights say so.
    """
    kinds = spans.select("severity", "category").unique().drop_nulls("severity")
    cost = [
        weights.weigh(severity.lower(), category or "")
        for severity, category in kinds.select("severity", "category").iter_rows()
    ]
    priced = spans.join(
        kinds.with_columns(pl.Series("cost", cost, pl.Float64)),
        on=["severity", "category"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    rated = priced.group_by(_JUDGED, maintain_order=True).agg(
        # No error at all gives 0, not -0.
        rating=pl.when(pl.col("cost").sum() > 0).then(-pl.col("cost").sum()).otherwise(0.0),
        seconds=pl.col("seconds").max(),
        submitted_at=pl.col("submitted_at").max(),
        credited=pl.col("credited").first(),
    )
    return ratings_frame(rated)


def span_scale(ratings: pl.DataFrame) -> Scale:
    """The scale of such ratings: down to the worst error there is, or the worst rating if lower."""
    lowest = ratings["rating"].min() if len(ratings) else None
    return Scale(min(-WORST_ERROR, lowest) if isinstance(lowest, float) else -WORST_ERROR, 0.0)


def analysed_as(gives: Sequence[FrameName]) -> tuple[FrameName, ...]:
    """The frames that judgements of these can be analysed from: marked errors make ratings too.

    >>> analysed_as(["spans"]), analysed_as(["ratings", "spans"])
    (('ratings', 'spans'), ('ratings', 'spans'))
    """
    return tuple(name for name in FRAME_NAMES if name in gives or (name == "ratings" and "spans" in gives))
