"""How soon a page full of marked texts reacts to a click, in a real Chromium on this machine.

Ten segments of three systems: thirty texts of forty words, with forty marks in all. Measured is the time
from the click until script, layout and paint are done: for the first word of an error, for the last one
(which marks the phrase and opens the editor), for another severity, and for opening a mark that is there.
Ratios are to the least that a browser can do in the same run: a click that means nothing, and its frame. What
script and layout take of it is printed too, since a frame waits for the screen and for other processes.
"""

from __future__ import annotations

import argparse
import random
from statistics import median
from urllib.parse import urlsplit

from playwright.sync_api import Page, Route

from steelyard.web.static_files import served_file
from worker_page import chromium, line

VOCABULARY = ("river", "mountain", "quietly", "gave", "their", "answer", "because", "nobody", "had", "asked")
N_TEXTS, N_WORDS, N_MARKS = 30, 40, 40
LONGEST_MS = 50.0
# The first ones warm up the browser's compiler.
N_WARM = 5
SHEET = """<!doctype html><html lang="en"><title>Marks</title>
<link rel="stylesheet" href="/static/style.css"><link rel="stylesheet" href="/static/spans/spans.css">
<p id="nothing">A click here means nothing.</p>
<main style="display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem; padding: 1rem"></main>"""
DRAW = """async ([texts, marks]) => {
  const { drawMarkable } = await import("/static/spans/markable.js");
  // The words do not matter here: each is its own name.
  const words = { language: "en", spans: new Proxy({}, { get: (_, key) => String(key) }) };
  const point = (share) => window.drawn.forEach((one) => one.pointAt(share));
  window.drawn = texts.map((text, at) => drawMarkable(text, {
    language: "en", direction: "ltr", label: "Translation", by: "word", tokens: ["[missing]"],
    marks: marks[at], severities: ["minor", "major"], categories: null, most: null, words,
    elapsed: () => performance.now(), onPoint: point,
  }));
  document.querySelector("main").append(...window.drawn.map(({ element }) => element));
}"""
# Resolves to the milliseconds from the click until its frame is painted (a task posted in it runs later),
# and to those from its first listener to its last, with the layout that is then due.
ARM = """() => {
  window.painted = new Promise((done) => addEventListener("click", ({ timeStamp }) => {
    const began = performance.now();
    let worked = 0;
    addEventListener("click", () => {
      document.body.getBoundingClientRect();
      worked = performance.now() - began;
    }, { once: true });
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done([performance.now() - timeStamp, worked]);
      port2.postMessage(null);
    });
  }, { capture: true, once: true }));
}"""


def serve(route: Route) -> None:
    """The files of the pages, and a sheet for the texts."""
    path = urlsplit(route.request.url).path
    if path == "/":
        route.fulfill(body=SHEET, content_type="text/html")
    elif path.endswith((".js", ".css")):
        found = served_file(path)
        route.fulfill(body=found.content, content_type=found.media_type)
    else:
        route.fulfill(status=404)


def draw(page: Page, rng: random.Random) -> None:
    """Fill a page with texts and their marks."""
    texts = [" ".join(rng.choices(VOCABULARY, k=N_WORDS)) + "." for _ in range(N_TEXTS)]
    marks: list[list[dict[str, object]]] = [[] for _ in texts]
    for number in range(N_MARKS):
        start = rng.randrange(len(texts[number % N_TEXTS]) - 20)
        severity = rng.choice(("minor", "major"))
        marks[number % N_TEXTS].append(
            {"start": start, "end": start + rng.randrange(3, 20), "severity": severity}
        )
    page.route("http://bench.test/**", serve)
    page.goto("http://bench.test/")
    page.evaluate(DRAW, [texts, marks])


def clicked(page: Page, selector: str) -> tuple[float, float]:
    """Click in the middle of an element; the milliseconds until it is painted, and those of our scripts."""
    page.evaluate(ARM)
    page.locator(selector).first.click()
    painted, worked = page.evaluate("window.painted")
    return float(painted), float(worked)


def figures(page: Page, n_rounds: int) -> None:
    """Print all figures."""
    times: dict[str, list[tuple[float, float]]] = {}
    for number in range(n_rounds + N_WARM):
        text = f".markable:nth-child({number % N_TEXTS + 1})"
        free = f"{text} .markable-unit[aria-selected=false]"
        steps = {
            "first word": f"{free}:nth-child(n + {2 * (number % 20) + 1})",
            "last word, mark and editor": f"{text} .markable-unit:nth-child({2 * (number % 20) + 7})",
            "another severity": ".mark-severity-1",
            "elsewhere: editor closed": "#nothing",
            "nothing": "#nothing",
            "a mark that is there, editor": f"{text} .markable-unit[aria-selected=true]",
        }
        page.evaluate("() => window.drawn.forEach((one) => one.pointAt(null))")
        for name, selector in steps.items():
            times.setdefault(name, []).append(clicked(page, selector))
        page.keyboard.press("Escape")
        page.locator("#nothing").click()
        page.evaluate("(at) => { while (window.drawn[at].undo()); }", number % N_TEXTS)
    kept = {name: [painted for painted, _ in found[N_WARM:]] for name, found in times.items()}
    least = median(kept["nothing"])
    for name, found in kept.items():
        worked = median(worked for _, worked in times[name][N_WARM:])
        print(f"{line(name, found, least)}, script and layout {worked:.1f} ms")
    worst = max(sorted(found)[int(len(found) * 0.95)] for found in kept.values())
    print(f"{'':<36} {'within' if worst < LONGEST_MS else 'OVER'} the {LONGEST_MS:.0f} ms aimed at (p95)")


def main() -> None:
    """Print times and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    chosen = parser.parse_args()
    with chromium() as browser, browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        draw(page, random.Random(7))  # noqa: S311
        figures(page, chosen.rounds)


if __name__ == "__main__":
    main()
