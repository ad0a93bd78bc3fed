"""The screen of one item: long texts beside their answers, names of texts, focus, drafts of answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from steelyard.protocols import protocols, words_in

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}
GERMAN = "Der Hafen war am Dienstag wegen dichten Nebels gesperrt, und die Fähren mussten warten. " * 20
ENGLISH = "The harbour was closed on Tuesday because of thick fog, and every ferry had to wait outside. " * 19
ARABIC = "أُغلق الميناء يوم الثلاثاء بسبب الضباب الكثيف، واضطرت كل العبّارات إلى الانتظار خارج المرفأ. " * 22
CHINESE = "由于大雾，港口星期二关闭，所有渡轮都不得不在港外等候。" * 24
# Three hundred words each; ten Chinese characters are about six words.
LONG = {
    language: ((GERMAN, text, text),) for language, text in (("en", ENGLISH), ("ar", ARABIC), ("zh", CHINESE))
}
# What is where, as a worker sees it now.
LOOK = """() => {
  const box = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom };
  };
  const texts = [...document.querySelectorAll(".text-body")];
  return {
    isDocked: document.querySelector(".answers").classList.contains("answers-docked"),
    panel: box(document.querySelector(".answers")),
    question: box(document.querySelector(".statement strong")),
    scale: box(document.querySelector(".line") ?? document.querySelector(".choices")),
    next: box(document.querySelector("button.next")),
    texts: texts.map(box),
    sizes: texts.map((text) => getComputedStyle(text).fontSize),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    height: innerHeight,
    scrolled: scrollY,
  };
}"""
# Whether the element that has the focus is to be seen from its left to its right.
IS_CLEAR = """() => {
  const { left, top, right, bottom } = document.activeElement.getBoundingClientRect();
  const points = [left + 2, (left + right) / 2, right - 2];
  const middle = (top + bottom) / 2;
  return points.every((x) => document.activeElement.contains(document.elementFromPoint(x, middle)));
}"""


def start(page: Page, url: str) -> None:
    page.goto(url)
    page.locator(".intro .actions button").click()
    expect(page.locator(".item .scale")).to_be_visible()


def seen(page: Page, size: dict[str, int]) -> dict[str, Any]:
    """What is where in a window of this size, scrolled to its top."""
    page.set_viewport_size(size)
    page.evaluate("scrollTo(0, 0)")
    # The page looks at its new size before the next frame.
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found: dict[str, Any] = page.evaluate(LOOK)
    return found


def scrolled_to_the_end(page: Page) -> dict[str, Any]:
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    found: dict[str, Any] = page.evaluate(LOOK)
    return found


def assert_together(look: dict[str, Any]) -> None:
    """Question, answers, button and a good part of the text are on the screen at once."""
    assert look["isDocked"]
    assert look["overflow"] == 0
    assert look["panel"]["bottom"] <= look["height"] + 1
    # Our promise: at least 55 % of the screen is left for the texts.
    assert look["panel"]["top"] >= 0.55 * look["height"]
    assert look["texts"][0]["top"] < 0.35 * look["height"]
    for part in ("question", "scale", "next"):
        assert look["panel"]["top"] <= look[part]["top"] < look[part]["bottom"] <= look["height"], part


def choose(page: Page) -> None:
    """Any answer, as a person with a keyboard would give it."""
    page.keyboard.press("3")
    expect(page.locator("button.next")).to_be_enabled()


def state(page: Page) -> Any:
    """The answer on the screen: the place of the mark, or the choice."""
    return page.evaluate(
        "() => document.querySelector('.choice-input:checked')?.value"
        " ?? document.querySelector('.line-handle:not([hidden])')?.style.insetInlineStart"
    )


@pytest.mark.parametrize("language", list(LONG))
def test_question_answers_and_a_part_of_300_words_are_seen_together(
    page, small_site, assert_accessible, language
) -> None:
    page.set_viewport_size(PHONE)
    start(
        page, small_site("da", target_language=language, instructions=language, texts=LONG[language]).join()
    )

    phone = seen(page, PHONE)
    at_the_end = scrolled_to_the_end(page)
    desk = seen(page, DESK)
    desk_end = scrolled_to_the_end(page)

    assert_together(phone)
    assert phone["sizes"] == ["16px", "16px"]
    assert at_the_end["texts"][-1]["bottom"] < at_the_end["panel"]["top"]
    # Side by side on a desk, what is meant first, and the line as long as recorded.
    meant, translation = desk["texts"]
    assert meant["top"] == translation["top"]
    assert (meant["right"] < translation["left"]) == (language != "ar")
    assert desk["sizes"] == ["17px", "17px"]
    assert desk["overflow"] == 0
    assert desk["scale"]["right"] - desk["scale"]["left"] == 600
    assert desk["next"]["bottom"] <= desk["height"]
    assert max(text["bottom"] for text in desk_end["texts"]) < desk_end["panel"]["top"]
    # A phone on its side; a window enlarged twofold; a small phone.
    for width, height in ((844, 390), (640, 400), (320, 640)):
        assert_together(seen(page, {"width": width, "height": height}))
    # Where it would leave no room for the text, the panel stays below it.
    tiny = seen(page, {"width": 320, "height": 256})
    assert (tiny["isDocked"], tiny["overflow"]) == (False, 0)
    page.set_viewport_size(DESK)
    assert_accessible(page)


# Where errors are marked, see test_span_pages.py.
@pytest.mark.parametrize(
    "protocol", [name for name, each in protocols().items() if "spans" not in each.gives]
)
def test_the_answers_of_every_protocol_leave_room_for_long_texts_and_survive_a_reload(
    page, small_site, heard, protocol
) -> None:
    page.set_viewport_size(PHONE)
    start(page, small_site(protocol, texts=LONG["en"]).join())
    look = seen(page, PHONE)
    assert_together(look)
    # Answers are big enough for a finger.
    sizes = page.locator(".choice, .line-slider").evaluate_all("all => all.map((each) => each.offsetHeight)")
    assert min(sizes) >= 40
    expect(page.locator(".line-slider, .choice-input").first).to_be_focused()

    choose(page)
    chosen = state(page)
    page.keyboard.press("Tab")
    # The focus goes from the answers to the button without a jump of the text.
    expect(page.locator("button.next")).to_be_focused()
    assert page.evaluate("scrollY") == look["scrolled"] == 0
    for _ in range(3):
        assert page.evaluate(IS_CLEAR)
        page.keyboard.press("Tab")
    # Nor does what stands above the panel hide behind it.
    for summary in page.locator(".item summary").all():
        page.evaluate("scrollTo(0, 0)")
        summary.focus()
        assert page.evaluate(IS_CLEAR)

    page.reload()
    page.locator(".intro .actions button").click()

    expect(page.locator("button.next")).to_be_enabled()
    assert state(page) == chosen
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    [judged] = [each for each in heard["requests"] if each.url.endswith("/work/judgements")]
    assert judged.post_data_json["answer"]["n_moves"] == 1
    assert heard["errors"] == []


def test_a_draft_is_of_one_item_keeps_its_time_and_goes_with_the_answer(page, small_site, heard) -> None:
    page.clock.install()
    start(page, small_site("da").join())
    token = page.url.rpartition("/")[2]
    page.clock.fast_forward(40_000)
    # Nothing but the time of reading.
    page.reload()
    start(page, page.url)
    expect(page.locator(".line-handle")).to_be_hidden()
    page.clock.fast_forward(20_000)

    page.keyboard.press("7")
    page.reload()
    start(page, page.url)
    expect(page.locator(".line-handle")).to_have_css("inset-inline-start", "390px")
    page.clock.fast_forward(5_000)
    page.keyboard.press("Enter")

    expect(page.locator(".progress-text")).to_contain_text("1 of 3")
    [judged] = [each.post_data_json for each in heard["requests"] if each.url.endswith("/work/judgements")]
    assert 65_000 <= judged["shown_ms"] < 75_000
    assert 60_000 <= judged["answer"]["first_touch_ms"] < 70_000
    assert judged["answer"]["first_rating"] == judged["answer"]["rating"] == 65
    kept = page.evaluate("token => localStorage.getItem(`steelyard:draft:${token}`)", token)
    assert kept is None
    # The draft of another item, and one that is no answer.
    [reply] = [each for each in heard["responses"] if each.url.endswith("/work/judgements")]
    item_id = reply.json()["next"]["item"]["item_id"]
    for draft in (
        {"item_id": "other", "answer": {"rating": 3}},
        {"item_id": item_id, "answer": {"rating": 300}},
    ):
        page.evaluate(
            "([token, draft]) => localStorage.setItem(`steelyard:draft:${token}`, draft)",
            [token, json.dumps({**draft, "elapsed": 10})],
        )
        page.reload()
        start(page, page.url)
        expect(page.locator(".line-handle")).to_be_hidden()
        expect(page.locator("button.next")).to_be_disabled()


def test_without_storage_an_item_is_judged_and_what_is_written_in_a_dialog_answers_nothing(
    page, small_site, heard
) -> None:
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('private'); } })"
    )
    start(page, small_site("da").join())
    page.get_by_role("button", name="Report a problem").click()
    page.get_by_role("dialog").get_by_role("textbox").press_sequentially("7 of 10")
    expect(page.locator(".line-handle")).to_be_hidden()
    page.keyboard.press("Escape")

    # Digits work wherever the focus is.
    page.locator(".texts").click()
    page.keyboard.press("9")
    page.keyboard.press("Enter")

    expect(page.locator(".progress-text")).to_contain_text("1 of 3")
    expect(page.get_by_role("slider")).to_be_focused()
    assert heard["errors"] == []


def colours(page: Page) -> list[int]:
    """How bright the sheet, the text that says what is meant, and the translation are."""
    found: list[int] = page.evaluate(
        """() => {
          const bright = (colour) => {
            const [red, green, blue] = colour.match(/\\d+/g).map(Number);
            return (red + green + blue) / 3;
          };
          const style = (selector) => getComputedStyle(document.querySelector(selector));
          return [
            bright(style(".texts").backgroundColor),
            bright(style(".text-grey .text-body").color),
            bright(style(".text-black .text-body").color),
          ];
        }"""
    )
    return found


def test_texts_carry_their_names_and_the_sheet_is_dark_in_dark_mode(page, small_site) -> None:
    start(page, small_site("da").join())
    labels = page.locator(".text-label").all_inner_texts()
    light = colours(page)
    page.emulate_media(color_scheme="dark")
    dark = colours(page)
    described = page.get_by_role("slider").get_attribute("aria-describedby")
    spoken = page.locator(", ".join(f"#{name}" for name in described.split())).all_inner_texts()

    assert labels == ["Meaning", "Translation"]
    # What is judged stands out from the sheet, and what is meant less so: in both.
    assert light[0] > 240 > light[1] > light[2]
    assert dark[0] < 50 < dark[1] < dark[2]
    assert "the translation adequately expresses the meaning" in spoken[0]
    assert "Translation\nThe dog sleeps." in spoken[1].replace("\n\n", "\n")
    section = page.get_by_role("region", name="Text 1 of 3")
    expect(section).to_contain_text("The dog sleeps.")
    assert "grey" not in page.locator("main").inner_text()


def test_a_campaign_of_before_keeps_its_light_sheet_its_words_and_its_keys(page, small_site, heard) -> None:
    words = {
        **(words_in(protocols()["da"], "en") or {}),
        "statements": {"adequacy": "the black text adequately expresses the meaning of the grey text."},
        "labels": {"grey": "Grey text", "black": "Black text", "text": "Text"},
    }
    # What a campaign created by an earlier version has recorded.
    recorded = {"look": None, "keyboard": None, "words": words}
    start(page, small_site("da", presentation=recorded).join())
    page.emulate_media(color_scheme="dark")

    sheet, grey, black = colours(page)

    assert sheet > 230
    assert black == 0 < grey < 128
    expect(page.locator(".text-label")).to_have_count(0)
    hidden = page.locator(".texts .visually-hidden").all_text_contents()
    assert hidden == ["Grey text: ", "Black text: "]
    expect(page.locator(".statement")).to_contain_text("the black text")
    page.keyboard.press("7")
    expect(page.locator(".line-handle")).to_be_hidden()
    for key in ("ArrowLeft", "PageUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".progress-text")).to_contain_text("1 of 3")
    [judged] = [each for each in heard["requests"] if each.url.endswith("/work/judgements")]
    assert judged.post_data_json["answer"]["rating"] == 60


def test_a_line_or_choices_show_what_was_expected_and_recall_an_answer_without_numbers(
    scripts, small_site
) -> None:
    words = {name: words_in(protocols()[name], "en") for name in ("da", "likert", "pairwise")}
    draw = """async ([name, words, answer, wanted]) => {
      const { mount, recall } = await import(`/protocols/${name}/widget.js`);
      const options = { words, presentation: { shows: ["text"] }, attribute: "adequacy", direction: "ltr" };
      const item = { text: "x", reference: "y", translations: [{ text: "x" }, { text: "y" }] };
      const root = document.createElement("div");
      const mounted = mount(root, item, { ...options, elapsed: () => 0, draft: answer }, () => {});
      mounted.reveal(wanted);
      const recalled = recall(answer, options);
      const band = root.querySelector(".line-expected")?.style;
      const found = {
        band: band && [band.insetInlineStart, band.inlineSize],
        ringed: [...root.querySelectorAll(".choice-expected input")].map((input) => input.value),
        said: [...root.querySelectorAll(".scale .visually-hidden")].map((each) => each.textContent.trim()),
        recalled: recalled.getAttribute("aria-label") ?? recalled.textContent,
        mark: recalled.firstElementChild?.style.insetInlineStart,
        nothing: recall({}, options),
      };
      mounted.destroy();
      return found;
    }"""

    line = scripts.evaluate(draw, ["da", words["da"], {"rating": 30}, {"expected": [75, 100]}])
    likert = scripts.evaluate(draw, ["likert", words["likert"], {"rating": 2}, {"expected": [4, 5]}])
    pairs = scripts.evaluate(
        draw, ["pairwise", words["pairwise"], {"preference": "tie"}, {"preferred": ["a", "tie"]}]
    )

    assert line["band"] == ["75%", "25%"]
    assert line["said"] == [
        "The expected part of the line begins at the third mark and ends at strongly agree."
    ]
    assert (line["recalled"], line["mark"]) == ("just past the first mark", "30%")
    assert likert["ringed"] == ["4", "5"]
    assert set(likert["said"]) == {"(expected answer)"}
    assert likert["recalled"] == "disagree"
    assert pairs["ringed"] == ["a", "tie"]
    assert pairs["recalled"] == "Both are equally good"
    assert [each["nothing"] for each in (line, likert, pairs)] == [None, None, None]


@pytest.mark.parametrize(
    ("texts", "step"),
    [
        (["A short one.", ""], "short"),
        (["word " * 99, "x"], "short"),
        (["x", "word " * 101], "long"),
        (["word " * 221], "longest"),
        # A Chinese character is as wide as two letters, and says as much as several.
        (["字" * 250], "short"),
        (["字" * 251], "long"),
        (["かな漢字" * 138], "longest"),
    ],
)
def test_type_gets_smaller_by_the_room_that_the_longest_text_takes(scripts, texts, step) -> None:
    call = "async (texts) => (await import('/static/texts.js')).lengthStep(texts)"

    assert scripts.evaluate(call, texts) == step
