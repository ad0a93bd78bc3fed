"""A plan: from a goal to HITs, hours and money, or from a budget to what it can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Correction
from steelyard.domain.wording import counted
from steelyard.planning.cost import Outlay, Terms, hits_for, hits_within, outlay, pass_rate_range
from steelyard.planning.power import Power
from steelyard.planning.sample_size import ratings_for_reliability, reliability_of, whole
from steelyard.planning.variation import TYPICAL, Amounts, Variation, expected_errors
from steelyard.stats.rounding import ROUNDING

# The first two concern systems, the next two single translations; "hits" are HITs already designed.
GoalName = Literal["difference", "ratings_per_system", "reliability", "ratings_per_item", "budget", "hits"]
Measure = Literal["difference", "reliability"]
GOALS_FOR_ITEMS = ("reliability", "ratings_per_item")

# Points of the curve that the plot draws, and how far it goes beyond the plan [our choice].
_CURVE_POINTS = 100
_CURVE_START, _CURVE_END = 0.1, 2.0
# With a single rating per item the worker model cannot tell a worker's offset from the items' quality.
_LEAST_RATINGS_FOR_MODEL = 2
# More HITs than anyone can publish: what these do not show, none will.
_MOST_HITS = 10**9


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
    `rho` is the reliability of one rating. `level` is that of the two-sided test of a pair of systems, shared
    by all pairs with `correction` "holm". `variation` is how ratings hang together, and `calibration` how
    much larger the differences found by simulated tests are than by formula.
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
    correction: Correction = "holm"
    variation: Variation = TYPICAL
    calibration: float = 1.0

    @property
    def n_pairs(self) -> int:
        return self.systems * (self.systems - 1) // 2

    @property
    def pair_level(self) -> float:
        """The level at which one pair of systems is claimed to differ while no other is [Holm1979]."""
        return self.level / self.n_pairs if self.correction == "holm" else self.level

    def amounts(self, hits: float, *, pass_rate: float) -> Amounts:
        """What this many HITs hold. Repeats are left out: they are hardly worth a rating."""
        length = self.variation.document_length
        return Amounts(
            hits=hits,
            ratings=hits * self.terms.hit_size * self.item_share,
            systems=self.systems,
            pass_rate=pass_rate,
            documents=None if self.segments is None else max(1.0, self.segments / length),
        )


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
    before any are left out. `power`: the chance of finding differences with the planned HITs; empty
    unless simulated. `measure` is what the curve shows. `assumptions` are sentences about what was not given.
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
    power: tuple[Power, ...]
    measure: Measure
    curve: tuple[CurvePoint, ...]
    pays_too_little: bool
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]


def make_plan(
    goal: Goal,
    setup: Setup,
    *,
    title: str = "",
    assumptions: Sequence[str] = (),
    power: Sequence[Power] = (),
) -> Plan:
    """The plan for a goal; NotEnoughData if no number of HITs, or not the budget, can reach it."""
    lowest, highest = pass_rate_range(setup.pass_rate)
    planned = outlay(planned_hits(goal, setup), setup.terms)
    wanted = _ratings_wanted(goal, setup, planned)

    def case(pass_rate: float) -> Case:
        return Case(
            pass_rate,
            outlay(planned_hits(goal, setup, pass_rate=pass_rate), setup.terms),
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
        with_worker_model=_with_model(goal, setup, planned),
        power=tuple(power),
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
    per_item = None if setup.items is None else kept * setup.item_share / setup.items
    return Precision(
        ratings_per_system=per_system,
        difference=smallest_difference(hits, setup, pass_rate=pass_rate),
        ratings_per_item=per_item,
        # Below one rating some items have none, and the mean of none has no reliability.
        reliability=None if per_item is None or per_item < 1 else reliability_of(per_item, rho=setup.rho),
    )


def _concerns_items(goal: Goal, setup: Setup) -> bool:
    return goal.name in GOALS_FOR_ITEMS or setup.systems == 1


def smallest_difference(hits: float, setup: Setup, *, pass_rate: float) -> float | None:
    """The smallest difference that this many HITs find with the power; None if no pair can be tested."""
    if setup.systems < 2:
        return None
    expected = expected_errors(setup.amounts(hits, pass_rate=pass_rate), setup.variation)
    found = expected.smallest_difference(power=setup.power, level=setup.pair_level)
    return None if found is None else found * setup.calibration


def planned_hits(goal: Goal, setup: Setup, *, pass_rate: float | None = None) -> int:
    """HITs that reach the goal at this pass rate; budgets and given HITs are what they are."""
    rate = setup.pass_rate if pass_rate is None else pass_rate
    if goal.name == "difference":
        return _hits_for_difference(goal.value, setup, pass_rate=rate)
    wanted = _ratings_of(goal, setup)
    if wanted is None:
        return _hits_of_budget(goal, setup)
    if goal.name in GOALS_FOR_ITEMS:
        return _hits_for_items(wanted, setup, pass_rate=rate)
    return hits_for(
        wanted * setup.systems,
        usable_share=setup.usable_share,
        hit_size=setup.terms.hit_size,
        pass_rate=rate,
    )


def _ratings_wanted(goal: Goal, setup: Setup, planned: Outlay) -> float | None:
    if goal.name == "difference":
        return precision(planned.hits, setup, pass_rate=setup.pass_rate).ratings_per_system
    return _ratings_of(goal, setup)


def _ratings_of(goal: Goal, setup: Setup) -> float | None:
    """Ratings that a goal names, or that follow from it without regard to HITs."""
    if goal.name == "reliability":
        return ratings_for_reliability(goal.value, rho=setup.rho)
    return goal.value if goal.name in ("ratings_per_system", "ratings_per_item") else None


def _hits_for_difference(difference: float, setup: Setup, *, pass_rate: float) -> int:
    """The fewest HITs with which the smallest difference found is no larger than this one."""

    def reaches(hits: int) -> bool:
        found = smallest_difference(hits, setup, pass_rate=pass_rate)
        return found is not None and found <= difference * (1 + ROUNDING)

    if not reaches(_MOST_HITS):
        raise _out_of_reach(difference, setup, pass_rate=pass_rate)
    low, high = 0, 1
    while not reaches(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _out_of_reach(difference: float, setup: Setup, *, pass_rate: float) -> NotEnoughData:
    """What there is too little of for a difference, however many HITs are judged."""
    texts = "" if setup.segments is None else counted(setup.segments, "segment")
    length = setup.variation.document_length
    if setup.segments is not None and length > 1:
        texts += f" in {counted(max(1, round(setup.segments / length)), 'document')}"
    people = "" if setup.variation.workers is None else counted(setup.variation.workers, "worker")
    what = " and ".join(part for part in (texts, people) if part)
    least = smallest_difference(_MOST_HITS, setup, pass_rate=pass_rate)
    if least is None:
        return NotEnoughData(
            f"{what} cannot show any difference: a test needs two documents (or segments judged singly) and "
            "two workers who pass, at least. Plan with more."
        )
    return NotEnoughData(
        f"{what} cannot show a difference of {difference:g}, however often each translation is judged: the "
        f"smallest they can show is about {least:.3f}. Plan with more of them, or for a larger difference."
    )


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


def _with_model(goal: Goal, setup: Setup, planned: Outlay) -> ModelCase:
    """Nobody's ratings are left out, so the pass rate is 1."""
    needed = outlay(planned_hits(goal, setup, pass_rate=1.0), setup.terms)
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
