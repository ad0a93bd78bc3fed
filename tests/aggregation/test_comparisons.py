"""What the three methods that compare systems have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation import expected_wins, hopkins_may, trueskill
from steelyard.aggregation._comparisons import compare_systems
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.frames import ratings_frame

every_method = pytest.mark.parametrize(
    "method", [expected_wins.METHOD, hopkins_may.METHOD, trueskill.METHOD], ids=lambda method: method.name
)
Row = tuple[str, str, str, float]


def _frame(rows: list[Row], **columns: Any) -> pl.DataFrame:
    """Rows of worker, system, segment and rating; regular items of one attribute unless said otherwise."""
    names = ["worker_id", "system_id", "segment_id", "rating"]
    constants = {"hit_id": "h", "item_kind": "regular", "attribute": "", **columns}
    return ratings_frame(
        pl.DataFrame(rows, schema=names, orient="row").with_columns(
            pl.lit(value).alias(name) for name, value in constants.items()
        )
    )


def _fit(method: Method, frame: pl.DataFrame, seed: int = 7, **settings: Any) -> Fit:
    return method.fit(frame, MethodSettings(**{"draws": 0, **settings}), np.random.default_rng(seed))


def _results(frame: pl.DataFrame, **settings: Any) -> list[tuple[str, str, str, int, int]]:
    """Attribute, first, second, outcome and count of every comparison, over all segments."""
    compared = compare_systems(frame, MethodSettings(**settings), method="any")
    found: dict[tuple[str, str, str, int], int] = {}
    for name, part in compared.by_attribute.items():
        columns = (part.first, part.second, part.outcome, part.count)
        for first, second, outcome, count in zip(*(c.tolist() for c in columns), strict=True):
            key = (name, compared.systems[first], compared.systems[second], outcome)
            found[key] = found.get(key, 0) + count
    return sorted((*key, count) for key, count in found.items())


def _spread_out(n_segments: int = 60, gap: float = 10.0) -> pl.DataFrame:
    """Every system of every segment judged by other workers: nobody sees two systems on one segment."""
    rng = np.random.default_rng(4)
    return _frame(
        [
            (f"w{(s + shift) % 3}", system, f"s{s}", float(50 + gap * shift + rng.normal(0, 12)))
            for s in range(n_segments)
            for shift, system in enumerate("ABC")
        ]
    )


SEVEN_TO_THREE = _frame(
    [(f"w{i % 2}", "A", f"s{i}", 60.0) for i in range(10)]
    + [(f"w{i % 2}", "B", f"s{i}", 50.0 if i < 7 else 70.0) for i in range(10)]
)


def test_a_worker_who_rated_two_systems_of_a_segment_compares_them() -> None:
    # Seven segments with 60 against 50, three with 60 against 70.
    assert _results(SEVEN_TO_THREE) == [("", "A", "B", -1, 3), ("", "A", "B", 1, 7)]


def test_three_systems_seen_by_one_worker_are_three_comparisons() -> None:
    frame = _frame([("w", "A", "s", 10.0), ("w", "B", "s", 20.0), ("w", "C", "s", 10.0)])

    assert _results(frame) == [("", "A", "B", -1, 1), ("", "A", "C", 0, 1), ("", "B", "C", 1, 1)]


def test_ratings_of_different_workers_are_not_compared_where_one_worker_saw_two_systems() -> None:
    frame = _frame(
        [("w", "A", "1", 10.0), ("w", "B", "1", 20.0), ("v", "A", "2", 90.0), ("u", "B", "2", 10.0)]
    )

    assert _results(frame) == [("", "A", "B", -1, 1)]


def test_a_translation_judged_twice_by_a_worker_counts_with_its_mean() -> None:
    # A: (40 + 70) / 2 = 55 beats 50 once, although one of its two ratings is lower.
    first = _frame([("w", "A", "s", 40.0), ("w", "B", "s", 50.0)])
    again = _frame([("w", "A", "s", 70.0)], item_kind="repeat")

    assert _results(pl.concat([first, again])) == [("", "A", "B", 1, 1)]


def test_ratings_of_different_attributes_are_not_compared() -> None:
    fluency = _frame([("w", "A", "s", 10.0), ("w", "B", "s", 20.0)], attribute="fluency")
    adequacy = _frame([("w", "A", "s", 90.0), ("w", "B", "s", 30.0)], attribute="adequacy")

    assert _results(pl.concat([fluency, adequacy])) == [
        ("adequacy", "A", "B", 1, 1),
        ("fluency", "A", "B", -1, 1),
    ]


def test_equal_means_that_differ_in_their_last_bits_are_a_tie() -> None:
    # (0.1 + 0.2) / 2 is not 0.15 in binary.
    frame = _frame([("w", "A", "s", 0.1), ("w", "A", "s", 0.2), ("w", "B", "s", 0.15)])

    assert _results(frame) == [("", "A", "B", 0, 1)]


def test_where_nobody_saw_two_systems_mean_standardised_ratings_are_compared() -> None:
    # Each worker's two ratings are z = -0.71 and 0.71: A has 0.71 on segment 1 and -0.71 on segment 2,
    # B the reverse, whatever the workers' own levels.
    rows: list[Row] = [
        *[("w", "A", "1", 20.0), ("w", "B", "3", 10.0), ("v", "B", "1", 80.0), ("v", "A", "4", 90.0)],
        *[("u", "A", "2", 1.0), ("u", "A", "5", 2.0), ("t", "B", "2", 9.0), ("t", "B", "6", 8.0)],
    ]

    assert _results(_frame(rows), minimum_ratings=2) == [("", "A", "B", -1, 1), ("", "A", "B", 1, 1)]


@every_method
def test_a_warning_says_how_systems_were_compared(method: Method) -> None:
    within, across = _fit(method, SEVEN_TO_THREE), _fit(method, _spread_out())

    assert within.warnings == (
        "Systems were compared where one worker rated two of them on the same segment: 10 comparisons, "
        "0 of them ties, from 20 of 20 judgements.",
    )
    assert across.warnings == (
        "Few workers rated two systems on the same segment, so the systems' mean standardised ratings of "
        "each segment were compared: 180 comparisons, 0 of them ties, from 180 of 180 judgements.",
    )


@pytest.mark.parametrize(("n_alone", "within"), [(20, True), (21, False)])
def test_workers_compare_if_half_of_the_judgements_have_another_systems_beside_them(
    n_alone: int, within: bool
) -> None:
    # Of 20 + 20 judgements half are compared within a worker, of 20 + 21 less than half.
    alone = _frame([(f"v{i % 2}", "AB"[i % 2], f"x{i}", 50.0 + i) for i in range(n_alone)])

    compared = compare_systems(
        pl.concat([SEVEN_TO_THREE, alone]), MethodSettings(minimum_ratings=2), method="any"
    )

    assert compared.warnings[0].startswith("Systems were compared where one worker") == within


def test_one_judgement_shared_by_two_systems_does_not_make_a_worker_one_who_saw_both() -> None:
    shared = _frame([("w9", "A", "shared", 50.0)]).with_columns(credited=pl.lit(["B"]))

    compared = compare_systems(pl.concat([_spread_out(), shared]), MethodSettings(), method="any")

    assert compared.warnings[0].startswith("Few workers rated two systems on the same segment")


def test_systems_that_share_a_text_tie_on_it() -> None:
    shared = _frame([("w", "A", "s", 50.0)]).with_columns(credited=pl.lit(["B"]))
    other = _frame([("w", "C", "s", 40.0)])

    assert _results(pl.concat([shared, other])) == [
        ("", "A", "B", 0, 1),
        ("", "A", "C", 1, 1),
        ("", "B", "C", 1, 1),
    ]


@every_method
def test_workers_who_cannot_be_standardised_are_left_out_with_a_warning(method: Method) -> None:
    lone = _frame([("newcomer", "A", "s1", 99.0)])

    fit = _fit(method, pl.concat([_spread_out(), lone]), minimum_ratings=10)

    assert fit.systems.select("system_id", "score").equals(
        _fit(method, _spread_out(), minimum_ratings=10).systems.select("system_id", "score")
    )
    assert "1 judgements of workers with fewer than 10 ratings" in fit.warnings[1]


@every_method
def test_scores_from_standardised_ratings_do_not_depend_on_the_order_of_rows(method: Method) -> None:
    frame = _spread_out()
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)

    fit, expected = _fit(method, shuffled, draws=20), _fit(method, frame, draws=20)

    assert fit.systems.equals(expected.systems)
    np.testing.assert_array_equal(fit.p_values, expected.p_values)


@every_method
def test_scores_from_standardised_ratings_do_not_depend_on_a_workers_scale(method: Method) -> None:
    frame = _spread_out()
    of_worker = pl.col("worker_id") == "w1"
    rescaled = frame.with_columns(
        rating=pl.when(of_worker).then(pl.col("rating") * 0.3 + 11).otherwise("rating")
    )

    fit, expected = (_fit(method, ratings, minimum_ratings=2) for ratings in (rescaled, frame))
    assert fit.systems["score"].equals(expected.systems["score"])


@every_method
def test_one_system_alone_cannot_be_compared(method: Method) -> None:
    with pytest.raises(NotEnoughData, match=f"{method.name}: all ratings are of one system, 'A'"):
        _fit(method, SEVEN_TO_THREE.filter(pl.col("system_id") == "A"))


@every_method
def test_systems_without_a_common_segment_cannot_be_compared(method: Method) -> None:
    frame = _spread_out().with_columns(segment_id=pl.col("segment_id") + pl.col("system_id"))

    with pytest.raises(NotEnoughData, match=f"{method.name}: no two systems were judged on the same segment"):
        _fit(method, frame)


@every_method
def test_ratings_too_few_to_standardise_cannot_be_compared_between_workers(method: Method) -> None:
    with pytest.raises(NotEnoughData, match="no worker has given 2 ratings yet"):
        _fit(method, _frame([("w", "A", "s", 10.0), ("v", "B", "s", 20.0)]))


@every_method
def test_a_system_that_met_no_other_is_left_out_with_a_warning(method: Method) -> None:
    hermit = _frame([("w0", "hermit", "elsewhere", 100.0)])

    fit = _fit(method, pl.concat([SEVEN_TO_THREE, hermit]))

    assert fit.systems["system_id"].to_list() == ["A", "B"]
    assert "hermit" not in fit.segments["system_id"]
    assert fit.warnings[-1] == "These systems were compared with no other, so they have no score: hermit."


@every_method
def test_systems_never_linked_by_comparisons_have_no_p_value(method: Method) -> None:
    apart = SEVEN_TO_THREE.with_columns(
        pl.col("system_id").replace({"A": "C", "B": "D"}), pl.col("segment_id") + "apart"
    )

    fit = _fit(method, pl.concat([SEVEN_TO_THREE, apart]), draws=10)

    names = fit.systems["system_id"].to_list()
    known = {(names[i], names[j]) for i, j in np.argwhere(~np.isnan(fit.p_values))}
    assert known == {("A", "B"), ("B", "A"), ("C", "D"), ("D", "C")}


@every_method
def test_systems_linked_through_others_have_p_values(method: Method) -> None:
    # A meets B, B meets C, C meets D; A and D never meet.
    chain = pl.concat(
        [
            SEVEN_TO_THREE.with_columns(
                pl.col("system_id").replace({"A": pair[0], "B": pair[1]}), pl.col("segment_id") + pair
            )
            for pair in ("AB", "BC", "CD")
        ]
    )

    p_values = _fit(method, chain, draws=10).p_values

    assert np.isnan(p_values).sum() == 4


@every_method
def test_without_draws_there_are_no_intervals_and_no_p_values(method: Method) -> None:
    fit = _fit(method, SEVEN_TO_THREE, draws=0)

    assert fit.systems.select(pl.col("lower", "upper").is_null().all()).row(0) == (True, True)
    assert np.isnan(fit.p_values).all()


@every_method
def test_a_system_that_always_wins_has_the_smallest_p_value_that_draws_allow(method: Method) -> None:
    frame = SEVEN_TO_THREE.with_columns(
        rating=pl.when(pl.col("system_id") == "A").then(90.0).otherwise("rating")
    )

    fit = _fit(method, frame, draws=19)

    # Better in all 19 draws: (1 + 0) / (1 + 19); worse in none: (1 + 19) / (1 + 19).
    np.testing.assert_allclose(fit.p_values, [[np.nan, 0.05], [1.0, np.nan]])


@every_method
def test_the_two_p_values_of_a_pair_add_up_to_one_and_a_bit(method: Method) -> None:
    fit = _fit(method, _spread_out(gap=1.0), draws=199)

    # Draws in which two systems tie count against both.
    both = fit.p_values + fit.p_values.T
    assert (both[~np.isnan(both)] >= 1 + 1 / 200 - 1e-12).all()
    assert (both[~np.isnan(both)] < 1.15).all()


@every_method
def test_exchanging_the_names_of_two_systems_exchanges_their_scores(method: Method) -> None:
    names = pl.col("system_id").replace({"A": "B", "B": "A"})

    scores, exchanged = (
        dict(_fit(method, frame).systems.select("system_id", "score").iter_rows())
        for frame in (SEVEN_TO_THREE, SEVEN_TO_THREE.with_columns(names))
    )

    assert exchanged["A"] == pytest.approx(scores["B"], rel=1e-9)
    assert exchanged["B"] == pytest.approx(scores["A"], rel=1e-9)


@every_method
def test_a_segments_score_is_its_share_of_wins(method: Method) -> None:
    # On this segment A beats B twice and loses once to it, and ties with C.
    rows: list[Row] = [
        *[("w1", "A", "s", 60.0), ("w1", "B", "s", 50.0), ("w1", "C", "s", 60.0)],
        *[("w2", "A", "s", 60.0), ("w2", "B", "s", 50.0)],
        *[("w3", "A", "s", 40.0), ("w3", "B", "s", 50.0)],
    ]

    row = _fit(method, _frame(rows)).segments.row(by_predicate=pl.col("system_id") == "A", named=True)

    assert row["score"] == pytest.approx(2 / 3)
    # Deviation of 1, 1, 0: squares (1/9 + 1/9 + 4/9) / 2 = 1/3.
    assert row["sd"] == pytest.approx(np.sqrt(1 / 3))
    assert row["mean_rating"] == pytest.approx((60 + 60 + 40) / 3)
    assert row["n"] == 3


@every_method
def test_a_segment_without_comparison_has_raw_means_and_no_score(method: Method) -> None:
    lone = _frame([("w0", "A", "lone", 30.0)])

    fit = _fit(method, pl.concat([SEVEN_TO_THREE, lone]))

    row = fit.segments.row(by_predicate=pl.col("segment_id") == "lone", named=True)
    assert (row["score"], row["sd"], row["mean_rating"], row["n"]) == (None, None, 30.0, 1)
    assert fit.systems.filter(pl.col("system_id") == "A")["n_judgements"].item() == 11


@every_method
def test_a_segment_with_ties_only_is_even(method: Method) -> None:
    tied = _frame([("w0", "A", "tied", 30.0), ("w0", "B", "tied", 30.0)])

    fit = _fit(method, pl.concat([SEVEN_TO_THREE, tied]))

    assert fit.segments.filter(pl.col("segment_id") == "tied")["score"].to_list() == [0.5, 0.5]


@pytest.fixture
def two_attributes() -> pl.DataFrame:
    """A beats B 7:3 in adequacy on ten segments, and 1:1 in fluency on two of them."""
    fluency = SEVEN_TO_THREE.filter(pl.col("segment_id").is_in(["s0", "s9"]))
    return pl.concat(
        [
            SEVEN_TO_THREE.with_columns(attribute=pl.lit("adequacy")),
            fluency.with_columns(attribute=pl.lit("fluency")),
        ]
    )


@every_method
def test_every_attribute_weighs_the_same(method: Method, two_attributes: pl.DataFrame) -> None:
    fit = _fit(method, two_attributes)

    alone = {
        name: dict(part.systems.select("system_id", "score").iter_rows()) for name, part in fit.attributes
    }
    scores = dict(fit.systems.select("system_id", "score").iter_rows())
    assert list(alone) == ["adequacy", "fluency"]
    assert scores["A"] == pytest.approx((alone["adequacy"]["A"] + alone["fluency"]["A"]) / 2)


@every_method
def test_an_attribute_is_scored_as_if_it_were_alone(method: Method, two_attributes: pl.DataFrame) -> None:
    fit = _fit(method, two_attributes)

    # The first attribute, for which TrueSkill shuffles as it would alone.
    alone = _fit(method, two_attributes.filter(pl.col("attribute") == "adequacy"))
    of_adequacy = dict(fit.attributes)["adequacy"]
    assert of_adequacy.systems.equals(alone.systems)
    assert of_adequacy.segments.equals(alone.segments)


@every_method
def test_a_system_without_comparisons_in_an_attribute_is_named(
    method: Method, two_attributes: pl.DataFrame
) -> None:
    third = two_attributes.filter(pl.col("system_id") == "A").with_columns(
        system_id=pl.lit("C"), rating=pl.col("rating") + 1
    )
    frame = pl.concat([two_attributes, third.filter(pl.col("attribute") == "adequacy")])

    assert _fit(method, frame).warnings[-1].endswith("are not comparable: C (fluency).")
