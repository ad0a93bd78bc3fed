"""Managers of each role at the dashboard: owners add others, viewers see no button that would be refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from steelyard.domain.people import Person
from steelyard.flows.managers import add_managers, managers
from steelyard.flows.open import open_campaign

TABS = ("overview", "ranking", "workers", "workers/W0001", "hits", "people", "payments", "settings")
REFUSED = (
    "Pause",
    "Close",
    "Release",
    "Exclude",
    "Block",
    "Save",
    "Correct",
    "Add",
    "backup",
    "Renew",
    "Copy",
)


def link_of(site, role: str) -> str:
    """The dashboard of a manager of this role, who is added now."""
    with open_campaign(site.db) as campaign:
        add_managers(campaign, [Person(f"A {role}")], role, by="command line", now=datetime.now(UTC))
        return managers(campaign, base_url=site.base_url)[-1].url


def test_an_owner_adds_a_manager_changes_the_role_and_revokes(page, small_site, assert_accessible) -> None:
    site = small_site("da", title="Managers are added")
    page.goto(f"{site.manager_url}#/settings")
    card = page.get_by_role("region", name="Managers")
    card.get_by_label("Name").fill("Ann Example")
    card.get_by_label("E-mail").fill("ann@example.org")
    card.get_by_role("button", name="Add a manager").click()
    page.get_by_role("dialog").get_by_role("button", name="Add").click()

    row = card.get_by_role("listitem").filter(has_text="Ann Example")
    expect(row).to_contain_text("M01")
    expect(row).to_contain_text("viewer")
    assert_accessible(page)
    row.get_by_role("button", name="Role").click()
    page.get_by_role("dialog").get_by_label("Role").select_option("manager")
    page.get_by_role("dialog").get_by_role("button", name="Change").click()
    expect(row).to_contain_text("manager")
    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(row).to_contain_text("revoked")
    expect(row.get_by_role("button")).to_have_count(1)


def test_a_viewer_sees_nothing_that_would_be_refused(page, small_site, assert_accessible) -> None:
    site = small_site("da", title="Viewers look")
    site.join()
    refused = []
    page.on("response", lambda reply: refused.append(reply.url) if reply.status in (401, 403) else None)
    url = link_of(site, "viewer")

    pressed: list[str] = []
    for tab in TABS:
        page.goto(f"{url}#/{tab}")
        expect(page.locator("#about")).not_to_be_empty()
        page.wait_for_load_state("networkidle")
        pressed += page.locator("#main button:visible, .masthead button:visible").all_inner_texts()
        if tab in ("overview", "settings"):
            assert_accessible(page)
    assert refused == []
    assert "Download CSV" in pressed
    assert [name for name in pressed if any(word in name for word in REFUSED)] == []
    expect(page.get_by_role("link", name="People")).to_have_count(0)


@pytest.mark.parametrize("role", ["manager", "owner"])
def test_the_campaigns_own_link_is_shown_to_owners_only(page, small_site, role) -> None:
    site = small_site("da", title="Links of each role")
    page.goto(f"{link_of(site, role)}#/people")
    expect(page.get_by_role("heading", name="Open link")).to_be_visible()

    expect(page.get_by_role("heading", name="Manager’s link")).to_have_count(int(role == "owner"))


def test_the_log_says_which_manager_it_was(page, small_site) -> None:
    site = small_site("da", title="Who did it")
    page.goto(link_of(site, "manager"))
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("dialog").get_by_role("button", name="Pause").click()
    page.goto(f"{page.url.partition('#')[0]}#/settings")

    expect(page.get_by_role("region", name="Log").get_by_role("listitem").first).to_contain_text(
        "by A manager (M01)"
    )
