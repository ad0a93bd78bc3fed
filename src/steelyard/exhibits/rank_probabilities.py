"""How probable every rank is for every system, as a table and as a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Axis, Cells, Column, Evidence, ExhibitOptions, Figure, Panel, Table
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.result import Analysis
from steelyard.domain.wording import counted
from steelyard.exhibits._sources import in_columns, table_of
from steelyard.stats.arrays import FloatArray
from steelyard.stats.bootstrap import rank_probabilities

# With more ranks than this not each of them can be named: every fifth is.
_FEW_RANKS = 24
# Less than half a per cent would be written as 0.
_LEAST_SHOWN = 0.005


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Expected rank, chance of being best, and the chance of every rank, systems best first.

    From the draws of a method that allows for more than one answer, such as the worker model
    [Mathur2018]: each draw is one set of scores that the ratings allow, and puts the systems into an order.
    A system that is first in 60 of 100 draws is best with a probability of .6. That is the model's belief,
    and as good as the model; it does not allow for segments or workers that were never asked. Systems
    with equal scores in a draw share their ranks.
    """
    analysis = evidence[0].analysis
    found = rank_chances(analysis)
    names = [f"rank_{rank}" for rank in range(1, len(found) + 1)]
    columns = (
        Column("system_id", "System"),
        Column("expected_rank", "Expected rank", 2),
        Column("best", "Best", 1, per_cent=True),
        *(Column(name, f"Rank {rank}", 1, per_cent=True) for rank, name in enumerate(names, start=1)),
    )
    rows = found.with_columns(
        pl.col("p_best").alias("best"),
        *(pl.col("rank_probabilities").list.get(place).alias(name) for place, name in enumerate(names)),
    )
    return table_of(TABLE, evidence, columns, rows, notes=(_draws_behind(analysis),))


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """A cell for every system and rank, the stronger the more probable; first ranks at the left.

    From the draws of a method that allows for more than one answer, such as the worker model
    [Mathur2018]. A dark diagonal is a clear order; a dark block is a group of systems that the ratings
    cannot put into order. Probabilities are the model's, given these ratings: where two campaigns
    disagree by more than they allow, suspect the model.
    """
    analysis = evidence[0].analysis
    draws, found = draws_of(analysis), rank_chances(analysis)
    if len(found) < 2:
        raise NotEnoughData("There is only one system, so its rank is no question of probability.")
    shares = tuple(tuple(row) for row in found["rank_probabilities"].to_list())
    cells = Cells(
        values=tuple(tuple(share if share >= _LEAST_SHOWN else None for share in row) for row in shares),
        texts=tuple(tuple(_text(share) for share in row) for row in shares),
        # Spread over many ranks no probability is large: half of the systems then reach the strongest shade.
        low=1.0 if len(shares) <= _FEW_RANKS else median(max(row) for row in shares),
        high=0.0,
    )
    return Figure.of(
        _table(evidence, options),
        caption="Probability, in per cent, that the system of the row has the rank of the column: the share "
        f"of {counted(len(draws), 'draw')} of the scores. Cells below half a per cent are blank.",
        panels=[
            Panel(
                x=Axis("rank", categories=_rank_names(len(shares))),
                y=Axis("system", categories=tuple(found["system_id"])),
                marks=(cells,),
            )
        ],
    )


def draws_of(analysis: Analysis) -> FloatArray:
    """What the scores may be (draws, systems), systems in the order of the ranking; refused if unknown."""
    if analysis.draws is None or not len(analysis.draws):
        raise NotEnoughData(
            f"The method {analysis.settings.method} gives every system one score and no draws of what else "
            "it may be: use {method=worker-model} on ratings."
        )
    draws: FloatArray = np.asarray(analysis.draws, dtype=np.float64)
    return draws


def has_order(analysis: Analysis) -> bool:
    """Whether there are draws of several systems, which alone have an order."""
    return analysis.draws is not None and len(analysis.systems) > 1


def rank_chances(analysis: Analysis) -> pl.DataFrame:
    """What the draws say of ranks, best system first: system_id, expected_rank, p_best, rank_probabilities.

    The last is a list with the probability of each rank from 1 on.
    """
    shares = rank_probabilities(draws_of(analysis))
    if np.isnan(shares).any():
        raise NotEnoughData("No draw has a score for every system, so they cannot all be put in order.")
    return pl.DataFrame(
        {
            "system_id": analysis.systems["system_id"],
            "expected_rank": shares @ np.arange(1.0, len(shares) + 1),
            "p_best": shares[:, 0],
            "rank_probabilities": pl.Series(shares.tolist(), dtype=pl.List(pl.Float64)),
        }
    )


def known_chances(analysis: Analysis) -> pl.DataFrame | None:
    """What the draws say of ranks, as `rank_chances`; None if there are none, or no order in them."""
    try:
        return rank_chances(analysis)
    except NotEnoughData:
        return None


def expected_ranks_table(analysis: Analysis) -> Table | None:
    """Expected rank and chance of being best; None if there are no draws, or nothing to rank."""
    found = known_chances(analysis)
    if found is None or len(found) < 2:
        return None
    columns = (
        Column("system_id", "System"),
        Column("expected_rank", "Expected rank", 2),
        Column("p_best", "P(best)", 1, per_cent=True),
    )
    return Table(
        name="expected-ranks",
        title="Expected ranks",
        columns=columns,
        rows=in_columns(found, columns),
        notes=(_draws_behind(analysis),),
        signature=analysis.signature,
    )


def _draws_behind(analysis: Analysis) -> str:
    return f"From {counted(len(draws_of(analysis)), 'draw')} of what the scores may be."


def _text(share: float) -> str:
    """A share as per cent; what is not quite certain never looks so."""
    if share < _LEAST_SHOWN:
        return ""
    # Half a per cent is rounded up, never to 0.
    return ">99" if 0.995 <= share < 1 else f"{math.floor(100 * share + 0.5)}"


def _rank_names(n_ranks: int) -> tuple[str, ...]:
    ranks = range(1, n_ranks + 1)
    if n_ranks <= _FEW_RANKS:
        return tuple(map(str, ranks))
    return tuple(str(rank) if rank == 1 or rank % 5 == 0 else "" for rank in ranks)


TABLE = Exhibit(name="rank-probabilities", title="Probabilities of ranks", cite=("Mathur2018",), make=_table)
FIGURE = Exhibit(
    name="rank-probabilities",
    title="Probabilities of ranks",
    cite=("Mathur2018",),
    make=_figure,
    report=ReportPlace(70, "sure", wanted=has_order),
)
