"""Warnings about what a test of systems counts as independent."""

from __future__ import annotations

import random

import polars as pl
import pytest

from steelyard.domain.result import InferenceUnits
from steelyard.flows.inference_units import few_clusters, hidden_documents
from steelyard.frames import ratings_frame

UNNAMED = InferenceUnits(10, 60, documents_known=False)


def _hits(*, in_order: bool, position: bool = True, segment: str = "news-{}") -> pl.DataFrame:
    """Four HITs, each with ten segments of one system, then ten of another."""
    rows = []
    rng = random.Random(5)
    for hit in range(4):
        items = [(f"sys{k}", 30 * hit + k * 100 + line) for k in range(2) for line in range(10)]
        if not in_order:
            rng.shuffle(items)
        for place, (system, number) in enumerate(items):
            rows.append((f"w{hit}", f"h{hit}", place if position else None, system, segment.format(number)))
    schema = {"worker_id": pl.String, "hit_id": pl.String, "position": pl.Int64}
    frame = pl.DataFrame(
        rows, schema={**schema, "system_id": pl.String, "segment_id": pl.String}, orient="row"
    )
    return ratings_frame(
        frame.with_columns(item_kind=pl.lit("regular"), attribute=pl.lit(""), rating=pl.lit(50.0))
    )


@pytest.mark.parametrize("position", [True, False])
@pytest.mark.parametrize("segment", ["{}", "news-{}", "{:05}"])
def test_documents_that_hits_show_are_missed(position: bool, segment: str) -> None:
    (warning,) = hidden_documents(UNNAMED, _hits(in_order=True, position=position, segment=segment))

    assert "Give the file a column document" in warning


def test_positions_decide_not_the_order_of_rows() -> None:
    assert hidden_documents(UNNAMED, _hits(in_order=True).sample(fraction=1, shuffle=True, seed=3))


@pytest.mark.parametrize(
    ("units", "frame"),
    [
        (UNNAMED, _hits(in_order=False)),
        (UNNAMED, _hits(in_order=True, segment="{}-line")),
        (UNNAMED, ratings_frame()),
        (InferenceUnits(10, 6, documents_known=True), _hits(in_order=True)),
        (None, _hits(in_order=True)),
    ],
    ids=["random order", "names without number", "nothing", "documents known", "other test"],
)
def test_nothing_is_missed_elsewhere(units: InferenceUnits | None, frame: pl.DataFrame) -> None:
    assert hidden_documents(units, frame) == ()


@pytest.mark.parametrize(
    ("units", "says"),
    [
        (InferenceUnits(7, 40, documents_known=True), "rest on 7 workers: with 6 degrees of freedom"),
        (InferenceUnits(30, 2, documents_known=True), "rest on 2 documents: with 1 degree of freedom"),
        (InferenceUnits(3, 5, documents_known=False), "rest on 3 workers and 5 segments: with 2 degrees"),
    ],
)
def test_few_clusters_are_mentioned_with_the_degrees_of_freedom(units: InferenceUnits, says: str) -> None:
    (warning,) = few_clusters(units, too_narrow=False)

    assert says in warning
    assert "too narrow" not in warning
    assert "intervals are too narrow" in few_clusters(units, too_narrow=True)[0]


@pytest.mark.parametrize("workers", [1, 8])
def test_eight_clusters_are_enough_and_one_is_another_matter(workers: int) -> None:
    assert few_clusters(InferenceUnits(workers, 8, documents_known=True), too_narrow=True) == ()
