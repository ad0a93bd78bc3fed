"""Campaigns linked through calibration items, from their ratings on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from steelyard.domain.errors import ChoiceError, NotEnoughData, SourceError
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.flows.analyse import analyse
from steelyard.flows.link_campaigns import link
from steelyard.flows.source import Source
from steelyard.frames import ratings_frame
from steelyard.longitudinal.links import Linked

SETTINGS = AnalysisSettings(check="none", method_settings=MethodSettings(draws=200))
POINTS = replace(SETTINGS, method="mean-rating")
OLD = {"alpha": 40.0, "beta": 55.0}
NEW = {"gamma": 50.0, "delta": 65.0}
N_SEGMENTS, N_WORKERS, N_ITEMS = 20, 16, 24
# True points of the calibration texts.
TEXTS = np.random.default_rng(0).uniform(20, 80, N_ITEMS)


def _frame(
    seed: int,
    systems: dict[str, float],
    *,
    texts: bool = False,
    known: pl.Series | None = None,
    known_sd: float | None = 2.0,
    level: float = 0.0,
) -> pl.DataFrame:
    """Workers of different generosity rate all systems, and the calibration texts; `level`: of the page."""
    rng = np.random.default_rng(seed)
    segment_level = rng.normal(0, 8, N_SEGMENTS)
    rows: list[tuple[Any, ...]] = []
    for worker in range(N_WORKERS):
        generous = level + rng.normal(0, 6)
        for number in range(40):
            system = list(systems)[number % len(systems)]
            segment = int(rng.integers(N_SEGMENTS))
            quality = systems[system] + segment_level[segment]
            rows.append((worker, "regular", f"s{segment}", system, quality + generous, None, None))
        for item in rng.choice(N_ITEMS, 12, replace=False) if texts else ():
            score = None if known is None else known[int(item)]
            about = (f"calibration:{item}", "calibration", TEXTS[item] + generous)
            rows.append((worker, "calibration", *about, score, known_sd if score is not None else None))
    names = ["worker_id", "item_kind", "segment_id", "system_id", "rating", "known", "known_sd"]
    schema = {"known": pl.Float64, "known_sd": pl.Float64, "rating": pl.Float64}
    frame = pl.DataFrame(rows, schema=names, schema_overrides=schema, orient="row")
    rating = frame["rating"] + pl.Series(rng.normal(0, 8, len(frame)))
    return ratings_frame(
        frame.with_columns(
            rating=rating.clip(0, 100).round(),
            worker_id=pl.format("w{}", "worker_id"),
            hit_id=pl.format("h{}", "worker_id"),
            attribute=pl.lit(""),
        )
    )


def _source(frame: pl.DataFrame, title: str) -> Source:
    return Source(frame, title=title, campaign=title.lower())


# What the earlier campaign said of the texts, in points, give or take 2.
KNOWN = pl.Series(TEXTS + np.random.default_rng(1).normal(0, 2, N_ITEMS))
OLD_SOURCE = _source(_frame(1, OLD, texts=True), "Old")
# The new page makes everybody 10 points stricter.
NEW_SOURCE = _source(_frame(2, NEW, texts=True, known=KNOWN, level=-10.0), "New")


@pytest.fixture(scope="module")
def pair() -> Linked:
    return link([OLD_SOURCE, NEW_SOURCE], POINTS)


def test_systems_of_a_stricter_campaign_come_back_to_the_old_level(pair: Linked) -> None:
    new = pair.systems.filter(campaign="New").sort("system_id")
    truth = np.array([NEW["delta"], NEW["gamma"]])
    assert (new["score"].to_numpy() < truth - 5).all()
    assert np.abs(new["linked"].to_numpy() - truth).max() < 3 * new["sd_total"].to_numpy().max()
    assert pair.scale == "Old"


def test_a_campaign_alone_comes_to_the_scale_of_its_earlier_scores() -> None:
    found = [link([NEW_SOURCE], settings) for settings in (SETTINGS, POINTS)]

    # Whatever the units of the new campaign, its systems are told in those of the earlier scores.
    by_z, by_points = (each.systems.sort("system_id") for each in found)
    gap = np.abs(by_z["linked"].to_numpy() - by_points["linked"].to_numpy())
    assert (gap < 2 * by_z["sd_total"].to_numpy()).all()


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"method": "mean-rating"},
        {"method_settings": MethodSettings(draws=60, unit="worker")},
        {"method_settings": MethodSettings(draws=60, unit="flat", standardise_over="system")},
        {"method": "worker-model", "keep_everyone": True},
    ],
    ids=["mean-z", "mean-rating", "by worker", "flat", "worker-model"],
)
def test_own_scores_are_exactly_those_of_the_analysis(change: dict[str, Any]) -> None:
    settings = replace(SETTINGS, **change)

    found = link([NEW_SOURCE], settings).systems.select("system_id", "score").sort("system_id")

    expected = analyse(NEW_SOURCE, settings).systems.select("system_id", "score").sort("system_id")
    assert_frame_equal(found, expected, rel_tol=1e-12)


def test_drawn_scores_spread_as_the_intervals_of_the_analysis(pair: Linked) -> None:
    found = pair.systems.filter(campaign="Old").sort("system_id")

    settings = replace(POINTS, method_settings=MethodSettings(draws=2000))
    expected = analyse(OLD_SOURCE, settings).systems.sort("system_id")
    width = (found["upper"] - found["lower"]).to_numpy()
    # Widths of 200 draws are known to some 8 %.
    assert width == pytest.approx((expected["upper"] - expected["lower"]).to_numpy(), rel=0.3)


def test_a_worker_model_tells_nearly_the_same_as_means() -> None:
    settings = replace(SETTINGS, method="worker-model", keep_everyone=True)

    model, means = (link([NEW_SOURCE], each).systems.sort("system_id") for each in (settings, SETTINGS))

    gap = np.abs(model["linked"].to_numpy() - means["linked"].to_numpy())
    assert (gap < means["sd_total"].to_numpy()).all()
    assert (model["sd_link"] > 0).all()


def test_several_attributes_weigh_the_same_in_items_as_in_systems() -> None:
    frame = NEW_SOURCE.frame
    both = pl.concat([frame.with_columns(attribute=pl.lit(name)) for name in ("adequacy", "fluency")])

    found = link([replace(NEW_SOURCE, frame=both)], POINTS)

    expected = link([NEW_SOURCE], POINTS)
    assert_frame_equal(
        found.systems.select("system_id", "score", "linked"),
        expected.systems.select("system_id", "score", "linked"),
        rel_tol=0.02,
    )


def test_calibration_items_judged_in_both_link_them_without_earlier_scores() -> None:
    new = _source(_frame(2, NEW, texts=True, level=-10.0), "New")

    found = link([OLD_SOURCE, new], POINTS)

    linked = dict(found.systems.filter(campaign="New").select("system_id", "linked").iter_rows())
    assert found.links.select("via", "n_items").row(0) == ("calibration", N_ITEMS)
    assert linked["gamma"] == pytest.approx(NEW["gamma"], abs=8)
    assert linked["delta"] == pytest.approx(NEW["delta"], abs=8)


@pytest.mark.parametrize(("old_known", "via"), [(KNOWN, "calibration"), (KNOWN + 1, "known")])
def test_texts_are_taken_for_the_same_only_with_the_same_earlier_score(
    old_known: pl.Series, via: str
) -> None:
    old = _source(_frame(1, OLD, texts=True, known=old_known), "Old")

    found = link([old, NEW_SOURCE], POINTS)

    assert found.links["via"].to_list() == [via]


def test_translations_judged_again_link_only_if_asked_for() -> None:
    old, new = (
        _source(_frame(seed, OLD, level=level), title)
        for seed, level, title in ((1, 0, "Old"), (3, -10, "New"))
    )
    # The same segments are as hard in both: the second frame's are given those of the first.
    hard = np.random.default_rng(1).normal(0, 8, N_SEGMENTS) - np.random.default_rng(3).normal(
        0, 8, N_SEGMENTS
    )
    place = new.frame["segment_id"].str.strip_prefix("s").cast(pl.Int64).to_numpy()
    new = replace(new, frame=new.frame.with_columns(rating=(pl.col("rating") + hard[place]).clip(0, 100)))

    found = link([old, new], POINTS, common="translations")

    assert found.links.select("via", "n_items").row(0) == ("translations", 2 * N_SEGMENTS)
    linked = dict(found.systems.filter(campaign="New").select("system_id", "linked").iter_rows())
    assert linked["beta"] == pytest.approx(OLD["beta"], abs=8)
    with pytest.raises(NotEnoughData, match="nothing in common"):
        link([old, new], POINTS)


def test_three_campaigns_make_a_chain() -> None:
    newer = _source(_frame(5, {"zeta": 70.0}, texts=True, level=5.0), "Newer")
    new = _source(_frame(2, NEW, texts=True, level=-10.0), "New")

    found = link([OLD_SOURCE, new, newer], POINTS)

    assert found.links.select("campaign", "to").rows() == [("New", "Old"), ("Newer", "New")]
    linked = found.systems.filter(system_id="zeta").row(0, named=True)
    assert linked["linked"] == pytest.approx(70, abs=3 * linked["sd_total"])
    assert len(found.pairs) == 2 * 2 + 1 * 2 + 1 * 2


def test_the_order_of_rows_does_not_matter_and_they_stay_as_they_are() -> None:
    before = NEW_SOURCE.frame.clone()
    shuffled = replace(NEW_SOURCE, frame=before.sample(fraction=1.0, shuffle=True, seed=4))

    first, second = link([NEW_SOURCE], POINTS), link([shuffled], POINTS)

    assert_frame_equal(first.systems, second.systems, rel_tol=1e-9)
    assert NEW_SOURCE.frame.equals(before)


def test_a_slope_of_one_only_shifts() -> None:
    found = link([OLD_SOURCE, NEW_SOURCE], POINTS, slope="one")

    assert found.links["slope"].item() == 1.0
    assert found.links["intercept"].item() == pytest.approx(10, abs=6)


def test_campaigns_of_the_same_title_are_numbered() -> None:
    new = replace(NEW_SOURCE, title="Old")

    assert link([OLD_SOURCE, new], POINTS).systems["campaign"].unique(maintain_order=True).to_list() == [
        "Old (1)",
        "Old (2)",
    ]


def test_the_signature_holds_both_analyses_and_how_they_were_linked(pair: Linked) -> None:
    found = pair.signature.split("\n")

    assert found[0] == analyse(OLD_SOURCE, POINTS).signature
    assert found[1] == analyse(NEW_SOURCE, POINTS).signature
    assert found[2] == "link:known|slope:free|draws:200|seed:7"


def test_progress_is_told_to_the_end(heard: Any) -> None:
    link([OLD_SOURCE, NEW_SOURCE], POINTS, progress=heard.progress)

    assert heard.announced == [("Linking", 4)]
    assert sum(heard.steps) == 4


def test_earlier_scores_without_deviation_are_taken_as_exact_and_said_to_be() -> None:
    new = _source(_frame(2, NEW, texts=True, known=KNOWN, known_sd=None, level=-10.0), "New")

    found = link([OLD_SOURCE, new], POINTS)

    assert any(f"{N_ITEMS} of the {N_ITEMS} earlier scores in New" in warning for warning in found.warnings)


def test_warnings_of_the_analyses_name_their_campaign() -> None:
    new = replace(NEW_SOURCE, warnings=("A column was not known.",))

    assert "New: A column was not known." in link([new], POINTS).warnings


def test_nothing_in_common_is_refused_with_what_was_looked_for() -> None:
    with pytest.raises(NotEnoughData) as caught:
        link([OLD_SOURCE, _source(_frame(2, NEW), "New")], SETTINGS)

    said = str(caught.value)
    assert "New has nothing in common with Old" in said
    assert "calibration items with an earlier score" in said
    assert "it has no calibration items" in said
    assert "docs/howto/comparing-years.md" in said


def test_earlier_scores_in_other_units_are_refused() -> None:
    with pytest.raises(NotEnoughData, match="of another method, or of another campaign"):
        link([OLD_SOURCE, NEW_SOURCE], SETTINGS)


def test_an_item_with_two_earlier_scores_is_refused() -> None:
    odd = pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.col("known")).otherwise(pl.col("known") + 1)

    with pytest.raises(SourceError, match="more than one earlier score"):
        link([replace(NEW_SOURCE, frame=NEW_SOURCE.frame.with_columns(known=odd))], POINTS)


@pytest.mark.parametrize(
    ("settings", "choices", "said"),
    [
        (replace(SETTINGS, method="expected-wins"), {}, "cannot be linked by expected-wins"),
        (replace(SETTINGS, method_settings=MethodSettings(draws=0)), {}, "at least 40"),
        (SETTINGS, {"slope": "steep"}, "slope cannot be 'steep'"),
        (SETTINGS, {"common": "words"}, "common cannot be 'words'"),
        (
            replace(SETTINGS, method="worker-model", keep_everyone=True),
            {"common": "translations"},
            "through calibration items only",
        ),
    ],
)
def test_choices_that_do_not_exist_are_refused(
    settings: AnalysisSettings, choices: dict[str, Any], said: str
) -> None:
    with pytest.raises(ChoiceError, match=said):
        link([OLD_SOURCE, OLD_SOURCE], settings, **choices)
