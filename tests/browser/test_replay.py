"""The worker's page as a folder: opened from the disk, it goes from consent to thanks without any network."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.browser.test_entry import ENTRY, RULES
from tests.browser.test_media import PICTURE, SOUND, png, wav
from tests.browser.test_media import TEXTS as MEDIA_TEXTS

from steelyard.domain.entry import CampaignEntry, Consent
from steelyard.domain.judgement import Span
from steelyard.flows.open import open_campaign
from steelyard.protocols import protocols
from steelyard.web.replay import replay_writer, write_replay

Heard = dict[str, list[Any]]
ARABIC = (
    ("The harbour is closed.", "الميناء مغلق بسبب الضباب.", "الميناء مغلق."),
    ("It is raining.", "إنها تمطر.", "تمطر."),
)


def replay_of(db: str, folder: Path, **changes: Any) -> str:
    """The address of a replay of the campaign in a database."""
    with open_campaign(db) as campaign:
        write_replay(campaign, folder, made_on=date(2026, 1, 31), **changes)
    return (folder / "index.html").as_uri()


def answer(page: Page) -> None:
    """Answer whatever the item asks for, and go on."""
    expect(page.locator(".next")).to_be_visible()
    heading = page.locator("h1")
    before = heading.inner_text()
    # The good end of a line: a low rating may ask for an error first.
    share = 0.05 if page.locator("html").get_attribute("dir") == "rtl" else 0.95
    lines = page.locator(".item .line:visible")
    for number in range(lines.count()):
        lines.nth(number).scroll_into_view_if_needed()
        box = lines.nth(number).bounding_box()
        assert box
        page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    if not lines.count() and page.locator(".item .choice").count():
        page.locator(".item .choice").first.click()
    page.locator(".next").click()
    expect(heading).not_to_have_text(before)


def assert_alone(heard: Heard, *files: str) -> None:
    """Nothing was asked for but the page and these files of its folder, and nothing went wrong."""
    asked = [request.url for request in heard["requests"] if not request.url.startswith("data:")]
    assert asked[0].startswith("file:///")
    folder = asked[0].rpartition("/")[0]
    assert set(asked) == {asked[0], *(f"{folder}/{name}" for name in files)}
    assert heard["errors"] == []


@pytest.mark.parametrize("protocol", protocols())
def test_every_protocol_goes_from_consent_to_thanks_without_a_server(
    page: Page, small_database: Callable[..., str], heard: Heard, tmp_path: Path, protocol: str
) -> None:
    marking = {"context": "whole"} if "spans" in protocols()[protocol].gives else {}
    prefilled = {"1": [Span(0, 4, 7, "minor")]} if protocols()[protocol].prefills else {}
    entry = CampaignEntry(Consent("We store what you answer."))
    db = small_database(protocol, entry=entry, documents="aab", presentation=marking, prefilled=prefilled)

    page.goto(replay_of(db, tmp_path / "replay", most_items=2))
    expect(page.get_by_role("heading", name="A small campaign")).to_be_hidden()
    page.get_by_role("button", name="I agree", exact=True).click()
    expect(page.locator(".intro h1")).to_have_text("A small campaign")
    page.locator(".intro .actions button").click()
    expect(page.locator(".item")).to_contain_text("The dog sleeps.")
    if marking:
        # The third text is of another document, and not in this copy.
        expect(page.locator(".document-ahead li")).to_have_count(1)
    answer(page)
    expect(page.locator(".item")).to_contain_text("It rains since days.")
    if marking:
        expect(page.locator(".document-earlier")).to_contain_text("The dog sleeps.")
    answer(page)

    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    # As workers saw it: their set had a third item.
    expect(page.locator(".record")).to_contain_text("3")
    assert "She laughs loudly." not in page.content()
    assert_alone(heard)


def test_what_comes_before_the_first_set_is_shown_and_nobody_is_turned_away(
    page: Page,
    small_database: Callable[..., str],
    heard: Heard,
    tmp_path: Path,
    assert_accessible: Callable[[Page], None],
) -> None:
    db = small_database("da", entry=ENTRY, rules=RULES)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(replay_of(db, tmp_path / "replay", most_items=0))

    page.get_by_role("button", name="I do not agree").click()
    page.get_by_role("button", name="Read the text again").click()
    page.get_by_role("button", name="I agree", exact=True).click()
    # Workers who answer this go no further.
    page.get_by_label("No", exact=True).check()
    page.locator("input[inputmode], input[type=number]").first.fill("3")
    page.get_by_role("button", name="Continue").click()
    for number, feedback in enumerate(("Another animal, another sound.", "Nothing is missing."), start=1):
        expect(page.locator(".practice-label")).to_contain_text(str(number))
        page.keyboard.press("5")
        page.keyboard.press("Enter")
        expect(page.locator(".feedback")).to_contain_text(feedback)
        page.locator(".feedback .actions button").first.click()
    expect(page.locator(".intro")).to_contain_text("€2.50")
    assert_accessible(page)
    page.locator(".intro .actions button").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.locator("main")).to_contain_text("€2.50")
    expect(page.locator(".completion")).to_have_count(0)
    page.locator("textarea").fill("Clear.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("textarea")).to_have_count(0)
    assert page.evaluate("localStorage.length") == 0
    page.reload()
    expect(page.get_by_role("button", name="I agree", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert_alone(heard)


def test_pictures_and_sound_come_from_the_folder_and_earlier_segments_stay_in_view(
    page: Page, small_database: Callable[..., str], heard: Heard, tmp_path: Path
) -> None:
    presentation = {"source_markup": True, "context": True, "look": "labelled"}
    db = small_database("da-source", texts=MEDIA_TEXTS, documents="aaa", presentation=presentation)
    kept = Path(db).with_suffix(".media")
    kept.mkdir()
    (kept / PICTURE).write_bytes(png())
    (kept / SOUND).write_bytes(wav())

    page.goto(replay_of(db, tmp_path / "replay"))
    page.locator(".intro .actions button").click()
    expect(page.get_by_role("img", name="Ein Quadrat")).to_have_js_property("naturalWidth", 60)
    answer(page)
    expect(page.locator(".item audio")).to_have_js_property("duration", 0.5)
    expect(page.locator(".context-segment")).to_have_count(1)
    page.get_by_role("button", name="Return this set").click()
    page.locator("dialog button").first.click()
    page.locator("main .actions button").first.click()
    page.locator(".intro .actions button").click()
    expect(page.locator(".context-segment")).to_have_count(1)
    assert_alone(heard, f"media/{PICTURE}", f"media/{SOUND}")
    # In a publication they may come from anywhere, and without texts none of them is needed.
    with open_campaign(db) as campaign:
        replay_writer(campaign, texts=True, media=kept.rename(tmp_path / "elsewhere"))(tmp_path / "with")
        replay_writer(campaign, texts=False)(tmp_path / "without")
    assert (tmp_path / "with" / "media" / PICTURE).is_file()
    assert not (tmp_path / "without" / "media").exists()


def test_the_page_reads_from_right_to_left_where_the_language_does(
    page: Page, small_database: Callable[..., str], heard: Heard, tmp_path: Path
) -> None:
    db = small_database(
        "pairwise", texts=ARABIC, source_language="en", target_language="ar", instructions="ar"
    )
    page.goto(replay_of(db, tmp_path / "نسخة"))
    page.locator(".intro .actions button").click()
    answer(page)

    assert page.locator("html").get_attribute("dir") == "rtl"
    expect(page.locator(".replay-note")).to_have_css("direction", "ltr")
    assert_alone(heard)
