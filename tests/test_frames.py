"""The ratings frame: which rows score, and how judgements of shared texts are credited."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.aggregation import methods
from steelyard.domain.result import MethodSettings
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.frames import control_pairs, gather_credit, ratings_frame, scored, spread_credit


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


@pytest.mark.parametrize("name", sorted(name for name in methods() if methods()[name].least_systems == 1))
def test_sharing_credit_leaves_the_workers_own_means_alone(name: str) -> None:
    ratings = [10.0 + 3 * k for k in range(20)]
    alone = [{"system_id": "a", "segment_id": str(k), "rating": r} for k, r in enumerate(ratings)]
    shared = [{**row, "credited": ["b"]} if k % 2 else row for k, row in enumerate(alone)]

    fits = [methods()[name].fit(_frame(rows), MethodSettings(draws=0), None) for rows in (alone, shared)]

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
