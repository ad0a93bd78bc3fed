"""`steelyard normalise`: what it prints and writes, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.cli.main import DONE, UNSUPPORTED, UNUSABLE, run
from steelyard.protocols import protocols

QUICK = ("--methods", "two-stage", "--folds", "2")


@pytest.fixture(scope="module")
def judgements(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six workers judge twelve translations on four points; the expert's are on 0 to 3, under two names."""
    rng = np.random.default_rng(4)
    rows = [
        {
            "worker": f"w{w}",
            "segment": f"s{t:02}",
            "rating": float(np.clip(np.rint(1 + t / 4 + rng.normal(0, 0.3 + w / 4)), 1, 4)),
            "gold": float(round(t / 4)),
            "expert": float(1 + round(t / 4)),
        }
        for w in range(6)
        for t in range(12)
    ]
    path = tmp_path_factory.mktemp("judged") / "judgements.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


SCALE = ("--scale", "1,4", "--gold-scale", "0,3")


def test_the_study_is_printed(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["normalise", str(judgements), *SCALE, *QUICK]) == DONE

    printed = capsys.readouterr().out
    assert printed.startswith("Normalisation against an expert: judgements – gold known to the methods\n")
    assert "gaussian at 2.5" in printed
    assert (
        "|qc:none|gold:12|folds:2|methods:mean-rating,two-stage|scale:1,4|gold-scale:0,3|random:5|" in printed
    )


def test_all_usual_methods_are_tried_without_being_asked_for(
    judgements: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["normalise", str(judgements), *SCALE, "--folds", "2", "--no-random-workers", "--json", "-"]
    assert run(command) == DONE

    document = json.loads(capsys.readouterr().out)
    assert len(document["methods"]) == 8
    assert document["random_workers"] == []


def test_gold_on_its_own_scale_or_that_of_the_ratings_is_the_same(
    judgements: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for options in (SCALE, ("--scale", "1,4", "--columns", "known=expert")):
        run(["normalise", str(judgements), *options, *QUICK, "--json", "-"])
        found.append(json.loads(capsys.readouterr().out)["methods"])

    assert found[0] == found[1]


def test_choices_of_weighing_are_taken(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--gold-form", "printed", "--gold-expected", "gold", "--vote-by", "others")
    command = [
        "normalise",
        str(judgements),
        *SCALE,
        *QUICK,
        *("--methods", "two-stage,weighted-vote"),
        *options,
        "--without-gold",
        "shrunk",
        "--json",
        "-",
    ]
    assert run(command) == DONE

    settings = json.loads(capsys.readouterr().out)["settings"]
    assert (settings["gold_form"], settings["gold_expected"]) == ("printed", "gold")
    assert (settings["vote_by"], settings["without_gold"]) == ("others", "shrunk")


def test_json_goes_to_a_file_beside_the_text(
    judgements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "study.json"

    assert run(["normalise", str(judgements), *SCALE, *QUICK, "--json", str(target)]) == DONE

    assert json.loads(target.read_text("utf-8"))["signature"] in capsys.readouterr().out


def test_the_seed_decides(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for seed in ("1", "1", "2"):
        run(["normalise", str(judgements), *SCALE, *QUICK, "--seed", seed, "--json", "-"])
        found.append(json.loads(capsys.readouterr().out)["methods"])

    assert found[0] == found[1] != found[2]


def test_a_campaign_with_gold_is_studied_from_its_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = (protocols()["adequacy4"].folder / "example.toml").read_text("utf-8")
    # One system, and six of its translations rated by the expert.
    first, others = example.index('[[systems]]\nname = "copper"'), example.index("[design]")
    small = example[:first] + example[others:].replace("ratings_per_item = 7", "ratings_per_item = 1")
    small = small.replace("hit_size = 100", "hit_size = 40").replace("degraded = 10", "degraded = 5")
    gold = [f"brass\t{segment}\t{1 + segment % 4}" for segment in range(1, 7)]
    (tmp_path / "gold.tsv").write_text("\n".join(["system\tsegment\trating", *gold]), "utf-8")
    campaign, database = tmp_path / "campaign.toml", str(tmp_path / "gold.db")
    campaign.write_text(small.replace("demo:gold.tsv", "gold.tsv"), "utf-8")
    assert run(["create", str(campaign), "--db", database]) == DONE
    assert run(["simulate", database, "--workers", "3"]) == DONE
    assert run(["export", database, "--to", str(tmp_path / "judged.parquet")]) == DONE
    capsys.readouterr()

    assert run(["normalise", database, "--methods", "two-stage", "--folds", "3", "--json", "-"]) == DONE

    document = json.loads(capsys.readouterr().out)
    assert document["n_gold"] == 6
    assert "|protocol:adequacy4|qc:none|simulated:3/3|gold:6|folds:3|" in document["signature"]
    # Degraded copies are no judgements of a translation; showings as gold are.
    judged = pl.read_parquet(tmp_path / "judged.parquet").filter(pl.col("kind") != "degraded")
    assert document["methods"][0]["retained"] == judged["judgement_id"].n_unique()


def test_without_gold_it_is_said_where_to_put_it(
    judgements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without = tmp_path / "without.csv"
    pl.read_csv(judgements).drop("gold", "expert").write_csv(without)

    assert run(["normalise", str(without), "--scale", "1,4"]) == UNSUPPORTED

    captured = capsys.readouterr()
    assert "--columns known=COLUMN" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((*SCALE, "--methods", "mean-q"), "There is no method 'mean-q'"),
        ((*SCALE, "--folds", "1"), "--folds"),
        ((*SCALE, "--attribute", "wit"), "no rating is of attribute 'wit'"),
        (("--scale", "1,4", "--gold-scale", "0,1"), "known 2.0 is outside the gold scale 0 to 1"),
        (("--scale", "1,4", "--gold-scale", "low"), "--gold-scale"),
        ((*SCALE, "--gold-form", "mine"), "--gold-form"),
    ],
)
def test_what_makes_no_sense_is_refused(
    options: tuple[str, ...], said: str, judgements: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["normalise", str(judgements), *options]) == UNUSABLE

    assert said in capsys.readouterr().err


def test_the_judgements_are_not_written_over(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["normalise", str(judgements), *SCALE, "--json", str(judgements)]) == UNUSABLE

    assert "is being read" in capsys.readouterr().err
