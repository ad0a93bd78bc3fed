"""What every built-in metric must do, whoever wrote it."""

from __future__ import annotations

import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.plugin import Metric
from steelyard.metrics import metrics

TEXTS = (
    "The dog is asleep in the garden.",
    "It has been raining for days.",
    "She laughs out loud, he cries.",
)
OTHERS = ("The dog sleeps in the garden.", "It rains since many days.", "Loud she laughs, and he weeps.")
every_metric = pytest.mark.parametrize("metric", metrics().values(), ids=metrics().keys())


def test_the_metrics_are_these() -> None:
    assert list(metrics()) == ["bleu", "chrf", "ter"]


@every_metric
def test_nothing_scores_higher_than_the_reference_itself(metric: Metric) -> None:
    best = metric.segments(TEXTS, TEXTS, "en")
    others = metric.segments(OTHERS, TEXTS, "en")

    assert all(metric.sign * high > metric.sign * low for high, low in zip(best, others, strict=True))
    assert metric.sign * metric.corpus(TEXTS, TEXTS, "en") > metric.sign * metric.corpus(OTHERS, TEXTS, "en")


@every_metric
def test_the_reference_itself_has_the_best_score_there_is(metric: Metric) -> None:
    best = 100.0 if metric.sign > 0 else 0.0

    assert metric.segments(TEXTS, TEXTS, "en") == pytest.approx([best] * 3)
    assert metric.corpus(TEXTS, TEXTS, "en") == pytest.approx(best)


@every_metric
def test_an_empty_translation_is_scored_as_one_that_has_nothing_right(metric: Metric) -> None:
    worst = 0.0 if metric.sign > 0 else 100.0

    assert metric.segments(["", TEXTS[1]], TEXTS[:2], "en")[0] == worst
    assert metric.corpus(["", ""], TEXTS[:2], "en") == worst


@every_metric
def test_a_corpus_of_one_translation_is_that_translation(metric: Metric) -> None:
    assert metric.corpus(OTHERS[:1], TEXTS[:1], "en") == pytest.approx(
        metric.segments(OTHERS[:1], TEXTS[:1], "en")[0]
    )


@every_metric
def test_the_score_of_a_segment_does_not_depend_on_the_others(metric: Metric) -> None:
    together = metric.segments(OTHERS, TEXTS, "en")

    assert together[::-1] == metric.segments(OTHERS[::-1], TEXTS[::-1], "en")


@every_metric
def test_segments_without_a_reference_are_refused_and_named(metric: Metric) -> None:
    with pytest.raises(NotEnoughData, match=rf"^{metric.name}: of 3 translations.*: number 1, 3\. Give"):
        metric.corpus(OTHERS, ["", TEXTS[1], "  "], "en")


@every_metric
def test_many_missing_references_are_counted(metric: Metric) -> None:
    with pytest.raises(NotEnoughData, match="number 1, 2, 3, 4, 5 and 2 more"):
        metric.segments(["a"] * 7, [""] * 7, "en")


@every_metric
def test_nothing_to_score_is_refused(metric: Metric) -> None:
    with pytest.raises(NotEnoughData, match="there are no translations"):
        metric.segments([], [], "en")


@every_metric
def test_translations_and_references_must_be_as_many(metric: Metric) -> None:
    with pytest.raises(ValueError, match="2 translations, but 1 references"):
        metric.segments(["a", "b"], ["a"], "en")


@every_metric
def test_the_signature_names_the_version(metric: Metric) -> None:
    assert "|version:" in metric.signature("de")
    assert "\n" not in metric.signature("de")
