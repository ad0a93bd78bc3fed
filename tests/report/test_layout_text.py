"""The layout in words: what it says, how wide it is, that nothing in a name can break a table."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from steelyard.design.builder import build
from steelyard.design.explain import explain
from steelyard.design.layout_report import (
    GroupRow,
    KindRow,
    LayoutReport,
    Mark,
    PairRow,
    Promise,
    Separation,
    SystemRow,
)
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.text import Segment, System
from steelyard.domain.work import ItemKind
from steelyard.report.layout_text import layout_text

REGULAR, REPEAT, DEGRADED = ItemKind.REGULAR, ItemKind.REPEAT, ItemKind.DEGRADED
PLAIN = Mark(REGULAR, None)


@pytest.fixture
def report():
    """A HIT of eight items in four groups, one repeat and one degraded item."""
    return LayoutReport(
        campaign="toy",
        order="grouped",
        hit_size=8,
        layout="2014",
        promise=Promise(8, 4, 2, ((REGULAR, 6), (REPEAT, 1), (DEGRADED, 1)), (2, 4)),
        n_hits=1234,
        n_rounds=2,
        n_places=9872,
        hit_sizes=(8, 8),
        control_shares=(0.25, 0.25),
        example_hit="H0001",
        example_groups=(
            GroupRow(0, (1, 2), (Mark(REGULAR, REPEAT), PLAIN), ()),
            GroupRow(1, (3, 4), (Mark(DEGRADED, None), PLAIN), (3,)),
            GroupRow(2, (5, 6), (Mark(REPEAT, None), PLAIN), (0,)),
            GroupRow(3, (7, 8), (PLAIN, Mark(REGULAR, DEGRADED)), ()),
        ),
        example_pairs=(PairRow(DEGRADED, 8, 3, 4), PairRow(REPEAT, 1, 5, 3)),
        kinds=(
            KindRow(REGULAR, 7404, (1.5, 1.5, 1.5, 1.5)),
            KindRow(REPEAT, 1234, (0.25, 0.25, 0.25, 0.25)),
            KindRow(DEGRADED, 1234, (0.25, 0.25, 0.25, 0.25)),
        ),
        bins=((2, 3), (4, 4)),
        separations=(
            Separation(DEGRADED, 1234, 2, 3.5, 4, 0.5, (617, 617)),
            Separation(REPEAT, 1234, 2, 3.0, 4, 0.497, (1000, 234)),
        ),
        n_unpaired=0,
        systems=(
            SystemRow("alpha", 3702, (2, 4), ((0, 1), (0, 1), (1, 1), (0, 2)), (617, 600, 0)),
            SystemRow("beta", 3702, (2, 4), ((0, 1), (0, 1), (1, 1), (0, 2)), (617, 634, 0)),
        ),
        closest=21,
        n_padding=4,
        n_credited=0,
        n_blocks=1,
        warnings=("texts are few.",),
    )


def test_the_text_tells_what_is_promised_and_what_there_is(report):
    text = layout_text(report)

    assert text.startswith("Layout of toy: order grouped, layout 2014\n")
    assert "promised: 8 items per HIT (6 regular, 1 repeat, 1 degraded)" in text
    assert "promised: 4 groups of 2; 2 to 4 items between a control and its base" in text
    assert "1,234 HITs of 8 items in 2 rounds: 9,872 places, 4 of them padding" in text
    assert "at least 21 positions apart" in text
    assert "all connected" in text
    assert "texts are few" not in text


def test_the_example_shows_a_base_as_the_capital_of_its_control(report):
    lines = layout_text(report).splitlines()
    start = lines.index("One HIT, H0001, group by group")

    assert [line.split() for line in lines[start + 3 : start + 7]] == [
        ["0", "1-2", "–", "R", "."],
        ["1", "3-4", "3", "d", "."],
        ["2", "5-6", "0", "r", "."],
        ["3", "7-8", "–", ".", "D"],
    ]


def test_pairs_stand_side_by_side_by_kind(report):
    lines = layout_text(report).splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("All pairs of H0001"))

    assert lines[start + 1].split("  ")[0].strip() == "base, degraded"
    assert lines[start + 3].split() == ["8", "3", "4", "1", "5", "3"]


def test_separations_and_their_histogram_are_printed(report):
    text = layout_text(report)

    assert re.search(r"^degraded +1,234 +2 +3\.5 +4 +50\.0%$", text, flags=re.M)
    assert re.search(r"^repeat +1,234 +2 +3 +4 +49\.7%$", text, flags=re.M)
    # 1,617 pairs with 2 or 3 between, 851 with 4: bars of 30 and of 851 / 1617 x 30 = 15.8.
    assert re.search(r"^2-3 +#{30} +617 +1,000$", text, flags=re.M)
    assert re.search(r"^4 +#{16} +617 +234$", text, flags=re.M)


def test_systems_have_their_bases_and_their_range_in_each_group(report):
    text = layout_text(report)

    assert re.search(r"^alpha +3,702 +2-4 +617 +600 +0$", text, flags=re.M)
    assert re.search(r"^alpha +0-1 +0-1 +1 +0-2$", text, flags=re.M)


def test_what_is_unusual_is_said(report):
    text = layout_text(replace(report, n_unpaired=3, n_credited=2, n_blocks=7, closest=None))

    assert "3 controls without a base in the same HIT" in text
    assert "2 items credited to several systems" in text
    assert "7 blocks without a common item" in text
    assert "translations of one segment in a HIT: none" in text


def test_an_order_without_groups_promises_no_separation(report):
    free = replace(report, order="free", promise=replace(report.promise, separation=None))

    assert "promised: no separation, the order is free" in layout_text(free)
    assert "layout 2014" not in layout_text(free)


def test_documents_are_wanted_whole(report):
    text = layout_text(replace(report, order="documents", promise=None))

    assert "wanted: whole documents, 8 items per HIT ± 15%, 25% to 30%" in " ".join(text.split())


def test_given_hits_promise_nothing(report):
    assert "laid out elsewhere" in layout_text(replace(report, order="given", promise=None))


def test_a_report_without_controls_has_no_tables_of_pairs(report):
    text = layout_text(replace(report, separations=(), bins=(), example_pairs=()))

    assert "All pairs" not in text
    assert "histogram" not in text


@pytest.mark.parametrize(
    "design",
    [
        DesignSettings(),
        DesignSettings(hit_size=200, layout="2013"),
        DesignSettings(hit_size=96, groups=16),
        DesignSettings(hit_size=120, order="free"),
        DesignSettings(hit_size=200, order="documents"),
    ],
    ids=["2014", "2013", "sixteen groups", "free", "documents"],
)
def test_a_campaign_of_twenty_systems_fits_into_a_hundred_columns(design):
    rng = np.random.default_rng(1)

    def text():
        return " ".join(f"w{k}" for k in rng.integers(5000, size=12))

    systems = tuple(System(f"a-system-with-a-name-as-long-as-they-come-{k:02d}") for k in range(20))
    segments = tuple(Segment(str(k), f"d{k // 9}", text(), text()) for k in range(120))
    translations = {system.system_id: [text() for _ in segments] for system in systems}
    settings = CampaignSettings("a-campaign", "A", "da", "adequacy", "de", "en", design=design)
    campaign = Campaign(settings, systems, segments, translations)
    made = build(campaign, rng=rng, new_ids=lambda n: [f"id{k:06d}" for k in range(n)])

    lines = layout_text(explain(made, campaign)).splitlines()

    assert max(len(line) for line in lines) <= 100
    assert all(line == line.rstrip() for line in lines)
    assert all(any(line.startswith(f"a-system-wit…hey-come-{k:02d} ") for line in lines) for k in range(20))
