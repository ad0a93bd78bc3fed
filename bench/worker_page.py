"""How heavy the worker's page is and how soon the next item is there, in a real Chromium on this machine.

Requests and kilobytes of the start page, on the first visit and on the second; then, for keyboard and mouse,
the time from pressing Next until the next item is painted: answer sent, stored on disk, next item fetched,
drawn, and two frames of the screen gone by. Ratios are to the least that a browser can do in the same run:
the same two frames after a bare `/healthz`. With `--postgresql ADDRESS` (an empty database) that is measured
too.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, Request, sync_playwright

from steelyard.flows.open import open_campaign
from submissions import campaign_at, serving, tokens_of

CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# The first items warm up caches, of the browser's compiler above all.
N_WARM = 5
# Of a HIT with the usual 100 items.
N_PER_SET = 90
LONGEST_MS = 100.0

# Two frames later, what was drawn is on the screen.
PAINTED = (
    "const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"
)
# Resolves to the milliseconds from the key or click that sends an answer until the next screen is painted.
ARM = f"""() => {{
  {PAINTED}
  let began = 0;
  const note = (event) => {{
    const isNext = event.type === "click" ? event.target.closest("button.next") : event.key === "Enter";
    if (isNext) began = event.timeStamp;
  }};
  addEventListener("click", note, true);
  addEventListener("keydown", note, true);
  window.nextPainted = new Promise((done) => {{
    const observer = new MutationObserver(async () => {{
      observer.disconnect();
      removeEventListener("click", note, true);
      removeEventListener("keydown", note, true);
      await painted();
      done(performance.now() - began);
    }});
    observer.observe(document.getElementById("main"), {{ childList: true }});
  }});
}}"""
BARE = f"""async (path) => {{
  {PAINTED}
  const times = [];
  for (let round = 0; round < 100; round += 1) {{
    const began = performance.now();
    await (await fetch(path, {{ cache: "no-store" }})).text();
    const fetched = performance.now();
    await painted();
    times.push([fetched - began, performance.now() - began]);
  }}
  return times;
}}"""


def line(name: str, times: Sequence[float], least: float) -> str:
    """One line of figures."""
    ordered = sorted(times)
    p50, p95 = (ordered[int(len(ordered) * share)] for share in (0.5, 0.95))
    return (
        f"{name:<36} p50 {p50:6.1f}  p95 {p95:6.1f}  max {ordered[-1]:6.1f} ms   x {p50 / least:.2f}"
        f"   ({len(times)} times)"
    )


def visit(page: Page, url: str) -> str:
    """Open the start page; what it fetched."""
    requests: list[Request] = []

    def note(request: Request) -> None:
        requests.append(request)

    page.on("requestfinished", note)
    page.goto(url)
    page.get_by_role("heading").first.wait_for()
    ready = page.evaluate(f"async () => {{ {PAINTED} await painted(); return performance.now(); }}")
    page.remove_listener("requestfinished", note)
    sizes = [one.sizes() for one in requests]
    n_bytes = sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)
    return f"{len(requests)} requests, {n_bytes / 1000:.1f} kB, readable after {ready:.0f} ms"


def judge(page: Page, device: str, n: int) -> Iterator[float]:
    """Judge so many items; the milliseconds until each next one was there."""
    page.locator("main button").first.click()
    slider = page.get_by_role("slider")
    slider.wait_for()
    for _ in range(n):
        page.evaluate(ARM)
        if device == "keyboard":
            slider.focus()
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
        else:
            slider.click()
            page.locator("button.next").click()
        yield float(page.evaluate("window.nextPainted"))


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser of the tests."""
    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def figures(folder: Path, address: str, n_items: int) -> None:
    """Print all figures for the database at `address`."""
    campaign_at(folder / "texts", address, n_segments=1000)
    n_sets = -(-n_items // N_PER_SET)
    with open_campaign(address) as campaign:
        tokens = tokens_of(campaign, 1 + 2 * n_sets)
    with serving(address) as host, chromium() as browser:
        with browser.new_context() as context:
            page = context.new_page()
            # The server says where it is before it is ready.
            context.request.get(f"http://{host}/healthz")
            url = f"http://{host}/w/{tokens.pop()}"
            print(f"{'start page, first visit':<36} {visit(page, url)}")
            print(f"{'start page, second visit':<36} {visit(page, url)}")
            bare = page.evaluate(BARE, f"http://{host}/healthz")
        least = median(both for _, both in bare)
        print(line("/healthz, fetched", [fetched for fetched, _ in bare], least))
        print(line("/healthz, fetched and two frames", [both for _, both in bare], least))
        for device in ("keyboard", "mouse"):
            times: list[float] = []
            for _ in range(n_sets):
                with browser.new_context() as context:
                    page = context.new_page()
                    page.goto(f"http://{host}/w/{tokens.pop()}")
                    n = min(N_PER_SET, n_items - len(times)) + N_WARM
                    times += list(judge(page, device, n))[N_WARM:]
            print(line(f"next item, {device}", times, least))
            p95 = sorted(times)[int(len(times) * 0.95)]
            print(
                f"{'':<36} {'within' if p95 < LONGEST_MS else 'OVER'} the {LONGEST_MS:.0f} ms aimed at (p95)"
            )


def main() -> None:
    """Print requests, kilobytes and times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgresql", metavar="ADDRESS")
    parser.add_argument("--items", type=int, default=200)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("SQLite")
        figures(folder, str(folder / "page.db"), chosen.items)
        if chosen.postgresql:
            print("PostgreSQL")
            figures(folder, chosen.postgresql, chosen.items)


if __name__ == "__main__":
    main()
