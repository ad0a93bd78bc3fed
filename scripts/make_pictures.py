"""Takes the pictures of docs/images from a demo campaign: scripts/make_pictures.py DEMO.db

Run `steelyard demo --once` first; it prints where the database is.
"""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

IMAGES = Path(__file__).parent.parent / "docs" / "images"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
DESKTOP = {"width": 1280, "height": 800}
OVERVIEW = """
<body style="margin:0;background:#e9e5da;display:flex;gap:28px;padding:28px">
<img style="width:760px;height:760px;object-fit:cover;object-position:top;border-radius:10px" src="{worker}">
<img style="width:700px;height:760px;object-fit:cover;object-position:top;border-radius:10px" src="{report}">
</body>
"""


@contextmanager
def served(database: str) -> Iterator[tuple[str, str]]:
    """The campaign's open link and manager's link while it is served."""
    command = [sys.executable, "-m", "steelyard", "serve", database, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        lines = [server.stdout.readline() for _ in range(3)]
        try:
            yield tuple(re.findall(r"http://\S+/(?:join|m)/\S+", "".join(lines)))
        finally:
            server.terminate()


def judge_first_item(page: Page, open_url: str) -> None:
    """Join, begin, and mark the first item."""
    page.goto(open_url)
    page.get_by_role("button", name="Join", exact=True).click()
    page.get_by_role("button", name="Start").click()
    line = page.get_by_role("slider").bounding_box()
    assert line is not None
    page.mouse.click(line["x"] + 0.68 * line["width"], line["y"] + line["height"] / 2)
    # The button fades in.
    page.wait_for_timeout(600)


def take_pictures(browser: Browser, open_url: str, manager_url: str) -> None:
    """One picture a page, and the two that the README puts side by side."""
    page = browser.new_page(viewport={"width": 800, "height": 800})
    judge_first_item(page, open_url)
    page.screenshot(path=IMAGES / "worker.png")
    page.close()
    page = browser.new_page(viewport=DESKTOP)
    page.goto(manager_url)
    page.get_by_text("brass").first.wait_for()
    page.screenshot(path=IMAGES / "dashboard.png")
    page.set_viewport_size({"width": 900, "height": 977})
    page.goto(f"{manager_url}/report")
    page.screenshot(path=IMAGES / "report.png")
    page.close()
    shown = {name: _embedded(IMAGES / f"{name}.png") for name in ("worker", "report")}
    page = browser.new_page(viewport={"width": 1544, "height": 816})
    page.set_content(OVERVIEW.format(**shown))
    page.screenshot(path=IMAGES / "overview.png")
    page.close()


def _embedded(path: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


def main() -> None:
    """Take all pictures."""
    IMAGES.mkdir(exist_ok=True)
    chromium = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    with served(sys.argv[1]) as (open_url, manager_url), sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        take_pictures(browser, open_url, manager_url)
        browser.close()


if __name__ == "__main__":
    main()
