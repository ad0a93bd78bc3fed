"""Texts drawn as images: readable for people, absent from the page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from steelyard.protocols import protocols

AS_IMAGES = {"texts_as_images": True}
# How much ink there is in the left and in the right half.
INK = """canvas => {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const half = [0, 0];
  for (let at = 3; at < data.length; at += 4) half[((at >> 2) % width) * 2 < width ? 0 : 1] += data[at];
  return half;
}"""
WRAP = """async ([text, width, language]) => {
  const { wrap } = await import("/static/wrap.js");
  return wrap(text, width, { measure: (line) => [...line].length, language });
}"""


def start(page: Page, url: str) -> None:
    page.goto(url)
    page.locator(".intro .actions button").click()
    expect(page.locator(".item .scale")).to_be_visible()
    page.wait_for_function("document.querySelector('.item canvas')?.style.height")


def wrapped(scripts: Page, text: str, width: int, language: str) -> list[str]:
    lines: list[str] = scripts.evaluate(WRAP, [text, width, language])
    return lines


# Errors cannot be marked in images, and campaigns that ask for both are refused.
@pytest.mark.parametrize(
    "protocol", [name for name, each in protocols().items() if "spans" not in each.gives]
)
def test_no_text_of_the_item_is_in_the_page(page, small_site, protocol) -> None:
    start(page, small_site(protocol, presentation=AS_IMAGES).join())

    content = page.content() + page.locator("body").inner_text()

    assert not re.search("Hund|dog", content)
    shows = next(iter(protocols()[protocol].shows.values()))
    n_texts = protocols()[protocol].n_translations + len(set(shows) - {"text"})
    # The folded examples are drawn too.
    assert page.locator(".item > :not(details) canvas").count() == n_texts
    assert page.locator(".item .text-body").count() == 0


def test_an_image_of_a_short_text_begins_at_the_left_says_which_text_it_is_and_cannot_be_taken(
    page, small_site
) -> None:
    start(page, small_site("da", presentation=AS_IMAGES).join())
    canvas = page.locator(".text-black canvas")

    # A screen reader learns no more than this.
    labels = [canvas.get_attribute("aria-label") for canvas in page.locator(".texts canvas").all()]
    left, right = canvas.evaluate(INK)
    # It can be neither dragged nor saved from a menu.
    went_on = canvas.evaluate(
        "canvas => ['contextmenu', 'dragstart'].map("
        "name => canvas.dispatchEvent(new Event(name, { bubbles: true, cancelable: true })))"
    )

    assert labels == ["Meaning", "Translation"]
    assert went_on == [False, False]
    assert canvas.get_attribute("draggable") == "false"
    assert left > 0
    assert right == 0


def test_a_short_arabic_text_begins_at_the_right(page, small_site) -> None:
    texts = (("a", "الميناء مغلق.", "الميناء مغلق."),)
    start(page, small_site("da", target_language="ar", texts=texts, presentation=AS_IMAGES).join())

    left, right = page.locator(".text-black canvas").evaluate(INK)

    assert left == 0
    assert right > 0


def test_the_image_follows_the_width_of_the_window(page, small_site) -> None:
    texts = (("a", "b", "A sentence that needs several lines on a narrow screen, for it is long. " * 3),)
    start(page, small_site("da", texts=texts, presentation=AS_IMAGES).join())
    canvas = page.locator(".text-black canvas")
    wide = canvas.bounding_box()

    page.set_viewport_size({"width": 390, "height": 844})
    expect(canvas).not_to_have_css("height", f"{wide['height']:g}px")
    narrow = canvas.bounding_box()

    assert narrow["height"] > wide["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert canvas.evaluate("canvas => canvas.width") == round(narrow["width"])


def test_the_image_has_a_pixel_for_each_of_the_screens(browser, small_site) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=3)
    page = context.new_page()
    start(page, small_site("da", presentation=AS_IMAGES).join())
    canvas = page.locator(".text-black canvas")

    pixels = canvas.evaluate("canvas => [canvas.width, canvas.height]")
    box = canvas.bounding_box()
    context.close()

    assert pixels == [round(3 * box["width"]), round(3 * box["height"])]


def test_texts_stay_texts_unless_the_campaign_wants_images(page, small_site) -> None:
    page.goto(small_site("da").join())
    page.get_by_role("button", name="Start").click()

    expect(page.locator(".text-black .text-body")).to_have_text("The dog sleeps.")
    expect(page.locator("canvas")).to_have_count(0)


@pytest.mark.parametrize(
    ("text", "width", "language", "lines"),
    [
        ("one two three four", 9, "en", ["one two", "three", "four"]),
        ("one two", 7, "en", ["one two"]),
        ("  one \n two  ", 20, "en", ["one two"]),
        ("", 10, "en", []),
        # Punctuation stays with its word, quotes and brackets with what they enclose.
        ("He said (then), “no”.", 8, "en", ["He said", "(then),", "“no”."]),
        ('"Yes, it does," she said', 10, "en", ['"Yes, it', 'does," she', "said"]),
        ("don't stop", 6, "en", ["don't", "stop"]),
        # After a hyphen a line may end, before it never.
        ("a well-known word", 7, "en", ["a well-", "known", "word"]),
        # A word longer than the line is broken, but never inside a character.
        ("abcdefghij k", 4, "en", ["abcd", "efgh", "ij k"]),
        ("e\u0301e\u0301e\u0301", 4, "en", ["e\u0301e\u0301", "e\u0301"]),
        # Languages without spaces break between words, and no line begins with their full stop.
        ("我们明天去北京。", 4, "zh", ["我们明天", "去北京。"]),
        ("私は学生です。", 6, "ja", ["私は学生", "です。"]),
        ("「はい」と言った", 4, "ja", ["「はい」", "と言った"]),
        ("ฉันรักภาษาไทย", 8, "th", ["ฉันรัก", "ภาษาไทย"]),
        ("الميناء مغلق اليوم", 12, "ar", ["الميناء مغلق", "اليوم"]),
    ],
)
def test_lines_end_where_the_language_allows(scripts, text, width, language, lines) -> None:
    found = wrapped(scripts, text, width, language)

    assert found == lines


@pytest.mark.parametrize("width", [1, 2, 5, 17, 400])
@pytest.mark.parametrize("language", ["en", "zh", "th", "ar"])
def test_wrapping_loses_nothing_but_spaces_and_fits(scripts, width, language) -> None:
    text = "Im Jahr 2024 sagte er: „Größe 3,5“ 我们明天去北京。 ฉันรักภาษาไทย الميناء مغلق e-mail 👩‍👩‍👧 (x)."

    lines = wrapped(scripts, text, width, language)

    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
    # A character of several code points, such as the family, does not fit into a line of one.
    assert all(len(line) <= max(width, 5) for line in lines)
