"""A series on one server: its page, and people who judge in two of its campaigns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def judge_one(page: Page, open_url: str) -> None:
    """Join a campaign and judge its first item."""
    page.goto(open_url)
    page.get_by_role("button").first.click()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("slider").press("ArrowRight")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("1 of 3")).to_be_visible()


def test_judgements_of_two_campaigns_are_seen_apart_on_one_page(
    page: Page, series_site: Any, heard: dict[str, list[Any]], assert_accessible: Callable[..., None]
) -> None:
    judge_one(page, series_site.open_urls["en-cs"])
    for _ in range(2):
        judge_one(page, series_site.open_urls["en-de"])
        page.evaluate("localStorage.clear()")
    assert not heard["errors"]

    page.goto(series_site.manager_url)
    rows = {name: page.get_by_role("row").filter(has_text=name) for name in ("en-cs", "en-de", "en-uk")}
    expect(rows["en-cs"]).to_contain_text("1 of 150")
    expect(rows["en-de"]).to_contain_text("2 of 150")
    expect(rows["en-uk"]).to_contain_text("Not available")
    expect(page.locator(".concerns")).to_contain_text("not a database")
    expect(page.locator("#about")).to_have_text("3 campaigns: 2 open, 1 not available")
    assert_accessible(page)
    assert not heard["errors"]

    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_all_campaigns_are_paused_and_resumed_from_the_page(page: Page, series_site: Any) -> None:
    page.goto(series_site.manager_url)
    page.get_by_role("button", name="Pause all").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("2 campaigns: en-cs, en-de.")
    dialog.get_by_role("button", name="Pause all").click()
    expect(page.locator("#messages")).to_contain_text("2 campaigns are paused now.")
    expect(page.get_by_role("row").filter(has_text="en-de")).to_contain_text("Paused")
    page.get_by_role("button", name="Resume all").click()
    dialog.get_by_role("button", name="Resume all").click()
    expect(page.get_by_role("row").filter(has_text="en-de")).to_contain_text("Open")


def test_a_campaign_of_the_series_opens_its_own_dashboard(page: Page, series_site: Any) -> None:
    page.goto(series_site.manager_url)
    page.get_by_role("link", name="en-de").click()
    expect(page.get_by_role("heading", name="Campaign en-de")).to_be_visible()
