"""`steelyard longitudinal`, and the options of `table` and `plot` that go with it."""

from __future__ import annotations

import json
import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import click
import numpy as np
import polars as pl
import pytest

from steelyard.cli.main import DONE, UNSUPPORTED, UNUSABLE, cli, run
from steelyard.cli.named_sources import split_name
from steelyard.formats.campaign_toml import read_campaign

MEANS = {"CURR-07": 70.0, "CURR-12": 60.0, "BEST-07": 45.0, "BEST-12": 55.0}
QUICK = ("--check", "none")
CELLS = "curr_old=A,curr_new=B,best_old=C,best_new=D"
TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial" / "change-over-years.md"


def _table(attribute: str, names: tuple[str, ...] = tuple(MEANS)) -> pl.DataFrame:
    """Six workers judge twelve segments of each cell, with noise."""
    rng = np.random.default_rng(len(attribute))
    return pl.DataFrame(
        {
            "worker": f"w{w}",
            "segment": f"s{s}",
            "system": name,
            "attribute": attribute,
            "rating": float(np.clip(round(mean + rng.normal(0, 8)), 0, 100)),
        }
        for w in range(6)
        for name, mean in zip(names, MEANS.values(), strict=True)
        for s in range(12)
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with fluency and adequacy of a pair, another one, and scores of a metric."""
    folder = tmp_path_factory.mktemp("years")
    _table("fluency").write_csv(folder / "fluency.csv")
    _table("adequacy").write_csv(folder / "adequacy.csv")
    _table("adequacy", ("A", "B", "C", "D")).write_csv(folder / "letters.csv")
    (folder / "scores.csv").write_text(
        "pair,metric,curr_old,curr_new,best_old,best_new\nde-en,BLEU,38.3,26.5,21.1,23.8\n", "utf-8"
    )
    return folder


@pytest.fixture(autouse=True)
def inside(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)


def rows_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert run(["longitudinal", *arguments, *QUICK, "--json", "-"]) == DONE
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["rows"]
    return rows


def test_the_comparison_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["longitudinal", "de-en=fluency.csv", "de-en=adequacy.csv", *QUICK]) == DONE

    printed = capsys.readouterr().out
    assert printed.startswith("Change over years: de-en\n")
    assert "BEST 12" in printed
    assert "In fluency, the best systems gained" in printed
    assert printed.count("\nstudy:longitudinal|pairs:de-en|unit:flat") == 1


def test_two_attributes_of_one_pair_have_an_f1(capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(capsys, "de-en=fluency.csv", "de-en=adequacy.csv")

    assert [(row["measure"], row["scale"]) for row in rows] == [
        ("fluency", "points"),
        ("fluency", "z"),
        ("adequacy", "points"),
        ("adequacy", "z"),
        ("F1", "points"),
    ]
    # 70 - 60 + 55 - 45, with noise of 8 over 72 ratings in each cell.
    assert rows[0]["gain"] == pytest.approx(20.0, abs=6.0)
    assert rows[0]["n_best_new"] == 72


def test_files_without_a_name_are_pairs_by_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(capsys, "fluency.csv", "adequacy.csv")

    assert {row["pair"] for row in rows} == {"fluency", "adequacy"}


def test_cells_and_scores_of_metrics_are_taken_from_options(capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(capsys, "de-en=letters.csv", "--cells", CELLS, "--metric-scores", "scores.csv")

    assert [row["gain"] for row in rows if row["measure"] == "BLEU"] == pytest.approx([14.5])


def test_json_goes_to_a_file_beside_the_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "years.json"

    assert run(["longitudinal", "adequacy.csv", *QUICK, "--json", str(target)]) == DONE

    assert json.loads(target.read_text("utf-8"))["conclusion"] in " ".join(capsys.readouterr().out.split())


def test_the_test_decides_about_stars(capsys: pytest.CaptureFixture[str]) -> None:
    found = [rows_of(capsys, "adequacy.csv", "--test", test) for test in ("clustered", "rank-sum")]

    p_values = [[row["curr_p"] for row in rows] for rows in found]
    assert p_values[0] == [row["curr_p"] for row in rows_of(capsys, "adequacy.csv")]
    assert p_values[0] != p_values[1]
    assert [row["lower"] for row in found[0]] == [row["lower"] for row in found[1]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("letters.csv",), "Systems found: A, B, C, D. Say which systems make each cell: --cells"),
        (("adequacy.csv", "adequacy=fluency.csv", "adequacy=adequacy.csv"), "two sources have adequacy"),
        (("adequacy.csv", "--check", "paired-t"), "adequacy: paired-t: there are no degraded items"),
        (("adequacy.csv", "--metric", "bleu"), "only a campaign's database has"),
        (("adequacy.csv", "--metric-scores", "scores.csv"), "Scores of metrics are of de-en, but"),
    ],
)
def test_what_the_judgements_cannot_support_is_said(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["longitudinal", *QUICK, *options]) == UNSUPPORTED

    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Missing argument"),
        (("absent.csv",), "no such file"),
        (("adequacy.csv", "--check", "eyes"), "There is no check 'eyes'"),
        (("adequacy.csv", "--cells", "curr_old=A"), "must be named too"),
        (("adequacy.csv", "--check", "none", "--cells", CELLS), "name A, B, C, D, which nobody judged"),
        (("adequacy.csv", "--metric", "blue"), "There is no metric 'blue'"),
        (("adequacy.csv", "--metric-scores", "adequacy.csv"), "there is no column pair"),
        (("adequacy.csv", "--attribute", "wit"), "no rating is of attribute 'wit'"),
        (("adequacy.csv", "--draws", "300"), "--draws goes with --link"),
        (("--link", "adequacy.csv", "--draws", "3"), "3 draws cannot give an interval"),
        (("adequacy.csv", "--check", "none", "--test", "signed-rank"), "Use --test clustered"),
        (("--link", "adequacy.csv", "--test", "rank-sum"), "not for --link"),
        (("adequacy.csv", "--method", "mean-z"), "--method goes with --link"),
        (("adequacy.csv", "--slope", "one"), "--slope goes with --link"),
        (("adequacy.csv", "--json", "adequacy.csv"), "is being read"),
        (("--link", "adequacy.csv", "--cells", CELLS), "not for --link"),
        (("--link", "adequacy.csv", "--method", "mean-q"), "Did you mean 'mean-z'?"),
    ],
)
def test_what_makes_no_sense_is_refused(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["longitudinal", *options]) == UNUSABLE

    assert said in capsys.readouterr().err


def test_a_link_goes_to_the_flow_of_links(capsys: pytest.CaptureFixture[str]) -> None:
    both = ["old=adequacy.csv", "new=adequacy.csv"]
    options = ["--common", "translations", "--slope", "one", *QUICK, "--json", "-"]

    assert run(["longitudinal", "--link", *both, *options]) == DONE

    document = json.loads(capsys.readouterr().out)
    assert {system["campaign"] for system in document["systems"]} == {"old", "new"}
    assert "|slope:one|" in document["signature"]


def test_a_table_of_named_sources_has_these_names(capsys: pytest.CaptureFixture[str]) -> None:
    sources = ["de-en=adequacy.csv", "fr-en=letters.csv"]

    assert run(["table", "campaign-counts", *sources, "--check", "none", "--json", "-"]) == DONE

    assert [row["source"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["de-en", "fr-en"]


def test_the_table_takes_cells_and_scores_of_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--cells", CELLS, "--metric-scores", "scores.csv", "--json", "-"]

    assert run(["table", "longitudinal", "de-en=letters.csv", *QUICK, *options]) == DONE

    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["measure"] for row in rows] == ["adequacy", "adequacy", "BLEU"]


def test_the_plot_takes_cells(tmp_path: Path) -> None:
    target = tmp_path / "years.svg"

    assert (
        run(["plot", "longitudinal", "letters.csv", *QUICK, "--cells", CELLS, "--out", str(target)]) == DONE
    )

    assert "gain 20" in target.read_text("utf-8")


def test_scores_of_metrics_are_not_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--metric-scores", "scores.csv", "--json", "scores.csv"]

    assert run(["table", "longitudinal", "de-en=adequacy.csv", *QUICK, *options]) == UNUSABLE

    assert "is being read" in capsys.readouterr().err


def test_a_file_whose_name_has_an_equals_sign_is_a_file(files: Path) -> None:
    (files / "a=b.csv").write_text("", "utf-8")

    assert split_name("a=b.csv") == (None, "a=b.csv")
    assert split_name("a=c.csv") == ("a", "c.csv")


def test_the_campaigns_of_the_tutorial_are_accepted_and_its_commands_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = TUTORIAL.read_text("utf-8")
    (script,) = re.findall(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)
    (tmp_path / "make_study.py").write_text(script, "utf-8")
    runpy.run_path("make_study.py")

    made = sorted(path.name for path in tmp_path.glob("*.toml"))
    cells = {name: len(read_campaign(tmp_path / name).campaign.systems) for name in made}
    assert cells == {
        "cs-en-adequacy.toml": 4,
        "cs-en-fluency.toml": 4,
        "de-en-adequacy.toml": 5,
        "de-en-fluency.toml": 5,
    }
    shown = re.findall(r"^(?:\$ )?steelyard ((?:longitudinal|plot) (?:.*\\\n)*.*)$", text, flags=re.M)
    assert len(shown) == 3
    for command in shown:
        name, *rest = shlex.split(command)
        with click.Context(cli) as context:
            found = cli.get_command(context, name)
            assert found is not None
            found.make_context(name, rest, parent=context)
