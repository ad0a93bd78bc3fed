from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from steelyard.cli.main import run
from steelyard.flows.create import create
from steelyard.flows.links import add_workers
from steelyard.flows.open import open_campaign
from steelyard.store import work


@pytest.fixture
def database(campaign_file: Path, tmp_path: Path, noon: datetime) -> str:
    """A campaign in which W0001 has handed in a HIT."""
    address = str(tmp_path / "toy.db")
    create(campaign_file, address, now=noon)
    with open_campaign(address) as campaign:
        add_workers(campaign, 1, base_url="", now=noon)
        with campaign.store.write() as connection:
            work.claim_opening(connection, "W0001", assignment_id="a1", now=noon)
            work.submit_assignment(connection, "a1", now=noon)
    return address


def test_a_worker_is_excluded_and_reinstated(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["exclude", database, "W0001", "--reason", "a robot"]) == 0
    excluded = capsys.readouterr().out
    assert run(["reinstate", database, "W0001"]) == 0
    reinstated = capsys.readouterr().out

    assert "Excluded: worker W0001 (a robot). 1 place offered to others: " in excluded
    assert f"To undo it: steelyard reinstate {database} W0001\n" in excluded
    assert "Reinstated: worker W0001.\nPlaces taken back: " in reinstated


def test_a_place_is_kept_if_asked(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["exclude", database, "W0001", "--reason", "a robot", "--keep-place"]) == 0

    assert "offered" not in capsys.readouterr().out


def test_a_worker_is_blocked_and_unblocked(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["block", database, "W0001"]) == 0
    assert run(["unblock", database, "W0001"]) == 0

    assert capsys.readouterr().out == "W0001 gets no further work.\nW0001 can take HITs.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["exclude", "W0001"], "Missing option '--reason'"),
        (["exclude", "W0001", "--reason", " "], "Say why with --reason TEXT"),
        (["exclude", "W0077", "--reason", "a robot"], "There is no worker W0077"),
        (["exclude", "W0001", "--hit", "none-such", "--reason", "a robot"], "has not taken HIT 'none-such'"),
        (["reinstate", "W0001"], "Worker W0001 is not excluded"),
        (["block", "W0077"], "There is no worker W0077"),
    ],
)
def test_what_cannot_be_done_is_refused(
    database: str, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    verb, *rest = arguments

    assert run([verb, database, *rest]) == 2
    assert said in capsys.readouterr().err
