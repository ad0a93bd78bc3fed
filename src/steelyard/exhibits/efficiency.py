"""How many ratings methods need to come close to the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure
from steelyard.domain.plugin import Exhibit
from steelyard.evaluation.comparison import ready_trials, run_trials
from steelyard.evaluation.settings import Evaluation, EvaluationSettings
from steelyard.exhibits._sources import group_borders, table_of
from steelyard.exhibits.studies.evaluation import CURVE_COLUMNS, curve_panel, curve_rows
from steelyard.frames import index_of

# Trials are dear and a curve is looked at, not read off: one for fifty draws asked for [our choices].
_DRAWS_PER_TRIAL = 50
_LEAST_TRIALS, _MOST_TRIALS = 2, 30
# Of more ratings than this, those of some segments drawn at random are tried [our choice].
MOST_RATINGS = 50_000


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Correlation of scores with the truth against the number of ratings per translation, by method.

    As [Mathur2018, figure 3]: ratings are drawn without replacement from all workers, good and bad. There,
    the truth contains the ratings drawn; here it is the mean z of the half of the workers that is not
    drawn from, so that no method is compared with what it has seen. A curve that reaches a height with
    fewer ratings saves their cost. Bands are of drawing again from the same judgements: that they part
    does not prove that they would on others. A method may be high by knowing which system is better alone:
    the table shows what is left of its gain with every system's mean removed.
    """
    source = evidence[0]
    frame, sampled = _affordable(source.frame, seed=options.seed)
    found = _evaluation(frame, source, options)
    rows = curve_rows(found)
    trials = f"{found.settings.draws} trials, seed {options.seed}.{sampled}"
    table = table_of(
        FIGURE,
        evidence,
        CURVE_COLUMNS,
        rows.cast({"method": pl.String}),
        notes=(f"Means of {trials}", found.conclusion, *found.warnings),
        borders=group_borders(rows, "method"),
    )
    return Figure.of(
        table,
        caption="Pearson's correlation of translations' scores with the mean standardised rating of workers "
        f"who were not drawn from. Bands are 95 % intervals of the mean of {trials}",
        panels=[curve_panel(rows)],
    )


def _evaluation(frame: pl.DataFrame, source: Evidence, options: ExhibitOptions) -> Evaluation:
    settings = EvaluationSettings(
        methods=options.methods,
        draws=max(_LEAST_TRIALS, min(options.draws // _DRAWS_PER_TRIAL, _MOST_TRIALS)),
        analysis=replace(source.analysis.settings, seed=options.seed),
    )
    try:
        return run_trials(ready_trials(frame, settings))
    except NotEnoughData:
        raise NotEnoughData(
            "To see how methods gain by more ratings, ten translations or more must have been judged by six "
            "workers each, not all alike: some are drawn from, the others are the truth."
        ) from None


def _affordable(frame: pl.DataFrame, *, seed: int) -> tuple[pl.DataFrame, str]:
    """All ratings, or those of enough segments, and a sentence on them."""
    if len(frame) <= MOST_RATINGS:
        return frame, ""
    segments, index = index_of(frame["segment_id"])
    order = np.random.default_rng(seed).permutation(len(segments))
    so_far = np.cumsum(np.bincount(index)[order])
    taken = np.zeros(len(segments), dtype=np.bool_)
    taken[order[: max(1, int(np.searchsorted(so_far, MOST_RATINGS, side="right")))]] = True
    note = f" Tried on {int(taken.sum()):,} of {len(segments):,} segments, drawn at random."
    return frame.filter(pl.Series(taken[index])), note


FIGURE = Exhibit(
    name="efficiency",
    title="Closeness to the truth by number of ratings",
    cite=("Mathur2018",),
    make=make,
    runs_methods=True,
)
