"""TrueSkill: abilities learnt from one comparison after the other."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import erfcx, ndtri

from steelyard.stats.arrays import FloatArray, IntArray

_ROOT_HALF = sqrt(1 / 2)
_ROOT_HALF_PI = sqrt(pi / 2)

# The public scripts for the WMT evaluations [Sakaguchi2014]: prior deviation, share of
# ties, no drift, and a performance deviation that grows with the number n of comparisons, sigma n / 40.
# It makes every step so small that the order of the comparisons hardly matters.
WMT_SIGMA = 0.5
WMT_DRAW_PROBABILITY = 0.25
WMT_COMPARISONS_PER_BETA = 40


@dataclass(frozen=True, slots=True)
class SkillSettings:
    """The constants of TrueSkill, by the letters of [Herbrich2006].

    Abilities have mean `mu` and deviation `sigma` beforehand; a performance deviates from the ability
    by `beta`; before each comparison abilities may have drifted by `tau`; two equals tie with
    `draw_probability`.
    """

    mu: float
    sigma: float
    beta: float
    tau: float
    draw_probability: float

    @property
    def draw_margin(self) -> float:
        """By how much performances may differ and still tie."""
        return float(ndtri((self.draw_probability + 1) / 2) * sqrt(2) * self.beta)


def wmt_skill_settings(n_comparisons: int) -> SkillSettings:
    """The settings of the WMT evaluations for this many comparisons."""
    beta = WMT_SIGMA * n_comparisons / WMT_COMPARISONS_PER_BETA
    return SkillSettings(mu=0.0, sigma=WMT_SIGMA, beta=beta, tau=0.0, draw_probability=WMT_DRAW_PROBABILITY)


@dataclass(frozen=True, slots=True)
class Matches:
    """Comparisons of two systems in the order in which they are learnt from. All arrays: (n,).

    `outcome` is 1 if the first system was better, -1 if the second was, 0 for a tie. Comparisons of
    the same `group` (0, 1, 2, ...), such as those on one segment, are resampled together.
    """

    first: IntArray
    second: IntArray
    outcome: IntArray
    group: IntArray


class Skills(NamedTuple):
    """Mean and deviation of the belief about each system's ability. Both: (..., S)."""

    mu: FloatArray
    sigma: FloatArray


class Corrections(NamedTuple):
    """What an outcome says about a standardised difference x of abilities.

    `slope`: the derivative of the log-probability of the outcome in x; `curvature`: minus the second
    derivative, between 0 and 1. They are v and w of [Herbrich2006].
    """

    slope: FloatArray
    curvature: FloatArray


def win_corrections(x: FloatArray | float, margin: FloatArray | float) -> Corrections:
    """For an outcome in which the first was better by more than the margin."""
    beyond = x - margin
    slope = 1 / _probability_over_density(beyond)
    return Corrections(slope, slope * (slope + beyond))


def draw_corrections(x: FloatArray | float, margin: FloatArray | float) -> Corrections:
    """For an outcome in which neither was better by more than the margin."""
    # The case is symmetric in x. Below 0 the upper end of the margin has the larger density: taken out
    # of numerator and denominator, it leaves nothing that could underflow.
    far = -np.abs(x)
    upper, lower = far + margin, far - margin
    lower_density = np.exp(2 * far * margin)
    at_upper = 1 / (_probability_over_density(upper) - lower_density * _probability_over_density(lower))
    at_lower = lower_density * at_upper
    slope = at_upper - at_lower
    return Corrections(np.copysign(slope, -x), slope * slope + upper * at_upper - lower * at_lower)


def _probability_over_density(x: FloatArray | float) -> FloatArray:
    """Standard normal probability of a value below x, over the density at x."""
    ratio: FloatArray = _ROOT_HALF_PI * erfcx(x * -_ROOT_HALF)
    return ratio


def online_skills(matches: Matches, settings: SkillSettings, *, n_systems: int) -> Skills:
    """Abilities after learning from every comparison in turn [Herbrich2006]. Shape (S,).

    What is learnt last weighs no less than what is learnt first, but depends on it: another order
    gives another answer, so shuffle an order that means something.

    >>> once = Matches(np.array([0]), np.array([1]), np.array([1]), np.array([0]))
    >>> online_skills(once, SkillSettings(25.0, 25 / 3, 25 / 6, 25 / 300, 0.1), n_systems=2).mu.round(3)
    array([29.396, 20.604])
    """
    mu = [settings.mu] * n_systems
    variance = [settings.sigma**2] * n_systems
    noise, drift, margin = 2 * settings.beta**2, settings.tau**2, settings.draw_margin
    columns = (matches.first, matches.second, matches.outcome)
    for first, second, outcome in zip(*(column.tolist() for column in columns), strict=True):
        better, worse = (second, first) if outcome < 0 else (first, second)
        of_better, of_worse = variance[better] + drift, variance[worse] + drift
        total = of_better + of_worse + noise
        deviation = sqrt(total)
        x = (mu[better] - mu[worse]) / deviation
        corrections = win_corrections if outcome else draw_corrections
        slope, curvature = map(float, corrections(x, margin / deviation))
        mu[better] += of_better * slope / deviation
        mu[worse] -= of_worse * slope / deviation
        variance[better] = of_better * (1 - of_better * curvature / total)
        variance[worse] = of_worse * (1 - of_worse * curvature / total)
    return Skills(np.array(mu), np.sqrt(np.array(variance)))


def resampled_skills(
    matches: Matches, settings: SkillSettings, *, n_systems: int, times: FloatArray, steps: int
) -> Skills:
    """Abilities if each comparison had been made more or less often, for many such runs. Shape (runs, S).

    `times` (runs, groups) says how often the comparisons of a group count. To count k times is to be
    learnt from k times at once: what a comparison says about an ability, a normal factor, is taken to the
    power k. The comparisons are learnt from in their order, in `steps` of equal size; those of
    one step all start from what was believed before it. With as many steps as comparisons that is
    `online_skills`; with settings that let each comparison move little, as those of WMT do, fewer steps
    give nearly the same.
    """
    counts = np.ascontiguousarray(times.T)
    mu = np.full((n_systems, len(times)), settings.mu)
    variance = np.full((n_systems, len(times)), settings.sigma**2)
    flipped = matches.outcome < 0
    better = np.where(flipped, matches.second, matches.first)
    worse = np.where(flipped, matches.first, matches.second)
    # Outcomes of the same kind between the same systems say the same; wins come before ties.
    kind = ((matches.outcome == 0) * n_systems + better) * n_systems + worse
    for step in np.array_split(np.arange(len(kind)), min(steps, len(kind))):
        kinds, index = np.unique(kind[step], return_inverse=True)
        places = (index, matches.group[step])
        per_group = csr_array((np.ones(len(step)), places), shape=(len(kinds), len(counts)))
        alike = _Alike(
            better=kinds // n_systems % n_systems,
            worse=kinds % n_systems,
            n_wins=int(np.searchsorted(kinds, n_systems**2)),
            times=per_group @ counts,
        )
        mu, variance = _learn(mu, variance, alike, settings)
    return Skills(mu.T, np.sqrt(variance).T)


class _Alike(NamedTuple):
    """Outcomes with the same say, wins first, and how often each counts in each run (kinds, runs)."""

    better: IntArray
    worse: IntArray
    n_wins: int
    times: FloatArray


def _learn(
    mu: FloatArray, variance: FloatArray, alike: _Alike, settings: SkillSettings
) -> tuple[FloatArray, FloatArray]:
    """Means and variances (S, runs) after outcomes that are all learnt from at once."""
    better, worse, n_wins, times = alike
    rows = np.arange(len(better))
    of_better, of_worse = np.zeros((2, len(mu), len(rows)))
    of_better[better, rows] = of_worse[worse, rows] = 1
    variance = variance + settings.tau**2 * ((of_better + of_worse) @ times)
    total = variance[better] + variance[worse] + 2 * settings.beta**2
    deviation = np.sqrt(total)
    x, margin = (mu[better] - mu[worse]) / deviation, settings.draw_margin / deviation
    wins = win_corrections(x[:n_wins], margin[:n_wins])
    draws = draw_corrections(x[n_wins:], margin[n_wins:])
    push = times * np.concatenate([wins.slope, draws.slope]) / deviation
    shrink = np.concatenate([wins.curvature, draws.curvature]) / total
    # The factor has this share less to say where the ability was already known in part.
    left_better, left_worse = 1 - variance[better] * shrink, 1 - variance[worse] * shrink
    shift = of_better @ (push / left_better) - of_worse @ (push / left_worse)
    information = of_better @ (times * shrink / left_better) + of_worse @ (times * shrink / left_worse)
    precision = 1 / variance + information
    return mu + shift / precision, 1 / precision
