"""What counts as one opinion, and how two collections are matched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import MethodSettings
from steelyard.domain.scale import Scale
from steelyard.evaluation.replication import opinions as module
from steelyard.evaluation.replication.opinions import Collection, affordable, matched, opinions

Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
# From two ratings on a worker is standardised, so that cases can be small.
SETTINGS = MethodSettings(minimum_ratings=2)


def _collection(frame: pl.DataFrame, title: str = "one", **choices: Any) -> Collection:
    return Collection(title, frame, replace(SETTINGS, **choices))


def _rows(workers: str, n_items: int = 12, *, start: int = 0) -> list[tuple[Any, ...]]:
    """Every worker's ratings of so many translations."""
    return [
        (worker, "A", f"s{t}", float((7 * t + 11 * ord(worker)) % 101))
        for worker in workers
        for t in range(start, start + n_items)
    ]


def test_a_repeat_is_averaged_with_its_first_rating(ratings: Ratings) -> None:
    rows = [("ann", "A", "s1", 20.0), ("ann", "A", "s1", 40.0, "repeat"), ("ann", "A", "s2", 90.0)]

    found = opinions(_collection(ratings(rows)))

    # Mean 50, deviation sqrt((900 + 100 + 1600) / 2).
    deviation = np.sqrt(1300)
    assert found.item.tolist() == [0, 1]
    assert found.values == pytest.approx(np.array([[0.3, 0.9], [-20 / deviation, 40 / deviation]]))


def test_controls_define_workers_but_are_no_items(ratings: Ratings) -> None:
    rows = [("ann", "A", "s1", 40.0), ("ann", "A", "s2", 60.0), ("ann", "A", "s1", 10.0, "degraded")]

    everything = opinions(_collection(ratings(rows)))
    of_systems = opinions(_collection(ratings(rows), standardise_over="system"))

    assert everything.items["segment_id"].to_list() == ["s1", "s2"]
    # The mean of all three is 110 / 3, that of the two 50.
    assert everything.values[1].mean() == pytest.approx((50 - 110 / 3) / np.std([40, 60, 10], ddof=1))
    assert of_systems.values[1].mean() == pytest.approx(0)


def test_attributes_of_one_translation_are_averaged_and_standardised_as_asked(ratings: Ratings) -> None:
    rows = [
        ("ann", "A", segment, rating + 50 * (attribute == "fluency"), "regular", attribute)
        for segment, rating in (("s1", 10.0), ("s2", 30.0))
        for attribute in ("adequacy", "fluency")
    ]

    together = opinions(_collection(ratings(rows)))
    alone = opinions(_collection(ratings(rows), standardise_per="attribute"))

    assert together.values[0].tolist() == pytest.approx([0.35, 0.55])
    # Within an attribute the two ratings are a deviation of sqrt(2) * 10 apart, so z is 1 / sqrt(2).
    assert alone.values[1].tolist() == pytest.approx([-np.sqrt(0.5), np.sqrt(0.5)])


def test_who_cannot_be_standardised_is_left_out_with_a_warning(ratings: Ratings) -> None:
    rows = [*_rows("ab"), *(("dull", "A", f"s{t}", 50.0) for t in range(12))]

    found = opinions(_collection(ratings(rows)))

    assert set(np.array(found.workers)[found.worker]) == {"a", "b"}
    assert found.warnings == (
        "1 worker gave fewer than 2 ratings or always the same one, so 12 judgements could not be "
        "standardised and are left out.",
    )


def test_ratings_are_shares_of_their_scale(ratings: Ratings) -> None:
    rows = [("ann", "A", "s1", 1.0), ("ann", "A", "s2", 4.0)]

    found = opinions(_collection(ratings(rows), scale=Scale(1, 5)))

    assert found.values[0].tolist() == [0.0, 0.75]


def test_the_order_of_rows_does_not_matter(noisy: pl.DataFrame) -> None:
    shuffled = noisy.sample(fraction=1.0, shuffle=True, seed=2)

    one, other = opinions(_collection(noisy)), opinions(_collection(shuffled))

    assert np.array_equal(one.values, other.values)
    assert np.array_equal(one.worker, other.worker)
    assert one.items.equals(other.items)


def test_items_are_matched_by_system_and_segment(ratings: Ratings) -> None:
    first, second = ratings(_rows("ab", 14)), ratings(_rows("cd", 14, start=3))

    one, other, warnings = matched(_collection(first), _collection(second, "two"))

    assert one.items.equals(other.items)
    # Of s0 to s13 and s3 to s16, s3 to s13 are in both.
    assert set(one.items["segment_id"]) == {f"s{t}" for t in range(3, 14)}
    assert warnings == (
        "Judged in one collection only, so left out: 3 translations of one (A s0, A s1, A s2); "
        "3 translations of two (A s14, A s15, A s16).",
    )


def test_matching_keeps_every_opinion_with_its_item(ratings: Ratings) -> None:
    first, second = ratings(_rows("ab", 12)), ratings(_rows("ba", 13)[::-1])

    one, other, _ = matched(_collection(first), _collection(second))

    # Both files have the same ratings of the same items: so have both parts.
    for part in (one, other):
        assert np.array_equal(np.sort(part.item), part.item)
    assert np.array_equal(one.values[0], other.values[0])


def test_only_attributes_of_both_collections_are_compared(ratings: Ratings) -> None:
    sense = [(*row, "regular", "sense") for row in _rows("ab")]
    style = [(*row, "regular", "style") for row in _rows("cd")]

    one, _, _ = matched(_collection(ratings([*sense, *style])), _collection(ratings(sense)))

    assert set(np.array(one.workers)[one.worker]) == {"a", "b"}
    with pytest.raises(NotEnoughData, match="different attributes: sense and style"):
        matched(_collection(ratings(sense)), _collection(ratings(style)))


def test_a_collection_without_names_of_attributes_is_compared_with_any(ratings: Ratings) -> None:
    sense = [(*row, "regular", "sense") for row in _rows("ab")]

    one, other, _ = matched(_collection(ratings(sense)), _collection(ratings(_rows("cd"))))

    assert len(one.items) == len(other.items) == 12


@pytest.mark.parametrize(("start", "found"), [(12, "no translation"), (3, "only 9 translations")])
def test_too_few_items_in_common_are_refused(ratings: Ratings, start: int, found: str) -> None:
    first, second = ratings(_rows("ab")), ratings(_rows("cd", start=start))

    with pytest.raises(NotEnoughData, match=f"have {found} in common.*names of system and segment"):
        matched(_collection(first), _collection(second))


def test_names_that_are_in_both_collections_are_told(ratings: Ratings) -> None:
    first, second = _rows("abc"), [(w, s, t, 100 - rating) for w, s, t, rating in _rows("bcd")]

    *_, warnings = matched(_collection(ratings(first)), _collection(ratings(second)))

    assert len(warnings) == 1
    assert warnings[0].startswith("2 names of workers are in both collections")


def test_a_collection_held_against_itself_is_noticed(ratings: Ratings) -> None:
    frame = ratings(_rows("abc"))

    *_, warnings = matched(_collection(frame), _collection(frame))

    assert warnings == (
        "Most judgements of 3 names of workers are the same in both: a collection does not replicate itself.",
    )


def test_of_very_many_opinions_those_of_some_items_are_taken(
    ratings: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_OPINIONS", 60)
    parts = matched(_collection(ratings(_rows("ab", 30))), _collection(ratings(_rows("cd", 30))))[:2]

    taken, told = affordable(parts, rng=np.random.default_rng(1))

    # Each item has four opinions.
    assert [len(part.items) for part in taken] == [15, 15]
    assert taken[0].items.equals(taken[1].items)
    assert told.startswith("Of 30 translations 15 were drawn at random")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "has no judgements that are kept"),
        (
            [("ann", "A", "s1", 10.0, "degraded"), ("ann", "A", "s2", 20.0, "reference")],
            "no rating of a regular",
        ),
        ([("ann", "A", "s1", 10.0), ("ann", "A", "s2", 10.0)], "2 ratings that are not all the same"),
    ],
)
def test_a_collection_without_usable_ratings_is_refused(
    ratings: Ratings, rows: list[tuple[Any, ...]], said: str
) -> None:
    frame = ratings(rows or _rows("a"))

    with pytest.raises(NotEnoughData, match=said):
        opinions(_collection(frame if rows else frame.clear()))


def test_items_of_one_document_have_its_number(ratings: Ratings) -> None:
    frame = ratings([(w, a, f"s{t}", 10.0 * t + ord(w) % 7) for w in "xy" for a in "AB" for t in range(4)])
    number = pl.col("segment_id").cast(pl.String).is_in(["s0", "s1"])
    named = frame.with_columns(document_id=pl.when(number).then(pl.lit("d")).otherwise(pl.lit("e")))

    found, alone = (opinions(_collection(rows)) for rows in (named, frame))

    assert found.document.tolist() == [0, 0, 1, 1] * 2
    # Without documents the translations of one segment belong together.
    assert alone.document.tolist() == [0, 1, 2, 3] * 2
    assert found.of_items(np.array([7, 0])).document.tolist() == [1, 0]
