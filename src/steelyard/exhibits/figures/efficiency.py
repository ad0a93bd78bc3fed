"""How many ratings methods need to come close to the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import (
    Axis,
    Band,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Line,
    Panel,
    Points,
    Table,
    Tone,
)
from steelyard.domain.plugin import Exhibit
from steelyard.evaluation.comparison import prepare, run
from steelyard.evaluation.settings import YARDSTICK, Evaluation, EvaluationSettings
from steelyard.exhibits._sources import group_borders, in_columns, signature_of, title_of
from steelyard.frames import index_of

# Trials are dear and a curve is looked at, not read off: one for fifty draws asked for [our choices].
_DRAWS_PER_TRIAL = 50
_LEAST_TRIALS, _MOST_TRIALS = 2, 30
# Of more ratings than this, those of some segments drawn at random are tried [our choice].
MOST_RATINGS = 50_000
_TONES: tuple[Tone, ...] = ("main", "second", "third", "good", "unsure", "bad")
# Ninety-five in a hundred means lie so many errors around what they estimate.
_ERRORS = 1.96
_COLUMNS = (
    Column("method", "Method"),
    Column("ratings", "Ratings per translation"),
    Column("n_items", "Translations", 0),
    Column("r", "r", 3),
    Column("r_se", "±", 3),
    Column("difference", f"To {YARDSTICK}", 3),
    Column("difference_se", "±", 3),
    Column("difference_within", "Within systems", 3),
    Column("wins", "Better in, %", 0, per_cent=True),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Correlation of scores with the truth against the number of ratings per translation, by method.

    As [Mathur2018, figure 3]: ratings are drawn without replacement from all workers, good and bad. There,
    the truth contains the ratings drawn; here it is the mean z of the half of the workers that is not
    drawn from, so that no method is held against what it has seen. A curve that reaches a height with
    fewer ratings saves their cost. Bands are of drawing again from the same judgements: that they part
    does not prove that they would on others. A method may be high by knowing which system is better alone:
    the table tells what is left of its gain with every system's mean taken off.
    """
    source = evidence[0]
    frame, sampled = _affordable(source.frame, seed=options.seed)
    found = _evaluation(frame, source, options)
    rows = found.rows.with_columns(
        pl.col("method").cast(pl.Enum(found.settings.methods)), pl.col("r_se").fill_null(0.0)
    ).sort("method", "ratings")
    told = f"{found.settings.draws} trials, seed {options.seed}.{sampled}"
    title = title_of(FIGURE, evidence)
    return Figure(
        name=FIGURE.name,
        title=title,
        caption="Pearson's correlation of translations' scores with the mean standardised rating of workers "
        f"who were not drawn from. Bands are 95 % intervals of the mean of {told}",
        panels=(_panel(rows),),
        table=Table(
            name=FIGURE.name,
            title=title,
            columns=_COLUMNS,
            rows=in_columns(rows.cast({"method": pl.String}), _COLUMNS),
            notes=(f"Means of {told}", found.conclusion, *found.warnings),
            borders=group_borders(rows, "method"),
            signature=signature_of(evidence),
        ),
        signature=signature_of(evidence),
    )


def _evaluation(frame: pl.DataFrame, source: Evidence, options: ExhibitOptions) -> Evaluation:
    settings = EvaluationSettings(
        methods=options.methods,
        draws=max(_LEAST_TRIALS, min(options.draws // _DRAWS_PER_TRIAL, _MOST_TRIALS)),
        analysis=replace(source.analysis.settings, seed=options.seed),
    )
    try:
        return run(prepare(frame, settings))
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
    told = f" Tried on {int(taken.sum()):,} of {len(segments):,} segments, drawn at random."
    return frame.filter(pl.Series(taken[index])), told


def _panel(rows: pl.DataFrame) -> Panel:
    bands: list[Band] = []
    curves: list[Line | Points] = []
    methods = rows["method"].unique(maintain_order=True).cast(pl.String).to_list()
    for place, (name, tone) in enumerate(zip(methods, cycle(_TONES), strict=False)):
        of_method = rows.filter(pl.col("method") == name)
        x, r, error = (of_method[column].cast(pl.Float64) for column in ("ratings", "r", "r_se"))
        lower, upper = (r - _ERRORS * error).clip(-1, 1), (r + _ERRORS * error).clip(-1, 1)
        bands.append(Band(tuple(x), tuple(lower), tuple(upper), tone=tone))
        # More methods than tones: the second round is dashed.
        dashed = place >= len(_TONES)
        curves += [
            Line(tuple(x), tuple(r), series=name, tone=tone, dashed=dashed),
            Points(tuple(x), tuple(r), tone=tone),
        ]
    # Bands first, lest the later ones veil the earlier curves.
    return Panel(x=Axis("ratings per translation"), y=Axis("r with the truth"), marks=(*bands, *curves))


FIGURE = Exhibit(
    name="efficiency",
    title="Closeness to the truth by number of ratings",
    cite=("Mathur2018",),
    make=make,
    runs_methods=True,
)
