"""Commands over a series of campaigns."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from steelyard.cli.main import run
from steelyard.flows.create_series import create_series
from steelyard.flows.open import open_campaign
from steelyard.flows.simulate import simulate
from steelyard.formats.series_toml import SeriesSource

NAMES = ("en-cs", "en-de")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, small_example: str) -> Path:
    """Campaign files of two small campaigns."""
    folder = tmp_path_factory.mktemp("files")
    for name in NAMES:
        (folder / f"{name}.toml").write_text(small_example.replace("demo-de-en", name), "utf-8")
    return folder


@pytest.fixture(scope="module")
def judged(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A series of which en-de was judged, and en-cs not yet."""
    folder = tmp_path_factory.mktemp("event") / "wmt"
    source = SeriesSource(files, tuple(files / f"{name}.toml" for name in NAMES))
    create_series(source, str(folder), now=datetime.now(UTC))
    with open_campaign(str(folder / "en-de.db")) as campaign:
        simulate(campaign, 10, seed=7)
    return folder


@pytest.fixture
def broken(judged: Path, tmp_path: Path) -> Path:
    """The same with a third database that cannot be read."""
    folder = tmp_path / "wmt"
    shutil.copytree(judged, folder)
    (folder / "en-uk.db").write_text("This is no database, whatever its name says.", "utf-8")
    return folder


def test_create_makes_all_campaigns_of_a_folder(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["create", str(files), "--db", str(tmp_path / "new")]) == 0
    assert sorted(file.name for file in (tmp_path / "new").glob("*.db")) == ["en-cs.db", "en-de.db"]
    assert f"steelyard serve {tmp_path / 'new'}" in capsys.readouterr().out


def test_a_single_campaign_joins_the_folder_it_is_created_in(files: Path, tmp_path: Path) -> None:
    assert run(["create", str(files / "en-de.toml"), "--db", str(tmp_path)]) == 0
    assert (tmp_path / "en-de.db").exists()


def test_a_name_with_a_slash_at_its_end_is_a_folder(files: Path, tmp_path: Path) -> None:
    assert run(["create", str(files / "en-de.toml"), "--db", f"{tmp_path / 'new'}/"]) == 0
    assert (tmp_path / "new" / "en-de.db").exists()


@pytest.mark.parametrize(
    "command", [["table", "ranking"], ["hits", "--to", "hits.csv"], ["normalise"]], ids=lambda words: words[0]
)
def test_a_command_about_one_campaign_asks_for_its_name(
    judged: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, str(judged)]) == 2
    assert f"Name one of them, such as {judged / 'en-cs.db'}" in capsys.readouterr().err


def test_analyse_gives_every_campaign_as_it_would_be_alone(
    judged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["analyse", str(judged), "--json", "-"]) == 1
    both = json.loads(capsys.readouterr().out)
    assert run(["analyse", str(judged / "en-de.db"), "--json", "-"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert both["series"] == "wmt"
    assert [one["campaign"] for one in both["campaigns"]] == ["en-cs", "en-de"]
    assert both["campaigns"][1] == {"campaign": "en-de"} | alone


def test_a_campaign_without_enough_data_is_named_and_the_exit_code_says_so(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["analyse", str(judged)]) == 1
    printed = capsys.readouterr()
    assert "Error: en-cs: " in printed.err
    assert "campaign:en-de" in printed.out
    overview = printed.out[printed.out.index("Series wmt") :]
    assert "en-de     open          500" in overview
    assert "en-cs     open            –" in overview


def test_an_unreadable_database_does_not_stop_the_others(
    broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["analyse", str(broken)]) == 2
    printed = capsys.readouterr()
    assert "en-uk.db" in printed.err
    assert "campaign:en-de" in printed.out


def test_options_of_the_analysis_hold_for_every_campaign(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["analyse", str(judged), "--method", "mean-rating", "--check", "none"])
    printed = capsys.readouterr().out
    assert "|qc:none|kept:500/500|" in printed
    assert "|method:mean-rating|" in printed


def test_segment_scores_go_into_a_file_for_each_campaign(judged: Path, tmp_path: Path) -> None:
    run(["analyse", str(judged), "--segments", str(tmp_path / "segments.csv")])
    assert [file.name for file in tmp_path.iterdir()] == ["segments.en-de.csv"]
    assert "score" in pl.read_csv(tmp_path / "segments.en-de.csv").columns


@pytest.mark.parametrize("option", [["--columns", "worker=login"], ["--scale", "0,5"], ["--pair", "en-de"]])
def test_options_of_files_are_refused(
    judged: Path, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["analyse", str(judged), *option]) == 2
    assert option[0] in capsys.readouterr().err


def test_the_report_of_a_series_leads_to_the_reports_of_its_campaigns(judged: Path, tmp_path: Path) -> None:
    assert run(["report", str(judged), "--html", str(tmp_path / "all.html")]) == 1
    page = (tmp_path / "all.html").read_text("utf-8")
    assert 'href="all/en-de.html"' in page
    assert "all/en-cs.html" not in page
    assert "en-cs could not be analysed" in page
    assert "campaign:en-de" in (tmp_path / "all" / "en-de.html").read_text("utf-8")


def test_a_file_in_the_place_of_the_folder_of_reports_is_named(
    judged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "all").touch()
    assert run(["report", str(judged), "--html", str(tmp_path / "all.html")]) == 2
    assert str(tmp_path / "all") in capsys.readouterr().err


def test_judgements_are_exported_for_each_campaign(judged: Path, tmp_path: Path) -> None:
    assert run(["export", str(judged), "--to", str(tmp_path / "all.csv")]) == 0
    assert len(pl.read_csv(tmp_path / "all.en-de.csv")) == 500
    assert len(pl.read_csv(tmp_path / "all.en-cs.csv")) == 0


def test_progress_has_a_line_for_each_campaign(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["progress", str(broken)]) == 2
    printed = capsys.readouterr()
    lines = {line.split()[0]: line for line in printed.out.splitlines() if line.startswith("en-")}
    assert lines["en-cs"].split()[1:4] == ["open", "0", "0"]
    assert lines["en-de"].split()[1:4] == ["open", "100", "500"]
    assert "en-uk" in printed.err


def test_progress_for_a_program_is_that_of_each_campaign(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["progress", str(judged), "--json", "-"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert run(["progress", str(judged / "en-de.db"), "--json", "-"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert [one["campaign"] for one in both["campaigns"]] == ["en-cs", "en-de"]
    assert both["campaigns"][1]["overview"] == alone


def test_payments_are_listed_for_each_campaign(judged: Path, tmp_path: Path) -> None:
    assert run(["payments", str(judged), "--to", str(tmp_path / "pay.csv")]) == 0
    # The sheet ends with a row of totals.
    assert len(pl.read_csv(tmp_path / "pay.en-de.csv")) == 10 + 1
    assert (tmp_path / "pay.en-cs.csv").exists()


def test_payments_of_a_series_for_a_program(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["payments", str(judged / "en-de.db"), "--json", "-"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert run(["payments", str(judged), "--json", "-"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert both["series"] == "wmt"
    assert both["campaigns"][1] == {"campaign": "en-de"} | alone


def test_all_links_of_a_series_are_renewed_with_a_new_secret(
    judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("STEELYARD_SECRET", raising=False)
    folder = tmp_path / "wmt"
    shutil.copytree(judged, folder)
    found = []
    for option in (["--renew-all"], [], ["--renew-all"]):
        run(["links", str(folder), *option, "--json", "-"])
        found.append(json.loads(capsys.readouterr().out))
    first, same, other = found
    assert first == same
    assert first["manager_url"] != other["manager_url"]
    assert first["campaigns"][0]["manager_url"] != other["campaigns"][0]["manager_url"]


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["links"], ["links", "--json", "-"]])
def test_a_series_without_its_secret_says_so_and_makes_no_other(
    judged: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
) -> None:
    monkeypatch.delenv("STEELYARD_SECRET", raising=False)
    (tmp_path / "wmt").mkdir()
    for name in NAMES:
        shutil.copy(judged / f"{name}.db", tmp_path / "wmt")

    assert run([command[0], str(tmp_path / "wmt"), *command[1:]]) == 2

    printed = capsys.readouterr()
    assert "en-cs.db: the secret that its links were made with is missing" in printed.err
    assert "http" not in printed.out
    assert not list((tmp_path / "wmt").glob("*secret*"))


def test_resuming_a_series_leaves_a_closed_campaign_closed(
    judged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(shutil.copytree(judged, tmp_path / "wmt"))
    assert run(["close", f"{folder}/en-cs.db"]) == 0
    assert run(["pause", folder]) == 0
    capsys.readouterr()
    assert run(["resume", folder]) == 0
    closed, resumed = capsys.readouterr().out.splitlines()
    assert closed == "en-cs: The campaign is closed and stays so."
    assert resumed.startswith("en-de: The campaign is open now; it was paused.")


def test_a_crowd_judges_every_campaign(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["create", str(files), "--db", str(tmp_path / "new")])
    capsys.readouterr()
    assert run(["simulate", str(tmp_path / "new"), "--workers", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["en-cs", "en-de"]
    assert all("10 of 10 HITs" in line for line in lines)
