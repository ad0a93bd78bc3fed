"""What a worker sees when a set is lost, returned or finished, and when the campaign is not open."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import update

from steelyard.domain.running import CampaignState, Rules
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.release import hit_places, release
from steelyard.store import running, tables, work

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def site(small_site: Any) -> Any:
    """A campaign of one HIT with three texts, which other files of tests leave alone."""
    return small_site("da", title="Sets that come and go")


@pytest.fixture
def campaign(site: Any) -> Iterator[OpenCampaign]:
    """The same campaign for its manager; afterwards it is open and under the usual rules again."""
    with open_campaign(site.db) as opened:
        yield opened
        with opened.store.write() as connection:
            running.set_state(connection, CampaignState.OPEN)
            running.set_rules(connection, Rules())


def set_state(campaign: OpenCampaign, state: str) -> None:
    with campaign.store.write() as connection:
        running.set_state(connection, CampaignState(state))


def begin(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("button", name=re.compile("^(Start|Continue)$")).click()
    expect(page.get_by_role("slider")).to_be_visible()


def answer(page: Page) -> None:
    page.get_by_role("slider").press("ArrowRight")
    page.get_by_role("slider").press("Enter")


def expect_done(page: Page, n_done: int) -> None:
    expect(page.locator(".progress-text")).to_have_text(f"{n_done} of 3 complete")


def open_assignment(campaign: OpenCampaign) -> str:
    """The assignment that was begun last."""
    [hit] = hit_places(campaign, now=datetime.now(UTC))
    latest = max((place for place in hit.places if place.state == "open"), key=lambda place: place.since)
    return latest.assignment_id


def fill_free_places(campaign: OpenCampaign) -> None:
    """Nobody else can begin the HIT from here on."""
    now = datetime.now(UTC)
    with campaign.store.write() as connection:
        taken: object = True
        while taken is not None:
            worker = work.add_worker(connection, now=now)
            taken = work.claim_opening(connection, worker.worker_id, assignment_id=str(uuid.uuid4()), now=now)


def test_an_answer_during_a_pause_is_kept_and_arrives_when_the_campaign_goes_on(
    context: BrowserContext, page: Page, site: Any, campaign: OpenCampaign
) -> None:
    url = site.join()
    begin(page, url)
    set_state(campaign, "paused")

    answer(page)
    expect(page.get_by_role("status")).to_contain_text("The campaign is paused. Your answer is saved")
    # Given back now, the set would take the answer with it.
    expect(page.locator(".aside")).to_have_attribute("inert", "")
    newcomer = context.new_page()
    newcomer.clock.install()
    newcomer.goto(site.join())
    expect(newcomer.get_by_role("heading", name="The campaign is paused")).to_be_visible()
    set_state(campaign, "open")
    page.get_by_role("button", name="Try again now").click()
    # A page that waits asks again by itself.
    newcomer.clock.fast_forward(61_000)

    expect_done(page, 1)
    expect(newcomer.get_by_role("button", name="Start")).to_be_visible()
    assert site.n_done(url) == 1


def test_whoever_writes_to_us_during_a_pause_is_not_disturbed(
    page: Page, site: Any, campaign: OpenCampaign
) -> None:
    begin(page, site.join())
    answer(page)
    expect_done(page, 1)
    set_state(campaign, "paused")
    page.clock.install()
    page.reload()
    page.get_by_role("textbox").press_sequentially("Half a ")

    with page.expect_response("**/api/v1/work"):
        page.clock.fast_forward(61_000)
    page.keyboard.type("word")

    expect(page.get_by_role("textbox")).to_have_value("Half a word")
    set_state(campaign, "open")
    # It goes on asking.
    page.clock.fast_forward(61_000)
    expect(page.get_by_role("button", name="Continue")).to_be_visible()


@pytest.mark.parametrize(
    ("state", "title"), [("closed", "The campaign has ended"), ("draft", "Not open yet")]
)
def test_a_campaign_that_is_not_open_says_so_kindly(
    page: Page, site: Any, campaign: OpenCampaign, state: str, title: str
) -> None:
    url = site.join()
    set_state(campaign, state)

    page.goto(url)

    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(page.get_by_role("button", name="Start")).to_have_count(0)


def test_an_answer_to_a_closed_campaign_is_kept_until_it_is_opened_again(
    page: Page, site: Any, campaign: OpenCampaign
) -> None:
    url = site.join()
    begin(page, url)
    set_state(campaign, "closed")
    answer(page)
    expect(page.get_by_role("heading", name="The campaign has ended")).to_be_visible()
    set_state(campaign, "open")

    page.reload()

    expect_done(page, 1)
    assert site.n_done(url) == 1


def test_a_set_is_returned_with_the_keyboard_alone_after_a_question(
    context: BrowserContext, page: Page, site: Any, campaign: OpenCampaign, assert_accessible: Any
) -> None:
    url = site.join()
    begin(page, url)
    answer(page)
    expect_done(page, 1)
    other = context.new_page()
    begin(other, url)
    link = page.get_by_role("button", name="Return this set")
    dialog = page.get_by_role("dialog", name="Return this set?")

    link.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    assert_accessible(page)
    page.set_viewport_size(PHONE)
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="You have returned the set")).to_be_visible()
    # The other device does not take another set by itself.
    answer(other)
    expect(other.get_by_role("slider")).to_have_count(0)
    expect(other.get_by_role("heading", name="Thank you")).to_be_visible()
    [hit] = hit_places(campaign, now=datetime.now(UTC))
    assert [place.n_done for place in hit.released if place.state == "returned"] == [1]


def test_corrected_instructions_are_shown_before_the_worker_goes_on(
    page: Page, site: Any, campaign: OpenCampaign, heard: dict[str, list[Any]], assert_accessible: Any
) -> None:
    begin(page, site.join())
    with campaign.store.write() as connection:
        latest = running.latest_revision(connection)
        running.add_revision(
            connection, "A better title", latest.presentation, now=datetime.now(UTC), reason="clearer"
        )

    answer(page)

    expect(page.get_by_role("heading", name="A better title")).to_be_visible()
    expect(page.locator("main")).to_contain_text("The instructions have been corrected")
    assert_accessible(page)
    expect_done(page, 1)
    page.get_by_role("button", name="Continue").click()
    answer(page)
    expect_done(page, 2)
    sent = [each.post_data_json for each in heard["requests"] if each.url.endswith("/work/judgements")]
    assert [each["revision"] for each in sent] == [latest.revision, latest.revision + 1]
    page.reload()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    expect(page.locator("main")).not_to_contain_text("have been corrected")


def test_a_finished_worker_who_comes_back_is_thanked_for_what_they_did(
    page: Page, site: Any, campaign: OpenCampaign
) -> None:
    url = site.join()
    begin(page, url)
    for number in range(3):
        expect_done(page, number)
        answer(page)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()

    page.goto(url)

    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Sets you have finished: 1")
    expect(page.locator("main")).to_contain_text("Judgements you have given: 3")
    expect(page.locator(".progress")).to_be_hidden()


def test_who_has_judged_as_many_sets_as_one_may_is_thanked(
    page: Page, site: Any, campaign: OpenCampaign
) -> None:
    url = site.join()
    begin(page, url)
    with campaign.store.write() as connection:
        running.set_rules(connection, Rules(hits_per_worker=1))
    for number in range(3):
        expect_done(page, number)
        answer(page)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()

    page.reload()

    expect(page.locator("main")).to_contain_text("as many sets as one person may")


def test_a_blocked_worker_reads_that_there_is_no_more_work(
    page: Page, site: Any, campaign: OpenCampaign
) -> None:
    begin(page, site.join())
    assignment_id = open_assignment(campaign)
    [released] = release(campaign, [assignment_id], by="manager", now=datetime.now(UTC))
    stored = tables.workers
    with campaign.store.write() as connection:
        own = stored.c.worker_id == released.assignment.worker_id
        connection.execute(update(stored).where(own).values(is_blocked=True))

    answer(page)

    expect(page.get_by_role("heading", name="No further sets for you")).to_be_visible()


def test_a_set_that_went_to_somebody_else_is_explained_and_what_was_done_is_kept(
    context: BrowserContext, page: Page, small_site: Any, assert_accessible: Any
) -> None:
    site = small_site("da", title="One place after another")
    with open_campaign(site.db) as campaign:
        begin(page, site.join())
        answer(page)
        expect_done(page, 1)
        release(campaign, [open_assignment(campaign)], by="manager", now=datetime.now(UTC))
        other = context.new_page()
        begin(other, site.join())
        fill_free_places(campaign)

        answer(page)

        expect(page.get_by_role("heading", name="This set went to somebody else")).to_be_visible()
        expect(page.locator("main")).to_contain_text("Judgements you have given: 1")
        assert_accessible(page)
        page.set_viewport_size(PHONE)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        # The place comes free once more: whoever comes back goes on where they stopped.
        other.get_by_role("button", name="Return this set").click()
        other.get_by_role("button", name="Return it").click()
        expect(other.get_by_role("heading", name="You have returned the set")).to_be_visible()
        page.reload()
        page.get_by_role("button", name="Continue").click()
        expect_done(page, 1)
