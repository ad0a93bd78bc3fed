"""A comparison of years as a whole: rows, order, stars' p-values, F1, metrics, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from steelyard.domain.cells import CellMetric, FourCells, cell_systems
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.result import MethodSettings, Test
from steelyard.domain.scale import Scale
from steelyard.longitudinal.study import Longitudinal, PairRatings, StudySettings, compare_cells

Frame = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
FEW = MethodSettings(minimum_ratings=2)
USUAL = StudySettings()
NAMES = ("CURR-old", "CURR-new", "BEST-old", "BEST-new")
FLUENCY, ADEQUACY = (65.0, 57.0, 52.0, 55.0), (64.0, 52.0, 46.0, 49.0)


@pytest.fixture(scope="session")
def judged(frame_of_rows: Frame) -> Callable[..., pl.DataFrame]:
    """Makes ratings with exactly these cell means: six workers go up and down around them by turns.

    In CURR-old and BEST-old every other worker goes up throughout, in the others on every other segment.
    """

    def make(means: tuple[float, ...], *, attribute: str = "adequacy", swing: float = 5.0) -> pl.DataFrame:
        return frame_of_rows(
            (f"w{w}", name, f"s{s}", mean + swing * (-1) ** (w + s * k), "regular", attribute)
            for w in range(6)
            for k, (name, mean) in enumerate(zip(NAMES, means, strict=True))
            for s in range(8)
        )

    return make


Judged = Callable[..., pl.DataFrame]


def compared(*sources: tuple[str, pl.DataFrame], settings: StudySettings = USUAL) -> Longitudinal:
    pairs = [PairRatings(pair, frame, FEW) for pair, frame in sources]
    return compare_cells(pairs, settings)


def row_of(found: Longitudinal, pair: str, measure: str, scale: str = "points") -> dict[str, Any]:
    return found.rows.row(
        by_predicate=(pl.col("pair") == pair) & (pl.col("measure") == measure) & (pl.col("scale") == scale),
        named=True,
    )


def test_cells_difficulty_and_gain_are_those_of_the_means(judged: Judged) -> None:
    found = compared(("de-en", judged(FLUENCY, attribute="fluency")))

    row = row_of(found, "de-en", "fluency")
    assert [row[name] for name in ("curr_old", "curr_new", "best_old", "best_new")] == pytest.approx(FLUENCY)
    # 65 - 57 = 8; 55 - 52 = 3; together 11.
    assert [row[name] for name in ("delta", "change", "gain")] == pytest.approx([8.0, 3.0, 11.0])
    assert [row[f"n_{name}"] for name in ("curr_old", "curr_new", "best_old", "best_new")] == [48] * 4
    assert row["lower"] <= 11.0 <= row["upper"]


def test_z_follows_from_the_same_means(judged: Judged) -> None:
    found = compared(("de-en", judged(ADEQUACY)))

    # Workers are of two kinds, and half of them are of each.
    kinds = []
    for up in (5.0, -5.0):
        cells = [
            [mean + (up if k % 2 == 0 else (-1) ** s * up) for s in range(8)]
            for k, mean in enumerate(ADEQUACY)
        ]
        ratings = np.array(cells)
        kinds.append(((ratings - ratings.mean()) / ratings.std(ddof=1)).mean(axis=1))
    expected = (kinds[0] + kinds[1]) / 2
    row = row_of(found, "de-en", "adequacy", "z")
    assert [row[name] for name in ("curr_old", "curr_new", "best_old", "best_new")] == pytest.approx(expected)


def test_attributes_of_one_pair_may_come_from_two_sources(judged: Judged) -> None:
    fluency, adequacy = judged(FLUENCY, attribute="fluency"), judged(ADEQUACY)

    apart = compared(("de-en", adequacy), ("de-en", fluency))
    alone = replace(FEW, standardise_per="attribute")
    together = compare_cells([PairRatings("de-en", pl.concat([adequacy, fluency]), alone)], USUAL)

    means = ["pair", "measure", "scale", "curr_old", "curr_new", "best_old", "best_new", "gain"]
    assert apart.rows["measure"].to_list() == ["fluency", "fluency", "adequacy", "adequacy", "F1"]
    assert_frame_equal(apart.rows.select(means), together.rows.select(means))


def test_f1_is_of_the_cells_and_has_an_interval(judged: Judged) -> None:
    found = compared(("de-en", judged(ADEQUACY)), ("de-en", judged(FLUENCY, attribute="fluency")))

    row = row_of(found, "de-en", "F1")
    cells = [2 * f * a / (f + a) for f, a in zip(FLUENCY, ADEQUACY, strict=True)]
    assert row["gain"] == pytest.approx(cells[0] - cells[1] - cells[2] + cells[3])
    assert row["lower"] < row["gain"] < row["upper"]
    assert row["n_curr_old"] is None
    assert row["curr_p"] is None


def test_f1_is_unknown_where_one_attribute_was_not_judged(judged: Judged) -> None:
    found = compared(("de-en", judged(ADEQUACY)))

    row = row_of(found, "de-en", "F1")
    assert {row[name] for name in ("curr_old", "gain", "lower", "upper")} == {None}


def test_other_attributes_have_no_f1(judged: Judged) -> None:
    found = compared(("de-en", judged(ADEQUACY, attribute="wit")), ("fr-en", judged(ADEQUACY, attribute="")))

    assert found.rows["measure"].unique(maintain_order=True).to_list() == ["wit", "rating"]


def test_the_row_over_all_pairs_weighs_pairs_the_same(judged: Judged) -> None:
    twice = pl.concat([judged(ADEQUACY)] * 2)

    found = compared(("de-en", judged(FLUENCY)), ("fr-en", twice))

    row = row_of(found, "all pairs", "adequacy")
    assert row["curr_old"] == pytest.approx((FLUENCY[0] + ADEQUACY[0]) / 2)
    # 65 - 57 + 55 - 52 = 11 and 64 - 52 + 49 - 46 = 15.
    assert row["gain"] == pytest.approx(13.0)
    assert row["n_curr_old"] == 48 + 96


def test_over_many_pairs_the_interval_shrinks(judged: Judged) -> None:
    rng = np.random.default_rng(1)

    def noisy() -> pl.DataFrame:
        frame = judged(ADEQUACY)
        return frame.with_columns(rating=pl.col("rating") + pl.Series(rng.normal(0, 10, len(frame))))

    found = compared(*((f"pair-{k}", noisy()) for k in range(9)))

    width = (pl.col("upper") - pl.col("lower")).mean()
    points = found.rows.filter(scale="points", measure="adequacy")
    alone = points.filter(pl.col("pair") != "all pairs").select(width).item()
    together = points.filter(pair="all pairs").select(width).item()
    # Nine independent pairs: a third.
    assert together / alone == pytest.approx(1 / 3, rel=0.15)


def test_metrics_are_rows_by_the_same_arithmetic(judged: Judged) -> None:
    scores = (
        CellMetric("de-en", "BLEU", FourCells(38.3, 26.5, 21.1, 23.8)),
        CellMetric("fr-en", "BLEU", FourCells(39.4, 32.0, 28.6, 31.5)),
        CellMetric("xx-en", "BLEU", FourCells(1.0, 1.0, 1.0, 1.0)),
    )

    found = compared(
        ("de-en", judged(ADEQUACY)),
        ("fr-en", judged(ADEQUACY)),
        settings=StudySettings(metrics=scores),
    )

    assert row_of(found, "de-en", "BLEU", "metric")["gain"] == pytest.approx(14.5)
    assert row_of(found, "all pairs", "BLEU", "metric")["gain"] == pytest.approx((14.5 + 10.3) / 2)
    assert row_of(found, "all pairs", "BLEU", "metric")["lower"] is None
    assert any("xx-en were left out" in warning for warning in found.warnings)


def test_metrics_of_other_pairs_altogether_are_refused(judged: Judged) -> None:
    settings = StudySettings(metrics=(CellMetric("cs-en", "BLEU", FourCells(1, 1, 1, 1)),))

    with pytest.raises(NotEnoughData, match=r"of cs-en, but the sources are of de-en\. .*PAIR=SOURCE"):
        compared(("de-en", judged(ADEQUACY)), settings=settings)


def test_a_large_difference_is_significant_and_none_is_not(judged: Judged) -> None:
    found = compared(("de-en", judged((70.0, 50.0, 60.0, 60.0))))

    row = row_of(found, "de-en", "adequacy")
    assert row["curr_p"] < 0.001
    assert row["best_p"] > 0.3


def test_p_is_the_same_whichever_cell_is_larger(judged: Judged) -> None:
    frame = judged((70.0, 50.0, 60.0, 61.0))
    cells = cell_systems("curr_old=CURR-new,curr_new=CURR-old,best_old=BEST-new,best_new=BEST-old")

    falling = row_of(compared(("de-en", frame)), "de-en", "adequacy")
    rising = row_of(compared(("de-en", frame), settings=replace(USUAL, cells=cells)), "de-en", "adequacy")

    assert falling["curr_p"] == pytest.approx(rising["curr_p"])
    assert falling["best_p"] == pytest.approx(rising["best_p"])
    assert falling["curr_p"] < 0.01 < falling["best_p"] < 0.9


def test_a_difference_that_z_sees_the_other_way_round_is_not_significant(frame_of_rows: Frame) -> None:
    # Two of three workers are generous and judge few of CURR-new, which all of them prefer.
    rows = [
        (f"w{w}", name, f"s{s}", (70.0 if w < 2 else 20.0) + (4.0 if name == "CURR-new" else 0.0) + s % 3)
        for w in range(3)
        for name in NAMES
        for s in range(12)
        if w == 2 or name != "CURR-new" or s < 3
    ]

    found = compared(("de-en", frame_of_rows(rows)))

    points, z = (row_of(found, "de-en", "adequacy", scale) for scale in ("points", "z"))
    assert points["delta"] > 0 > z["delta"]
    assert points["curr_p"] == 1.0
    assert z["curr_p"] < 0.05


def test_years_in_names_are_kept_and_differing_ones_are_called_old_and_new(judged: Judged) -> None:
    dated = judged(ADEQUACY).with_columns(
        pl.col("system_id").str.replace("old", "07").str.replace("new", "12")
    )

    alone = compared(("de-en", dated))
    mixed = compared(("de-en", dated), ("fr-en", judged(ADEQUACY)))

    assert (alone.old, alone.new) == ("07", "12")
    assert (mixed.old, mixed.new) == ("old", "new")


def test_cells_asked_for_are_used_in_every_pair(judged: Judged) -> None:
    cells = cell_systems("curr_old=CURR-new,curr_new=CURR-old,best_old=BEST-new,best_new=BEST-old")

    turned = compared(("de-en", judged(ADEQUACY)), settings=replace(USUAL, cells=cells))

    # The years the other way round: the gain has the other sign.
    assert row_of(turned, "de-en", "adequacy")["gain"] == pytest.approx(-15.0)


def test_constant_ratings_have_points_and_no_z(judged: Judged) -> None:
    found = compared(("de-en", judged((50.0,) * 4, swing=0.0)))

    assert row_of(found, "de-en", "adequacy")["gain"] == 0.0
    assert row_of(found, "de-en", "adequacy", "z")["gain"] is None
    assert any("192 of 192 judgements could not be standardised" in warning for warning in found.warnings)


def test_the_order_of_rows_does_not_matter(judged: Judged) -> None:
    frame = pl.concat([judged(ADEQUACY), judged(FLUENCY, attribute="fluency")])

    found = compared(("de-en", frame.sample(fraction=1.0, shuffle=True, seed=3)))

    assert_frame_equal(found.rows, compared(("de-en", frame)).rows, rel_tol=1e-9, abs_tol=1e-9)


def test_nothing_is_drawn_and_a_study_leaves_the_data_alone(judged: Judged) -> None:
    frame = judged(ADEQUACY)
    before = frame.clone()

    assert compared(("de-en", frame)).rows.equals(compared(("de-en", frame)).rows)
    assert frame.equals(before)


def test_a_rise_of_all_ratings_of_a_worker_changes_nothing_in_a_balanced_study(judged: Judged) -> None:
    frame = judged(ADEQUACY)
    generous = frame.with_columns(
        rating=pl.col("rating") + pl.when(pl.col("worker_id") == "w1").then(20.0).otherwise(0.0)
    )

    plain, shifted = compared(("de-en", frame)), compared(("de-en", generous))

    for scale in ("points", "z"):
        first, second = (row_of(found, "de-en", "adequacy", scale) for found in (plain, shifted))
        assert second["gain"] == pytest.approx(first["gain"])
        assert second["upper"] == pytest.approx(first["upper"])


def test_sources_on_different_scales_are_refused(judged: Judged) -> None:
    sources = [
        PairRatings("de-en", judged(ADEQUACY), FEW),
        PairRatings("fr-en", judged(ADEQUACY), replace(FEW, scale=Scale(1, 5))),
    ]

    with pytest.raises(NotEnoughData, match=r"different scales \(0 to 100 and 1 to 5\)"):
        compare_cells(sources, USUAL)


def test_one_attribute_of_a_pair_twice_is_refused(judged: Judged) -> None:
    with pytest.raises(NotEnoughData, match=r"de-en: two sources have adequacy .* PAIR=SOURCE"):
        compared(("de-en", judged(ADEQUACY)), ("de-en", judged(FLUENCY)))


def test_few_workers_idle_systems_and_missing_attributes_are_told(judged: Judged) -> None:
    four = judged(ADEQUACY).filter(pl.col("worker_id") < "w4")
    more = four.filter(system_id="BEST-new").with_columns(system_id=pl.lit("online-A"))

    found = compared(("de-en", pl.concat([four, more])), ("fr-en", judged(FLUENCY, attribute="fluency")))

    told = "\n".join(found.warnings)
    assert "the gain rests on 4 workers and 16 documents, which leaves 3 degrees of freedom" in told
    assert "de-en: these systems are in no cell and were left out: online-A." in told
    assert "adequacy is known of 1 of 2 language pairs" in told
    assert "all pairs" not in found.rows["pair"].to_list()


def test_a_tied_winner_without_judgements_in_one_attribute_is_told(judged: Judged) -> None:
    frame = judged(ADEQUACY)
    tied = frame.filter(system_id="BEST-old").with_columns(system_id=pl.lit("BEST-old-b"))

    found = compared(("de-en", pl.concat([frame, tied, judged(FLUENCY, attribute="fluency")])))

    assert (
        "de-en, fluency: no judgement of BEST-old-b is kept; the cell is the others' alone." in found.warnings
    )


@pytest.mark.parametrize(
    ("means", "swing", "said"),
    [
        (
            (70.0, 60.0, 50.0, 55.0),
            2.0,
            ["gained 15.0 points (95 % interval", "10.0 points harder for the same"],
        ),
        ((60.0, 70.0, 55.0, 50.0), 2.0, ["lost 15.0 points", "10.0 points easier for the same"]),
        ((60.0, 60.0, 50.0, 50.0), 2.0, ["which may be chance", "0.0 points harder (not significantly)"]),
    ],
)
def test_the_conclusion_says_it_in_words(
    means: tuple[float, ...], swing: float, said: list[str], judged: Judged
) -> None:
    found = compared(("de-en", judged(means, swing=swing)))

    assert [part for part in said if part not in found.conclusion] == []


def test_the_conclusion_of_several_pairs_is_of_all(judged: Judged) -> None:
    found = compared(("de-en", judged(ADEQUACY)), ("fr-en", judged(FLUENCY)))

    assert found.conclusion.startswith(
        "In adequacy, the best systems gained 13.0 points over 2 language pairs"
    )


def test_a_single_worker_gives_a_gain_without_an_interval(judged: Callable[..., pl.DataFrame]) -> None:
    one = judged(ADEQUACY).filter(pl.col("worker_id") == "w0")

    found = compare_cells([PairRatings("de-en", one, FEW)], USUAL)

    points = found.rows.filter(pl.col("scale") == "points", pl.col("measure") == "adequacy")
    assert points["gain"].item() == pytest.approx(49.0 - 46.0 + 64.0 - 52.0, abs=10.0)
    assert points["lower"].item() is None
    assert points["curr_p"].item() is None
    assert "it has no interval and no stars" in found.warnings[0]


def test_documents_are_counted_and_segments_where_there_are_none(judged: Judged) -> None:
    frame = judged(ADEQUACY)
    halves = frame.with_columns(
        document_id=pl.when(pl.col("segment_id") < "s4").then(pl.lit("a")).otherwise(pl.lit("b"))
    )

    alone, together = (row_of(compared(("de-en", rows)), "de-en", "adequacy") for rows in (frame, halves))

    # Each of two test sets has segments and documents of its own.
    assert (alone["workers"], alone["documents"]) == (6, 2 * 8)
    assert (together["workers"], together["documents"]) == (6, 2 * 2)


def test_stars_may_come_from_the_rank_sum_test_and_not_from_tests_of_common_segments(judged: Judged) -> None:
    def tested(test: Test) -> Longitudinal:
        return compare_cells([PairRatings("de-en", judged(ADEQUACY), replace(FEW, test=test))], USUAL)

    assert tested("rank-sum").test == "rank-sum"
    assert tested("rank-sum").rows["curr_p"][0] != tested("clustered").rows["curr_p"][0]
    with pytest.raises(ChoiceError, match="two test sets share none"):
        tested("signed-rank")
