"""A plan: from a goal to HITs, hours and money, or from a budget to what it can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from typing import Literal

from steelyard.domain.errors import NotEnoughData
from steelyard.planning.cost import Outlay, Terms, hits_for, hits_within, outlay, pass_rate_range
from steelyard.planning.sample_size import (
    difference_found,
    effective_ratings,
    ratings_for_difference,
    ratings_for_reliability,
    ratings_on_segments,
    reliability_of,
    whole,
)

# The first two concern systems, the next two single translations; "hits" are HITs already designed.
GoalName = Literal["difference", "ratings_per_system", "reliability", "ratings_per_item", "budget", "hits"]
Measure = Literal["difference", "reliability"]
GOALS_FOR_ITEMS = ("reliability", "ratings_per_item")

# Points of the curve that the plot draws, and how far it goes beyond the plan [our choice].
_CURVE_POINTS = 100
_CURVE_START, _CURVE_END = 0.1, 2.0
# With a single rating per item the worker model cannot tell a worker's offset from the items' quality.
_LEAST_RATINGS_FOR_MODEL = 2


@dataclass(frozen=True, slots=True)
class Goal:
    """What was asked for: a precision, a number of ratings, a budget, or HITs that are there."""

    name: GoalName
    value: float


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything else that decides a plan.

    `segments` None: every rating is of another segment. `items` are the translations to judge,
    usually systems times segments. `usable_share` of a HIT's items are ratings of a system, repeats
    included; `item_share` leaves repeats out, because a worker's second rating is not a second opinion.
    `rho` is the reliability of one rating.
    """

    systems: int
    segments: int | None
    items: int | None
    usable_share: float
    item_share: float
    pass_rate: float
    terms: Terms
    minimum_wage: float
    rho: float
    power: float
    level: float


@dataclass(frozen=True, slots=True)
class Precision:
    """What ratings can show. None: unknown, for lack of segments or of a second system.

    `difference` is the smallest one found with the power; numbers of ratings are averages of
    those that are kept.
    """

    ratings_per_system: float
    difference: float | None
    ratings_per_item: float | None
    reliability: float | None


@dataclass(frozen=True, slots=True)
class Case:
    """One pass rate: what reaching the goal costs then, and what the planned HITs show then."""

    pass_rate: float
    outlay: Outlay
    precision: Precision


@dataclass(frozen=True, slots=True)
class ModelCase:
    """The expectation if the worker model could use every rating. `caveat` says why that is a hope."""

    outlay: Outlay
    precision: Precision
    saving: float
    caveat: str


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What money buys: the measure at the lowest, the expected and the highest pass rate."""

    outlay: Outlay
    at_low: float | None
    expected: float | None
    at_high: float | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan with its uncertainty. Renderers read it; they compute nothing.

    `ratings_wanted` are per system or, for goals on items, per item; None where the goal names none.
    `rounds` is what such a goal makes of a campaign file's ratings_per_item, which counts ratings
    before any are left out. `measure` is what the curve shows. `assumptions` are sentences about
    what was not given.
    """

    title: str
    goal: Goal
    setup: Setup
    ratings_wanted: float | None
    rounds: int | None
    expected: Case
    at_low: Case
    at_high: Case
    with_worker_model: ModelCase
    measure: Measure
    curve: tuple[CurvePoint, ...]
    pays_too_little: bool
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]


def make_plan(goal: Goal, setup: Setup, *, title: str = "", assumptions: Sequence[str] = ()) -> Plan:
    """The plan for a goal; NotEnoughData if no number of HITs, or not the budget, can reach it."""
    wanted = _ratings_wanted(goal, setup)
    lowest, highest = pass_rate_range(setup.pass_rate)
    planned = _outlay_at(setup.pass_rate, goal, setup, wanted)

    def case(pass_rate: float) -> Case:
        return Case(
            pass_rate,
            _outlay_at(pass_rate, goal, setup, wanted),
            precision(planned.hits, setup, pass_rate=pass_rate),
        )

    cases = [case(pass_rate) for pass_rate in (setup.pass_rate, lowest, highest)]
    measure: Measure = "reliability" if _concerns_items(goal, setup) else "difference"
    return Plan(
        title=title,
        goal=goal,
        setup=setup,
        ratings_wanted=wanted,
        rounds=_rounds(goal, setup, wanted),
        expected=cases[0],
        at_low=cases[1],
        at_high=cases[2],
        with_worker_model=_with_model(goal, setup, wanted, planned),
        measure=measure,
        curve=_curve(setup, measure, planned.hits, most=cases[1].outlay.hits),
        pays_too_little=_pays_too_little(setup),
        assumptions=tuple(assumptions),
        warnings=_warnings(setup, cases[0]),
    )


def precision(hits: int, setup: Setup, *, pass_rate: float) -> Precision:
    """What this many HITs can show if this share of their ratings is kept."""
    kept = hits * setup.terms.hit_size * pass_rate
    per_system = kept * setup.usable_share / setup.systems
    effective = effective_ratings(per_system, segments=setup.segments, rho=setup.rho)
    difference = difference_found(effective, power=setup.power, level=setup.level)
    per_item = None if setup.items is None else kept * setup.item_share / setup.items
    return Precision(
        ratings_per_system=per_system,
        difference=None if setup.systems == 1 else difference,
        ratings_per_item=per_item,
        # Below one rating some items have none, and the mean of none has no reliability.
        reliability=None if per_item is None or per_item < 1 else reliability_of(per_item, rho=setup.rho),
    )


def _concerns_items(goal: Goal, setup: Setup) -> bool:
    return goal.name in GOALS_FOR_ITEMS or setup.systems == 1


def _ratings_wanted(goal: Goal, setup: Setup) -> float | None:
    if goal.name == "difference":
        return _ratings_per_system(goal.value, setup)
    if goal.name == "reliability":
        return ratings_for_reliability(goal.value, rho=setup.rho)
    return goal.value if goal.name in ("ratings_per_system", "ratings_per_item") else None


def _ratings_per_system(difference: float, setup: Setup) -> float:
    effective = ratings_for_difference(difference, power=setup.power, level=setup.level)
    ratings = ratings_on_segments(effective, segments=setup.segments, rho=setup.rho)
    if isinf(ratings):
        assert setup.segments is not None
        # However many ratings: a segment's mean cannot vary less than segments themselves do.
        least = difference_found(setup.segments / setup.rho, power=setup.power, level=setup.level)
        raise NotEnoughData(
            f"{setup.segments:,} segments cannot show a difference of {difference:g}, however often each is "
            f"judged: the smallest they can show is above {least:.3f}. That difference needs more than "
            f"{effective * setup.rho:,.0f} segments, and with {effective:,} one rating of each is enough."
        )
    return ratings


def _outlay_at(pass_rate: float, goal: Goal, setup: Setup, wanted: float | None) -> Outlay:
    """What it takes to reach the goal at this pass rate; budgets and given HITs are what they are."""
    if wanted is None:
        return outlay(_hits_of_budget(goal, setup), setup.terms)
    if goal.name in GOALS_FOR_ITEMS:
        return outlay(_hits_for_items(wanted, setup, pass_rate=pass_rate), setup.terms)
    hits = hits_for(
        wanted * setup.systems,
        usable_share=setup.usable_share,
        hit_size=setup.terms.hit_size,
        pass_rate=pass_rate,
    )
    return outlay(hits, setup.terms)


def _hits_for_items(ratings_per_item: float, setup: Setup, *, pass_rate: float) -> int:
    assert setup.items is not None, "goals on items need to know how many there are"
    return hits_for(
        ratings_per_item * setup.items,
        usable_share=setup.item_share,
        hit_size=setup.terms.hit_size,
        pass_rate=pass_rate,
    )


def _hits_of_budget(goal: Goal, setup: Setup) -> int:
    if goal.name == "hits":
        return int(goal.value)
    hits = hits_within(goal.value, setup.terms)
    if hits < 1:
        raise NotEnoughData(
            f"A budget of {goal.value:,.2f} does not pay for one HIT: that costs "
            f"{setup.terms.cost_per_hit:,.2f}, {setup.terms.pay_per_hit:,.2f} for the worker and the rest "
            "for the platform. Plan with more, or with smaller HITs."
        )
    return hits


def _rounds(goal: Goal, setup: Setup, wanted: float | None) -> int | None:
    return whole(wanted / setup.pass_rate) if wanted and goal.name in GOALS_FOR_ITEMS else None


def _with_model(goal: Goal, setup: Setup, wanted: float | None, planned: Outlay) -> ModelCase:
    """Nobody's ratings are left out, so the pass rate is 1."""
    needed = _outlay_at(1.0, goal, setup, wanted)
    per_item = precision(planned.hits, setup, pass_rate=1.0).ratings_per_item
    caveat = (
        "At best: this assumes that every rating is good. Published: at 5 ratings per item the model "
        "on all workers' ratings correlated at .72 with the truth, mean z at .65 [Mathur2018]."
    )
    if per_item is None or per_item < _LEAST_RATINGS_FOR_MODEL:
        caveat += " Do not count on it here: below two ratings per item the model is no better than mean z."
    return ModelCase(
        outlay=needed,
        precision=precision(needed.hits, setup, pass_rate=1.0),
        saving=planned.cost - needed.cost,
        caveat=caveat,
    )


def _curve(setup: Setup, measure: Measure, planned: int, *, most: int) -> tuple[CurvePoint, ...]:
    lowest, highest = pass_rate_range(setup.pass_rate)
    first = max(1, round(planned * _CURVE_START))
    last = max(first + 2, round(max(planned * _CURVE_END, most * 1.1)))
    if measure == "reliability":
        # Below one rating per item there is nothing to draw.
        last = max(last, _hits_for_items(3, setup, pass_rate=setup.pass_rate))
    steps = min(_CURVE_POINTS, last - first)
    hits = sorted({planned, *(first + round(k * (last - first) / steps) for k in range(steps + 1))})

    def point(n_hits: int) -> CurvePoint:
        low, expected, high = (
            getattr(precision(n_hits, setup, pass_rate=rate), measure)
            for rate in (lowest, setup.pass_rate, highest)
        )
        return CurvePoint(outlay(n_hits, setup.terms), low, expected, high)

    return tuple(point(n_hits) for n_hits in hits)


def _pays_too_little(setup: Setup) -> bool:
    # A pay worked out from the minimum itself may miss it by rounding.
    return setup.terms.hourly_pay < setup.minimum_wage * (1 - 1e-9)


def _warnings(setup: Setup, expected: Case) -> tuple[str, ...]:
    warnings = []
    terms, per_item = setup.terms, expected.precision.ratings_per_item
    if _pays_too_little(setup):
        fair = setup.minimum_wage * terms.hours_per_hit
        warnings.append(
            f"The pay comes to {terms.hourly_pay:,.2f} an hour, below the minimum of "
            f"{setup.minimum_wage:,.2f}. Pay at least {fair:,.2f} per HIT."
        )
    if per_item is not None and per_item < 1:
        warnings.append(
            f"Items get {per_item:.2f} ratings that are kept on average: many will have none, so no score "
            "of their own."
        )
    return tuple(warnings)
