"""Checks of workers on published campaigns, against p-values and verdicts computed elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import wilcoxon

from steelyard.control_pairs import control_pairs
from steelyard.domain.result import CheckSettings, Verdict
from steelyard.domain.work import ItemKind
from steelyard.formats.judgements_file import read_judgements
from steelyard.frames import ratings_frame
from steelyard.qc import checks

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")

LIVONIAN = ["wmt22-livonian/src", "wmt22-livonian/ref"]
# The fifth campaign of this collection has spans only: no ratings, so no p-values.
ERROR_SPANS = [f"esa-wmt23-en-de/{name}" for name in ("ESA-1", "ESA-2b", "ESAAI-2a", "ESAAI-2b")]
every_campaign = pytest.mark.parametrize("campaign", [*LIVONIAN, *ERROR_SPANS])
# What the authors of the dialogue campaign took the degraded system to be worse in.
CHECKED_ATTRIBUTES = ["interesting", "fun", "consistent", "fluent", "topic"]
Tested = Callable[[str, str], pl.DataFrame]


def _livonian(campaign: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ratings frame and expected p-values of a campaign that gives judgements."""
    folder, name = campaign.split("/")
    expected = pl.read_csv(DATA / folder / "expected" / f"{name}.annotator_qc.csv")
    frame = read_judgements(DATA / folder / f"{name}.judgements.csv.gz").frame
    return frame, expected.rename({"annotator": "worker_id"})


def _error_spans(campaign: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ratings frame and expected p-values of a campaign that lists its pairs."""
    folder, name = campaign.split("/")
    expected = pl.read_csv(DATA / folder / "expected" / f"{name}.login_qc.csv")
    pairs = pl.read_csv(DATA / folder / "expected" / f"{name}.bad_pairs.csv.gz").select(
        worker_id="login",
        hit_id="login",
        segment_id=pl.int_range(pl.len()).cast(pl.String),
        system_id=pl.lit("any"),
        attribute=pl.lit(""),
        regular="score_target",
        degraded="score_bad",
    )
    keys = ["worker_id", "hit_id", "segment_id", "system_id", "attribute"]
    rows = pairs.unpivot(["regular", "degraded"], index=keys, variable_name="item_kind", value_name="rating")
    return ratings_frame(rows), expected.rename({"login": "worker_id"})


@cache
def _campaign(campaign: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    return _livonian(campaign) if campaign in LIVONIAN else _error_spans(campaign)


def _table(verdicts: list[Verdict]) -> pl.DataFrame:
    names = ("worker_id", "n_pairs", "mean_difference", "p_value", "verdict")
    return pl.DataFrame({name: [getattr(verdict, name) for verdict in verdicts] for name in names})


@pytest.fixture(scope="module")
def tested() -> Tested:
    """Verdicts on a campaign's workers by a check, beside what is expected of each."""

    def run(campaign: str, check: str) -> pl.DataFrame:
        frame, expected = _campaign(campaign)
        found = _table(checks()[check].run(frame, CheckSettings()))
        joined = found.join(expected, on="worker_id", suffix="_expected")
        assert len(joined) == len(found) == len(expected) > 0
        return joined

    return run


@every_campaign
def test_pairs_and_their_means_are_the_expected_ones(tested: Tested, campaign: str) -> None:
    found = tested(campaign, "paired-t")

    assert found["n_pairs"].to_list() == found["n_pairs_expected"].to_list()
    np.testing.assert_allclose(
        found["mean_difference"], found["mean_target"] - found["mean_bad"], atol=1e-9, rtol=0
    )


@every_campaign
@pytest.mark.parametrize(
    ("check", "column"), [("paired-t", "p_paired_t_less"), ("rank-sum", "p_rank_sum_less")]
)
def test_p_values_are_the_expected_ones(tested: Tested, campaign: str, check: str, column: str) -> None:
    found = tested(campaign, check)

    np.testing.assert_allclose(found["p_value"], found[column], atol=1e-12, rtol=1e-9)


@pytest.fixture(scope="module")
def signed_ranks(tested: Tested) -> Callable[[str], pl.DataFrame]:
    """Signed-rank verdicts on a campaign's workers, with the differences and whether magnitudes are tied."""

    def run(campaign: str) -> pl.DataFrame:
        pairs = control_pairs(_campaign(campaign)[0], ItemKind.DEGRADED).with_columns(
            difference=pl.col("base_rating") - pl.col("control_rating")
        )
        size = pl.col("difference").abs()
        of_workers = (
            pairs.filter(pl.col("difference") != 0)
            .group_by("worker_id")
            .agg("difference", has_ties=size.n_unique() < pl.len())
        )
        return tested(campaign, "signed-rank").join(of_workers, on="worker_id")

    return run


@every_campaign
def test_signed_rank_p_values_are_the_expected_ones_where_magnitudes_are_tied(
    signed_ranks: Callable[[str], pl.DataFrame], campaign: str
) -> None:
    found = signed_ranks(campaign).filter("has_ties")

    assert len(found) > 0
    np.testing.assert_allclose(found["p_value"], found["p_signed_rank_less"], atol=1e-12, rtol=1e-9)


@pytest.mark.parametrize("campaign", ["wmt22-livonian/src", *ERROR_SPANS])
def test_signed_rank_p_values_are_exact_where_magnitudes_are_not_tied(
    signed_ranks: Callable[[str], pl.DataFrame], campaign: str
) -> None:
    found = signed_ranks(campaign).filter(~pl.col("has_ties"))

    exact = [wilcoxon(one, alternative="greater", method="exact").pvalue for one in found["difference"]]
    assert len(found) > 0
    np.testing.assert_allclose(found["p_value"], exact, rtol=1e-9)
    # What is expected there is the normal approximation to it.
    np.testing.assert_allclose(found["p_value"], found["p_signed_rank_less"], atol=0.01, rtol=0)


@pytest.mark.parametrize(
    ("campaign", "failing", "workers"),
    [
        ("wmt22-livonian/src", 0, 30),
        ("wmt22-livonian/ref", 0, 7),
        ("esa-wmt23-en-de/ESA-1", 1, 33),
        ("esa-wmt23-en-de/ESAAI-2a", 17, 33),
    ],
)
def test_as_many_workers_fail_as_the_description_of_the_data_says(
    tested: Tested, campaign: str, failing: int, workers: int
) -> None:
    verdicts = tested(campaign, "paired-t")["verdict"].to_list()

    assert (verdicts.count("fail"), len(verdicts)) == (failing, workers)


@pytest.fixture(scope="module")
def dialogue() -> pl.DataFrame:
    """Rank-sum verdicts on the workers who rated chatbots, beside those of the authors."""
    frame = read_judgements(DATA / "dialogue-da" / "icebreaker.judgements.csv.gz").frame
    checked = frame.filter(pl.col("attribute").is_in(CHECKED_ATTRIBUTES))
    found = _table(checks()["rank-sum"].run(checked, CheckSettings()))
    ties = checked.group_by("worker_id").agg(has_ties=pl.col("rating").n_unique() < pl.len())
    official = pl.read_csv(DATA / "dialogue-da" / "expected" / "icebreaker.workers.csv")
    return found.join(ties, on="worker_id").join(official, left_on="worker_id", right_on="worker")


def test_verdicts_on_dialogue_workers_are_those_of_the_authors(dialogue: pl.DataFrame) -> None:
    assert len(dialogue) == 246
    assert dialogue["verdict"].to_list() == dialogue["status"].to_list()
    assert dialogue["verdict"].to_list().count("pass") == 169


def test_p_values_of_dialogue_workers_are_the_recomputed_ones_where_ratings_are_tied(
    dialogue: pl.DataFrame,
) -> None:
    tied = dialogue.filter("has_ties")

    assert len(tied) == 245
    np.testing.assert_allclose(tied["p_value"], tied["p_value_recomputed"], atol=1e-12, rtol=1e-9)


def test_the_p_value_of_the_one_dialogue_worker_without_ties_is_close(dialogue: pl.DataFrame) -> None:
    untied = dialogue.filter(~pl.col("has_ties"))

    # 5 against 25 ratings: exact there, which we are up to 20 ratings only; 0.0044 apart.
    assert len(untied) == 1
    np.testing.assert_allclose(untied["p_value"], untied["p_value_recomputed"], atol=0.005, rtol=0)
