"""How probable every rank is for every system, as a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Axis, Cells, Evidence, ExhibitOptions, Figure, Panel
from steelyard.domain.plugin import Exhibit
from steelyard.domain.wording import counted
from steelyard.exhibits._sources import signature_of, title_of
from steelyard.exhibits.tables import rank_probabilities
from steelyard.exhibits.tables.rank_probabilities import draws_of, ranks_of

# With more ranks than this not each of them can be named: every fifth is.
_FEW_RANKS = 24
# Less than half a per cent would be written as 0.
_LEAST_SHOWN = 0.005


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """A cell for every system and rank, the stronger the more probable; first ranks at the left.

    From the draws of a method that believes in more than one answer, such as the worker model
    [Mathur2018]. A dark diagonal is a clear order; a dark block is a group of systems that the ratings
    cannot put into order. Probabilities are the model's, given these ratings: where two campaigns
    disagree by more than they allow, suspect the model.
    """
    analysis = evidence[0].analysis
    draws, found = draws_of(analysis), ranks_of(analysis)
    if len(found) < 2:
        raise NotEnoughData("There is one system only, so its rank is no question of probability.")
    shares = tuple(tuple(row) for row in found["rank_probabilities"].to_list())
    cells = Cells(
        values=tuple(tuple(share if share >= _LEAST_SHOWN else None for share in row) for row in shares),
        texts=tuple(tuple(_text(share) for share in row) for row in shares),
        # Spread over many ranks no probability is large: half of the systems then reach the strongest shade.
        low=1.0 if len(shares) <= _FEW_RANKS else median(max(row) for row in shares),
        high=0.0,
    )
    return Figure(
        name=FIGURE.name,
        title=title_of(FIGURE, evidence),
        caption="Probability, in per cent, that the system of the row has the rank of the column: the share "
        f"of {counted(len(draws), 'draw')} of the scores. Cells below half a per cent are blank.",
        panels=(
            Panel(
                x=Axis("rank", categories=_rank_names(len(shares))),
                y=Axis("system", categories=tuple(found["system_id"].to_list())),
                marks=(cells,),
            ),
        ),
        table=rank_probabilities.make(evidence, options),
        signature=signature_of(evidence),
    )


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


FIGURE = Exhibit(name="rank-probabilities", title="Probabilities of ranks", cite=("Mathur2018",), make=make)
