"""What the dashboard shows of what workers said before their first set and wrote to the organisers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from steelyard.domain.entry import CampaignEntry, Consent, EntryQuestion, Remark, TrainingItem
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.entry_answers import answer_questions, give_consent, try_training
from steelyard.flows.links import add_workers
from steelyard.flows.open import open_campaign
from steelyard.flows.remarks import add_remark

ENTRY = CampaignEntry(
    Consent("We store what you answer."),
    (EntryQuestion("native", "Is English your first language?", "choice", ("Yes", "No")),),
    (TrainingItem(("Cats bark.",), "Another animal.", reference="Dogs bark.", expected=((0, 20),)),),
)
PROBLEM, COMMENT = "<b>The text is cut off</b>", "مرحبا"


@pytest.fixture(scope="module")
def site(small_site: Any) -> Any:
    """A campaign in which one worker has gone through everything and written twice."""
    site = small_site("da", title="What workers say", entry=ENTRY)
    now = datetime.now(UTC)
    with open_campaign(site.db) as campaign:
        [link] = add_workers(campaign, 1, base_url="", now=now)
        worker = link.worker_id
        give_consent(campaign, worker, agrees=True, revision=1, now=now)
        answer_questions(campaign, worker, {"native": "Yes"}, now=now)
        for rating in (90, 10):
            try_training(campaign, worker, 1, {"rating": rating}, now=now)
        taken = next_item(campaign, worker, now=now)
        assert isinstance(taken, NextItem)
        item = {"assignment_id": taken.assignment_id, "item_id": taken.item.item_id}
        add_remark(campaign, Remark(str(uuid4()), worker, "problem", PROBLEM, now, **item))
        add_remark(campaign, Remark(str(uuid4()), worker, "comment", COMMENT, now))
    return site, worker


def test_remarks_are_announced_listed_and_stand_with_their_worker(
    page: Page, site: Any, assert_accessible: Any
) -> None:
    served, worker = site
    page.goto(served.manager_url)
    attention = page.get_by_role("region", name="Needs attention")
    expect(attention).to_contain_text("2 remarks from workers in the last 24 hours.")
    attention.get_by_role("link", name="Read them").click()

    table = page.get_by_role("region", name="Table of remarks")
    expect(table.get_by_role("row")).to_have_count(3)
    problem = table.get_by_role("row").filter(has_text=PROBLEM)
    expect(problem).to_contain_text("H0001, item 1")
    expect(problem).to_contain_text("segment 1")
    page.get_by_label("Show").select_option(label="Comments (1)")
    expect(table.locator(".own-words")).to_have_text(COMMENT)
    assert_accessible(page)
    page.get_by_label("Show").select_option(index=0)
    problem.get_by_role("link", name=worker).click()

    before = page.get_by_role("region", name="Before the first set")
    expect(before).to_contain_text("agreed on")
    expect(before.locator("div", has_text="native").last).to_contain_text("Yes")
    expect(before).to_contain_text("1 text, 2 tries; 0 of 1 as expected at the first try")
    written = page.get_by_role("region", name="Remarks")
    expect(written.get_by_role("listitem")).to_have_count(2)
    expect(written).to_contain_text(PROBLEM)
    assert_accessible(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    page.get_by_role("button", name="Erase what points to them").click()
    page.get_by_role("dialog").get_by_role("button", name="Erase").click()
    expect(page.locator("#messages")).to_contain_text(f"What pointed to {worker} is erased.")
    expect(written).to_contain_text("Nothing was written.")
    expect(before).not_to_contain_text("native")
