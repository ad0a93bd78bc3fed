"""A plan as text, JSON and figure."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from steelyard.domain.exhibit import Line, Points, Rule
from steelyard.exhibits.studies.plan import plan_figure
from steelyard.planning.cost import Terms
from steelyard.planning.plan import Goal, GoalName, Plan, Setup, make_plan
from steelyard.report.plan import plan_text, to_dict, to_json

SETUP = Setup(
    systems=5,
    segments=None,
    items=None,
    usable_share=0.8,
    item_share=0.7,
    pass_rate=0.61,
    terms=Terms(hit_size=100, seconds_per_item=18, pay_per_hit=6.0, fee=0.2),
    minimum_wage=12.0,
    rho=0.41,
    power=0.8,
    level=0.05,
)
WITH_SEGMENTS = replace(SETUP, segments=300, items=1500)


@pytest.fixture
def example() -> Plan:
    return make_plan(
        Goal("ratings_per_system", 1500), SETUP, title="5 systems, adequacy (da)", assumptions=["all is well"]
    )


def line_of(text: str, start: str) -> list[str]:
    """The cells of the first line that begins so."""
    (line, *_) = [line for line in text.splitlines() if line.startswith(start)]
    return line.removeprefix(start).split()


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("HITs", ["154", "204", "124"]),
        ("hours of work", ["77.0", "102.0", "62.0"]),
        ("money", ["1,108.80", "1,468.80", "892.80"]),
        ("  for workers", ["924.00", "1,224.00", "744.00"]),
        ("  for the platform", ["184.80", "244.80", "148.80"]),
        ("ratings per system", ["1,503", "1,133", "1,873"]),
    ],
)
def test_the_text_has_expected_and_both_ends(example: Plan, row: str, cells: list[str]) -> None:
    assert line_of(plan_text(example), row) == cells


@pytest.mark.parametrize(
    "part",
    [
        "5 systems, adequacy (da)\nGoal: 1,500 ratings per system\n",
        "100 items, about 30 minutes, pays 6.00; that is 12.00 an hour.",
        "94 HITs and 676.80 would be",
        "Assumed unless given: all is well.",
    ],
)
def test_the_text_says_goal_pay_saving_and_assumptions(example: Plan, part: str) -> None:
    assert part in plan_text(example)


def test_what_cannot_be_told_has_no_row(example: Plan) -> None:
    assert "reliability" not in plan_text(example)


def test_nothing_assumed_is_not_mentioned(example: Plan) -> None:
    assert "Assumed" not in plan_text(replace(example, assumptions=()))


def test_warnings_come_last() -> None:
    poor = replace(SETUP, terms=replace(SETUP.terms, pay_per_hit=1.0))

    text = plan_text(make_plan(Goal("difference", 0.1), poor))

    assert text.endswith(
        "Warning: The pay comes to 2.00 an hour, below the minimum of 12.00. Pay at least 6.00 per HIT."
    )


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Goal("difference", 0.2), "Goal: find a difference of 0.2 between two systems"),
        (Goal("reliability", 0.9), "a reliability of 0.9, which takes 13 ratings per item\n"),
        (Goal("ratings_per_item", 15), "Goal: 15 ratings per item\n"),
        (Goal("budget", 2000), "Given: a budget of 2,000.00\n"),
        (Goal("hits", 35), "Given: the campaign's own 35 HITs\n"),
    ],
)
def test_every_goal_is_put_in_words(goal: Goal, words: str) -> None:
    assert words in plan_text(make_plan(goal, WITH_SEGMENTS))


def test_a_goal_on_items_names_the_setting_of_the_campaign_file() -> None:
    assert "ratings_per_item = 22," in plan_text(make_plan(Goal("reliability", 0.9), WITH_SEGMENTS))


def test_a_budget_tells_what_the_model_would_show_instead_of_a_saving() -> None:
    text = " ".join(plan_text(make_plan(Goal("budget", 5000), WITH_SEGMENTS)).split())

    assert "the same HITs would show a difference of" in text


@pytest.mark.parametrize(
    ("key", "value"),
    [("hits", 154), ("hours", 77.0), ("cost", 1108.80), ("pay_per_hit", 6.0), ("hourly_pay", 12.0)],
)
def test_the_json_begins_with_the_expected_numbers(example: Plan, key: str, value: float) -> None:
    assert json.loads(to_json(example))[key] == pytest.approx(value)


@pytest.mark.parametrize(("end", "hits"), [("if_fewer_pass", 204), ("if_more_pass", 124)])
def test_the_json_has_both_ends_of_the_range(example: Plan, end: str, hits: int) -> None:
    assert to_dict(example)[end]["hits"] == hits


def test_the_json_rounds_nothing(example: Plan) -> None:
    assert to_dict(example)["difference"] == example.expected.precision.difference


def test_unknown_is_null_in_the_json(example: Plan) -> None:
    assert json.loads(to_json(example))["reliability"] is None


def test_every_setting_is_in_the_json(example: Plan) -> None:
    settings = to_dict(example)["settings"]

    assert settings["pass_rate"] == 0.61
    assert settings["hit_size"] == 100
    assert "terms" not in settings


@pytest.mark.parametrize(
    ("name", "value", "setup", "range_of"),
    [
        ("difference", 0.1, SETUP, "money"),
        ("reliability", 0.9, WITH_SEGMENTS, "money"),
        ("budget", 900, WITH_SEGMENTS, "precision"),
    ],
)
def test_the_figure_shows_the_plan_on_the_curve(
    name: GoalName, value: float, setup: Setup, range_of: str
) -> None:
    made = make_plan(Goal(name, value), setup, title="A plan")

    figure = plan_figure(made)

    (panel,) = figure.panels
    (point,) = [mark for mark in panel.marks if isinstance(mark, Points)]
    (span,) = [mark for mark in panel.marks if isinstance(mark, Line) and len(mark.x) == 2]
    assert point.x == (made.expected.outlay.cost,)
    assert point.y == (getattr(made.expected.precision, made.measure),)
    assert (span.y[0] == span.y[1]) is (range_of == "money")
    assert min(span.x) <= point.x[0] <= max(span.x)
    assert min(span.y) <= point.y[0] <= max(span.y)
    assert figure.table.rows["hits"].to_list() == sorted(figure.table.rows["hits"])


def test_a_plan_too_small_for_any_reliability_is_a_line_at_its_money() -> None:
    made = make_plan(Goal("budget", 40), replace(WITH_SEGMENTS, systems=1, items=300))

    marks = plan_figure(made).panels[0].marks

    assert [mark.at for mark in marks if isinstance(mark, Rule)] == [made.expected.outlay.cost]


def test_the_figure_says_what_the_plan_is_and_pays(example: Plan) -> None:
    poor = replace(SETUP, terms=replace(SETUP.terms, pay_per_hit=1.0))

    assert "154 HITs, 77.0 hours, 1,108.80 in all" in plan_figure(example).caption
    assert "(minimum 12.00)" in plan_figure(example).caption
    assert "(below the minimum of 12.00)" in plan_figure(make_plan(Goal("difference", 0.1), poor)).caption
