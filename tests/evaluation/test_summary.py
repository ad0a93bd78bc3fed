from __future__ import annotations

import polars as pl
import pytest

from steelyard.evaluation.comparison import TrialRecord, evaluation_conclusion, trial_summary
from steelyard.evaluation.settings import EvaluationSettings

SETTINGS = EvaluationSettings(methods=("mean-z", "new"))


NONE = float("nan")


def _record(
    method: str, draw: int, r: float, *, ratings: int = 1, coverage: float = NONE, within: float = NONE
) -> TrialRecord:
    return ("segments", ratings, 0.0, method, draw, 40.0, r, 1.0, coverage, within)


def test_means_errors_and_wins_by_hand() -> None:
    found = [_record("mean-z", 0, 0.5), _record("mean-z", 1, 0.7)]
    found += [_record("new", 0, 0.6, coverage=0.8), _record("new", 1, 0.6, coverage=1.0)]

    row = trial_summary(found, SETTINGS).row(by_predicate=pl.col("method") == "new", named=True)

    # Differences +.1 and -.1: their deviation is .1 sqrt 2, by sqrt 2.
    assert row["draws"] == 2
    assert row["r"] == pytest.approx(0.6)
    assert row["r_se"] == pytest.approx(0.0)
    assert row["difference"] == pytest.approx(0.0)
    assert row["difference_se"] == pytest.approx(0.1)
    assert row["wins"] == 0.5
    assert row["coverage"] == pytest.approx(0.9)


def test_a_draw_without_correlation_counts_for_nothing() -> None:
    found = [_record("mean-z", 0, 0.5), _record("mean-z", 1, 0.9)]
    found += [_record("new", 0, 0.7), _record("new", 1, float("nan"))]

    row = trial_summary(found, SETTINGS).row(by_predicate=pl.col("method") == "new", named=True)

    assert row["draws"] == 1
    assert row["difference"] == pytest.approx(0.2)
    assert row["r_se"] is None


def test_rows_come_by_setting_and_then_as_methods_were_named() -> None:
    found = [_record(name, 0, 0.5, ratings=k) for name in ("new", "mean-z") for k in (5, 1)]

    rows = trial_summary(found, SETTINGS)

    assert rows.select("ratings", "method").rows() == [
        (1, "mean-z"),
        (1, "new"),
        (5, "mean-z"),
        (5, "new"),
    ]


def _conclusion(new: list[float], plain: list[float], *, methods: tuple[str, ...] = ("mean-z", "new")) -> str:
    found = [_record("mean-z", draw, r) for draw, r in enumerate(plain)]
    found += [_record("new", draw, r) for draw, r in enumerate(new)]
    return evaluation_conclusion(trial_summary(found, EvaluationSettings(methods=methods)))


@pytest.mark.parametrize(
    ("new", "plain", "said"),
    [
        # A gain of .1 with an error of 0, of .1 with an error of .1, and a loss.
        (
            [0.6, 0.7],
            [0.5, 0.6],
            "new came closest to the truth: +0.100 in r on average, compared with mean-z.",
        ),
        (
            [0.6, 0.9],
            [0.6, 0.7],
            "No method was clearly closer to the truth than mean-z: new gained +0.100 in r on average, "
            "within the error of drawing.",
        ),
        ([0.4, 0.4], [0.5, 0.5], "No method came closer to the truth than mean-z."),
        ([], [0.5, 0.5], "There was nothing to compare mean-z with."),
    ],
)
def test_the_conclusion_in_words(new: list[float], plain: list[float], said: str) -> None:
    assert _conclusion(new, plain) == said


def test_the_conclusion_names_the_worst_trial_of_the_best_method() -> None:
    found = [_record("mean-z", draw, 0.5, ratings=k) for draw in range(2) for k in (1, 2)]
    found += [_record("new", draw, 0.55 if k == 1 else 0.49, ratings=k) for draw in range(2) for k in (1, 2)]

    said = evaluation_conclusion(trial_summary(found, SETTINGS))

    assert "+0.020 in r on average, −0.010 at worst" in said


@pytest.mark.parametrize(
    ("within", "said"),
    [
        ((0.35, 0.35), "Among translations of one system it gained +0.050."),
        (
            (0.3, 0.3),
            "But among translations of one system it did not clearly gain (+0.000): it mostly knew which "
            "system is better.",
        ),
    ],
)
def test_the_conclusion_tells_what_is_left_within_systems(within: tuple[float, float], said: str) -> None:
    found = [_record("mean-z", draw, 0.5, within=0.3) for draw in range(2)]
    found += [_record("new", draw, 0.6, within=r) for draw, r in enumerate(within)]

    assert evaluation_conclusion(trial_summary(found, SETTINGS)).endswith(f"compared with mean-z. {said}")
