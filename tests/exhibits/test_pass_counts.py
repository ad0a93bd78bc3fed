from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.exhibits.pass_by_language import TABLE as BY_LANGUAGE
from steelyard.exhibits.pass_counts import TABLE

Weighed = Callable[..., Evidence]


@pytest.fixture
def published(evidence: Evidence) -> Evidence:
    """The fluency row of the published table: 557 workers, 321 good, 314 of them consistent.

    122,000 ratings, 78,000 of them kept; 40 workers without enough pairs, ten flagged.
    """
    n_workers, n_good, n_consistent, n_equivalent = 557, 321, 314, 200
    numbers = pl.int_range(n_workers, eager=True)
    workers = pl.DataFrame({"worker_id": numbers.cast(pl.String), "number": numbers}).select(
        "worker_id",
        verdict=pl.when(pl.col("number") < n_good)
        .then(pl.lit("pass"))
        .when(pl.col("number") >= n_workers - 40)
        .then(pl.lit("insufficient"))
        .otherwise(pl.lit("fail")),
        # At 0.05 nothing speaks against the assumption yet, and equivalence is not shown yet.
        consistency_p=pl.when(pl.col("number") < n_consistent).then(0.05).otherwise(0.0499),
        equivalence_p=pl.when(pl.col("number") < n_equivalent).then(0.0499).otherwise(0.05),
        flags=pl.when(pl.col("number") < 10).then(pl.lit(["time"])).otherwise(pl.lit([], pl.List(pl.String))),
    )
    frame = pl.DataFrame({"row": pl.int_range(122_000, eager=True)}).select(
        worker_id=(pl.col("row") % n_workers).cast(pl.String), attribute=pl.lit("fluency")
    )
    keeps = pl.int_range(len(frame), eager=True) < 78_000
    analysis = replace(evidence.analysis, workers=workers)
    return replace(evidence, judged=frame, keeps=keeps, analysis=analysis)


def _row(table: Table, place: int = 0) -> dict[str, object]:
    return table.rows.row(place, named=True)


def test_the_published_row_comes_out_without_its_slip(published: Evidence, options: ExhibitOptions) -> None:
    row = _row(TABLE.make([published], options))

    assert (row["attribute"], row["n_workers"], row["good_workers"]) == ("fluency", 557, 321)
    assert row["good_share"] == 321 / 557  # printed as 58 %
    assert row["consistent_workers"] == 314
    assert row["consistent_share"] == 314 / 321 == pytest.approx(0.978, abs=5e-4)  # printed as 98.8 %
    assert (row["n_ratings"], row["kept_ratings"]) == (122_000, 78_000)
    assert row["kept_share"] == 78 / 122  # printed as 64 %


def test_equivalence_flags_and_too_few_pairs_are_counted(
    published: Evidence, options: ExhibitOptions
) -> None:
    row = _row(TABLE.make([published], options))

    assert (row["equivalent_workers"], row["insufficient_workers"], row["flagged_workers"]) == (200, 40, 10)


def test_without_repeats_consistency_is_unknown_rather_than_complete(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    table = TABLE.make([weighed(crowd.filter(pl.col("item_kind") != "repeat"))], options)

    row = _row(table)
    assert row["good_workers"] == 3
    assert (row["consistent_workers"], row["consistent_share"], row["equivalent_workers"]) == (None,) * 3
    assert table.notes == (
        "3 of the good workers judged fewer than two repeats; nothing speaks against them.",
    )


def test_each_attribute_has_a_row_with_its_own_workers_and_ratings(
    two_attributes: pl.DataFrame, weighed: Weighed, options: ExhibitOptions
) -> None:
    # Bob judged adequacy only: 60 of his 120 ratings go.
    frame = two_attributes.filter(~((pl.col("worker_id") == "bob") & (pl.col("attribute") == "fluency")))

    rows = TABLE.make([weighed(frame)], options).rows

    assert rows["attribute"].to_list() == ["adequacy", "fluency"]
    assert rows["n_workers"].to_list() == [6, 5]
    assert rows["good_workers"].to_list() == [3, 2]
    assert rows["n_ratings"].to_list() == [330, 270]
    assert rows["kept_ratings"].to_list() == [180, 120]


@pytest.mark.parametrize("exhibit", [TABLE, BY_LANGUAGE], ids=lambda exhibit: exhibit.name)
def test_sources_have_a_row_each_in_their_order(
    evidence: Evidence, options: ExhibitOptions, exhibit: object
) -> None:
    other = replace(evidence, title="Another")

    table = exhibit.make([other, evidence], options)  # type: ignore[attr-defined]

    assert table.rows["source"].to_list() == ["Another", "Toy"]
    assert table.signature.splitlines() == [evidence.analysis.signature] * 2


@pytest.mark.parametrize("exhibit", [TABLE, BY_LANGUAGE], ids=lambda exhibit: exhibit.name)
def test_nobody_passes_where_nobody_is_checked(
    crowd: pl.DataFrame, weighed: Weighed, options: ExhibitOptions, exhibit: object
) -> None:
    with pytest.raises(NotEnoughData, match="choose a check"):
        exhibit.make([weighed(crowd, check="none")], options)  # type: ignore[attr-defined]


def test_a_source_without_a_check_beside_another_has_no_good_workers_to_count(
    crowd: pl.DataFrame, evidence: Evidence, weighed: Weighed, options: ExhibitOptions
) -> None:
    sources = [evidence, weighed(crowd, check="none")]

    assert TABLE.make(sources, options).rows["good_workers"].to_list() == [3, None]
    assert BY_LANGUAGE.make(sources, options).rows["good_share"].to_list() == [0.5, None]


def test_good_shares_are_those_of_workers_and_of_judgements(
    evidence: Evidence, options: ExhibitOptions
) -> None:
    row = _row(BY_LANGUAGE.make([evidence], options))

    # Ann, Bob and Cem of six; 60 judgements each, of five times 60 and the newcomer's 30.
    assert (row["n_workers"], row["good_workers"], row["good_share"]) == (6, 3, 0.5)
    assert (row["n_judgements"], row["kept_judgements"], row["kept_share"]) == (330, 180, 180 / 330)


def test_languages_are_named_where_campaigns_know_them(evidence: Evidence, options: ExhibitOptions) -> None:
    known = replace(evidence, language="fr")

    named, unnamed = (BY_LANGUAGE.make(sources, options) for sources in ([known, evidence], [evidence]))

    assert named.columns[0].title == "Language"
    assert named.rows["language"].to_list() == ["fr", None]
    assert "language" not in unnamed.rows.columns
