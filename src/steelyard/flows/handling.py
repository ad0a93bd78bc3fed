"""How workers came to their judgements: how they handled the scale and, if they agreed to that, the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from steelyard.domain.judgement import Behaviour
from steelyard.protocols import handling_of
from steelyard.store.judgements import JudgementColumns

# As files have it; what is not known is null.
_SCHEMA: dict[str, Any] = {
    "judged": pl.String,
    "first_touch_seconds": pl.Float64,
    "moves": pl.Int64,
    "first_rating": pl.Float64,
    "hidden_seconds": pl.Float64,
    "straightness": pl.Float64,
    "pastes": pl.Int64,
    "automated": pl.Boolean,
}


def handling_frame(columns: JudgementColumns | None = None) -> pl.DataFrame:
    """A row for each judgement, by its id, which is `judged`; none without `columns`."""
    if columns is None:
        return pl.DataFrame(schema=_SCHEMA)
    judged = zip(columns.judgement_id, columns.answer, columns.behaviour, strict=True)
    rows = [(name, *handling_of(answer), *_of_page(behaviour)) for name, answer, behaviour in judged]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


@dataclass(frozen=True, slots=True)
class PageHandling:
    """How a worker handled the page, over all judgements of which it is known.

    `n_hidden`: judgements during which the page was out of sight, and for how many seconds in all;
    `straightness`: the mean of those judgements in which the pointer moved.
    """

    n_judgements: int
    n_hidden: int
    hidden_seconds: float
    pastes: int
    straightness: float | None
    n_automated: int


def page_handling(handling: pl.DataFrame) -> PageHandling | None:
    """What the rows of `handling_frame` say of the page; None if nothing was recorded."""
    known = handling.filter(pl.col("automated").is_not_null())
    if known.is_empty():
        return None
    return PageHandling(
        n_judgements=len(known),
        n_hidden=int((known["hidden_seconds"] > 0).sum()),
        hidden_seconds=float(known["hidden_seconds"].sum()),
        pastes=int(known["pastes"].sum()),
        straightness=known.select(pl.col("straightness").mean()).item(),
        n_automated=int(known["automated"].sum()),
    )


def _of_page(behaviour: Behaviour | None) -> tuple[float | None, float | None, int | None, bool | None]:
    if behaviour is None:
        return None, None, None, None
    hidden_seconds = behaviour.hidden_ms / 1000
    return hidden_seconds, behaviour.straightness, behaviour.n_pastes, behaviour.is_automated
