"""How much the pages fetch, and that modules which came in one piece do what they did as files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

import steelyard.protocols as protocols_package
from steelyard.domain.entry import CampaignEntry, Consent, EntryQuestion, TrainingItem
from steelyard.protocols import protocols
from steelyard.web.joined import joined_script
from steelyard.web.static_files import asset_text

MOST_REQUESTS = 8
MOST_BYTES = 60_000
# A text of ordinary prose, as long as consent forms are.
PROSE = (Path(__file__).parents[2] / "docs" / "explanation" / "security.md").read_text("utf-8")[:4000]

# What is easily got wrong: order, names, functions used before they are written, classes, what is remembered.
MODULES = {
    "/static/entry.js": """
import { seen, note } from "./notes.js";
import { Shape, area } from "./shapes.js";
import { half } from "./numbers.js";
note("entry " + hoisted());
function hoisted() { return area(new Shape(4)); }
export const text = `import ${"export"} from`;
export const all = seen;
export const third = half(3);
""",
    "/static/notes.js": """
export const seen = [];
export function note(text) { seen.push(text); }
note("notes " + new URL("x", import.meta.url).pathname);
""",
    "/static/shapes.js": """
import { note } from "./notes.js";
import { half } from "./numbers.js";
const name = "mine";
export class Shape { constructor(size) { this.size = half(size) / 1; } }
export const area = (shape) => shape.size * shape.size;
note("shapes " + name + " " + (this === undefined));
""",
    "/static/numbers.js": """
import { note } from "./notes.js";
const name = "another";
note("numbers " + name);
export function half(number) { return number / 2; }
""",
}


@pytest.mark.parametrize("protocol", sorted(protocols()))
def test_the_start_page_is_light(
    page: Page, small_site: Callable[..., Any], heard: dict[str, list[Any]], protocol: str
) -> None:
    n_texts = protocols()[protocol].n_translations
    entry = CampaignEntry(
        Consent(PROSE),
        tuple(EntryQuestion(f"q{k}", PROSE[k * 80 : k * 80 + 60], "text") for k in range(6)),
        tuple(
            TrainingItem((PROSE[k * 300 : k * 300 + 200],) * n_texts, "Well done.", "Quelle", "Reference")
            for k in range(3)
        ),
    )
    site = small_site(protocol, presentation={"entry": entry.recorded})
    page.goto(site.join())
    expect(page.get_by_role("heading").first).to_be_visible()

    # Whether or not this browser asks for the picture in its tab.
    paths = [urlsplit(one.url).path for one in heard["requests"] if "favicon" not in one.url]
    sizes = [one.sizes() for one in heard["requests"]]
    n_bytes = sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)
    assert len(paths) + 1 <= MOST_REQUESTS, paths
    assert n_bytes + 1500 < MOST_BYTES
    assert heard["errors"] == []


def test_a_dashboard_loads_one_script_and_two_style_sheets(
    page: Page, lively_site: Any, heard: dict[str, list[Any]]
) -> None:
    page.goto(lively_site.manager_url)
    for view in ("Ranking", "Workers", "HITs", "People", "Payments", "Settings", "Overview"):
        page.get_by_role("navigation").get_by_role("link", name=view).click()
        expect(page.get_by_role("heading", name=view, level=2)).to_be_visible()

    files = [urlsplit(one.url).path for one in heard["requests"] if "/static/" in one.url]
    assert sorted(file for file in files if "favicon" not in file) == [
        "/static/dashboard.css",
        "/static/manager.js",
        "/static/style.css",
    ]
    assert heard["errors"] == []


def test_on_the_second_visit_files_are_only_asked_after(
    page: Page, small_site: Callable[..., Any], heard: dict[str, list[Any]]
) -> None:
    url = small_site("da").join()
    for _ in range(2):
        page.goto(url)
        expect(page.get_by_role("heading").first).to_be_visible()

    files = [one for one in heard["requests"] if re.search(r"\.(js|css)$", one.url)]
    again = [one.sizes()["responseBodySize"] for one in files[len(files) // 2 :]]
    assert again == [0] * 4


@pytest.fixture
def modules(page: Page) -> Page:
    """A page at an address where MODULES lie, and joined ones at /static/joined.js and below /protocols."""
    guide = (Path(protocols_package.__file__).parent / "README.md").read_text("utf-8")
    [widget] = re.findall(r"^```js\n(.*?)^```$", guide, flags=re.M | re.S)
    address = "/protocols/three-sliders/widget.js"
    own = {**MODULES, address: widget}
    joined, _ = joined_script("/static/entry.js", own.get)
    three_sliders, _ = joined_script(address, lambda there: own.get(there) or asset_text(there))
    files = {**MODULES, "/": "", "/static/joined.js": joined, address: three_sliders}

    def fulfil(route: Route) -> None:
        path = urlsplit(route.request.url).path
        kind = "text/javascript" if path.endswith(".js") else "text/html"
        route.fulfill(body=files[path], content_type=kind)

    page.route("http://modules.test/**", fulfil)
    page.goto("http://modules.test/")
    return page


def test_joined_modules_do_what_they_did_as_files(modules: Page) -> None:
    call = "async (path) => { const { all, text, third } = await import(path); return [all, text, third]; }"
    separate, joined = (modules.evaluate(call, f"/static/{name}.js") for name in ("entry", "joined"))

    assert separate == joined
    assert joined == [
        ["notes /static/x", "numbers another", "shapes mine true", "entry 4"],
        "import export from",
        1.5,
    ]


def test_the_widget_of_the_guide_works_in_one_piece(modules: Page) -> None:
    found = modules.evaluate(
        """async () => {
          const { mount } = await import("/protocols/three-sliders/widget.js");
          const words = { sliders: { a: "A", b: "B", c: "C" }, labels: {}, statements: {}, empty: "" };
          const options = { words, presentation: {}, attribute: "quality", language: "en", direction: "ltr",
            sourceLanguage: "de", sourceDirection: "ltr", elapsed: () => 0 };
          const mounted = mount(document.body, { text: "Said.", reference: "Meant." }, options, () => {});
          const sliders = [...document.querySelectorAll("input[type=range]")];
          const before = mounted.isComplete();
          for (const slider of sliders) slider.click();
          return [sliders.length, before, mounted.isComplete(), mounted.answer()];
        }"""
    )

    assert found == [3, False, True, {"a": 50, "b": 50, "c": 50}]
