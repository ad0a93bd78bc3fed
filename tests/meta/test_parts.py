"""Documents in place of segments, and numbers of each domain or document alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from steelyard.domain.errors import NotEnoughData
from steelyard.meta.compared import compare
from steelyard.meta.parts import by_document, parts
from steelyard.meta.scores import ScoredPair, ScoreSet
from steelyard.meta.settings import MetaSettings
from steelyard.meta.study import evaluate_metrics

MakePair = Callable[..., ScoredPair]
PEOPLE = np.array([[1.0, 3.0, np.nan, 8.0], [2.0, np.nan, 4.0, 6.0]])
METRIC = np.array([[10.0, 30.0, 50.0, np.nan], [20.0, 70.0, 40.0, 60.0]])


@pytest.fixture
def pair(make_pair: MakePair) -> ScoredPair:
    """Two systems; the segments of document y stand around one of x."""
    return make_pair(PEOPLE, {"m": METRIC}, documents="yxyx", domains=("chat", "news", "chat", "news"))


def test_a_document_scores_the_mean_of_what_people_judged_of_it(pair: ScoredPair) -> None:
    found = by_document(compare(pair, "gold", MetaSettings()))

    # x: segments 2 and 4, y: 1 and 3. A has no score of segment 3, B none of segment 2.
    assert found.documents == ("x", "y")
    assert found.domains == ("news", "chat")
    assert found.people.segments is not None
    assert found.people.segments.tolist() == [[5.5, 1.0], [6.0, 3.0]]


def test_a_metric_that_lacks_a_judged_segment_has_no_score_of_its_document(pair: ScoredPair) -> None:
    found = by_document(compare(pair, "gold", MetaSettings()))

    assert found.metrics[0].segments is not None
    np.testing.assert_array_equal(found.metrics[0].segments, [[np.nan, 10.0], [60.0, 30.0]])


def test_scores_of_whole_systems_stay_at_the_level_of_documents(pair: ScoredPair) -> None:
    before = compare(pair, "gold", MetaSettings())

    assert by_document(before).people.overall.tolist() == before.people.overall.tolist()


def test_documents_count_as_segments(noisy_pair: ScoredPair) -> None:
    rows = evaluate_metrics(noisy_pair, "gold", MetaSettings(level="document", tests=())).rows

    assert rows.select("n_sys", "n_seg_total", "n_gold_seg_pairs").row(0) == (8, 4, 32)


def test_a_part_has_its_own_segments_and_means(pair: ScoredPair) -> None:
    (first, chat), (second, news) = parts(compare(pair, "gold", MetaSettings()), "domain")

    assert (first, second) == ("chat", "news")
    assert chat.people.overall.tolist() == [1.0, 3.0]
    assert news.metrics[0].overall.tolist() == [30.0, 65.0]
    assert (chat.documents, chat.n_segments) == (("y", "y"), 2)


@pytest.mark.parametrize("by", ["domain", "document"])
def test_rows_of_a_part_are_those_of_its_scores_alone(noisy_pair: ScoredPair, by: str) -> None:
    settings = MetaSettings(by=by, tests=())  # type: ignore[arg-type]
    chosen = np.arange(20, 40) if by == "domain" else np.arange(30, 40)

    found = evaluate_metrics(noisy_pair, "gold", settings).rows
    alone = evaluate_metrics(_some(noisy_pair, chosen), "gold", MetaSettings(tests=())).rows

    name = "chat" if by == "domain" else "d3"
    assert_frame_equal(found.filter(pl.col("group") == name).drop("group"), alone.drop("group"))
    assert found["group"].head(3).to_list() == [None] * 3


def _some(pair: ScoredPair, chosen: np.ndarray) -> ScoredPair:  # type: ignore[type-arg]
    def only(scores: ScoreSet) -> ScoreSet:
        assert scores.segments is not None
        return replace(scores, segments=scores.segments[:, chosen])

    return replace(
        pair,
        n_segments=len(chosen),
        golds=tuple(map(only, pair.golds)),
        metrics=tuple(map(only, pair.metrics)),
    )


def test_scores_of_systems_alone_say_nothing_of_a_part(pair: ScoredPair) -> None:
    whole = ScoreSet("whole", ("A", "B"), None, np.array([1.0, 2.0]))

    rows = evaluate_metrics(replace(pair, metrics=(whole,)), "gold", MetaSettings(by="domain", tests=())).rows

    assert rows["n_sys"].to_list() == [2, 0, 0]


@pytest.mark.parametrize("settings", [MetaSettings(by="domain"), MetaSettings(level="document")])
def test_without_documents_nothing_can_be_told_of_them(make_pair: MakePair, settings: MetaSettings) -> None:
    with pytest.raises(NotEnoughData, match=r"a file xx-yy\.docs must have a line for each"):
        evaluate_metrics(make_pair(PEOPLE, {"m": METRIC}), "gold", settings)


def test_documents_need_scores_of_segments(pair: ScoredPair) -> None:
    whole = ScoreSet("gold", ("A", "B"), None, np.array([1.0, 2.0]))

    with pytest.raises(NotEnoughData, match="gold has no scores of segments"):
        evaluate_metrics(replace(pair, golds=(whole,)), "gold", MetaSettings(level="document"))
