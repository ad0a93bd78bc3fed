"""The agreement table from a ratings frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.agreement.summary import AGREEMENT_SCHEMA, AgreementOptions, agreement
from steelyard.domain.result import MethodSettings
from steelyard.domain.scale import Scale
from steelyard.frames import ratings_frame
from steelyard.stats.intraclass import one_way_icc

MakeFrame = Callable[[list[dict[str, Any]]], pl.DataFrame]
# As published: who gave fewer than ten ratings has no z.
TEN = MethodSettings(minimum_ratings=10)
Rows = dict[tuple[str, str, int | None, str], dict[str, Any]]


def by_name(table: pl.DataFrame) -> Rows:
    """The rows by of, scale, categories and coefficient."""
    rows = {(r["of"], r["scale"], r["categories"], r["coefficient"]): r for r in table.to_dicts()}
    assert len(rows) == len(table)
    return rows


def crowd(
    rng: np.random.Generator, *, n_workers: int = 25, n_items: int = 60, n_rated: int = 30
) -> pl.DataFrame:
    """Workers with levels and noise of their own, rating some of the items and five of them again."""
    quality = np.random.default_rng(0).normal(55, 18, n_items)
    items = np.array([rng.choice(n_items, n_rated, replace=False) for _ in range(n_workers)])
    items = np.concatenate([items, items[:, :5]], axis=1)
    level, noise = rng.normal(0, 8, n_workers), rng.gamma(6, 2, n_workers)
    rating = quality[items] + level[:, None] + rng.normal(size=items.shape) * noise[:, None]
    n = items.shape[1]
    return ratings_frame(
        pl.DataFrame(
            {
                "worker_id": np.repeat([f"w{k:02d}" for k in range(n_workers)], n),
                "hit_id": np.repeat([f"h{k:02d}" for k in range(n_workers)], n),
                "item_kind": np.tile(["regular"] * n_rated + ["repeat"] * 5, n_workers),
                "system_id": "a",
                "segment_id": items.ravel().astype(str),
                "attribute": "adequacy",
                "position": np.tile(np.arange(1, n + 1), n_workers),
                "rating": np.clip(rating, 0, 100).round().ravel(),
            }
        )
    )


@pytest.fixture(scope="module")
def toy_crowd() -> pl.DataFrame:
    return crowd(np.random.default_rng(11))


def test_there_is_a_row_for_every_coefficient(toy_crowd: pl.DataFrame) -> None:
    table = agreement(toy_crowd, AgreementOptions())

    assert table.schema == AGREEMENT_SCHEMA
    kappas = [(5, "kappa"), (4, "kappa"), (2, "kappa")]
    expected = [
        *[("intra", scale, *row) for scale in ("rating", "z") for row in [*kappas, (None, "pearson")]],
        *[
            ("inter", scale, *row)
            for scale in ("rating", "z")
            for row in [*kappas, (None, "alpha"), (None, "icc")]
        ],
    ]
    assert table.select("of", "scale", "categories", "coefficient").rows() == expected


def test_two_workers_by_hand(frame_of: MakeFrame) -> None:
    ratings = {"v": [10, 30, 70, 90], "w": [20, 60, 80, 100]}
    frame = frame_of(
        [
            {"worker_id": worker, "segment_id": str(k), "rating": rating}
            for worker, given in ratings.items()
            for k, rating in enumerate(given)
        ]
        + [{"worker_id": "v", "segment_id": "1", "rating": 60, "item_kind": "repeat"}]
    )

    rows = by_name(agreement(frame, AgreementOptions(TEN, categories=(2,))))

    # Halves: low-low, low-high, high-high, high-high.
    inter = rows["inter", "rating", 2, "kappa"]
    assert (inter["n_pairs"], inter["agreement"], inter["value"], inter["chance"]) == (
        4,
        0.75,
        0.5,
        "uniform",
    )
    # Squared differences of the pairs 100, 900, 100, 100; over all 28 pairs 8 times the squares about 57.5.
    squares = sum((r - 57.5) ** 2 for given in ratings.values() for r in given)
    assert rows["inter", "rating", None, "alpha"]["value"] == pytest.approx(1 - 300 / (8 * squares / 28))
    intra = rows["intra", "rating", 2, "kappa"]
    assert (intra["n_pairs"], intra["agreement"], intra["value"]) == (1, 0.0, -1.0)
    # Nobody gave ten ratings.
    assert rows["inter", "z", 2, "kappa"]["n_pairs"] == 0


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"rating": 50}],
        [{"rating": 50, "segment_id": str(k)} for k in range(30)],
        [{"rating": k, "segment_id": str(k), "worker_id": f"w{k}"} for k in range(30)],
        [{"rating": k, "segment_id": str(k), "worker_id": f"w{k % 2}"} for k in range(30)],
    ],
    ids=[
        "empty",
        "one rating",
        "one constant worker",
        "a worker for every item",
        "two workers, no item shared",
    ],
)
def test_where_nothing_can_be_compared_there_are_no_pairs_and_no_values(
    frame_of: MakeFrame, rows: list[dict[str, Any]]
) -> None:
    table = agreement(frame_of(rows), AgreementOptions())

    assert table["n_pairs"].to_list() == [0] * 18
    assert table.select("agreement", "value", "lower", "upper").null_count().row(0) == (18,) * 4


def test_where_ratings_never_vary_only_the_share_that_agrees_is_known(frame_of: MakeFrame) -> None:
    frame = frame_of([{"rating": 50, "segment_id": str(k), "worker_id": w} for k in range(20) for w in "uvw"])

    rows = by_name(agreement(frame, AgreementOptions(categories=(2,), chance="scott")))

    assert rows["inter", "rating", 2, "kappa"]["agreement"] == 1.0
    assert rows["inter", "rating", 2, "kappa"]["value"] is None
    assert rows["inter", "rating", None, "alpha"]["value"] is None
    assert rows["inter", "rating", None, "icc"]["value"] is None
    assert rows["inter", "rating", None, "icc"]["n_pairs"] == 60


def test_z_and_raw_agree_where_all_workers_are_alike() -> None:
    rng = np.random.default_rng(3)
    given = np.arange(5.0, 100.0, 5.0)
    # Everyone gives the same ratings, to different items: equal means, equal deviations.
    noisy = [np.argsort(np.argsort(np.arange(19) + rng.normal(0, 4, 19))) for _ in range(8)]
    frame = ratings_frame(
        pl.DataFrame(
            [
                {
                    "worker_id": f"w{w}",
                    "hit_id": "h",
                    "item_kind": kind,
                    "system_id": "a",
                    "segment_id": str(k),
                    "attribute": "adequacy",
                    "rating": float(given[place]),
                }
                for w, places in enumerate(noisy)
                for kind in ("regular", "repeat")
                for k, place in enumerate(places if kind == "regular" else np.roll(places, 1))
            ]
        )
    )

    rows = by_name(agreement(frame, AgreementOptions()))

    for of, coefficient in (("intra", "pearson"), ("inter", "alpha"), ("inter", "icc")):
        z, raw = rows[of, "z", None, coefficient], rows[of, "rating", None, coefficient]
        assert z["value"] == pytest.approx(raw["value"], rel=1e-12)
        assert z["n_pairs"] == raw["n_pairs"]


def test_rescaling_a_worker_changes_raw_agreement_but_not_that_of_z(toy_crowd: pl.DataFrame) -> None:
    squeezed = toy_crowd.with_columns(
        rating=pl.when(pl.col("worker_id") == "w03").then(40 + 0.5 * pl.col("rating")).otherwise("rating")
    )

    before, after = (agreement(frame, AgreementOptions(TEN)) for frame in (toy_crowd, squeezed))

    of_z = pl.col("scale") == "z"
    assert np.allclose(before.filter(of_z)["value"], after.filter(of_z)["value"], rtol=1e-12)
    assert not np.allclose(before.filter(~of_z)["value"], after.filter(~of_z)["value"], rtol=1e-3)


def test_z_takes_as_many_ratings_of_any_kind_as_the_settings_say(frame_of: MakeFrame) -> None:
    def frame(n_degraded: int) -> pl.DataFrame:
        kinds = ["regular"] * 5 + ["repeat"] * 2 + ["degraded"] * n_degraded
        segments = [*range(5), 0, 1, *range(n_degraded)]
        return frame_of(
            [
                {
                    "worker_id": w,
                    "segment_id": str(s),
                    "item_kind": kind,
                    "rating": 7 * s + 10 * (w == "w") + k,
                }
                for w in "vw"
                for k, (kind, s) in enumerate(zip(kinds, segments, strict=True))
            ]
        )

    nine, ten = (by_name(agreement(frame(n), AgreementOptions(TEN))) for n in (2, 3))

    assert nine["inter", "z", None, "alpha"]["n_pairs"] == nine["intra", "z", None, "pearson"]["n_pairs"] == 0
    assert ten["inter", "z", None, "alpha"]["n_pairs"] == 5
    assert ten["intra", "z", None, "pearson"]["n_pairs"] == 4


def test_z_is_cut_at_percentiles_pooled_over_the_frame(frame_of: MakeFrame) -> None:
    # Both give 1 to 10, the other way round: z are alike and the median lies between 5 and 6.
    frame = frame_of(
        [
            {"worker_id": w, "segment_id": str(k), "rating": k if w == "v" or k in (1, 10) else 11 - k}
            for w in "vw"
            for k in range(1, 11)
        ]
    )

    rows = by_name(agreement(frame, AgreementOptions(categories=(2,))))

    # Items 1 and 10 fall in the same half for both, the eight others in opposite halves.
    assert rows["inter", "z", 2, "kappa"]["agreement"] == pytest.approx(0.2)


def test_a_five_point_scale_is_compared_point_by_point(frame_of: MakeFrame) -> None:
    points = {"v": [1, 2, 3, 4, 5], "w": [1, 2, 4, 4, 4]}
    frame = frame_of(
        [
            {"worker_id": w, "segment_id": str(k), "rating": rating}
            for w, given in points.items()
            for k, rating in enumerate(given)
        ]
    )

    rows = by_name(
        agreement(frame, AgreementOptions(MethodSettings(scale=Scale(1.0, 5.0)), categories=(7, 5, 2)))
    )

    assert [key[2] for key in rows if key[:2] == ("inter", "rating")] == [5, 2, None, None]
    assert rows["inter", "rating", 5, "kappa"]["agreement"] == pytest.approx(3 / 5)
    # 3 lies in the upper half of 1 to 5.
    assert rows["inter", "rating", 2, "kappa"]["agreement"] == 1.0
    assert [key[2] for key in rows if key[:2] == ("inter", "z")] == [7, 5, 2, None, None]


def test_a_judgement_credited_to_several_systems_is_compared_once(frame_of: MakeFrame) -> None:
    frame = frame_of(
        [
            {"worker_id": w, "system_id": "a", "credited": ["b", "c"], "rating": rating, "item_kind": kind}
            for w, rating in (("v", 20), ("w", 30))
            for kind in ("regular", "repeat")
        ]
    )

    rows = by_name(agreement(frame, AgreementOptions()))

    assert rows["inter", "rating", None, "alpha"]["n_pairs"] == 1
    assert rows["intra", "rating", None, "pearson"]["n_pairs"] == 2


def test_the_order_of_rows_does_not_matter(toy_crowd: pl.DataFrame) -> None:
    options = AgreementOptions()

    tables = [
        agreement(frame, options) for frame in (toy_crowd, toy_crowd.sample(fraction=1, shuffle=True, seed=1))
    ]

    numbers = [table.select(pl.col(pl.Float64)).fill_null(-9).to_numpy() for table in tables]
    np.testing.assert_allclose(numbers[0], numbers[1], rtol=1e-10)


def test_the_names_of_workers_do_not_matter(toy_crowd: pl.DataFrame) -> None:
    renamed = toy_crowd.with_columns(worker_id=pl.col("worker_id").str.reverse())

    tables = [agreement(frame, AgreementOptions()) for frame in (toy_crowd, renamed)]

    np.testing.assert_allclose(tables[0]["value"], tables[1]["value"], rtol=1e-10)


@pytest.mark.parametrize("chance", ["uniform", "cohen", "scott"])
@pytest.mark.parametrize("weight", ["pair", "item"])
def test_intervals_lie_about_the_value(toy_crowd: pl.DataFrame, chance: str, weight: str) -> None:
    table = agreement(toy_crowd, AgreementOptions(chance=chance, weight=weight))

    assert (
        table.select((pl.col("lower") < pl.col("value")) & (pl.col("value") < pl.col("upper")))
        .to_series()
        .all()
    )


def test_a_wider_level_gives_a_wider_interval(toy_crowd: pl.DataFrame) -> None:
    narrow, wide = (
        agreement(toy_crowd, AgreementOptions(MethodSettings(level=level))) for level in (0.5, 0.99)
    )

    assert (wide["upper"] - wide["lower"] > narrow["upper"] - narrow["lower"]).all()


def test_complete_agreement_has_no_interval_for_nothing_says_how_it_varies(frame_of: MakeFrame) -> None:
    frame = frame_of(
        [{"worker_id": w, "segment_id": str(k), "rating": 9 * k} for w in "uvwxyz" for k in range(11)]
    )

    row = by_name(agreement(frame, AgreementOptions()))["inter", "rating", None, "alpha"]

    assert (row["value"], row["lower"], row["upper"]) == (1.0, None, None)


def test_controls_are_not_compared_but_define_z(frame_of: MakeFrame, toy_crowd: pl.DataFrame) -> None:
    workers = toy_crowd["worker_id"].unique().sort().to_list()
    controls = frame_of(
        [
            {"worker_id": w, "segment_id": str(k), "item_kind": kind, "rating": rating, "hit_id": f"h{w[1:]}"}
            for w in workers
            for k in range(10)
            for kind, rating in (("degraded", 1.0 + k), ("reference", 90.0 + k))
        ]
    ).with_columns(judgement_id=pl.col("judgement_id") + "c")
    both = ratings_frame(pl.concat([toy_crowd, controls.select(toy_crowd.columns)], how="vertical_relaxed"))

    without, found = (by_name(agreement(frame, AgreementOptions())) for frame in (toy_crowd, both))

    assert all(found[key]["n_pairs"] == without[key]["n_pairs"] for key in found)
    assert all(found[key]["value"] == without[key]["value"] for key in found if key[1] == "rating")
    assert found["inter", "z", None, "alpha"]["value"] != without["inter", "z", None, "alpha"]["value"]


def test_z_leaves_out_the_systems_that_the_analysis_does(frame_of: MakeFrame) -> None:
    rng = np.random.default_rng(8)
    rows = [
        {"worker_id": w, "segment_id": str(k), "system_id": system, "rating": float(rng.integers(101))}
        for w in "uvw"
        for k in range(15)
        for system in ("old", "new")
        if system == "old" or w != "u"
    ]
    frame = frame_of(rows)
    settings = replace(TEN, standardise_without=("new",))

    found = by_name(agreement(frame, AgreementOptions(settings)))["inter", "z", None, "icc"]["value"]

    old = {w: [r["rating"] for r in rows if r["worker_id"] == w and r["system_id"] == "old"] for w in "uvw"}
    z = [(r["rating"] - np.mean(old[r["worker_id"]])) / np.std(old[r["worker_id"]], ddof=1) for r in rows]
    item = np.array([2 * int(r["segment_id"]) + (r["system_id"] == "new") for r in rows])
    assert found == pytest.approx(one_way_icc(np.array(z), item), rel=1e-12)


def test_ratings_of_one_document_count_as_less_than_as_many_of_different_ones(
    toy_crowd: pl.DataFrame,
) -> None:
    # Segments that lie alike are put in one document: what they have in common is no longer many opinions.
    quality = toy_crowd.group_by("segment_id").agg(pl.col("rating").mean()).sort("rating")
    documents = quality.with_columns(document_id=(pl.int_range(pl.len()) // 10).cast(pl.String))
    grouped = toy_crowd.drop("document_id").join(documents.drop("rating"), on="segment_id", how="left")

    alone, together = (
        by_name(agreement(frame, AgreementOptions()))["inter", "rating", None, "alpha"]
        for frame in (toy_crowd, grouped.select(toy_crowd.columns))
    )

    assert together["value"] == alone["value"]
    assert together["upper"] - together["lower"] > 1.2 * (alone["upper"] - alone["lower"])


def test_the_frame_is_left_untouched(toy_crowd: pl.DataFrame) -> None:
    before = toy_crowd.clone()

    agreement(toy_crowd, AgreementOptions())

    assert toy_crowd.equals(before)


def test_a_single_category_is_refused() -> None:
    with pytest.raises(ValueError, match="fewer than 2"):
        AgreementOptions(categories=(5, 1))
