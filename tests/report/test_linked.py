"""Linked campaigns as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from steelyard.exhibits.studies.linked import linked_study
from steelyard.longitudinal.link_draws import CampaignScores, ItemScores
from steelyard.longitudinal.links import CommonItems, Linked, join
from steelyard.report.study import study_json, study_text

NAMES = tuple(f"i{number}" for number in range(20))


@pytest.fixture(scope="module")
def linked() -> Linked:
    """Two campaigns of two systems; old = 1 + 2 new, items known well but not exactly."""
    rng = np.random.default_rng(1)
    x = np.linspace(-1, 1, 20)
    sd = np.full(20, 0.05)
    items = CommonItems(
        "known",
        later=ItemScores(NAMES, x, sd, x + rng.normal(0, 0.05, (100, 20))),
        earlier=ItemScores(NAMES, 1 + 2 * x, sd, 1 + 2 * x + rng.normal(0, 0.05, (100, 20))),
    )
    campaigns = [
        CampaignScores(title, systems, score, score + rng.normal(0, 0.1, (100, 2)))
        for title, systems, score in (
            ("Old", ("a", "b"), np.array([0.5, 1.0])),
            ("New", ("c", "d"), np.array([0.25, 0.5])),
        )
    ]
    found = join(campaigns, [items], rng=rng)
    return replace(found, warnings=("Mind the gap.",), signature="steelyard:0|old\nlink:known")


def test_the_text_has_systems_lines_pairs_and_the_share_of_the_link(linked: Linked) -> None:
    text = study_text(linked_study(linked))

    assert "Systems of all campaigns on the scale of Old" in text
    # 1 + 2 * 0.5
    assert any(line.split()[:4] == ["New", "d", "0.500", "2.000"] for line in text.splitlines())
    assert "earlier scores of calibration items" in text
    assert "Systems of different campaigns" in text
    assert "% of the uncertainty of New's systems comes from the link." in text
    assert "Warning: Mind the gap." in text
    assert text.endswith("steelyard:0|old\nlink:known")


def test_the_sentence_tells_the_share_in_per_cent(linked: Linked) -> None:
    half = replace(linked, links=linked.links.with_columns(share_of_link=pl.lit(0.463)))

    assert linked_study(half).conclusion == ("46 % of the uncertainty of New's systems comes from the link.",)


def test_json_keeps_everything_unrounded(linked: Linked) -> None:
    document = json.loads(study_json([linked_study(linked)]))

    assert document["scale"] == "Old"
    assert document["systems"] == linked.systems.to_dicts()
    assert document["links"] == linked.links.to_dicts()
    assert document["pairs"] == linked.pairs.to_dicts()
    assert document["warnings"] == ["Mind the gap."]
    assert document["conclusion"] == list(linked_study(linked).conclusion)


def test_very_many_pairs_are_left_to_json(linked: Linked) -> None:
    many = replace(linked, pairs=pl.concat([linked.pairs] * 10))

    assert "Systems of different campaigns" not in study_text(linked_study(many))
    assert len(json.loads(study_json([linked_study(many)]))["pairs"]) == 40
