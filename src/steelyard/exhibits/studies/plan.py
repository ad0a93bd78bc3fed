"""A plan as a table and a figure: what it takes, what money buys, and where the plan lies."""

from __future__ import annotations

from dataclasses import asdict
from math import nan

import polars as pl

from steelyard.domain.exhibit import Axis, Band, Column, Figure, Line, Mark, Panel, Points, Rule, Table
from steelyard.domain.study import StudyResult
from steelyard.planning.plan import Case, Plan

# What each goal is called, with its value put in.
_GOALS: dict[str, str] = {
    "difference": "Goal: find a difference of {:g} between two systems",
    "ratings_per_system": "Goal: {:,.10g} ratings per system",
    "reliability": "Goal: segment scores with a reliability of {:g}",
    "ratings_per_item": "Goal: {:,.10g} ratings per item",
    "budget": "Given: a budget of {:,.2f}",
    "hits": "Given: the campaign's own {:,.0f} HITs",
}
_MEASURES = {
    "difference": "Smallest difference found, in standard deviations",
    "reliability": "Reliability of segment scores",
}
# A few HITs find so large differences only that the rest of the curve would lie flat: it begins where it is
# at most this many times as high as the plan [our choice].
_TALLEST = 5
_CASE_COLUMNS = (
    Column("case", ""),
    Column("pass_rate", "Ratings kept, %", 0, per_cent=True),
    Column("hits", "HITs"),
    Column("hours", "Hours", 1),
    Column("cost", "Money", 2),
    Column("paid_to_workers", "for workers", 2),
    Column("platform_fee", "for the platform", 2),
    Column("ratings_per_system", "Ratings per system", 0),
    Column("difference", "Smallest difference", 3),
    Column("ratings_per_item", "Ratings per item", 1),
    Column("reliability", "Reliability", 3),
)


def goal_words(plan: Plan) -> str:
    """The goal in words, with the ratings that it takes where these follow from it."""
    words = _GOALS[plan.goal.name].format(plan.goal.value)
    if plan.ratings_wanted is None or plan.goal.value == plan.ratings_wanted:
        return words
    unit = "system" if plan.goal.name == "difference" else "item"
    return f"{words}, which takes {plan.ratings_wanted:,.0f} ratings per {unit}"


def plan_study(plan: Plan) -> StudyResult:
    """What the plan takes and shows, with its range, and what any other amount of money would buy."""
    return StudyResult(
        name="plan",
        title=f"Plan: {plan.title}",
        settings={},
        tables=(_cases_table(plan),),
        figures=(plan_figure(plan),),
        lead=f"{goal_words(plan)}.",
        notes=(f"Assumed unless given: {'; '.join(plan.assumptions)}.",) if plan.assumptions else (),
        warnings=plan.warnings,
        record={"plan": plan},
    )


def plan_figure(plan: Plan) -> Figure:
    """What money buys, with the band that the unknown pass rate leaves, and the plan on it."""
    table = Table(
        "plan",
        "What money buys",
        (
            Column("cost", "Money", 2),
            Column("hits", "HITs"),
            Column("at_low", "If fewer pass", 3),
            Column("expected", "Expected", 3),
            Column("at_high", "If more pass", 3),
        ),
        pl.DataFrame(
            [
                (point.outlay.cost, point.outlay.hits, point.at_low, point.expected, point.at_high)
                for point in plan.curve
            ],
            schema={
                "cost": pl.Float64,
                "hits": pl.Int64,
                "at_low": pl.Float64,
                "expected": pl.Float64,
                "at_high": pl.Float64,
            },
            orient="row",
        ),
    )
    terms, outlay = plan.setup.terms, plan.expected.outlay
    low = plan.setup.minimum_wage
    pay = f"below the minimum of {low:,.2f}" if plan.pays_too_little else f"minimum {low:,.2f}"
    rises = plan.measure == "reliability"
    panel = Panel(
        Axis("Money, fee included", low=0, high=plan.curve[-1].outlay.cost),
        Axis(_MEASURES[plan.measure], low=0, high=1 if rises else None),
        (*_curve(plan), *_plan_marks(plan)),
    )
    return Figure.of(
        table,
        caption=f"{goal_words(plan)}. The plan: {outlay.hits:,} HITs, {outlay.hours:,.1f} hours, "
        f"{outlay.cost:,.2f} in all. Each HIT pays {terms.pay_per_hit:,.2f}, that is "
        f"{terms.hourly_pay:,.2f} an hour ({pay}), and costs {terms.cost_per_hit:,.2f} with the fee.",
        panels=[panel],
    )


def _cases_table(plan: Plan) -> Table:
    cases = {"expected": plan.expected, "if fewer pass": plan.at_low, "if more pass": plan.at_high}
    rows = pl.DataFrame([_row(name, case) for name, case in cases.items()], infer_schema_length=None)
    columns = tuple(column for column in _CASE_COLUMNS if column.name == "case" or rows[column.name].count())
    return Table(
        "cases",
        "What it takes, and what the planned HITs show",
        columns,
        rows.select(column.name for column in columns),
    )


def _row(name: str, case: Case) -> dict[str, object]:
    return {"case": name, "pass_rate": case.pass_rate} | asdict(case.outlay) | asdict(case.precision)


def _curve(plan: Plan) -> list[Mark]:
    known = [point for point in plan.curve if None not in (point.at_low, point.expected, point.at_high)]
    reached = getattr(plan.expected.precision, plan.measure)
    if plan.measure == "difference" and reached is not None:
        known = [point for point in known if _number(point.at_low) <= _TALLEST * reached]
    money = tuple(point.outlay.cost for point in known)
    ends = [plan.at_low.pass_rate, plan.at_high.pass_rate]
    band = f"{' to '.join(f'{100 * end:.0f}' for end in ends)} % of the ratings kept"
    return [
        Band(
            money,
            lower=tuple(_number(point.at_low) for point in known),
            upper=tuple(_number(point.at_high) for point in known),
            series=band,
        ),
        Line(
            money,
            tuple(_number(point.expected) for point in known),
            f"{100 * plan.expected.pass_rate:.0f} % kept (expected)",
        ),
    ]


def _plan_marks(plan: Plan) -> list[Mark]:
    """The plan with its range: of money for a goal, of precision for a budget."""
    cost, reached = plan.expected.outlay.cost, getattr(plan.expected.precision, plan.measure)
    if reached is None:
        # Too few ratings for any reliability: the money alone can be shown.
        return [Rule("x", cost, label="the plan", tone="bad")]
    ends = (plan.at_low, plan.at_high)
    if plan.ratings_wanted is None:
        reach = [_number(getattr(end.precision, plan.measure)) for end in ends]
        line = Line((cost, cost), (reach[0], reach[1]), tone="bad")
    else:
        line = Line((ends[0].outlay.cost, ends[1].outlay.cost), (reached, reached), tone="bad")
    words = f"{plan.expected.outlay.hits:,} HITs: {plan.measure} {reached:.3f}"
    return [line, Points((cost,), (reached,), "the plan, with its range", "bad", labels=(words,))]


def _number(value: float | None) -> float:
    return nan if value is None else value
