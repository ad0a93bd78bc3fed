"""Recipes by year: the organisers' own numbers, hand-made cases, and our ranking beside them."""

from __future__ import annotations

import csv
import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_ind, ttest_rel

import steelyard as sy
from steelyard.cli.main import run

DATA = Path(__file__).parents[2] / "shared" / "data" / "wmt24-esa"
published = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")
PAIRS = ("en-zh", "en-ja")


@cache
def _wmt24(pair: str) -> sy.api.Analysis:
    found = sy.read(DATA / f"{pair}.appraise.csv.gz", domains=DATA / f"{pair}.docs.tsv")
    return sy.analyse(found, recipe="wmt24", draws=0)


@published
@pytest.mark.parametrize("pair", PAIRS)
def test_wmt24_gives_the_official_scores_ranges_wins_and_clusters(pair: str) -> None:
    official = pl.read_csv(DATA / "expected" / f"{pair}.systems.csv")

    found = _wmt24(pair).systems

    assert found["system_id"].to_list() == official["system"].to_list()
    np.testing.assert_allclose(found["score"], official["score"], rtol=0, atol=1e-9)
    columns = ["rank_low", "rank_high", "wins", "cluster"]
    assert found.select(columns).rows() == official.select(columns).rows()
    assert (found["rank_low"] - 1).to_list() == official["losses"].to_list()
    assert found["n_segments"].to_list() == official["n"].to_list()


@published
@pytest.mark.parametrize("pair", PAIRS)
def test_wmt24_gives_the_official_p_values_in_both_directions(pair: str) -> None:
    with (DATA / "expected" / f"{pair}.pairs.csv").open(encoding="utf-8") as file:
        official = {(row["a"], row["b"]): float(row["p_value"]) for row in csv.DictReader(file)}

    pairs = _wmt24(pair).pairs

    for column in ("p_value", "p_two_sided"):
        found = {(better, worse): p for better, worse, p in pairs.select("better", "worse", column).rows()}
        assert found.keys() == official.keys()
        assert max(abs(found[each] - official[each]) for each in official) < 1e-6


@published
def test_our_own_ranking_stands_beside_and_a_sentence_says_where_they_differ() -> None:
    analysis = _wmt24("en-zh")
    alone = sy.analyse(DATA / "en-zh.appraise.csv.gz", draws=0)

    assert analysis.recipe is not None
    assert analysis.recipe.own.systems.equals(alone.systems)
    assert analysis.recipe.own.settings.method == "mean-z"
    claims, own_claims = (found["wins"].sum() for found in (analysis.systems, alone.systems))
    assert f"the recipe calls {claims} of 78 differences significant" in analysis.recipe.comparison
    assert f"ours {own_claims} and " in analysis.recipe.comparison
    assert analysis.recipe.comparison in analysis.warnings
    assert "|recipe:wmt24|" in analysis.signature


# Four systems on ten segments of two documents; B and C are close.
RATINGS = {
    "A": [90, 92, 95, 91, 93, 94, 96, 90, 92, 95],
    "B": [80, 84, 79, 88, 81, 85, 83, 80, 86, 82],
    "C": [79, 83, 79, 86, 80, 83, 82, 78, 85, 80],
    "D": [40, 75, 60, 81, 35, 70, 66, 50, 79, 61],
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recipes") / "ratings.csv"
    rows = ["worker,segment,rating,system,document,kind"]
    for system, ratings in RATINGS.items():
        for segment, rating in enumerate(ratings):
            place = f"{segment},{rating},{system},d{segment // 5}"
            rows.append(f"w{segment % 3},{place},regular")
            # Neither controls nor repeats count in a recipe.
            rows.append(f"w{segment % 3},{segment},{max(rating - 30, 0)},{system},d{segment // 5},degraded")
            rows.append(f"w{segment % 3},{segment},0,{system},d{segment // 5},repeat")
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert run(["analyse", *arguments, "--json", "-", "--draws", "0"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_wmt25_draws_a_border_wherever_a_neighbour_is_better(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _json(capsys, str(source), "--recipe", "wmt25")

    names = list(RATINGS)
    means = [float(np.mean(RATINGS[name])) for name in names]
    assert [each["system_id"] for each in found["systems"]] == names
    assert [each["score"] for each in found["systems"]] == pytest.approx(means, abs=1e-12)
    expected = 1
    for place, (above, below) in enumerate(pairwise(names), start=1):
        p_value = ttest_rel(RATINGS[above], RATINGS[below], alternative="greater").pvalue
        (pair,) = [each for each in found["pairs"] if (each["better"], each["worse"]) == (above, below)]
        assert pair["p_value"] == pytest.approx(p_value, rel=1e-9)
        expected += p_value < 0.05
        assert found["systems"][place]["cluster"] == expected
    assert expected > 1


def test_wmt26_takes_the_smaller_of_two_p_values(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, str(source), "--recipe", "wmt26")

    for pair in found["pairs"]:
        first, second = RATINGS[pair["better"]], RATINGS[pair["worse"]]
        smaller = min(ttest_rel(first, second).pvalue, ttest_ind(first, second).pvalue)
        assert pair["p_value"] == pair["p_two_sided"] == pytest.approx(smaller, rel=1e-9)
    assert [each["cluster"] for each in found["systems"]] == [1, 2, 3, 4]
    assert found["recipe"]["name"] == "wmt26"
    assert found["recipe"]["local"] == []


def test_wmt26_marks_neighbours_that_differ_inside_a_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A is better than B on their common segments, and A's difference from C, of others, is not clear."""
    rows = ["worker,segment,rating,system"]
    rows += [f"w1,{segment},{80 + segment % 3},A" for segment in range(12)]
    rows += [f"w1,{segment},{77 + segment % 3 + segment % 2},B" for segment in range(12)]
    rows += [f"w1,{segment},{rating},C" for segment, rating in zip((20, 21, 22), (96, 40, 94), strict=True)]
    path = tmp_path / "r.csv"
    path.write_text("\n".join(rows) + "\n", "utf-8")

    found = _json(capsys, str(path), "--recipe", "wmt26")
    assert run(["analyse", str(path), "--recipe", "wmt26", "--draws", "0"]) == 0

    assert "between neighbours inside a cluster, after: A." in capsys.readouterr().out
    # Without degraded items nobody can be checked in our own ranking either, and it says so.
    assert any("nobody was checked" in warning for warning in found["warnings"])
    assert [each["system_id"] for each in found["systems"]] == ["A", "B", "C"]
    assert [each["cluster"] for each in found["systems"]] == [1, 1, 1]
    assert found["recipe"]["local"] == ["A"]


def test_wmt24_by_hand_is_a_mean_of_domain_means(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domains = tmp_path / "domains.tsv"
    domains.write_text("news\td0\nsocial\td1\n", "utf-8")
    lines = source.read_text("utf-8").splitlines()
    # One segment of the second domain only: means of segments and of domains then differ.
    kept = [line for line in lines if line.split(",")[4] != "d1" or line.split(",")[1] == "5"]
    path = tmp_path / "part.csv"
    path.write_text("\n".join(kept) + "\n", "utf-8")

    found = _json(capsys, str(path), "--recipe", "wmt24", "--domains", str(domains))
    without = _json(capsys, str(path), "--recipe", "wmt24")

    by_hand = {name: (np.mean(rated[:5]) + rated[5]) / 2 for name, rated in RATINGS.items()}
    assert {each["system_id"]: each["score"] for each in found["systems"]} == pytest.approx(by_hand)
    plain = {name: np.mean(rated[:6]) for name, rated in RATINGS.items()}
    assert {each["system_id"]: each["score"] for each in without["systems"]} == pytest.approx(plain)
    assert any("have no domain" in warning for warning in without["warnings"])
    assert not any("have no domain" in warning for warning in found["warnings"])
    # What names options in braces is for errors, which are told to callers in their own words.
    assert not any("{" in warning for warning in [*without["warnings"], *found["warnings"]])
    own = found["recipe"]["own"]
    assert {each["system_id"] for each in own["systems"]} == set(RATINGS)
    assert own["test"]["name"] == "clustered"


def test_an_option_given_beside_a_recipe_wins(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, str(source), "--recipe", "wmt26", "--correction", "holm", "--check", "paired-t")

    assert found["test"]["deciding"] == "p_holm"
    assert {worker["verdict"] for worker in found["workers"]} == {"pass"}


def test_intervals_are_of_the_mean_over_domains(source: Path, tmp_path: Path) -> None:
    """Nine segments of a poor domain and one of a good one: the mean of segments lies far below."""
    rows = ["worker,segment,rating,system,document,domain"]
    for segment in range(20):
        rating, domain = (90, "news") if segment < 2 else (30, "social")
        for worker in range(6):
            for number, system in enumerate("AB"):
                noise = (segment * 7 + worker * 3 + number) % 5
                rows.append(f"w{worker},{segment},{rating + noise},{system},d{segment},{domain}")
    path = tmp_path / "domains.csv"
    path.write_text("\n".join(rows) + "\n", "utf-8")

    found = sy.analyse(path, recipe="wmt24").systems

    for score, lower, upper in found.select("score", "lower", "upper").iter_rows():
        assert 60 < score < 65
        assert lower < score < upper
        # Plain means of segments are about 38. No rating is more than 4 away from its domain's.
        assert lower >= 60
        assert upper <= 64


def test_our_own_ranking_is_a_table_of_the_report(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"

    assert run(["table", "own-ranking", str(source), "--recipe", "wmt25", "--draws", "0"]) == 0
    assert "The recipe of WMT25 and our own ranking" in capsys.readouterr().out
    assert run(["report", str(source), "--recipe", "wmt25", "--draws", "0", "--html", str(page)]) == 0
    assert "Our own ranking beside a recipe" in page.read_text("utf-8")
    assert run(["table", "own-ranking", str(source), "--draws", "0"]) == 0
    assert "No recipe was asked for." in capsys.readouterr().out
