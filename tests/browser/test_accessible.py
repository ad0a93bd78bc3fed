"""Every page as axe-core sees it, light and dark, wide and narrow."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from steelyard.protocols import protocols


def test_a_barrier_is_found(page, assert_accessible, small_site) -> None:
    page.goto(small_site("da").base_url)
    page.evaluate("document.querySelector('h1').after(document.createElement('button'))")

    with pytest.raises(AssertionError, match="button-name"):
        assert_accessible(page)


def test_the_introduction_is_open_to_all(page, assert_accessible, small_site) -> None:
    page.goto(small_site("da").join())
    expect(page.locator(".intro .actions button")).to_be_visible()

    assert_accessible(page)


@pytest.mark.parametrize("protocol", list(protocols()))
def test_an_item_is_open_to_all_and_needs_no_sideways_scrolling(
    page, assert_accessible, small_site, protocol
) -> None:
    # The words of German are the longest.
    page.goto(small_site(protocol, instructions="de").join())
    page.locator(".intro .actions button").click()
    expect(page.locator(".item")).to_be_visible()

    assert_accessible(page)

    page.set_viewport_size({"width": 320, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_end_and_what_a_worker_reads_in_between_are_open_to_all(
    page, assert_accessible, small_site
) -> None:
    site = small_site("da", title="Between and after")
    first, second = site.join(), site.join()
    page.goto(first)
    page.get_by_role("button", name="Start").click()
    for _ in range(3):
        page.get_by_role("slider").press("End")
        page.get_by_role("slider").press("Enter")
    expect(page.locator("#main h1")).to_be_visible()
    assert_accessible(page)

    headers = {"Authorization": f"Bearer {site.manager_url.rpartition('/')[2]}"}
    for state in ("paused", "closed"):
        reply = page.request.post(f"{site.base_url}/api/v1/state", headers=headers, data={"state": state})
        assert reply.ok
        page.goto(second)
        expect(page.locator("#main h1")).to_be_visible()
        assert_accessible(page)


def test_the_page_of_the_open_link_is_open_to_all(page, assert_accessible, small_site) -> None:
    page.goto(small_site("da").open_url)
    expect(page.get_by_role("button", name="Join")).to_be_visible()

    assert_accessible(page)


def test_messages_are_open_to_all(page, assert_accessible, small_site) -> None:
    for path in ("/", "/w/nobody", "/m/nobody-nobody-nobody"):
        page.goto(f"{small_site('da').base_url}{path}")

        assert_accessible(page)


def test_every_tab_of_the_dashboard_is_open_to_all_and_fits_a_phone(
    page, assert_accessible, lively_site
) -> None:
    for tab in ("overview", "ranking", "workers", "workers/W0001", "hits", "people", "payments", "settings"):
        page.goto(f"{lively_site.manager_url}#/{tab}")
        expect(page.locator("#view .panel").first).to_be_visible()
        expect(page.get_by_text("One moment …")).to_have_count(0, timeout=20_000)

        assert_accessible(page)

        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, tab
        page.set_viewport_size({"width": 1280, "height": 800})


def test_a_question_of_the_dashboard_is_open_to_all(page, assert_accessible, lively_site) -> None:
    page.goto(lively_site.manager_url)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("dialog")).to_be_visible()

    assert_accessible(page)


def test_the_report_is_open_to_all(page, assert_accessible, lively_site) -> None:
    page.goto(f"{lively_site.manager_url}/report")
    expect(page.get_by_role("heading", level=1)).to_be_visible()

    assert_accessible(page)
