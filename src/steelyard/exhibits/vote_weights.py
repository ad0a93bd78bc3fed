"""How much each judgement weighs where workers are compared with an expert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Axis, Bars, Column, Evidence, ExhibitOptions, Figure, Panel
from steelyard.domain.plugin import Exhibit
from steelyard.evaluation.normalisation.fits import Fitted, vote_weights, voting_methods
from steelyard.evaluation.normalisation.study import NormalisationStudy, fit_all, ready_normalisation
from steelyard.exhibits._gold import gold_signature, settings_for
from steelyard.exhibits._sources import group_borders, table_of
from steelyard.stats.arrays import FloatArray
from steelyard.stats.rounding import EQUAL

# Twentieths of the weight of a worker who is the expert's equal [our choice].
_STRETCHES = 20
_COLUMNS = (
    Column("method", "Method"),
    Column("vote", "Vote"),
    Column("left", "From", 2),
    Column("right", "To", 2),
    Column("n_judgements", "Judgements"),
    Column("share", "Judgements, %", 1, per_cent=True),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Number of judgements by the weight of their worker's vote, a panel for each way of weighing.

    As [Denkowski2010, figure 1]: under weighted-vote a worker weighs as much as the share of gold that they
    rated as the expert did; under two-stage as much as K_Δ of their corrected ratings, which is 1 for the
    expert's own and 0 for what chance gives. The bar left of 0 is of judgements without a vote: of workers
    who are no better than chance, or judged no gold. A heap there, or at low weights, means that little of
    what was paid for counts; all weights about the same, that weighing changes little.
    """
    source = evidence[0]
    study = ready_normalisation(source.frame, settings_for(source, options, methods=voting_methods()))
    fits = [fit for fit in fit_all(study) if fit.entry.method.votes]
    fitted = [fit for fit in fits if fit.fit is not None]
    if not fitted:
        raise NotEnoughData(f"There are no weights to show: {fits[0].reason}")
    tallies = [_tally(fit, study) for fit in fitted]
    rows = pl.concat(tallies)
    has_without = bool((rows.filter(vote="none")["n_judgements"] > 0).any())
    table = replace(
        table_of(
            FIGURE,
            evidence,
            _COLUMNS,
            rows,
            notes=(
                "Everybody's judgements but of controls, whatever the check found. From is included, To is "
                "not, except in the last.",
            ),
            borders=group_borders(rows, "method"),
        ),
        signature=gold_signature(FIGURE, evidence, study.settings),
    )
    return Figure.of(
        table,
        caption=" ".join(_in_words(tally) for tally in tallies),
        panels=[_panel(tally, has_without=has_without) for tally in tallies],
    )


def _tally(fit: Fitted, study: NormalisationStudy) -> pl.DataFrame:
    """How many judgements have a vote of which weight: without any in the first row."""
    weight = vote_weights(fit, study.gold)[study.gold.cell >= 0]
    has_vote = weight > 0
    edges = _edges(weight[has_vote])
    # A share of gold that equals a border up to rounding lies on it.
    place = np.searchsorted(edges - EQUAL, weight[has_vote], side="right") - 1
    place = np.clip(place, 0, len(edges) - 2)
    n = [int((~has_vote).sum()), *np.bincount(place, minlength=len(edges) - 1).tolist()]
    return pl.DataFrame(
        {
            "method": fit.entry.name,
            "vote": ["none", *["weighs"] * (len(n) - 1)],
            "left": [None, *edges[:-1].tolist()],
            "right": [None, *edges[1:].tolist()],
            "n_judgements": pl.Series(n, dtype=pl.Int64),
            "share": np.array(n) / len(weight),
        },
        schema_overrides={"left": pl.Float64, "right": pl.Float64},
    )


def _edges(weight: FloatArray) -> FloatArray:
    """Where stretches begin and end: from 0 to 1, the weight of the expert's equal."""
    return np.linspace(0.0, max(1.0, float(weight.max(initial=0.0))), _STRETCHES + 1)


def _panel(tally: pl.DataFrame, *, has_without: bool) -> Panel:
    """One method's judgements; `has_without`: whether any panel must have room for those without a vote."""
    votes = tally.filter(vote="weighs")
    left, right, height = (tuple(votes[name].to_list()) for name in ("left", "right", "n_judgements"))
    step = right[0] - left[0]
    without = tally.filter(vote="none")["n_judgements"].item()
    marks = [Bars(left=left, right=right, height=height, series="with a vote")]
    if without:
        marks.append(
            Bars(left=(-1.5 * step,), right=(-0.5 * step,), height=(without,), series="without", tone="bad")
        )
    return Panel(
        x=Axis("vote weight", low=-2 * step if has_without else 0.0, high=right[-1]),
        y=Axis("judgements", low=0.0),
        marks=tuple(marks),
        title=tally["method"][0],
    )


def _in_words(tally: pl.DataFrame) -> str:
    without, total = tally["n_judgements"][0], int(tally["n_judgements"].sum())
    return f"{tally['method'][0]}: {total - without:,} of {total:,} judgements have a vote."


FIGURE = Exhibit(
    name="vote-weights",
    title="Weights of judgements",
    cite=("Denkowski2010",),
    make=make,
    of_everyone=True,
    runs_methods=True,
)
