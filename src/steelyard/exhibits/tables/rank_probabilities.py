"""How probable every rank is for every system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.result import Analysis
from steelyard.domain.wording import counted
from steelyard.exhibits._sources import in_columns, signature_of, title_of
from steelyard.stats.arrays import FloatArray
from steelyard.stats.bootstrap import rank_probabilities


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Expected rank, chance of being best, and the chance of every rank, systems best first.

    From the draws of a method that believes in more than one answer, such as the worker model
    [Mathur2018]: each draw is one set of scores that the ratings allow, and puts the systems into an order.
    A system that is first in 60 of 100 draws is best with a probability of .6. That is the model's belief,
    and as good as the model; it does not allow for segments or workers that were never asked. Systems
    with equal scores in a draw share their ranks.
    """
    analysis = evidence[0].analysis
    found = ranks_of(analysis)
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
    return Table(
        name=TABLE.name,
        title=title_of(TABLE, evidence),
        columns=columns,
        rows=in_columns(rows, columns),
        notes=(f"From {counted(len(draws_of(analysis)), 'draw')} of what the scores may be.",),
        signature=signature_of(evidence),
    )


def draws_of(analysis: Analysis) -> FloatArray:
    """What the scores may be (draws, systems), systems in the order of the ranking; refused if unknown."""
    if analysis.draws is None or not len(analysis.draws):
        raise NotEnoughData(
            f"The method {analysis.settings.method} gives every system one score and no draws of what else "
            "it may be: use --method worker-model."
        )
    draws: FloatArray = np.asarray(analysis.draws, dtype=np.float64)
    return draws


def ranks_of(analysis: Analysis) -> pl.DataFrame:
    """What the draws say of ranks, best system first: system_id, expected_rank, p_best, rank_probabilities.

    The last is a list with the probability of each rank from 1 on.
    """
    shares = rank_probabilities(draws_of(analysis))
    if np.isnan(shares).any():
        raise NotEnoughData("In no draw all systems have a score, so there is no order of all of them.")
    return pl.DataFrame(
        {
            "system_id": analysis.systems["system_id"],
            "expected_rank": shares @ np.arange(1.0, len(shares) + 1),
            "p_best": shares[:, 0],
            "rank_probabilities": pl.Series(shares.tolist(), dtype=pl.List(pl.Float64)),
        }
    )


TABLE = Exhibit(name="rank-probabilities", title="Probabilities of ranks", cite=("Mathur2018",), make=make)
