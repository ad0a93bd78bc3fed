"""Precision over time: each point is the analysis of what had arrived by then."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from steelyard.flows.analyse import analyse
from steelyard.flows.create import create
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.precision import PrecisionOverTime, PrecisionPoint, half_width, precision_over_time
from steelyard.flows.progress import campaign_progress
from steelyard.flows.settings import settings_from
from steelyard.flows.simulate import simulate
from steelyard.flows.source import Source, from_campaign


@pytest.fixture(scope="module")
def judged(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenCampaign]:
    """A campaign that six simulated workers have finished: 500 judgements."""
    folder = tmp_path_factory.mktemp("precision")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    create(folder / "campaign.toml", str(folder / "judged.db"), now=datetime(2024, 5, 1, tzinfo=UTC))
    with open_campaign(str(folder / "judged.db")) as campaign:
        simulate(campaign, 6, seed=5)
        yield campaign


@pytest.fixture(scope="module")
def source(judged: OpenCampaign) -> Source:
    return from_campaign(judged)


def over_time(judged: OpenCampaign, source: Source, **choices: Any) -> PrecisionOverTime:
    return precision_over_time(judged, source, settings_from(source, **choices), campaign_progress(judged))


@pytest.mark.parametrize("choices", [{}, {"method": "mean-rating", "check": "none", "draws": 200}])
def test_the_last_point_is_the_analysis_of_everything(
    judged: OpenCampaign, source: Source, choices: dict[str, Any]
) -> None:
    found = over_time(judged, source, **choices)

    systems = analyse(source, settings_from(source, **choices)).systems
    widths = [upper - lower for upper, lower in systems.select("upper", "lower").iter_rows()]
    assert [point.n_judgements for point in found.points] == [50, 100, 200, 400, 500]
    assert found.points[-1].half_width == pytest.approx(sum(widths) / len(widths) / 2)
    assert bool(found.planned) is not bool(choices)


def test_an_earlier_point_is_the_analysis_of_what_had_arrived(judged: OpenCampaign, source: Source) -> None:
    found = over_time(judged, source, check="none")

    # The frame is in order of arrival, and here a judgement is one rating.
    early = replace(source, frame=source.frame.head(200))
    expected = analyse(early, settings_from(early, check="none"))
    assert found.points[2].half_width == half_width(expected)
    assert found.points[2].kept_judgements == 200
    assert found.points[2].until == source.frame["submitted_at"][199]


def test_points_become_more_precise_roughly_by_the_square_root(judged: OpenCampaign, source: Source) -> None:
    found = over_time(judged, source, check="none")

    narrow, wide = found.points[-1].half_width, found.points[-3].half_width
    assert narrow is not None
    assert wide is not None
    assert 1.2 < wide / narrow < 2.1


def test_the_plan_halves_its_intervals_with_four_times_the_judgements(
    judged: OpenCampaign, source: Source
) -> None:
    planned = over_time(judged, source).planned

    assert planned[-1].n_judgements == 500
    assert planned[-3].n_judgements == 125
    assert planned[-3].half_width == pytest.approx(2 * planned[-1].half_width, rel=0.05)
    # 500 items: 80 % count for one of 5 systems, 61 % of them are kept.
    assert planned[-1].half_width == pytest.approx(1.96 * (0.81 / (500 * 0.8 / 5 * 0.61)) ** 0.5, rel=0.15)


def test_what_cannot_be_scored_yet_says_why(judged: OpenCampaign, source: Source) -> None:
    nothing = replace(source, frame=source.frame.filter(pl.col("item_kind") == "reference"))

    found = over_time(judged, nothing, check="none")

    assert found.points[-1].half_width is None
    assert found.points[-1].why


def test_no_judgements_have_no_points(judged: OpenCampaign, source: Source) -> None:
    assert over_time(judged, replace(source, frame=source.frame.clear())).points == ()


def test_earlier_points_are_computed_once(judged: OpenCampaign, source: Source) -> None:
    made: dict[Hashable, PrecisionPoint] = {}
    asked = []

    def remember(key: Hashable, make: Any) -> PrecisionPoint:
        asked.append(key)
        if key not in made:
            made[key] = make()
        return made[key]

    for n in (450, 500):
        early = replace(source, frame=source.frame.head(n))
        settings = settings_from(early, check="none", draws=200)
        precision_over_time(judged, early, settings, campaign_progress(judged), remember=remember)

    assert (len(asked), len(made)) == (10, 6)
