"""The commands that go on from a campaign: what they print, write and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steelyard.cli.main import run
from steelyard.flows.open import open_campaign
from steelyard.flows.progress import campaign_progress


@pytest.fixture
def database(campaign_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    address = str(tmp_path / "one.db")
    assert run(["create", str(campaign_file), "--db", address]) == 0
    capsys.readouterr()
    return address


def n_openings(address: str) -> int:
    with open_campaign(address) as campaign:
        return campaign_progress(campaign).n_openings


def test_a_dry_run_prints_what_would_be_added_and_writes_nothing(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = n_openings(database)
    assert run(["settings", database, "--wage", "12", "--currency", "EUR"]) == 0
    capsys.readouterr()

    assert run(["extend", database, "--ratings", "2", "--dry-run"]) == 0

    printed = capsys.readouterr().out
    assert printed.startswith(f"Would add: {2 * before} HITs and {2 * before} places for workers.\n")
    # HITs of 50 items at 18 seconds each.
    hours = 2 * before * 50 * 18 / 3600
    assert f"About {hours:,.1f} hours of work and {hours * 12:,.2f} EUR." in printed
    assert printed.endswith("Nothing was written.\n")
    assert n_openings(database) == before


def test_an_extension_is_written_and_described_as_json(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = n_openings(database)

    assert run(["extend", database, "--ratings", "1", "--json", "-"]) == 0

    added = json.loads(capsys.readouterr().out)
    assert (added["is_written"], added["n_openings"]) == (True, before)
    assert n_openings(database) == 2 * before


def test_a_file_that_contradicts_the_campaign_is_refused_with_code_2(
    database: str, campaign_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = campaign_file.read_text("utf-8").replace("hit_size = 50", "hit_size = 100")
    other = campaign_file.with_name("other.toml")
    other.write_text(text, "utf-8")

    assert run(["extend", database, "--texts", str(other)]) == 2

    assert "[design] hit_size is 100 here and 50 in the campaign" in capsys.readouterr().err


def test_a_clone_is_a_campaign_of_its_own(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = str(tmp_path / "two.db")

    assert run(["clone", database, "--db", other, "--name", "again", "--draft"]) == 0

    assert capsys.readouterr().out.startswith("Draft again: 5 systems, 70 segments, ")
    with open_campaign(other) as campaign:
        assert campaign.settings.name == "again"
    assert n_openings(other) == n_openings(database)
