"""Test sets of two years: how much harder the new one is, and how much translation gained."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.cells import CELLS
from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._longitudinal import compared, years_signature
from steelyard.exhibits._significance import STARS, stars
from steelyard.exhibits._sources import group_borders, in_columns, title_of
from steelyard.longitudinal.rows import ALL_PAIRS, F1
from steelyard.longitudinal.study import Longitudinal


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Mean ratings of four cells, the new test set's difficulty and the gain, by pair and attribute.

    As [Graham2014, tables 3 to 5] in one: a present-day system (CURR) and each year's best (BEST) on both
    years' test sets. Delta = CURR old - CURR new is how much harder the new set is; the gain is BEST new -
    BEST old + Delta. Sources are language pairs, or attributes of one. The row over all pairs is their plain
    mean. A star marks the cell that is significantly larger than its neighbour, by the rank-sum test on
    standardised ratings, which the paper leaves open. Delta assumes that the new set is as much harder for
    the best systems as for the present one. Gains on z hold within one collection only.
    """
    found = compared(evidence, options)
    signature = years_signature(TABLE, evidence, options)
    return longitudinal_table(found, title=title_of(TABLE, evidence), signature=signature)


def longitudinal_table(found: Longitudinal, *, title: str, signature: str = "") -> Table:
    """The rows of a comparison of years as a table; those that nothing is known of are left out."""
    known = found.rows.filter(pl.col("gain").is_not_null())
    columns = _columns(found)
    rows = known.rename({"pair": "source"}).with_columns(*_stars("curr", known), *_stars("best", known))
    return Table(
        name="longitudinal",
        title=title,
        columns=columns,
        rows=in_columns(rows, columns),
        notes=(*_notes(found, known), *found.warnings),
        borders=group_borders(rows, "source"),
        signature=signature,
    )


def _columns(found: Longitudinal) -> tuple[Column, ...]:
    old, new = found.old, found.new
    return (
        Column("source", "Pair"),
        Column("measure", "Measure"),
        Column("scale", "In"),
        *_neighbours("curr", f"CURR {old}", f"CURR {new}"),
        Column("delta", "Delta", 2),
        *_neighbours("best", f"BEST {old}", f"BEST {new}"),
        Column("change", "Change", 2),
        Column("gain", "Gain", 2),
        Column("lower", "From", 2),
        Column("upper", "To", 2),
        *(Column(f"n_{cell}", f"n {_short(cell, old, new)}") for cell in CELLS),
    )


def _neighbours(who: str, old: str, new: str) -> tuple[Column, ...]:
    """Two cells that are compared, each with the stars it has earned over the other."""
    return (
        Column(f"{who}_old", old, 2),
        Column(f"{who}_old_stars", "*"),
        Column(f"{who}_new", new, 2),
        Column(f"{who}_new_stars", "*"),
    )


def _short(cell: str, old: str, new: str) -> str:
    who, _, year = cell.partition("_")
    return f"{who.upper()} {old if year == 'old' else new}"


def _stars(who: str, rows: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """Stars of the old and of the new cell: those of the larger one's p-value."""
    old, new = [], []
    for first, second, p_value in rows.select(f"{who}_old", f"{who}_new", f"{who}_p").iter_rows():
        mark = stars(p_value)
        old.append(mark if first >= second else "")
        new.append("" if first >= second else mark)
    return pl.Series(f"{who}_old_stars", old, pl.String), pl.Series(f"{who}_new_stars", new, pl.String)


def _notes(found: Longitudinal, known: pl.DataFrame) -> tuple[str, ...]:
    level, draws = found.settings.level, found.settings.draws
    notes = [
        f"Delta = CURR {found.old} - CURR {found.new}, positive if the new test set is harder. Change = BEST "
        f"{found.new} - BEST {found.old}. Gain = Change + Delta. n counts regular and repeat judgements.",
        f"Stars on the larger cell: two-sided rank-sum test on segments' mean z, "
        f"{', '.join(f'{mark} p < {bound:g}' for mark, bound in reversed(STARS.items()))}.",
        f"From and to: {100 * level:g} % interval of the gain, {draws:,} draws of workers and segments."
        if draws
        else "No intervals: no draws were asked for.",
    ]
    if (known["scale"] == "z").any():
        notes.append("Gains on z compare within one collection only: standardising takes the level away.")
    if (known["measure"] == F1).any():
        notes.append("F1: harmonic mean of a cell's mean fluency and adequacy.")
    if (known["pair"] == ALL_PAIRS).any():
        notes.append("All pairs: each cell's mean over the pairs, which weigh the same.")
    return tuple(notes)


TABLE = Exhibit(name="longitudinal", title="Change over years", cite=("Graham2014",), make=make, several=True)
