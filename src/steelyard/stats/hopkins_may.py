"""The Hopkins-May model: translations of normal quality, compared by workers who see it with noise."""

from __future__ import annotations

from math import sqrt

import numpy as np

from steelyard.stats.arrays import FloatArray
from steelyard.stats.trueskill import draw_corrections, win_corrections

# [Hopkins2013] with the values of the public WMT scripts of [Sakaguchi2014]: deviation of abilities between
# systems, of translations within a system, and of what a worker sees of one translation; the decision
# radius is the largest difference that a worker calls a tie.
ABILITY_SD = 1.0
TRANSLATION_SD = 0.5
OBSERVATION_SD = 1.0
DECISION_RADIUS = 0.5

# Deviation of the difference that a worker sees between translations of two equal systems.
DIFFERENCE_SD = sqrt(2 * (TRANSLATION_SD**2 + OBSERVATION_SD**2))

_TOLERANCE = 1e-8
_MOST_STEPS = 200


def hopkins_may_abilities(wins: FloatArray, ties: FloatArray) -> FloatArray:
    """The most probable abilities of the systems given who won against whom [Hopkins2013]. Shape (..., S).

    A system's ability is normal with mean 0, each translation's quality normal about it, and what a
    worker sees normal about that; the better-looking translation wins unless the two look equal within
    the decision radius. Unlike a mean of wins, that takes account of how good the opponents were. The
    paper draws from this model; we take its mode, with the qualities of the translations integrated
    out comparison by comparison, so that comparisons of one translation count as independent.

    `wins[..., i, j]` says how often system i was better than system j, `ties[..., i, j]` (symmetric)
    how often neither was. Both: (..., S, S). Systems never compared, not even through others, are
    held together by the prior alone; a system that met nobody has ability 0.

    >>> hopkins_may_abilities(np.array([[0., 8.], [8., 0.]]), np.zeros((2, 2)))
    array([0., 0.])
    """
    abilities: FloatArray = np.zeros(wins.shape[:-1])
    for _ in range(_MOST_STEPS):
        gradient, information = _derivatives(abilities, wins, ties)
        step = np.linalg.solve(information, gradient[..., None])[..., 0]
        # At the top the abilities add up to 0; with very many comparisons rounding would blur that.
        step -= step.mean(axis=-1, keepdims=True)
        # Far from its top the log-probability bends less and less: no step may leave where it was looked at.
        longest = np.max(np.abs(step), axis=-1, keepdims=True, initial=0.0)
        abilities = abilities + step * np.minimum(1, DIFFERENCE_SD / np.maximum(longest, _TOLERANCE))
        if np.all(longest < _TOLERANCE):
            return abilities
    raise ArithmeticError(f"hopkins-may: no convergence after {_MOST_STEPS} steps")


def _derivatives(abilities: FloatArray, wins: FloatArray, ties: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gradient (..., S) and negative second derivatives (..., S, S) of the log-probability of abilities."""
    x = (abilities[..., :, None] - abilities[..., None, :]) / DIFFERENCE_SD
    radius = DECISION_RADIUS / DIFFERENCE_SD
    win, draw = win_corrections(x, radius), draw_corrections(x, radius)
    won, information = wins * win.slope, wins * win.curvature
    slope = won - np.swapaxes(won, -1, -2) + ties * draw.slope
    curvature = (information + np.swapaxes(information, -1, -2) + ties * draw.curvature) / DIFFERENCE_SD**2
    gradient = slope.sum(axis=-1) / DIFFERENCE_SD - abilities / ABILITY_SD**2
    own = curvature.sum(axis=-1) + 1 / ABILITY_SD**2
    return gradient, own[..., None] * np.eye(wins.shape[-1]) - curvature
