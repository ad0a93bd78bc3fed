from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Line, Table
from steelyard.exhibits.agreement import FIGURE, TABLE

Weighed = Callable[..., Evidence]
Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
Everyone = Callable[[Evidence, pl.DataFrame], Evidence]
# First and second ratings: halves agree in 3 of 4 pairs, fifths in 2 of 4.
PAIRS = 3 * [(5, 15), (25, 35), (60, 90), (70, 20)]


@pytest.fixture(scope="module")
def repeats(ratings: Ratings, evidence: Evidence) -> Evidence:
    """Ann and Amy repeat twelve texts each, Bob and Cid rate each of one's texts once, much like her.

    Only Ann and Amy are kept.
    """
    rows: list[tuple[Any, ...]] = []
    for repeating, rating_once, hit in (("ann", "bob", "h1"), ("amy", "cid", "h2")):
        rows += [
            (repeating, hit, kind, f"{hit}-s{k}", "alpha", rating)
            for k, pair in enumerate(PAIRS)
            for kind, rating in zip(("regular", "repeat"), pair, strict=True)
        ]
        # Ratings beyond the scale's tenths, so that there are more than ten different ones.
        rows += [(repeating, hit, "reference", f"{hit}-s{k}", "alpha", 91 + k) for k in range(4)]
        rows += [
            (rating_once, f"{hit}-once", "regular", f"{hit}-s{k}", "alpha", first + 3)
            for k, (first, _) in enumerate(PAIRS)
        ]
    frame = ratings(rows)
    return replace(evidence, judged=frame, keeps=frame["worker_id"].is_in(["ann", "amy"]))


def _row(table: Table, **wanted: object) -> dict[str, Any]:
    return table.rows.filter(**wanted).row(0, named=True)


def test_kappa_is_agreement_beyond_one_over_the_categories(
    repeats: Evidence, options: ExhibitOptions
) -> None:
    table = TABLE.make([repeats], replace(options, categories=(5, 2)))

    halves = _row(table, of="intra", scale="rating", categories=2)
    fifths = _row(table, of="intra", scale="rating", categories=5)
    assert (halves["n_pairs_all"], halves["agreement_all"]) == (24, 3 / 4)
    assert halves["value_all"] == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert (fifths["agreement_all"], fifths["value_all"]) == (
        2 / 4,
        pytest.approx((2 / 4 - 1 / 5) / (1 - 1 / 5)),
    )


def test_all_and_kept_stand_side_by_side(repeats: Evidence, options: ExhibitOptions) -> None:
    table = TABLE.make([repeats], replace(options, categories=(2,)))

    between = _row(table, of="inter", scale="rating", categories=2)
    # Ann's 5 and Bob's 8 are a pair that agrees; Ann and Amy have no text in common.
    assert (between["n_pairs_all"], between["agreement_all"], between["value_all"]) == (24, 1.0, 1.0)
    assert (between["n_pairs_kept"], between["value_kept"]) == (0, None)


def test_coefficients_without_categories_are_there_too(evidence: Evidence, options: ExhibitOptions) -> None:
    table = TABLE.make([evidence], options)

    continuous = table.rows.filter(pl.col("categories").is_null()).select("of", "scale", "coefficient").rows()
    assert continuous == [
        ("intra", "rating", "pearson"),
        ("intra", "z", "pearson"),
        ("inter", "rating", "alpha"),
        ("inter", "rating", "icc"),
        ("inter", "z", "alpha"),
        ("inter", "z", "icc"),
    ]
    assert len(table.borders) == 3


def test_leaving_careless_workers_out_raises_agreement_between_workers(
    evidence: Evidence, options: ExhibitOptions
) -> None:
    # Not that of workers with themselves: who always says 50 agrees with that completely.
    rows = TABLE.make([evidence], options).rows.filter(of="inter")

    assert (rows["value_kept"] > rows["value_all"]).all()


def test_intervals_hold_their_values(evidence: Evidence, options: ExhibitOptions) -> None:
    rows = TABLE.make([evidence], options).rows.drop_nulls(["lower_all"])

    assert len(rows) > 10
    assert ((rows["lower_all"] < rows["value_all"]) & (rows["value_all"] < rows["upper_all"])).all()


def test_a_handful_of_pairs_says_nothing(
    repeats: Evidence, everyone: Everyone, options: ExhibitOptions
) -> None:
    few = repeats.frame.filter(pl.col("segment_id").is_in(["h1-s0", "h1-s1"]))

    table = TABLE.make([everyone(repeats, few)], options)

    row = _row(table, of="inter", scale="rating", coefficient="alpha")
    assert (row["n_pairs_all"], row["value_all"]) == (2, None)
    assert "Fewer than 10 pairs are too few for a coefficient." in table.notes


@pytest.mark.parametrize(
    ("workers", "of", "said"),
    [
        (("ann", "bob"), "inter", "between workers: 12 pairs of ratings by 2 workers"),
        (("ann",), "intra", "within workers: 12 pairs of ratings by 1 worker"),
    ],
)
def test_too_few_workers_give_no_coefficient_and_the_note_says_what_is_there(
    repeats: Evidence,
    everyone: Everyone,
    options: ExhibitOptions,
    workers: tuple[str, ...],
    of: str,
    said: str,
) -> None:
    few = repeats.frame.filter(pl.col("worker_id").is_in(workers))

    table = TABLE.make([everyone(repeats, few)], options)

    rows = table.rows.filter(of=of)
    assert rows["n_pairs_all"].to_list() == [12] * len(rows)
    assert rows["value_all"].count() == 0
    assert f"Agreement {said} are there, too few workers for a coefficient." in table.notes


@pytest.mark.parametrize("chance", ["cohen", "scott"])
def test_another_chance_gives_another_kappa_and_says_so(
    evidence: Evidence, options: ExhibitOptions, chance: Any
) -> None:
    usual, other = (TABLE.make([evidence], replace(options, chance=name)) for name in ("uniform", chance))

    kappas = pl.col("coefficient") == "kappa"
    assert usual.rows.filter(kappas)["agreement_all"].equals(other.rows.filter(kappas)["agreement_all"])
    assert not usual.rows.filter(kappas)["value_all"].equals(other.rows.filter(kappas)["value_all"])
    assert chance.capitalize() in other.notes[0]


def test_items_can_weigh_the_same_instead_of_pairs(
    repeats: Evidence, everyone: Everyone, ratings: Ratings, options: ExhibitOptions
) -> None:
    # Two workers agree on s0; of three on s1, whose pairs are three, none do; and all that three times.
    given = [("ann", "s0", 10), ("bob", "s0", 10), ("ann", "s1", 0), ("bob", "s1", 40), ("cem", "s1", 90)]
    frame = ratings(
        [(worker, worker, "regular", f"{s}{k}", "alpha", r) for worker, s, r in given for k in range(3)]
    )
    source = everyone(repeats, frame)

    by_pair, by_item = (
        _row(
            TABLE.make([source], replace(options, categories=(3,), weight=weight)),
            of="inter",
            scale="rating",
            categories=3,
        )["agreement_all"]
        for weight in ("pair", "item")
    )

    assert by_pair == pytest.approx(1 / 4)
    assert by_item == pytest.approx((1 + 0) / 2)


def test_nothing_judged_twice_has_no_agreement(
    repeats: Evidence, everyone: Everyone, options: ExhibitOptions
) -> None:
    once = repeats.frame.filter(worker_id="bob")

    with pytest.raises(NotEnoughData, match="judged twice"):
        TABLE.make([everyone(repeats, once)], options)
    with pytest.raises(NotEnoughData, match="too few for agreement"):
        FIGURE.make([everyone(repeats, once)], options)


def test_curves_run_over_all_numbers_of_categories(evidence: Evidence, options: ExhibitOptions) -> None:
    figure = FIGURE.make([evidence], replace(options, categories=(12, 5)))
    assert isinstance(figure, Figure)

    assert [panel.title.partition(":")[0] for panel in figure.panels] == ["within workers", "between workers"]
    lines = [mark for mark in figure.panels[0].marks if isinstance(mark, Line)]
    assert [line.series for line in lines] == ["rating", "z"]
    assert lines[0].x == (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0)


def test_a_curve_goes_through_the_tables_kappas(evidence: Evidence, options: ExhibitOptions) -> None:
    figure = FIGURE.make([evidence], options)
    table = TABLE.make([evidence], options)
    assert isinstance(figure, Figure)

    line = next(mark for mark in figure.panels[1].marks if isinstance(mark, Line))
    drawn = dict(zip(line.x, line.y, strict=True))
    for n_categories in (2, 4, 5):
        row = _row(table, of="inter", scale="rating", categories=n_categories)
        assert drawn[float(n_categories)] == pytest.approx(row["value_kept"])


def test_a_side_without_pairs_has_no_panel(repeats: Evidence, options: ExhibitOptions) -> None:
    figure = FIGURE.make([repeats], options)

    # Ann and Amy are kept, who have no text in common.
    assert [panel.title.partition(":")[0] for panel in figure.panels] == ["within workers"]
