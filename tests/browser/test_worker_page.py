"""The worker's page in a real browser."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

JUDGEMENTS = "**/api/v1/work/judgements"
TEXTS = ("text", "reference")
FAR_RIGHT = 0.9


def start(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("button", name=re.compile("Start|Continue")).click()
    expect(page.get_by_role("slider")).to_be_visible()


def press_line(page: Page, share: float) -> None:
    """Press the mouse on the line, `share` of its length from the left."""
    box = page.locator(".line").bounding_box()
    page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)


def next_button(page: Page) -> Any:
    return page.locator("button.next")


def expect_done(page: Page, n_done: int) -> None:
    expect(page.locator(".progress-text")).to_have_text(f"{n_done} of 50 complete")


def sent(heard: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """The judgements the page has tried to send, every attempt."""
    attempts = [request for request in heard["requests"] if request.url.endswith("/work/judgements")]
    return [request.post_data_json for request in attempts]


def stored(live_server: Any) -> list[dict[str, str]]:
    """All judgements the server has, as its manager would download them."""
    content = live_server.call("GET", "/api/v1/judgements.csv", live_server.manager_url)
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def test_a_worker_finishes_a_hit_with_mouse_and_keyboard_and_begins_another(
    page, live_server, worker_url, heard
) -> None:
    start(page, worker_url)

    for number in range(50):
        expect_done(page, number)
        if number % 2:
            # The line has the focus.
            page.keyboard.press("5")
            page.keyboard.press("Enter")
        else:
            press_line(page, number / 50)
            next_button(page).click()

    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect_done(page, 50)
    assert [judgement["answer"]["rating"] for judgement in sent(heard)] == [
        45 if number % 2 else 2 * number for number in range(50)
    ]
    page.get_by_role("button", name="Start another set").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("slider")).to_be_visible()


def test_the_start_says_what_how_much_and_how_long(page, worker_url) -> None:
    page.goto(worker_url)

    shown = page.locator("main")

    expect(shown).to_contain_text("50 judgements of adequacy in English")
    expect(shown).to_contain_text("About 15 min.")
    expect_done(page, 0)


def test_there_is_no_handle_and_no_way_on_before_the_first_touch(page, worker_url, heard) -> None:
    start(page, worker_url)

    slider = page.get_by_role("slider")

    expect(page.locator(".line-handle")).to_be_hidden()
    expect(next_button(page)).to_be_disabled()
    expect(slider).to_have_attribute("aria-valuetext", "no answer yet")
    assert slider.get_attribute("aria-valuenow") is None

    # Enter without an answer sends nothing.
    slider.press("Enter")

    expect_done(page, 0)
    assert sent(heard) == []


def test_the_handle_goes_where_the_line_is_pressed_and_nowhere_is_a_number(page, worker_url) -> None:
    start(page, worker_url)
    # On a wide screen.
    assert page.locator(".line").bounding_box()["width"] == 600

    press_line(page, 0.25)

    expect(page.locator(".line-handle")).to_be_visible()
    expect(next_button(page)).to_be_enabled()
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "at the first mark")

    press_line(page, 0.37)

    expect(page.get_by_role("slider")).not_to_have_attribute("aria-valuetext", "at the first mark")
    assert not re.search(r"\d", page.locator(".scale").inner_text())
    assert not re.search(r"\d", page.get_by_role("slider").get_attribute("aria-valuetext"))

    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        press_line(page, FAR_RIGHT)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dragging_past_the_end_stops_at_the_end(page, worker_url, heard) -> None:
    start(page, worker_url)
    box = page.locator(".line").bounding_box()
    y = box["y"] + box["height"] / 2

    page.mouse.move(box["x"] + 100, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 300, y, steps=5)
    page.mouse.up()
    next_button(page).click()

    expect_done(page, 1)
    assert sent(heard)[0]["answer"]["rating"] == 100
    assert sent(heard)[0]["answer"]["n_moves"] == 1


def test_a_touch_that_turns_into_scrolling_does_not_count(page, worker_url) -> None:
    start(page, worker_url)
    slider = page.get_by_role("slider")
    # Chromium sends pointercancel when it takes a finger's movement for scrolling.
    finger = {"pointerId": 1, "pointerType": "mouse", "isPrimary": True, "bubbles": True, "clientX": 700}

    press = page.locator(".line").bounding_box()
    page.mouse.move(press["x"] + 50, press["y"])
    page.mouse.down()
    expect(page.locator(".line-handle")).to_be_visible()
    slider.dispatch_event("pointercancel", finger)

    expect(page.locator(".line-handle")).to_be_hidden()
    expect(next_button(page)).to_be_disabled()


def test_items_with_the_keyboard_alone(page, worker_url, heard) -> None:
    # Where the first arrow key puts the mark; rounded down.
    page.add_init_script("Math.random = () => 0.3")
    page.goto(worker_url)
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    cases = {
        ("ArrowRight",): (30, 30),
        ("ArrowLeft", "ArrowLeft"): (29, 30),
        ("ArrowUp", "ArrowRight", "ArrowRight"): (32, 30),
        ("ArrowRight", "Shift+ArrowLeft", "ArrowDown"): (19, 30),
        ("Home", "ArrowLeft"): (0, 0),
        ("End", "ArrowUp"): (100, 100),
        # The row of numbers lies along the line; the number pad does not.
        ("1",): (5, 5),
        ("0", "Shift+ArrowLeft"): (85, 95),
        ("Numpad9", "7", "4"): (35, 65),
        # A long text scrolls, so these leave the mark where it is.
        ("6", "PageUp", "PageDown"): (55, 55),
    }

    for number, keys in enumerate(cases):
        expect_done(page, number)
        expect(page.get_by_role("slider")).to_be_focused()
        for key in (*keys, "Enter"):
            page.keyboard.press(key)

    expect_done(page, len(cases))
    answers = [each["answer"] for each in sent(heard)]
    found = [(answer["rating"], answer["first_rating"]) for answer in answers]
    assert dict(zip(cases, found, strict=True)) == cases
    assert [answer["n_moves"] for answer in answers][:3] == [1, 2, 3]


def test_the_first_arrow_key_puts_the_mark_anywhere_and_digits_follow_the_screen(scripts) -> None:
    draw = """async () => {
      const { placeOfDigit, valueAfterKey } = await import("/static/scales/line_keys.js");
      const first = (keys) => valueAfterKey({ key: "ArrowRight" }, null, { isMirrored: false, ...keys });
      const row = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0];
      return {
        random: Array.from({ length: 2000 }, () => first({ isRow: true })),
        older: first({ isRow: false }),
        places: [false, true].map((isMirrored) => row.map((digit) => placeOfDigit(digit, isMirrored))),
      };
    }"""

    found = scripts.evaluate(draw)

    marks = found["random"]
    assert set(marks) <= set(range(101))
    # Each tenth of the line is hit as often as any other, within five standard deviations.
    tenths = [sum(low <= mark < low + 10 for mark in marks) for low in range(0, 100, 10)]
    share = 10 / 101
    deviation = (2000 * share * (1 - share)) ** 0.5
    assert max(abs(count - 2000 * share) for count in tenths) < 5 * deviation
    assert found["older"] == 50
    assert found["places"] == [list(range(5, 100, 10)), list(range(95, 0, -10))]


def test_a_double_click_on_next_sends_once(page, live_server, worker_url, heard) -> None:
    start(page, worker_url)
    press_line(page, FAR_RIGHT)

    next_button(page).dblclick()

    expect_done(page, 1)
    assert len(sent(heard)) == 1
    assert live_server.n_done(worker_url) == 1


def test_an_answer_without_connection_is_kept_and_arrives_once(
    context: BrowserContext, page, live_server, worker_url, heard
) -> None:
    start(page, worker_url)
    press_line(page, FAR_RIGHT)
    context.set_offline(True)
    next_button(page).click()
    expect(page.get_by_role("status")).to_contain_text("Your answer is saved on this device")

    context.set_offline(False)

    expect_done(page, 1)
    attempts = {judgement["judgement_id"] for judgement in sent(heard)}
    assert len(attempts) == 1
    assert [row["judgement_id"] for row in stored(live_server)].count(attempts.pop()) == 1


def test_an_answer_whose_receipt_was_lost_is_stored_once(page, live_server, worker_url, heard) -> None:
    def lose_the_reply(route: Route) -> None:
        route.fetch()
        route.abort()

    start(page, worker_url)
    press_line(page, FAR_RIGHT)
    page.route(JUDGEMENTS, lose_the_reply, times=1)

    next_button(page).click()
    page.get_by_role("button", name="Try again now").click()

    expect_done(page, 1)
    assert len(sent(heard)) == 2
    assert len({judgement["judgement_id"] for judgement in sent(heard)}) == 1
    assert live_server.n_done(worker_url) == 1


def test_an_answer_kept_over_a_closed_page_arrives_at_the_next_visit(
    context: BrowserContext, page, live_server, worker_url
) -> None:
    start(page, worker_url)
    press_line(page, FAR_RIGHT)
    page.route(JUDGEMENTS, lambda route: route.abort())
    next_button(page).click()
    expect(page.get_by_role("button", name="Try again now")).to_be_visible()
    page.close()

    again = context.new_page()
    again.goto(worker_url)

    expect_done(again, 1)
    assert live_server.n_done(worker_url) == 1


def test_an_item_answered_in_another_window_leads_to_the_next_one(
    context: BrowserContext, page, live_server, worker_url
) -> None:
    start(page, worker_url)
    other = context.new_page()
    start(other, worker_url)
    press_line(other, 0.2)
    next_button(other).click()
    expect_done(other, 1)

    press_line(page, FAR_RIGHT)
    next_button(page).click()

    expect_done(page, 1)
    expect(page.get_by_role("status")).to_contain_text("has already been answered")
    assert live_server.n_done(worker_url) == 1


def test_a_worker_who_has_to_wait_reads_why_and_goes_on_by_itself(page, live_server, worker_url) -> None:
    error = {"error": {"code": "too_many", "message": "Not now."}}

    def not_now(route: Route) -> None:
        route.fulfill(status=429, json=error, headers={"Retry-After": "1"})

    page.route("**/api/v1/work/next", not_now, times=1)
    page.route(JUDGEMENTS, not_now, times=1)
    page.goto(worker_url)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("status")).to_contain_text("Many people are starting from your network")

    press_line(page, FAR_RIGHT)
    next_button(page).click()
    expect(page.get_by_role("status")).to_contain_text("Your answer is saved on this device")

    expect_done(page, 1)
    assert live_server.n_done(worker_url) == 1


def test_a_refused_answer_can_be_given_again(page, live_server, worker_url) -> None:
    refusal = {"error": {"code": "answer", "message": "No.", "field": "rating"}}
    page.route(JUDGEMENTS, lambda route: route.fulfill(status=422, json=refusal), times=1)
    start(page, worker_url)
    press_line(page, FAR_RIGHT)
    next_button(page).click()
    expect(page.get_by_role("status")).to_contain_text("could not be accepted")

    press_line(page, FAR_RIGHT)
    next_button(page).click()

    expect_done(page, 1)
    assert live_server.n_done(worker_url) == 1


def test_a_reload_comes_back_to_the_same_item(page, worker_url) -> None:
    start(page, worker_url)
    press_line(page, FAR_RIGHT)
    next_button(page).click()
    expect_done(page, 1)
    before = page.locator(".texts").inner_text()

    page.reload()
    page.get_by_role("button", name="Continue").click()

    expect_done(page, 1)
    expect(page.locator(".line-handle")).to_be_hidden()
    assert page.locator(".texts").inner_text() == before


def test_going_back_does_not_revisit_an_item(page, live_server, worker_url) -> None:
    page.goto(live_server.base_url)
    start(page, worker_url)
    press_line(page, FAR_RIGHT)
    next_button(page).click()
    expect_done(page, 1)

    page.go_back()
    page.go_forward()

    expect_done(page, 1)


def test_hidden_time_is_not_counted(page, worker_url, heard) -> None:
    page.clock.install()
    start(page, worker_url)

    set_hidden(page, True)
    page.clock.fast_forward(60_000)
    set_hidden(page, False)
    page.clock.fast_forward(5_000)
    press_line(page, FAR_RIGHT)
    next_button(page).click()

    expect_done(page, 1)
    assert 5_000 <= sent(heard)[0]["shown_ms"] < 60_000
    assert 5_000 <= sent(heard)[0]["answer"]["first_touch_ms"] < 60_000


def test_nothing_the_browser_gets_tells_systems_or_kinds(page, live_server, worker_url, heard) -> None:
    start(page, worker_url)
    for number in range(3):
        press_line(page, FAR_RIGHT)
        next_button(page).click()
        expect_done(page, number + 1)

    bodies = [without_texts(response) for response in heard["responses"]]

    systems = {row["system"] for row in stored(live_server)}
    telling = [*systems, "regular", "degraded", "item_kind", "system_id", "base_item_id"]
    assert systems
    assert [
        word for word in telling for body in bodies if re.search(rf"(?<![\w-]){word}(?![\w-])", body)
    ] == []


def test_an_item_holds_an_opaque_id_and_the_shown_texts_only_and_asks_nobody_else(
    page, live_server, worker_url, heard
) -> None:
    start(page, worker_url)

    [reply] = [response.json() for response in heard["responses"] if response.url.endswith("/work/next")]

    assert reply.keys() == {"assignment_id", "position", "n_items", "n_done", "item", "revision"}
    assert reply["item"].keys() == {"item_id", "text", "reference"}

    press_line(page, FAR_RIGHT)
    next_button(page).click()
    expect_done(page, 1)

    elsewhere = [
        request.url for request in heard["requests"] if not request.url.startswith(live_server.base_url)
    ]

    assert heard["errors"] == []
    assert elsewhere == []


def test_texts_are_shown_as_they_are_and_never_run(page, worker_url, heard) -> None:
    text = '<img src="/none" onerror="document.title = 1"> & <b>bold</b>'
    item = {"item_id": "x", "text": text, "reference": text}
    reply = {"assignment_id": "a", "position": 1, "n_items": 50, "n_done": 0, "item": item}
    page.route("**/api/v1/work/next", lambda route: route.fulfill(json=reply))

    start(page, worker_url)

    expect(page.locator(".text-black .text-body")).to_have_text(text)
    assert page.locator(".texts :is(img, b)").count() == 0


def test_a_right_to_left_line_is_mirrored_and_agreement_stays_100(page, worker_url, heard) -> None:
    page.route(worker_url, lambda route: serve_with(route, language="ar", direction="rtl"))
    start(page, worker_url)
    labels = {end: page.locator(f".line-label-{end} bdi").bounding_box()["x"] for end in (0, 100)}

    for number, share in enumerate((0.0, 0.2, 1.0)):
        expect_done(page, number)
        press_line(page, share)
        handle = page.locator(".line-handle").bounding_box()
        line = page.locator(".line").bounding_box()
        middle_of_handle = handle["x"] + handle["width"] / 2
        assert middle_of_handle == pytest.approx(line["x"] + share * line["width"], abs=1.5)
        next_button(page).click()
    expect_done(page, 3)
    # The keys follow the line.
    for key in ("2", "ArrowLeft", "ArrowLeft", "Enter"):
        page.keyboard.press(key)

    expect_done(page, 4)
    assert labels[100] < labels[0]
    assert [judgement["answer"]["rating"] for judgement in sent(heard)] == [100, 80, 0, 87]


def test_a_finger_works_like_a_mouse(browser, live_server, worker_url) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    start(page, worker_url)
    box = page.locator(".line").bounding_box()

    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 1)
    next_button(page).tap()

    expect_done(page, 1)
    context.close()


def test_joining_leads_to_a_link_of_ones_own_that_the_browser_remembers(page, live_server) -> None:
    page.goto(live_server.open_url)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    own_url = page.url

    page.goto(live_server.open_url)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/w/*")

    assert page.url == own_url


def test_a_wrong_link_is_answered_kindly(page, live_server) -> None:
    page.goto(f"{live_server.base_url}/w/nobody-has-this-link")

    expect(page.get_by_role("heading")).to_have_text("Link not valid")


def test_a_link_withdrawn_while_working_is_explained(page, worker_url) -> None:
    error = {"error": {"code": "unknown_link", "message": "Unknown.", "field": None}}
    start(page, worker_url)
    page.route(JUDGEMENTS, lambda route: route.fulfill(status=401, json=error))

    press_line(page, FAR_RIGHT)
    next_button(page).click()

    expect(page.get_by_role("heading", name="This link does not work")).to_be_visible()


def set_hidden(page: Page, is_hidden: bool) -> None:
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        is_hidden,
    )


def serve_with(route: Route, **changes: str) -> None:
    """Serve the real page with some of its data replaced."""
    response = route.fetch()
    before, opening, rest = response.text().partition('id="page">')
    data, closing, after = rest.partition("</script>")
    changed = json.dumps({**json.loads(data), **changes})
    route.fulfill(response=response, body=f"{before}{opening}{changed}{closing}{after}")


def without_texts(response: Any) -> str:
    """The body of a response; of an item, without the texts, which may hold any word."""
    if "json" not in response.headers.get("content-type", ""):
        return str(response.text())
    reply = response.json()
    item = (reply.get("next") or reply).get("item", {})
    for name in TEXTS:
        item.pop(name, None)
    return json.dumps(reply)
