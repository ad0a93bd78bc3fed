"""Everybody's marks in a translation and decisions on them, on both databases, by command and by route."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from steelyard.cli.main import run
from steelyard.domain.errors import ChoiceError, NotFound, SourceError
from steelyard.domain.marks import ErrorMark
from steelyard.flows.adjudicate import adjudicate, decisions, marks_in
from steelyard.flows.exclude import Decision, exclude
from steelyard.flows.links import links
from steelyard.flows.log import detail_in_words, log
from steelyard.flows.marks import export_decided, marks_of
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.source import read_source
from steelyard.flows.verify import verify
from steelyard.web.app import create_app


@pytest.fixture
def marked(write_marked: Callable[[str], None], address: str) -> Iterator[OpenCampaign]:
    write_marked(address)
    with open_campaign(address) as campaign:
        yield campaign


@pytest.fixture
def marked_file(write_marked: Callable[[str], None], tmp_path: Path) -> str:
    write_marked(str(tmp_path / "marked.db"))
    return str(tmp_path / "marked.db")


def test_what_workers_marked_most_differently_comes_first(marked: OpenCampaign) -> None:
    found = marks_of(marked)

    assert [(each.system_id, each.segment_id) for each in found.translations] == [
        ("alpha", "s1"),
        ("alpha", "s2"),
        ("beta", "s1"),
    ]
    first, second, last = found.translations
    assert (first.n_workers, first.n_marks, first.lowest, first.highest) == (3, 3, 40, 90)
    # By hand: W0001 has 3 characters and one mark after the text, W0002 the 10 from 4 on, W0003 nothing.
    marks = (8 / 11 + 3 * (1 / 2) / 11, 1, 1)
    scores = (0.2, 0.5, 0.3)
    assert first.disagreement == pytest.approx((sum(marks) + sum(scores)) / 6)
    # Of the 17 places of both sides, W0001 and W0002 share 8.
    assert second.disagreement == pytest.approx((9 / 17 + 1 + 1 + 0 + 0.3 + 0.3) / 6)
    assert last.disagreement == 0


def test_a_translation_shows_everybody_and_what_most_marked(marked: OpenCampaign) -> None:
    found = marks_of(marked)

    shown = found.text(found.key(None, "s2"))

    assert (shown.text, shown.source) == ("It rains since days.", "Es regnet seit Tagen.")
    assert [(each.worker_id, each.rating, len(each.marks)) for each in shown.workers] == [
        ("W0001", 20, 1),
        ("W0002", 20, 2),
        ("W0003", 50, 0),
    ]
    assert shown.majority == (ErrorMark(0, 8, "major"),)
    assert shown.decision is None
    assert shown.severities == ("minor", "major")
    with pytest.raises(ChoiceError, match="name one with"):
        found.key(None, "s1")
    with pytest.raises(NotFound, match="of a segment s9"):
        found.key(None, "s9")
    with pytest.raises(NotFound, match="no system 'gamma'"):
        found.key("gamma", "s1")


def test_an_excluded_worker_is_shown_and_not_counted(marked: OpenCampaign, noon: datetime) -> None:
    exclude(marked, Decision("W0003", "command line", "careless"), now=noon)
    found = marks_of(marked)
    shown = found.text(found.key("alpha", "s2"))

    assert [each.is_excluded for each in shown.workers] == [False, False, True]
    assert shown.translation.n_workers == 2
    assert shown.translation.disagreement == pytest.approx(9 / 17 / 2)


def test_a_decision_is_a_line_of_the_log_and_the_latest_holds(
    marked: OpenCampaign, noon: datetime, tmp_path: Path
) -> None:
    before = marks_of(marked).text(("alpha", "s1")).workers
    marks = [ErrorMark(4, 7, "major", "accuracy"), ErrorMark(None, None, "minor")]
    adjudicate(marked, "alpha", "s1", [ErrorMark(0, 3, "minor")], by="command line", now=noon)
    adjudicate(marked, "alpha", "s1", marks, note="dog\n is right", by="manager", now=noon)
    adjudicate(marked, "beta", "s1", [], by="manager", now=noon)
    adjudicate(marked, "alpha", "s2", [ErrorMark(0, 2, "minor")], by="manager", now=noon)
    adjudicate(marked, "alpha", "s2", None, by="manager", now=noon)

    found = decisions(marked)

    assert list(found) == [("alpha", "s1"), ("beta", "s1")]
    assert found["alpha", "s1"].marks == tuple(marks)
    assert (found["alpha", "s1"].note, found["alpha", "s1"].decided_by) == ("dog is right", "manager")
    assert found["beta", "s1"].marks == ()
    assert [action.verb for action in log(marked)].count("adjudicate") == 5
    assert detail_in_words(log(marked)[-2].detail) == "system: alpha; segment: s2; marks: 1"
    again = marks_of(marked).text(("alpha", "s1"))
    assert again.workers == before
    assert again.decision is not None
    assert again.decision.marks == tuple(marks)
    assert export_decided(marked, tmp_path / "decided.csv") == 2
    spans = read_source(str(tmp_path / "decided.csv")).spans
    rows = spans.select("worker_id", "system_id", "segment_id", "start", "end", "severity", "category").rows()
    assert rows == [
        ("adjudicated", "alpha", "s1", 4, 7, "major", "accuracy"),
        ("adjudicated", "alpha", "s1", None, None, "minor", None),
        ("adjudicated", "beta", "s1", None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("marks", "problem"),
    [
        ([ErrorMark(0, 99, "minor")], "Mark 1 goes from 0 to 99, and the target has 15 characters"),
        ([ErrorMark(3, 3, "minor")], "Mark 1 goes from 3 to 3"),
        ([ErrorMark(0, 1, "minor"), ErrorMark(2, None, "minor")], "Mark 2 has one end only"),
        ([ErrorMark(0, 1, " ")], "Mark 1 needs a severity"),
        ([ErrorMark(0, 1, "minor", "")], "The category of mark 1"),
        ([ErrorMark(0, 18, "minor", side="source")], "the source has 17 characters"),
        ([ErrorMark(0, 1, "minor")] * 501, "at most 500"),
    ],
)
def test_a_decision_that_does_not_fit_the_text_is_refused(marked_file, marks, problem, noon) -> None:
    with open_campaign(marked_file) as campaign:
        with pytest.raises(ChoiceError) as caught:
            adjudicate(campaign, "alpha", "s1", marks, by="manager", now=noon)
        assert problem in str(caught.value)
        assert decisions(campaign) == {}


def test_campaigns_without_marks_say_so(toy: OpenCampaign, noon: datetime) -> None:
    with pytest.raises(NotFound, match="mark no errors"):
        marks_of(toy)
    with pytest.raises(NotFound, match="mark no errors"):
        adjudicate(toy, "alpha", "s1", [], by="manager", now=noon)


def test_the_command_lists_shows_decides_and_writes(marked_file: str, tmp_path: Path, capsys) -> None:
    assert run(["marks", marked_file]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed[1].split() == ["0.64", "3", "3", "40-90", "s1,", "alpha"]
    assert run(["marks", marked_file, "--segment", "s1", "--system", "alpha"]) == 0
    shown = capsys.readouterr().out
    assert "       The dog sleeps.\nW0001     ....MMM........ [missing] m  40\n" in shown
    assert "W0002     ....mmmmmmmmmm.  60\n" in shown
    decide = ["marks", marked_file, "--segment", "s1", "--system", "alpha", "--decide"]
    assert run([*decide, "W0002", "--note", "agreed"]) == 0
    assert "decided   ....mmmmmmmmmm.\nDecided by command line: agreed" in capsys.readouterr().out
    (tmp_path / "own.json").write_text('[{"start": 0, "end": 3, "severity": "minor"}]')
    for choice in ("majority", "none", str(tmp_path / "own.json")):
        assert run([*decide, choice]) == 0
    capsys.readouterr()
    assert run(["marks", marked_file, "--segment", "s1", "--system", "alpha", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["decision"]["marks"][0]["end"] == 3
    assert run(["marks", marked_file, "--adjudicated", str(tmp_path / "decided.jsonl")]) == 0
    assert "1 decided translation in" in capsys.readouterr().out.replace("translations", "translation")
    assert run([*decide[:-1], "--withdraw"]) == 0
    assert "decided" not in capsys.readouterr().out
    assert run([*decide, "nobody"]) == 2
    assert "one of W0001, W0002, W0003" in capsys.readouterr().err
    assert run(["marks", marked_file, "--decide", "none"]) == 2


@pytest.mark.parametrize(
    "text", ["{", "{}", '[{"begin": 1}]', '[{"start": "1", "end": 2, "severity": "minor"}]', "[[1, 2]]"]
)
def test_a_file_that_holds_no_marks_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "own.json").write_text(text)

    with pytest.raises(SourceError):
        marks_in(tmp_path / "own.json")


def test_routes_show_and_decide_as_roles_allow(marked_file: str) -> None:
    with open_campaign(marked_file) as campaign, TestClient(create_app(campaign)) as client:
        token = links(campaign, base_url="").manager_url.rpartition("/")[2]
        bearer = {"Authorization": f"Bearer {token}"}
        which = {"system_id": "alpha", "segment_id": "s1"}

        def decide(**body: Any) -> Any:
            return client.post("/api/v1/marks/decision", headers=bearer, json={**which, **body})

        assert decide(marks=[{"start": 4, "end": 7, "severity": "major"}], note="so").json()["n_marks"] == 1
        assert decide(marks=[{"start": 4, "end": 70, "severity": "major"}]).status_code == 422
        assert decide(marks=[{"start": "4", "end": 7, "severity": "major"}]).status_code == 422
        assert decide(marks=[], segment_id="s9").status_code == 404
        listed = client.get("/api/v1/marks?most=1", headers=bearer).json()
        query = {"system": "alpha", "segment": "s1"}
        shown = client.get("/api/v1/marks/translation", headers=bearer, params=query).json()
        assert (
            client.get(
                "/api/v1/marks/translation", headers=bearer, params={**query, "segment": "s9"}
            ).status_code
            == 404
        )
        assert client.get("/api/v1/marks").status_code == 401

    assert (listed["n_translations"], listed["n_decided"], len(listed["translations"])) == (3, 1, 1)
    assert listed["translations"][0]["is_decided"] is True
    assert shown["decision"]["note"] == "so"
    assert [worker["counts"] for worker in shown["workers"]] == [True] * 3


def test_decisions_leave_the_chain_of_judgements_intact(marked: OpenCampaign, noon: datetime) -> None:
    adjudicate(marked, "alpha", "s1", [ErrorMark(0, 3, "minor")], by="manager", now=noon)

    assert verify(marked).findings == ()
