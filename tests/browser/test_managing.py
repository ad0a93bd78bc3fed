"""A manager at work on the dashboard, in a real browser: every action asks, does it, and says so."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from steelyard.flows.analyse import analyse
from steelyard.flows.open import open_campaign
from steelyard.flows.settings import settings_from
from steelyard.flows.source import from_campaign


def asked(page: Page, title: str) -> Locator:
    """The dialog that asks."""
    return page.get_by_role("dialog", name=title)


def told(page: Page) -> Locator:
    """What the page says has happened."""
    return page.locator("#messages")


def campaign_of(site: Any) -> dict[str, Any]:
    return json.loads(site.call("GET", "/api/v1/campaign", site.manager_url))


def test_a_campaign_is_paused_with_a_reason_and_resumed_by_undo(page, small_site) -> None:
    # Not the lively one: after a pause nobody there would be idle.
    site = small_site("da", title="Paused and resumed")
    page.goto(site.manager_url)

    page.get_by_role("button", name="Pause").click()
    dialog = asked(page, "Pause the campaign?")
    dialog.get_by_label("Reason").fill("lunch")
    dialog.get_by_role("button", name="Pause").click()

    expect(told(page)).to_contain_text("The campaign is paused.")
    expect(page.locator("#about")).to_contain_text("Paused")
    assert campaign_of(site)["campaign"]["state"] == "paused"
    told(page).get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert campaign_of(site)["campaign"]["state"] == "open"


def test_an_idle_hit_is_released_with_the_keyboard_alone(page, lively_site) -> None:
    page.goto(lively_site.manager_url)
    rows = page.locator(".plain-list li")
    expect(rows).to_have_count(3)
    expect(page.get_by_role("button", name="Release all 3")).to_be_visible()

    for _ in range(40):
        page.keyboard.press("Tab")
        if (page.locator(":focus").get_attribute("aria-label") or "").startswith("Release "):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.type("gone home")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(told(page)).to_contain_text("is free again")
    expect(rows).to_have_count(2)
    assert campaign_of(lively_site)["progress"]["places"]["idle"] == 2


def test_escape_changes_nothing_and_gives_focus_back(page, lively_site) -> None:
    page.goto(lively_site.manager_url)
    page.get_by_role("button", name="Close").click()
    expect(asked(page, "Close the campaign?")).to_be_visible()

    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Close")).to_be_focused()
    assert campaign_of(lively_site)["campaign"]["state"] == "open"


def test_a_refusal_is_shown_and_nothing_typed_is_lost(page, lively_site) -> None:
    error = {"error": {"code": "conflict", "message": "Somebody was quicker.", "field": None}}
    page.route("**/api/v1/state", lambda route: route.fulfill(status=409, json=error))
    page.goto(lively_site.manager_url)
    page.get_by_role("button", name="Pause").click()
    dialog = asked(page, "Pause the campaign?")
    dialog.get_by_label("Reason").fill("a long reason")

    dialog.get_by_role("button", name="Pause").click()

    expect(dialog.get_by_role("alert")).to_have_text("Somebody was quicker.")
    expect(dialog.get_by_label("Reason")).to_have_value("a long reason")


def test_a_worker_is_excluded_with_a_reason_and_counts_again_by_undo(page, lively_site) -> None:
    page.goto(f"{lively_site.manager_url}#/workers/W0002")
    expect(page.get_by_role("heading", name="Worker W0002")).to_be_visible()

    page.get_by_role("button", name="Exclude W0002", exact=True).click()
    dialog = asked(page, "Exclude W0002?")
    dialog.get_by_role("button", name="Exclude").click()
    # Not without a reason.
    expect(dialog).to_be_visible()
    dialog.get_by_label("Reason").fill("marks the middle of every line")
    dialog.get_by_role("button", name="Exclude").click()

    expect(page.locator(".excluded-reason")).to_contain_text("marks the middle of every line")
    assert [worker["is_excluded"] for worker in campaign_of(lively_site)["progress"]["workers"]][1]
    told(page).get_by_role("button", name="Undo").click()
    expect(page.locator(".excluded-reason")).to_have_count(0)
    expect(page.get_by_role("region", name="Log", exact=True)).to_contain_text("reinstate")


def test_control_pairs_stand_side_by_side_and_show_where_they_differ(page, lively_site) -> None:
    page.goto(f"{lively_site.manager_url}#/workers/W0001")

    pair = page.locator(".pair", has_text="Damaged copy").first

    expect(pair.locator(".pair-texts > div")).to_have_count(2)
    original, damaged = pair.locator("mark").all_inner_texts()
    assert original != damaged
    expect(page.get_by_role("img", name="50 ratings")).to_be_visible()


def test_a_renewed_link_replaces_the_old_one(page, lively_site) -> None:
    page.goto(f"{lively_site.manager_url}#/people")
    row = page.locator("tbody tr", has_text="W0009")
    old = row.locator("code").inner_text()

    page.get_by_role("button", name="Renew the link of W0009").click()
    asked(page, "Renew the link of W0009?").get_by_role("button", name="Renew").click()

    expect(told(page)).to_contain_text("W0009 has a new link.")
    expect(row.locator("code")).not_to_have_text(old)
    new = row.locator("code").inner_text()
    assert [page.request.get(url).status for url in (old, new)] == [404, 200]


def test_people_are_added_from_a_pasted_list(page, lively_site) -> None:
    page.goto(f"{lively_site.manager_url}#/people")

    page.get_by_label("Names and e-mail addresses").fill("Ada Lovelace <ada@example.org>\n\nAlan Turing\n")
    page.get_by_role("button", name="Add these people").click()
    asked(page, "Add 2 links?").get_by_role("button", name="Add these people").click()

    expect(page.locator("tbody tr", has_text="ada@example.org")).to_contain_text("Ada Lovelace")
    expect(page.locator("tbody tr", has_text="Alan Turing")).to_be_visible()
    expect(page.get_by_label("Names and e-mail addresses")).to_have_value("")


def test_payments_are_downloaded_without_names(page, lively_site) -> None:
    page.goto(f"{lively_site.manager_url}#/payments")
    expect(page.locator("tbody tr", has_text="W0001")).to_contain_text("$3.00")

    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()

    header, first, *_ = download.value.path().read_text("utf-8").splitlines()
    assert download.value.suggested_filename == "demo-de-en.payments.csv"
    assert "name" not in header.split(",")
    assert first.startswith("W0001")


def test_the_title_is_corrected_in_a_new_revision(page, lively_site) -> None:
    page.goto(f"{lively_site.manager_url}#/settings")
    title = page.get_by_label("Title", exact=True)
    expect(title).not_to_have_value("")

    title.fill("Which says it best?")
    page.get_by_role("button", name="Correct").click()
    dialog = asked(page, "Correct the title?")
    dialog.get_by_label("Reason").fill("a slip")
    dialog.get_by_role("button", name="Correct").click()

    expect(page.get_by_role("heading", name="Which says it best?", level=1)).to_be_visible()
    expect(page.locator("details summary").first).to_contain_text("Revision 2")
    expect(page.locator("details summary").first).to_contain_text("a slip")


def test_the_ranking_by_another_method_is_that_of_analyse(page, lively_site) -> None:
    with open_campaign(lively_site.db) as campaign:
        source = from_campaign(campaign)
    found = analyse(source, settings_from(source, method="mean-rating", check="none"))
    expected = [f"{row['score']:.3f}" for row in found.systems.to_dicts()]

    page.goto(f"{lively_site.manager_url}#/ranking")
    page.get_by_label("Method").select_option("mean-rating")
    page.get_by_label("Check of workers").select_option("none")

    expect(page.locator(".signature")).to_have_text(found.signature)
    expect(page.locator(".ranking td[data-label=Score]")).to_have_text(expected)
    assert page.url.endswith("#/ranking?method=mean-rating&check=none")
