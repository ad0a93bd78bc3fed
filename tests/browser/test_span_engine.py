"""Marking errors in a text, in a real Chromium: by mouse, by touch and with the keyboard alone.

Where a mark must lie is found in Python, which counts code points by itself: where a phrase is in its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

WORDS = {
    "language": "en",
    "empty": "(no text)",
    "severities": {"minor": "Minor", "major": "Major"},
    "categories": {"accuracy": "Accuracy", "accuracy/omission": "Omission", "style": "Style"},
    "spans": {
        "first": "Now choose the last word.",
        "remove": "Remove",
        "adjust_start_back": "Begin earlier",
        "adjust_start_on": "Begin later",
        "adjust_end_back": "End earlier",
        "adjust_end_on": "End later",
        "start": "Start",
        "end": "End",
        "close": "Close",
        "mark_label": "Error {number} of {total}: {severity}, “{text}”",
        "none": "No errors marked",
        "some": "{n} errors marked",
        "most": "At most {most} errors can be marked here.",
        "accept": "Accept",
        "accepted": "Accepted",
        "prefilled": "Marked beforehand.",
        "tokens": "After the text",
        "removed": "Removed: {severity}, “{text}”",
        "undone": "Undone",
        "severity": "How serious is it?",
        "category": "What kind of error is it?",
        "subcategory": "More exactly",
        "category_needed": "Choose the kind of error.",
        "anew": "Mark here anew",
        "several": "Several errors here",
        "target_label": "Expected: {severity}, “{text}”",
        "targets_none": "No error was expected here.",
    },
}
CATEGORIES = {"accuracy": ["omission", "addition"], "style": []}
ENGLISH = "The 👩‍👩‍👧 family’s well-known dog slept,  but\nit barks."
# A text, how it is cut, and phrases to be marked with the units at their ends.
SCRIPTS = {
    "en": (ENGLISH, "word", "ltr", "family’s well-known dog", ("family’s", "dog")),
    "ar": ("نبح الكلب الكبير على القمر، ثم نام.", "word", "rtl", "الكبير على القمر", ("الكبير", "القمر")),
    "zh": ("小狗𠮷在月光下大声地叫。", "character", "ltr", "在月光下", ("在", "下")),
    "hi": ("बड़ा कुत्ता ज़ोर से भौंका। 🇮🇳 सब जाग गए।", "word", "ltr", "ज़ोर से भौंका", ("ज़ोर", "भौंका")),
}
DRAW = """async ([text, options, words]) => {
  const { drawMarkable } = await import("/static/spans/markable.js");
  const drawn = drawMarkable(text, {
    language: "en", direction: "ltr", label: "Translation", by: "word", tokens: ["[missing]"], marks: [],
    severities: ["minor", "major"], categories: null, most: null, words, elapsed: () => 1234.5,
    onChange: () => { drawn.nChanges = (drawn.nChanges ?? 0) + 1; },
    onPoint: (share) => { drawn.share = share; },
    ...options,
  });
  window.drawn = [...(window.drawn ?? []), drawn];
  document.querySelector("main").append(drawn.element);
}"""
BLANK = """async () => {
  document.documentElement.lang = "en";
  document.title = "Marks";
  document.head.querySelectorAll("link").forEach((link) => link.remove());
  const heading = document.createElement("h1");
  heading.textContent = "Marks";
  const main = document.createElement("main");
  main.className = "column";
  main.append(heading);
  document.body.replaceChildren(main);
  await Promise.all(["style", "spans/spans"].map((name) => new Promise((done) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: `/static/${name}.css`, onload: done });
    document.head.append(link);
  })));
}"""


def place(text: str, phrase: str) -> tuple[int, int]:
    """Where a phrase is, in code points."""
    start = text.index(phrase)
    return start, start + len(phrase)


def blank(page: Page, site: Any) -> Page:
    page.goto(site.base_url)
    page.evaluate(BLANK)
    return page


def draw(page: Page, text: str = ENGLISH, **options: Any) -> Locator:
    """The units of another markable text on the page."""
    page.evaluate(DRAW, [text, options, WORDS])
    return page.locator(".markable").last.locator(".markable-unit")


def unit(units: Locator, text: str) -> Locator:
    return units.and_(units.page.get_by_text(text, exact=True)).first


def marks(page: Page, which: int = -1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate("(which) => window.drawn.at(which).marks()", which)
    return found


def ends(page: Page, which: int = -1) -> list[tuple[int, int]]:
    return [(mark["start"], mark["end"]) for mark in marks(page, which)]


def button(page: Page, name: str) -> Locator:
    return page.locator(".mark-window button").and_(
        page.get_by_label(name).or_(page.get_by_text(name, exact=True))
    )


def box(found: Locator) -> dict[str, float]:
    size = found.bounding_box()
    assert size is not None
    return dict(size)


def announced(page: Page) -> str:
    return (page.locator(".markable [role=status]").last.text_content() or "").strip("\u00a0")


@pytest.fixture
def sheet(page: Page, small_site: Callable[..., Any]) -> Page:
    return blank(page, small_site("da"))


@pytest.fixture
def phone(browser: Browser, small_site: Callable[..., Any]) -> Iterator[Page]:
    size = {"width": 390, "height": 844}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True, reduced_motion="reduce")
    yield blank(context.new_page(), small_site("da"))
    context.close()


def all_scripts(page: Page) -> Iterator[tuple[Locator, tuple[str, str], tuple[int, int]]]:
    """Draws a text in each script: its units, those at the ends of a phrase, and where the phrase is."""
    for language, (text, by, direction, phrase, at) in SCRIPTS.items():
        yield draw(page, text, language=language, by=by, direction=direction), at, place(text, phrase)


@pytest.mark.parametrize(
    ("text", "by", "language", "wanted"),
    [
        ("It's well-known, l’eau… 50% “off”!?", "word", "en", "It's well-known , l’eau … 50 % “ off ” ! ?"),
        ("Wait... -- no  double\n\nlines", "word", "en", "Wait ... -- no double lines"),
        ("نبح الكلب، ثم نام.", "word", "ar", "نبح الكلب ، ثم نام ."),
        ("कुत्ता ज़ोर से भौंका।", "word", "hi", "कुत्ता ज़ोर से भौंका ।"),
        ("小狗𠮷叫。", "character", "zh", "小 狗 𠮷 叫 。"),
        ("e\u0301a 👩‍👩‍👧🇨🇿👍🏽की", "character", "en", "e\u0301 a 👩‍👩‍👧 🇨🇿 👍🏽 की"),
        ("👩‍👩‍👧🇨🇿👍🏽 e\u0301te\u0301", "word", "fr", "👩‍👩‍👧 🇨🇿 👍🏽 e\u0301te\u0301"),
        ("Quoi\u202f? «\u202foui\u202f» 12\u202f%", "word", "fr", "Quoi ? « oui » 12 %"),
        ("မြန်မာ", "character", "my", "မြ န် မာ"),
        ("", "word", "en", ""),
    ],
)
def test_a_text_is_cut_where_its_script_has_units_and_counted_in_code_points(
    scripts: Page, text: str, by: str, language: str, wanted: str
) -> None:
    found = scripts.evaluate(
        "async (given) => (await import('/static/spans/offsets.js')).units(...given)", [text, by, language]
    )

    expected, at = [], 0
    for piece in wanted.split():
        at = text.index(piece, at)
        expected.append({"start": at, "end": at + len(piece)})
        at += len(piece)
    assert found == expected


def test_lines_of_overlapping_marks_do_not_cross(scripts: Page) -> None:
    ends_of = [(0, 9), (2, 5), (4, 7), (5, 6), (9, 12)]
    given = [{"id": at, "start": start, "end": end} for at, (start, end) in enumerate(ends_of)]
    levels = scripts.evaluate(
        "async (marks) => [...(await import('/static/spans/marks.js')).levelsOf(marks)]", given
    )

    by_id = dict(levels)
    assert by_id[0] == by_id[4] == 0
    for one, (start, end) in enumerate(ends_of):
        for other, (other_start, other_end) in enumerate(ends_of[:one]):
            if start < other_end and other_start < end:
                assert by_id[one] != by_id[other]


def test_with_the_mouse_two_clicks_or_a_drag_mark_a_phrase_in_each_script(sheet: Page) -> None:
    for units, (first, last), wanted in all_scripts(sheet):
        unit(units, first).click()
        expect(sheet.locator(".markable-note").last).to_have_text("Now choose the last word.")
        unit(units, last).click()
        expect(sheet.get_by_role("dialog")).to_be_visible()
        assert marks(sheet) == [{"start": wanted[0], "end": wanted[1], "severity": "minor", "at_ms": 1235}]

        sheet.evaluate("window.drawn.at(-1).setMarks([])")
        # From the end to the beginning.
        unit(units, last).hover()
        sheet.mouse.down()
        unit(units, first).hover()
        assert units.and_(sheet.locator(".markable-pending")).count() >= 3
        sheet.mouse.up()
        assert ends(sheet) == [wanted]
        assert sheet.locator(".markable-pending").count() == 0
        sheet.keyboard.press("Escape")


def test_by_touch_two_taps_mark_a_phrase_in_each_script_and_a_handle_moves_its_end(phone: Page) -> None:
    for units, (first, last), wanted in all_scripts(phone):
        unit(units, first).tap()
        unit(units, last).tap()
        assert ends(phone) == [wanted]
        window, mark = box(phone.get_by_role("dialog")), box(unit(units, last))
        assert 0 <= window["x"] <= 390 - window["width"]
        assert window["y"] >= mark["y"] + mark["height"] or window["y"] + window["height"] <= mark["y"]
        for each in phone.locator(".mark-window button:visible").all():
            assert min(box(each)["height"], box(each)["width"]) >= 44
        button(phone, "Close").tap()
        expect(phone.get_by_role("dialog")).to_have_count(0)

    units = draw(phone, "One two three four.")
    unit(units, "two").tap()
    unit(units, "two").tap()
    handle, three = box(phone.locator(".mark-handle-end")), box(unit(units, "three"))
    fingers = phone.context.new_cdp_session(phone)
    path = [handle["x"] + handle["width"] / 2, three["x"] + 1, three["x"] + three["width"] - 2]
    for kind, at in zip(("touchStart", "touchMove", "touchMove", "touchEnd"), [*path, None], strict=True):
        points = [] if at is None else [{"x": at, "y": handle["y"] + 5}]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert ends(phone) == [place("One two three four.", "two three")]


def test_with_the_keyboard_alone_a_phrase_is_marked_in_each_script(sheet: Page) -> None:
    for units, (first, last), wanted in all_scripts(sheet):
        sheet.evaluate("window.drawn.at(-1).focus()")
        texts = units.all_text_contents()
        on = (
            "ArrowLeft"
            if sheet.evaluate("getComputedStyle(document.activeElement).direction") == "rtl"
            else "ArrowRight"
        )
        for _ in range(texts.index(first)):
            sheet.keyboard.press(on)
        sheet.keyboard.press("Enter")
        assert announced(sheet) == "Now choose the last word."
        for _ in range(texts.index(last) - texts.index(first)):
            sheet.keyboard.press(on)
        sheet.keyboard.press(" ")
        assert ends(sheet) == [wanted]
        expect(sheet.get_by_role("dialog")).to_have_accessible_name(announced(sheet))
        sheet.keyboard.press("2")
        sheet.keyboard.press("Escape")
        assert marks(sheet)[0]["severity"] == "major"
        focused = sheet.evaluate("document.activeElement.getAttribute('aria-label')")
        assert focused == f"{last}, Major"


def test_keys_move_by_unit_line_sentence_and_mark_remove_undo_and_never_send_the_answer(sheet: Page) -> None:
    text = "One two three. Four five.\nSix seven."
    draw(sheet, text, marks=[{"start": 15, "end": 19, "severity": "major"}])
    sheet.evaluate("""async () => {
      const { onEnter } = await import("/static/dom.js");
      window.nSent = 0;
      onEnter(document.querySelector("main"), () => { window.nSent += 1; });
    }""")
    sheet.keyboard.press("Tab")
    stops = []
    for key in (
        "ArrowRight",
        "Control+ArrowRight",
        "End",
        "ArrowDown",
        "Home",
        "ArrowUp",
        "PageDown",
        "Control+End",
    ):
        sheet.keyboard.press(key)
        stops.append(sheet.evaluate("document.activeElement.textContent"))
    assert stops == ["two", "Four", ".", "[missing]", "Six", "One", "Four", "[missing]"]

    sheet.keyboard.press("PageUp")
    sheet.keyboard.press("Delete")
    assert marks(sheet) == []
    assert announced(sheet) == "Removed: Major, “Four”"
    sheet.keyboard.press("Control+z")
    assert ends(sheet) == [(15, 19)]
    assert announced(sheet) == "Undone"
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_role("dialog")).to_be_visible()
    # What is chosen is chosen: back to the text.
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_role("dialog")).to_have_count(0)
    sheet.keyboard.press(" ")
    sheet.keyboard.press("Escape")
    assert ends(sheet) == [(15, 19)]
    # The whole text is one stop.
    sheet.keyboard.press("Tab")
    assert sheet.evaluate("document.activeElement.closest('.markable')") is None
    assert sheet.evaluate("window.nSent") == 0


def test_the_letter_that_undoes_is_where_it_is_whatever_the_layout(sheet: Page) -> None:
    draw(sheet, "One two three.")
    sheet.evaluate("window.drawn[0].focus()")
    for key in ("u", "U", "г"):
        sheet.keyboard.press(" ")
        sheet.keyboard.press(" ")
        sheet.keyboard.press("Escape")
        assert len(marks(sheet)) == 1
        # Playwright has only the keys of one layout.
        press = "(key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', key))"
        sheet.evaluate(press, {"key": key, "code": "KeyU", "bubbles": True})
        assert marks(sheet) == [], key


def test_a_mark_is_raised_adjusted_removed_and_every_step_undone(sheet: Page) -> None:
    units = draw(sheet, "One two three four.")
    unit(units, "two").dblclick()
    button(sheet, "Major").click()
    button(sheet, "End later").click()
    button(sheet, "Begin earlier").click()
    expect(button(sheet, "Begin earlier")).to_have_attribute("aria-disabled", "true")
    button(sheet, "Begin earlier").click(force=True)
    button(sheet, "End earlier").click()
    sheet.keyboard.press("Shift+ArrowRight")
    button(sheet, "Begin later").click()
    assert marks(sheet) == [{"start": 4, "end": 13, "severity": "major", "at_ms": 1235}]
    button(sheet, "Remove").click()
    expect(sheet.get_by_role("dialog")).to_have_count(0)

    steps = []
    while sheet.evaluate("window.drawn[0].undo()"):
        steps.append([(mark["start"], mark["end"], mark["severity"]) for mark in marks(sheet)])
    assert steps == [
        [(4, 13, "major")],
        [(0, 13, "major")],
        [(0, 7, "major")],
        [(0, 13, "major")],
        [(4, 13, "major")],
        [(4, 7, "major")],
        [(4, 7, "minor")],
        [],
    ]
    assert sheet.evaluate("window.drawn[0].canUndo()") is False
    assert sheet.evaluate("window.drawn[0].nChanges") == 16


def test_marks_overlap_and_the_one_meant_is_chosen(
    sheet: Page, assert_accessible: Callable[..., None]
) -> None:
    units = draw(sheet, "One two three four.", most=3)
    unit(units, "two").hover()
    sheet.mouse.down()
    unit(units, "three").hover()
    sheet.mouse.up()
    # From outside into what is marked; then anew where both are.
    unit(units, "One").click()
    unit(units, "two").click()
    assert ends(sheet) == [(0, 7), (4, 13)]
    unit(units, "two").click()
    names = sheet.get_by_role("dialog").get_by_role("button").all_text_contents()
    assert names == ["Error 1 of 2: Minor, “One two”", "Error 2 of 2: Minor, “two three”", "Mark here anew"]
    assert_accessible(sheet)
    button(sheet, "Mark here anew").click()
    unit(units, "two").click()
    assert ends(sheet) == [(0, 7), (4, 13), (4, 7)]
    heights = sheet.evaluate("""() => {
      const units = [...document.querySelectorAll(".markable-unit")];
      const unit = units.find(({ textContent }) => textContent === "two");
      return new Set(getComputedStyle(unit).backgroundPositionY.split(", ").slice(0, 3)).size;
    }""")
    assert heights == 3
    assert_accessible(sheet)

    unit(units, "four").click()
    expect(sheet.locator(".markable-note")).to_have_text("At most 3 errors can be marked here.")
    expect(sheet.get_by_role("dialog")).to_have_count(0)
    assert len(marks(sheet)) == 3


def test_a_category_is_needed_and_letters_find_it(sheet: Page) -> None:
    units = draw(sheet, "One two three four.", categories=CATEGORIES)
    unit(units, "two").dblclick()
    expect(sheet.get_by_text("Choose the kind of error.")).to_be_visible()
    assert sheet.evaluate("window.drawn[0].isComplete()") is False
    # More letters of the same word choose nothing else.
    sheet.keyboard.type("acc")
    assert marks(sheet)[0]["category"] == "accuracy"
    assert sheet.evaluate("window.drawn[0].isComplete()") is False
    # Not named in the words: shown as it is.
    button(sheet, "addition").click()
    assert sheet.evaluate("window.drawn[0].isComplete()") is True
    expect(sheet.get_by_text("Choose the kind of error.")).to_be_hidden()
    assert announced(sheet) == "Error 1 of 1: Minor, Accuracy: addition, “two”"
    sheet.keyboard.type("o")
    assert marks(sheet)[0]["category"] == "accuracy/omission"
    button(sheet, "Style").click()
    assert marks(sheet)[0]["category"] == "style"
    assert sheet.evaluate("window.drawn[0].isComplete()") is True
    # A click elsewhere closes the window and keeps the mark.
    sheet.get_by_role("heading").click()
    expect(sheet.get_by_role("dialog")).to_have_count(0)
    assert len(marks(sheet)) == 1


def test_tokens_and_prefilled_marks(sheet: Page) -> None:
    given = [
        {"start": 4, "end": 6, "severity": "major", "prefilled": 0},
        {"start": 8, "end": 13, "severity": "minor", "prefilled": 1},
        {"start": 14, "end": 18, "severity": "minor", "prefilled": 2},
    ]
    units = draw(sheet, "One two three four.", marks=given)
    unit(units, "two").click()
    button(sheet, "Accept").click()
    assert announced(sheet) == "Accepted"
    unit(units, "three").click()
    button(sheet, "Major").click()
    unit(units, "four").click()
    button(sheet, "Remove").click()
    unit(units, "[missing]").click()
    button(sheet, "Major").click()
    button(sheet, "Close").click()
    assert marks(sheet) == [
        {**given[0], "at_ms": 1235},
        {**given[1], "severity": "major", "at_ms": 1235},
        {"token": "[missing]", "severity": "major", "at_ms": 1235},
    ]
    expect(unit(units, "[missing]")).to_have_attribute("aria-selected", "true")
    unit(units, "[missing]").click()
    expect(sheet.get_by_role("dialog")).to_have_accessible_name("Error 3 of 3: Major, “[missing]”")


def test_what_was_expected_is_shown_the_place_pointed_at_is_told_and_a_picture_says_what_it_shows(
    sheet: Page, assert_accessible: Callable[..., None]
) -> None:
    text = "One t𝔀o three four."
    units = draw(sheet, text, marks=[{"start": 4, "end": 7, "severity": "minor"}])
    unit(units, "three").hover()
    sheet.wait_for_function("window.drawn[0].share !== undefined")
    assert sheet.evaluate("window.drawn[0].share") == pytest.approx((8 + 13) / 2 / len(text))
    sheet.evaluate("window.drawn[0].pointAt(0.3)")
    assert sheet.locator(".markable-pointed").all_text_contents() == ["t𝔀o"]

    targets = [{"start": 8, "end": 18, "severity": "major"}]
    said = sheet.evaluate("(targets) => window.drawn[0].reveal(targets)", targets)
    assert said == "Expected: Major, “three four”"
    unit(units, "One").click()
    unit(units, "three").click()
    assert ends(sheet) == [(4, 7)]
    expect(sheet.get_by_role("dialog")).to_have_count(0)

    sheet.evaluate(
        """async ([text, marks, words]) => {
          const { drawMarked } = await import("/static/spans/drawn.js");
          const options = { language: "en", direction: "ltr", severities: ["minor", "major"], words };
          document.querySelector("main").append(drawMarked(text, marks, options));
        }""",
        [text, [*targets, {"token": "[missing]", "severity": "minor"}], WORDS],
    )
    assert sheet.locator(".marked-text").text_content() == f"{text} [missing]"
    assert sheet.locator(".marked li").all_text_contents() == [
        "Error 1 of 2: Major, “three four”",
        "Error 2 of 2: Minor, “[missing]”",
    ]
    assert_accessible(sheet)
