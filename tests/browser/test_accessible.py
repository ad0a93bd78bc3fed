"""Every page as axe-core sees it: on a wide light screen and on a narrow dark one."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from playwright.sync_api import expect

from steelyard.protocols import protocols

VENDOR = Path(__file__).parent / "vendor"


def test_axe_is_the_file_that_its_notes_name() -> None:
    digest = hashlib.sha256((VENDOR / "axe.min.js").read_bytes()).hexdigest()

    assert digest in (VENDOR / "README.md").read_text("utf-8")


def test_a_barrier_is_found(page, assert_accessible, small_site) -> None:
    page.goto(small_site("da").base_url)
    page.evaluate("document.querySelector('h1').after(document.createElement('button'))")

    with pytest.raises(AssertionError, match="button-name"):
        assert_accessible(page)


@pytest.mark.parametrize("protocol", list(protocols()))
def test_the_pages_of_a_worker_are_open_to_all(page, assert_accessible, small_site, protocol) -> None:
    page.goto(small_site(protocol).join())
    expect(page.locator(".intro .actions button")).to_be_visible()
    assert_accessible(page)

    page.locator(".intro .actions button").click()
    expect(page.locator(".item")).to_be_visible()
    assert_accessible(page)


def test_the_page_of_the_open_link_is_open_to_all(page, assert_accessible, small_site) -> None:
    page.goto(small_site("da").open_url)
    expect(page.get_by_role("button", name="Join")).to_be_visible()

    assert_accessible(page)


@pytest.mark.parametrize("path", ["/", "/w/nobody", "/m/nobody-nobody-nobody"])
def test_messages_are_open_to_all(page, assert_accessible, small_site, path) -> None:
    page.goto(f"{small_site('da').base_url}{path}")

    assert_accessible(page)
