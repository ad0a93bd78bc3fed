"""Participants at the command line: listed, written to a file, kept out, forgotten."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from steelyard.cli.main import DONE, UNUSABLE, run
from steelyard.domain.running import Rules
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.create import create
from steelyard.flows.links import join_campaign
from steelyard.flows.open import open_campaign
from steelyard.flows.submit import Submission, submit
from steelyard.formats.campaign_rules import platform_warnings

PID, OTHER = "5f0a1b2c3d4e5f60718293a4", "5f0a1b2c3d4e5f60718293a5"
PLATFORM = '\n[platform]\nname = "prolific"\n'


@pytest.fixture
def db(small_example: str, tmp_path: Path, noon: datetime) -> str:
    """A campaign to which Prolific has sent somebody."""
    (tmp_path / "campaign.toml").write_text(small_example + PLATFORM, "utf-8")
    address = str(tmp_path / "eval.db")
    created = create(tmp_path / "campaign.toml", address, now=noon)
    assert [warning for warning in created.warnings if "hits_per_worker = 1" in warning]
    # There, whoever wants to do more takes another task.
    assert platform_warnings(Rules(platform="mturk")) == []
    assert [warning for warning in created.warnings if "--completion-code" in warning]
    with open_campaign(address) as campaign:
        query = [("PROLIFIC_PID", PID), ("STUDY_ID", "s1"), ("SESSION_ID", "v1")]
        join_campaign(campaign, base_url="", now=noon, query=query)
    return address


def judge_one(db: str) -> None:
    """Let the participant judge an item."""
    now = datetime.now(UTC)
    with open_campaign(db) as campaign:
        view = next_item(campaign, "W0001", now=now)
        assert isinstance(view, NextItem)
        answer = Submission(str(uuid4()), view.assignment_id, view.item.item_id, {"rating": 50}, 1000)
        submit(campaign, "W0001", answer, now=now)


def test_participants_are_listed_and_written_for_their_manager_alone(
    db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target, document = tmp_path / "ids.csv", tmp_path / "ids.json"

    assert run(["participants", db]) == DONE
    assert capsys.readouterr().out == f"W0001  prolific  {PID}  0 HITs finished, 0 judgements\n"
    assert run(["participants", db, "--to", str(target), "--json", str(document)]) == DONE

    header, line = target.read_text("utf-8").splitlines()
    assert header == (
        "participant_id,worker_id,platform,study_id,session_id,joined_at,hits,judged,is_blocked,"
        "agreed_at,consent_version,withdrew_at"
    )
    assert line == f"{PID},W0001,prolific,s1,v1,2024-05-01T12:00:00+00:00,0,0,false,,,"
    [one] = json.loads(document.read_text("utf-8"))["workers"]
    assert one["sessions"][0]["session_id"] == "v1"
    assert [file.stat().st_mode & 0o077 for file in (target, document)] == [0, 0]


def test_a_list_keeps_people_out_and_a_wrong_one_says_what_is_wrong(
    db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids, strange = tmp_path / "ids.txt", tmp_path / "strange.txt"
    ids.write_text(f"{OTHER}\n{PID}\n", "utf-8")
    strange.write_text(f"participant_id,hits\n{PID},1\n", "utf-8")

    assert run(["participants", db, "--exclude", str(ids)]) == DONE
    said = capsys.readouterr()
    assert "2 more ids may not join; 1 worker of this campaign on the list can go on working." in said.err
    assert "2 ids may not join." in said.out
    assert run(["participants", db, "--admit", str(ids), "--forget"]) == DONE
    said = capsys.readouterr()
    assert "2 ids may join again" in said.err
    assert "1 id forgotten." in said.err
    assert "W0001  prolific  (forgotten)" in said.out
    assert run(["participants", db, "--exclude", str(strange)]) == UNUSABLE
    assert "name the file .csv if it is a table" in capsys.readouterr().err
    (tmp_path / "none.csv").write_text("name\nx\n", "utf-8")
    assert run(["participants", db, "--exclude", str(tmp_path / "none.csv")]) == UNUSABLE
    assert 'no column "participant_id"' in capsys.readouterr().err


def test_links_and_payments_name_participants_to_the_manager(
    db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["links", db, "--base-url", "https://eval.example.org"]) == DONE
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("prolific https://eval.example.org/join/o-")
    assert lines[1].endswith(
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    assert lines[2].endswith(f"prolific {PID}")
    judge_one(db)
    assert run(["payments", db, "--people", "--to", "-"]) == DONE
    header, line, *_ = capsys.readouterr().out.splitlines()
    assert dict(zip(header.split(","), line.split(","), strict=False))["participant_id"] == PID
    assert run(["payments", db, "--people"]) == DONE
    assert PID in capsys.readouterr().out
    assert run(["payments", db, "--to", "-"]) == DONE
    assert not {"participant_id", PID} & set(capsys.readouterr().out.replace("\n", ",").split(","))
    assert run(["erase", db, "W0001"]) == DONE
    assert "W0001: erased id on a platform." in capsys.readouterr().out


def test_an_unknown_platform_is_refused_with_a_hint(
    small_example: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text(small_example + PLATFORM.replace("prolific", "prolfic"), "utf-8")

    assert run(["create", str(file), "--db", str(tmp_path / "eval.db")]) == UNUSABLE

    assert "prolific" in capsys.readouterr().err
    assert not (tmp_path / "eval.db").exists()
