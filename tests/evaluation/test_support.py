from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData, as_command_line
from steelyard.domain.result import AnalysisSettings
from steelyard.evaluation.comparison import evaluate_frame, ready_trials
from steelyard.evaluation.settings import EvaluationSettings

Ratings = Callable[..., pl.DataFrame]


def _crowd(n_workers: int, n_segments: int = 12) -> list[tuple[Any, ...]]:
    return [
        (f"w{w}", "A", f"s{s}", (7 * w + 13 * s * s) % 101)
        for w in range(n_workers)
        for s in range(n_segments)
    ]


def test_nothing_can_be_tried_without_judgements(noisy: pl.DataFrame) -> None:
    with pytest.raises(NotEnoughData, match="no judgements yet"):
        ready_trials(noisy.clear(), EvaluationSettings())


@pytest.mark.parametrize("truth", ["others", "rest", "all"])
def test_fewer_than_four_workers_are_too_few(ratings: Ratings, truth: str) -> None:
    with pytest.raises(NotEnoughData, match=r"fewer than 4 workers \(here 3\).*truth=.gold"):
        ready_trials(ratings(_crowd(3)), EvaluationSettings(truth=truth))


def test_one_rating_per_item_cannot_be_split(ratings: Ratings) -> None:
    rows = [(f"w{k % 5}", "A", f"s{k}", k) for k in range(50)]

    with pytest.raises(NotEnoughData) as raised:
        ready_trials(ratings(rows), EvaluationSettings())

    assert raised.value.spelt(as_command_line) == (
        "To draw 1 rating per item and leave 3 or more for the truth, items must have been judged by 6 "
        "workers or more. Of 50 items 0 have been (no item by more than 1). Collect more judgements of each "
        "item, or lower --least-truth, or compare by --level systems."
    )


def test_a_number_that_no_item_has_is_refused(ratings: Ratings) -> None:
    with pytest.raises(NotEnoughData, match=r"judged by 8 workers or more.*ask for fewer ratings"):
        ready_trials(ratings(_crowd(6)), EvaluationSettings(ratings=(2, 5)))


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({"truth": "others"}, (1, 2, 3, 5)),
        ({"truth": "others", "share": 0.3}, (1, 2, 3)),
        ({"truth": "rest"}, (1, 2, 3, 5)),
        ({"truth": "rest", "least_truth": 2}, (1, 2, 3, 5, 8)),
        ({"truth": "all", "least_truth": 10}, (1, 2, 3, 5, 8)),
    ],
)
def test_usual_sizes_are_those_that_leave_enough(
    ratings: Ratings, choices: dict[str, Any], expected: tuple[int, ...]
) -> None:
    # Ten workers judged every item.
    assert ready_trials(ratings(_crowd(10)), EvaluationSettings(**choices)).settings.ratings == expected


def test_sizes_that_few_items_support_are_not_tried_unasked(ratings: Ratings) -> None:
    # Forty items by six workers, five by ten more: only those would bear trials of five.
    rows = [(f"w{w}", "A", f"s{s}", (w * s) % 101) for w in range(16) for s in range(40 if w < 6 else 5)]

    assert ready_trials(ratings(rows), EvaluationSettings()).settings.ratings == (1, 2, 3)


def test_gold_must_be_known(noisy: pl.DataFrame) -> None:
    with pytest.raises(NotEnoughData, match=r'columns=\{"known": "COLUMN"}'):
        ready_trials(noisy, EvaluationSettings(truth="gold"))


def test_gold_needs_no_other_workers(exact: pl.DataFrame) -> None:
    few = exact.filter(pl.col("worker_id").is_in(["w0", "w1"]))

    found = evaluate_frame(few, EvaluationSettings(truth="gold", ratings=(2,), draws=2, methods=("mean-z",)))

    assert found.rows["r"].item() == pytest.approx(1.0)


def test_two_systems_cannot_be_correlated(noisy: pl.DataFrame) -> None:
    with pytest.raises(NotEnoughData, match=r"there are 2\. Use level=.segments"):
        ready_trials(noisy.filter(pl.col("system_id") != "C"), EvaluationSettings(level="systems"))


def test_cells_need_several_attributes(noisy: pl.DataFrame) -> None:
    with pytest.raises(NotEnoughData, match=r"Use level=.systems"):
        ready_trials(noisy, EvaluationSettings(level="cells"))


@pytest.mark.parametrize("choices", [{"methods": ("mean-z-passing",)}, {"truth": "passing"}])
def test_nobody_passes_without_degraded_copies_or_without_a_check(
    noisy: pl.DataFrame, choices: dict[str, Any]
) -> None:
    regular = noisy.filter(pl.col("item_kind") == "regular")

    with pytest.raises(NotEnoughData, match="no item is a degraded copy"):
        ready_trials(regular, EvaluationSettings(**choices))
    with pytest.raises(NotEnoughData, match="Choose a check with check"):
        ready_trials(noisy, EvaluationSettings(**choices, analysis=AnalysisSettings(check="none")))


def test_ratings_that_do_not_vary_tell_nothing(ratings: Ratings) -> None:
    same = ratings(_crowd(8)).with_columns(rating=pl.lit(50.0))

    with pytest.raises(NotEnoughData, match="In no trial could scores be correlated"):
        evaluate_frame(same, EvaluationSettings(draws=2))
