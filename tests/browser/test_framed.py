"""Our pages inside the frame of a platform that sets are posted back to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import BrowserContext, FrameLocator, Page, Route, expect

from steelyard.domain.running import Rules

RULES = Rules(platform="mturk", pay_per_hit=1.5, joins_per_hour=0)
WORKER = "A1EXAMPLEWORKER"
PREVIEW = "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=HIT1"
# As the browsers of people do who allow no storage in frames.
NO_STORAGE = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("denied", "SecurityError"); } });"""


def accepted(session: str, worker: str = WORKER) -> str:
    return f"assignmentId={session}&hitId=HIT1&workerId={worker}&turkSubmitTo=https%3A%2F%2Fwww.mturk.com"


class Platform:
    """The pages of other origins: they hold ours in a frame, and take what it posts."""

    def __init__(self, context: BrowserContext) -> None:
        self.posted: list[dict[str, list[str]]] = []
        self.context = context
        for origin in ("https://worker.mturk.com", "https://evil.example", "https://www.mturk.com"):
            context.route(f"{origin}/**", self._answer)

    def _answer(self, route: Route) -> None:
        if route.request.method == "POST":
            assert route.request.url == "https://www.mturk.com/mturk/externalSubmit"
            self.posted.append(parse_qs(route.request.post_data or ""))
            route.fulfill(body="<p>Thanks</p>", content_type="text/html")
        else:
            src = parse_qs(route.request.url.partition("?")[2])["src"][0].replace("&", "&amp;")
            body = f'<iframe title="task" src="{src}" style="width:100%;height:800px;border:0"></iframe>'
            route.fulfill(body=f"<!doctype html><body style='margin:0'>{body}", content_type="text/html")

    def show(self, page: Page, address: str, *, origin: str = "https://worker.mturk.com") -> FrameLocator:
        page.goto(f"{origin}/?src={address.replace('&', '%26').replace('?', '%3F')}")
        return page.frame_locator("iframe")


@pytest.fixture
def platform(context: BrowserContext) -> Platform:
    context.add_init_script(NO_STORAGE)
    context.grant_permissions(["local-network-access"])
    return Platform(context)


def look_alone(page: Page, assert_accessible: Callable[..., None]) -> None:
    """Let axe-core look at what the frame holds, in a page of its own: it looks into no frames."""
    alone = page.context.new_page()
    alone.goto(page.frames[-1].url)
    expect(alone.get_by_role("heading", level=1)).to_be_visible()
    assert_accessible(alone)
    alone.close()


def judge_a_set(frame: FrameLocator) -> None:
    """Judge three texts, from the page that invites to begin."""
    frame.get_by_role("button", name=re.compile("^(Start|Continue)$")).click()
    for number in range(3):
        expect(frame.locator(".progress-text")).to_have_text(f"{number} of 3 complete")
        frame.get_by_role("slider").click()
        frame.get_by_role("button", name="Next", exact=True).click()


@pytest.fixture
def site(small_site: Callable[..., Any]) -> Any:
    texts = tuple((f"Satz {number}.", f"Sentence {number}.", f"Clause {number}.") for number in range(6))
    return small_site("da", title="Held in a frame", rules=RULES, texts=texts, n_hits=2)


def test_a_preview_tells_what_the_work_is_and_asks_for_nothing(
    page: Page, platform: Platform, site: Any, assert_accessible: Callable[..., None]
) -> None:
    frame = platform.show(page, f"{site.open_url}?{PREVIEW}")

    expect(frame.locator("main")).to_contain_text("This is a preview.")
    expect(frame.locator("main")).to_contain_text("3 judgements of adequacy in English")
    expect(frame.locator("main")).to_contain_text("A set takes about 1 min. A set pays $1.50.")
    expect(frame.locator("button, input, textarea, a")).to_have_count(0)
    look_alone(page, assert_accessible)
    # Nobody else may hold the page in a frame and have people press its buttons unawares.
    platform.show(page, f"{site.open_url}?{PREVIEW}", origin="https://evil.example")
    page.wait_for_function("window.length === 1")
    assert page.frames[-1].url == "chrome-error://chromewebdata/"


def test_a_set_is_saved_here_and_then_posted_back_once(
    page: Page, platform: Platform, site: Any, assert_accessible: Callable[..., None]
) -> None:
    address = f"{site.open_url}?{accepted('ASSIGNMENT1')}"
    frame = platform.show(page, address)
    frame.get_by_role("button", name="Join", exact=True).click()
    judge_a_set(frame)
    expect(frame.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    look_alone(page, assert_accessible)
    # Whoever opens the work again, after a crash say, needs no further button to get there.
    frame = platform.show(page, address)
    other = page.context.new_page()
    other_frame = platform.show(other, f"{site.open_url}?{accepted('ASSIGNMENT2')}")
    expect(other_frame.get_by_role("button", name="Submit", exact=True)).to_be_visible()

    frame.get_by_role("button", name="Submit", exact=True).click()
    expect(frame.locator("body")).to_have_text("Thanks")
    other_frame.get_by_role("button", name="Submit", exact=True).click()

    # The other page thought that it had the set: there is one more to do.
    expect(other_frame.locator("main")).to_contain_text("One more set belongs to this page")
    other_frame.get_by_role("button", name="Start another set").click()
    judge_a_set(other_frame)
    other_frame.get_by_role("button", name="Submit", exact=True).click()
    expect(other_frame.locator("body")).to_have_text("Thanks")
    assert [(each["assignmentId"], each["items"]) for each in platform.posted] == [
        (["ASSIGNMENT1"], ["3"]),
        (["ASSIGNMENT2"], ["3"]),
    ]
    assert {tuple(each) for each in platform.posted} == {("assignmentId", "worker", "items")}
    # Both sets are done, so there is nothing to submit in a third session.
    frame = platform.show(page, f"{site.open_url}?{accepted('ASSIGNMENT3')}")
    expect(frame.locator("main")).to_contain_text("Please return the task on the site where you found it")
