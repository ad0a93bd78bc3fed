"""From sources to a study of replication with its cost, and what becomes of it in text and JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import ChoiceError, NotEnoughData, SourceError
from steelyard.domain.result import AnalysisSettings
from steelyard.domain.scale import Scale
from steelyard.evaluation.replication.settings import Replication, ReplicationSettings
from steelyard.exhibits.studies.replication import replication_study
from steelyard.flows.plan import plan
from steelyard.flows.replicate import Prices, replicate
from steelyard.flows.source import Source
from steelyard.frames import ratings_frame
from steelyard.report.study import study_json, study_text

SETTINGS = ReplicationSettings(reliability=(0.9, 0.95), draws=20)
N_ITEMS = 40


def _ratings(workers: str, *, seed: int, attribute: str = "") -> pl.DataFrame:
    """Eight careful workers and two who click at random judge forty texts and twelve damaged copies."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(30, 80, N_ITEMS)
    rows: list[tuple[Any, ...]] = []
    for w in range(10):
        for t in range(N_ITEMS):
            kinds = ("regular", "degraded") if t % 3 == 0 and t < 36 else ("regular",)
            for kind in kinds:
                level = quality[t] - 25 * (kind == "degraded") + rng.normal(0, 12)
                given = level if w < 8 else rng.uniform(0, 100)
                rows.append((f"{workers}{w}", f"s{t}", kind, float(np.clip(round(given), 0, 100))))
    table = pl.DataFrame(rows, schema=["worker_id", "segment_id", "item_kind", "rating"], orient="row")
    same = {"system_id": "A", "hit_id": "h", "attribute": attribute}
    return ratings_frame(table.with_columns(pl.lit(value).alias(name) for name, value in same.items()))


@pytest.fixture(scope="module")
def sources() -> tuple[Source, Source]:
    return (
        Source(_ratings("w", seed=1), title="Toys", campaign="toys", warnings=("Odd columns.",)),
        Source(_ratings("v", seed=2), title="More toys", campaign="more-toys"),
    )


@pytest.fixture(scope="module")
def found(sources: tuple[Source, Source]) -> Replication:
    return replicate(*sources, SETTINGS)


def test_only_workers_who_pass_are_drawn_from(found: Replication) -> None:
    assert [part.workers for part in found.collections] == [8, 8]


def test_everyone_is_drawn_from_if_asked(sources: tuple[Source, Source], found: Replication) -> None:
    everyone = replace(SETTINGS, analysis=AnalysisSettings(keep_everyone=True))

    worse = replicate(*sources, everyone)

    assert [part.workers for part in worse.collections] == [10, 10]
    of_all = (pl.col("of") == "") & (pl.col("scale") == "z")
    assert worse.rho.filter(of_all)["rho"].item() < found.rho.filter(of_all)["rho"].item()


def test_the_cost_is_that_of_a_plan_for_the_items(found: Replication) -> None:
    # Of 520 ratings in each source the 416 of eight workers are kept.
    for need, cost in zip(found.needed, found.costs, strict=True):
        expected = plan(systems=1, segments=N_ITEMS, ratings_per_item=need.ratings, pass_rate=0.8)
        assert cost is not None
        assert cost.plan.expected.outlay == expected.expected.outlay
        assert cost.plan.rounds == int(np.ceil(need.ratings / 0.8))
        ends = [
            plan(systems=1, segments=N_ITEMS, ratings_per_item=ratings, pass_rate=0.8).expected.outlay
            for ratings in (need.fewest, need.most)
        ]
        assert [cost.at_fewest, cost.at_most] == ends


def test_the_share_kept_is_told_as_an_assumption(found: Replication) -> None:
    cost = found.costs[0]

    assert cost is not None
    assert cost.plan.assumptions[0] == "80 % of the ratings are kept, as in these judgements"


def test_prices_are_the_callers(sources: tuple[Source, Source], found: Replication) -> None:
    dear = replicate(*sources, SETTINGS, prices=Prices(wage=24, fee=0.4, pass_rate=0.5, seconds=30))

    cost, need = dear.costs[0], dear.needed[0]
    assert cost is not None
    expected = plan(
        systems=1,
        segments=N_ITEMS,
        ratings_per_item=need.ratings,
        wage=24,
        fee=0.4,
        pass_rate=0.5,
        seconds=30,
    )
    assert cost.plan.expected.outlay == expected.expected.outlay
    assert dear.rows.equals(found.rows)


def test_without_a_check_the_published_share_is_assumed(sources: tuple[Source, Source]) -> None:
    unchecked = replace(SETTINGS, analysis=AnalysisSettings(check="none"))

    cost = replicate(sources[0], None, unchecked).costs[0]

    assert cost is not None
    assert cost.plan.setup.pass_rate == 0.61


def test_prices_that_make_no_sense_are_refused_before_anything_is_drawn(
    sources: tuple[Source, Source],
) -> None:
    def never(what: str, length: int) -> Any:
        raise AssertionError("nothing should be drawn")

    with pytest.raises(ChoiceError, match="fee must be from 0 to 1"):
        replicate(*sources, SETTINGS, prices=Prices(fee=20), progress=never)


def test_one_source_is_split(sources: tuple[Source, Source]) -> None:
    found = replicate(sources[0], None, SETTINGS)

    assert found.is_split
    assert found.title == "toys"
    assert found.rows["ratings"].max() == 4


def test_scales_of_the_two_may_differ(sources: tuple[Source, Source], found: Replication) -> None:
    small = replace(
        sources[1], frame=sources[1].frame.with_columns(rating=pl.col("rating") / 25 + 1), scale=Scale(1, 5)
    )

    other = replicate(sources[0], small, SETTINGS)

    np.testing.assert_allclose(other.rows["r"], found.rows["r"])
    np.testing.assert_allclose(other.rho["rho"], found.rho["rho"])
    assert "scale:1,5" in other.signature


def test_one_attribute_of_several_can_be_taken(sources: tuple[Source, Source], found: Replication) -> None:
    both = [
        replace(
            source,
            frame=pl.concat(
                [
                    source.frame.with_columns(attribute=pl.lit("sense")),
                    _ratings("w", seed=9, attribute="style"),
                ]
            ),
        )
        for source in sources
    ]
    only = replace(SETTINGS, analysis=AnalysisSettings(attribute="sense"))

    assert replicate(both[0], both[1], only).rows.equals(found.rows)


def test_the_signatures_tell_both_sources_and_the_study(found: Replication) -> None:
    first, second = found.signature.split("\n")

    assert "|campaign:toys|qc:paired-t|kept:416/520|" in first
    assert "|campaign:more-toys|" in second
    assert first.endswith("|boot:20|seed:7|study:replication|of:collections")


def test_progress_is_told_of_every_step(sources: tuple[Source, Source], heard: Any) -> None:
    replicate(*sources, SETTINGS, progress=heard.progress)

    # Twenty draws, and rho of all and of each collection on two scales.
    assert heard.announced == [("Drawing ratings", 26)]
    assert sum(heard.steps) == 26


def test_sources_without_judgements_or_attributes_are_refused(sources: tuple[Source, Source]) -> None:
    with pytest.raises(NotEnoughData, match="There are no judgements yet"):
        replicate(replace(sources[0], frame=sources[0].frame.clear()), None, SETTINGS)
    with pytest.raises(SourceError, match="no rating is of attribute 'wit'"):
        replicate(sources[0], None, replace(SETTINGS, analysis=AnalysisSettings(attribute="wit")))


def test_the_text_tells_rho_curve_cost_conclusion_warnings_and_signatures(found: Replication) -> None:
    text = study_text(replication_study(found))
    lines = text.splitlines()

    assert lines[0] == "Replication: toys against more-toys"
    assert lines[1].startswith(
        "40 translations in both collections. toys: 320 good ratings by 8 workers, 8.0"
    )
    for heading in (
        "Reliability of one rating (rho)",
        "Correlation of mean ratings by number of ratings per translation (N)",
        "Good ratings per translation for a target reliability, and their cost",
    ):
        assert heading in lines
    assert " ".join(found.conclusion.split()) in " ".join(text.split())
    assert "Warning: Odd columns." in lines
    assert "\n".join(lines[-2:]) == found.signature
    assert max(map(len, lines[:-2])) <= 100


def test_json_keeps_full_precision_and_the_plans(found: Replication) -> None:
    document = json.loads(study_json([replication_study(found)]))

    assert [row["r"] for row in document["rows"]] == found.rows["r"].to_list()
    assert [row["rho"] for row in document["rho"]] == found.rho["rho"].to_list()
    assert [need["ratings"] for need in document["needed"]] == [need.ratings for need in found.needed]
    assert document["needed"][0]["plan"]["hits"] == document["needed"][0]["hits"]
    assert document["split"] is False
    assert json.loads(study_json([replication_study(found)] * 2)) == {"studies": [document, document]}


def test_ratings_that_never_suffice_have_no_cost(found: Replication) -> None:
    never = replace(
        found,
        needed=tuple(replace(need, ratings=None, fewest=None, most=None) for need in found.needed),
        costs=(None, None),
    )

    document = json.loads(study_json([replication_study(never)]))

    assert document["needed"][0]["cost"] is None
    assert "HITs" not in study_text(replication_study(never))
