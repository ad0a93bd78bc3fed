"""What tests of translations take to be independent of one another: documents, or segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from steelyard.meta.compared import ComparedScores
from steelyard.meta.parts import names_of
from steelyard.meta.settings import MetaSettings, Significance
from steelyard.stats.arrays import IntArray

# With fewer, a test finds large differences only, and hangs on each unit.
FEW_UNITS = 8


class IndependentUnits(NamedTuple):
    """The number of each segment's unit, from 0, and what units are called. Shape (n,)."""

    number: IntArray
    name: str


def independent_units(compared: ComparedScores, settings: MetaSettings) -> IndependentUnits:
    """Documents where several are known or they were asked for, else segments.

    Errors of a metric, and of people, are shared within a document: its topic, its names, its style. At the
    level of documents the two are the same.
    """
    documents = compared.documents
    if settings.unit == "document":
        documents = names_of(compared, "document")
    is_single = documents is None or (settings.unit is None and len(set(documents)) < 2)
    if documents is None or is_single or settings.unit == "segment":
        number = np.arange(compared.n_segments)
    else:
        # A segment without the name of a document is one of its own.
        names = [name or place for place, name in enumerate(documents)]
        places = {name: number for number, name in enumerate(dict.fromkeys(names))}
        number = np.array([places[name] for name in names], dtype=np.int64)
    is_whole = len(np.unique(number)) == compared.n_segments and settings.level == "segment"
    return IndependentUnits(number, "segments" if is_whole else "documents")


def few_metric_units(found: Sequence[Significance]) -> tuple[str, ...]:
    """A warning of tests that rest on few units."""
    few = [one for one in found if one.unit in ("documents", "segments") and one.n_units < FEW_UNITS]
    if not few:
        return ()
    unit, n_units = few[0].unit, few[0].n_units
    advice = (
        " The unit segment takes segments to be independent, which makes p too small where documents differ."
        if unit == "documents"
        else ""
    )
    return (
        f"Tests of {', '.join(one.statistic for one in few)} rest on only {n_units} {unit} "
        f"({n_units - 1} degrees of freedom), so only large differences can be significant.{advice}",
    )
