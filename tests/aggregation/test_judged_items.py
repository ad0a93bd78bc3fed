from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation._judged_items import JudgedItems, judged_items, odd_shapes
from steelyard.domain.errors import NotEnoughData
from steelyard.frames import ratings_frame

Row = tuple[str, str, str, str, float]


def _frame(rows: list[Row], **columns: Any) -> pl.DataFrame:
    """A ratings frame of (worker, kind, system, segment, rating), one HIT and attribute unless given."""
    names = ["worker_id", "item_kind", "system_id", "segment_id", "rating"]
    usual = {"hit_id": ["h"] * len(rows), "attribute": [""] * len(rows)} | columns
    return ratings_frame(pl.DataFrame(rows, schema=names, orient="row").with_columns(**_series(usual)))


def _series(columns: dict[str, Any]) -> dict[str, pl.Series]:
    return {name: pl.Series(name, values) for name, values in columns.items()}


def _items(frame: pl.DataFrame, **options: Any) -> JudgedItems:
    return judged_items(frame, method="worker-model", **({"offset_per": "usual"} | options))


def _complete(n_workers: int, systems: list[str], n_segments: int) -> list[Row]:
    """Everyone rates every system's every segment."""
    return [
        (f"w{w}", "regular", system, f"s{s}", float(10 * w + s))
        for w in range(n_workers)
        for system in systems
        for s in range(n_segments)
    ]


EVERY_KIND: list[Row] = [
    ("ann", "regular", "A", "s1", 70.0),
    ("ann", "repeat", "A", "s1", 72.0),
    ("ann", "degraded", "A", "s1", 30.0),
    ("ann", "reference", "A", "s1", 95.0),
    ("bob", "reference", "B", "s1", 90.0),
    ("bob", "regular", "B", "s1", 50.0),
]


def test_a_repeat_is_the_text_that_it_repeats() -> None:
    items = _items(_frame(EVERY_KIND))

    assert items.item[0] == items.item[1]


def test_a_degraded_copy_is_another_text() -> None:
    items = _items(_frame(EVERY_KIND))

    assert items.item[2] != items.item[0]
    assert items.origin.kind[items.item[2]] != 0


def test_the_reference_of_a_segment_is_one_text_as_whichever_system_it_was_shown() -> None:
    items = _items(_frame(EVERY_KIND))

    assert items.item[3] == items.item[4]


def test_there_are_as_many_items_as_texts() -> None:
    items = _items(_frame(EVERY_KIND))

    # A's translation, B's translation, A's degraded copy and the reference.
    assert items.n_items == 4
    assert items.n_workers == 2


def test_repeats_may_be_kept_apart_and_are_then_paired() -> None:
    items = _items(_frame(EVERY_KIND), repeats_apart=True)

    assert items.repeated.tolist() == [[items.item[0], items.item[1]]]


def test_a_degraded_copy_is_paired_with_its_base() -> None:
    items = _items(_frame(EVERY_KIND))

    assert items.degraded.tolist() == [[items.item[0], items.item[2]]]


def test_a_degraded_copy_without_base_is_in_no_pair() -> None:
    rows = [*EVERY_KIND, ("bob", "degraded", "B", "s9", 10.0)]

    items = _items(_frame(rows))

    assert len(items.degraded) == 1


def test_only_regular_texts_belong_to_a_system() -> None:
    items = _items(_frame(EVERY_KIND))

    of_rating = items.origin.system[items.item]
    assert of_rating.tolist() == [0, 0, -1, -1, -1, 1]


def test_systems_seen_only_in_controls_have_no_number() -> None:
    rows = [*EVERY_KIND, ("ann", "degraded", "AA", "s1", 10.0)]

    items = _items(_frame(rows))

    # B, which comes after AA, is number 1 all the same.
    assert items.origin.n_systems == 2
    assert items.origin.system[items.item[5]] == 1
    assert items.systems == ["A", "B"]


def test_one_system_alone_has_no_effect_of_its_own() -> None:
    items = _items(_frame(_complete(2, ["A"], 3)))

    assert items.origin.n_systems == 0
    assert (items.origin.system == -1).all()
    assert items.systems == ["A"]


def test_each_attribute_of_a_text_is_an_item() -> None:
    rows = [("ann", "regular", "A", "s1", 70.0), ("ann", "regular", "A", "s1", 40.0)]

    items = _items(_frame(rows, attribute=["fluency", "adequacy"]))

    assert items.attributes == ["adequacy", "fluency"]
    assert items.n_items == 2
    assert items.origin.criterion[items.item].tolist() == [1, 0]


def test_segments_count_where_several_translations_of_each_were_judged() -> None:
    items = _items(_frame(_complete(2, ["A", "B"], 3)))

    assert items.origin.n_segments == 3
    assert len(np.unique(items.origin.segment)) == 3


def test_segments_do_not_count_where_each_has_one_translation() -> None:
    rows = [("ann", "regular", "AB"[s % 2], f"s{s}", float(s)) for s in range(6)]

    items = _items(_frame(rows))

    assert items.origin.n_segments == 0
    assert (items.origin.segment == -1).all()


def test_repeats_and_attributes_do_not_make_two_translations_of_one() -> None:
    rows = [("ann", kind, "AB"[s % 2], f"s{s}", 50.0) for s in range(6) for kind in ("regular", "repeat")]

    items = _items(_frame([*rows, *rows], attribute=["x"] * 12 + ["y"] * 12))

    assert items.origin.n_segments == 0


def test_kinds_are_numbered_by_those_that_occur_and_regular_is_the_first() -> None:
    rows = [("ann", "regular", "A", "s1", 70.0), ("ann", "reference", "A", "s1", 95.0)]

    items = _items(_frame(rows))

    assert items.origin.n_kinds == 2
    assert items.origin.kind[items.item].tolist() == [0, 1]


def test_as_usual_a_workers_ratings_of_one_system_share_an_offset() -> None:
    frame = _frame(_complete(2, ["A", "B"], 3))

    items = _items(frame)

    assert items.part is not None
    assert items.part.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_as_usual_a_worker_has_one_offset_where_systems_were_hardly_seen() -> None:
    # One text of each system for each worker.
    rows = [(f"w{w}", "regular", system, f"s{w}", 50.0) for w in range(4) for system in "AB"]

    assert _items(_frame(rows)).part is None
    assert _items(_frame(rows), offset_per="system").part is not None


def test_rating_one_text_again_does_not_make_it_two() -> None:
    rows = [
        (f"w{w}", kind, system, f"s{w}", 50.0)
        for w in range(4)
        for system in "AB"
        for kind in ("regular", "repeat")
    ]

    assert _items(_frame(rows)).part is None


def test_controls_share_an_offset_beside_those_of_the_systems() -> None:
    rows = [
        *_complete(1, ["A", "B"], 3),
        ("w0", "degraded", "A", "s1", 1.0),
        ("w0", "reference", "B", "s1", 9.0),
    ]

    items = _items(_frame(rows))

    assert items.part is not None
    assert items.part.tolist() == [0, 0, 0, 1, 1, 1, 2, 2]


def test_asked_for_all_ratings_of_a_worker_share_an_offset() -> None:
    assert _items(_frame(_complete(2, ["A", "B"], 3)), offset_per="worker").part is None


def test_asked_for_the_ratings_of_one_hit_share_an_offset() -> None:
    rows = _complete(2, ["A"], 3)

    items = _items(_frame(rows, hit_id=["h1", "h1", "h2"] * 2), offset_per="hit")

    # The same HIT of another worker is another part.
    assert items.part is not None
    assert items.part.tolist() == [0, 0, 1, 2, 2, 3]


def test_offsets_by_system_need_two_systems() -> None:
    assert _items(_frame(_complete(2, ["A"], 3)), offset_per="system").part is None


def test_a_credited_text_counts_for_all_its_systems() -> None:
    rows = [("ann", "regular", "A", "s1", 70.0), ("bob", "regular", "C", "s1", 60.0)]

    items = _items(_frame(rows, credited=[["B"], None]))

    cells = items.cells.select(pl.col("system_id").cast(pl.String), "item").rows()
    assert cells == [("A", items.item[0]), ("B", items.item[0]), ("C", items.item[1])]
    assert items.systems == ["A", "B", "C"]


def test_what_an_earlier_campaign_says_of_an_item_comes_with_it() -> None:
    rows = [("ann", "regular", "A", "s1", 70.0), ("ann", "calibration", "A", "s2", 60.0)]

    items = _items(_frame(rows, known=[None, 0.4], known_sd=[None, 0.1]))

    known, known_sd = items.known[items.item], items.known_sd[items.item]
    assert np.isnan([known[0], known_sd[0]]).all()
    assert (known[1], known_sd[1]) == (0.4, 0.1)


def test_ratings_stay_in_points_and_in_their_order() -> None:
    items = _items(_frame(EVERY_KIND))

    assert items.rating.tolist() == [70, 72, 30, 95, 90, 50]
    assert [items.workers[w] for w in items.worker] == ["ann"] * 4 + ["bob"] * 2


def test_the_order_of_rows_does_not_change_which_number_an_item_has() -> None:
    frame = _frame([*EVERY_KIND, *_complete(2, ["A", "B"], 3)])
    order = np.random.default_rng(1).permutation(len(frame))

    items, shuffled = _items(frame), _items(frame[order.tolist()])

    np.testing.assert_array_equal(shuffled.item, items.item[order])
    np.testing.assert_array_equal(shuffled.origin.system, items.origin.system)
    assert shuffled.cells.equals(items.cells)


def test_controls_alone_are_not_enough() -> None:
    with pytest.raises(NotEnoughData, match="worker-model: there is no rating of a regular or repeat item"):
        _items(_frame([("ann", "degraded", "A", "s1", 30.0)]))


def test_items_that_were_rated_once_are_warned_about() -> None:
    rows = [(f"w{s % 2}", "regular", "A", f"s{s}", float(s)) for s in range(6)]

    warnings = odd_shapes(_items(_frame([*rows, ("w0", "regular", "A", "s1", 3.0)])))

    # Five of the six.
    assert warnings[0].startswith("83% of the judged translations have one rating only")


def test_controls_of_one_rating_are_not_warned_about() -> None:
    rows = [*_complete(2, ["A", "B"], 3), *[("w0", "degraded", "A", f"s{s}", 5.0) for s in range(3)]]

    assert odd_shapes(_items(_frame(rows))) == ()


def test_groups_of_workers_without_a_common_text_are_warned_about() -> None:
    rows = [(f"w{w}", "regular", "A", f"s{s}", float(s)) for w in range(4) for s in (w // 2, w // 2 + 10)]

    (warning,) = odd_shapes(_items(_frame(rows)))

    assert warning.startswith("The workers fall into 2 groups that share no judged text")
    assert "a harsh group looks like poor texts" in warning


def test_groups_that_share_systems_are_said_to_be_compared_by_these() -> None:
    rows = [
        (f"w{w}", "regular", system, f"s{s}", float(s))
        for w in range(4)
        for system in "AB"
        for s in (w // 2, w // 2 + 10)
    ]

    (warning,) = odd_shapes(_items(_frame(rows)))

    assert "only the systems they have in common compare them" in warning


def test_a_connected_campaign_is_not_warned_about() -> None:
    assert odd_shapes(_items(_frame(_complete(3, ["A", "B"], 4)))) == ()
