"""What a study of replication amounts to, in a few sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from steelyard.domain.wording import counted, in_digits
from steelyard.evaluation.replication.fit import expected_r
from steelyard.evaluation.replication.settings import CollectionCounts, Requirement
from steelyard.planning.sample_size import reliability_of
from steelyard.stats.replication_rho import Rho

# Observed correlations this close to the expected ones follow them [our choice].
_CLOSE = 0.05
# Half of a 95 % interval in standard deviations, as that of rho is one of 95 %.
_QUANTILE = 1.96
# Beyond this, Fisher's z of a correlation has no end.
_HIGHEST_R = 1 - 1e-9


def replication_conclusion(
    rho: Rho, needed: Sequence[Requirement], rows: pl.DataFrame, counts: Sequence[CollectionCounts]
) -> str:
    """How reliable one rating is, how many it takes, what there is, and whether theory holds."""
    if math.isnan(rho.value):
        return "The reliability of one rating is unknown: no translation has good ratings by two workers."
    if rho.value <= 0:
        return (
            f"The reliability of one rating is {in_digits(rho.value, 2)}: workers agree on translations no "
            "more than by chance, so no number of ratings makes their mean reliable."
        )
    said = [f"One standardised rating has a reliability of {in_digits(rho.value, 2)}{_interval(rho)}."]
    said += [_taken(requirement) for requirement in needed]
    said.append(_there_is(rho, counts))
    said += _held(rows, rho, n_collections=len(counts))
    return " ".join(said)


def _interval(rho: Rho) -> str:
    return f" ({in_digits(rho.lower, 2)} to {in_digits(rho.upper, 2)})" if math.isfinite(rho.lower) else ""


def _taken(requirement: Requirement) -> str:
    if requirement.ratings is None:
        return f"Reaching {requirement.reliability:g} would take more ratings than anyone could pay for."
    taken = counted(requirement.ratings, "rating")
    said = f"A reliability of {requirement.reliability:g} takes {taken} per translation"
    if requirement.fewest is None:
        return f"{said}."
    if requirement.most is None:
        return f"{said} (95 % interval: {requirement.fewest:,} to more than anyone could pay for)."
    if requirement.most == requirement.fewest:
        return f"{said}."
    return f"{said} (95 % interval: {requirement.fewest:,} to {requirement.most:,})."


def _there_is(rho: Rho, counts: Sequence[CollectionCounts]) -> str:
    of_each = [
        f"{part.ratings_per_item:.1f}, which reach {reliability_of(part.ratings_per_item, rho=rho.value):.2f}"
        for part in counts
    ]
    if len(counts) == 1:
        return f"The collection has {of_each[0]}."
    return f"The two collections have {of_each[0]}, and {of_each[1]}."


def _held(rows: pl.DataFrame, rho: Rho, *, n_collections: int) -> list[str]:
    """Whether observed correlations of N against N are those that Spearman and Brown expect.

    Numbers that fewer than half of the items have are not looked at: these items may be special. Of the
    others that one counts which is furthest off in units of what chance explains.
    """
    observed = rows.filter(
        (pl.col("against") == "same") & (pl.col("scale") == "z") & pl.col("expected").is_not_null()
    )
    if observed.is_empty():
        return []
    looked_at = observed.filter(pl.col("n_items") >= pl.col("n_items").max() / 2)
    far = [row for row in looked_at.iter_rows(named=True) if abs(row["r"] - row["expected"]) > _CLOSE]
    if not far:
        return ["The observed correlations agree with the Spearman-Brown formula."]
    if not math.isfinite(rho.lower):
        return []
    worst = max(far, key=lambda row: _beyond_chance(row, rho))
    side = "below" if worst["r"] < worst["expected"] else "above"
    found = f"{in_digits(worst['r'], 2)} is {side} {worst['expected']:.2f}"
    apart = f"at {counted(worst['ratings'], 'rating')}, {found}"
    if _beyond_chance(worst, rho) <= 1:
        return [
            "The observed correlations differ from the Spearman-Brown formula by no more than chance "
            f"explains: {apart}."
        ]
    said = [f"The observed correlations do not agree with the Spearman-Brown formula: {apart}."]
    if n_collections > 1 and worst["r"] < worst["expected"]:
        said.append(
            "So the two collections differ by more than chance, and more ratings will not change that."
        )
    return said


def _beyond_chance(row: dict[str, Any], rho: Rho) -> float:
    """How far r is from what is expected, as a share of the farthest that chance explains.

    In Fisher's z, where a correlation over n items has the variance 1 / (n - 3), whatever it is.
    What is expected errs too, as rho does: by how far its interval reaches on the side of r. Both are taken
    to be independent. They are not, being of the same ratings, so that the difference errs by less.
    """
    expected = _fisher(row["expected"])
    end = rho.lower if row["r"] < row["expected"] else rho.upper
    reach = abs(_fisher(expected_r(row["ratings"], rho=min(max(end, 0.0), 1.0))) - expected)
    chance = math.hypot(_QUANTILE / math.sqrt(row["n_items"] - 3), reach)
    return abs(_fisher(row["r"]) - expected) / chance


def _fisher(r: float) -> float:
    """Fisher's z of a correlation."""
    return math.atanh(min(max(r, -_HIGHEST_R), _HIGHEST_R))
