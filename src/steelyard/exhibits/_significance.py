"""P-values as a grid, with stars."""

from __future__ import annotations

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Analysis

# Bounds below which a p-value earns its stars, as WMT prints them.
STARS = {"***": 0.001, "**": 0.01, "*": 0.05}

Matrix = tuple[tuple[float | None, ...], ...]


def p_matrix(analysis: Analysis) -> tuple[tuple[str, ...], Matrix]:
    """The systems best first, and the p-values that decide whether the row is better than the column.

    Each pair is one test, so its p-value stands in one of its two cells: that of the system the judgements
    speak for; one-sided p-values stand in both. None elsewhere, and where two systems could not be compared.
    """
    names: tuple[str, ...] = tuple(analysis.systems["system_id"].to_list())
    if len(names) < 2:
        raise NotEnoughData("There is only one system, so there is no other for it to be better than.")
    deciding = pl.col(analysis.test.deciding).alias("deciding")
    wanted = analysis.pairs.select("better", "worse", "p_value", deciding)
    found = {(better, worse): p_values for better, worse, *p_values in wanted.iter_rows()}
    if all(own is None for own, _ in found.values()):
        raise NotEnoughData(
            "No two systems could be compared: too few segments, workers or documents for the test."
        )
    one_sided = analysis.test.deciding == "p_value"
    known = {
        pair: p_value
        for pair, (own, p_value) in found.items()
        if one_sided or (own is not None and own < found[pair[::-1]][0])
    }
    return names, tuple(tuple(known.get((row, column)) for column in names) for row in names)


def stars(p_value: float | None) -> str:
    """Stars of a p-value: * below .05, ** below .01, *** below .001.

    >>> stars(0.02), stars(0.05), stars(1e-9), stars(None)
    ('*', '', '***', '')
    """
    if p_value is None:
        return ""
    return next((mark for mark, bound in STARS.items() if p_value < bound), "")


def cell_text(p_value: float | None, with_numbers: bool) -> str:
    """What a cell of a grid of p-values says: its stars, after the number where there is room.

    >>> cell_text(0.0123, True), cell_text(0.0123, False), cell_text(0.0001, True)
    ('.012*', '*', '<.001***')
    """
    if p_value is None or not with_numbers:
        return stars(p_value)
    number = "<.001" if p_value < 0.001 else f"{p_value:.3f}".removeprefix("0")
    return number + stars(p_value)


def star_caption(threshold: float) -> str:
    """How shades and stars of a grid of p-values are read, after "shaded where ... at"."""
    marks = ", ".join(f"{mark} p < {bound:g}" for mark, bound in reversed(STARS.items()))
    return f"p < {threshold:g}, the stronger the smaller p; {marks}."
