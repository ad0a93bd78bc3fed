"""The exhibits of the full report, and what it says of those that could not be made."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure
from steelyard.exhibits.figures import figures
from steelyard.flows.exhibit import REPORT_FIGURES, REPORT_TABLES, report_exhibits

Weighed = Callable[..., Evidence]


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
    changed = type(ranking)(ranking.name, ranking.title, ranking.cite, refused)
    monkeypatch.setitem(figures(), "ranking", changed)

    _, missing = report_exhibits(evidence, options)

    assert missing == [f"{ranking.title} is not shown: HITs are too few."]
