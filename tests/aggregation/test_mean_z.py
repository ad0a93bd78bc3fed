from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation.mean_z import METHOD
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit, MethodSettings
from steelyard.frames import ratings_frame


def _frame(rows: list[tuple[str, str, str, float]], **same: str) -> pl.DataFrame:
    """Rows of worker, system, segment and rating; regular items unless said otherwise."""
    names = ["worker_id", "system_id", "segment_id", "rating"]
    constants = {"hit_id": "h", "item_kind": "regular", "attribute": "", **same}
    return ratings_frame(
        pl.DataFrame(rows, schema=names, orient="row").with_columns(
            pl.lit(value).alias(name) for name, value in constants.items()
        )
    )


def _fit(frame: pl.DataFrame, **settings: Any) -> Fit:
    return METHOD.fit(frame, MethodSettings(draws=0, **settings), np.random.default_rng(0))


def _score(fit: Fit, system_id: str) -> float:
    return float(fit.systems.filter(pl.col("system_id") == system_id)["score"].item())


STRICT_AND_GENEROUS = _frame(
    [
        ("strict", "A", "1", 10.0),
        ("strict", "A", "2", 20.0),
        ("strict", "B", "1", 0.0),
        ("generous", "A", "1", 100.0),
        ("generous", "B", "1", 90.0),
        ("generous", "B", "2", 80.0),
    ]
)


@pytest.mark.parametrize(
    ("unit", "score"),
    # A: segment 1 has z 0 (strict) and 1 (generous), segment 2 has z 1 (strict).
    [("judgement", (0.5 + 1) / 2), ("worker", (0.5 + 1) / 2), ("flat", 2 / 3)],
)
def test_a_case_by_hand(unit: str, score: float) -> None:
    fit = _fit(STRICT_AND_GENEROUS, minimum_ratings=2, unit=unit)

    assert _score(fit, "A") == pytest.approx(score)


@pytest.mark.parametrize(("unit", "score"), [("judgement", 200 / 3), ("worker", 70.0), ("flat", 200 / 3)])
def test_a_repeat_counts_again_unless_workers_are_averaged_first(unit: str, score: float) -> None:
    first = _frame([("w", "A", "1", 50.0), ("v", "A", "1", 80.0)])
    again = _frame([("w", "A", "1", 70.0)], item_kind="repeat")

    fit = _fit(pl.concat([first, again]), minimum_ratings=1, unstandardised_as_zero=True, unit=unit)

    # Ratings 50, 80 and 70; by worker first 60 and 80.
    assert fit.systems["mean_rating"].item() == pytest.approx(score)
    assert fit.systems["n_judgements"].item() == 3


def test_controls_shift_a_workers_mean_only_when_all_kinds_define_it() -> None:
    scored = [("w", "A", str(s), float(r)) for s, r in enumerate([40, 60])]
    control = _frame([("w", "A", "9", 0.0), ("w", "A", "8", 0.0)], item_kind="degraded")
    frame = pl.concat([_frame(scored), control])

    over_all = _fit(frame, minimum_ratings=2, standardise_over="all")
    over_system = _fit(frame, minimum_ratings=2, standardise_over="system")

    # All: mean 25, squared deviations 625 x 2 + 225 + 1225 = 2700, deviation 30.
    assert _score(over_all, "A") == pytest.approx(25 / 30)
    assert _score(over_system, "A") == pytest.approx(0)


LOW_AND_HIGH = pl.concat(
    [
        _frame([("w", "A", "1", 10.0), ("w", "B", "1", 20.0)], attribute="adequacy"),
        _frame([("w", "A", "1", 80.0), ("w", "B", "1", 90.0)], attribute="fluency"),
    ]
)


def test_a_worker_can_be_standardised_for_each_attribute_alone() -> None:
    fit = _fit(LOW_AND_HIGH, minimum_ratings=2, standardise_per="attribute")

    assert _score(fit, "B") == pytest.approx(1 / np.sqrt(2))


def test_a_worker_is_standardised_over_all_attributes_together() -> None:
    fit = _fit(LOW_AND_HIGH, minimum_ratings=2)

    # Mean 50; squared deviations 1600 + 900 + 900 + 1600 = 5000 over three.
    deviation = np.sqrt(5000 / 3)
    assert _score(fit, "B") == pytest.approx((-30 + 40) / 2 / deviation)
    by_attribute = {name: _score(alone, "B") for name, alone in fit.attributes}
    assert by_attribute == pytest.approx({"adequacy": -30 / deviation, "fluency": 40 / deviation})


CONSTANT = [("flat", "A", "9", 50.0), ("flat", "B", "9", 50.0), ("flat", "B", "8", 50.0)]


def test_a_worker_who_cannot_be_standardised_leaves_with_a_warning() -> None:
    frame = pl.concat([STRICT_AND_GENEROUS, _frame(CONSTANT)])

    fit = _fit(frame, minimum_ratings=2)

    assert fit.segments.equals(_fit(STRICT_AND_GENEROUS, minimum_ratings=2).segments)
    assert fit.warnings[0].startswith(
        "1 worker gave fewer than 2 ratings or always the same one, so 3 judgements could not be standardised"
    )


def test_a_segment_nobody_could_standardise_counts_zero_if_asked() -> None:
    frame = pl.concat([STRICT_AND_GENEROUS, _frame(CONSTANT)])

    fit = _fit(frame, minimum_ratings=2, unstandardised_as_zero=True)

    assert _score(fit, "A") == pytest.approx((0.5 + 1 + 0) / 3)
    assert fit.systems.filter(pl.col("system_id") == "A")["n_judgements"].item() == 4


def test_workers_with_few_ratings_are_mentioned() -> None:
    fit = _fit(STRICT_AND_GENEROUS, minimum_ratings=2)

    assert fit.warnings == (
        "2 workers gave fewer than 30 ratings: their means and deviations are rough, "
        "and so are their standardised ratings.",
    )


def test_nobody_is_left_out_without_a_minimum() -> None:
    newcomer = _frame([("newcomer", "C", "1", 95.0)])

    fit = _fit(pl.concat([STRICT_AND_GENEROUS, _frame(CONSTANT), newcomer]))

    assert fit.segments["n"].sum() == 10
    assert fit.segments["score"].null_count() == 0
    # One high rating of an unknown worker is good news, but less so than in deviations of the crowd.
    assert 0 < _score(fit, "C") < 1
    assert fit.warnings == (
        "4 workers gave fewer than 30 ratings: their means and deviations are drawn towards everyone's.",
    )


def test_when_nobody_can_be_standardised_it_says_what_to_do() -> None:
    with pytest.raises(NotEnoughData, match=r"no worker has given 2 ratings yet .* method=.mean-rating"):
        _fit(_frame(CONSTANT))
    with pytest.raises(NotEnoughData, match=r"no worker has given 4 ratings yet .* method=.mean-rating"):
        _fit(STRICT_AND_GENEROUS, minimum_ratings=4)
