"""The texts of a campaign, and what metrics and people say of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import numpy as np
import polars as pl
import pytest

from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.result import Analysis, AnalysisSettings, MethodSettings
from steelyard.domain.text import CALIBRATION_SYSTEM, CalibrationText, Segment, System
from steelyard.domain.work import Item, ItemKind
from steelyard.flows.analyse import analyse
from steelyard.flows.campaign_texts import CampaignTexts, campaign_scores, human_scores, translations_of
from steelyard.flows.open import OpenCampaign
from steelyard.flows.source import Source
from steelyard.frames import ratings_frame
from steelyard.store import campaigns
from steelyard.store.database import Store

NAN = float("nan")
TEXTS = CampaignTexts(
    "de",
    "en",
    (System("alpha"), System("beta", is_human=True)),
    (
        Segment("s1", "d1", "Eins", "a b c d e"),
        Segment("s2", "d1", "Zwei", "f g h i j"),
        Segment("s10", "d2", "Drei", "k l m n o"),
    ),
    {"alpha": ("a b x d e", "f g h i j", None), "beta": ("a b c d e", "p q r s t", "k l m n o")},
)


@pytest.fixture
def analysis() -> Callable[..., Analysis]:
    """Ratings of alpha: 50 and 70 on s1, 40 on s2; of beta: 80 on s1."""

    def make(method: str = "mean-rating") -> Analysis:
        frame = ratings_frame(
            pl.DataFrame(
                {
                    "worker_id": ["w1", "w2", "w1", "w2"],
                    "hit_id": "h",
                    "item_kind": "regular",
                    "segment_id": ["s1", "s1", "s2", "s1"],
                    "system_id": ["alpha", "alpha", "alpha", "beta"],
                    "attribute": "",
                    "rating": [50.0, 70.0, 40.0, 80.0],
                }
            )
        )
        settings = AnalysisSettings(
            method=method, check="none", method_settings=MethodSettings(draws=0, minimum_ratings=2)
        )
        return analyse(Source(frame, title="toy", campaign="toy"), settings)

    return make


def test_texts_come_back_in_the_order_of_the_campaign(toy_store: Store, toy_campaign: Campaign) -> None:
    texts = translations_of(OpenCampaign(toy_store, toy_campaign.settings))

    assert texts.segments == toy_campaign.segments
    assert texts.systems == toy_campaign.systems
    assert texts.translations == toy_campaign.translations
    assert texts.pair == "de-en"


def test_what_several_systems_gave_stands_for_each_and_what_was_not_drawn_for_none(
    store: Store, toy_campaign: Campaign, noon: datetime
) -> None:
    known = CalibrationText("k", "A hat.", "One hat.", "Ein Hut.", score=0.4, sd=0.1)
    items = [
        Item("i1", ItemKind.REGULAR, "alpha", "s1", "Same text.", credited=("beta",)),
        Item("i2", ItemKind.DEGRADED, "alpha", "s2", "Damaged text.", "i1"),
        Item("i3", ItemKind.GOLD, "beta", "s3", "An expert's.", known=80.0),
        Item("i4", ItemKind.CALIBRATION, CALIBRATION_SYSTEM, known.segment_id, known.text, known=0.4),
    ]
    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            replace(toy_campaign, calibration=(known,)),
            items=items,
            hits=[],
            openings_per_hit=1,
            now=noon,
            created_with="test",
        )

    texts = translations_of(OpenCampaign(store, toy_campaign.settings))

    assert texts.translations == {
        "alpha": ("Same text.", None, None),
        "beta": ("Same text.", None, "An expert's."),
    }
    assert texts.segments == toy_campaign.segments


@pytest.mark.parametrize(
    ("translations", "expected"),
    [
        ({"x": ("1", "2")}, "refA"),
        ({"refA": ("1", "2")}, "refB"),
        ({"refA": ("1", "2"), "refB": ("One", "Two")}, "refB"),
        ({"refB": ("One", "Two")}, "refB"),
    ],
)
def test_the_reference_is_named_as_no_other_text_is(
    translations: dict[str, tuple[str | None, ...]], expected: str
) -> None:
    segments = (Segment("1", "d", "", "One"), Segment("2", "d", "", "Two"))
    texts = CampaignTexts("de", "en", tuple(map(System, translations)), segments, translations)

    assert texts.reference_name == expected


def test_without_references_there_is_no_name_for_them() -> None:
    assert CampaignTexts("de", "en", (), (Segment("1", "d", "Eins", ""),), {}).reference_name is None


def test_the_scores_of_the_analysis_are_the_gold(analysis: Callable[..., Analysis]) -> None:
    scored = campaign_scores(TEXTS, analysis(), [], gold_name="da")

    (gold,) = scored.golds
    assert (gold.name, gold.systems, gold.reference) == ("da", ("alpha", "beta"), None)
    assert gold.segments == pytest.approx(np.array([[60.0, 40.0, NAN], [80.0, NAN, NAN]]), nan_ok=True)
    # A system's score is the mean of its segments'.
    assert gold.overall == pytest.approx(np.array([50.0, 80.0]))
    assert (scored.metrics, scored.warnings) == ((), ())


def test_mean_ratings_are_a_gold_of_their_own(analysis: Callable[..., Analysis]) -> None:
    scored = campaign_scores(TEXTS, analysis("mean-z"), [])

    assert [gold.name for gold in scored.golds] == ["da", "da-raw"]
    # w1 has 50 and 40, w2 70 and 80: each is half a deviation times the root of two from the worker's mean.
    half = np.sqrt(0.5)
    assert scored.golds[0].segments == pytest.approx(
        np.array([[0.0, -half, NAN], [half, NAN, NAN]]), nan_ok=True, abs=1e-12
    )
    assert scored.golds[1].segments == pytest.approx(
        np.array([[60.0, 40.0, NAN], [80.0, NAN, NAN]]), nan_ok=True
    )


def test_metrics_score_the_texts_higher_being_better(analysis: Callable[..., Analysis]) -> None:
    scored = campaign_scores(TEXTS, analysis(), ["ter", "ter"])

    (metric,) = scored.metrics
    assert (metric.name, metric.systems, metric.reference) == ("ter", ("alpha", "beta"), "refA")
    # alpha: one word of five, none; beta: none, all five, none.
    assert metric.segments == pytest.approx(np.array([[-20, 0, NAN], [0, -100, 0]]), nan_ok=True)
    assert metric.overall == pytest.approx(np.array([-100 / 10, -500 / 15]))


def test_what_is_known_of_the_texts_goes_along(analysis: Callable[..., Analysis]) -> None:
    scored = campaign_scores(TEXTS, analysis(), ["chrf"])

    assert (scored.pair, scored.n_segments) == ("de-en", 3)
    assert scored.documents == ("d1", "d1", "d2")
    assert scored.references == ("beta", "refA")
    assert scored.warnings == (
        "Systems have translations of different segments (a database keeps those drawn to be judged), so the "
        "metrics' scores of whole systems are over different texts.",
    )


def test_segments_without_a_reference_are_not_scored(analysis: Callable[..., Analysis]) -> None:
    segments = (replace(TEXTS.segments[0], reference=" "), *TEXTS.segments[1:])

    scored = campaign_scores(replace(TEXTS, segments=segments), analysis(), ["chrf"])

    assert np.isnan(scored.metrics[0].segments[:, 0]).all()
    assert scored.metrics[0].segments[0, 1] == pytest.approx(100.0)
    assert "1 of 3 segments have no reference: metrics leave them out." in scored.warnings


def test_a_system_without_texts_has_no_score(analysis: Callable[..., Analysis]) -> None:
    texts = replace(TEXTS, translations=TEXTS.translations | {"alpha": (None, None, None)})

    scored = campaign_scores(texts, analysis(), ["chrf"])

    assert np.isnan(scored.metrics[0].segments[0]).all()
    assert np.isnan(scored.metrics[0].overall[0])


def test_a_campaign_without_references_cannot_be_scored_by_metrics(
    analysis: Callable[..., Analysis],
) -> None:
    segments = tuple(replace(segment, reference="") for segment in TEXTS.segments)

    with pytest.raises(NotEnoughData, match="no references for bleu, chrf to compare"):
        campaign_scores(replace(TEXTS, segments=segments), analysis(), ["bleu", "chrf"])


def test_unknown_metrics_are_refused_with_those_there_are(analysis: Callable[..., Analysis]) -> None:
    with pytest.raises(ChoiceError, match=r"no metric 'meteor'\. Built in are: bleu, chrf, ter\."):
        campaign_scores(TEXTS, analysis(), ["bleu", "meteor"])


def test_an_analysis_of_other_segments_is_a_mistake(analysis: Callable[..., Analysis]) -> None:
    with pytest.raises(ValueError, match="not among those given"):
        human_scores(analysis(), ["alpha", "beta"], ["s1"], "da")
