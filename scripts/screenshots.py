"""Pictures of pages: what workers and managers see, a report, a notebook. The crowds are simulated."""

from __future__ import annotations

import base64
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from html import escape
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from make_gallery import DOCS, example_text
from playwright.sync_api import Browser, FloatRect, Page, sync_playwright
from study_pictures import IMAGES, steelyard

from steelyard.emulators.demo_campaign import make_demo_campaign
from steelyard.emulators.offer import EmulatorSettings
from steelyard.emulators.rehearsal import RehearsalWish, rehearse
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.create import create
from steelyard.flows.links import add_workers, links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.simulate import Hand, make_hands
from steelyard.flows.submit import Submission, submit

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
# How many of the sixty people of a rehearsal have ended when its picture is taken.
N_ENDED = 16
OVERVIEW = """
<body style="margin:0;background:#e9e5da;display:flex;gap:28px;padding:28px">
<img style="width:760px;height:712px;object-fit:cover;object-position:top;border-radius:10px" src="{worker}">
<img style="width:700px;height:712px;object-fit:cover;object-position:top;border-radius:10px" src="{report}">
</body>
"""
# A cell of a notebook and what it shows, much as most programs do it.
NOTEBOOK = """
<body style="margin:0;padding:24px;background:#fff;color:#1f2328;font:15px system-ui,sans-serif">
<pre style="margin:0 0 16px;padding:12px 16px;background:#f4f5f7;border:1px solid #d6dae0;border-radius:4px;
font:14px ui-monospace,monospace"><span style="color:#57606a">[{number}]</span>  {code}</pre>
{view}
</body>
"""


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser without a window."""
    chromium = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        yield browser
        browser.close()


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


def dashboard(folder: Path) -> None:
    """The manager's dashboard in the middle of a campaign."""
    with served(make_lively(folder)) as (_, manager_url), browsing() as browser:
        take_dashboard(browser, manager_url)


def make_lively(folder: Path) -> str:
    """A campaign that 24 workers are in the middle of; two of them have left, and two are at it now."""
    text = example_text("da")
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


def demo(folder: Path) -> None:
    """A worker's page, the report, and both side by side, of the campaign that `steelyard demo` makes."""
    (folder / "campaign.toml").write_text(example_text("da"), "utf-8")
    steelyard(folder, "create campaign.toml --db demo.db\nsimulate demo.db --workers 30")
    with served(str(folder / "demo.db")) as (open_url, manager_url), browsing() as browser:
        take_demo(browser, open_url, manager_url)


def take_demo(browser: Browser, open_url: str, manager_url: str) -> None:
    """One picture a page, and the two that the README puts side by side."""
    page = browser.new_page(viewport={"width": 800, "height": 800})
    judge_first_item(page, open_url)
    page.screenshot(path=IMAGES / "worker.png")
    page.close()
    page = browser.new_page(viewport={"width": 900, "height": 915})
    page.goto(f"{manager_url}/report")
    page.screenshot(path=IMAGES / "report.png")
    page.close()
    shown = {name: _embedded(IMAGES / f"{name}.png") for name in ("worker", "report")}
    page = browser.new_page(viewport={"width": 1544, "height": 768})
    page.set_content(OVERVIEW.format(**shown))
    page.screenshot(path=IMAGES / "overview.png")
    page.close()


def marking(folder: Path) -> None:
    """Errors marked in three translations at a time."""
    with served(make_marked(folder)) as (open_url, _), browsing() as browser:
        take_marking(browser, open_url)


def make_marked(folder: Path) -> str:
    """A campaign in which errors are marked in three translations at a time."""
    text = example_text("esa-contrastive")
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


def platform(folder: Path) -> None:
    """The dashboard's page of the platform, in the middle of a rehearsal on the stand-in for Prolific."""
    urls: list[str] = []

    @contextmanager
    def watching(_step: str, _length: int) -> Iterator[Callable[[int], None]]:
        # Of those who come, most have ended; some are at work, some have yet to be decided on.
        ends = count(1)
        yield lambda _: take_platform(folder, *urls) if next(ends) == N_ENDED else None

    def hear(line: str) -> None:
        urls.extend(re.findall(r"http://[^\s,]+[^\s,.]", line))

    with open_campaign(make_demo_campaign(folder, "prolific", now=datetime.now(UTC))) as campaign:
        rehearse(campaign, RehearsalWish("prolific"), folder, tell=hear, progress=watching)


def take_platform(folder: Path, platform_url: str, base_url: str) -> None:
    """The page as a manager sees it whose server has the token."""
    token = {"PROLIFIC_URL": platform_url, "PROLIFIC_TOKEN": EmulatorSettings().token}
    with open_campaign(str(folder / "rehearsal.db")) as campaign:
        manager_url = links(campaign, base_url=base_url).manager_url
    with patch.dict("os.environ", token), browsing() as browser:
        page = browser.new_page(viewport={"width": 1120, "height": 1400})
        page.goto(f"{manager_url}#/platform")
        row = page.locator("tbody tr").nth(3)
        row.wait_for()
        box = row.bounding_box()
        assert box is not None
        # It ends between two rows.
        clip: FloatRect = {"x": 0, "y": 0, "width": 1120, "height": box["y"]}
        page.screenshot(path=IMAGES / "platform.png", full_page=True, clip=clip)


def notebook(folder: Path) -> None:
    """How a notebook shows the analysis of the page, by the page's own code."""
    text = (DOCS / "howto" / "python.md").read_text("utf-8")
    cells = re.findall(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)[:3]
    names: dict[str, Any] = {}
    for cell in cells:
        exec(cell, names)  # noqa: S102 (the page's own code)
    filled = {"number": len(cells), "code": escape(cells[-1].strip().replace("\n", "\n     "))}
    with browsing() as browser:
        page = browser.new_page(viewport={"width": 900, "height": 100})
        page.set_content(NOTEBOOK.format(**filled, view=names["analysis"]._repr_html_()))
        page.screenshot(path=IMAGES / "notebook.png", full_page=True)
