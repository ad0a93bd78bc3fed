"""Each protocol in a real browser: a simulated worker's HIT, and what is peculiar to its scale."""

from __future__ import annotations

import csv
import io
import itertools
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from steelyard.domain.work import ShownItem
from steelyard.protocols import protocols, words_in

# Those answered with one rating; the others have their own files.
ALL = [
    (name, attribute)
    for name, each in protocols().items()
    if each.gives == ("ratings",) and each.n_translations == 1
    for attribute in each.attributes
]
ARABIC = (("Der Hafen ist zu.", "الميناء مغلق بسبب الضباب.", "Google: الميناء مغلق."),)


def start(page: Page, url: str) -> None:
    page.goto(url)
    page.locator(".intro .actions button").click()
    expect(page.locator(".item .scale")).to_be_visible()


def give(page: Page, rating: float) -> None:
    """Answer as a person with a mouse would."""
    if page.get_by_role("slider").count():
        box = page.locator(".line").bounding_box()
        page.mouse.click(box["x"] + rating / 100 * box["width"], box["y"] + box["height"] / 2)
    else:
        page.locator(f".choice:has([value='{rating:g}'])").click()


def chosen(page: Page) -> list[str]:
    """The ratings whose buttons are checked."""
    return [str(button.get_attribute("value")) for button in page.locator(".choice-input:checked").all()]


def expect_nothing_chosen(page: Page) -> None:
    """As before the first touch."""
    expect(page.locator("button.next")).to_be_disabled()
    expect(page.locator(".line-handle:visible, .choice-input:checked")).to_have_count(0)


def expect_done(page: Page, n_done: int) -> None:
    expect(page.locator(".progress-text")).to_contain_text(re.compile(rf"^{n_done} "))


def sent_ratings(heard: dict[str, list[Any]]) -> list[float]:
    judged = [request for request in heard["requests"] if request.url.endswith("/work/judgements")]
    return [request.post_data_json["answer"]["rating"] for request in judged]


@pytest.mark.parametrize(("protocol", "attribute"), ALL)
def test_a_simulated_worker_reads_the_texts_of_the_protocol_and_finishes_a_hit(
    page, small_site, heard, protocol, attribute
) -> None:
    site = small_site(protocol, attribute=attribute)
    rng = np.random.default_rng(7)
    simulate, unseen = protocols()[protocol].simulate, ShownItem("", ())
    wanted = [simulate(unseen, [quality], rng)["rating"] for quality in (0.1, 0.9, 0.5)]

    start(page, site.join())
    shown = page.locator(".item > .texts .text-body").all_inner_texts()
    expect_nothing_chosen(page)
    for number, rating in enumerate(wanted):
        expect_done(page, number)
        give(page, rating)
        page.locator("button.next").click()

    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    content = site.call("GET", "/api/v1/judgements.csv", site.manager_url).decode("utf-8")
    stored = [float(row["rating"]) for row in csv.DictReader(io.StringIO(content))]
    assert sent_ratings(heard) == wanted
    assert set(wanted) <= set(stored)
    assert heard["errors"] == []
    texts = {"source": "Der Hund schläft.", "reference": "The dog is asleep.", "text": "The dog sleeps."}
    roles = protocols()[protocol].shows[attribute]
    assert shown == [texts[role] for role in ("source", "reference", "text") if role in roles]


def test_a_german_campaign_is_german_throughout(page, small_site) -> None:
    page.goto(small_site("da", target_language="de", instructions="de").join())

    expect(page.locator("main")).to_contain_text("3 Beurteilungen: Angemessenheit, Deutsch")
    expect(page.locator("main")).to_contain_text("Unter „Bedeutung“ steht, was gemeint ist.")


def test_the_source_has_its_own_language_and_direction(page, small_site) -> None:
    texts = (("Google אמר היום לא.", "r", "Google said no today."),)
    start(page, small_site("da-source", source_language="he", texts=texts).join())

    source, translation = page.locator(".text .text-body").all()

    assert (source.get_attribute("lang"), source.get_attribute("dir")) == ("he", "rtl")
    assert (translation.get_attribute("lang"), translation.get_attribute("dir")) == ("en", "ltr")


@pytest.mark.parametrize(
    ("text", "expected", "direction"),
    [
        ("Google אמר", "rtl", "rtl"),
        ("left in English", "rtl", "ltr"),
        ("لم يترجم", "ltr", "rtl"),
        ("the word سلام", "ltr", "ltr"),
        ("123 (!)", "rtl", "rtl"),
        ("", "ltr", "ltr"),
    ],
)
def test_a_text_runs_as_its_language_unless_no_letter_does(scripts, text, expected, direction) -> None:
    call = "async ([text, expected]) => (await import('/static/direction.js')).directionOf(text, expected)"

    found = scripts.evaluate(call, [text, expected])

    assert found == direction


def test_an_empty_translation_is_marked_as_such(page, small_site) -> None:
    start(page, small_site("da", texts=(("a", "Something.", " "),)).join())

    expect(page.locator(".text-black .text-body")).to_have_text("(no text)")


@pytest.mark.parametrize(("wanted", "drawn"), [(400, 400), (900, 900), (1200, 1280 - 48 - 40)])
def test_the_line_is_as_long_as_the_campaign_says_if_the_window_allows(
    page, small_site, wanted, drawn
) -> None:
    start(page, small_site("da", presentation={"line_width_px": wanted}).join())

    line = page.locator(".line").bounding_box()

    assert line["width"] == pytest.approx(drawn, abs=0.5)
    assert line["x"] + line["width"] / 2 == pytest.approx(640, abs=8)


@pytest.mark.parametrize("target_language", ["en", "ar"])
def test_the_labels_of_the_quality_metric_stand_at_their_marks_and_apart(
    page, small_site, target_language
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    start(page, small_site("sqm", target_language=target_language).join())

    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        line = page.locator(".line").bounding_box()
        boxes = {mark: page.locator(f".line-label-{mark} bdi").bounding_box() for mark in (0, 33, 66, 100)}

        from_start = {
            mark: share if target_language == "en" else 1 - share
            for mark, share in ((0, 0.0), (33, 0.33), (66, 0.66), (100, 1.0))
        }
        places = {mark: line["x"] + share * line["width"] for mark, share in from_start.items()}
        assert all(
            box["x"] - 1 <= places[mark] <= box["x"] + box["width"] + 1 for mark, box in boxes.items()
        ), width
        assert not any(overlap(one, two) for one, two in itertools.combinations(boxes.values(), 2)), width


def test_places_between_labels_are_spoken(page, small_site) -> None:
    start(page, small_site("sqm").join())

    for share, spoken in (
        (0.0, "at “No meaning preserved”"),
        (0.16, "halfway between “No meaning preserved” and “Some meaning preserved”"),
        (0.63, "just before “Most meaning preserved, few grammar mistakes”"),
        (1.0, "at “Perfect meaning and grammar”"),
    ):
        give(page, 100 * share)

        expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", spoken)


@pytest.mark.parametrize(
    ("protocol", "cases"),
    [
        ("likert", {("5", "4"): 4, ("ArrowRight", "ArrowDown", "ArrowLeft"): 2, ("Numpad3",): 3}),
        ("likert", {("9", "2"): 2, ("ArrowUp",): 5}),
        ("adequacy4", {("ArrowRight",): 3, ("1", "ArrowRight"): 4}),
    ],
)
def test_choices_are_made_with_the_keyboard_alone(page, small_site, heard, protocol, cases) -> None:
    start(page, small_site(protocol).join())

    for number, (keys, rating) in enumerate(cases.items()):
        for key in keys:
            page.keyboard.press(key)
        assert chosen(page) == [str(rating)], keys
        page.keyboard.press("Enter")
        expect_done(page, number + 1)

    assert sent_ratings(heard) == list(cases.values())


def test_arrow_keys_follow_choices_that_run_from_right_to_left(page, small_site) -> None:
    start(page, small_site("likert", target_language="ar", texts=ARABIC).join())
    first, last = (page.locator(f".choice:has([value='{rating}'])").bounding_box() for rating in (1, 5))

    page.keyboard.press("2")
    page.keyboard.press("ArrowLeft")

    assert first["x"] > last["x"]
    assert chosen(page) == ["3"]


def test_choices_stand_in_one_row_or_one_column_and_only_a_change_of_choice_is_counted(
    page, small_site, heard
) -> None:
    start(page, small_site("likert").join())
    choices = page.locator(".choice")

    wide = {box["y"] for box in boxes_of(choices)}
    page.set_viewport_size({"width": 390, "height": 844})
    narrow = boxes_of(choices)
    for key in ("2", "2", "3", "Enter"):
        page.keyboard.press(key)

    expect_done(page, 1)
    [judged] = [request for request in heard["requests"] if request.url.endswith("/work/judgements")]
    # Of 2, 2 and 3.
    assert judged.post_data_json["answer"]["n_moves"] == 2
    assert len(wide) == 1
    assert len({box["x"] for box in narrow}) == 1
    assert min(box["height"] for box in narrow) >= 44


def test_the_examples_are_on_the_first_screen_and_folded_beside_the_scale(page, small_site) -> None:
    words = words_in(protocols()["adequacy4"], "en")
    page.goto(small_site("adequacy4").join())
    expect(page.get_by_role("heading", name="What the answers mean")).to_be_visible()
    introduced = page.locator(".meaning").all_inner_texts()
    page.get_by_role("button", name="Start").click()
    fold = page.locator(".item summary")
    expect(fold).to_have_text("What the answers mean")
    expect(page.locator(".item .meaning").first).to_be_hidden()

    fold.click()
    folded_out = page.locator(".item .meaning").all_inner_texts()

    assert [text.split("\n")[0] for text in introduced] == ["4 excellent", "3 good", "2 bad", "1 very bad"]
    assert all(words["definitions"][str(4 - row)] in text for row, text in enumerate(introduced))
    assert all(f"Meant at {4 - row}." in text for row, text in enumerate(introduced))
    assert all(f"Said at {4 - row}." in text for row, text in enumerate(introduced))
    assert [text.split() for text in folded_out] == [text.split() for text in introduced]


def test_enter_on_the_fold_opens_it_and_sends_nothing(page, small_site, heard) -> None:
    start(page, small_site("adequacy4").join())
    page.keyboard.press("3")

    page.locator("summary").press("Enter")

    expect(page.locator(".item .meaning").first).to_be_visible()
    assert sent_ratings(heard) == []


def overlap(one: dict[str, float], two: dict[str, float]) -> bool:
    return (
        one["x"] < two["x"] + two["width"]
        and two["x"] < one["x"] + one["width"]
        and one["y"] < two["y"] + two["height"]
        and two["y"] < one["y"] + one["height"]
    )


def boxes_of(elements: Locator) -> list[dict[str, float]]:
    return [element.bounding_box() for element in elements.all()]
