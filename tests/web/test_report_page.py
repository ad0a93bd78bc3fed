"""The report page: made once for what was judged so far, and locked up."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from steelyard.domain.exhibit import Evidence
from steelyard.domain.result import AnalysisSettings
from steelyard.flows import exhibit
from steelyard.flows.analyse import weigh
from steelyard.flows.source import Source
from steelyard.web import watched


def judge(site: Any) -> None:
    """One judgement more."""
    view = site.client.post("/api/v1/work/next", headers=site.as_worker()).json()
    body = {
        "judgement_id": str(uuid.uuid4()),
        "assignment_id": view["assignment_id"],
        "item_id": view["item"]["item_id"],
        "answer": {"rating": 61},
        "shown_ms": 4200,
    }
    assert site.client.post("/api/v1/work/judgements", headers=site.as_worker(), json=body).status_code == 201


@pytest.fixture
def made(site: Any, monkeypatch: pytest.MonkeyPatch) -> list[Evidence]:
    """A site with enough judgements to be scored without a check, and the evidence of each report made."""

    def unchecked(source: Source, settings: AnalysisSettings) -> Evidence:
        return weigh(source, replace(settings, check="none", method="mean-rating"))

    found: list[Evidence] = []
    usual = exhibit.report_exhibits

    def noted(evidence: Evidence, options: Any) -> Any:
        found.append(evidence)
        return usual(evidence, options)

    monkeypatch.setattr(watched, "weigh", unchecked)
    monkeypatch.setattr(exhibit, "report_exhibits", noted)
    for _ in range(3):
        judge(site)
    return found


def test_the_report_is_made_once_however_often_it_is_looked_at(site: Any, made: list[Evidence]) -> None:
    pages = [site.client.get(f"/m/{site.manager_token}/report") for _ in range(3)]

    assert {page.status_code for page in pages} == {200}
    assert len({page.text for page in pages}) == 1
    assert len(made) == 1


def test_a_new_judgement_makes_a_new_report(site: Any, made: list[Evidence]) -> None:
    before = site.client.get(f"/m/{site.manager_token}/report").text
    judge(site)
    after = site.client.get(f"/m/{site.manager_token}/report").text

    assert [len(evidence.frame) for evidence in made] == [3, 4]
    assert before != after


def test_two_who_ask_at_once_share_one_report(site: Any, made: list[Evidence]) -> None:
    latest, together = site.client.app.state.desk.analyst.watched[""].analyses, threading.Barrier(4)

    def asked(_: int) -> str:
        together.wait()
        return str(latest.report())

    with ThreadPoolExecutor(4) as pool:
        pages = set(pool.map(asked, range(4)))

    assert (len(pages), len(made)) == (1, 1)


def test_numbers_are_to_be_had_while_a_report_is_being_made(
    site: Any, made: list[Evidence], monkeypatch: pytest.MonkeyPatch
) -> None:
    latest = site.client.app.state.desk.analyst.watched[""].analyses
    has_begun, may_end = threading.Event(), threading.Event()

    def slow(*_: object) -> tuple[list[Any], list[str]]:
        has_begun.set()
        assert may_end.wait(timeout=20)
        return [], []

    monkeypatch.setattr(exhibit, "report_exhibits", slow)
    with ThreadPoolExecutor(2) as pool:
        report = pool.submit(latest.report)
        assert has_begun.wait(timeout=20)
        numbers = pool.submit(latest.get).result(timeout=20)
        may_end.set()
        assert report.result(timeout=20)

    assert len(numbers.frame) == 3


def test_the_report_says_what_it_could_not_show(site: Any, made: list[Evidence]) -> None:
    page = site.client.get(f"/m/{site.manager_token}/report").text

    assert "Workers and ratings after quality control is not shown: no worker was checked" in page


def test_the_report_may_neither_load_nor_send_anything(site: Any, made: list[Evidence]) -> None:
    policy = site.client.get(f"/m/{site.manager_token}/report").headers["Content-Security-Policy"]

    rules = {rule.strip() for rule in policy.split(";")}
    assert {"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} <= rules
    assert "script-src" not in policy


def test_before_there_is_anything_to_report_the_page_says_so(site: Any) -> None:
    response = site.client.get(f"/m/{site.manager_token}/report")

    assert response.status_code == 409
    assert "Not yet" in response.text
