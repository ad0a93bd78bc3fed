"""Names as categories: everything that takes a ratings frame gives the same answer for both forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation import methods
from steelyard.agreement.summary import AgreementOptions, agreement
from steelyard.control_pairs import control_pairs
from steelyard.domain.result import CheckSettings
from steelyard.domain.scale import VAS
from steelyard.domain.work import ItemKind
from steelyard.frames import hit_times_frame, index_of, ratings_frame, with_categories
from steelyard.qc import checks, checks_of
from steelyard.review.consistency import consistency
from steelyard.review.flags import worker_flags
from steelyard.review.hit_changes import changed_hits
from steelyard.review.hit_times import corrected_times


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Six workers, two HITs each, three systems of which two share texts; all kinds; two attributes."""
    rng = np.random.default_rng(2)
    rows: list[dict[str, Any]] = []
    for w in range(6):
        for s in range(30):
            for kind in ("regular", ("repeat", "degraded", "reference")[s % 3]):
                for attribute in ("adequacy", "fluency"):
                    row = {"worker_id": f"w{w}", "hit_id": f"h{w}-{s % 2}", "segment_id": f"s{s}"}
                    level = 40 + 10 * (s % 4) - 25 * (kind == "degraded") + 4 * w
                    row |= {"system_id": "cab"[s % 3], "item_kind": kind, "attribute": attribute}
                    row |= {"credited": ["b"] if s % 6 == 0 else None, "position": s + 1}
                    rows.append(row | {"rating": float(np.clip(round(rng.normal(level, 9)), 0, 100))})
    return ratings_frame(pl.DataFrame(rows, schema_overrides={"credited": pl.List(pl.String)}))


@pytest.fixture(scope="module")
def hit_times() -> pl.DataFrame:
    # Somebody and something that the ratings know nothing of.
    return hit_times_frame(
        pl.DataFrame({"worker_id": ["w1", "x"], "hit_id": ["h1-0", "y"], "work_seconds": [50.0, 60.0]})
    )


@pytest.fixture(scope="module")
def coded(frame: pl.DataFrame, hit_times: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    return with_categories(frame, hit_times)


def _plain(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.col(pl.Enum).cast(pl.String))


def test_categories_are_the_names_in_order(
    frame: pl.DataFrame, coded: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    assert _plain(coded[0]).drop("credited").equals(frame.drop("credited"))
    assert coded[0]["credited"].to_list() == frame["credited"].to_list()
    assert coded[0]["system_id"].dtype == pl.Enum(["a", "b", "c"])
    assert coded[1]["worker_id"].dtype == coded[0]["worker_id"].dtype


def test_names_that_do_not_occur_in_a_part_have_no_place(coded: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    part = coded[0].filter(pl.col("worker_id").is_in(["w1", "w4"]))

    names, index = index_of(part["worker_id"])

    assert names == ["w1", "w4"]
    assert set(index.tolist()) == {0, 1}


@pytest.mark.parametrize("kind", [ItemKind.DEGRADED, ItemKind.REPEAT])
def test_pairs_are_the_same(
    kind: ItemKind, frame: pl.DataFrame, coded: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    assert _plain(control_pairs(coded[0], kind)).equals(control_pairs(frame, kind))


@pytest.mark.parametrize("name", sorted(checks_of("ratings")))
def test_verdicts_are_the_same(
    name: str, frame: pl.DataFrame, coded: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    run = checks()[name].run

    assert run(coded[0], CheckSettings()) == run(frame, CheckSettings())


@pytest.mark.usefixtures("short_chains")
@pytest.mark.parametrize("name", sorted(methods()))
def test_scores_are_the_same(
    name: str, frame: pl.DataFrame, coded: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    # Methods that hold workers against gold need some.
    known = pl.when((pl.col("item_kind") == "regular") & ("Denkowski2010" in methods()[name].cite)).then(60.0)
    fits = [
        methods()[name].fit(
            rows.with_columns(known=known), methods()[name].settings(draws=20), np.random.default_rng(1)
        )
        for rows in (coded[0], frame)
    ]

    assert fits[0].systems.equals(fits[1].systems)
    assert fits[0].segments.equals(fits[1].segments)
    assert fits[0].workers.equals(fits[1].workers)
    assert [of for of, _ in fits[0].attributes] == [of for of, _ in fits[1].attributes]


def test_what_is_found_about_workers_is_the_same(
    frame: pl.DataFrame, hit_times: pl.DataFrame, coded: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    hits = [corrected_times(*pair) for pair in (coded, (frame, hit_times))]

    flags = [
        worker_flags(rows, taken, times, rules="usual", scale=VAS)
        for (rows, times), taken in zip((coded, (frame, hit_times)), hits, strict=True)
    ]

    assert _plain(hits[0]).equals(hits[1])
    assert _plain(flags[0]).equals(flags[1])
    assert _plain(consistency(coded[0], scale=VAS)).equals(consistency(frame, scale=VAS))
    everybody = [f"w{w}" for w in range(6)]
    assert changed_hits(coded[0], everybody) == changed_hits(frame, everybody)


def test_agreement_is_the_same(frame: pl.DataFrame, coded: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    options = AgreementOptions()

    assert agreement(coded[0], options).equals(agreement(frame, options))
