from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Bars, Evidence, ExhibitOptions, Figure
from steelyard.domain.result import MethodSettings
from steelyard.domain.scale import Scale
from steelyard.exhibits.vote_weights import FIGURE
from steelyard.frames import ratings_frame

Weighed = Callable[..., Evidence]
GOLD = (1.0, 2.0, 3.0, 4.0, 1.0)
# Ann agrees with the expert on all five; Bob on three, being a point too low on two; Cat on none.
GIVEN = {"ann": GOLD, "bob": (1.0, 1.0, 2.0, 4.0, 1.0), "cat": (4.0, 1.0, 1.0, 1.0, 4.0)}
SETTINGS = {"check": "none", "method_settings": MethodSettings(draws=0, scale=Scale(1, 4))}


def _frame(*, known: bool = True) -> pl.DataFrame:
    rows = [
        (worker, f"s{t}", rating, GOLD[t] if known and t < 5 else None)
        for worker, given in {**GIVEN, "dan": (2.0,)}.items()
        # Dan judges one translation only, which is no gold.
        for t, rating in enumerate(given, start=5 if worker == "dan" else 0)
    ]
    table = pl.DataFrame(rows, schema=["worker_id", "segment_id", "rating", "known"], orient="row")
    return ratings_frame(
        table.with_columns(
            hit_id=pl.lit("h"), item_kind=pl.lit("regular"), system_id=pl.lit("S"), attribute=pl.lit("")
        )
    )


@pytest.fixture(scope="module")
def figure(weighed: Weighed) -> Figure:
    made = FIGURE.make([weighed(_frame(), method="mean-rating", **SETTINGS)], ExhibitOptions())
    assert isinstance(made, Figure)
    return made


def _counts(figure: Figure, method: str) -> dict[str, int]:
    """How many judgements lie in each stretch that has any, by where it begins."""
    rows = figure.table.rows.filter(pl.col("n_judgements") > 0).filter(method=method)
    return {
        vote if left is None else f"{left:.2f}": n
        for vote, left, n in rows.select("vote", "left", "n_judgements").iter_rows()
    }


def test_a_vote_weighs_the_share_of_gold_agreed_with(figure: Figure) -> None:
    # Five judgements each at 1 and at 3/5, which is a border; without a vote are those of Cat and of Dan.
    assert _counts(figure, "weighted-vote") == {"none": 6, "0.60": 5, "0.95": 5}


def test_a_vote_weighs_what_is_left_of_the_distance_after_correction(figure: Figure) -> None:
    # Bob is 2/5 off; shifted by 2/5 he would be 12/25 off, so he is not: 1 - 0.4 / 1.25 = 0.68.
    assert _counts(figure, "two-stage") == {"none": 6, "0.65": 5, "0.95": 5}


def test_judgements_without_a_vote_stand_left_of_0(figure: Figure) -> None:
    _, without = figure.panels[0].marks

    assert isinstance(without, Bars)
    assert without.right[0] < 0
    assert without.height == (6,)


def test_both_panels_have_the_same_axis(figure: Figure) -> None:
    assert [panel.title for panel in figure.panels] == ["weighted-vote", "two-stage"]
    assert figure.panels[0].x == figure.panels[1].x


def test_the_caption_counts_the_votes(figure: Figure) -> None:
    assert "two-stage: 10 of 16 judgements have a vote." in figure.caption


def test_without_gold_nothing_is_drawn(weighed: Weighed) -> None:
    source = weighed(_frame(known=False), method="mean-rating", **SETTINGS)

    with pytest.raises(NotEnoughData, match="an expert must have rated at least three"):
        FIGURE.make([source], ExhibitOptions())


def test_a_crowd_no_better_than_chance_has_no_weights_to_show(weighed: Weighed) -> None:
    # Everyone says the opposite: nobody agrees with the expert, and nobody is closer than chance.
    away = pl.when(pl.col("known") <= 2).then(4.0).otherwise(1.0)
    source = weighed(_frame().with_columns(rating=away), method="mean-rating", **SETTINGS)

    with pytest.raises(NotEnoughData, match=r"There are no weights to show: weighted-vote: no judgement"):
        FIGURE.make([source], ExhibitOptions())
