"""A plan for the terminal and for scripts."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from steelyard.domain.wording import counted
from steelyard.exhibits.studies.plan import goal_words
from steelyard.planning.plan import Case, Plan, Precision

_WIDTH = 96
_PRECISION_ROWS: tuple[tuple[str, str, str], ...] = (
    ("ratings per system", "ratings_per_system", ",.0f"),
    ("smallest difference found", "difference", ".3f"),
    ("ratings per item", "ratings_per_item", ",.1f"),
    ("reliability of segment scores", "reliability", ".3f"),
)


def plan_text(plan: Plan) -> str:
    """What it takes, what it shows, both with a range; the pay; what the plan rests on."""
    cases = (plan.expected, plan.at_low, plan.at_high)
    parts = [
        plan.title,
        goal_words(plan),
        "",
        _row("", ("expected", "if fewer pass", "if more pass")),
        _cells("ratings kept", cases, lambda case: f"{100 * case.pass_rate:.0f} %"),
        _cells("HITs", cases, lambda case: f"{case.outlay.hits:,}"),
        _cells("hours of work", cases, lambda case: f"{case.outlay.hours:,.1f}"),
        _cells("money", cases, lambda case: f"{case.outlay.cost:,.2f}"),
        _cells("  for workers", cases, lambda case: f"{case.outlay.paid_to_workers:,.2f}"),
        _cells("  for the platform", cases, lambda case: f"{case.outlay.platform_fee:,.2f}"),
        "",
        f"What {counted(plan.expected.outlay.hits, 'HIT')} can show{_test_words(plan)}:",
        *_precision_rows(cases),
        *_power_lines(plan),
        "",
        _pay_line(plan),
        *_rounds_line(plan),
        "",
        *_wrapped(_model_words(plan)),
    ]
    assumed = [f"Assumed unless given: {'; '.join(plan.assumptions)}."] if plan.assumptions else []
    for words in (*assumed, *(f"Warning: {warning}" for warning in plan.warnings)):
        parts += ["", *_wrapped(words)]
    return "\n".join(parts)


def _test_words(plan: Plan) -> str:
    """With which power and by which test, where systems are compared."""
    setup = plan.setup
    if setup.systems < 2:
        return ""
    shared = f", Holm over {counted(setup.n_pairs, 'pair')}" if setup.correction == "holm" else ""
    return f" (power {setup.power:g}; clustered test, two-sided level {setup.level:g}{shared})"


def _power_lines(plan: Plan) -> list[str]:
    """The chance of finding differences of several sizes, and what was simulated."""
    if not plan.power:
        return []
    first = plan.power[0]
    chances = ", ".join(f"{each.power:.2f} of {each.difference:.3g}" for each in plan.power)
    text = "segment" if plan.setup.variation.document_length == 1 else "document"
    return [
        "",
        *_wrapped(
            f"Chance to find a difference: {chances} (± {max(each.error for each in plan.power):.2f}; "
            f"{counted(first.campaigns, 'simulated campaign')}, each with ratings kept from about "
            f"{counted(round(first.workers), 'worker')} on {counted(round(first.documents), text)})."
        ),
    ]


def to_dict(plan: Plan) -> dict[str, Any]:
    """The plan in plain types: the expected numbers first, then the range. Nothing is rounded."""
    terms, setup = asdict(plan.setup.terms), asdict(plan.setup)
    return {
        "goal": asdict(plan.goal),
        "ratings_wanted": plan.ratings_wanted,
        "rounds": plan.rounds,
        **asdict(plan.expected.outlay),
        "pay_per_hit": plan.setup.terms.pay_per_hit,
        "hourly_pay": plan.setup.terms.hourly_pay,
        **asdict(plan.expected.precision),
        "power": [asdict(each) for each in plan.power],
        "if_fewer_pass": _case(plan.at_low),
        "if_more_pass": _case(plan.at_high),
        "with_worker_model": {
            **asdict(plan.with_worker_model.outlay),
            "saving": plan.with_worker_model.saving,
            "precision": asdict(plan.with_worker_model.precision),
            "caveat": plan.with_worker_model.caveat,
        },
        "settings": {key: value for key, value in {**setup, **terms}.items() if key != "terms"},
        "assumptions": list(plan.assumptions),
        "warnings": list(plan.warnings),
    }


def to_json(plan: Plan) -> str:
    """The plan as an indented JSON document."""
    return json.dumps(to_dict(plan), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _case(case: Case) -> dict[str, Any]:
    """One end of the range: what reaching the goal takes there, and what the planned HITs show."""
    return {
        "pass_rate": case.pass_rate,
        **asdict(case.outlay),
        "precision_of_planned_hits": asdict(case.precision),
    }


def _row(name: str, cells: Iterable[str]) -> str:
    return f"{name:<30}" + "".join(f"{cell:>16}" for cell in cells)


def _cells(name: str, cases: Iterable[Case], cell: Callable[[Case], str]) -> str:
    return _row(name, map(cell, cases))


def _precision_rows(cases: tuple[Case, ...]) -> list[str]:
    """A row for each measure that is known in some case; a dash where it is not."""
    rows = []
    for name, field, shape in _PRECISION_ROWS:
        values = [getattr(case.precision, field) for case in cases]
        if any(value is not None for value in values):
            rows.append(_row(name, ("–" if value is None else format(value, shape) for value in values)))
    return rows


def _pay_line(plan: Plan) -> str:
    terms = plan.setup.terms
    minutes = 60 * terms.hours_per_hit
    return (
        f"Each HIT: {terms.hit_size:.4g} items, about {minutes:.0f} minutes, pays {terms.pay_per_hit:,.2f}; "
        f"that is {terms.hourly_pay:,.2f} an hour."
    )


def _rounds_line(plan: Plan) -> list[str]:
    if plan.rounds is None:
        return []
    return [f"In the campaign file: ratings_per_item = {plan.rounds}, because not all of them are kept."]


def _model_words(plan: Plan) -> str:
    model = plan.with_worker_model
    if plan.ratings_wanted is None:
        shown = _shown_by(model.precision)
        gain = f"the same HITs would show {shown}"
    else:
        enough = f"{model.outlay.hits:,} HITs and {model.outlay.cost:,.2f} would be enough"
        gain = f"{enough}, {model.saving:,.2f} less"
    return f"If the worker model could use the ratings of workers who fail: {gain}. {model.caveat}"


def _shown_by(precision: Precision) -> str:
    shown = []
    if precision.difference is not None:
        shown.append(f"a difference of {precision.difference:.3f}")
    if precision.reliability is not None:
        shown.append(f"a reliability of {precision.reliability:.3f}")
    return " and ".join(shown) or "no more"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH)
