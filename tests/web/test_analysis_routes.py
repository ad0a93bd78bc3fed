"""What a manager asks about the judgements gives what the command line prints."""

from __future__ import annotations

import csv
import io
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.main import run
from steelyard.store.actions import log_action
from steelyard.web.watched import Memory

NOW = datetime(2024, 5, 2, tzinfo=UTC)


def asked(site: Any, route: str, **query: str) -> Any:
    return site.client.get(f"/api/v1/{route}", params=query, headers=site.as_manager())


def printed(site: Any, capsys: pytest.CaptureFixture[str], command: str, *options: str) -> Any:
    capsys.readouterr()
    assert run([command, str(site.address), *options, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"method": "mean-rating", "check": "none"},
        {"method": "worker-model", "keep": "passing"},
        {"clusters": "wmt21", "keep_hits": "true", "draws": "200"},
    ],
)
def test_the_analysis_by_any_options_is_that_of_the_command_line(
    judged_site: Any, capsys: pytest.CaptureFixture[str], query: dict[str, str]
) -> None:
    options = [
        f"--{name.replace('_', '-')}" if value == "true" else f"--{name}={value}"
        for name, value in query.items()
    ]

    found = asked(judged_site, "analysis", **query).json()

    expected = printed(judged_site, capsys, "analyse", *options)
    for record in (found, expected):
        record.get("diagnostics", {}).pop("seconds", None)
    assert found == expected
    assert found["systems"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"colour": "red"}, "There is no option 'colour'"),
        ({"method": "guess"}, "There is no method 'guess'"),
        ({"keep_hits": "perhaps"}, "--keep-hits must be true or false"),
        ({"ties": "davidson"}, "--ties is an option of"),
        ({"draws": "1000000000"}, "--draws must be from 0 to 10000"),
    ],
)
def test_an_option_that_does_not_exist_is_refused_with_a_reason(
    judged_site: Any, query: dict[str, str], words: str
) -> None:
    for route in ("analysis", "verdicts"):
        response = asked(judged_site, route, **query)

        assert response.status_code == 422
        assert words in response.json()["error"]["message"]


def test_the_report_takes_the_same_options(judged_site: Any) -> None:
    page = judged_site.client.get(f"/m/{judged_site.manager_token}/report?check=none&method=mean-rating")
    refused = judged_site.client.get(f"/m/{judged_site.manager_token}/report?method=guess")

    assert "|qc:none|" in page.text
    assert refused.status_code == 422
    assert "There is no method" in refused.text


def test_verdicts_are_those_of_the_analysis(judged_site: Any) -> None:
    analysis = asked(judged_site, "analysis").json()
    found = asked(judged_site, "verdicts").json()

    assert found["check"] == "paired-t"
    by_worker = {worker["worker_id"]: worker for worker in analysis["workers"]}
    assert {worker["worker_id"] for worker in found["workers"]} == set(by_worker)
    for worker in found["workers"]:
        assert worker.items() <= by_worker[worker["worker_id"]].items()


def test_there_are_verdicts_while_nothing_can_be_ranked(site: Any, judge_some: Any) -> None:
    assert asked(site, "verdicts").json()["workers"] == []
    judge_some(site, 3)

    assert asked(site, "analysis").status_code == 409
    [worker] = asked(site, "verdicts").json()["workers"]
    assert (worker["worker_id"], worker["verdict"], worker["n_judgements"]) == ("W0001", "insufficient", 3)


def test_there_are_verdicts_when_everybody_is_excluded(judged_site: Any) -> None:
    with judged_site.campaign.store.write() as connection:
        for number in range(1, 7):
            log_action(
                connection, "exclude", by="manager", now=NOW, worker_id=f"W000{number}", reason="a test"
            )

    assert asked(judged_site, "analysis").status_code == 409
    verdicts = [worker["verdict"] for worker in asked(judged_site, "verdicts").json()["workers"]]
    assert len(verdicts) == 6
    assert "pass" in verdicts


def test_an_exclusion_changes_the_analysis_at_once(judged_site: Any) -> None:
    before = asked(judged_site, "analysis").json()
    with judged_site.campaign.store.write() as connection:
        log_action(connection, "exclude", by="manager", now=NOW, worker_id="W0001", reason="a test")

    after = asked(judged_site, "analysis").json()
    ignored = asked(judged_site, "analysis", exclusions="ignore").json()

    assert after["counts"]["kept_judgements"] < before["counts"]["kept_judgements"]
    assert ignored["systems"] == before["systems"]


def test_methods_and_checks_to_choose_from_read_what_the_campaign_gives(judged_site: Any) -> None:
    found = asked(judged_site, "methods").json()

    assert (found["method"], found["check"]) == ("mean-z", "paired-t")
    names = [method["name"] for method in found["methods"]]
    assert "worker-model" in names
    assert "bradley-terry" in names
    assert "none" in [check["name"] for check in found["checks"]]
    assert all(check["reads"] == ["ratings"] for check in found["checks"])


def test_payments_are_those_of_the_command_line(judged_site: Any, capsys: pytest.CaptureFixture[str]) -> None:
    judged_site.client.patch(
        "/api/v1/rules", json={"wage": 12, "currency": "EUR", "fee": 0.2}, headers=judged_site.as_manager()
    )

    found = asked(judged_site, "payments").json()

    assert found == printed(judged_site, capsys, "payments")
    # 500 items at 18 seconds each.
    assert found["total"]["pay"] == pytest.approx(12 * 500 * 18 / 3600)
    assert found["total"]["cost"] == pytest.approx(1.2 * found["total"]["pay"])
    assert not {"name", "email"} & set(found["workers"][0])
    assert "6 of 6 workers are simulated: nobody is owed their pay." in found["notes"]


def test_the_payments_file_has_a_line_for_everybody_and_a_sum(judged_site: Any, tmp_path: Path) -> None:
    response = asked(judged_site, "payments.csv")

    assert 'filename="demo-de-en.payments.csv"' in response.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert [row["worker_id"] for row in rows] == [*(f"W000{number}" for number in range(1, 7)), "total"]
    assert sum(int(row["items"]) for row in rows[:-1]) == int(rows[-1]["items"]) == 500
    assert run(["payments", str(judged_site.address), "--to", str(tmp_path / "pay.csv")]) == 0
    assert (tmp_path / "pay.csv").read_text("utf-8") == response.text


def test_progress_at_the_command_line_is_that_of_the_dashboard(
    judged_site: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    dashboard = asked(judged_site, "campaign").json()
    precision = asked(judged_site, "precision").json()

    found = printed(judged_site, capsys, "progress", "--hits", "--precision")

    assert dashboard.pop("links")
    assert dashboard.pop("you")
    assert found.pop("precision") == precision
    assert found.pop("hits") == asked(judged_site, "hits").json()
    assert found == dashboard


def test_progress_is_readable_in_a_terminal(judged_site: Any, capsys: pytest.CaptureFixture[str]) -> None:
    half_width = asked(judged_site, "precision").json()["points"][-1]["half_width"]

    assert run(["progress", str(judged_site.address), "--hits", "--precision"]) == 0

    text = capsys.readouterr().out
    assert "Judgements  500; 0 of 500 items are left to judge" in text
    assert "Everything has been judged." in text
    assert "One more has a link and has not started." in text
    assert "500       " + f"{half_width:.3f}" in text


def test_who_asks_while_something_is_made_waits_for_it() -> None:
    memory, made, together = Memory(), [], threading.Barrier(5)

    def make() -> str:
        made.append("once")
        return "made"

    def ask(_: int) -> str:
        together.wait()
        return memory.get("key", make)

    with ThreadPoolExecutor(5) as pool:
        assert set(pool.map(ask, range(5))) == {"made"}
    assert made == ["once"]


def test_only_the_last_few_things_made_are_remembered() -> None:
    memory, made = Memory(most=2), []

    for key in (1, 2, 1, 3, 1, 2):
        memory.get(key, lambda key=key: made.append(key))

    assert made == [1, 2, 3, 2]


def test_what_failed_is_tried_again() -> None:
    memory = Memory()
    with pytest.raises(ZeroDivisionError):
        memory.get("key", lambda: 1 / 0)

    assert memory.get("key", lambda: 2.0) == 2.0
