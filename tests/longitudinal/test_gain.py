"""The arithmetic of cells, on every number that [Graham2014] prints in tables 3 to 5."""

from __future__ import annotations

import math

import pytest

from steelyard.domain.cells import FourCells
from steelyard.longitudinal.rows import (
    GainRow,
    change,
    delta,
    f1,
    f1_cells,
    f1_slopes,
    gain,
    over_all,
    overall,
)

# Pair: fluency (cells, gain, n), adequacy (the same), F1 (cells, Delta, gain). CURR07 CURR12 BEST07 BEST12.
PEOPLE = {
    "de-en": (
        (FourCells(65.3, 57.9, 52.8, 55.0), 9.6, (2164, 3381, 2242, 3253)),
        (FourCells(63.8, 52.8, 46.5, 49.8), 14.3, (1458, 2175, 1454, 2193)),
        (FourCells(64.54, 55.23, 49.45, 52.27), 9.31, 12.13),
    ),
    "fr-en": (
        (FourCells(65.9, 58.0, 57.8, 60.2), 10.3, (2172, 3267, 2203, 3238)),
        (FourCells(61.0, 52.3, 52.7, 51.5), 7.5, (1754, 2651, 1763, 2712)),
        (FourCells(63.36, 55.00, 55.13, 55.51), 8.35, 8.73),
    ),
    "es-en": (
        (FourCells(68.4, 59.2, 56.7, 56.7), 9.2, (1514, 2234, 1462, 2230)),
        (FourCells(68.0, 56.9, 59.0, 55.7), 7.8, (1495, 2193, 1492, 2180)),
        (FourCells(68.20, 58.03, 57.83, 56.20), 10.17, 8.54),
    ),
    "cs-en": (
        (FourCells(62.3, 49.9, 40.8, 50.5), 22.1, (1873, 2816, 1923, 2828)),
        (FourCells(62.4, 47.5, 41.7, 47.4), 20.6, (1218, 1830, 1257, 1855)),
        (FourCells(62.35, 48.67, 41.25, 48.90), 13.68, 21.34),
    ),
    "en-es": (
        (FourCells(77.2, 73.4, 63.3, 71.9), 12.4, (2286, 3318, 2336, 3420)),
        (FourCells(75.2, 68.1, 62.5, 67.2), 11.8, (1410, 2039, 1399, 2112)),
        (FourCells(76.19, 70.65, 62.90, 69.47), 5.54, 12.11),
    ),
    "en-fr": (
        (FourCells(57.1, 55.2, 49.5, 56.4), 8.8, (1008, 1645, 1039, 1588)),
        (FourCells(64.2, 61.9, 57.2, 62.3), 7.4, (1234, 1877, 1274, 1775)),
        (FourCells(60.44, 58.36, 53.07, 59.20), 2.08, 8.22),
    ),
    "en-de": (
        (FourCells(52.3, 54.1, 53.7, 55.5), 0.0, (1317, 1993, 1308, 2022)),
        (FourCells(60.3, 57.4, 58.3, 58.3), 2.9, (1453, 2105, 1410, 2152)),
        (FourCells(56.02, 55.70, 55.91, 56.87), 0.31, 1.27),
    ),
}
DELTAS = {
    "de-en": (7.4, 11.0),
    "fr-en": (7.9, 8.7),
    "es-en": (9.2, 11.1),
    "cs-en": (12.4, 14.9),
    "en-es": (3.8, 7.1),
    "en-fr": (1.9, 2.3),
    "en-de": (-1.8, 2.9),
}
METRICS = {
    "BLEU": {
        "de-en": (FourCells(38.3, 26.5, 21.1, 23.8), 14.5),
        "fr-en": (FourCells(39.4, 32.0, 28.6, 31.5), 10.3),
        "es-en": (FourCells(51.2, 38.3, 35.1, 33.5), 11.3),
        "cs-en": (FourCells(52.3, 25.0, 25.1, 22.4), 24.6),
        "en-es": (FourCells(48.2, 38.7, 29.1, 35.3), 15.7),
        "en-fr": (FourCells(37.2, 30.8, 25.3, 29.9), 11.0),
        "en-de": (FourCells(23.6, 18.7, 14.6, 17.2), 7.5),
    },
    "METEOR": {
        "de-en": (FourCells(40.3, 32.7, 33.4, 31.7), 5.9),
        "fr-en": (FourCells(39.8, 34.6, 35.9, 34.3), 3.6),
        "es-en": (FourCells(45.4, 37.0, 39.9, 36.0), 4.5),
        "cs-en": (FourCells(44.7, 31.6, 34.3, 30.8), 9.6),
        "en-es": (FourCells(69.9, 59.6, 57.0, 58.1), 11.4),
        "en-fr": (FourCells(59.4, 52.9, 50.4, 52.0), 8.1),
        "en-de": (FourCells(44.7, 39.1, 36.7, 38.0), 6.9),
    },
}
OVERALL = {
    "fluency": (FourCells(64.1, 58.2, 53.5, 58.0), 10.4),
    "adequacy": (FourCells(65.0, 56.7, 54.0, 56.0), 10.3),
    "BLEU": (FourCells(41.5, 30.0, 25.6, 27.7), 13.5),
    "METEOR": (FourCells(49.2, 41.1, 41.1, 40.1), 7.1),
}
N_OVERALL = {"fluency": (12334, 18654, 12513, 18579), "adequacy": (10022, 14870, 10049, 14979)}
# Means are printed with one digit and are rounded before they are subtracted.
ROUNDED = 0.1 + 1e-9
PRINTED = [
    *((pair, "fluency", *rows[0][:2]) for pair, rows in PEOPLE.items()),
    *((pair, "adequacy", *rows[1][:2]) for pair, rows in PEOPLE.items()),
    *((pair, name, *row) for name, rows in METRICS.items() for pair, row in rows.items()),
    *(("all", name, *row) for name, row in OVERALL.items()),
]


def cells_of(measure: str) -> list[FourCells]:
    """The printed cells of all pairs."""
    if measure in METRICS:
        return [cells for cells, _ in METRICS[measure].values()]
    place = ("fluency", "adequacy").index(measure)
    return [rows[place][0] for rows in PEOPLE.values()]


@pytest.mark.parametrize(
    ("cells", "printed"),
    [row[2:] for row in PRINTED],
    ids=[f"{pair} {measure}" for pair, measure, *_ in PRINTED],
)
def test_every_gain_is_the_printed_one(cells: FourCells, printed: float) -> None:
    assert gain(cells) == pytest.approx(printed, abs=ROUNDED)


@pytest.mark.parametrize("pair", PEOPLE)
def test_every_difficulty_is_the_printed_one(pair: str) -> None:
    found = [delta(PEOPLE[pair][place][0]) for place in (0, 1)]

    assert found == pytest.approx(DELTAS[pair], abs=ROUNDED)


@pytest.mark.parametrize("pair", PEOPLE)
def test_every_f1_is_the_printed_one(pair: str) -> None:
    (fluency, *_), (adequacy, *_), (printed, printed_delta, printed_gain) = PEOPLE[pair]

    cells = f1_cells(fluency, adequacy)

    assert cells == pytest.approx(printed, abs=0.011)
    assert delta(cells) == pytest.approx(printed_delta, abs=0.011)
    assert gain(cells) == pytest.approx(printed_gain, abs=0.011)


@pytest.mark.parametrize("measure", OVERALL)
def test_the_row_over_all_pairs_is_their_plain_mean(measure: str) -> None:
    printed, printed_gain = OVERALL[measure]

    cells = overall(cells_of(measure))

    assert cells == pytest.approx(printed, abs=0.06)
    assert gain(cells) == pytest.approx(printed_gain, abs=ROUNDED)


def test_f1_over_all_pairs_is_the_mean_of_the_pairs_f1() -> None:
    pairs = [f1_cells(rows[0][0], rows[1][0]) for rows in PEOPLE.values()]

    assert overall(pairs) == pytest.approx(FourCells(64.44, 57.38, 53.65, 56.92), abs=0.011)


def test_a_mean_weighted_by_judgements_would_not_be_the_printed_one() -> None:
    n = [rows[0][2][0] for rows in PEOPLE.values()]
    weighted = sum(k * rows[0][0].curr_old for k, rows in zip(n, PEOPLE.values(), strict=True)) / sum(n)

    assert weighted == pytest.approx(65.5, abs=0.05)
    assert overall(cells_of("fluency")).curr_old == pytest.approx(64.07, abs=0.01)


@pytest.mark.parametrize(("place", "attribute"), [(0, "fluency"), (1, "adequacy")])
def test_the_judgements_of_all_pairs_add_up(place: int, attribute: str) -> None:
    pairs = [
        GainRow(pair, attribute, "points", rows[place][0], n=rows[place][2]) for pair, rows in PEOPLE.items()
    ]

    assert over_all(pairs).n == N_OVERALL[attribute]


def test_judgements_are_not_added_up_where_a_pair_lacks_them() -> None:
    known, unknown = (
        GainRow(pair, "fluency", "points", PEOPLE[pair][0][0], n=n)
        for pair, n in (("de-en", (1, 2, 3, 4)), ("fr-en", ()))
    )

    assert over_all([known, unknown]).n == ()


@pytest.mark.parametrize(
    ("cells", "printed"),
    [(FourCells(0.18, 0.0, -0.16, 0.0), 0.34), (FourCells(0.18, -0.07, -0.16, -0.09), 0.32)],
)
def test_gains_on_z_are_the_printed_ones(cells: FourCells, printed: float) -> None:
    assert gain(cells) == pytest.approx(printed, abs=0.011)


def test_gain_is_change_plus_difficulty() -> None:
    cells = FourCells(70.0, 60.0, 50.0, 55.0)

    assert (delta(cells), change(cells), gain(cells)) == (10.0, 5.0, 15.0)


def test_f1_of_what_is_unknown_or_nothing_is_unknown() -> None:
    assert math.isnan(f1(math.nan, 50.0))
    assert math.isnan(f1(0.0, 0.0))
    assert all(math.isnan(slope) for slope in f1_slopes(0.0, 0.0))


def test_the_slopes_of_f1_are_its_derivatives() -> None:
    step = 1e-6
    by_fluency = (f1(60.0 + step, 40.0) - f1(60.0 - step, 40.0)) / (2 * step)
    by_adequacy = (f1(60.0, 40.0 + step) - f1(60.0, 40.0 - step)) / (2 * step)

    assert f1_slopes(60.0, 40.0) == pytest.approx((by_fluency, by_adequacy), rel=1e-6)
