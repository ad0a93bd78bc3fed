"""What a comparison of years amounts to, and what its readers should know beside the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from steelyard.domain.cells import CellMetric
from steelyard.domain.wording import counted
from steelyard.longitudinal.cells import CellRatings
from steelyard.longitudinal.naming import Naming
from steelyard.longitudinal.rows import ALL_PAIRS, F1, GainRow
from steelyard.longitudinal.uncertainty import cells_error, leverage

_SIGNIFICANT = 0.05
# With fewer workers or documents than this, an error rests on so few that readers should know.
_ENOUGH_UNITS = 8


def remarks_on(pair: str, naming: Naming, judged: Sequence[CellRatings]) -> list[str]:
    """Warnings about one source: systems in no cell or without ratings, few workers, ratings without z."""
    found = []
    if naming.unused:
        found.append(f"{pair}: these systems are in no cell and were left out: {', '.join(naming.unused)}.")
    names = [name for _, systems in naming.systems for name in systems]
    for ratings in judged:
        of = f"{pair}, {ratings.attribute}" if ratings.attribute else pair
        n_ratings = np.bincount(ratings.system, minlength=len(names))
        unjudged = [name for name, n in zip(names, n_ratings.tolist(), strict=True) if not n]
        if unjudged:
            found.append(
                f"{of}: no judgement of {', '.join(unjudged)} is kept; the cell is the others' alone."
            )
        found += _few_units(of, ratings)
        n_without = int(np.isnan(ratings.z).sum())
        if n_without:
            found.append(
                f"{of}: {n_without} of {len(ratings.z)} judgements could not be standardised, for their "
                "workers gave too few ratings or always the same one; they count on points only."
            )
    return found


def _few_units(of: str, ratings: CellRatings) -> list[str]:
    """A warning where workers or documents are too few to say much of others."""
    if min(ratings.units) >= _ENOUGH_UNITS:
        return []
    workers, documents = ratings.units
    df = cells_error([leverage(ratings.rating, ratings)]).df
    rests = f"{of}: the gain rests on {counted(workers, 'worker')} and {counted(documents, 'document')}"
    if np.isnan(df):
        return [f"{rests}, too few to say what others would have found: it has no interval and no stars."]
    return [
        f"{rests}, which leaves {counted(int(df), 'degree')} of freedom: its interval is wide, and the test "
        "finds only large differences."
    ]


def remarks_on_pairs(
    pairs: Sequence[str], rows: Sequence[GainRow], metrics: Sequence[CellMetric]
) -> list[str]:
    """Warnings about what some pairs have and others lack."""
    found = []
    unknown = sorted({metric.pair for metric in metrics} - set(pairs))
    if unknown:
        found.append(
            f"Metric scores of {', '.join(unknown)} were left out: no source is of that pair. There is: "
            f"{', '.join(pairs)}."
        )
    having: dict[str, set[str]] = {}
    for row in rows:
        if row.scale != "z" and row.pair in pairs and not np.isnan(row.cells).any():
            having.setdefault(row.measure, set()).add(row.pair)
    for measure, some in having.items():
        if measure != F1 and len(some) < len(pairs):
            found.append(
                f"{measure} is known of {len(some)} of {len(pairs)} language pairs, so its row over all "
                "pairs, if there is one, is of other pairs than the others'."
            )
    return found


def years_conclusion(rows: pl.DataFrame, *, level: float) -> str:
    """The gain on points in every attribute, over all pairs where there are several, and how sure it is."""
    points = rows.filter(pl.col("scale") == "points", pl.col("measure") != F1, pl.col("gain").is_not_null())
    n_pairs = points.filter(pl.col("pair") != ALL_PAIRS)["pair"].n_unique()
    if n_pairs > 1:
        # An attribute that a single pair has is not a finding over all.
        points = points.filter(pl.col("pair") == ALL_PAIRS)
    said = [_sentence(row, level=level, over=n_pairs) for row in points.iter_rows(named=True)]
    return (
        " ".join(said)
        or "No attribute was judged for more than one language pair, so look at each pair's gain."
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
    return f"the new test set is {_points(delta)} {which}{sure} for the same present-day system"


def _points(number: float) -> str:
    return f"{abs(number):.1f} points"


def _signed(number: float) -> str:
    return f"{number:.1f}".replace("-", "−")
