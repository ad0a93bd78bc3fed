"""The exhibits of the full report, and what it says of those that could not be made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure
from steelyard.exhibits import figures
from steelyard.flows.exhibit import n_in_report, report_exhibits

# What a reader wants first, in that order.
REPORT_FIGURES = (
    *("ranking", "significance", "p-against-pace", "repeat-against-first", "rating-histograms", "agreement"),
)
# Shown where the method has drawn scores, and where it has learnt something of workers.
DRAWN_FIGURES = ("rank-probabilities", "score-posterior")
# The table of precision where both are so.
LEARNT_EXHIBITS = ("stopping", "worker-parameters")
REPORT_TABLES = ("pass-counts", "agreement")

Weighed = Callable[..., Evidence]
Learnt = Callable[[Evidence], Evidence]


def test_a_full_campaign_has_all_of_them_in_their_order(evidence: Evidence, options: ExhibitOptions) -> None:
    made, missing = report_exhibits(evidence, options)

    assert [exhibit.name for exhibit in made] == [*REPORT_FIGURES, *REPORT_TABLES]
    assert missing == []


def test_an_exhibit_that_cannot_be_made_is_named_with_the_reason(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    nothing = [pl.lit(None, crowd.schema[name]).alias(name) for name in ("seconds", "submitted_at")]

    made, missing = report_exhibits(weighed(crowd.with_columns(nothing)), options)

    assert missing == [
        "Check against pace is not shown: nothing is known of how long judgements or HITs took, so nobody "
        "has a pace."
    ]
    assert "p-against-pace" not in [exhibit.name for exhibit in made if isinstance(exhibit, Figure)]


def test_a_reason_that_begins_with_an_abbreviation_keeps_its_capitals(
    evidence: Evidence, options: ExhibitOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> Figure:
        raise NotEnoughData("HITs are too few.")

    ranking = figures()["ranking"]
    changed = replace(ranking, make=refused)
    monkeypatch.setitem(figures(), "ranking", changed)

    _, missing = report_exhibits(evidence, options)

    assert missing == [f"{ranking.title} is not shown: HITs are too few."]


def test_a_method_that_draws_and_learns_has_more_to_show(
    evidence: Evidence, learnt: Learnt, options: ExhibitOptions
) -> None:
    made, missing = report_exhibits(learnt(evidence), options)

    names = [exhibit.name for exhibit in made]
    assert names == [*REPORT_FIGURES, *DRAWN_FIGURES, *LEARNT_EXHIBITS, *REPORT_TABLES]
    assert missing == []


def test_draws_alone_give_the_figures_of_draws_alone(
    evidence: Evidence, learnt: Learnt, options: ExhibitOptions
) -> None:
    drawn = replace(evidence, analysis=replace(evidence.analysis, draws=learnt(evidence).analysis.draws))

    made, missing = report_exhibits(drawn, options)

    assert [exhibit.name for exhibit in made] == [*REPORT_FIGURES, *DRAWN_FIGURES, *REPORT_TABLES]
    assert missing == []


def test_a_figure_that_the_method_could_have_but_the_data_do_not_support_is_named(
    crowd: pl.DataFrame, weighed: Weighed, learnt: Learnt, options: ExhibitOptions
) -> None:
    # One worker has nobody to be compared with.
    _, missing = report_exhibits(learnt(weighed(crowd.filter(worker_id="ann"))), options)

    assert any(
        sentence.startswith("Workers as the model sees them is not shown: no worker") for sentence in missing
    )


@pytest.mark.parametrize("learns", [False, True])
def test_the_steps_add_up_whatever_the_method(
    evidence: Evidence, learnt: Learnt, options: ExhibitOptions, learns: bool
) -> None:
    steps: list[int] = []

    report_exhibits(learnt(evidence) if learns else evidence, options, step=steps.append)

    assert sum(steps) == n_in_report()
