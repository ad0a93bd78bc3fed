"""`steelyard release`: what it prints and leaves behind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from steelyard.cli.main import DONE, UNUSABLE, run
from steelyard.domain.campaign import Campaign
from steelyard.domain.work import Hit, Item
from steelyard.store import campaigns, work
from steelyard.store.database import open_store


@pytest.fixture
def db(tmp_path: Path, toy_campaign: Campaign, toy_items: list[Item], toy_hits: list[Hit]) -> str:
    """A toy campaign in which W0001 began h1 a day ago, W0002 h2 just now, and W0003 nothing."""
    address = str(tmp_path / "toy.db")
    store = open_store(address, create=True)
    now = datetime.now(UTC)
    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            toy_campaign,
            items=toy_items,
            hits=toy_hits,
            openings_per_hit=1,
            now=now,
            created_with="test",
        )
        for began in (now - timedelta(days=1), now):
            worker_id = work.add_worker(connection, now=now).worker_id
            work.claim_opening(connection, worker_id, assignment_id=f"a-{worker_id}", now=began)
        work.add_worker(connection, now=now)
    store.close()
    return address


def test_the_hit_of_a_worker_is_released(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["release", db, "W0002", "--reason", "ill"]) == DONE

    assert capsys.readouterr().out == "Released h2, which W0002 had: 0 of 4 items were judged and are kept.\n"
    run(["log", db])
    assert "ill" in capsys.readouterr().out


def test_idle_hits_are_released_and_others_are_not(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["release", db, "--idle"]) == DONE
    assert run(["release", db, "--idle"]) == DONE

    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("Released h1, which W0001 had")
    assert second == "No HIT is idle; nothing was released."


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "Name the workers whose HITs to release, or give --idle."),
        (("W0001", "--idle"), "Name the workers whose HITs to release, or give --idle."),
        (("W0003",), "W0003 has no HIT open"),
        (("W0077",), 'no worker "W0077"'),
    ],
)
def test_what_cannot_be_released_is_said(
    db: str, capsys: pytest.CaptureFixture[str], names: tuple[str, ...], message: str
) -> None:
    assert run(["release", db, *names]) == UNUSABLE

    assert message in capsys.readouterr().err
