"""A campaign whose address has a path, behind proxies that keep that path or cut it off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect


@pytest.fixture(scope="session")
def below(small_site: Callable[..., Any]) -> Any:
    return small_site("da-source", below="/eval/2026")


def test_people_join_and_judge_below_a_path(page: Page, below: Any, heard: dict[str, list[Any]]) -> None:
    page.goto(below.open_url)
    page.get_by_role("button").first.click()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("slider").press("ArrowRight")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("1 of 3")).to_be_visible()
    assert urlsplit(page.url).path.startswith("/eval/2026/w/")
    assert not heard["errors"]
    outside = [one.url for one in heard["requests"] if not urlsplit(one.url).path.startswith("/eval/2026/")]
    assert outside == []


def test_the_dashboard_and_its_report_work_below_a_path(
    page: Page, below: Any, heard: dict[str, list[Any]]
) -> None:
    with page.expect_response("**/eval/2026/api/v1/campaign") as reply:
        page.goto(below.manager_url)
    assert reply.value.ok
    report = page.get_by_role("link", name="Report").get_attribute("href") or ""
    assert urlsplit(report).path == f"{urlsplit(below.manager_url).path}/report"
    assert all(urlsplit(one.url).path.startswith("/eval/2026/") for one in heard["requests"])


def test_the_links_on_the_dashboard_have_the_path(below: Any) -> None:
    assert below.join().startswith(f"{below.base_url}/w/")


def test_a_proxy_may_cut_the_path_off(page: Page, below: Any) -> None:
    root = below.base_url.removesuffix("/eval/2026")
    page.goto(f"{root}{urlsplit(below.worker_url).path.removeprefix('/eval/2026')}")
    expect(page.get_by_role("button", name="Start")).to_be_visible()
