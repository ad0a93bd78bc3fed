"""The manager's view of everybody's marks, and a decision on them, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from steelyard.domain.marks import ErrorMark
from steelyard.flows.adjudicate import decisions
from steelyard.flows.open import open_campaign


def test_a_manager_compares_marks_decides_and_undoes(
    page: Page,
    write_marked: Callable[[str], None],
    serve_database: Callable[[str], Any],
    heard: dict[str, list[Any]],
    assert_accessible: Callable[[Page], None],
    tmp_path: Path,
) -> None:
    db = str(tmp_path / "marked.db")
    write_marked(db)
    site = serve_database(db)

    def decided() -> dict[tuple[str, str], Any]:
        with open_campaign(db) as campaign:
            return {key: each.marks for key, each in decisions(campaign).items()}

    page.goto(f"{site.manager_url}#/marks")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(3)
    assert [row.split()[:2] for row in rows.all_inner_texts()] == [
        ["s1", "alpha"],
        ["s2", "alpha"],
        ["s1", "beta"],
    ]
    assert_accessible(page)

    page.get_by_role("link", name="s1").first.click()
    expect(page.get_by_role("heading", name="Segment s1 by alpha")).to_be_visible()
    lines = page.locator(".marked-row")
    expect(lines).to_have_count(4)
    expect(lines.nth(0)).to_contain_text("score 40 · 2 marks")
    expect(lines.nth(0)).to_contain_text("dog Major, accuracy: mistranslation")
    # Severities have lines of different shapes, and words for those who hear them.
    expect(lines.nth(1)).to_contain_text("Error 1 of 1: Minor, accuracy: addition, “dog sleeps”")
    assert_accessible(page)

    page.get_by_role("button", name="Begin with these: the marks of W0001").click()
    page.get_by_label("Note").fill("W0001 is right")
    page.get_by_role("button", name="Save the decision").click()
    expect(page.locator(".marks-decision")).to_contain_text("2 errors, decided")
    assert decided() == {
        ("alpha", "s1"): (ErrorMark(4, 7, "major", "accuracy/mistranslation"), ErrorMark(None, None, "minor"))
    }
    assert_accessible(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".marks-decision")).to_contain_text("Nothing was decided yet")
    assert decided() == {}
    assert heard["errors"] == []
