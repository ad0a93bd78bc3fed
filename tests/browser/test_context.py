"""Documents in context, and what is recorded of how the page is handled, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Route, expect

from steelyard.domain.entry import CampaignEntry, Consent

TEXTS = tuple((f"Quelle {number}.", f"Meant {number}.", f"Said {number}.") for number in range(1, 8))
DOCUMENTS = "aaaaabb"
Sites = Callable[..., Any]
# There and half of the way back, 300 px on a path of 900; after a pause, elsewhere, 300 px straight on.
# That is 600 of 1,200 in all. A finger says nothing.
HANDLED = """async () => {
  const move = (clientX, clientY, pointerType = "mouse") =>
    document.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, pointerType }));
  move(100, 300);
  move(700, 300);
  move(400, 300);
  move(900, 700, "touch");
  await new Promise((done) => setTimeout(done, 250));
  move(200, 100);
  move(200, 400);
  document.dispatchEvent(new ClipboardEvent("paste"));
}"""


def document_site(small_site: Sites, **changes: Any) -> Any:
    return small_site("da", texts=TEXTS, documents=DOCUMENTS, presentation={"context": True}, **changes)


def begin(page: Page) -> None:
    page.get_by_role("button", name=re.compile("Start|Continue")).click()
    expect(page.get_by_role("slider")).to_be_visible()


def judge(page: Page, n: int) -> None:
    """Answer until the `n`-th text is on the screen."""
    heading = page.locator("h1")
    while f"Text {n} " not in heading.inner_text():
        before = heading.inner_text()
        page.keyboard.press("5")
        page.keyboard.press("Enter")
        expect(heading).not_to_have_text(before)


def earlier(page: Page) -> list[str]:
    return page.locator(".context .text-black .text-body").all_inner_texts()


def sent(heard: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [
        request.post_data_json for request in heard["requests"] if request.url.endswith("/work/judgements")
    ]


def test_two_documents_are_judged_in_context_with_a_reload_in_the_middle(
    page: Page, small_site: Sites, heard: dict[str, list[Any]], assert_accessible: Callable[[Page], None]
) -> None:
    page.goto(document_site(small_site).join())
    expect(page.locator(".steps")).to_contain_text("in the light of what came before")
    begin(page)

    # Nothing has come before; the next text is told what has.
    expect(page.locator(".context-start")).to_have_text("A new document begins here.")
    judge(page, 3)
    assert earlier(page) == ["Said 1.", "Said 2."]
    assert page.locator(".context .text-grey .text-body").all_inner_texts() == ["Meant 1.", "Meant 2."]
    expect(page.locator(".context .recall")).to_have_count(2)
    expect(page.get_by_role("slider")).to_be_focused()

    # Of more than three, the first are folded away, but the worker may look at them.
    judge(page, 5)
    assert earlier(page) == ["Said 2.", "Said 3.", "Said 4."]
    assert_accessible(page)
    page.reload()
    begin(page)
    assert earlier(page) == ["Said 2.", "Said 3.", "Said 4."]
    page.get_by_role("button", name="Show earlier (1)").click()
    assert earlier(page) == ["Said 1.", "Said 2.", "Said 3.", "Said 4."]
    expect(page.get_by_role("group", name="Earlier in this document")).to_be_focused()

    # Another document begins with nothing before it.
    page.get_by_role("slider").focus()
    judge(page, 6)
    expect(page.locator(".context-start")).to_be_visible()
    assert earlier(page) == []
    judge(page, 7)
    assert earlier(page) == ["Said 6."]
    assert not any("behaviour" in judgement for judgement in sent(heard))
    assert heard["errors"] == []


def test_a_long_document_stays_compact_from_right_to_left(page: Page, small_site: Sites) -> None:
    def lengthened(route: Route) -> None:
        reply = route.fetch()
        view = reply.json()
        view["context"] = [
            {"text": f"قيل {number}", "reference": f"قصد {number} " * 9, "answer": {"rating": 100}}
            for number in range(57)
        ]
        route.fulfill(response=reply, body=json.dumps(view))

    page.set_viewport_size({"width": 390, "height": 844})
    page.route("**/api/v1/work/next", lengthened)
    page.goto(document_site(small_site, target_language="ur").join())
    begin(page)

    scroller = page.locator(".context-scroller")
    expect(page.locator(".context-segment")).to_have_count(3)
    page.get_by_role("button", name="Show earlier (54)").click()
    expect(page.locator(".context-segment")).to_have_count(57)
    # What came last is in view, within a fifth of the screen, and nothing is wider than it.
    expect(page.get_by_text("قيل 56")).to_be_in_viewport()
    assert scroller.bounding_box()["height"] <= 844 / 5
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    mark, line = (
        page.locator(f".context {name}").last.bounding_box() for name in (".recall-mark", ".recall")
    )
    assert mark["x"] < line["x"] + line["width"] / 4
    assert (
        page.locator(".context .text-body").last.evaluate("body => getComputedStyle(body).direction") == "rtl"
    )


def test_behaviour_is_summed_up_per_item_where_workers_agree_to_it(
    page: Page, small_site: Sites, heard: dict[str, list[Any]]
) -> None:
    entry = CampaignEntry(Consent("We record how you handle the page."))
    page.goto(small_site("da", entry=entry).join())
    page.get_by_role("button", name=re.compile("^Agree|^I agree")).click()
    begin(page)

    page.evaluate(HANDLED)
    judge(page, 2)
    judge(page, 3)

    first, second = (judgement["behaviour"] for judgement in sent(heard))
    # Chromium says that this test controls it.
    assert first == {"hidden_ms": 0, "n_pastes": 1, "straightness": 0.5, "is_automated": True}
    assert second == {"hidden_ms": 0, "n_pastes": 0, "straightness": None, "is_automated": True}
    assert heard["errors"] == []
