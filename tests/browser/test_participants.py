"""What people see whom a crowd platform sends: on arrival, at the end of a set, when turned away."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import expect

from steelyard.domain.entry import CampaignEntry, EntryQuestion
from steelyard.domain.running import Rules
from steelyard.flows.open import open_campaign
from steelyard.flows.participants import exclude_participants

PID, OTHER, THIRD = (f"5f0a1b2c3d4e5f60718293a{last}" for last in "456")
RULES = Rules(platform="prolific", completion_code="C1A2B3", screened_code="S1A2B3", joins_per_hour=0)
QUESTION = EntryQuestion(
    "native", "Is English your first language?", "choice", ("Yes", "No"), accept=("Yes",)
)


def assert_fits(page: Any) -> None:
    """Nothing of the page is outside the window, of a desk or of a phone."""
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def address(site: Any, participant_id: str) -> str:
    open_url = site.open_url.partition("?")[0]
    return f"{open_url}?PROLIFIC_PID={participant_id}&STUDY_ID=s1&SESSION_ID=v1"


def test_somebody_from_a_platform_joins_once_and_goes_back_with_the_code(
    page, context, small_site, assert_accessible
) -> None:
    site = small_site("da", title="From a platform and back", rules=RULES)
    page.goto(address(site, PID))
    second_tab = context.new_page()
    second_tab.goto(address(site, PID))
    expect(page.locator("main")).to_contain_text("has told us your participant ID")
    assert_accessible(page)
    assert_fits(page)

    for tab in (page, second_tab):
        tab.get_by_role("button", name="Join", exact=True).click()
        tab.wait_for_url("**/w/*")
    assert page.url == second_tab.url
    assert PID not in page.url
    second_tab.close()
    # The address says who comes, so another person at the same computer is another worker.
    other = context.new_page()
    other.goto(address(site, OTHER))
    other.get_by_role("button", name="Join", exact=True).click()
    other.wait_for_url("**/w/*")
    assert other.url != page.url
    other.close()

    page.get_by_role("button", name="Start", exact=True).click()
    for number in range(3):
        expect(page.locator(".progress-text")).to_have_text(f"{number} of 3 complete")
        page.get_by_role("slider").click()
        page.get_by_role("button", name="Next", exact=True).click()
    link = page.get_by_role("link", name="Go back and finish")
    assert link.get_attribute("href") == "https://app.prolific.com/submissions/complete?cc=C1A2B3"
    # Whoever closes the page here is not known to have finished; the way back brings the code along.
    expect(page.locator("main")).not_to_contain_text("close this page")
    expect(page.get_by_role("heading", name="One last step")).to_be_visible()
    assert link.bounding_box()["y"] < page.locator("code.completion-code").bounding_box()["y"]
    assert_fits(page)
    page.goto(address(site, PID))
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()

    page.goto(f"{site.manager_url}#/people")
    row = page.get_by_role("row").filter(has_text=PID)
    expect(row).to_contain_text("prolific")
    assert_fits(page)


def test_who_cannot_take_part_reads_why_and_what_to_do(page, small_site, assert_accessible, tmp_path) -> None:
    entry = CampaignEntry(None, (QUESTION,), ())
    site = small_site("da", title="Not for everybody", rules=RULES, entry=entry)
    (tmp_path / "ids.txt").write_text(OTHER, "utf-8")
    with open_campaign(site.db) as campaign:
        exclude_participants(campaign, str(tmp_path / "ids.txt"), by="manager", now=datetime.now(UTC))

    page.goto(site.open_url.partition("?")[0])
    expect(page.locator("main")).to_contain_text("Your participant ID is missing")
    expect(page.locator("#actions button")).to_have_count(0)
    assert_accessible(page)
    assert_fits(page)
    page.goto(address(site, OTHER))
    expect(page.locator("main")).to_contain_text("You have already taken part in a study like this one")
    expect(page.locator("#actions button")).to_have_count(0)
    assert_fits(page)

    page.goto(address(site, THIRD))
    page.get_by_role("button", name="Join", exact=True).click()
    page.get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("heading", name="Thank you for your interest")).to_be_visible()
    expect(page.locator("code.completion-code")).to_have_text("S1A2B3")
    expect(page.locator("main")).not_to_contain_text("You can close this page")
    link = page.get_by_role("link", name="Go back", exact=True)
    assert link.get_attribute("href") == "https://app.prolific.com/submissions/complete?cc=S1A2B3"
    assert_accessible(page)
    assert_fits(page)


SESSION = {
    "tag": "t1",
    "worker_id": "W0001",
    "state": "submitted",
    "status": "submitted",
    "n_done": 3,
    "n_items": 3,
    "changed_at": "2026-11-18T20:00:00+00:00",
    "reward": 0,
    "bonuses": 0,
    "difference": "",
    "actions": ["approve", "reject", "pay-partly"],
}
LISTING = {"tag": "t1", "platform": "prolific", "listing_id": "s1", "state": "active", "synced_at": None}
STATUS = {
    "platform": "prolific",
    "has_client": True,
    "has_key": True,
    "categories": ["TOO_QUICKLY", "NO_DATA"],
    "least_message": 100,
    "in_doubt": [],
    "listings": [
        {
            "listing": {**LISTING, "places": 3, "reward": 144, "cost": 606, "currency": "GBP"},
            "n_open": 1,
            "counts": {"submitted": 2},
            "difference": "",
            "actions": [],
        }
    ],
    "ledger": dict.fromkeys(("rewards", "bonuses", "elsewhere", "pending", "fees", "reserved", "left"), 0)
    | {"currency": "GBP", "budget": None},
    "sessions": [
        {**SESSION, "session_id": "v1"},
        {**SESSION, "session_id": "v2", "worker_id": "W0002", "n_done": 0, "n_items": 0, "status": None},
    ],
}


def test_a_manager_reads_what_is_paid_before_and_after_and_keeps_the_place(page, small_site) -> None:
    """What the server says is given here: the page is the point, and each decision has its own test."""
    site = small_site("da", title="Who is paid what", rules=RULES)
    status = json.loads(json.dumps(STATUS))

    def reject(route: Any) -> None:
        message = "W0002 would not be paid. The evidence: nothing. They would read: x"
        route.fulfill(status=409, json={"error": {"code": "unconfirmed", "message": message, "field": None}})

    def pay(route: Any) -> None:
        status["sessions"][0] |= {"state": "partly approved", "actions": []}
        route.fulfill(json={"state": "partly approved", "workers": ["W0001"]})

    page.route("**/api/v1/platform", lambda route: route.fulfill(json=status))
    page.route("**/api/v1/platform/bonuses", lambda route: route.fulfill(json={"bonuses": []}))
    page.route("**/api/v1/platform/reject", reject)
    page.route("**/api/v1/platform/pay-partly", pay)
    page.goto(f"{site.manager_url}#/platform")
    page.get_by_role("button", name="Approve 1 finished session …").click()
    expect(page.get_by_role("dialog")).to_contain_text("£1.44")
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Approve", exact=True).first.click()
    expect(page.get_by_role("dialog")).to_contain_text("The reward is paid: £1.44.")
    page.keyboard.press("Escape")

    # What was not done has its category; with anything else nobody refuses by what happens to come first.
    for worker, category in (("W0002", "NO_DATA"), ("W0001", "")):
        row = page.get_by_role("row").filter(has_text=worker)
        row.get_by_role("button", name="Reject …").click()
        expect(page.get_by_label("Category on the platform")).to_have_value(category)
        page.keyboard.press("Escape")

    row.get_by_role("button", name="Pay in part …").press("Enter")
    page.get_by_label("Per cent of the reward").fill("30")
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("W0001 is paid 30 % of the reward.")
    expect(row.get_by_role("link", name="W0001")).to_be_focused()
