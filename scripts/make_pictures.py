"""Takes the pictures of docs/images from a demo campaign: scripts/make_pictures.py DEMO.db

Run `steelyard demo --once` first; it prints where the database is.
"""

from __future__ import annotations

import base64
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from playwright.sync_api import Browser, Page, sync_playwright

from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.create import create
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.simulate import Hand, make_hands
from steelyard.flows.submit import Submission, submit
from steelyard.protocols import protocols

IMAGES = Path(__file__).parent.parent / "docs" / "images"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
OVERVIEW = """
<body style="margin:0;background:#e9e5da;display:flex;gap:28px;padding:28px">
<img style="width:760px;height:760px;object-fit:cover;object-position:top;border-radius:10px" src="{worker}">
<img style="width:700px;height:760px;object-fit:cover;object-position:top;border-radius:10px" src="{report}">
</body>
"""


@contextmanager
def served(database: str) -> Iterator[tuple[str, str]]:
    """The campaign's open link and manager's link while it is served."""
    command = [sys.executable, "-m", "steelyard", "serve", database, "--port", "0", "--print-links"]
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


def make_lively(folder: Path) -> str:
    """A campaign that 24 workers are in the middle of; two of them have left, and two are at it now."""
    text = (protocols()["da"].folder / "example.toml").read_text("utf-8")
    text = text.replace("hit_size = 100", "hit_size = 50").replace('"USD"', '"EUR"\nfee = 0.2')
    (folder / "campaign.toml").write_text(text, "utf-8")
    now = datetime.now(UTC)
    chance = random.Random(3)  # noqa: S311 (no secret)
    starts = sorted(timedelta(hours=chance.uniform(5, 95)) for _ in range(20))[::-1]
    # Hours ago, answers given, and how much slower than usual; the last two ask before the others are idle.
    stays = [(ago, 50 * chance.choice([1, 1, 2]), 1) for ago in starts]
    stays += [(timedelta(minutes=190), 4, 1), (timedelta(minutes=180), 12, 1)]
    stays += [(timedelta(minutes=75), 40, 4), (timedelta(minutes=71), 22, 8)]
    db = str(folder / "lively.db")
    create(folder / "campaign.toml", db, now=now - timedelta(days=4))
    with open_campaign(db) as campaign:
        workers = [
            link.worker_id for link in add_workers(campaign, 30, base_url="", now=now - timedelta(days=4))
        ]
        chance.shuffle(workers)
        for worker, hand, stay in zip(workers, make_hands(campaign, len(stays), seed=7), stays, strict=False):
            judge(campaign, worker, hand, start=now - stay[0], n_answers=stay[1], slow=stay[2])
    return db


def judge(
    campaign: OpenCampaign, worker: str, hand: Hand, *, start: datetime, n_answers: int, slow: int
) -> None:
    """Give so many answers, one after the other."""
    time = start
    for _ in range(n_answers):
        view = next_item(campaign, worker, now=time)
        if not isinstance(view, NextItem):
            return
        answer, milliseconds = hand.judge(view.assignment_id, view.item.item_id)
        time += slow * timedelta(milliseconds=milliseconds)
        given = Submission(str(uuid4()), view.assignment_id, view.item.item_id, answer, milliseconds)
        submit(campaign, worker, given, now=time)


def take_dashboard(browser: Browser, manager_url: str) -> None:
    """The first tab, and the page of a worker who fails the check."""
    page = browser.new_page(viewport={"width": 1120, "height": 1090})
    page.goto(manager_url)
    page.get_by_text("Narrower than planned").or_(page.get_by_text("As planned")).wait_for()
    page.screenshot(path=IMAGES / "dashboard.png")
    page.goto(f"{manager_url}#/workers?show=Failed+the+check")
    page.locator("tbody th a").first.click()
    page.locator(".pair").first.wait_for()
    page.screenshot(path=IMAGES / "dashboard-worker.png")
    page.close()


def take_pictures(browser: Browser, open_url: str, manager_url: str) -> None:
    """One picture a page, and the two that the README puts side by side."""
    page = browser.new_page(viewport={"width": 800, "height": 800})
    judge_first_item(page, open_url)
    page.screenshot(path=IMAGES / "worker.png")
    page.close()
    page = browser.new_page(viewport={"width": 900, "height": 977})
    page.goto(f"{manager_url}/report")
    page.screenshot(path=IMAGES / "report.png")
    page.close()
    shown = {name: _embedded(IMAGES / f"{name}.png") for name in ("worker", "report")}
    page = browser.new_page(viewport={"width": 1544, "height": 816})
    page.set_content(OVERVIEW.format(**shown))
    page.screenshot(path=IMAGES / "overview.png")
    page.close()


def make_marked(folder: Path) -> str:
    """A campaign in which errors are marked in three translations at a time."""
    text = (protocols()["esa-contrastive"].folder / "example.toml").read_text("utf-8")
    # Without two of the five, all stand side by side.
    text = re.sub(r'\[\[systems\]\]\nname = "(?:tin|lead)"\n(?:\w.*\n)*', "", text)
    (folder / "marked.toml").write_text(text, "utf-8")
    db = str(folder / "marked.db")
    create(folder / "marked.toml", db, now=datetime.now(UTC))
    return db


def take_marking(browser: Browser, open_url: str) -> None:
    """The second segment of a document, with an error just marked in one of its translations."""
    page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page.goto(open_url)
    page.get_by_role("button", name="Join", exact=True).click()
    page.get_by_role("button", name="Start").click()
    for number, (first, last) in enumerate([(1, 2), (4, 4), (2, 5)]):
        mark(page, number, first, last)
        page.keyboard.press("Escape")
        line = page.get_by_role("slider").nth(number)
        line.focus()
        page.keyboard.press("579"[number])
    page.get_by_role("button", name="Next", exact=True).click()
    page.locator(".recall-line").first.wait_for()
    page.wait_for_timeout(600)
    mark(page, 2, 2, 4)
    page.wait_for_timeout(600)
    page.screenshot(path=IMAGES / "marking.png")
    page.close()


def mark(page: Page, number: int, first: int, last: int) -> None:
    """Mark words of one of the translations, counted from 0."""
    words = page.locator(".item [role=listbox]").nth(number).get_by_role("option")
    words.nth(first).click()
    words.nth(last).click()


def _embedded(path: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


def main() -> None:
    """Take all pictures."""
    IMAGES.mkdir(exist_ok=True)
    chromium = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        with served(sys.argv[1]) as (open_url, manager_url):
            take_pictures(browser, open_url, manager_url)
        with served(make_lively(Path(folder))) as (_, manager_url):
            take_dashboard(browser, manager_url)
        with served(make_marked(Path(folder))) as (open_url, _):
            take_marking(browser, open_url)
        browser.close()


if __name__ == "__main__":
    main()
