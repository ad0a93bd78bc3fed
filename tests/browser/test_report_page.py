"""The report in a real browser: nothing is cut, on a screen, on a phone or on paper."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from playwright.sync_api import Page, expect

from steelyard.domain.exhibit import ExhibitOptions
from steelyard.domain.result import AnalysisSettings
from steelyard.flows.analyse import weigh
from steelyard.flows.exhibit import report_exhibits
from steelyard.flows.source import Source
from steelyard.frames import ratings_frame
from steelyard.report.html import report_html

N_SYSTEMS, N_WORKERS, N_SEGMENTS = 20, 60, 4
# Width of the paper of A4 between its margins, in pixels of 1/96 inch.
PAPER = int((210 - 2 * 16) / 25.4 * 96)
# What stands beyond the right edge of its box, in what the page shows now.
CUT = """() => [...document.querySelectorAll(".scroll, .panels")]
  .filter((box) => box.clientWidth && box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.getAttribute("aria-label"))"""
# Where the contents end, and where the text begins.
EDGES = """() => {
  const { right, bottom } = document.querySelector(".contents").getBoundingClientRect();
  const { left, top } = document.querySelector(".body").getBoundingClientRect();
  return { right, bottom, left, top };
}"""
BEYOND_THE_PAPER = """() => [...document.querySelectorAll("table, svg, p")]
  .filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((part) => part.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def report() -> str:
    """Twenty systems of long names, sixty workers of long ids, every exhibit a report can have."""
    rng = np.random.default_rng(7)
    rows = []
    for worker, segment, place in product(range(N_WORKERS), range(N_SEGMENTS), range(N_SYSTEMS)):
        rating = float(np.clip(40 + 2 * place + rng.normal(0, 12), 20, 100))
        kinds = [("regular", rating)]
        kinds += [("degraded", rating - 20)] if place % 4 == 0 else []
        kinds += [("repeat", rating - 3)] if place % 4 == 1 else []
        system = f"organisation-of-{place:02d}_multilingual-transformer-big-ensemble_v{place}"
        who = (f"5f3c{worker:04d}a1b2c3d4e5f60718", f"h{worker}")
        about = (*who, system, f"s{segment}", f"d{segment}", "")
        rows += [(*about, kind, given, 8.0 + rng.random()) for kind, given in kinds]
    names = ["worker_id", "hit_id", "system_id", "segment_id", "document_id", "attribute"]
    schema = [*names, "item_kind", "rating", "seconds"]
    frame = ratings_frame(pl.DataFrame(rows, schema=schema, orient="row"))
    settings = AnalysisSettings()
    settings = replace(settings, method_settings=replace(settings.method_settings, draws=20))
    evidence = weigh(Source(frame, title="Toy", campaign="toy"), settings)
    return report_html(evidence.analysis, *report_exhibits(evidence, ExhibitOptions(draws=20)))


def test_the_report_is_whole_on_a_screen_on_a_phone_and_on_paper(page: Page, report: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.set_content(report)
    page.evaluate("document.querySelectorAll('details').forEach((folded) => { folded.open = true; })")
    contents = page.get_by_role("navigation", name="Contents")

    assert page.evaluate(CUT) == []
    assert page.evaluate(EDGES)["right"] < page.evaluate(EDGES)["left"]
    page.locator("#method").scroll_into_view_if_needed()
    expect(contents).to_be_in_viewport()

    page.set_viewport_size({"width": 390, "height": 800})
    # Wide tables scroll in their own boxes, the page does not.
    assert "Ranking" in page.evaluate(CUT)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(EDGES)["bottom"] <= page.evaluate(EDGES)["top"]

    page.set_viewport_size({"width": PAPER, "height": 1000})
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(BEYOND_THE_PAPER) == []
    expect(contents).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('thead')).display") == "table-header-group"
