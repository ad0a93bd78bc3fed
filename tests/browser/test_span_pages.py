"""Pages on which errors are marked: whole documents, every protocol, mouse, touch and keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect

from steelyard.domain.campaign import DesignSettings
from steelyard.domain.entry import CampaignEntry, TrainingItem
from steelyard.domain.judgement import Span

Sites = Callable[..., Any]
Heard = dict[str, list[Any]]
Accessible = Callable[[Page], None]

# Source, reference, translation.
TEXTS = (
    ("Die Brücke ist alt.", "The bridge is old.", "The bridge is old already."),
    ("Zwei Pfeiler bewegen sich.", "Two pillars are moving.", "Two posts is moving themselves."),
    ("Man schließt sie bald.", "It will close soon.", "It will close 🌉 soon now."),
    ("Niemand weiß, wann.", "Nobody knows when.", "Nobody knows where."),
)
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    opened = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce")
    opened.set_default_timeout(15_000)
    yield opened.new_page()
    opened.close()


def site_of(small_site: Sites, protocol: str, *, documents: str = "aaab", **spans: Any) -> Any:
    presentation = {"context": "whole", **({"spans": spans} if spans else {})}
    return small_site(protocol, texts=TEXTS, documents=documents, presentation=presentation)


def begin(page: Page, url: str) -> None:
    page.goto(url)
    page.locator(".intro .actions button").click()
    expect(page.locator(".item .sheet").first).to_be_visible()


def go_on(page: Page) -> None:
    """Press the button of a finished item, and wait for the next one."""
    heading = page.locator("h1")
    before = heading.inner_text()
    page.locator(".next").click()
    expect(heading).not_to_have_text(before)


def word(page: Page, text: str, sheet: int = 0) -> Locator:
    """A word of a translation."""
    return page.locator(".sheet-target").nth(sheet).get_by_role("option", name=text, exact=True)


def mark(page: Page, first: str, last: str, sheet: int = 0) -> None:
    word(page, first, sheet).click()
    word(page, last, sheet).click()
    page.keyboard.press("Escape")


def rate(page: Page, share: float, line: int = 0) -> None:
    box = page.locator(".item .line:visible").nth(line).bounding_box()
    assert box
    page.mouse.click(box["x"] + share * box["width"], box["y"] + 1)


def answers(heard: Heard) -> list[dict[str, Any]]:
    sent = [each for each in heard["requests"] if each.url.endswith("/work/judgements")]
    return [each.post_data_json["answer"] for each in sent]


def places(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(each.get("start"), each.get("end"), each["severity"]) for each in answer["spans"]]


def assert_fits(page: Page) -> None:
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_whole_document_is_judged_with_the_mouse(
    page: Page, small_site: Sites, heard: Heard, assert_accessible: Accessible
) -> None:
    begin(page, site_of(small_site, "esa").join())
    button, missing = page.locator(".next"), page.locator(".missing")

    # The document is there from the start; how to go about it is above the first text, and takes little room.
    ahead = page.locator(".document-ahead .still-target .marked-text")
    expect(ahead).to_have_text([TEXTS[1][2], TEXTS[2][2]])
    expect(page.locator(".document-earlier")).to_have_count(0)
    guide = page.locator(".guide").bounding_box()
    assert guide
    assert guide["height"] < 800 / 3
    expect(button).to_be_disabled()
    expect(missing).to_have_text("Rate the translation on the line.")
    expect(page.locator(".line-handle")).to_be_hidden()
    assert_accessible(page)

    # A place that is pointed at shows in the source too.
    word(page, "already").hover()
    expect(page.locator(".sheet-source .markable-pointed")).to_have_count(1)
    page.locator(".sheet-source .markable-unit").first.hover()
    expect(page.locator(".sheet-target .markable-pointed")).to_have_text("The")

    mark(page, "already", "already")
    expect(page.locator(".sheet-target .sheet-count")).to_have_text("Errors marked: 1")
    rate(page, 0.9)
    expect(missing).to_be_hidden()
    go_on(page)

    # What was judged stands above, with its mark and its score; the instructions are a key away.
    earlier = page.locator(".document-earlier")
    expect(earlier.locator(".mark-painted")).to_have_text("already")
    expect(earlier.get_by_role("img", name=re.compile("just before|between"))).to_be_visible()
    expect(page.locator(".guide")).to_have_count(0)
    expect(page.locator(".item")).to_be_in_viewport(ratio=1)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("The whole document is in view")
    page.keyboard.press("F1")
    expect(page.get_by_role("dialog")).to_have_count(1)
    page.keyboard.press("Escape")

    # A low score without an error is asked about, once; marks can be undone; both survive a reload.
    rate(page, 0.3)
    button.click()
    expect(page.get_by_role("group", name="No errors marked?")).to_be_visible()
    expect(button).to_be_hidden()
    assert_accessible(page)
    page.get_by_role("button", name="Mark errors").click()
    undo = page.get_by_role("button", name="Undo (Translation)")
    mark(page, "posts", "posts")
    undo.press("Enter")
    expect(word(page, "posts")).to_be_focused()
    mark(page, "posts", "posts")
    mark(page, "is", "moving")
    undo.click()
    page.reload()
    page.locator(".intro .actions button").click()
    expect(page.locator(".sheet-target .sheet-count")).to_have_text("Errors marked: 1")
    expect(page.locator(".document-earlier .mark-painted")).to_have_text("already")
    go_on(page)

    # Another low score: "nothing to mark" sends it at once.
    rate(page, 0.3)
    button.click()
    before = page.locator("h1").inner_text()
    page.get_by_role("button", name="Nothing to mark, go on").click()
    expect(page.locator("h1")).not_to_have_text(before)
    # The next document begins with nothing around it.
    expect(page.locator(".document")).to_have_count(0)

    first, second, third = answers(heard)
    assert (places(first), first["rating"]) == ([(18, 25, "minor")], 90)
    assert (places(second), second["rating"]) == ([(4, 9, "minor")], 30)
    assert places(third) == []
    assert heard["errors"] == []


def test_the_keyboard_alone_is_enough_and_enter_marks_before_it_sends(
    page: Page, small_site: Sites, heard: Heard
) -> None:
    begin(page, site_of(small_site, "esa").join())
    press = page.keyboard.press

    # The text has the focus from the start.
    for key in ("ArrowRight", "Enter", "ArrowRight", "Enter", "2", "Escape"):
        press(key)
    expect(page.locator("h1")).to_have_text("Text 1 of 4")
    expect(page.locator(".sheet-target .sheet-count")).to_have_text("Errors marked: 1")
    # Digits rate only where the line has the focus.
    press("5")
    expect(page.locator(".line-handle")).to_be_hidden()
    slider = page.get_by_role("slider")
    while not slider.evaluate("line => line === document.activeElement"):
        press("Tab")
    press("5")
    press("Enter")
    expect(page.locator("h1")).to_have_text("Text 2 of 4")

    [answer] = answers(heard)
    assert (places(answer), answer["rating"]) == ([(4, 13, "major")], 45)
    assert heard["errors"] == []


def test_three_translations_stand_side_by_side_and_a_low_score_needs_an_error(
    page: Page, small_site: Sites, heard: Heard, assert_accessible: Accessible
) -> None:
    begin(page, site_of(small_site, "esa-contrastive").join())
    sheets, missing, button = (
        page.locator(".sheets > .sheet"),
        page.locator(".missing"),
        page.locator(".next"),
    )
    boxes = [sheets.nth(place).bounding_box() for place in range(3)]
    assert len({box["y"] for box in boxes if box}) == 1
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 1280 for box in boxes if box)
    assert_fits(page)
    expect(missing).to_have_text("Not rated yet: translation 1, 2, and 3")

    # What is pointed at in one shows in the others and in the source.
    word(page, "old", 1).hover()
    expect(sheets.nth(0).locator(".markable-pointed")).to_have_count(1)
    expect(sheets.nth(1).locator(".markable-pointed")).to_have_count(0)

    rate(page, 1, line=0)
    rate(page, 0.5, line=1)
    rate(page, 0.9, line=2)
    expect(sheets.nth(1).locator(".refusal")).to_contain_text("Please mark at least one error")
    expect(missing).to_have_text("With so low a rating an error must be marked: translation 2")
    expect(button).to_be_disabled()
    assert_accessible(page)
    mark(page, "bridge", "is", 1)
    expect(page.locator(".refusal:visible")).to_have_count(0)
    go_on(page)
    expect(page.locator(".document-earlier .recall-line")).to_have_count(3)
    expect(page.locator(".document-earlier .mark-painted").first).to_be_visible()

    [answer] = answers(heard)
    assert [one["rating"] for one in answer["translations"]] == [100, 50, 90]
    assert [places(one) for one in answer["translations"]] == [[], [(4, 13, "minor")], []]
    assert heard["errors"] == []


def test_a_translation_left_alone_is_judged_as_several_are(
    page: Page, small_site: Sites, heard: Heard
) -> None:
    design = DesignSettings(hit_size=4, n_translations=1)
    whole = {"context": "whole"}
    site = small_site("esa-contrastive", texts=TEXTS, documents="aaab", presentation=whole, design=design)
    begin(page, site.join())
    expect(page.locator(".sheets > .sheet")).to_have_count(1)
    expect(page.locator(".document-ahead .still-target .marked-text")).to_have_text(
        [TEXTS[1][2], TEXTS[2][2]]
    )
    mark(page, "already", "already")
    rate(page, 0.5)
    go_on(page)
    expect(page.locator(".document-earlier .mark-painted")).to_have_text("already")

    [answer] = answers(heard)
    [one] = answer["translations"]
    assert (places(one), one["rating"]) == ([(18, 25, "minor")], 50)
    assert heard["errors"] == []


def test_a_phone_shows_one_translation_at_a_time_below_its_source(phone: Page, small_site: Sites) -> None:
    begin(phone, site_of(small_site, "esa-contrastive").join())
    sheets, button = phone.locator(".sheets > .sheet:visible"), phone.locator(".next")
    tabs = phone.get_by_role("group", name="Translations").get_by_role("button")
    expect(sheets).to_have_count(1)
    expect(phone.locator(".document-ahead li").first.locator(".still-judged:visible")).to_have_count(1)
    assert_fits(phone)

    # The button leads through the translations, then on.
    for place in range(3):
        expect(tabs.nth(place)).to_have_attribute("aria-current", "true")
        line = sheets.get_by_role("slider")
        line.scroll_into_view_if_needed()
        expect(phone.locator(".pinned")).to_be_in_viewport(ratio=1)
        box = line.bounding_box()
        assert box
        phone.touchscreen.tap(box["x"] + box["width"] - 14, box["y"] + box["height"] / 2)
        expect(tabs.nth(place)).to_have_attribute("aria-label", f"Translation {place + 1}, done")
        expect(button).to_have_text("Next" if place == 2 else f"Go on to translation {place + 2}")
        if place < 2:
            button.tap()
    tabs.nth(1).tap()
    words = sheets.get_by_role("option")
    words.nth(1).tap()
    words.nth(2).tap()
    phone.get_by_role("radio", name="major").tap()
    phone.get_by_role("button", name="Close").tap()
    expect(sheets.locator(".sheet-count")).to_have_text("Errors marked: 1")
    assert_fits(phone)
    go_on(phone)
    expect(phone.locator(".document-earlier .still-judged:visible")).to_have_count(1)
    assert_fits(phone)


def test_categories_are_asked_for_and_one_mark_stands_for_no_translation_at_all(
    page: Page, small_site: Sites, heard: Heard, assert_accessible: Accessible
) -> None:
    begin(page, site_of(small_site, "mqm").join())
    button, missing = page.locator(".next"), page.locator(".missing")

    # Nothing to mark is an answer, and the button says so.
    expect(button).to_have_text("No errors, next")
    go_on(page)

    word(page, "posts").click()
    word(page, "posts").click()
    expect(missing).to_have_text("Choose a category for each error.")
    expect(button).to_be_disabled()
    page.get_by_role("radio", name="Accuracy").click()
    page.get_by_role("radio", name="Mistranslation").click()
    page.keyboard.press("Escape")
    expect(button).to_have_text("Next")
    # The source can be marked too.
    source = page.locator(".sheet-source").get_by_role("option")
    source.nth(1).click()
    source.nth(1).click()
    page.get_by_role("radio", name="Error in the original").click()
    page.keyboard.press("Escape")
    assert_accessible(page)
    go_on(page)

    mark_all = page.get_by_role("button", name="No translation at all")
    word(page, "now").click()
    word(page, "now").click()
    page.get_by_role("radio", name="Other").click()
    page.keyboard.press("Escape")
    mark_all.click()
    expect(mark_all).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".sheet-target .sheet-count")).to_have_text("Errors marked: 1")
    # Taken back, the others are there again.
    mark_all.click()
    expect(word(page, "now, minor, Other")).to_be_visible()
    mark_all.click()
    go_on(page)

    nothing, some, whole = answers(heard)
    assert nothing == {"spans": []}
    assert [(each.get("side"), each["category"]) for each in some["spans"]] == [
        ("source", "source issue"),
        (None, "accuracy/mistranslation"),
    ]
    # The bridge is one character, though browsers count it twice.
    assert places(whole) == [(0, len(TEXTS[2][2]), "major")]
    assert heard["errors"] == []


def test_errors_marked_beforehand_are_kept_changed_or_removed(
    phone: Page, small_site: Sites, assert_accessible: Accessible
) -> None:
    given = [(0, 3, "minor"), (4, 10, "major"), (11, 13, "minor"), (14, 17, "minor")]
    sent: list[Request] = []
    phone.on("request", lambda each: sent.append(each) if each.url.endswith("/work/judgements") else None)
    spans = tuple(Span(0, *each) for each in given)
    begin(phone, small_site("esa-ai", texts=TEXTS, prefilled={"1": spans}).join())
    rows, button = phone.locator(".prefilled"), phone.locator(".next")
    expect(rows).to_have_count(4)
    rate(phone, 0.5)
    expect(button).to_have_text("Keep the remaining 4, and go on")
    rows.nth(0).get_by_role("button", name="Keep").tap()
    rows.nth(1).get_by_role("button", name="Remove").tap()
    word(phone, "is, minor").tap()
    phone.get_by_role("radio", name="major").tap()
    phone.get_by_role("button", name="Close").tap()
    expect(phone.locator(".prefilled-state")).to_have_text(["kept", "removed", "changed", ""])
    expect(button).to_have_text("Keep the remaining one, and go on")
    assert_fits(phone)
    assert_accessible(phone)
    # What has been done so far survives a reload.
    phone.reload()
    phone.locator(".intro .actions button").click()
    expect(phone.locator(".prefilled-state")).to_have_text(["kept", "removed", "changed", ""])
    go_on(phone)

    [judgement] = sent
    marks = judgement.post_data_json["answer"]["spans"]
    said = [(each["prefilled"], each["severity"], "at_ms" in each) for each in marks]
    assert said == [(0, "minor", True), (2, "major", True), (3, "minor", False)]


def test_more_marked_beforehand_than_allowed_is_said_and_the_list_knows_both_texts(
    page: Page, small_site: Sites, heard: Heard
) -> None:
    given = (Span(0, 0, 3, "minor"), Span(0, 4, 10, "major"), Span(0, 4, 10, "minor", side="source"))
    marking = {"context": "whole", "spans": {"most": 2, "source": True}}
    begin(page, small_site("esa-ai", texts=TEXTS, prefilled={"1": given}, presentation=marking).join())
    rows, button = page.locator(".prefilled"), page.locator(".next")
    expect(page.locator(".prefilled-text")).to_have_text(["The", "bridge", "Brücke"])
    rate(page, 0.5)
    expect(page.locator(".missing")).to_have_text("At most 2 errors can be marked here.")
    expect(button).to_be_disabled()

    # The focus stays in the list, whatever goes away under it.
    rows.nth(1).get_by_role("button", name="Remove").focus()
    page.keyboard.press("Enter")
    expect(rows.nth(2).get_by_role("button", name="Keep")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".prefilled-state")).to_have_text(["", "removed", "kept"])
    expect(rows.nth(2).get_by_role("button", name="Remove")).to_be_focused()
    # Both texts together are full: neither takes another mark.
    for sheet in (".sheet-source", ".sheet-target"):
        page.locator(sheet).get_by_role("option").last.click()
        expect(page.locator(sheet).locator(".markable-note")).to_have_text(
            "At most 2 errors can be marked here."
        )
    go_on(page)

    [answer] = answers(heard)
    assert [each["prefilled"] for each in answer["spans"]] == [2, 0]


def test_practice_shows_the_errors_and_the_score_that_were_expected(
    page: Page, small_site: Sites, heard: Heard, assert_accessible: Accessible
) -> None:
    training = TrainingItem(
        (TEXTS[1][2],),
        "A post is no pillar.",
        TEXTS[1][0],
        expected=((20, 60),),
        spans=((Span(0, 4, 9, "major"), Span(0, 10, 12, "minor")),),
    )
    page.goto(small_site("esa", entry=CampaignEntry(training=(training,))).join())
    button = page.get_by_role("button", name="Check my answer")
    expect(button).to_be_disabled()
    mark(page, "posts", "posts")
    mark(page, "themselves", "themselves")
    rate(page, 0.4)
    button.click()

    feedback = page.locator(".feedback")
    expect(feedback).to_contain_text("A post is no pillar.")
    expect(feedback).to_contain_text("Lines above the words show the errors that were expected.")
    expect(feedback).to_contain_text("Of these you marked: 1 of 2. Marked elsewhere: 1.")
    expect(page.locator(".line-expected")).to_be_visible()
    assert "Expected error 2 of 2: minor, “is”" in page.locator(".sheet-target").inner_text()
    assert_accessible(page)
    assert heard["errors"] == []


def test_long_texts_from_right_to_left_leave_the_answers_in_view_on_a_phone(
    phone: Page, small_site: Sites, assert_accessible: Accessible
) -> None:
    texts = (("Der Rat tagt. " * 60, "", "اجتمع المجلس يوم الثلاثاء. " * 60), ("Ende.", "", "النهاية."))
    presentation = {"context": "whole"}
    site = small_site("esa", texts=texts, documents="aa", target_language="ar", presentation=presentation)
    begin(phone, site.join())
    panel, source = phone.locator(".marking-panel"), phone.locator(".sheet-source")
    phone.mouse.wheel(0, 900)
    phone.wait_for_function("scrollY > 500")
    expect(panel).to_be_in_viewport(ratio=1)
    expect(source).to_be_in_viewport(ratio=1)
    heights = [each.evaluate("part => part.offsetHeight") for each in (panel, source)]
    # There is room for the translation between them.
    assert sum(heights) < 0.7 * PHONE["height"]
    assert_fits(phone)
    # The line is mirrored: its right end is the low one.
    rate(phone, 0.9)
    expect(phone.get_by_role("slider")).to_have_attribute("aria-valuenow", "10")
    assert_accessible(phone)
