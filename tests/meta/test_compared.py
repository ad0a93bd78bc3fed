"""Which systems a study is about, and what it says of those it leaves out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from steelyard.domain.errors import ChoiceError, NotEnoughData, SourceError
from steelyard.meta.compared import compare
from steelyard.meta.scores import ScoredPair, ScoreSet
from steelyard.meta.settings import MetaSettings

MakePair = Callable[..., ScoredPair]
SYSTEMS = ("refA", "tin", "refB", "brass", "iron")


@pytest.fixture
def pair(make_pair: MakePair) -> ScoredPair:
    """Five systems of which two are references; one metric is held against refA, one against nothing."""
    values = np.arange(10.0).reshape(5, 2)
    made = make_pair(values, {"one": values, "two": values}, systems=SYSTEMS, references=("refA", "refB"))
    return replace(made, metrics=(replace(made.metrics[0], reference="refA"), made.metrics[1]))


def test_references_are_left_out_and_named(pair: ScoredPair) -> None:
    found = compare(pair, "gold", MetaSettings())

    assert found.systems == ("brass", "iron", "tin")
    assert "Left out because metrics compare other systems with them: refA." in found.notes
    assert (
        "Left out because they are people's translations (with_references keeps them): refB." in found.notes
    )


def test_a_metrics_own_reference_is_left_out_for_all_metrics_even_where_references_are_kept(
    pair: ScoredPair,
) -> None:
    found = compare(pair, "gold", MetaSettings(with_references=True))

    assert found.systems == ("brass", "iron", "refB", "tin")


def test_a_metric_of_several_references_is_held_against_each(pair: ScoredPair) -> None:
    several = replace(pair, metrics=(replace(pair.metrics[0], reference="refA.refB"), pair.metrics[1]))

    assert compare(several, "gold", MetaSettings(with_references=True)).systems == ("brass", "iron", "tin")


def test_systems_can_be_excluded(pair: ScoredPair) -> None:
    found = compare(pair, "gold", MetaSettings(exclude=("iron", "refA")))

    assert found.systems == ("brass", "tin")
    assert "Left out because it was asked for: iron." in found.notes


def test_systems_that_nobody_judged_are_no_part_of_it(make_pair: MakePair) -> None:
    people = np.array([[1.0, 2.0], [3.0, np.nan], [np.nan, np.nan], [1.0, 1.0]])

    assert compare(make_pair(people, {"m": people}), "gold", MetaSettings()).systems == ("A", "B", "D")


def test_every_unknown_name_is_reported_at_once(pair: ScoredPair) -> None:
    settings = MetaSettings(exclude=("steel", "tin"), flip=("three", "gold"))

    with pytest.raises(SourceError) as caught:
        compare(pair, "silver", settings)

    assert len(caught.value.problems) == 3
    assert "no gold 'silver'. Use one of: gold." in caught.value.problems[0]
    assert "no system to exclude named 'steel'" in caught.value.problems[1]
    assert "no metric or gold to flip named 'three'. Use any of: gold, one, two." in caught.value.problems[2]


def test_without_metrics_there_is_nothing_to_judge(pair: ScoredPair) -> None:
    with pytest.raises(SourceError, match="no scores by any metric"):
        compare(replace(pair, metrics=()), "gold", MetaSettings())


def test_one_system_is_not_enough(pair: ScoredPair) -> None:
    with pytest.raises(NotEnoughData, match=r"1 of 5 systems .* Left out because .* refA"):
        compare(pair, "gold", MetaSettings(exclude=("tin", "iron")))


def test_a_metric_that_lacks_a_system_is_named(pair: ScoredPair) -> None:
    gaps = ScoreSet("gaps", ("tin", "iron"), np.ones((2, 2)), None)

    found = compare(replace(pair, metrics=(*pair.metrics, gaps)), "gold", MetaSettings())

    assert found.warnings == (
        "gaps has no scores of brass: its numbers are over the other 2 systems and cannot be compared with "
        "those of other metrics.",
    )
    assert np.isnan(found.metrics[2].overall).tolist() == [True, False, False]


def test_scores_follow_their_systems_whatever_the_order(pair: ScoredPair) -> None:
    found = compare(pair, "gold", MetaSettings())

    assert found.people.segments is not None
    assert found.people.segments.tolist() == [[6.0, 7.0], [8.0, 9.0], [2.0, 3.0]]
    assert found.people.overall.tolist() == [6.5, 8.5, 2.5]


def test_means_that_stand_for_scores_of_systems_are_told(pair: ScoredPair) -> None:
    told = replace(pair, metrics=(replace(pair.metrics[0], overall=np.arange(5.0)), pair.metrics[1]))

    found = compare(told, "gold", MetaSettings())

    assert "the means of all their segments are used: gold, two." in found.notes[-1]
    assert found.metrics[0].overall.tolist() == [3.0, 4.0, 1.0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tests": ("spa", "vibes")}, "cannot be tested by 'vibes'. Use any of: sys_pearson, "),
        ({"level": "word"}, "level cannot be 'word'. Use one of: segment, document."),
        ({"by": "genre"}, "by cannot be 'genre'. Use one of: domain, document."),
        ({"pearson_test": "t"}, "pearson_test cannot be 't'"),
        ({"accuracy_test": "t"}, "accuracy_test cannot be 't'"),
        ({"draws": 0}, "draws must be at least 1"),
        ({"threshold": 1.0}, "between 0 and 1"),
        ({"least_difference": -1.0}, "must not be negative"),
        ({"level": "document", "by": "document"}, "Within single documents"),
    ],
)
def test_settings_without_sense_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ChoiceError) as caught:
        MetaSettings(**settings)  # type: ignore[arg-type]

    assert message in str(caught.value)
