"""One worker in full, over HTTP and at the command line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import select

from steelyard.cli.main import run
from steelyard.store import tables
from steelyard.store.actions import log_action

NOW = datetime(2024, 5, 2, tzinfo=UTC)


@pytest.fixture
def detail(judged_site: Any) -> dict[str, Any]:
    with judged_site.campaign.store.write() as connection:
        # A HIT of somebody else: what is checked stays the same.
        taken = tables.assignments.c
        other = connection.execute(select(taken.hit_id).where(taken.worker_id == "W0002").limit(1)).scalar()
        person = {"worker_id": "W0001", "name": "Ada Example", "email": "ada@example.org"}
        connection.execute(tables.people.insert(), [person])
        log_action(
            connection, "exclude", by="manager", now=NOW, worker_id="W0001", hit_id=other, reason="odd"
        )
    reply = judged_site.client.get("/api/v1/workers/W0001", headers=judged_site.as_manager())
    assert reply.status_code == 200
    return dict(reply.json())


def test_the_finding_is_that_of_the_analysis(judged_site: Any, detail: dict[str, Any]) -> None:
    analysis = judged_site.client.get("/api/v1/analysis", headers=judged_site.as_manager()).json()
    [worker] = [each for each in analysis["workers"] if each["worker_id"] == "W0001"]

    assert detail["finding"].items() <= worker.items()
    assert [each["flag"] for each in detail["flags"]] == worker["flags"]


def test_pairs_are_those_of_the_check_with_their_texts(detail: dict[str, Any]) -> None:
    finding = detail["finding"]
    degraded = [pair for pair in detail["pairs"] if pair["kind"] == "degraded"]

    assert len(degraded) == finding["n_pairs"]
    differences = [pair["difference"] for pair in degraded]
    assert sum(differences) / len(differences) == pytest.approx(finding["mean_difference"])
    assert all(pair["base_text"] != pair["control_text"] for pair in degraded)
    repeats = [pair for pair in detail["pairs"] if pair["kind"] == "repeat"]
    assert len(repeats) == finding["n_repeats"]
    assert all(pair["base_text"] == pair["control_text"] for pair in repeats)


def test_every_item_that_was_judged_is_there_in_order(detail: dict[str, Any]) -> None:
    items = detail["items"]

    assert len(items) == detail["finding"]["n_judgements"] == sum(bar["n"] for bar in detail["histogram"])
    assert [item["submitted_at"] for item in items] == sorted(item["submitted_at"] for item in items)
    ratings = [text["ratings"]["adequacy"] for item in items for text in item["translations"]]
    assert sum(ratings) / len(ratings) == pytest.approx(detail["finding"]["mean"])
    seconds = sum(hit["seconds"] for hit in detail["hits"])
    assert seconds == pytest.approx(sum(item["seconds"] for item in items))


def test_who_it_is_and_what_was_done_is_there_for_the_manager(detail: dict[str, Any]) -> None:
    assert detail["person"] == {"name": "Ada Example", "email": "ada@example.org"}
    assert detail["excluded"][0]["reason"] == "odd"
    assert [action["verb"] for action in detail["actions"]][-1] == "exclude"


def test_the_command_line_gives_the_same(
    judged_site: Any, detail: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["worker", str(judged_site.address), "W0001", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == detail

    assert run(["worker", str(judged_site.address), "W0001"]) == 0
    printed = capsys.readouterr().out
    assert "Ada Example <ada@example.org>" in printed
    assert detail["finding"]["reason"] in printed
    assert detail["pairs"][0]["control_text"] in printed


def test_nobody_of_that_name_is_not_found(judged_site: Any, capsys: pytest.CaptureFixture[str]) -> None:
    reply = judged_site.client.get("/api/v1/workers/W9999", headers=judged_site.as_manager())

    assert reply.status_code == 404
    assert run(["worker", str(judged_site.address), "W9999"]) == 2
    assert "no worker W9999" in capsys.readouterr().err


def test_someone_who_has_not_begun_is_shown_too(judged_site: Any) -> None:
    found = judged_site.client.get("/api/v1/workers/W0007", headers=judged_site.as_manager()).json()

    assert (found["finding"], found["items"], found["hits"]) == (None, [], [])
