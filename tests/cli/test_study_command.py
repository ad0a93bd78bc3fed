"""What every study's command can do: print, write JSON, a page and LaTeX, and never harm its sources."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.cli.main import DONE, UNUSABLE, cli, run

STUDIES = ("evaluate", "normalise", "replicate", "longitudinal", "meta")
QUICK = {
    "evaluate": ("--draws", "2", "--check", "none", "--ratings", "1,2", "--methods", "mean-rating,mean-z"),
    "normalise": ("--folds", "2", "--no-random-workers", "--methods", "mean-z,two-stage"),
    "replicate": ("--draws", "20", "--check", "none"),
    "longitudinal": ("--check", "none"),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight workers judge the four cells of two years; an expert rated everything too."""
    path = tmp_path_factory.mktemp("studies") / "years.csv"
    rng = np.random.default_rng(4)
    means = {"CURR-old": 70.0, "CURR-new": 60.0, "BEST-old": 45.0, "BEST-new": 55.0}
    pl.DataFrame(
        {
            "worker": f"w{w}",
            "segment": f"s{s}",
            "system": name,
            "rating": float(np.clip(round(mean + s + rng.normal(0, 8)), 0, 100)),
            "known": mean + s,
        }
        for w in range(8)
        for name, mean in means.items()
        for s in range(12)
    ).write_csv(path)
    return path


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_offers_the_same_ways_out(name: str) -> None:
    command = cli.get_command(cli.make_context("steelyard", ["--help"], resilient_parsing=True), name)

    assert command is not None
    offered = {option for parameter in command.params for option in parameter.opts}
    assert {"--json", "--html", "--latex"} <= offered


@pytest.mark.parametrize("name", list(QUICK))
def test_a_study_goes_to_the_terminal_to_json_to_a_page_and_to_latex_at_once(
    name: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, folder, document = tmp_path / "study.html", tmp_path / "tex", tmp_path / "study.json"
    outputs = ["--html", str(page), "--latex", str(folder), "--json", str(document)]

    assert run([name, str(source), *QUICK[name], *outputs]) == DONE

    printed = capsys.readouterr().out
    found = json.loads(document.read_text("utf-8"))
    written = page.read_text("utf-8")
    for signature in found["signature"].split("\n"):
        assert signature in printed
        assert signature in written
    # The conclusion is the same everywhere.
    assert found["conclusion"] in " ".join(printed.split())
    assert found["conclusion"].replace("'", "&#39;") in written
    assert (folder / "study.tex").is_file()
    # All but signatures fit a terminal.
    text = [line for line in printed.splitlines() if "steelyard:" not in line]
    assert max(map(len, text)) <= 100


def test_a_page_may_go_to_the_terminal_in_place_of_the_text(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replicate", str(source), *QUICK["replicate"], "--html", "-"]) == DONE

    printed = capsys.readouterr().out
    assert printed.startswith("<!doctype html>")
    assert printed.rstrip().endswith("</html>")


@pytest.mark.parametrize("option", ["--html", "--json"])
def test_a_source_is_not_written_over(option: str, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = source.read_bytes()

    assert run(["longitudinal", f"de-en={source}", *QUICK["longitudinal"], option, str(source)]) == UNUSABLE

    assert "is being read: name another file" in capsys.readouterr().err
    assert source.read_bytes() == before


@pytest.mark.parametrize(("place", "named"), [("-", "the terminal"), ("out", "out")])
def test_two_results_do_not_go_to_one_place(
    place: str,
    named: str,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    outputs = ["--html", place, "--json", place if place == "-" else f"./{place}"]
    assert run(["replicate", str(source), *QUICK["replicate"], *outputs]) == UNUSABLE

    printed, said = capsys.readouterr()
    assert printed == ""
    assert (
        f"Two results cannot both go to {'./' if place != '-' else ''}{named}: name a file for each." in said
    )
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_where_one_of_the_files_cannot_be(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = ["--html", str(tmp_path / "page.html"), "--json", str(tmp_path / "no" / "study.json")]

    assert run(["replicate", str(source), *QUICK["replicate"], *outputs]) == UNUSABLE

    assert "No such file or directory" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("here already", "utf-8")

    assert run(["replicate", str(source), *QUICK["replicate"], "--latex", str(taken)]) == UNUSABLE

    assert "taken" in capsys.readouterr().err
