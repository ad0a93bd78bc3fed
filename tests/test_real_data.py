"""Published campaigns from their judgements to their official results."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.domain.result import Analysis, AnalysisSettings, CheckSettings, MethodSettings
from steelyard.flows.analyse import analyse
from steelyard.flows.recipes import wmt_settings
from steelyard.flows.source import Source
from steelyard.formats.judgements_file import read_judgements
from steelyard.qc.paired_t import CHECK
from steelyard.stats.clusters import clusters, wins
from steelyard.stats.rank_sum import rank_sum_matrix

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")

PAIRS = [
    *[("wmt21-toen", pair) for pair in ("cs-en", "de-en", "ha-en", "is-en")],
    *[("wmt22-toen", pair) for pair in ("cs-en", "de-en", "ja-en", "lv-en", "ru-en")],
]
# The placeholder of the official matrices for "not better, or not significantly".
NOT_SIGNIFICANT = 0.12
# The same tables for judgements by two named people, without controls.
WIKIPEDIA = [("wmt21-wikipedia", pair) for pair in ("bn-hi", "xh-zu")]
every_pair = pytest.mark.parametrize(("campaign", "pair"), [*PAIRS, *WIKIPEDIA])
every_campaign = pytest.mark.parametrize("campaign", ["wmt21-toen", "wmt22-toen"])
Analyse = Callable[[str, str], Analysis]


@pytest.fixture(scope="module")
def ratings() -> Callable[[str, str], pl.DataFrame]:
    """Reads the judgements of a language pair, once."""

    @cache
    def read(campaign: str, pair: str) -> pl.DataFrame:
        return read_judgements(DATA / campaign / f"{pair}.judgements.csv.gz").frame

    return read


@pytest.fixture(scope="module")
def by_recipe(ratings: Callable[[str, str], pl.DataFrame]) -> Analyse:
    """Analyses a language pair by the official recipe; all workers in the files had passed."""
    settings = wmt_settings(AnalysisSettings(check="none", method_settings=MethodSettings(draws=0)))

    @cache
    def run(campaign: str, pair: str) -> Analysis:
        return analyse(Source(ratings(campaign, pair), title=pair, campaign=campaign), settings)

    return run


def _official(campaign: str, name: str) -> pl.DataFrame:
    return pl.read_csv(DATA / campaign / "expected" / name)


@every_pair
def test_system_scores_are_the_official_ones(by_recipe: Analyse, campaign: str, pair: str) -> None:
    systems = by_recipe(campaign, pair).systems

    official = _official(campaign, f"{pair}.systems.csv")
    assert systems["system_id"].to_list() == official["system"].to_list()
    np.testing.assert_allclose(systems["score"], official["z"], atol=1e-6, rtol=0)
    np.testing.assert_allclose(systems["mean_rating"], official["raw"], atol=1e-9, rtol=0)


def test_the_page_on_reproducing_wmt22_shows_the_published_table() -> None:
    page = (Path(__file__).parents[1] / "docs" / "howto" / "reproduce-wmt.md").read_text("utf-8")
    line = re.compile(r"^[\d–]+ +(\S+) +(\S+) +\[\S+, \S+\] +(\S+) +(\d+) +(\d+)$", re.MULTILINE)
    shown = [
        (system, float(z.replace("−", "-")), float(raw), int(segments), int(n))
        for system, z, raw, segments, n in line.findall(page)
    ]

    columns = ["system", "z_published", "raw_published", "n_segments", "n_judgements"]
    assert shown == _official("wmt22-toen", "cs-en.systems.csv").select(columns).rows()


@pytest.mark.parametrize(("campaign", "pair"), PAIRS)
def test_segment_scores_are_the_official_ones(by_recipe: Analyse, campaign: str, pair: str) -> None:
    segments = by_recipe(campaign, pair).segments

    official = _official(campaign, f"{pair}.segments.csv.gz").cast({"segment": pl.String})
    joined = official.join(segments, left_on=["system", "segment"], right_on=["system_id", "segment_id"])
    assert len(joined) == len(official) == len(segments)
    np.testing.assert_allclose(joined["score"], joined["z"], atol=5e-5, rtol=0)
    assert joined["n"].equals(joined["n_right"], check_names=False)


@every_pair
def test_counts_wins_and_clusters_are_the_official_ones(by_recipe: Analyse, campaign: str, pair: str) -> None:
    systems = by_recipe(campaign, pair).systems

    official = _official(campaign, f"{pair}.systems.csv")
    cluster = 1 + official["end_of_cluster"].cum_sum() - official["end_of_cluster"]
    assert systems["n_segments"].to_list() == official["n_segments"].to_list()
    assert systems["n_judgements"].to_list() == official["n_judgements"].to_list()
    assert systems["wins"].to_list() == official["wins"].to_list()
    assert systems["cluster"].to_list() == cluster.to_list()


@every_pair
def test_p_values_are_the_official_ones(by_recipe: Analyse, campaign: str, pair: str) -> None:
    pairs = by_recipe(campaign, pair).pairs

    official = (
        _official(campaign, f"{pair}.wilcoxon.csv")
        .unpivot(index="system", variable_name="other", value_name="official")
        .filter(pl.col("official") != NOT_SIGNIFICANT)
    )
    joined = official.join(pairs, left_on=["system", "other"], right_on=["better", "worse"])
    assert len(joined) == len(official) > 0
    # The official means and deviations were rounded, which makes and breaks ties.
    np.testing.assert_allclose(joined["p_value"], joined["official"], atol=2e-4, rtol=0)


def test_the_specified_vector_follows_from_plain_z_and_the_rank_sum_test(
    ratings: Callable[[str, str], pl.DataFrame],
) -> None:
    settings = AnalysisSettings(
        check="none",
        clusters="wmt21",
        correction="none",
        one_sided=True,
        method_settings=MethodSettings(draws=0, test="rank-sum", minimum_ratings=10),
    )

    analysis = analyse(Source(ratings("wmt21-toen", "cs-en"), title="cs-en", campaign="file"), settings)

    # Test vector 3 of the methods specification.
    systems = analysis.systems.with_columns(pl.col("system_id").str.replace(r"\.\d+$", ""))
    expected = [
        ("Facebook-AI", 0.111335, 923, 1275),
        ("Online-A", 0.080927, 894, 1088),
        ("CUNI-DocTransformer", 0.007899, 821, 978),
        ("Online-B", -0.004624, 870, 1188),
        ("CUNI-Transformer2018", -0.007957, 899, 1178),
        ("Online-W", -0.031996, 904, 1170),
        ("Online-G", -0.039221, 938, 1320),
        ("Online-Y", -0.084435, 993, 1226),
        ("HUMAN", -0.084789, 913, 1228),
    ]
    assert systems.select("system_id", "n_segments", "n_judgements").rows() == [
        (system_id, n_segments, n_judgements) for system_id, _, n_segments, n_judgements in expected
    ]
    np.testing.assert_allclose(systems["score"], [score for _, score, _, _ in expected], atol=1e-6, rtol=0)
    assert systems["cluster"].to_list() == [1, 1] + [2] * 7
    p_values = analysis.pairs.filter(pl.col("better") == "Facebook-AI.7")["p_value"]
    significant = [
        0.0115037454,
        0.0108995992,
        4.21060426e-4,
        7.14347324e-4,
        5.27901289e-7,
        7.78107844e-8,
        4.70229646e-7,
    ]
    assert p_values[0] > 0.05
    np.testing.assert_allclose(p_values[1:], significant, atol=2e-4, rtol=0)


def test_strict_clusters_keep_together_what_the_official_rule_parts(
    ratings: Callable[[str, str], pl.DataFrame],
) -> None:
    settings = AnalysisSettings(
        check="none",
        correction="none",
        one_sided=True,
        method_settings=MethodSettings(draws=0, test="rank-sum"),
    )

    analysis = analyse(Source(ratings("wmt21-toen", "de-en"), title="de-en", campaign="file"), settings)

    assert analysis.systems["cluster"].unique().to_list() == [1]


@pytest.mark.parametrize("pair", [pair for _, pair in WIKIPEDIA])
def test_segments_judged_once_score_the_published_z(by_recipe: Analyse, pair: str) -> None:
    segments = by_recipe("wmt21-wikipedia", pair).segments

    published = pl.read_csv(DATA / "wmt21-wikipedia" / f"{pair}.judgements.csv.gz")
    means = published.group_by("system", "segment").agg(pl.col("z_score").mean())
    joined = means.join(segments, left_on=["system", "segment"], right_on=["system_id", "segment_id"])
    assert len(joined) == len(segments)
    np.testing.assert_allclose(joined["score"], joined["z_score"], atol=5e-5, rtol=0)


def test_official_segment_scores_alone_give_the_official_ranking() -> None:
    # No judgements of WMT21 zh-en were published.
    segments = _official("wmt21-toen", "zh-en.segments.csv.gz")
    official = _official("wmt21-toen", "zh-en.systems.csv")
    scores = [segments.filter(pl.col("system") == name)["z"].to_numpy() for name in official["system"]]

    p_values = rank_sum_matrix(scores)

    np.testing.assert_allclose([score.mean() for score in scores], official["z"], atol=1e-12, rtol=0)
    assert wins(p_values, threshold=0.05).tolist() == official["wins"].to_list()
    ends = official["end_of_cluster"]
    assert clusters(p_values, rule="wmt21", threshold=0.05).tolist() == (1 + ends.cum_sum() - ends).to_list()
    table = _official("wmt21-toen", "zh-en.wilcoxon.csv").drop("system").to_numpy()
    known = table != NOT_SIGNIFICANT
    np.testing.assert_allclose(p_values[known], table[known], atol=1e-12, rtol=0)


@pytest.fixture(scope="module")
def verdicts(ratings: Callable[[str, str], pl.DataFrame]) -> Callable[[str], pl.DataFrame]:
    """Verdicts of a year beside the official test, which pooled a worker's language pairs."""

    @cache
    def run(campaign: str) -> pl.DataFrame:
        frames = [
            ratings(of, pair).with_columns(pl.format("{}/{}", pl.lit(pair), "hit_id").alias("hit_id"))
            for of, pair in PAIRS
            if of == campaign
        ]
        found = CHECK.run(pl.concat(frames), CheckSettings(threshold_included=True, least_pairs=2))
        table = pl.DataFrame(
            {
                "worker": [verdict.worker_id for verdict in found],
                "n": [verdict.n_pairs for verdict in found],
                "t": [verdict.statistic for verdict in found],
                "p": [verdict.p_value for verdict in found],
                "verdict": [verdict.verdict for verdict in found],
            }
        )
        return table.join(_official(campaign, "worker_qc.csv"), on="worker", how="inner")

    return run


@every_campaign
def test_worker_p_values_agree_on_the_pairs_at_hand(
    verdicts: Callable[[str], pl.DataFrame], campaign: str
) -> None:
    found = verdicts(campaign)

    assert found["n"].equals(found["n_pairs_in_shared"], check_names=False)
    assert found["p"].is_null().equals(found["t_p_on_shared"].is_null(), check_names=False)
    known = found.drop_nulls(["p", "t_p_on_shared"])
    np.testing.assert_allclose(known["p"], known["t_p_on_shared"], atol=1e-12, rtol=0)
    # The official difference is degraded minus base.
    np.testing.assert_allclose(known["t"], -known["t_on_shared"], rtol=1e-9)


@pytest.mark.parametrize(("campaign", "n"), [("wmt21-toen", 230), ("wmt22-toen", 192)])
def test_worker_p_values_are_the_official_ones_where_all_pairs_are_at_hand(
    verdicts: Callable[[str], pl.DataFrame], campaign: str, n: int
) -> None:
    complete = verdicts(campaign).filter(pl.col("complete_in_shared") == 1)

    assert len(complete) == n
    np.testing.assert_allclose(complete["p"], complete["p_value"], atol=5e-9, rtol=1e-6)


@every_campaign
def test_verdicts_are_the_official_ones_from_two_pairs_on(
    verdicts: Callable[[str], pl.DataFrame], campaign: str
) -> None:
    complete = verdicts(campaign).filter((pl.col("complete_in_shared") == 1) & (pl.col("n") >= 2))

    assert complete["verdict"].to_list() == complete["status"].to_list()
