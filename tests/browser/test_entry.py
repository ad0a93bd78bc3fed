"""What a worker goes through before the first set and after it: consent, questions, practice, thanks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from steelyard.domain.entry import CampaignEntry, Consent, EntryQuestion, Remark, TrainingItem
from steelyard.domain.running import Rules
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.remarks import campaign_remarks
from steelyard.store import running

PHONE = {"width": 390, "height": 844}
LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
CONSENT = Consent(
    f"We study translations, with the {LONG_WORD}.\n\nWe store what you answer.\nWrite to us: a@example.org"
)
OTHER_TEXT = "# What we store\n\nWe store\n- answers;\n- times.\n\n- names,\nof course"
QUESTIONS = (
    EntryQuestion("native", "Is English your first language?", "choice", ("Yes", "No"), accept=("Yes",)),
    EntryQuestion("reads", "What else do you read?", "choices", ("German", LONG_WORD), optional=True),
    EntryQuestion("years", "How many years have you translated?", "number", minimum=0, maximum=80),
    EntryQuestion("work", "What do you do for a living?", "text", optional=True),
)
TRAINING = (
    TrainingItem(
        ("Cats bark.",), "Another animal, another sound.", reference="Dogs bark.", expected=((0, 20),)
    ),
    TrainingItem(("Dogs bark.",), "Nothing is missing.", reference="Dogs bark.", expected=((80, 100),)),
)
ENTRY = CampaignEntry(CONSENT, QUESTIONS, TRAINING)
CODE, URL = "C1A2B3", "https://crowd.example/complete?cc=C1A2B3"
RULES = Rules(
    completion_code=CODE, completion_url=URL, tell_pay=True, pay_per_hit=2.5, currency="EUR", joins_per_hour=0
)


@pytest.fixture
def site(small_site: Any) -> Any:
    """A campaign with all that may come before the first set, and a code after it."""
    return small_site("da", title="From consent to thanks", entry=ENTRY, rules=RULES)


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


def expect_screen(page: Page, name: str) -> None:
    """A screen with this heading, which has the focus, and nothing of it outside the window of a phone."""
    expect(heading(page, name)).to_be_focused()
    before = page.viewport_size
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    page.set_viewport_size(before)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def answer_questions(page: Page, first: str = "Yes") -> None:
    page.get_by_label(first, exact=True).check()
    page.get_by_label("How many years").fill("3")
    button(page, "Continue").click()


def mark_line(page: Page) -> None:
    page.get_by_role("slider").press("Home")


def written(campaign: OpenCampaign, text: str) -> Remark:
    """The one remark with this text that the server has."""
    [found] = [each.remark for each in campaign_remarks(campaign).remarks if each.remark.text == text]
    return found


def without_network(context: BrowserContext, page: Page, act: Callable[[], None], said: str) -> None:
    """Do something while there is no network, read that, and get the network back."""
    context.set_offline(True)
    act()
    expect(page.get_by_role("status").filter(has_text=said)).to_be_visible()
    context.set_offline(False)


def test_the_keyboard_alone_leads_from_consent_to_the_completion_code(
    context: BrowserContext, page: Page, site: Any, heard: dict[str, list[Any]], assert_accessible: Any
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(site.join())

    expect_screen(page, "Before you begin")
    expect(page.locator(".prose p")).to_have_count(2)
    expect(page.locator("main")).to_contain_text("how straight the pointer moves")
    assert_accessible(page)
    press(page, "Tab", "Enter")

    expect_screen(page, "A few questions first")
    assert_accessible(page)
    press(page, "Tab", "Space", "Tab", "Space", "Tab", "Tab")
    page.keyboard.type("many")
    press(page, "Enter")
    years = page.get_by_label("How many years")
    expect(years).to_be_focused()
    expect(years).to_have_accessible_description("A number from 0 to 80 Please write a number in digits.")
    assert_accessible(page)
    years.fill("81")
    press(page, "Enter")
    expect(years).to_have_accessible_description(re.compile("within the range"))
    years.fill("2,5")
    press(page, "Enter")

    expect(heading(page, "Practice 1 of 2")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("slider").focus()
    press(page, "End", "Enter")
    expect_screen(page, "Higher than expected")
    expect(page.locator(".feedback")).to_contain_text("Another animal")
    expect(page.locator(".feedback")).to_contain_text("The dashed outline shows what was expected.")
    expect(page.locator(".feedback")).to_contain_text("The expected part of the line begins at")
    assert_accessible(page)
    press(page, "Tab", "Tab", "Enter")
    page.get_by_role("slider").focus()
    press(page, "Home", "Enter")
    expect_screen(page, "As expected")
    press(page, "Tab", "Enter")
    expect(heading(page, "Practice 2 of 2")).to_be_visible()
    page.get_by_role("slider").focus()
    press(page, "Home", "Enter")
    expect_screen(page, "Lower than expected")
    press(page, "Tab", "Enter")

    expect_screen(page, "From consent to thanks")
    expect(page.locator("main")).to_contain_text("A set pays €2.50.")
    press(page, "Tab", "Enter")
    for number in range(3):
        expect(page.locator(".progress-text")).to_have_text(f"{number} of 3 complete")
        page.get_by_role("slider").focus()
        press(page, "End", "Enter")

    expect_screen(page, "Thank you")
    main = page.locator("main")
    for words in ("Sets you have finished: 1", "Judgements you have given: 3", "You have earned €2.50", CODE):
        expect(main).to_contain_text(words)
    assert_accessible(page)
    # The way back comes first, since it carries the code.
    press(page, "Tab")
    link = page.get_by_role("link", name="Go back and finish")
    expect(link).to_be_focused()
    expect(link).to_have_attribute("href", URL)
    press(page, "Tab", "Enter")
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == CODE
    press(page, "Tab")
    page.keyboard.type("A fine set.")
    press(page, "Tab", "Enter")
    expect(page.get_by_text("Your comment has been sent.")).to_be_focused()
    assert heard["errors"] == []


def test_reloading_and_losing_the_network_lose_nothing(
    context: BrowserContext, page: Page, site: Any, campaign: OpenCampaign
) -> None:
    page.goto(site.join())
    expect(button(page, "I agree")).to_be_visible()
    without_network(context, page, button(page, "I agree").click, "The server is not responding")

    expect(heading(page, "A few questions first")).to_be_visible()
    page.get_by_label("Yes", exact=True).check()
    page.get_by_label(LONG_WORD).check()
    page.get_by_label("How many years").fill("3")
    page.get_by_label("What do you do").fill("I teach")
    page.reload()
    expect(page.get_by_label("Yes", exact=True)).to_be_checked()
    expect(page.get_by_label(LONG_WORD)).to_be_checked()
    expect(page.get_by_label("How many years")).to_have_value("3")
    expect(page.get_by_label("What do you do")).to_have_value("I teach")
    without_network(context, page, button(page, "Continue").click, "You are offline")

    expect(heading(page, "Practice 1 of 2")).to_be_visible()
    mark_line(page)
    page.reload()
    # The mark is still there.
    expect(button(page, "Check my answer")).to_be_enabled()
    without_network(context, page, button(page, "Check my answer").click, "You are offline")
    expect(heading(page, "As expected")).to_be_visible()
    page.reload()
    expect(heading(page, "Practice 2 of 2")).to_be_visible()
    mark_line(page)
    button(page, "Check my answer").click()
    button(page, "Continue").click()
    page.reload()
    button(page, "Start").click()
    mark_line(page)
    without_network(context, page, button(page, "Next").click, "You are offline")

    for number in (1, 2):
        expect(page.locator(".progress-text")).to_have_text(f"{number} of 3 complete")
        mark_line(page)
        button(page, "Next").click()
    box = page.get_by_label("Your comment")
    box.fill("All well")
    page.reload()
    expect(box).to_have_value("All well")
    without_network(context, page, button(page, "Send").click, "saved on this device")
    expect(page.get_by_text("Your comment has been sent.")).to_be_visible()
    page.reload()
    expect(heading(page, "Thank you")).to_be_visible()
    expect(page.locator("main")).to_contain_text(CODE)
    expect(box).to_have_value("")
    assert written(campaign, "All well").kind == "comment"


def test_declining_is_accepted_kindly_and_can_be_reconsidered(
    page: Page, site: Any, assert_accessible: Any
) -> None:
    page.goto(site.join())
    button(page, "I do not agree").click()

    expect_screen(page, "You have chosen not to take part")
    assert_accessible(page)
    page.reload()
    expect(heading(page, "You have chosen not to take part")).to_be_visible()
    button(page, "Read the text again").click()
    expect(page.locator("main")).not_to_contain_text("has changed")
    button(page, "I agree").click()
    expect(heading(page, "A few questions first")).to_be_visible()


def test_whoever_is_not_looked_for_is_thanked_and_blamed_for_nothing(
    page: Page, site: Any, assert_accessible: Any
) -> None:
    page.goto(site.join())
    button(page, "I agree").click()
    answer_questions(page, "No")

    expect_screen(page, "Thank you for your interest")
    assert_accessible(page)
    page.reload()
    expect(heading(page, "Thank you for your interest")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)


def test_a_question_that_the_server_refuses_is_marked_and_can_be_answered_again(
    page: Page, site: Any
) -> None:
    refusal = {"code": "invalid_answer", "message": "No.", "field": "years"}
    page.route("**/work/questions", lambda route: route.fulfill(status=422, json={"error": refusal}))
    page.goto(site.join())
    button(page, "I agree").click()
    button(page, "Continue").click()
    # The first of those without an answer; the choices are described as a group.
    expect(page.get_by_label("Yes", exact=True)).to_be_focused()
    expect(page.get_by_role("group", name="Is English")).to_have_accessible_description(
        "Please answer this question."
    )
    expect(page.get_by_text("need an answer: 2")).to_be_visible()
    answer_questions(page)

    years = page.get_by_label("How many years")
    expect(years).to_be_focused()
    expect(years).to_have_accessible_description(re.compile("Please check this answer"))
    page.unroute("**/work/questions")
    years.fill("4")
    expect(page.get_by_text("Please check this answer")).to_have_count(0)
    button(page, "Continue").click()
    expect(heading(page, "Practice 1 of 2")).to_be_visible()


def test_a_consent_text_that_changes_is_read_again_before_the_next_text(page: Page, small_site: Any) -> None:
    site = small_site("da", title="Texts that change", entry=CampaignEntry(CONSENT))
    page.goto(site.join())
    button(page, "I agree").click()
    button(page, "Start").click()
    expect(page.get_by_role("slider")).to_be_visible()
    with open_campaign(site.db) as campaign, campaign.store.write() as connection:
        latest = running.latest_revision(connection)
        changed = {**latest.presentation, "entry": CampaignEntry(Consent(OTHER_TEXT)).recorded}
        running.add_revision(connection, latest.title, changed, now=datetime.now(UTC), reason="clearer")

    mark_line(page)
    button(page, "Next").click()

    prose = page.locator(".prose")
    expect(prose.get_by_role("heading", level=2)).to_have_text("What we store")
    expect(prose.get_by_role("paragraph")).to_have_text(["We store"])
    expect(prose.get_by_role("listitem")).to_have_text(["answers;", "times.", "names, of course"])
    expect(page.locator("main")).to_contain_text("is new or has changed")
    button(page, "I agree").click()
    expect(page.locator(".progress-text")).to_have_text("1 of 3 complete")
    # The instructions are as they were.
    expect(page.locator("main")).not_to_contain_text("have been corrected")
    # Consent can be taken back at any time.
    button(page, "What you agreed to").click()
    button(page, "I do not agree").click()
    expect(heading(page, "You have chosen not to take part")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Judgements you have given: 1")


def test_whoever_wants_another_set_reads_at_once_what_comes_before_it(page: Page, site: Any) -> None:
    url = site.join()
    now = {**json.loads(site.call("GET", "/api/v1/work", url)), "n_judged": 3, "n_hits_done": 1}
    # The text changes after the page has asked.
    told = iter([{**now, "step": None}, {**now, "step": "consent"}])
    page.route("**/api/v1/work", lambda route: route.fulfill(json=next(told)))
    page.goto(url)
    button(page, "Start another set").click()

    button(page, "Start").click()

    expect_screen(page, "Before you begin")


def test_a_campaign_in_arabic_runs_from_right_to_left_on_every_screen(
    page: Page, small_site: Any, assert_accessible: Any
) -> None:
    questions = (
        EntryQuestion("native", "هل العربية لغتك الأولى؟", "choice", ("نعم", "لا"), accept=("نعم",)),
    )
    training = (TrainingItem(("الكلب ينام.",), "كل شيء موجود.", reference="الكلب نائم."),)
    entry = CampaignEntry(Consent("ندرس الترجمة.\n\nنحفظ إجاباتك."), questions, training)
    texts = (("Der Hund schläft.", "الكلب نائم.", "الكلب ينام."),)
    site = small_site("da", target_language="ar", instructions="ar", texts=texts, entry=entry, rules=RULES)
    page.set_viewport_size(PHONE)
    page.goto(site.join())

    def expect_mirrored() -> None:
        expect(page.locator("html")).to_have_attribute("dir", "rtl")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    expect(page.locator(".prose p").first).to_have_css("direction", "rtl")
    expect_mirrored()
    page.locator(".consent .actions .button").first.click()
    mark, words = page.locator(".question-choice input").first, page.locator(".question-choice span").first
    assert mark.bounding_box()["x"] > words.bounding_box()["x"]
    expect_mirrored()
    assert_accessible(page)
    mark.check()
    page.locator(".questions .button").click()
    for screen in (".practice", ".screen"):
        if screen == ".screen":
            page.locator(".intro .button").first.click()
        mark_line(page)
        expect_mirrored()
        page.locator("button.next").click()
        if screen == ".practice":
            expect(page.locator(".feedback-noted")).to_contain_text("كل شيء موجود.")
            expect_mirrored()
            page.locator(".feedback .button").first.click()
    expect(page.locator(".completion-code")).to_have_css("direction", "ltr")
    expect_mirrored()
    assert_accessible(page)


def test_numbers_are_read_as_people_type_them(scripts: Page) -> None:
    typed = ["12", " 2,5 ", "2.5", "-3", "−3", "٢٣", "१२", "1,000", "1.000,5", "twelve", ""]

    read = scripts.evaluate(
        """async (typed) => {
            const { readNumber } = await import("/static/numbers.js");
            return typed.map((text) => readNumber(text)).map((found) => (Number.isNaN(found) ? null : found));
        }""",
        typed,
    )

    assert read == [12, 2.5, 2.5, -3, -3, 23, 12, None, None, None, None]
