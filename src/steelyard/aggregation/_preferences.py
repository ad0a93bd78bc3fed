"""Preferences as comparisons of systems: which count, for which systems, and how many were called bad."""

from __future__ import annotations

import polars as pl

from steelyard.aggregation._order import in_canonical_order
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.wording import counted
from steelyard.preferences import OUTCOMES, scored_preferences

# Above this share of ties, they are worth a warning [our choice].
_MOST_UNDECIDED = 0.5


def compared_preferences(frame: pl.DataFrame, *, method: str) -> pl.DataFrame:
    """The preferences between two systems with `outcome`; raises NotEnoughData if there are none.

    The outcome is 1 if the translation shown first was preferred, -1 if the other was, 0 for neither.
    """
    rows = scored_preferences(frame)
    if rows.is_empty():
        raise NotEnoughData(
            f"{method}: there is no preference between two systems in a regular or repeat item, so no system "
            "can be scored. Wait for judgements, or check the kinds in the file: controls alone score nobody."
        )
    outcome = pl.col("preference").cast(pl.String).replace_strict(OUTCOMES, return_dtype=pl.Int64)
    return rows.with_columns(outcome=outcome)


def judged_sides(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per preference and system in it, in canonical order, with the rating unknown."""
    sides = [
        rows.select(
            "worker_id",
            "segment_id",
            "attribute",
            system_id=f"system_{side}",
            rating=pl.lit(None, pl.Float64),
        )
        for side in ("a", "b")
    ]
    return in_canonical_order(pl.concat(sides))


def preference_workers(frame: pl.DataFrame) -> pl.DataFrame:
    """The workers in the columns of Fit.workers; nothing is known of their ratings."""
    unknown = ("mean", "sd", "offset", "slope", "precision", "weight")
    names = frame.select(pl.col("worker_id").cast(pl.String).unique().sort())
    return names.with_columns(pl.lit(None, pl.Float64).alias(name) for name in unknown)


def mostly_undecided(rows: pl.DataFrame) -> tuple[str, ...]:
    """A warning where most preferences are for neither, so that the scores rest on the few others."""
    share = (rows["outcome"] == 0).sum() / len(rows)
    if share <= _MOST_UNDECIDED:
        return ()
    return (
        f"Most preferences, {100 * share:.0f} % of {len(rows):,}, were for neither translation, so the "
        "scores rest on few decisions.",
    )


def undecided(rows: pl.DataFrame) -> tuple[str, ...]:
    """How many preferences were for neither, and which systems were called bad together with others.

    The model takes "both bad" for a tie: it says nothing about which is better. But how often it
    happens says how good the systems are, so each one's share is reported.
    """
    n, neither = len(rows), rows.filter(pl.col("outcome") == 0)
    if neither.is_empty():
        return ()
    bad = pl.col("preference").cast(pl.String) == "both_bad"
    found = (
        f"Of {counted(n, 'preference')}, {100 * len(neither) / n:.0f} % were for neither translation: they "
        "count as ties."
    )
    n_bad = len(rows.filter(bad))
    if not n_bad:
        return (found,)
    sides = pl.concat(rows.select(system=f"system_{side}", bad=bad) for side in ("a", "b"))
    shares = sides.group_by(pl.col("system").cast(pl.String)).agg(pl.col("bad").mean()).sort("system")
    listed = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.iter_rows())
    return (
        found,
        f"Both translations were called bad in {n_bad:,} of {n:,} comparisons. By system: {listed}.",
    )
