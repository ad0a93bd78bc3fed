"""Reports: what they say, that they escape, that they compute nothing and fetch nothing."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.result import Analysis, AnalysisSettings
from steelyard.flows.analyse import analyse
from steelyard.frames import ratings_frame
from steelyard.report.html import axis_for, to_html
from steelyard.report.json import to_json
from steelyard.report.text import number, rank_range, to_text

MEANS = {"<b>good</b>": 70.0, "fair & square": 50.0, "bad": 30.0}


@pytest.fixture
def analysis() -> Analysis:
    """Three systems far apart, six workers, everyone kept; names that HTML would misread."""
    rng = np.random.default_rng(5)
    rows = [
        (f"w{worker}", system, str(segment), float(np.clip(rng.normal(mean, 8), 0, 100)))
        for worker in range(6)
        for segment in range(20)
        for system, mean in MEANS.items()
    ]
    table = pl.DataFrame(rows, schema=["worker_id", "system_id", "segment_id", "rating"], orient="row")
    frame = ratings_frame(
        table.with_columns(hit_id=pl.lit("h"), item_kind=pl.lit("regular"), attribute=pl.lit(""))
    )
    return analyse(
        frame, AnalysisSettings(check="none"), title='A "title" <script>', warnings=("Mind <this>.",)
    )


def test_names_and_titles_are_escaped(analysis: Analysis) -> None:
    page = to_html(analysis)

    assert "&lt;b&gt;good&lt;/b&gt;" in page
    assert "<b>good</b>" not in page
    assert "<script" not in page
    assert "Mind &lt;this&gt;." in page


def test_the_page_fetches_nothing(analysis: Analysis) -> None:
    page = to_html(analysis)

    assert re.findall(r"(?:src|href)=|url\(|@import", page) == []


def test_the_page_names_the_winner_and_carries_the_signature(analysis: Analysis) -> None:
    page = to_html(analysis)

    assert "is rated above every other system" in page
    assert analysis.signature in page


def test_the_page_promises_no_more_about_borders_than_the_rule_does(analysis: Analysis) -> None:
    strict = to_html(analysis)
    weaker = to_html(replace(analysis, settings=replace(analysis.settings, clusters="wmt21")))

    promise = "every border between clusters separates systems that are"
    assert promise in strict
    assert promise not in weaker
    assert "rule of WMT21" in weaker


def test_the_page_has_each_systems_score_as_in_the_analysis(analysis: Analysis) -> None:
    page = to_html(analysis)

    for score in analysis.systems["score"]:
        assert f"<td>{number(score)}</td>" in page


def test_the_terminal_draws_a_line_between_clusters(analysis: Analysis) -> None:
    lines = to_text(analysis).splitlines()

    rules = [line for line in lines if set(line) == {"-"}]
    assert len(rules) == analysis.systems["cluster"].n_unique()
    assert lines[-1] == analysis.signature


def test_json_has_null_for_what_is_unknown_and_full_precision(analysis: Analysis) -> None:
    document = json.loads(to_json(analysis))

    assert document["workers"][0]["offset"] is None
    assert document["workers"][0]["verdict"] is None
    assert document["systems"][0]["score"] == analysis.systems["score"][0]
    assert "NaN" not in to_json(analysis)


@pytest.mark.parametrize(("low", "high", "expected"), [(1, 1, "1"), (2, 5, "2-5")])
def test_rank_ranges_read_naturally(low: int, high: int, expected: str) -> None:
    assert rank_range(low, high) == expected


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [(None, 3, "–"), (math.nan, 3, "–"), (-0.5, 1, "−0.5"), (1 / 3, 3, "0.333")],
)
def test_numbers_have_a_true_minus_and_a_dash_for_none(
    value: float | None, digits: int, expected: str
) -> None:
    assert number(value, digits) == expected


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_an_axis_holds_its_values_between_round_ticks(values: list[float]) -> None:
    axis = axis_for(values)

    assert all(-1e-6 <= axis.percent(value) <= 100 + 1e-6 for value in values)
    assert 2 <= len(axis.ticks) <= 12
    leading = axis.step / 10 ** math.floor(math.log10(axis.step) + 1e-9)
    assert min(abs(leading - good) for good in (1, 2, 5)) < 1e-6


def test_an_axis_over_nothing_still_exists() -> None:
    assert len(axis_for([None]).ticks) >= 2
