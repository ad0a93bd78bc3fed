"""What a study warns of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.meta.scores import ScoredPair
from steelyard.meta.settings import MetaEvaluation, MetaSettings
from steelyard.meta.study import evaluate_metrics

MakePair = Callable[..., ScoredPair]


def study(pair: ScoredPair, **choices: object) -> MetaEvaluation:
    return evaluate_metrics(pair, "gold", MetaSettings(tests=(), **choices))  # type: ignore[arg-type]


def turned(pair: ScoredPair) -> ScoredPair:
    """The pair with its good metric as a count of errors."""
    good = pair.metrics[1]
    assert good.segments is not None
    return replace(pair, metrics=(pair.metrics[0], replace(good, segments=-good.segments)))


def test_a_sound_study_has_no_warnings(noisy_pair: ScoredPair) -> None:
    assert study(noisy_pair).warnings == ()


def test_a_metric_that_runs_the_other_way_is_named_with_the_remedy(noisy_pair: ScoredPair) -> None:
    found = study(turned(noisy_pair)).warnings

    assert found == (
        "good runs against people's scores. If lower is better there, flip it: name it as flip.",
    )


def test_the_remedy_helps_and_is_told(noisy_pair: ScoredPair) -> None:
    found = study(turned(noisy_pair), flip=("good",))

    assert found.warnings == ()
    assert "Flipped, because lower is better there: good." in found.notes


def test_few_systems_are_told(make_pair: MakePair) -> None:
    values = np.arange(6.0).reshape(3, 2)

    assert "Only 3 systems are compared" in study(make_pair(values, {"m": values})).warnings[0]


def test_gaps_are_counted(noisy_pair: ScoredPair) -> None:
    metric = noisy_pair.metrics[0]
    assert metric.segments is not None
    holed = metric.segments.copy()
    holed[0, :3] = np.nan
    whole = replace(metric, name="whole", segments=None, overall=metric.segments.mean(axis=1))

    found = study(replace(noisy_pair, metrics=(replace(metric, segments=holed), whole))).warnings

    assert found == (
        "fair has no scores of 3 of 320 translations that people judged: they are left out, and its numbers "
        "are over the others.",
        "whole has no scores of translations, so it has only numbers over systems.",
    )


def test_people_without_scores_of_translations_are_told(noisy_pair: ScoredPair) -> None:
    people = replace(noisy_pair.golds[0], segments=None, overall=np.arange(8.0))

    found = study(replace(noisy_pair, golds=(people,)))

    assert found.warnings[0] == "gold has no scores of translations, so there are only numbers over systems."
    assert found.rows["sys_pearson"].null_count() == 0


def test_warnings_of_the_reader_come_first(noisy_pair: ScoredPair) -> None:
    assert study(replace(noisy_pair, warnings=("Odd file.",))).warnings == ("Odd file.",)


@pytest.mark.parametrize("level", ["segment", "document"])
def test_the_level_of_documents_is_told(noisy_pair: ScoredPair, level: str) -> None:
    told = any("are of documents" in note for note in study(noisy_pair, level=level).notes)

    assert told == (level == "document")


def test_the_remedy_is_not_offered_once_more(noisy_pair: ScoredPair) -> None:
    # Turned, the good metric runs against people.
    assert study(noisy_pair, flip=("good",)).warnings == ()


def test_a_metric_to_turn_may_be_named_without_its_reference(noisy_pair: ScoredPair) -> None:
    named = replace(noisy_pair, metrics=tuple(replace(m, name=f"{m.name}-refA") for m in noisy_pair.metrics))

    assert study(turned(named), flip=("good",)).rows.equals(study(turned(named), flip=("good-refA",)).rows)


def test_a_metric_without_any_score_is_told(make_pair: MakePair) -> None:
    values = np.arange(12.0).reshape(6, 2)
    nothing = np.full_like(values, np.nan)

    found = study(make_pair(values, {"m": values, "mute": nothing})).warnings

    assert "mute has no score of any system that is compared, so it has no numbers." in found


def test_metrics_that_have_no_score_at_all_are_no_study(make_pair: MakePair) -> None:
    values = np.arange(12.0).reshape(6, 2)

    with pytest.raises(NotEnoughData, match="No metric has a score"):
        study(make_pair(values, {"mute": np.full_like(values, np.nan)}))
