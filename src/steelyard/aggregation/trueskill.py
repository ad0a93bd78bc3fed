"""Scores as TrueSkill abilities."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from steelyard.aggregation._comparison_fit import fit_comparisons
from steelyard.aggregation._comparisons import Comparisons, compare_systems
from steelyard.aggregation._segment_draws import SegmentDraws
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.domain.wording import Note
from steelyard.stats.arrays import FloatArray
from steelyard.stats.trueskill import Matches, online_skills, resampled_skills, wmt_skill_settings

# Above this number of comparisons per attribute, a random sample is used: a second's work [our choice].
MOST_UPDATES = 200_000
# Draws learn in this many steps, not one by one, which moves their spread by less than 1 % [our choice].
STEPS_OF_A_DRAW = 50


def fit(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
    """Abilities learnt from one comparison after the other, with the settings of WMT [Sakaguchi2014].

    Every comparison is used once, in random order [Herbrich2006]; of more than 200,000 a random sample. The
    score is the mean of what is then believed of an ability. With these settings its deviation stays near
    the 0.5 it started from, however many comparisons there are, and does not show how well a score is
    known: intervals come from resampling documents instead. With a hundred comparisons or fewer, the order,
    and so the seed, moves scores by a fifth or more of their noise; with a thousand hardly at all.
    """
    compared = compare_systems(frame, settings, method=METHOD.name)
    warnings = tuple(
        Note(
            f"A random {MOST_UPDATES:,} of {found.total:,} comparisons were used"
            f"{f' for {name}' if len(compared.by_attribute) > 1 else ''}."
        )
        for name, found in compared.by_attribute.items()
        if found.total > MOST_UPDATES
    )
    result = fit_comparisons(compared, settings, rng, score=partial(_score, rng=rng))
    return replace(result, warnings=(*result.warnings, *warnings))


def _score(
    comparisons: Comparisons, draws: SegmentDraws, n_systems: int, *, rng: np.random.Generator
) -> FloatArray:
    n_updates = min(comparisons.total, MOST_UPDATES)
    taken = rng.choice(comparisons.total, size=n_updates, replace=False)
    result = np.searchsorted(np.cumsum(comparisons.count), taken, side="right")
    matches = Matches(
        first=comparisons.first[result],
        second=comparisons.second[result],
        outcome=comparisons.outcome[result],
        group=draws.group[comparisons.segment[result]],
    )
    settings = wmt_skill_settings(n_updates)
    point = online_skills(matches, settings, n_systems=n_systems).mu
    if len(draws.times) == 1:
        return point[None]
    drawn = resampled_skills(
        matches, settings, n_systems=n_systems, times=draws.times[1:], steps=STEPS_OF_A_DRAW
    ).mu
    return np.vstack([point, drawn])


METHOD = Method(
    name="trueskill",
    title="TrueSkill",
    cite=("Sakaguchi2014", "Herbrich2006"),
    reads=("preferences", "ratings"),
    scale_free=True,
    least_systems=2,
    fit=fit,
    own_test="draws",
)
