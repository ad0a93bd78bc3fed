"""How soon a page full of marked texts reacts to a click, in a real Chromium on this machine.

Ten segments of three systems: thirty texts of forty words with forty marks in all. Measured is the time from the
click until script, layout and paint are done: for the first unit of a mark, for the last one (which marks the phrase
and opens the editor), and for opening the editor of a mark that is there. Ratios are to the least that a browser
can do in the same run: a click that nobody listens to, and the same frame.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from playwright.sync_api import Page, Route

from steelyard.protocols import protocols, words_in
from steelyard.web.static_files import served_file
from worker_page import chromium, line

N_TEXTS, N_WORDS, N_MARKS = 30, 40, 40
LONGEST_MS = 50.0
# The first ones warm up the browser's compiler.
N_WARM = 5
SHEET = """<!doctype html><html lang="en"><title>Marks</title>
<link rel="stylesheet" href="/static/style.css"><link rel="stylesheet" href="/static/spans/spans.css">
<main style="display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem"></main>"""
DRAW = """async ([texts, marks, words]) => {
  const { drawMarkable } = await import("/static/spans/markable.js");
  window.drawn = texts.map((text, at) => drawMarkable(text, {
    language: "en", direction: "ltr", label: "Translation", by: "word", tokens: ["[missing]"], marks: marks[at],
    severities: ["minor", "major"], categories: null, most: null, words, elapsed: () => performance.now(),
    onChange: () => {}, onPoint: (share) => window.drawn.forEach((one) => one.pointAt(share)),
  }));
  document.querySelector("main").append(...window.drawn.map(({ element }) => element));
}"""
# From the event until its frame is painted: a task that is posted in the frame runs after it.
ARM = """() => {
  window.painted = new Promise((done) => addEventListener("click", (event) => {
    const began = event.timeStamp;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now() - began);
      port2.postMessage(null);
    });
  }, { capture: true, once: true }));
}"""


def words() -> dict[str, object]:
    """Words of a protocol with marks, or keys in their place where none is registered."""
    marking = [one for one in protocols().values() if "spans" in one.gives]
    if marking:
        return dict(words_in(marking[0], "en"))
    return {"language": "en", "empty": "", "severities": {}, "spans": _Keys()}


class _Keys(dict[str, str]):
    """Every key that the engine uses, as its own text."""

    def __init__(self) -> None:
        folder = Path(__file__).parents[1] / "src/steelyard/web/static/spans"
        text = " ".join(file.read_text("utf-8") for file in sorted(folder.glob("*.js")))
        super().__init__({key: key for key in set(text.replace("(", " ").replace('"', " ").split())})


def clicked(page: Page, x: float, y: float) -> float:
    """Click there; the milliseconds until the page has reacted."""
    page.evaluate(ARM)
    page.mouse.click(x, y)
    return float(page.evaluate("window.painted"))
