"""Pages about people: that of the open link, switched on and off, and the manager's list."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import expect

from steelyard.flows.open import open_campaign
from steelyard.flows.rules import change_rules

CLOSED = "Zurzeit können keine weiteren Personen teilnehmen."


def switch(db: str, *, on: bool) -> None:
    with open_campaign(db) as campaign:
        change_rules(campaign, {"open_link": on}, by="manager", now=datetime.now(UTC))


def test_an_open_link_that_is_off_says_so_and_keeps_those_who_joined(
    page, context, small_site, assert_accessible
) -> None:
    site = small_site("da", target_language="de", instructions="de")
    page.goto(site.open_url)
    waiting = context.new_page()
    waiting.goto(site.open_url)
    page.locator("#actions button").click()
    page.wait_for_url("**/w/*")
    own_url = page.url

    switch(site.db, on=False)
    # Somebody who had the page open before gets the same words as somebody who comes now.
    waiting.locator("#actions button").click()
    expect(waiting.locator("#notice")).to_contain_text(CLOSED)
    page.goto(site.open_url)
    expect(page.locator("main")).to_contain_text(CLOSED)
    assert_accessible(page)
    expect(page.locator("#actions button")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/w/*")
    assert page.url == own_url

    stranger = context.browser.new_context().new_page()
    stranger.goto(site.open_url)
    expect(stranger.locator("main")).to_contain_text(CLOSED)
    expect(stranger.locator("#actions button")).to_have_count(0)
    stranger.context.close()
    switch(site.db, on=True)


def test_the_manager_downloads_everyones_link(page, small_site) -> None:
    site = small_site("da")
    own_url = site.join()
    page.goto(f"{site.manager_url}#/people")

    with page.expect_download() as saved:
        page.get_by_role("button", name="Links as CSV").click()

    assert own_url in Path(saved.value.path()).read_text("utf-8")
