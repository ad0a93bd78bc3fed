"""`steelyard replicate`: what it prints and writes, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.cli.main import DONE, UNSUPPORTED, UNUSABLE, run

QUICK = ("--check", "none", "--draws", "20")


def _write(path: Path, *, seed: int, system: str = "A") -> Path:
    """Eight workers judge thirty translations."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "worker": f"{path.stem}{w}",
            "system": system,
            "segment": f"s{t}",
            "rating": float(np.clip(round(30 + 1.5 * t + rng.normal(0, 12)), 0, 100)),
        }
        for w in range(8)
        for t in range(30)
    ]
    pl.DataFrame(rows).write_csv(path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged")
    _write(folder / "first.csv", seed=1)
    _write(folder / "second.csv", seed=2)
    _write(folder / "other.csv", seed=3, system="B")
    alone = pl.read_csv(folder / "first.csv").filter(pl.col("worker") == "first0")
    alone.write_csv(folder / "alone.csv")
    return folder


def test_the_study_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["replicate", str(folder / "first.csv"), str(folder / "second.csv"), *QUICK]

    assert run([*command, "--reliability", ".9,.95"]) == DONE

    printed = capsys.readouterr().out
    assert printed.startswith("Replication: first against second\n")
    assert "A reliability of 0.95 takes" in " ".join(printed.split())
    assert printed.rstrip().endswith("|study:replication|of:collections")


def test_one_source_is_split(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replicate", str(folder / "first.csv"), *QUICK, "--json", "-"]) == DONE

    document = json.loads(capsys.readouterr().out)
    assert document["split"] is True
    assert max(row["ratings"] for row in document["rows"]) == 4


def test_two_sources_are_split_each_if_asked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["replicate", str(folder / "first.csv"), str(folder / "second.csv"), *QUICK, "--split"]

    assert run([*command, "--json", "-"]) == DONE

    documents = json.loads(capsys.readouterr().out)["studies"]
    assert [document["title"] for document in documents] == ["first", "second"]
    assert all(document["split"] for document in documents)


def test_prices_and_file_go_with_it(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "study.json"
    prices = ("--wage", "20", "--fee", "0.1", "--pass-rate", "0.5", "--seconds", "36")

    assert run(["replicate", str(folder / "first.csv"), *QUICK, *prices, "--json", str(target)]) == DONE

    document = json.loads(target.read_text("utf-8"))
    (needed,) = document["needed"]
    # Thirty items, seventy of a HIT's hundred places, half of the ratings kept; an hour is a hundred items.
    assert needed["hits"] == int(np.ceil(30 * needed["ratings"] / (70 * 0.5)))
    assert needed["hours"] == needed["hits"]
    assert needed["cost"] == pytest.approx(needed["hits"] * 20 * 1.1)
    assert document["signature"] in capsys.readouterr().out


def test_the_seed_decides(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for seed in ("1", "1", "2"):
        run(["replicate", str(folder / "first.csv"), *QUICK, "--json", "-", "--seed", seed])
        found.append(json.loads(capsys.readouterr().out)["rows"])

    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("first", "other"), "have no translation in common"),
        (("alone",), "one worker cannot be split"),
    ],
)
def test_what_the_judgements_cannot_support_is_said(
    names: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replicate", *(str(folder / f"{name}.csv") for name in names), *QUICK]) == UNSUPPORTED

    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--reliability", "most"), "--reliability must be a number"),
        (("--reliability", "2"), "from 0.01 to 0.999"),
        (("--draws", "3"), "--draws"),
        (("--check", "eyes"), "There is no check 'eyes'"),
        (("--pass-rate", "61"), "--pass-rate must be from 0.01 to 1, not 61"),
        (("--attribute", "wit"), "no rating is of attribute 'wit'"),
    ],
)
def test_what_makes_no_sense_is_refused(
    options: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replicate", str(folder / "first.csv"), *QUICK, *options]) == UNUSABLE

    assert said in capsys.readouterr().err


def test_the_judgements_are_not_written_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = str(folder / "first.csv"), str(folder / "second.csv")

    assert run(["replicate", first, second, "--json", second]) == UNUSABLE

    assert "is being read" in capsys.readouterr().err
