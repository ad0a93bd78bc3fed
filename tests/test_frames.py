"""The ratings frame: which rows score, and how judgements of shared texts are credited."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.aggregation import methods
from steelyard.control_pairs import control_pairs, text_pairs
from steelyard.documents import documents_of
from steelyard.domain.scale import VAS, Scale
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.frames import (
    gather_credit,
    has_few_points,
    hit_times_frame,
    ratings_frame,
    scored,
    spread_credit,
    with_categories,
    with_occurrence,
)


def _frame(rows: list[dict[str, object]]) -> pl.DataFrame:
    usual = {"worker_id": "w", "hit_id": "h", "segment_id": "1", "attribute": "adequacy", "rating": 50.0}
    columns = [
        {"judgement_id": f"j{k}", "item_kind": "regular", "credited": None, **usual, **row}
        for k, row in enumerate(rows)
    ]
    return ratings_frame(pl.DataFrame(columns, schema_overrides={"credited": pl.List(pl.String)}))


def test_a_judgement_of_a_shared_text_counts_once_for_each_system() -> None:
    frame = _frame([{"system_id": "a", "credited": ["b", "c"], "rating": 80.0}, {"system_id": "b"}])

    rows = scored(frame)

    assert sorted(rows.select("system_id", "rating").iter_rows()) == [
        ("a", 80.0),
        ("b", 50.0),
        ("b", 80.0),
        ("c", 80.0),
    ]


def test_a_shared_judgement_is_one_pair_of_base_and_control() -> None:
    frame = _frame(
        [
            {"system_id": "a", "credited": ["b"], "rating": 80.0},
            {"system_id": "a", "credited": ["b"], "rating": 70.0, "item_kind": "repeat"},
        ]
    )

    pairs = control_pairs(frame, ItemKind.REPEAT)

    assert pairs.select("system_id", "base_rating", "control_rating").rows() == [("a", 80.0, 70.0)]


def test_items_of_known_quality_are_no_systems() -> None:
    frame = _frame(
        [
            {"system_id": "a"},
            {"system_id": "a", "item_kind": "gold", "known": 90.0},
            {"system_id": "calibration", "item_kind": "calibration", "known": 0.3, "known_sd": 0.1},
        ]
    )

    assert scored(frame)["system_id"].to_list() == ["a"]


@pytest.mark.usefixtures("short_chains")
@pytest.mark.parametrize("name", sorted(name for name in methods() if methods()[name].least_systems == 1))
def test_sharing_credit_leaves_the_workers_own_means_alone(name: str) -> None:
    ratings = [10.0 + 3 * k for k in range(20)]
    # Methods that hold workers against gold, or against each other, need some of both.
    needs_gold = "Denkowski2010" in methods()[name].cite
    alone = [
        {"worker_id": worker, "system_id": "a", "segment_id": str(k), "rating": r, "known": known}
        for worker in ("vw" if needs_gold else "w")
        for k, r in enumerate(ratings)
        for known in [r if needs_gold and k < 3 else None]
    ]
    shared = [{**row, "credited": ["b"]} if k % 2 else row for k, row in enumerate(alone)]

    fits = [
        methods()[name].fit(_frame(rows), methods()[name].settings(draws=0), np.random.default_rng(7))
        for rows in (alone, shared)
    ]

    assert fits[0].workers.equals(fits[1].workers)
    assert set(fits[1].systems["system_id"]) == {"a", "b"}
    of_a = [fit.segments.filter(pl.col("system_id") == "a").sort("segment_id") for fit in fits]
    assert of_a[0].equals(of_a[1])


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"),
            st.lists(st.sampled_from("cde"), unique=True),
            st.sampled_from(SCORED_KINDS),
        ),
        min_size=1,
    )
)
def test_gathering_credit_undoes_spreading_it(rows: list[tuple[str, list[str], str]]) -> None:
    frame = _frame(
        [{"system_id": name, "credited": others or None, "item_kind": kind} for name, others, kind in rows]
    )

    again = gather_credit(spread_credit(frame))

    assert again.equals(frame)


@pytest.mark.parametrize("kind", ["repeat", "degraded"])
@pytest.mark.parametrize(("owner", "others"), [("a", ["b", "c"]), ("c", ["b", "a"])])
def test_a_shared_base_pairs_whatever_system_it_is_named_after(
    kind: str, owner: str, others: list[str]
) -> None:
    frame = _frame(
        [
            {"system_id": owner, "credited": others, "rating": 80.0},
            {"system_id": "b", "rating": 70.0, "item_kind": kind},
        ]
    )

    pairs = control_pairs(frame, ItemKind(kind))

    assert pairs.select("base_rating", "control_rating").rows() == [(80.0, 70.0)]


def _judged(attribute: str, base: float, control: float | None, **columns: Any) -> list[dict[str, object]]:
    """The row of a base, and that of its repeat if there is one."""
    row = {"system_id": "a", "attribute": attribute, **columns}
    repeat = [] if control is None else [{**row, "rating": control, "item_kind": "repeat"}]
    return [{**row, "rating": base}, *repeat]


def _text_ratings(frame: pl.DataFrame) -> list[tuple[float, float]]:
    return text_pairs(frame, ItemKind.REPEAT).select("base_rating", "control_rating").rows()


def test_the_attributes_of_two_texts_are_one_pair_of_means() -> None:
    frame = _frame([*_judged("adequacy", 80, 50), *_judged("fluency", 61, 40)])

    # (80 + 61) / 2 and (50 + 40) / 2.
    assert _text_ratings(frame) == [(70.5, 45.0)]


def test_an_attribute_that_only_one_of_two_texts_has_enters_neither_mean() -> None:
    frame = _frame([*_judged("adequacy", 80, 50), *_judged("fluency", 20, None)])

    assert _text_ratings(frame) == [(80.0, 50.0)]


def test_of_a_hit_judged_twice_the_first_of_all_attributes_belong_together() -> None:
    frame = _frame(
        [
            *_judged("adequacy", 80, 50),
            *_judged("adequacy", 90, 30),
            *_judged("fluency", 60, 40),
            *_judged("fluency", 70, 20),
        ]
    )

    # (80 + 60) / 2, (50 + 40) / 2; (90 + 70) / 2, (30 + 20) / 2.
    assert _text_ratings(frame) == [(70.0, 45.0), (80.0, 25.0)]


@pytest.mark.parametrize("differs", ["worker_id", "hit_id", "system_id", "segment_id"])
def test_attributes_of_different_texts_stay_apart(differs: str) -> None:
    frame = _frame([*_judged("adequacy", 80, 50), *_judged("fluency", 60, 40, **{differs: "other"})])

    assert _text_ratings(frame) == [(80.0, 50.0), (60.0, 40.0)]


def test_the_position_of_a_text_is_the_first_of_its_attributes() -> None:
    rows = [
        *_judged("adequacy", 80, 50),
        *_judged("fluency", 60, 40),
        *_judged("adequacy", 70, 70, segment_id="2"),
    ]
    places = [7, 12, 6, None, None, None]
    frame = _frame([{**row, "position": place} for row, place in zip(rows, places, strict=True)])

    pairs = text_pairs(frame, ItemKind.REPEAT)

    assert pairs.select("base_position", "control_position").rows() == [(6, 12), (None, None)]


def test_with_one_attribute_pairs_of_texts_are_those_of_ratings() -> None:
    frame = _frame(
        [
            *_judged("adequacy", 80, 50, position=3),
            *_judged("adequacy", 81, 51, position=4),
            *_judged("adequacy", 82, 52, segment_id="2"),
        ]
    )

    expected = control_pairs(frame, ItemKind.REPEAT).drop("attribute")
    assert text_pairs(frame, ItemKind.REPEAT).equals(expected)


def test_pairs_of_texts_have_the_same_columns_whatever_the_attributes() -> None:
    one = _frame(_judged("adequacy", 80, 50))
    two = _frame([*_judged("adequacy", 80, 50), *_judged("fluency", 60, 40)])

    schemas = [text_pairs(frame, ItemKind.REPEAT).schema for frame in (one, two, two.clear())]

    assert schemas[0] == schemas[1] == schemas[2]
    assert list(schemas[0]) == [
        *("worker_id", "hit_id", "system_id", "segment_id"),
        *("base_rating", "base_position", "control_rating", "control_position"),
    ]


DRAWN_RATINGS = st.lists(
    st.tuples(
        st.sampled_from("vw"),
        st.sampled_from("12"),
        st.sampled_from(["adequacy", "fluency", "style"]),
        st.sampled_from(["regular", "repeat"]),
        st.integers(0, 100).map(float),
    ),
    min_size=1,
    max_size=40,
)


def _slowly(rows: list[tuple[str, str, str, str, float]]) -> list[tuple[str, str, float, float]]:
    """Pairs of texts by the definition: k-th with k-th within an attribute, then means over attributes."""
    given: dict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    for worker, segment, attribute, kind, rating in rows:
        given[worker, segment, attribute, kind].append(rating)
    texts: dict[tuple[str, str, int], list[tuple[float, float]]] = defaultdict(list)
    for worker, segment, attribute, kind in given:
        if kind == "regular":
            both = zip(
                given[worker, segment, attribute, "regular"],
                given.get((worker, segment, attribute, "repeat"), []),
                strict=False,
            )
            for k, pair in enumerate(both):
                texts[worker, segment, k].append(pair)
    return sorted(
        (worker, segment, sum(base for base, _ in pairs) / len(pairs), sum(c for _, c in pairs) / len(pairs))
        for (worker, segment, _), pairs in texts.items()
    )


@given(DRAWN_RATINGS)
def test_pairs_of_texts_are_those_of_a_slow_definition(rows: list[tuple[str, str, str, str, float]]) -> None:
    names = ("worker_id", "segment_id", "attribute", "item_kind", "rating")
    frame = _frame([{"system_id": "a", **dict(zip(names, row, strict=True))} for row in rows])

    pairs = text_pairs(frame, ItemKind.REPEAT)

    found = sorted(pairs.select("worker_id", "segment_id", "base_rating", "control_rating").rows())
    expected = _slowly(rows)
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    numbers = [np.array([row[2:] for row in table]) for table in (found, expected)]
    np.testing.assert_allclose(*numbers, rtol=1e-12)


def test_pairs_of_texts_do_not_depend_on_the_order_of_attributes() -> None:
    rng = np.random.default_rng(3)
    parts = [
        _frame(
            [
                row
                for segment in range(40)
                for row in _judged(name, *rng.uniform(0, 100, 2).tolist(), segment_id=str(segment))
            ]
        )
        for name in ("adequacy", "fluency", "style", "terms", "tone")
    ]

    forwards, backwards = (text_pairs(pl.concat(order), ItemKind.REPEAT) for order in (parts, parts[::-1]))

    # To the last bit.
    assert forwards.sort("segment_id").equals(backwards.sort("segment_id"))


def test_pairs_of_texts_are_the_same_for_names_as_categories() -> None:
    frame = _frame(
        [
            *_judged("adequacy", 80, 50),
            *_judged("fluency", 60, 40),
            *_judged("fluency", 70, 20),
            *_judged("adequacy", 90, 30, credited=["b"], segment_id="2"),
        ]
    )
    coded, _ = with_categories(frame, hit_times_frame())

    pairs = text_pairs(coded, ItemKind.REPEAT)

    assert pairs.with_columns(pl.col(pl.Enum).cast(pl.String)).equals(text_pairs(frame, ItemKind.REPEAT))


def test_occurrences_count_earlier_rows_with_the_same_keys() -> None:
    rows = pl.DataFrame({"a": ["x", "y", "x", "x", None, None], "b": [1, 1, 1, 2, 1, 1]})

    assert with_occurrence(rows, ["a", "b"])["occurrence"].to_list() == [0, 0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("scale", "expected"),
    [(Scale(1, 5), True), (Scale(0, 10), True), (Scale(0, 11), False), (VAS, False)],
    ids=["1-5", "0-10", "0-11", "0-100"],
)
@pytest.mark.parametrize("ratings", [[], [1.0, 5.0], [2.0] * 60], ids=["none", "two", "sixty"])
def test_the_scale_decides_whether_it_has_few_points(
    ratings: list[float], scale: Scale, expected: bool
) -> None:
    assert has_few_points(np.array(ratings), scale, n_workers=5) is expected


@pytest.mark.parametrize(
    ("values", "n", "n_workers", "expected"),
    [
        pytest.param([1, 2, 3, 4, 5], 100, 5, True, id="a Likert scale"),
        pytest.param(range(11), 110, 5, True, id="eleven points"),
        pytest.param([0, 10.5], 100, 5, False, id="a span of more than ten"),
        pytest.param([1, 2, 3, 4, 5], 95, 5, False, id="too few ratings"),
        pytest.param([1, 2, 3, 4, 5], 100, 4, False, id="too few workers"),
        pytest.param([0, 100], 1000, 50, False, id="a crowd that clicks at the ends"),
        pytest.param([50], 60, 1, False, id="a lone worker with one answer"),
        pytest.param([50], 1000, 50, False, id="a crowd with one answer"),
    ],
)
def test_few_points_on_a_line_show_in_many_ratings_close_together(
    values: list[float], n: int, n_workers: int, expected: bool
) -> None:
    rating = np.resize(np.array(values, dtype=np.float64), n)

    assert has_few_points(rating, VAS, n_workers=n_workers) is expected


def test_a_hit_judged_twice_is_paired_by_time_whatever_the_order_of_rows() -> None:
    # First 80 and 50, a day later 60 and 55.
    rows = [
        {"rating": 55.0, "item_kind": "degraded", "submitted_at": datetime(2024, 5, 2, 9, tzinfo=UTC)},
        {"rating": 80.0, "submitted_at": datetime(2024, 5, 1, 8, tzinfo=UTC)},
        {"rating": 60.0, "submitted_at": datetime(2024, 5, 2, 8, tzinfo=UTC)},
        {"rating": 50.0, "item_kind": "degraded", "submitted_at": datetime(2024, 5, 1, 9, tzinfo=UTC)},
    ]

    pairs = control_pairs(_frame([{"system_id": "a", **row} for row in rows]), ItemKind.DEGRADED)

    found = pairs.select("base_rating", "control_rating").rows()
    assert sorted(found) == [(60.0, 55.0), (80.0, 50.0)]


def test_ids_of_each_systems_copy_are_one_document_through_their_segments() -> None:
    frame = ratings_frame(
        pl.DataFrame(
            {
                "worker_id": "w",
                "hit_id": "h",
                "item_kind": "regular",
                "segment_id": ["1", "2", "1", "2", "3", "4"],
                "document_id": ["a-1", "a-1", "b-1", "b-1", None, "a-2"],
                "system_id": ["a", "a", "b", "b", "a", "a"],
                "attribute": "adequacy",
                "rating": 50.0,
            }
        )
    )
    found = documents_of(frame)
    assert found.known
    assert found.number.tolist() == [0, 0, 0, 0, 1, 2]
    alone = documents_of(frame.with_columns(document_id=pl.lit(None, pl.String)))
    assert not alone.known
    assert alone.number.tolist() == [0, 1, 0, 1, 2, 3]
