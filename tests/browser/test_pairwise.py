"""Pairwise comparison in a real browser: what is where, how it is answered, and what is stored of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from steelyard.flows.judged import judged_frames
from steelyard.flows.open import open_campaign

ARABIC = (("Der Hafen ist zu.", "الميناء مغلق بسبب الضباب.", "الميناء مغلق."),)
PHONE = {"width": 390, "height": 844}


def start(page: Page, url: str) -> None:
    page.goto(url)
    page.locator(".intro .actions button").click()
    expect(page.locator(".pair")).to_be_visible()


def shown(page: Page) -> list[str]:
    """The two translations, the one on the left first; on a phone, the one on top."""
    sheets = [(sheet.bounding_box(), sheet) for sheet in page.locator(".translation").all()]
    ordered = sorted(sheets, key=lambda each: (each[0]["x"], each[0]["y"]))
    return [sheet.locator(".text-body").inner_text() for _, sheet in ordered]


def choose(page: Page, preference: str) -> None:
    page.locator(f".choice:has([value='{preference}'])").click()


def expect_done(page: Page, n_done: int) -> None:
    expect(page.locator(".progress-text")).to_contain_text(re.compile(rf"^{n_done} "))


def sent_answers(heard: dict[str, list[Any]]) -> list[dict[str, Any]]:
    judged = [request for request in heard["requests"] if request.url.endswith("/work/judgements")]
    return [request.post_data_json["answer"] for request in judged]


def stored(db: str) -> list[dict[str, Any]]:
    """What the export says, in order of submission."""
    with open_campaign(db) as campaign:
        return judged_frames(campaign).preferences.sort("submitted_at").to_dicts()


@pytest.mark.parametrize("attribute", ["overall", "fluency"])
def test_a_worker_finishes_a_hit_with_the_mouse_and_the_export_says_what_was_on_the_left(
    page, small_site, heard, attribute
) -> None:
    site = small_site("pairwise", attribute=attribute)
    seen = []
    start(page, site.join())
    for number, preference in enumerate(("a", "both_bad", "b")):
        expect_done(page, number)
        seen.append(shown(page))
        choose(page, preference)
        page.locator("button.next").click()

    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    rows = stored(site.db)
    assert [answer["preference"] for answer in sent_answers(heard)] == ["a", "both_bad", "b"]
    assert [row["preference"] for row in rows] == ["a", "both_bad", "b"]
    by_text = {True: "system 2", False: "alpha"}
    assert [[row["system_a"], row["system_b"]] for row in rows] == [
        [by_text[text.endswith("(2)")] for text in pair] for pair in seen
    ]
    assert {row["attribute"] for row in rows} == {attribute}
    assert heard["errors"] == []


def test_a_worker_finishes_a_hit_with_the_keyboard_alone(page, small_site, heard) -> None:
    page.goto(small_site("pairwise").join())
    expect(page.locator(".intro .actions button")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".pair")).to_be_visible()

    for number, keys in enumerate((["2"], ["ArrowRight", "ArrowDown"], ["1", "ArrowLeft"])):
        expect_done(page, number)
        for key in keys:
            page.keyboard.press(key)
        page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert [answer["preference"] for answer in sent_answers(heard)] == ["b", "tie", "both_bad"]


def test_both_orders_come_up_and_a_reload_does_not_change_them(page, small_site) -> None:
    site = small_site("pairwise")
    seen = set()
    for _ in range(20):
        url = site.join()
        start(page, url)
        first = shown(page)
        start(page, url)
        assert shown(page) == first
        seen.add(tuple(first))
        if len(seen) == 2:
            break

    assert len(seen) == 2


def test_nothing_is_chosen_before_the_first_touch_and_the_choice_frames_the_translation_it_speaks_of(
    page, small_site
) -> None:
    start(page, small_site("pairwise").join())
    expect(page.locator("button.next")).to_be_disabled()
    expect(page.locator(".choice-input:checked")).to_have_count(0)
    colour = "element => getComputedStyle(element).borderTopColor"
    before = page.locator(".translation").first.evaluate(colour)

    for preference, framed in (("a", [True, False]), ("b", [False, True]), ("tie", [True, True])):
        choose(page, preference)

        after = [sheet.evaluate(colour) != before for sheet in page.locator(".translation").all()]
        assert after == framed, preference


@pytest.mark.parametrize(
    ("shows", "labels"),
    [
        ([], ["Translation 1", "Translation 2"]),
        (["source"], ["Original", "Translation 1", "Translation 2"]),
        (["reference"], ["What is meant", "Translation 1", "Translation 2"]),
        (["source", "reference"], ["Original", "What is meant", "Translation 1", "Translation 2"]),
    ],
)
def test_the_item_shows_what_the_campaign_chose_and_the_steps_say_so(page, small_site, shows, labels) -> None:
    site = small_site("pairwise", presentation={"shows": ["text", *shows]})
    page.goto(site.join())
    first_step = page.locator(".steps li").first.inner_text()
    page.locator(".intro .actions button").click()
    expect(page.locator(".pair")).to_be_visible()

    assert page.locator(".text-label").all_inner_texts() == labels
    texts = {"source": "Der Hund schläft.", "reference": "The dog is asleep."}
    assert page.locator(".meant .text-body").all_inner_texts() == [texts[role] for role in shows]
    assert sorted(shown(page)) == ["The dog sleeps.", "The dog sleeps. (2)"]
    assert ("another language" in first_step) == ("source" in shows)
    assert ("what is meant" in first_step) == ("reference" in shows)


def test_what_goes_over_the_wire_names_no_system_and_no_place(page, small_site, heard) -> None:
    start(page, small_site("pairwise").join())

    [reply] = [each for each in heard["responses"] if each.url.endswith("/work/next")]
    item = reply.json()["item"]

    assert set(item) == {"item_id", "source", "translations"}
    assert [set(each) for each in item["translations"]] == [{"text"}, {"text"}]
    assert "alpha" not in page.content()
    assert "system 2" not in page.content()


def test_translations_are_side_by_side_above_their_answers_and_named_for_screen_readers(
    page, small_site
) -> None:
    start(page, small_site("pairwise").join())

    first, second = (sheet.bounding_box() for sheet in page.locator(".translation").all())
    better = [page.locator(f".choice:has([value='{value}'])").bounding_box() for value in ("a", "b")]

    assert first["y"] == second["y"]
    assert first["height"] == second["height"]
    assert first["x"] + first["width"] < second["x"]
    assert [box["x"] for box in better] == [first["x"], second["x"]]
    assert [box["width"] for box in better] == [first["width"], second["width"]]
    expect_screen_readers_know_what_is_asked_and_which_text_is_which(page)


@pytest.mark.parametrize("language", ["de", "ar"])
def test_on_a_phone_one_is_above_the_other_and_nothing_scrolls_sideways(page, small_site, language) -> None:
    page.set_viewport_size(PHONE)
    texts = ARABIC if language == "ar" else (("Ein Wort.", "r", "Donaudampfschifffahrtsgesellschaft" * 3),)
    start(page, small_site("pairwise", target_language=language, instructions=language, texts=texts).join())

    first, second = (sheet.bounding_box() for sheet in page.locator(".translation").all())
    choices = [choice.bounding_box() for choice in page.locator(".choice").all()]

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert first["x"] == second["x"]
    assert first["y"] + first["height"] < second["y"]
    # The long word takes the screen, so its answers move together.
    assert len({box["x"] for box in choices}) == (1 if language == "ar" else 2)
    assert min(box["height"] for box in choices) >= 44


def test_from_right_to_left_the_first_translation_is_on_the_right(page, small_site) -> None:
    site = small_site("pairwise", target_language="ar", instructions="ar", texts=ARABIC)
    start(page, site.join())
    left, right = shown(page)
    sheets = {sheet.locator(".text-body").inner_text(): sheet for sheet in page.locator(".translation").all()}

    choose(page, "a")
    page.locator("button.next").click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text(re.compile("النص"))

    [row] = stored(site.db)
    assert row["system_a"] == ("system 2" if right.endswith("(2)") else "alpha")
    assert row["system_b"] == ("system 2" if left.endswith("(2)") else "alpha")
    assert len(sheets) == 2


def test_arrow_keys_follow_answers_that_run_from_right_to_left(page, small_site) -> None:
    start(page, small_site("pairwise", target_language="ar", instructions="ar", texts=ARABIC).join())

    page.keyboard.press("1")
    page.keyboard.press("ArrowLeft")

    checked = page.locator(".choice-input:checked")
    expect(checked).to_have_value("b")


def expect_screen_readers_know_what_is_asked_and_which_text_is_which(page: Page) -> None:
    group = page.get_by_role("radiogroup", name="Which translation is better")
    expect(group).to_be_visible()
    for name in ("Translation 1", "Translation 2"):
        expect(page.get_by_role("group", name=name)).to_be_visible()
        expect(group.get_by_role("radio", name=f"{name} is better")).to_be_visible()
    statement, texts = str(group.get_attribute("aria-describedby")).split()
    expect(page.locator(f"#{statement}")).to_contain_text("Which one expresses the meaning better?")
    expect(page.locator(f"#{texts}")).to_contain_text("Translation 1")


def test_texts_as_images_keep_the_labels(page, small_site) -> None:
    site = small_site("pairwise", presentation={"shows": ["text", "source"], "texts_as_images": True})
    start(page, site.join())

    expect(page.locator(".pair canvas")).to_have_count(2)
    assert page.locator(".text-label").all_inner_texts() == ["Original", "Translation 1", "Translation 2"]
    assert "The dog sleeps." not in page.locator("main").inner_text()
