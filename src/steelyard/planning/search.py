"""The size of a campaign by simulated tests: simulate, correct the formula, and plan again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from steelyard.planning.plan import Goal, Setup, planned_hits, smallest_difference
from steelyard.planning.power import Power, SimulatedTests, simulate_tests

# Campaigns simulated on the way to the size, and at it; every pair of systems is a test [our choices].
_ON_THE_WAY, _AT_THE_END, _TESTS_AT_THE_END = 60, 320, 800
# Ratings, or parts of documents, times systems: more than this takes longer than it is worth [our choice].
_MOST = 4_000_000
# From this much on, over all campaigns, waiting is noticed.
_NOTICED = 20_000_000
# Differences whose power is given besides the one planned for: a small, a middling and a large one.
_DIFFERENCES = (0.05, 0.1, 0.2)

Watch = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


@dataclass(frozen=True, slots=True)
class Sized:
    """The setup with the formula corrected by simulation, and the power at the planned size."""

    setup: Setup
    power: tuple[Power, ...]


def sized(goal: Goal, setup: Setup, *, seed: int, watch: Watch | None = None) -> Sized:
    """Simulate the campaign that reaches the goal, until formula and simulation agree on its size.

    One system has no test, and a campaign too large to simulate keeps the formula.
    """
    if setup.systems < 2:
        return Sized(setup, ())
    rng = np.random.default_rng(seed)
    is_searched = goal.name == "difference"
    at_the_end = max(_AT_THE_END, _TESTS_AT_THE_END // setup.n_pairs)
    numbers = [*([_ON_THE_WAY] * 2 if is_searched else []), at_the_end]
    size = _size(planned_hits(goal, setup), setup)
    if size > _MOST:
        return Sized(setup, ())
    is_quick = sum(numbers) * size < _NOTICED
    bar = nullcontext(lambda _: None) if is_quick or watch is None else watch("Simulating", sum(numbers))
    found: SimulatedTests | None = None
    with bar as step:
        for number in numbers:
            hits = planned_hits(goal, setup)
            amounts = setup.amounts(hits, pass_rate=setup.pass_rate)
            found = simulate_tests(amounts, setup.variation, campaigns=number, rng=rng, step=step)
            setup = replace(setup, calibration=_calibration(found, hits, setup))
    assert found is not None
    return Sized(setup, _power(found, hits, goal, setup))


def _size(hits: int, setup: Setup) -> float:
    parts = setup.amounts(hits, pass_rate=setup.pass_rate).ratings / setup.variation.together
    return parts * setup.systems


def _calibration(found: SimulatedTests, hits: int, setup: Setup) -> float:
    """How much larger the smallest difference found in simulations is than by formula; 1 if there is none."""
    by_formula = smallest_difference(hits, replace(setup, calibration=1.0), pass_rate=setup.pass_rate)
    simulated = found.smallest_difference(power=setup.power, level=setup.pair_level)
    return simulated / by_formula if simulated and by_formula else 1.0


def _power(found: SimulatedTests, hits: int, goal: Goal, setup: Setup) -> tuple[Power, ...]:
    """The power for the difference planned for, and for others, at the size that was planned in the end."""
    planned = planned_hits(goal, setup)
    # The last correction moves the size a little; differences found go with the square root of it.
    scale = sqrt(planned / hits)
    own = (
        goal.value
        if goal.name == "difference"
        else smallest_difference(planned, setup, pass_rate=setup.pass_rate)
    )
    wanted = sorted({*_DIFFERENCES, *(() if own is None else (own,))})
    return tuple(
        replace(found.power(difference * scale, level=setup.pair_level), difference=difference)
        for difference in wanted
    )
