"""The study: known reliabilities are found again, curves are what theory says, refusals say why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.evaluation.replication.conclusion import replication_conclusion
from steelyard.evaluation.replication.opinions import Collection
from steelyard.evaluation.replication.settings import (
    CollectionCounts,
    Replication,
    ReplicationSettings,
    shown_numbers,
)
from steelyard.evaluation.replication.study import ready_replication, replicate_collections, run_replication
from steelyard.frames import ratings_frame
from steelyard.planning.sample_size import reliability_of
from steelyard.stats.intraclass import one_way_icc
from steelyard.stats.replication_rho import Rho

RHO = 0.4
N_ITEMS, PER_ITEM, PER_WORKER = 150, 12, 30
SETTINGS = ReplicationSettings(draws=40)


def _simulated(seed: int, *, rho: float = RHO, workers: str = "w", n_items: int = N_ITEMS) -> pl.DataFrame:
    """Ratings of reliability `rho`: each item by twelve of many workers who differ in level and in range."""
    rng = np.random.default_rng((1, n_items))
    quality = rng.normal(0, 1, n_items)
    rng = np.random.default_rng(seed)
    # In each round every item is rated once, by workers who take thirty items each.
    item = np.concatenate([rng.permutation(n_items) for _ in range(PER_ITEM)])
    worker = np.arange(len(item)) // PER_WORKER
    noise = np.sqrt((1 - rho) / rho)
    seen = quality[item] + rng.normal(0, noise, len(item))
    level, width = rng.normal(50, 10, worker.max() + 1), rng.uniform(3, 8, worker.max() + 1)
    return _frame(
        [
            (f"{workers}{w}", f"s{i}", x)
            for w, i, x in zip(worker, item, level[worker] + width[worker] * seen, strict=True)
        ]
    )


def _frame(rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    table = pl.DataFrame(rows, schema=["worker_id", "segment_id", "rating"], orient="row")
    same = {"system_id": "A", "hit_id": "h", "item_kind": "regular", "attribute": ""}
    return ratings_frame(table.with_columns(pl.lit(value).alias(name) for name, value in same.items()))


def _collection(frame: pl.DataFrame, title: str = "one") -> Collection:
    return Collection(title, frame, MethodSettings())


def _curve(found: Replication, against: str, scale: str = "z") -> pl.DataFrame:
    return found.rows.filter((pl.col("against") == against) & (pl.col("scale") == scale))


def _rho(found: Replication, of: str = "", scale: str = "z") -> dict[str, Any]:
    return found.rho.filter((pl.col("of") == of) & (pl.col("scale") == scale)).row(0, named=True)


@pytest.fixture(scope="module")
def pair() -> Replication:
    """Two collections by different workers."""
    first, second = _collection(_simulated(2)), _collection(_simulated(3, workers="v"), "two")
    return replicate_collections(first, second, SETTINGS)


@pytest.fixture(scope="module")
def split() -> Replication:
    """One collection, split."""
    return replicate_collections(_collection(_simulated(2)), None, SETTINGS)


def test_the_reliability_of_one_rating_is_found_again(pair: Replication) -> None:
    found = _rho(pair)

    # Standardising over thirty ratings costs a little of it.
    assert found["rho"] == pytest.approx(RHO, abs=0.05)
    assert found["lower"] < RHO < found["upper"]


def test_the_reliability_is_the_intraclass_correlation_of_standardised_ratings() -> None:
    frame = _simulated(2)
    collection = replace(_collection(frame), settings=MethodSettings(minimum_ratings=2))
    found = replicate_collections(collection, None, SETTINGS)

    mean, sd = pl.col("rating").mean(), pl.col("rating").std()
    table = frame.with_columns(z=((pl.col("rating") - mean) / sd).over("worker_id"))
    item = table["segment_id"].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
    assert _rho(found)["rho"] == pytest.approx(one_way_icc(table["z"].to_numpy(), item))


def test_raw_ratings_are_less_reliable_where_workers_differ(pair: Replication) -> None:
    assert _rho(pair, scale="rating")["rho"] < _rho(pair)["rho"] - 0.1
    assert (_curve(pair, "full", "rating")["r"] < _curve(pair, "full")["r"]).all()


def test_n_against_n_follows_spearman_and_brown(pair: Replication) -> None:
    curve = _curve(pair, "same")
    rho = _rho(pair)["rho"]

    expected = [reliability_of(n, rho=rho) for n in range(1, PER_ITEM + 1)]
    assert curve["ratings"].to_list() == list(range(1, PER_ITEM + 1))
    np.testing.assert_allclose(curve["expected"], expected)
    np.testing.assert_allclose(curve["r"], expected, atol=0.04)


def test_n_against_all_is_expected_to_be_the_geometric_mean(pair: Replication) -> None:
    curve = _curve(pair, "full")
    rho = _rho(pair)["rho"]

    of_all = reliability_of(PER_ITEM, rho=rho)
    expected = [np.sqrt(reliability_of(n, rho=rho) * of_all) for n in range(1, PER_ITEM + 1)]
    np.testing.assert_allclose(curve["expected"], expected)
    np.testing.assert_allclose(curve["r"], expected, atol=0.04)


def test_all_ratings_leave_nothing_to_chance(pair: Replication) -> None:
    last = pair.rows.filter(pl.col("ratings") == PER_ITEM)

    np.testing.assert_allclose(last["upper"], last["lower"], atol=1e-9)
    of_z = last.filter(pl.col("scale") == "z")
    assert of_z["r"][0] == pytest.approx(of_z["r"][1])


def test_bands_hold_the_mean_and_narrow(pair: Replication) -> None:
    curve = _curve(pair, "full")

    width = (curve["upper"] - curve["lower"]).to_list()
    assert (curve["lower"] <= curve["r"] + 1e-12).all()
    assert (curve["r"] <= curve["upper"] + 1e-12).all()
    assert width[0] > 2 * width[5] > 0


def test_halves_have_half_the_ratings_and_the_same_reliability(split: Replication, pair: Replication) -> None:
    curve = _curve(split, "same")

    assert split.is_split
    assert len(split.collections) == 1
    # Of twelve workers on an item, few items have eight in both halves.
    assert 5 <= curve["ratings"].max() < 9
    np.testing.assert_allclose(curve["r"].head(5), curve["expected"].head(5), atol=0.04)
    assert split.fitted_rho == pytest.approx(_rho(split)["rho"], abs=0.03)
    assert pair.fitted_rho == pytest.approx(_rho(pair)["rho"], abs=0.03)


def test_items_with_fewer_ratings_are_left_out_from_there_on() -> None:
    full = _simulated(2)
    # Sixty items keep all twelve ratings, the others their first five.
    place = pl.int_range(pl.len()).over("segment_id")
    number = pl.col("segment_id").str.slice(1).cast(pl.Int64)
    some = full.filter((number < 60) | (place < 5))
    second = _collection(_simulated(3, workers="v"), "two")

    first = Collection("one", some, MethodSettings(minimum_ratings=2))
    curve = _curve(replicate_collections(first, second, SETTINGS), "full")

    assert curve["n_items"].to_list() == [150.0] * 5 + [60.0] * 7


def test_numbers_that_fewer_than_ten_items_have_are_not_told() -> None:
    full = _simulated(2)
    place = pl.int_range(pl.len()).over("segment_id")
    number = pl.col("segment_id").str.slice(1).cast(pl.Int64)
    some = full.filter((number < 9) | (place < 5))

    curve = _curve(
        replicate_collections(_collection(some), _collection(_simulated(3), "two"), SETTINGS), "full"
    )

    assert curve["ratings"].max() == 5


def test_the_scatter_has_every_item_once_for_each_number(pair: Replication) -> None:
    counted = pair.scatter.group_by("ratings", maintain_order=True).agg(
        n=pl.len(), distinct=pl.col("segment_id").n_unique()
    )

    # Of 1, 2, 5, 10, 15 and 40 there are twelve ratings for the first four.
    assert counted["ratings"].to_list() == [1, 2, 5, 10]
    assert counted["n"].to_list() == counted["distinct"].to_list() == [N_ITEMS] * 4


def test_a_scatter_point_is_an_items_mean_in_either_collection() -> None:
    first, second = _simulated(2), _simulated(3, workers="v")
    # With the first rating of each item only, there is nothing to draw.
    once = [frame.unique("segment_id", keep="first", maintain_order=True) for frame in (first, second)]
    settings = MethodSettings(minimum_ratings=2)
    found = replicate_collections(
        *(Collection(f"c{k}", frame, settings) for k, frame in enumerate(once)), SETTINGS
    )

    mean, sd = pl.col("rating").mean(), pl.col("rating").std()
    z = [
        dict(
            frame.with_columns(z=((pl.col("rating") - mean) / sd).over("worker_id"))
            .select("segment_id", "z")
            .iter_rows()
        )
        for frame in once
    ]
    for _, _, segment, x, y in found.scatter.iter_rows():
        assert (x, y) == pytest.approx((z[0][segment], z[1][segment]))


def test_each_collection_has_a_reliability_of_its_own(pair: Replication) -> None:
    assert pair.rho["of"].to_list() == ["", "", "one", "one", "two", "two"]
    alone = [_rho(pair, of)["rho"] for of in ("one", "two")]
    assert min(alone) < _rho(pair)["rho"] < max(alone) or alone == pytest.approx(
        [_rho(pair)["rho"]] * 2, abs=0.02
    )


def test_the_ratings_needed_follow_from_rho_and_its_interval(pair: Replication) -> None:
    rho = _rho(pair)
    (needed,) = pair.needed

    # N = r (1 - rho) / (rho (1 - r)), rounded up.
    expected = [int(np.ceil(9 * (1 - p) / p)) for p in (rho["rho"], rho["upper"], rho["lower"])]
    assert [needed.ratings, needed.fewest, needed.most] == expected


def test_the_conclusion_tells_reliability_ratings_and_whether_theory_holds(pair: Replication) -> None:
    rho, (needed,) = _rho(pair), pair.needed

    assert f"a reliability of {rho['rho']:.2f} ({rho['lower']:.2f} to {rho['upper']:.2f})" in pair.conclusion
    assert f"0.9 takes {needed.ratings} ratings" in pair.conclusion
    assert f"(95 % interval: {needed.fewest} to {needed.most})." in pair.conclusion
    assert pair.conclusion.endswith("agree with the Spearman-Brown formula.")


def test_collections_that_judge_differently_are_noticed() -> None:
    # The second crowd judges every item as if it were the next one.
    number = pl.col("segment_id").str.slice(1).cast(pl.Int64)
    moved = _simulated(3, workers="v").with_columns(
        segment_id=pl.format("s{}", (number + 1) % N_ITEMS),
    )

    found = replicate_collections(_collection(_simulated(2)), _collection(moved, "two"), SETTINGS)

    assert min(_rho(found, of)["rho"] for of in ("one", "two")) > 0.3
    assert abs(_curve(found, "same")["r"][-1]) < 0.2
    assert "do not agree with the Spearman-Brown formula" in found.conclusion
    assert found.conclusion.endswith("differ by more than chance, and more ratings will not change that.")


def test_equal_collections_of_few_items_are_not_told_to_differ() -> None:
    # The same thirty items by two crowds from one population, many times.
    found = [
        replicate_collections(
            _collection(_simulated(2 * k, n_items=30)),
            _collection(_simulated(2 * k + 1, workers="v", n_items=30), "two"),
            ReplicationSettings(draws=20),
        )
        for k in range(20)
    ]

    apart = [(_curve(each, "same")["r"] - _curve(each, "same")["expected"]).abs().max() for each in found]
    assert sum(by > 0.05 for by in apart) >= 3
    assert not [each.conclusion for each in found if "are not those" in each.conclusion]
    assert not [each.conclusion for each in found if "differ by more than chance" in each.conclusion]


def test_collections_of_few_items_that_hardly_agree_are_told_to_differ() -> None:
    number = pl.col("segment_id").str.slice(1).cast(pl.Int64)
    moved = _simulated(3, workers="v", n_items=30).with_columns(
        segment_id=pl.format("s{}", (number + 1) % 30)
    )

    found = replicate_collections(_collection(_simulated(2, n_items=30)), _collection(moved, "two"), SETTINGS)

    assert found.conclusion.endswith("differ by more than chance, and more ratings will not change that.")


@pytest.mark.parametrize(
    ("n_items", "r", "rho", "said"),
    [
        # Fisher's z of 0.5 is 0.549, of 0.3 is 0.310: 0.240 apart. 1.96 / sqrt(n - 3) is 0.240 at n = 69.8.
        (69, 0.3, Rho(0.5, 0.5, 0.5), "by no more than chance explains: at 1 rating, 0.30 is below 0.50."),
        (71, 0.3, Rho(0.5, 0.5, 0.5), "and more ratings will not change that."),
        # If rho may be 0.4 (z = 0.424, 0.126 below), hypot(0.126, 1.96 / sqrt(n - 3)) is 0.240 at n = 95.1.
        (95, 0.3, Rho(0.5, 0.4, 0.9), "by no more than chance explains: at 1 rating, 0.30 is below 0.50."),
        (96, 0.3, Rho(0.5, 0.4, 0.9), "and more ratings will not change that."),
        # Less than 0.05 is close, of however many items.
        (10**6, 0.46, Rho(0.5, 0.5, 0.5), "agree with the Spearman-Brown formula."),
        # Above, the other end of rho counts; collections that agree too well are not told to differ.
        (10**6, 0.7, Rho(0.5, 0.5, 0.65), "formula: at 1 rating, 0.70 is above 0.50."),
        (
            10**6,
            0.7,
            Rho(0.5, 0.5, 0.75),
            "by no more than chance explains: at 1 rating, 0.70 is above 0.50.",
        ),
        # Without an interval nobody can tell.
        (71, 0.3, Rho(0.5, np.nan, np.nan), "which reach 0.50."),
    ],
)
def test_correlations_are_held_against_their_errors(n_items: int, r: float, rho: Rho, said: str) -> None:
    row = {"against": "same", "scale": "z", "ratings": 1, "n_items": float(n_items), "r": r, "expected": 0.5}
    counts = [CollectionCounts(title, 9, n_items, 1.0) for title in ("one", "two")]

    assert replication_conclusion(rho, [], pl.DataFrame([row]), counts).endswith(said)


def test_ratings_without_agreement_are_never_enough() -> None:
    rng = np.random.default_rng(3)
    frame = _simulated(2)
    shuffled = frame.with_columns(rating=pl.Series(rng.permutation(frame["rating"].to_numpy())))

    found = replicate_collections(_collection(shuffled), None, SETTINGS)

    (needed,) = found.needed
    assert _rho(found)["lower"] < 0
    assert needed.most is None


def test_the_same_seed_gives_the_same_study_and_another_one_another(split: Replication) -> None:
    again = replicate_collections(_collection(_simulated(2)), None, SETTINGS)
    other = replicate_collections(
        _collection(_simulated(2)), None, replace(SETTINGS, analysis=AnalysisSettings(seed=8))
    )

    assert again.rows.equals(split.rows)
    assert not other.rows.equals(split.rows)
    assert other.rho["rho"].equals(split.rho["rho"])


def test_every_step_is_told() -> None:
    study = ready_replication(_collection(_simulated(2, n_items=30)), None, ReplicationSettings(draws=20))
    steps: list[int] = []

    run_replication(study, step=steps.append)

    # Twenty draws, and rho on two scales.
    assert sum(steps) == study.n_steps == 22


def test_two_collections_of_the_same_name_are_told_apart() -> None:
    found = replicate_collections(
        _collection(_simulated(2, n_items=30)), _collection(_simulated(3, n_items=30, workers="v")), SETTINGS
    )

    assert found.title == "one (first) against one (second)"


def test_one_rating_of_each_item_cannot_be_split() -> None:
    once = _simulated(2).unique("segment_id", keep="first", maintain_order=True)

    with pytest.raises(NotEnoughData, match="10 or more need good ratings of two workers, and 0 have them"):
        replicate_collections(Collection("one", once, MethodSettings(minimum_ratings=2)), None, SETTINGS)


def test_one_worker_cannot_be_split() -> None:
    alone = _simulated(2).filter(pl.col("worker_id") == "w0")

    with pytest.raises(NotEnoughData, match="one worker cannot be split"):
        replicate_collections(_collection(alone), None, SETTINGS)


def test_few_workers_are_warned_of() -> None:
    frame = _frame([(f"w{w}", f"s{i}", float((i * 7 + w * w * i) % 50)) for w in range(3) for i in range(20)])

    found = replicate_collections(_collection(frame), None, SETTINGS)

    assert found.warnings[0].startswith("The collection one has 3 workers:")


def test_each_collection_of_few_workers_is_warned_of_by_name() -> None:
    def opinions(workers: str, n_workers: int) -> pl.DataFrame:
        return _frame(
            [
                (f"{workers}{w}", f"s{i}", float((i * 7 + w * w * i) % 50))
                for w in range(n_workers)
                for i in range(20)
            ]
        )

    parts = [
        _collection(opinions("w", 6), "many"),
        _collection(opinions("v", 1), "single"),
        _collection(opinions("u", 4), "few"),
    ]

    one, two = (
        ready_replication(parts[0], parts[1], SETTINGS),
        ready_replication(parts[2], parts[1], SETTINGS),
    )

    told = "what others would have said is uncertain from so few, so the interval of its rho is too narrow."
    assert one.warnings == (f"The collection single has 1 worker: {told}",)
    assert two.warnings == (
        f"The collection few has 4 workers: {told}",
        f"The collection single has 1 worker: {told}",
    )


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"reliability": (1.0,)}, "from 0.01 to 0.999"),
        ({"reliability": ()}, "such as 0.9"),
        ({"draws": 5}, "at least 20"),
    ],
)
def test_settings_without_sense_are_refused(choices: dict[str, Any], said: str) -> None:
    with pytest.raises(ChoiceError, match=said):
        replace(SETTINGS, **choices)


def test_long_curves_are_shown_at_some_numbers_and_the_last() -> None:
    assert shown_numbers(17) == [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 17]
    assert shown_numbers(40)[-3:] == [25, 30, 40]
