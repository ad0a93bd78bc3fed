"""What a comparison of years amounts to, in a sentence for each attribute."""

from __future__ import annotations

from typing import Any

import polars as pl

from steelyard.longitudinal.rows import ALL_PAIRS, F1

_SIGNIFICANT = 0.05


def conclusion(rows: pl.DataFrame, *, level: float) -> str:
    """The gain on points in every attribute, over all pairs where there are several, and how sure it is."""
    points = rows.filter(pl.col("scale") == "points", pl.col("measure") != F1, pl.col("gain").is_not_null())
    n_pairs = points.filter(pl.col("pair") != ALL_PAIRS)["pair"].n_unique()
    if n_pairs > 1:
        # An attribute that a single pair has is not a finding over all.
        points = points.filter(pl.col("pair") == ALL_PAIRS)
    said = [_sentence(row, level=level, over=n_pairs) for row in points.iter_rows(named=True)]
    return (
        " ".join(said) or "No attribute was judged for more than one language pair, so see each pair's gain."
    )


def _sentence(row: dict[str, Any], *, level: float, over: int) -> str:
    pairs = f" over {over} language pairs" if over > 1 else ""
    gained, lower, upper = row["gain"], row["lower"], row["upper"]
    verb = "gained" if gained >= 0 else "lost"
    said = f"In {row['measure']}, the best systems {verb} {_points(gained)}{pairs}"
    if lower is not None:
        said += f" ({100 * level:g} % interval of the gain {_signed(lower)} to {_signed(upper)})"
        if lower <= 0 <= upper:
            said += ", which may be chance"
    return f"{said}; {_difficulty(row['delta'], row['curr_p'])}."


def _difficulty(delta: float, p_value: float | None) -> str:
    which = "harder" if delta >= 0 else "easier"
    sure = " (not significantly)" if p_value is not None and p_value >= _SIGNIFICANT else ""
    return f"the new test set is {_points(delta)} {which}{sure} for one and the same present-day system"


def _points(number: float) -> str:
    return f"{abs(number):.1f} points"


def _signed(number: float) -> str:
    return f"{number:.1f}".replace("-", "−")
