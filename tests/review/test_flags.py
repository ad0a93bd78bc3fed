from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain, groupby
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.domain.result import FlagRules
from steelyard.domain.scale import VAS, Scale
from steelyard.frames import hit_times_frame
from steelyard.review.flags import FLAGS, worker_flags
from steelyard.review.hit_times import corrected_times

Rows = Callable[[Sequence[dict[str, Any]]], pl.DataFrame]
both_rules = pytest.mark.parametrize("rules", ["usual", "wmt"])
# Ratings without any run, end or pattern.
VARIED = [float(40 + 7 * i % 41) for i in range(20)]


def _flags(
    frame: pl.DataFrame,
    hit_times: pl.DataFrame | None = None,
    *,
    rules: FlagRules = "usual",
    scale: Scale = VAS,
) -> dict[str, dict[str, str]]:
    """Each worker's flags with their details."""
    times = hit_times_frame() if hit_times is None else hit_times
    found = worker_flags(frame, corrected_times(frame, times), times, rules=rules, scale=scale)
    return {worker: dict(zip(flags, details, strict=True)) for worker, flags, details in found.iter_rows()}


def _kinds(**ratings: Sequence[float]) -> list[dict[str, Any]]:
    return [{"item_kind": kind, "rating": float(r)} for kind, given in ratings.items() for r in given]


def _ratings(ratings: Sequence[float], **columns: Any) -> list[dict[str, Any]]:
    return [{"rating": float(rating), **columns} for rating in ratings]


@both_rules
def test_an_ordinary_worker_has_no_flag(make_frame: Rows, rules: FlagRules) -> None:
    frame = make_frame(_kinds(regular=VARIED, degraded=[20, 30, 10], reference=[95, 90, 98]))

    assert _flags(frame, rules=rules) == {"W": {}}


@both_rules
def test_degraded_copies_as_good_as_translations_are_flagged(make_frame: Rows, rules: FlagRules) -> None:
    # Means of 61.2 and of (50 + 67.8) / 2 = 58.9.
    frame = make_frame(_kinds(regular=[50, 67.8], degraded=[61, 61.4, 61.2, 61.1, 61.3]))

    assert _flags(frame, rules=rules) == {
        "W": {"scores": "Degraded copies got 61.2 on average, translations 58.9."}
    }


@both_rules
def test_equal_means_of_degraded_copies_and_translations_are_flagged(
    make_frame: Rows, rules: FlagRules
) -> None:
    frame = make_frame(_kinds(regular=[50, 60], degraded=[55, 54, 56, 53, 57]))

    assert list(_flags(frame, rules=rules)["W"]) == ["scores"]


@pytest.mark.parametrize(("n", "flagged"), [(4, False), (5, True)])
def test_fewer_than_five_degraded_copies_say_nothing(make_frame: Rows, n: int, flagged: bool) -> None:
    frame = make_frame(_kinds(regular=[50, 60], degraded=[80, 81, 82, 83, 84][:n]))

    assert ("scores" in _flags(frame)["W"]) == flagged


def test_harsh_ratings_of_references_are_no_flag(make_frame: Rows) -> None:
    # Harsher on references than on translations, and far from the top of the scale: systems may be good.
    rows = _kinds(regular=[70, 80], degraded=[20, 30, 25, 28, 22], reference=[60, 65])

    assert _flags(make_frame([{**row, "attribute": "adequacy"} for row in rows])) == {"W": {}}


def test_repeats_do_not_enter_the_mean_of_translations(make_frame: Rows) -> None:
    frame = make_frame(_kinds(regular=[50, 52], repeat=[90, 99], degraded=[60] * 5))

    assert "translations 51" in _flags(frame)["W"]["scores"]


def test_wmt_looks_at_degraded_copies_alone(make_frame: Rows) -> None:
    frame = make_frame(_kinds(regular=[70, 80], degraded=[20], reference=[30]))

    assert _flags(frame, rules="wmt") == {"W": {}}


@pytest.mark.parametrize(("seconds", "flagged"), [(29.9, True), (30.0, False)])
def test_less_than_three_seconds_per_item_in_any_hit_are_flagged(
    make_frame: Rows, make_times: Rows, seconds: float, flagged: bool
) -> None:
    frame = make_frame(_ratings(VARIED[:10], hit_id="h1") + _ratings(VARIED[:10], hit_id="h2"))
    times = make_times([{"hit_id": "h1", "work_seconds": 900}, {"hit_id": "h2", "work_seconds": seconds}])

    found = _flags(frame, times)["W"]

    assert found == ({"time": "HIT h2 took 2.99 seconds per item."} if flagged else {})


def test_the_attributes_of_one_judgement_are_one_item(make_frame: Rows, make_times: Rows) -> None:
    rows = [
        {"judgement_id": f"j{i}", "attribute": attribute, "rating": rating}
        for i, rating in enumerate(VARIED[:10])
        for attribute in ("adequacy", "fluency")
    ]

    # 40 seconds are 4 for each of ten judgements, though 2 for each of twenty ratings.
    assert _flags(make_frame(rows), make_times([{"hit_id": "h1", "work_seconds": 40}])) == {"W": {}}


def test_the_attributes_of_one_judgement_are_one_item_without_ids_too(
    make_frame: Rows, make_times: Rows
) -> None:
    rows = [
        {"segment_id": f"s{i}", "attribute": attribute, "rating": rating, "position": i}
        for i, rating in enumerate(VARIED[:10])
        for attribute in ("adequacy", "fluency")
    ]

    assert _flags(make_frame(rows), make_times([{"hit_id": "h1", "work_seconds": 40}])) == {"W": {}}


@pytest.mark.parametrize(("seconds", "flagged"), [(50, False), (25, True)])
def test_of_hits_open_at_once_each_may_have_had_all_the_time(
    make_frame: Rows, make_times: Rows, seconds: float, flagged: bool
) -> None:
    frame = make_frame(_ratings(VARIED[:10], hit_id="h1") + _ratings(VARIED[:10], hit_id="h2"))
    times = make_times(
        [{"hit_id": hit, "work_seconds": seconds, "accepted": 0, "submitted": 1} for hit in ("h1", "h2")]
    )

    # Shared by two HITs, 50 seconds would be 2.5 for each of ten items; nobody knows how they were shared.
    found = _flags(frame, times)["W"]

    assert found == ({"time": "HIT h1 took 2.5 seconds per item."} if flagged else {})


def test_the_first_items_of_a_hit_say_nothing_of_its_pace(make_frame: Rows, make_times: Rows) -> None:
    frame = make_frame(_ratings(VARIED[:4]))

    assert _flags(frame, make_times([{"hit_id": "h1", "work_seconds": 4}])) == {"W": {}}


@pytest.mark.parametrize(("seconds", "flagged"), [(299.0, True), (300.0, False)])
def test_wmt_looks_at_the_shortest_hit(
    make_frame: Rows, make_times: Rows, seconds: float, flagged: bool
) -> None:
    frame = make_frame(_ratings([50, 60], hit_id="h1") + _ratings([50, 60], hit_id="h2"))
    times = make_times([{"hit_id": "h1", "work_seconds": 900}, {"hit_id": "h2", "work_seconds": seconds}])

    found = _flags(frame, times, rules="wmt")["W"]

    assert found == ({"time": "HIT h2 took 299.0 seconds."} if flagged else {})


@pytest.mark.parametrize(("length", "flagged"), [(8, False), (9, True)])
def test_nine_equal_ratings_in_a_row_are_flagged(make_frame: Rows, length: int, flagged: bool) -> None:
    frame = make_frame(_ratings([*VARIED[:5], *[77] * length, *VARIED[5:]]))

    assert _flags(frame)["W"] == ({"sequence": "9 ratings in a row are 77."} if flagged else {})


@pytest.mark.parametrize(("length", "flagged"), [(10, False), (11, True)])
def test_wmt_flags_more_than_ten_in_a_row(make_frame: Rows, length: int, flagged: bool) -> None:
    frame = make_frame(_ratings([*VARIED[:5], *[77] * length, *VARIED[5:]]))

    found = _flags(frame, rules="wmt")["W"]

    assert found == ({"sequence": "11 ratings in a row are 77."} if flagged else {})


@pytest.mark.parametrize(("rules", "flagged"), [("usual", False), ("wmt", True)])
def test_only_wmt_counts_over_the_border_of_two_hits(
    make_frame: Rows, rules: FlagRules, flagged: bool
) -> None:
    first = _ratings([*VARIED[:12], *[77] * 6], hit_id="h2")
    frame = make_frame([*first, *_ratings([*[77] * 6, *VARIED[:12]], hit_id="h1")])

    assert ("sequence" in _flags(frame, rules=rules)["W"]) == flagged


def test_a_row_of_ratings_is_one_of_positions(make_frame: Rows) -> None:
    # The rows alternate; the positions put the equal ones side by side.
    rows = [{"rating": 77.0 if i % 2 else VARIED[i], "position": i + 20 * (i % 2)} for i in range(20)]

    assert _flags(make_frame(rows))["W"] == {"sequence": "10 ratings in a row are 77."}


def test_one_unknown_position_leaves_the_rows_of_its_hit_as_they_are(make_frame: Rows) -> None:
    rows = [{"rating": 77.0 if i % 2 else VARIED[i], "position": i + 20 * (i % 2)} for i in range(20)]
    rows[0]["position"] = None

    assert _flags(make_frame(rows)) == {"W": {}}


@both_rules
def test_rows_of_equal_ratings_are_counted_within_an_attribute(make_frame: Rows, rules: FlagRules) -> None:
    # Ratings alternate between attributes; fluency alone stays the same.
    rows = [
        {"attribute": attribute, "rating": rating, "judgement_id": f"j{i}"}
        for i in range(12)
        for attribute, rating in (("adequacy", VARIED[i]), ("fluency", 64.0))
    ]

    assert _flags(make_frame(rows), rules=rules)["W"] == {"sequence": "12 ratings in a row are 64."}


@pytest.mark.parametrize(("rules", "expected"), [("usual", ["rejected"]), ("wmt", [])])
def test_any_rejected_hit_is_flagged_but_not_by_wmt(
    make_frame: Rows, make_times: Rows, rules: FlagRules, expected: list[str]
) -> None:
    # The rejected HIT need not be among the judgements.
    times = make_times([{"hit_id": "h1", "is_rejected": False}, {"hit_id": "h9", "is_rejected": True}])

    found = _flags(make_frame([{}]), times, rules=rules)["W"]

    assert list(found) == expected
    assert found.get("rejected") in (None, "Rejected: 1 of 2 HITs.")


@pytest.mark.parametrize(("n", "flagged"), [(9, False), (10, True)])
def test_ten_hits_at_once_are_flagged(make_frame: Rows, make_times: Rows, n: int, flagged: bool) -> None:
    times = make_times(
        [{"hit_id": f"h{i}", "work_seconds": 900, "accepted": i, "submitted": 20 + i} for i in range(n)]
    )

    rows = [{"hit_id": f"h{i}", "rating": VARIED[i]} for i in range(n)]
    found = _flags(make_frame(rows), times)["W"]

    assert found == ({"concurrency": "10 HITs were open at once."} if flagged else {})


def test_a_browser_that_says_a_program_controls_it_is_flagged_once_per_judgement(make_frame: Rows) -> None:
    # The first judgement is of two attributes; of the last nothing is known.
    said = [("j1", "", True), ("j1", "style", True), ("j2", "", False), ("j3", "", True), ("j4", "", None)]
    rows = [
        {"judgement_id": name, "attribute": attribute, "is_automated": automated, "rating": VARIED[i]}
        for i, (name, attribute, automated) in enumerate(said)
    ]
    own = [{"worker_id": "X", "judgement_id": f"x{i}", "is_automated": False} for i in range(3)]

    found = _flags(make_frame([*rows, *own]), hit_times_frame())

    assert found["W"] == {
        "automation": "In 2 of 3 judgements (67 %) the browser said that a program controls it. How often "
        "that is a false alarm is not known, and a browser that hides it is not found."
    }
    assert found["X"] == {}


def _with_others(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows beside those of a worker who shows that the scale has many points."""
    return [*rows, *_ratings(range(20, 60), worker_id="X")]


@pytest.mark.parametrize(("at_ends", "flagged"), [(16, False), (17, True)])
def test_ratings_at_the_ends_of_the_scale_are_flagged(make_frame: Rows, at_ends: int, flagged: bool) -> None:
    ratings = [*[0, 100] * 10][:at_ends] + VARIED[at_ends:]

    found = _flags(make_frame(_with_others(_ratings(ratings))))["W"]

    # 17 of 20 are 85 %; 16 of 20 are 80 %, which is not more than that.
    expected = {"endpoints": "85 % of 20 ratings are at the ends of the scale."} if flagged else {}
    assert found == expected


@pytest.mark.parametrize(("values", "flagged"), [((10, 40, 60, 90), True), ((10, 40, 50, 60, 90), False)])
def test_fewer_than_five_different_ratings_are_flagged(
    make_frame: Rows, values: Sequence[float], flagged: bool
) -> None:
    found = _flags(make_frame(_with_others(_ratings([*values * 5][:20]))))["W"]

    assert found == ({"endpoints": "20 ratings take only 4 different values."} if flagged else {})


def test_nine_ratings_are_too_few_for_the_endpoints(make_frame: Rows) -> None:
    frame = make_frame(_with_others(_ratings([0, 100] * 4 + [0])))

    assert _flags(frame)["W"] == {}


def _crowd(values: Sequence[float], n_workers: int, *, each: int) -> list[dict[str, Any]]:
    """So many ratings of each worker: first all the same, then the values in turn."""
    return [
        row
        for w in range(n_workers)
        for row in _ratings([values[0]] * 24 + [*values] * each, worker_id=f"W{w}", hit_id=f"h{w}")
    ]


def _signs(frame: pl.DataFrame, scale: Scale = VAS) -> set[tuple[str, ...]]:
    """The flags that workers have."""
    return {tuple(flags) for flags in _flags(frame, scale=scale).values()}


def test_on_a_short_scale_neither_runs_nor_little_variety_are_flagged(make_frame: Rows) -> None:
    # However few the workers and ratings.
    assert _signs(make_frame(_crowd([1, 5], 1, each=2)), Scale(1, 5)) == {()}


def test_a_scale_of_few_points_may_be_analysed_as_a_line(make_frame: Rows) -> None:
    # Five workers with 12 + 12 ratings each.
    assert _signs(make_frame(_crowd([1, 2, 3, 4], 5, each=3))) == {()}


@pytest.mark.parametrize(
    ("values", "n_workers"),
    [
        pytest.param([0, 100], 5, id="a crowd that clicks at the ends"),
        pytest.param([50], 1, id="a lone worker with one answer"),
        pytest.param([50], 5, id="a crowd with one answer"),
        pytest.param([1, 2, 3, 4], 4, id="too few workers to tell"),
    ],
)
def test_few_different_ratings_do_not_make_a_scale_of_few_points(
    make_frame: Rows, values: list[float], n_workers: int
) -> None:
    frame = make_frame(_crowd(values, n_workers, each=48 // len(values)))

    assert _signs(frame) == {("sequence", "endpoints")}


def test_a_hit_rated_far_from_the_others_is_flagged(make_frame: Rows) -> None:
    rows = [
        *_ratings([60, 65, 70, 75, 80], hit_id="h1"),
        *_ratings([62, 66, 70, 74, 78], hit_id="h2"),
        *_ratings([20, 25, 30, 35, 40], hit_id="h3"),
    ]

    found = _flags(make_frame(rows))["W"]

    # h3: 40 points away, sum of squares within 250 + 410, variance 660 / 13, so that three errors
    # are 3 x sqrt(660 / 13 x (1 / 5 + 1 / 10)) = 11.7. h1: 70 against 50, which is less than a third.
    assert found == {"shift": "The mean rating is 30 in HIT h3 and 70 in the others."}


@pytest.mark.parametrize(("points", "flagged"), [(33.0, False), (34.0, True)])
def test_a_shift_is_more_than_a_third_of_the_scale(make_frame: Rows, points: float, flagged: bool) -> None:
    rows = [
        *_ratings([60, 60, 61, 62, 62], hit_id="h1"),
        *_ratings([rating - points for rating in (60, 60, 61, 62, 62)], hit_id="h2"),
    ]

    assert ("shift" in _flags(make_frame(rows))["W"]) == flagged


@pytest.mark.parametrize(("spread", "flagged"), [(20.0, True), (22.0, False)])
def test_a_shift_is_more_than_three_standard_errors(make_frame: Rows, spread: float, flagged: bool) -> None:
    rows = [
        row
        for level in (70, 30)
        for row in _ratings([level + step * spread for step in (-1, -1, 0, 1, 1)], hit_id=f"h{level}")
    ]

    # The pooled variance is spread², the error spread x sqrt(2 / 5): three are 37.9 and 41.7 points.
    assert ("shift" in _flags(make_frame(rows))["W"]) == flagged


def test_hits_without_any_spread_that_differ_are_a_shift(make_frame: Rows) -> None:
    frame = make_frame(_ratings([70] * 5, hit_id="h1") + _ratings([30] * 5, hit_id="h2"))

    assert list(_flags(frame)["W"]) == ["endpoints", "shift"]


@pytest.mark.parametrize(("n", "flagged"), [(1, False), (4, False), (5, True)])
def test_a_hit_that_was_just_begun_is_no_shift(make_frame: Rows, n: int, flagged: bool) -> None:
    rows = [*_ratings([90.0 + i % 7 for i in range(20)], hit_id="h1"), *_ratings([10.0] * n, hit_id="h2")]

    assert ("shift" in _flags(make_frame(rows))["W"]) == flagged


@settings(max_examples=50)
@given(data=st.data())
def test_shifts_are_those_of_a_slow_formula(make_frame: Rows, data: st.DataObject) -> None:
    size = st.integers(4, 7)
    hits = [
        data.draw(st.lists(st.integers(0, 100).map(float), min_size=n, max_size=n))
        for n in data.draw(st.lists(size, min_size=2, max_size=4))
    ]
    frame = make_frame([row for i, hit in enumerate(hits) for row in _ratings(hit, hit_id=f"h{i}")])

    def shifts(here: list[float], rest: list[float]) -> bool:
        n, m = len(here), len(rest)
        if min(n, m) < 5:
            return False
        squares = n * np.var(here) + m * np.var(rest)
        error = np.sqrt(squares / (n + m - 2) * (1 / n + 1 / m))
        distance = abs(np.mean(here) - np.mean(rest))
        # At the very limits rounding decides.
        assume(abs(distance - 3 * error) > 1e-9 or distance < 1)
        assume(abs(distance - 100 / 3) > 1e-9)
        return bool(distance > 3 * error and distance > 100 / 3)

    expected = any(shifts(hit, [*chain(*hits[:i], *hits[i + 1 :])]) for i, hit in enumerate(hits))
    assert ("shift" in _flags(frame)["W"]) == expected


def test_runs_of_a_rating_that_is_given_half_of_the_time_are_chance(make_frame: Rows) -> None:
    # 45 of 90 ratings are 100, twelve of them in a row: random order has that once in a hundred HITs.
    high = [100.0] * 12 + [rating for i in range(33) for rating in (100.0, VARIED[i % 20])] + VARIED[:12]

    assert "sequence" not in _flags(make_frame(_ratings(high)))["W"]


def test_a_run_over_most_of_a_hit_is_flagged_whatever_the_chance(make_frame: Rows) -> None:
    ratings = [*[77.0] * 16, *VARIED[:4], *[77.0] * 10]

    # In random order 26 of 30 hold such a run often enough.
    assert _flags(make_frame(_ratings(ratings)))["W"]["sequence"] == "16 ratings in a row are 77."


@settings(max_examples=100)
@given(st.lists(st.tuples(st.sampled_from([40.0, 60.0, 61.0]), st.integers(1, 14)), min_size=1, max_size=12))
def test_runs_are_those_of_a_slow_count(make_frame: Rows, blocks: list[tuple[float, int]]) -> None:
    ratings = [rating for rating, n in blocks for _ in range(n)]
    n = len(ratings)

    def is_odd(rating: float, length: int) -> bool:
        orders = math.perm(n, length)
        chance = (n - length + 1) * math.perm(ratings.count(rating), length) / orders
        return length >= 9 and (chance < 0.001 or length > n / 2)

    runs = [(rating, len(list(group))) for rating, group in groupby(ratings)]
    odd = [length for rating, length in runs if is_odd(rating, length)]

    found = _flags(make_frame(_ratings(ratings)))["W"]

    assert found.get("sequence", "").startswith(f"{max(odd)} " if odd else "")
    assert ("sequence" in found) == bool(odd)


@pytest.mark.parametrize("rules", ["usual", "wmt"])
def test_who_passed_has_shown_that_they_read_but_not_to_wmt(make_frame: Rows, rules: FlagRules) -> None:
    rows = _kinds(regular=[0, 100] * 10, degraded=[0, 100, 100, 100, 100])
    frame = make_frame(_with_others(rows))
    times = hit_times_frame()
    hits = corrected_times(frame, times)

    before = worker_flags(frame, hits, times, rules=rules, scale=VAS)
    after = worker_flags(frame, hits, times, rules=rules, scale=VAS, passed=["W"])

    flags = [dict(found.select("worker_id", "flags").iter_rows())["W"] for found in (before, after)]
    assert flags == ([["scores", "endpoints"], []] if rules == "usual" else [["scores"], ["scores"]])


def test_every_flag_has_words(suspicious: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    assert set(_flags(*suspicious)["V"]) <= set(FLAGS)


@pytest.fixture
def suspicious(make_frame: Rows, make_times: Rows) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A worker with every flag, between two with none, and their HIT times."""
    bad = [
        *_ratings([0] * 14, hit_id="h1", worker_id="V"),
        *_ratings([100] * 12, hit_id="h2", worker_id="V", item_kind="degraded"),
        *_ratings([100] * 2, hit_id="h3", worker_id="V", item_kind="reference"),
    ]
    fine = [row for worker in ("U", "X") for row in _ratings(VARIED, worker_id=worker)]
    times = [
        {
            "worker_id": "V",
            "hit_id": f"h{i}",
            "work_seconds": 20,
            "accepted": i,
            "submitted": 20 + i,
            "is_rejected": i == 3,
        }
        for i in range(1, 11)
    ]
    return make_frame([*fine[:20], *bad, *fine[20:]]), make_times(times)


def test_flags_come_in_the_order_of_the_table(suspicious: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    found = _flags(*suspicious)

    assert list(found["V"]) == [
        *("scores", "time", "sequence", "rejected", "concurrency", "endpoints", "shift"),
    ]


def test_every_worker_is_there_in_order(suspicious: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    found = _flags(*suspicious)

    assert list(found) == ["U", "V", "X"]
    assert found["U"] == found["X"] == {}


def test_details_are_sentences(suspicious: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    details = _flags(*suspicious)["V"].values()

    assert all(detail[0].isupper() or detail[0].isdigit() for detail in details)
    assert all(detail.endswith(".") for detail in details)


@both_rules
def test_flags_do_not_depend_on_the_order_of_workers(
    suspicious: tuple[pl.DataFrame, pl.DataFrame], rules: FlagRules
) -> None:
    frame, times = suspicious
    backwards = frame.sort("worker_id", descending=True, maintain_order=True)

    assert _flags(backwards, times, rules=rules) == _flags(frame, times, rules=rules)


@both_rules
def test_stretching_the_scale_changes_no_flag(
    suspicious: tuple[pl.DataFrame, pl.DataFrame], rules: FlagRules
) -> None:
    frame, times = suspicious
    stretched = frame.with_columns(pl.col("rating") * 3 - 50)

    found = _flags(stretched, times, rules=rules, scale=Scale(-50, 250))

    assert {worker: list(flags) for worker, flags in found.items()} == {
        worker: list(flags) for worker, flags in _flags(frame, times, rules=rules).items()
    }


@both_rules
def test_no_judgements_give_no_workers(make_frame: Rows, rules: FlagRules) -> None:
    assert _flags(make_frame([{}]).clear(), rules=rules) == {}


def test_the_inputs_are_left_untouched(suspicious: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    frame, times = suspicious
    before = frame.clone(), times.clone()

    _flags(frame, times)

    assert frame.equals(before[0])
    assert times.equals(before[1])
