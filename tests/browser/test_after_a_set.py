"""What a worker can say while judging, and what they see after a set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from steelyard.domain.running import Rules
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.remarks import campaign_remarks
from steelyard.store import running

CODE = "C1A2B3"
RULES = Rules(completion_code=CODE, completion_url="https://crowd.example/complete?cc=1", joins_per_hour=0)


@pytest.fixture
def site(small_site: Any) -> Any:
    """A campaign with a code after a set, and nothing before it."""
    return small_site("da", title="After a set", rules=RULES)


@pytest.fixture
def campaign(site: Any) -> Iterator[OpenCampaign]:
    """The same campaign for its manager; afterwards it is under the same rules again."""
    with open_campaign(site.db) as opened:
        yield opened
        with opened.store.write() as connection:
            running.set_rules(connection, RULES)


def heading(page: Page, name: str) -> Any:
    return page.get_by_role("heading", name=name)


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def mark_line(page: Page) -> None:
    page.get_by_role("slider").press("Home")


def begin(page: Page, url: str) -> None:
    page.goto(url)
    button(page, "Start").click()
    expect(page.locator(".progress-text")).to_have_text("0 of 3 complete")


def finish(page: Page) -> None:
    for number in range(3):
        expect(page.locator(".progress-text")).to_have_text(f"{number} of 3 complete")
        mark_line(page)
        button(page, "Next").click()
    expect(heading(page, "Thank you")).to_be_focused()


def test_a_problem_is_reported_with_its_item_and_kept_until_it_arrives(
    page: Page, site: Any, campaign: OpenCampaign, assert_accessible: Any
) -> None:
    begin(page, site.join())
    mark_line(page)
    link, box = button(page, "Report a problem"), page.get_by_label("What is wrong?")
    link.press("Enter")
    expect(box).to_be_focused()
    expect(button(page, "Send")).to_be_disabled()
    assert_accessible(page)
    box.fill("The text is cut of")
    page.keyboard.press("Escape")
    expect(link).to_be_focused()
    page.reload()
    button(page, "Continue").click()
    link.click()
    expect(box).to_have_value("The text is cut of")
    box.press_sequentially("f")
    page.route("**/work/remarks", lambda route: route.abort())
    button(page, "Send").click()
    expect(page.get_by_role("dialog")).to_contain_text("saved on this device and will be sent")
    # The page is closed before the network is back.
    page.unroute("**/work/remarks")
    with page.expect_response("**/work/remarks") as reply:
        page.reload()

    assert reply.value.status == 201
    written = [each.remark for each in campaign_remarks(campaign).remarks]
    [found] = [remark for remark in written if remark.text == "The text is cut off"]
    assert (found.kind, found.item_id) == ("problem", "i1")
    assert found.assignment_id is not None
    button(page, "Continue").click()
    link.click()
    expect(box).to_have_value("")
    box.fill("Also this")
    button(page, "Send").click()
    expect(page.get_by_text("The organisers will read it.")).to_be_focused()
    button(page, "Close").click()
    expect(link).to_be_focused()
    with page.expect_request("**/work/judgements"):
        mark_line(page)
        button(page, "Next").click()


def test_coming_back_shows_the_code_and_only_web_addresses_become_links(
    page: Page, site: Any, campaign: OpenCampaign
) -> None:
    url = site.join()
    begin(page, url)
    finish(page)
    expect(page.get_by_role("link", name="Go back and finish")).to_be_visible()

    rules = Rules(completion_code=CODE, completion_url="javascript:alert(1)", joins_per_hour=0)
    with campaign.store.write() as connection:
        running.set_rules(connection, rules)
    page.goto(url)

    expect(heading(page, "Thank you")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Sets you have finished: 1")
    expect(page.locator(".completion-code")).to_have_text(CODE)
    expect(page.get_by_role("link")).to_have_count(0)
    expect(page.locator("main")).not_to_contain_text("earned")
    expect(button(page, "Start")).to_have_count(0)
