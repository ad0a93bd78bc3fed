"""`steelyard evaluate`: what it prints and writes, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.cli.main import DONE, UNSUPPORTED, UNUSABLE, run


@pytest.fixture(scope="module")
def judgements(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight workers judge three systems' translations of eight segments; every other one is degraded too."""
    rng = np.random.default_rng(4)
    rows = []
    for w in range(8):
        for t in range(24):
            quality = 25 + 2 * t + rng.normal(0, 12)
            base = {"worker": f"w{w}", "segment": f"s{t % 8}", "system": f"S{t // 8}", "expert": t}
            changes = {"regular": 0.0, "degraded": -35.0} if t % 2 else {"regular": 0.0}
            rows += [
                {**base, "kind": kind, "rating": float(np.clip(round(quality + change), 0, 100))}
                for kind, change in changes.items()
            ]
    path = tmp_path_factory.mktemp("judged") / "judgements.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


@pytest.fixture(scope="module")
def once(judgements: Path) -> Path:
    """The same file, but every translation judged by one worker only: the one of its segment."""
    path = judgements.parent / "once.csv"
    table = pl.read_csv(judgements)
    table.filter(pl.col("worker").str.tail(1) == pl.col("segment").str.tail(1)).write_csv(path)
    return path


QUICK = ("--draws", "2", "--methods", "mean-rating,mean-z-passing")


def test_the_comparison_is_printed(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", str(judgements), *QUICK, "--ratings", "1,2", "--spam", "0,0.5"]) == DONE

    printed = capsys.readouterr().out
    assert printed.startswith("Which method comes closest to the truth: judgements\n")
    assert printed.count("mean-z-passing") >= 4
    assert "|ratings:1,2|spam:0,0.5|methods:mean-z,mean-rating,mean-z-passing|qc:paired-t|" in printed


@pytest.mark.parametrize(
    "options",
    [
        ("--truth", "rest", "--ratings", "2"),
        ("--truth", "all", "--least-truth", "4"),
        ("--truth", "passing", "--least-truth", "2", "--ratings", "1"),
        ("--truth", "gold", "--columns", "known=expert"),
        ("--level", "systems"),
        ("--level", "systems", "--truth", "passing", "--share", "0.3", "--check", "signed-rank"),
    ],
)
def test_every_truth_and_level_gives_rows(
    options: tuple[str, ...], judgements: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", str(judgements), *QUICK, *options, "--json", "-"]) == DONE

    document = json.loads(capsys.readouterr().out)
    asked = dict(zip(options[::2], options[1::2], strict=True))
    assert {row["method"] for row in document["rows"]} == {"mean-z", "mean-rating", "mean-z-passing"}
    assert document["settings"]["truth"] == asked.get("--truth", "others")
    assert all(-1 <= row["r"] <= 1 for row in document["rows"])


def test_json_goes_to_a_file_beside_the_text(
    judgements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "methods.json"

    assert run(["evaluate", str(judgements), *QUICK, "--ratings", "1", "--json", str(target)]) == DONE

    assert json.loads(target.read_text("utf-8"))["signature"] in capsys.readouterr().out


def test_the_seed_decides(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["evaluate", str(judgements), *QUICK, "--ratings", "2", "--json", "-"]

    found = []
    for seed in ("1", "1", "2"):
        run([*command, "--seed", seed])
        found.append(json.loads(capsys.readouterr().out)["rows"])

    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "judged by 6 workers or more"),
        (("--ratings", "2"), "ask for fewer --ratings"),
        (("--truth", "gold"), "--columns known=COLUMN"),
        (("--level", "cells"), "several attributes"),
        (("--methods", "mean-z-passing", "--check", "none"), "Choose a check"),
    ],
)
def test_what_the_judgements_cannot_support_is_said(
    options: tuple[str, ...], said: str, once: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", str(once), *options]) == UNSUPPORTED

    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--methods", "mean-q"), "There is no method 'mean-q'"),
        (("--check", "eyes"), "There is no check 'eyes'"),
        (("--ratings", "one"), "--ratings must be a whole number"),
        (("--spam", "some"), "--spam must be a number"),
        (("--spam", "1.5"), "below 1"),
        (("--level", "systems", "--truth", "rest"), "use others or passing"),
        (("--level", "systems", "--ratings", "2"), "for the level segments only"),
        (("--attribute", "wit"), "no rating is of attribute 'wit'"),
        (("--draws", "1"), "--draws"),
    ],
)
def test_what_makes_no_sense_is_refused(
    options: tuple[str, ...], said: str, judgements: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", str(judgements), *options]) == UNUSABLE

    assert said in capsys.readouterr().err


def test_the_judgements_are_not_written_over(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", str(judgements), "--json", str(judgements)]) == UNUSABLE

    assert "is being read" in capsys.readouterr().err
