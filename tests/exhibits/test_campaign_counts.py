from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.exhibits.attributes import TABLE as ATTRIBUTES
from steelyard.exhibits.campaign_counts import TABLE

Weighed = Callable[..., Evidence]
Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]


@pytest.fixture
def small(ratings: Ratings, weighed: Weighed) -> Evidence:
    """Five judgements that count for a system, of three translations, and two that do not."""
    frame = ratings(
        [
            ("ann", "h1", "regular", "s1", "alpha", 70),
            ("ann", "h1", "regular", "s2", "alpha", 60),
            ("ann", "h1", "repeat", "s2", "alpha", 65),
            ("ann", "h1", "reference", "s2", "alpha", 95),
            ("bob", "h2", "regular", "s2", "alpha", 50),
            ("bob", "h2", "regular", "s1", "beta", 40),
            ("bob", "h2", "degraded", "s1", "beta", 20),
        ]
    )
    return weighed(frame, check="none", method="mean-rating", title="Small")


def test_everything_is_counted(small: Evidence, options: ExhibitOptions) -> None:
    row = TABLE.make([small], options).rows.row(0, named=True)

    assert {name: row[name] for name in ("n_systems", "n_segments", "n_translations", "n_hits")} == {
        "n_systems": 2,
        "n_segments": 2,
        "n_translations": 3,
        "n_hits": 2,
    }
    assert (row["n_workers"], row["n_judgements"]) == (2, 7)
    kinds = ("n_regular", "n_repeat", "n_degraded", "n_reference", "n_known")
    assert [row[kind] for kind in kinds] == [4, 1, 1, 1, 0]
    # alpha's s1 was judged once, its s2 three times (the repeat included), beta's s1 once.
    assert row["per_translation"] == pytest.approx(5 / 3)
    assert (row["least_per_translation"], row["most_per_translation"]) == (1, 3)
    assert (row["kept_judgements"], row["kept_share"]) == (7, 1.0)


def test_a_text_of_two_systems_counts_for_both(
    small: Evidence, weighed: Weighed, options: ExhibitOptions
) -> None:
    also_gamma = pl.when(pl.col("system_id") == "beta").then(pl.lit(["gamma"]))
    frame = small.frame.with_columns(credited=also_gamma)

    row = TABLE.make([weighed(frame, check="none", method="mean-rating")], options).rows.row(0, named=True)

    # The same seven judgements, but gamma's s1 is a translation too, judged once.
    assert (row["n_judgements"], row["n_systems"], row["n_translations"]) == (7, 3, 4)
    assert row["per_translation"] == pytest.approx(6 / 4)


def test_attributes_are_counted_apart_per_translation(
    two_attributes: pl.DataFrame, evidence: Evidence, weighed: Weighed, options: ExhibitOptions
) -> None:
    both = TABLE.make([weighed(two_attributes), evidence], options).rows

    assert both["n_judgements"].to_list() == [660, 330]
    assert both["per_translation"][0] == both["per_translation"][1]


def test_controls_alone_are_no_sample(small: Evidence, options: ExhibitOptions) -> None:
    controls = small.frame.filter(pl.col("item_kind") == "degraded")

    with pytest.raises(NotEnoughData, match="Small: no regular or repeat item"):
        TABLE.make([replace(small, judged=controls)], options)


def test_attributes_stand_side_by_side_in_the_order_over_all(
    two_attributes: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    table = ATTRIBUTES.make([weighed(two_attributes, method="mean-rating", check="none")], options)

    assert table.rows["system_id"].to_list() == ["alpha", "beta", "gamma"]
    # Fluency is five points lower throughout, but ratings below 5 lose less; over all is the mean.
    adequacy, fluency = table.rows["adequacy_score"], table.rows["fluency_score"]
    assert ((adequacy - fluency) <= 5 + 1e-9).all()
    assert table.rows["score"].to_list() == pytest.approx(((adequacy + fluency) / 2).to_list())
    assert table.rows["fluency_rank"].to_list() == [1, 2, 3]


def test_one_attribute_has_none_to_stand_beside(evidence: Evidence, options: ExhibitOptions) -> None:
    with pytest.raises(NotEnoughData, match="only one attribute"):
        ATTRIBUTES.make([evidence], options)
