from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from steelyard.evaluation.judged import Judged, judged

Ratings = Callable[..., pl.DataFrame]


def _opinions(found: Judged) -> list[int]:
    """The opinion of every row, in order of worker, segment and kind."""
    table = found.frame.select("worker_id", "segment_id", "item_kind").cast(pl.String)
    ordered = table.with_columns(opinion=pl.Series(found.opinion)).sort(
        "worker_id", "segment_id", "item_kind"
    )
    return ordered["opinion"].to_list()


def test_an_item_is_a_systems_translation_of_a_segment(ratings: Ratings) -> None:
    found = judged(ratings([("w", "B", "1", 1), ("v", "A", "1", 2), ("w", "A", "1", 3), ("w", "A", "2", 4)]))

    assert found.items.rows() == [("A", "1", 0), ("A", "2", 1), ("B", "1", 2)]
    assert found.opinions_per_item.tolist() == [2, 1, 1]


def test_a_repeat_and_every_attribute_are_one_opinion(ratings: Ratings) -> None:
    rows = [
        ("w", "A", "1", 10, kind, name) for kind in ("regular", "repeat") for name in ("fluency", "sense")
    ]

    found = judged(ratings(rows))

    assert found.opinion.tolist() == [0, 0, 0, 0]
    assert found.opinions_per_item.tolist() == [1]


def test_a_control_has_the_opinion_on_its_base_and_none_without(ratings: Ratings) -> None:
    found = judged(
        ratings(
            [
                ("v", "A", "1", 50),
                ("w", "A", "1", 60),
                ("w", "A", "1", 20, "degraded"),
                ("w", "A", "2", 90, "reference"),
            ]
        )
    )

    # v's opinion on A1, w's degraded copy and original of A1, w's reference of A2, which nobody judged.
    assert _opinions(found) == [0, 1, 1, -1]


def test_a_text_that_systems_share_is_one_item_under_the_first_name(ratings: Ratings) -> None:
    frame = ratings(
        [("w", "B", "1", 50), ("v", "A", "1", 60), ("w", "B", "1", 20, "degraded"), ("w", "C", "1", 9)]
    )
    credited = pl.Series([["A"], ["B"], None, None], dtype=pl.List(pl.String))

    found = judged(frame.with_columns(credited=credited))

    assert found.items.rows() == [("A", "1", 0), ("C", "1", 1)]
    assert found.opinions_per_item.tolist() == [2, 1]
    assert (found.opinion >= 0).all()


def test_known_quality_is_of_items_and_unknown_where_it_is_not_given(ratings: Ratings) -> None:
    found = judged(
        ratings(
            [
                ("w", "A", "1", 5, "regular", "", 3.5),
                ("v", "A", "1", 7, "regular", "", 3.5),
                ("w", "A", "2", 6),
                ("w", "A", "3", 6, "gold", "", 1.0),
            ]
        )
    )

    np.testing.assert_array_equal(found.known(), [3.5, np.nan])


def test_the_order_of_rows_does_not_matter(noisy: pl.DataFrame) -> None:
    found, shuffled = judged(noisy), judged(noisy.sample(fraction=1, shuffle=True, seed=1))

    assert found.frame.equals(shuffled.frame)
    assert found.opinion.tolist() == shuffled.opinion.tolist()
