from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from steelyard.agreement.summary import AgreementOptions, agreement
from steelyard.frames import preferences_frame
from steelyard.simulate.preferences import PreferenceCrowd, simulated_preferences

Row = tuple[str, str, str, str, str, str]


def _frame(rows: list[Row]) -> pl.DataFrame:
    """(worker, kind, segment, shown first, shown second, preference)"""
    names = ["worker_id", "item_kind", "segment_id", "system_a", "system_b", "preference"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return preferences_frame(frame.with_columns(hit_id=pl.lit("h"), attribute=pl.lit("")))


def _values(frame: pl.DataFrame, **options: object) -> dict[tuple[str, str], tuple[int, float | None, float]]:
    table = agreement(frame, AgreementOptions(**options))  # type: ignore[arg-type]
    return {
        (row["of"], row["coefficient"]): (row["n_pairs"], row["agreement"], row["value"])
        for row in table.iter_rows(named=True)
    }


def test_repeats_agree_whichever_side_was_shown_first() -> None:
    frame = _frame(
        [
            ("W", "regular", "s1", "A", "B", "a"),
            ("W", "repeat", "s1", "B", "A", "b"),  # A again
            ("W", "regular", "s2", "A", "B", "a"),
            ("W", "repeat", "s2", "A", "B", "tie"),
            ("W", "regular", "s3", "B", "C", "tie"),
            ("W", "repeat", "s3", "C", "B", "both_bad"),  # neither again
        ]
    )

    # Two of three agree; by chance one in three would: (2/3 - 1/3) / (1 - 1/3).
    assert _values(frame)["intra", "kappa"] == (3, pytest.approx(2 / 3), pytest.approx(1 / 2))


def test_workers_agree_on_the_same_pair() -> None:
    frame = _frame(
        [
            ("V", "regular", "s1", "A", "B", "a"),
            ("W", "regular", "s1", "B", "A", "b"),
            ("X", "regular", "s1", "A", "B", "b"),
            ("V", "regular", "s2", "A", "B", "a"),
            ("W", "regular", "s2", "A", "C", "a"),  # another pair
        ]
    )

    found = _values(frame)

    # Three pairs of workers on A and B in s1, of which V and W agree.
    assert found["inter", "kappa"] == (3, pytest.approx(1 / 3), pytest.approx(0, abs=1e-12))
    # Krippendorff: observed disagreement 2/3. Counted both ways round, three values are for the first system
    # and three for the second: expected 1 - 2 (3 * 2) / (6 * 5) = 3/5.
    assert found["inter", "alpha"][2] == pytest.approx(1 - (2 / 3) / (3 / 5))


@pytest.mark.parametrize("chance", ["uniform", "cohen", "scott"])
def test_agreement_does_not_depend_on_the_names_of_systems(chance: str) -> None:
    crowd = PreferenceCrowd(n_workers=12, n_segments=8, n_repeats=15)
    frame = simulated_preferences({"A": 4, "B": 2, "C": 0}, crowd, np.random.default_rng(6))
    names = {"A": "B", "B": "C", "C": "A"}
    renamed = preferences_frame(
        frame.with_columns(pl.col("system_a", "system_b").cast(pl.String).replace(names))
    )

    found, again = _values(frame, chance=chance), _values(renamed, chance=chance)

    for key, (n_pairs, share, value) in found.items():
        assert again[key] == (n_pairs, pytest.approx(share), pytest.approx(value))
    # The order of systems is clear to all, and chance would not find it.
    assert found["inter", "alpha"][2] > 0.4


def test_alpha_of_a_system_that_nearly_always_wins_by_hand() -> None:
    agreed = [(worker, "regular", f"s{i}", "A", "B", "a") for i in range(8) for worker in "VW"]
    split = [(worker, "regular", f"t{i}", "A", "B", side) for i in range(2) for worker, side in ("Va", "Wb")]

    # Counted both ways there are 40 values, 20 of each; 2 of 10 pairs disagree.
    expected = 1 - 2 * (20 * 19) / (40 * 39)
    assert _values(_frame([*agreed, *split]))["inter", "alpha"][2] == pytest.approx(1 - 0.2 / expected)


def test_degraded_pairs_are_not_compared() -> None:
    rows = [("V", "degraded", "s1", "A", "A", "a"), ("W", "degraded", "s1", "A", "A", "b")]
    frame = _frame(rows).with_columns(control_side=pl.Series(["b", "a"]))

    assert _values(frame)["inter", "kappa"] == (0, None, None)


def test_a_crowd_that_answers_at_random_agrees_by_chance() -> None:
    crowd = PreferenceCrowd(n_workers=60, n_careless=60, n_segments=5, n_repeats=20, tie=0.0)
    frame = simulated_preferences({"A": 0, "B": 0}, crowd, np.random.default_rng(4))

    found = _values(frame)

    assert found["intra", "kappa"][2] == pytest.approx(0, abs=0.06)
    assert found["inter", "kappa"][2] == pytest.approx(0, abs=0.03)
    assert found["inter", "alpha"][2] == pytest.approx(0, abs=0.03)


def test_intervals_surround_the_values() -> None:
    crowd = PreferenceCrowd(n_workers=20, n_segments=10, n_repeats=10)
    frame = simulated_preferences({"A": 1, "B": -1}, crowd, np.random.default_rng(5))

    table = agreement(frame, AgreementOptions())

    assert (
        table.select((pl.col("lower") < pl.col("value")) & (pl.col("value") < pl.col("upper")))
        .to_series()
        .all()
    )


def test_order_of_rows_does_not_matter() -> None:
    crowd = PreferenceCrowd(n_workers=10, n_segments=10, n_repeats=10)
    frame = simulated_preferences({"A": 1, "B": -1, "C": 0}, crowd, np.random.default_rng(6))

    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)

    assert _values(frame)["inter", "kappa"] == _values(shuffled)["inter", "kappa"]
