"""Texts, titles and names that would be programs stay words, in a real browser."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.conftest import LiveServer

RUN = "window.ran = true"
HOSTILE = (
    f'"><script>{RUN}</script><img src=x onerror="{RUN}"><svg onload="{RUN}">'
    f"<a href='javascript:{RUN}'>x</a>{{{{7*7}}}}${{7*7}}"
    "\N{RIGHT-TO-LEFT OVERRIDE}txt.exe\N{ZERO WIDTH SPACE}</textarea>'"
)
LONG = "W" * 5_000


@pytest.fixture
def watched(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page, and what it complains about: refusals of its own policy, errors, dialogs."""
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    yield page, complaints
    page.close()


@pytest.fixture(scope="module")
def hostile_site(small_site: Callable[..., LiveServer]) -> LiveServer:
    """A campaign whose title, texts and people are hostile."""
    texts = [(HOSTILE, f"{number} {HOSTILE}", f"{number} {LONG} {HOSTILE}") for number in range(2)]
    return small_site("da", title=HOSTILE, texts=texts)


def _name_a_worker(site: LiveServer) -> None:
    token = site.manager_url.rpartition("/")[2]
    body = json.dumps({"people": [{"name": HOSTILE[:100], "email": ""}]}).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{site.base_url}/api/v1/links", body, headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        assert reply.status == 201


def test_hostile_texts_and_titles_run_nothing_on_a_workers_page(
    hostile_site: LiveServer, watched: tuple[Page, list[str]]
) -> None:
    page, complaints = watched

    page.goto(hostile_site.worker_url)
    page.get_by_role("button", name="Start").click()
    page.get_by_text("<script>").first.wait_for()

    assert page.evaluate("window.ran") is None
    assert complaints == []


@pytest.mark.parametrize("place", ["", "#/people"])
def test_hostile_names_run_nothing_on_the_dashboard(
    hostile_site: LiveServer, watched: tuple[Page, list[str]], place: str
) -> None:
    page, complaints = watched
    _name_a_worker(hostile_site)

    page.goto(f"{hostile_site.manager_url}{place}")
    page.get_by_text("<script>").first.wait_for()

    assert page.evaluate("window.ran") is None
    assert complaints == []
