"""Two-stage normalisation: shift towards gold, then weigh by closeness to it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation import methods
from steelyard.aggregation.two_stage import METHOD, TwoStageSettings
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit, MethodSettings, Unit
from steelyard.domain.scale import Scale
from steelyard.frames import ratings_frame

FrameOf = Callable[..., pl.DataFrame]
FOUR = Scale(1, 4)


def _fit(frame: pl.DataFrame, **settings: object) -> Fit:
    chosen = TwoStageSettings(**({"scale": FOUR, "draws": 0} | settings))  # type: ignore[arg-type]
    return METHOD.fit(frame, chosen, np.random.default_rng(7))


def _scores(fit: Fit) -> dict[str, float]:
    return dict(fit.segments.select("segment_id", "score").iter_rows())


def _of_workers(fit: Fit, column: str) -> dict[str, float | None]:
    return dict(fit.workers.select("worker_id", column).iter_rows())


def test_scores_are_weighted_means_of_corrected_ratings(four_points: pl.DataFrame) -> None:
    fit = _fit(four_points)

    # exact: Delta 0, weight 1. high: shift -1, then Delta 0, weight 1. wild: gold less rating -3 and 2,
    # shift -0.5, which leaves Delta at 2.5, so none; 1 - 2.5/1.25 = -1: no weight. late: no gold.
    assert _scores(fit) == {"g1": 1.0, "g2": 3.0, "s1": 2.0, "s2": 3.5}
    assert _of_workers(fit, "weight") == {"exact": 1, "high": 1, "late": None, "wild": 0}
    assert _of_workers(fit, "offset") == {"exact": 0, "high": 1, "late": None, "wild": 0}


def test_judgements_without_weight_are_not_counted(four_points: pl.DataFrame) -> None:
    fit = _fit(four_points)

    assert fit.segments["n"].to_list() == [2, 2, 2, 2]
    assert fit.systems["n_judgements"].to_list() == [8]


def test_who_is_left_out_is_told(four_points: pl.DataFrame) -> None:
    warnings = _fit(four_points).warnings

    assert warnings == (
        "1 worker judged no gold item: 2 judgements are left out (without_gold: shrunk gives them the mean "
        "weight).",
        "1 worker came no closer to the gold than chance would: 4 judgements are left out.",
        "There are only 2 gold items: how far workers can be trusted is roughly known from so few. Ask the "
        "expert for more.",
    )


def test_those_without_gold_may_have_the_mean_weight(four_points: pl.DataFrame) -> None:
    fit = _fit(four_points, without_gold="shrunk")

    # The weights 1, 1 and -1 have the mean 1/3; with two gold items each (2 w + 5/3) / 7.
    weights = _of_workers(fit, "weight")
    assert weights == pytest.approx({"exact": 11 / 21, "high": 11 / 21, "late": 1 / 3, "wild": 0})
    # s1: 2 and 2 with 11/21 each, 1 with 7/21.
    assert _scores(fit)["s1"] == pytest.approx((11 * 2 + 11 * 2 + 7 * 1) / 29)


def test_a_worker_whose_errors_are_random_is_weighed_but_not_shifted(frame_of: FrameOf) -> None:
    frame = frame_of(
        [
            *(("exact", f"g{k}", 2, 2.0) for k in range(4)),
            *(("unsure", f"g{k}", rating, 2.0) for k, rating in enumerate([1, 3, 2, 2])),
            ("exact", "s", 2, None),
            ("unsure", "s", 4, None),
        ]
    )

    fit = _fit(frame)

    # Delta 2/4, weight 1 - 0.5 / 1.25 = 0.6, so (2 + 0.6 * 4) / 1.6.
    assert _of_workers(fit, "weight") == pytest.approx({"exact": 1, "unsure": 0.6})
    assert _scores(fit)["s"] == pytest.approx(4.4 / 1.6)


def test_the_deviation_is_weighted_too(frame_of: FrameOf) -> None:
    frame = frame_of(
        [
            *(("exact", f"g{k}", 2, 2.0) for k in range(4)),
            *(("unsure", f"g{k}", rating, 2.0) for k, rating in enumerate([1, 3, 2, 2])),
            ("exact", "s", 2, None),
            ("unsure", "s", 4, None),
        ]
    )

    row = _fit(frame).segments.row(by_predicate=pl.col("segment_id") == "s", named=True)

    # Mean 2.75, squares 0.5625 and 1.5625: (0.5625 + 0.6 * 1.5625) over 1.6 - 1.36/1.6 = 1.5 / 0.75.
    assert row["sd"] == pytest.approx(np.sqrt(1.5 / 0.75))


def test_gold_shown_twice_counts_twice(frame_of: FrameOf) -> None:
    rows = [("w", "g1", 1, 2.0), ("w", "g1", 2, 2.0), ("w", "g2", 3, 3.0), ("w", "g2", 3, 3.0)]

    fit = _fit(frame_of(rows))

    # Delta = 1/4; a shift of 1/4 would make it (3/4 + 3 * 1/4) / 4 = 3/8.
    assert _of_workers(fit, "weight") == pytest.approx({"w": 1 - 0.25 / 1.25})


def test_gold_items_tell_about_workers_and_enter_no_score(frame_of: FrameOf) -> None:
    gold = frame_of([("w", "g1", 2, 1.0), ("w", "g2", 3, 2.0)], item_kind="gold")
    regular = frame_of([("w", "s", 4, None)])

    fit = _fit(pl.concat([gold, regular]))

    assert _scores(fit) == {"s": 3.0}
    assert _of_workers(fit, "offset") == {"w": 1.0}


@pytest.mark.parametrize("kind", ["calibration", "degraded", "reference"])
def test_what_is_known_of_other_texts_is_no_gold(frame_of: FrameOf, kind: str) -> None:
    rows = [("w", "g1", 2, 2.0), ("w", "g2", 3, 3.0), ("w", "s", 4, None)]
    other = frame_of([("w", "g1", 4, 1.0)], item_kind=kind)

    fit = _fit(pl.concat([frame_of(rows), other]))

    assert _of_workers(fit, "weight") == {"w": 1.0}


def test_gold_of_a_text_that_systems_share_counts_once(frame_of: FrameOf) -> None:
    rows = [("w", "g1", 1, 2.0), ("w", "g2", 3, 3.0), ("w", "g3", 2, 2.0), ("w", "g4", 2, 2.0)]
    alone = frame_of(rows)
    shared = pl.concat(
        [
            frame_of(rows[:1], credited=["b", "c"]),
            frame_of(rows[1:]),
        ]
    )

    fits = [_fit(alone), _fit(shared)]

    assert fits[0].workers.equals(fits[1].workers)
    assert set(fits[1].systems["system_id"]) == {"a", "b", "c"}


def test_gold_of_all_attributes_tells_about_a_worker(frame_of: FrameOf) -> None:
    adequacy = frame_of([("w", "g1", 1, 1.0), ("w", "g2", 2, 2.0)], attribute="adequacy")
    fluency = frame_of([("w", "g1", 4, 3.0), ("w", "g2", 3, 4.0)], attribute="fluency")

    fit = _fit(pl.concat([adequacy, fluency]))

    # 0, 0, 1 and 1 off.
    assert _of_workers(fit, "weight") == pytest.approx({"w": 1 - 0.5 / 1.25})
    assert [name for name, _ in fit.attributes] == ["adequacy", "fluency"]


def test_the_printed_form_gives_a_random_clicker_on_a_line_some_weight(frame_of: FrameOf) -> None:
    # Ratings a third of the line off, now above and now below.
    rows = [("w", f"g{k}", 50 + (-1) ** k * 100 / 3, 50.0) for k in range(10)]
    good = [("good", f"g{k}", 50, 50.0) for k in range(10)]
    frame = frame_of([*rows, *good])

    usual, printed = (
        _of_workers(_fit(frame, scale=Scale(0, 100), gold_form=form), "weight")
        for form in ("usual", "printed")
    )

    # 1 - 33.3/33.3 and 1 - 33.3/(75 - 33.3).
    assert usual["w"] == pytest.approx(0, abs=1e-9)
    assert printed["w"] == pytest.approx(0.2)


def test_chance_may_be_that_of_the_gold_shown(frame_of: FrameOf) -> None:
    # Gold in the middle, one off, now above and now below: Delta 1; a random click is 1 off as well.
    rows = [("w", f"g{k}", 2 + (-1) ** k, 2.0) for k in range(10)]
    good = [("good", f"g{k}", 2, 2.0) for k in range(10)]
    frame = frame_of([*rows, *good])

    weights = [_of_workers(_fit(frame, gold_expected=e), "weight")["w"] for e in ("uniform", "gold")]

    assert weights == pytest.approx([0.2, 0.0])


def test_a_worker_who_judged_gold_once_is_told_of(frame_of: FrameOf) -> None:
    frame = frame_of([("w", "g1", 1, 3.0), ("v", "g2", 2, 2.0), ("v", "g1", 3, 3.0)])

    warnings = _fit(frame).warnings

    assert (
        "1 worker judged a single gold item: corrected by it, they seem perfect, which says nothing."
        in warnings
    )


def test_translations_that_lose_all_judgements_are_counted(
    four_points: pl.DataFrame, frame_of: FrameOf
) -> None:
    only_late = frame_of([("late", "s3", 3, None), ("wild", "s4", 3, None)])

    fit = _fit(pl.concat([four_points, only_late]))

    assert "2 of 6 translations have no judgement left and no score." in fit.warnings
    assert set(fit.segments["segment_id"]) == {"g1", "g2", "s1", "s2"}


@pytest.mark.parametrize("known", [[], ["g1"]], ids=["none", "one"])
@pytest.mark.parametrize("name", ["two-stage", "scaling", "weighted-vote"])
def test_without_gold_it_is_said_how_to_give_some(
    four_points: pl.DataFrame, known: list[str], name: str
) -> None:
    hidden = pl.when(pl.col("segment_id").is_in(known)).then(pl.col("known"))
    frame = four_points.with_columns(hidden.alias("known"))

    with pytest.raises(NotEnoughData, match=rf"{name}: .*\[gold\] table.*columns=..known"):
        methods()[name].fit(frame, methods()[name].settings(scale=FOUR), np.random.default_rng(7))


def test_if_nobody_is_better_than_chance_nothing_is_scored(four_points: pl.DataFrame) -> None:
    with pytest.raises(NotEnoughData, match="two-stage: no judgement is left to score"):
        _fit(four_points.filter(pl.col("worker_id") == "wild"))


@pytest.mark.parametrize("unit", ["judgement", "worker", "flat"])
def test_equal_weights_are_no_weights(frame_of: FrameOf, unit: Unit) -> None:
    rng = np.random.default_rng(3)
    gold = [(f"w{w}", f"g{k}", 2, 2.0) for w in range(5) for k in range(3)]
    rest = [(f"w{w}", f"s{k % 7}", int(rng.integers(1, 5)), None) for w in range(5) for k in range(20)]
    frame = frame_of([*gold, *rest])

    fit = _fit(frame, unit=unit, draws=40)
    plain = methods()["mean-rating"].fit(
        frame, MethodSettings(scale=FOUR, unit=unit, draws=40), np.random.default_rng(7)
    )

    np.testing.assert_allclose(
        fit.systems.drop("system_id").to_numpy(), plain.systems.drop("system_id").to_numpy()
    )
    np.testing.assert_allclose(fit.segments["sd"].to_numpy(), plain.segments["sd"].to_numpy(), atol=1e-12)


def test_a_worker_of_half_the_weight_moves_the_interval_less(frame_of: FrameOf) -> None:
    # Everybody says 2 but one, who says 4: the less that one counts, the less the draws differ.
    gold = [(f"w{w}", f"g{k}", 2, 2.0) for w in range(6) for k in range(4)]
    odd = [("odd", f"g{k}", rating, 2.0) for k, rating in enumerate([1, 3, 1, 3])]
    rest = [(f"w{w}", f"s{k}", 2, None) for w in range(6) for k in range(8)]
    odd += [("odd", f"s{k}", 4, None) for k in range(8)]
    frame = frame_of([*gold, *rest, *odd])

    row = _fit(frame, draws=200).systems.row(0, named=True)
    plain = (
        methods()["mean-rating"]
        .fit(frame, MethodSettings(scale=FOUR, draws=200), np.random.default_rng(7))
        .systems.row(0, named=True)
    )

    # The odd one's weight is 1 - 1/1.25 = 0.2.
    assert row["upper"] - row["lower"] < (plain["upper"] - plain["lower"]) / 2
    assert row["lower"] <= row["score"] <= row["upper"]


def test_a_random_clicker_among_careful_workers_changes_little() -> None:
    rng = np.random.default_rng(11)
    truth = rng.uniform(20, 80, 300)
    columns: dict[str, list[object]] = {"worker_id": [], "segment_id": [], "rating": [], "known": []}
    for w in range(8):
        for k in range(300):
            careful = np.clip(truth[k] + 5 * (w % 3) + rng.normal(0, 8), 0, 100)
            columns["worker_id"].append(f"w{w}")
            columns["segment_id"].append(f"s{k}")
            columns["rating"].append(float(rng.uniform(0, 100) if w == 7 else careful))
            columns["known"].append(float(truth[k]) if k < 60 else None)
    frame = ratings_frame(
        pl.DataFrame(columns).with_columns(
            hit_id=pl.lit("h"), item_kind=pl.lit("regular"), system_id=pl.lit("a"), attribute=pl.lit("")
        )
    )

    fit = _fit(frame, scale=Scale(0, 100))

    weights = _of_workers(fit, "weight")
    others = [weights[f"w{w}"] for w in range(7)]
    assert min(w for w in others if w is not None) > 0.6
    # The mean distance of 60 clicks from gold near the middle is some 30 +- 3 of E = 33.
    assert weights["w7"] is not None
    assert weights["w7"] < 0.3
