"""Running campaigns and a real Chromium to open their pages, shared by all browser tests.

Use these; they start once for all tests of a process:

- `page`: an empty page in a browser context for this test alone (no cookies or storage of other tests).
- `small_site(protocol, **settings)`: a campaign of one HIT with a few texts. Tests that ask for the same
  settings share one site, so take a worker's link from `.join()` and look only at what that worker did.
- `small_database(protocol, **settings)`: the same campaign without a server; gives the file of its database.
- `lively_site`: a campaign that people are in the middle of, some of whom have left.
- `live_server` and `worker_url`: the demo campaign with HITs of 50 items, and a new worker's link to it.
- `series_site`: a series of two small campaigns and one that is broken, on one server.
- `scripts`: a page for calling functions of our JavaScript modules, without a campaign around them.
- `heard`: what `page` asked for and complained about.
- `assert_accessible(page)`: fails if axe-core finds a barrier in what the page shows now. Half a second:
  call it once for each kind of view, in a test that has the view open anyway.

Opening a page costs about a third of a second. Check several facts about one view in one page, and test
functions that draw nothing through `scripts`.
"""

from __future__ import annotations

import json
import shutil
import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from starlette.types import ASGIApp

from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.text import Segment, System
from steelyard.domain.work import Hit, Item, ItemKind, PlacedItem, ShownText
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.create import create
from steelyard.flows.links import add_workers, links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.series import find_series, open_series
from steelyard.flows.series_links import series_door
from steelyard.flows.simulate import Hand, make_hands
from steelyard.flows.submit import Submission, submit
from steelyard.protocols import protocols, span_settings_of, words_in
from steelyard.store import campaigns
from steelyard.store.database import open_store
from steelyard.web.app import create_app
from steelyard.web.base_path import AtUrl
from steelyard.web.series_app import create_series_app

HIT_SIZE = 50
# The first is the same engine without windows: pages open about four times as fast.
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
START_SECONDS = 30
# One line for each rule that a page breaks, with the elements that do; of all rules or only of those named.
FIND_BARRIERS = """async (rules) => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const runOnly = rules ? { type: "rule", values: rules } : tags;
  const { violations } = await axe.run(document, { runOnly, resultTypes: ["violations"] });
  return violations.map(({ id, help, nodes }) =>
    `${id}: ${help}\\n` + nodes.map((node) => `    ${node.html}\\n    ${node.failureSummary}`).join("\\n"));
}"""
# What depends on colours and on the width of the screen.
LOOK_RULES = ["color-contrast", "target-size", "scrollable-region-focusable", "link-in-text-block"]
# Source, reference, translation.
SMALL_TEXTS = (
    ("Der Hund schläft.", "The dog is asleep.", "The dog sleeps."),
    ("Es regnet seit Tagen.", "It has been raining for days.", "It rains since days."),
    ("Sie lacht laut.", "She laughs out loud.", "She laughs loudly."),
)


@dataclass(frozen=True)
class LiveServer:
    """Where a running campaign can be reached. `db` is the address of its database."""

    base_url: str
    worker_url: str
    open_url: str
    manager_url: str
    db: str

    def call(self, method: str, path: str, url: str) -> bytes:
        """The reply to one request made with the token of the link `url`."""
        request = urllib.request.Request(f"{self.base_url}{path}", method=method)
        request.add_header("Authorization", f"Bearer {url.rpartition('/')[2]}")
        with urllib.request.urlopen(request, timeout=START_SECONDS) as reply:
            return reply.read()

    def join(self) -> str:
        """The link of a worker who has judged nothing yet."""
        return str(json.loads(self.call("POST", "/api/v1/join", self.open_url))["url"])

    def n_done(self, worker_url: str) -> int:
        """How many items of the open HIT the server has answers to."""
        return int(json.loads(self.call("GET", "/api/v1/work", worker_url))["n_done"])


@pytest.fixture(scope="session")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """The demo campaign with HITs of 50 items, served from a thread."""
    folder = tmp_path_factory.mktemp("campaign")
    example = (protocols()["da"].folder / "example.toml").read_text("utf-8")
    campaign_file = folder / "campaign.toml"
    example = example.replace("hit_size = 100", f"hit_size = {HIT_SIZE}")
    # All workers of all tests come from one address, and many begin nothing.
    example = example.replace("[rules]", "[rules]\njoins_per_hour = 0\nunbegun_hits = 0")
    campaign_file.write_text(example, "utf-8")
    db = str(folder / "campaign.db")
    create(campaign_file, db, now=datetime.now(UTC))
    with _serving(db) as server:
        yield server


@pytest.fixture(scope="session")
def small_database(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Writes a campaign of one HIT with a few texts; given what `small_site` is given."""

    def write(protocol: str, **changes: Any) -> str:
        db = str(tmp_path_factory.mktemp("small") / "small.db")
        _write_small(db, protocol, changes)
        return db

    return write


@pytest.fixture(scope="session")
def small_site(small_database: Callable[..., str]) -> Iterator[Callable[..., LiveServer]]:
    """Serves a campaign of one HIT with a few texts; given a protocol and the settings that differ.

    `below`: the path of its public address; `entry`: what comes before the first set; `documents`: by text,
    the document that it belongs to; `prefilled`: by number of the text, errors that are marked beforehand;
    `n_hits`: into how many HITs the texts are divided.
    """
    with ExitStack() as running:
        sites: dict[str, LiveServer] = {}

        def serve(protocol: str, *, below: str = "", **changes: Any) -> LiveServer:
            key = f"{protocol} {below} {changes}"
            if key not in sites:
                db = small_database(protocol, **changes)
                sites[key] = running.enter_context(_serving(db, below=below))
            return sites[key]

        yield serve


def _write_small(db: str, protocol: str, changes: dict[str, Any]) -> None:
    changes = dict(changes)
    texts = changes.pop("texts", SMALL_TEXTS)
    entry = changes.pop("entry", None)
    documents = changes.pop("documents", range(1, len(texts) + 1))
    prefilled = changes.pop("prefilled", {})
    hit_size = len(texts) // changes.pop("n_hits", 1)
    chosen = protocols()[protocol]
    usually = "adequacy" if "adequacy" in chosen.attributes else chosen.attributes[0]
    attribute = changes.get("attribute", usually)
    presentation = {
        **chosen.presentation,
        **({"shows": list(chosen.shows[attribute])} if chosen.may_show else {}),
        "words": words_in(chosen, changes.pop("instructions", "en")),
        "examples": [
            {"rating": rating, "reference": f"Meant at {rating:g}.", "text": f"Said at {rating:g}."}
            for rating in chosen.examples_at
        ],
        **({"entry": entry.recorded} if entry else {}),
        **changes.pop("presentation", {}),
    }
    marking = span_settings_of(chosen, presentation)
    if marking is not None:
        # As campaigns record it: in full.
        presentation["spans"] = asdict(marking)
    usual = CampaignSettings(
        name="small",
        title="A small campaign",
        protocol=protocol,
        attribute=attribute,
        source_language="de",
        target_language="en",
        design=DesignSettings(hit_size=hit_size, n_translations=chosen.n_translations),
        presentation=presentation,
    )
    settings = replace(usual, **changes)
    segments = tuple(
        Segment(str(number), str(documents[number - 1]), source, reference)
        for number, (source, reference, _) in enumerate(texts, start=1)
    )
    columns = {"alpha": [text for _, _, text in texts]}
    for number in range(2, settings.design.n_translations + 1):
        columns[f"system {number}"] = [f"{text} ({number})" for text in columns["alpha"]]
    campaign = Campaign(settings, tuple(map(System, columns)), segments, columns)
    items = [
        Item(f"i{segment}", ItemKind.REGULAR, *first, beside=tuple(ShownText(*other) for other in others))
        for segment, (first, *others) in _by_segment(campaign).items()
    ]
    hits = [
        Hit(
            f"H{1 + first // hit_size:04d}",
            1,
            1 + first // hit_size,
            _placed(items[first : first + hit_size]),
        )
        for first in range(0, len(items), hit_size)
    ]
    store = open_store(db, create=True)
    now = datetime.now(UTC)
    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            campaign,
            items=items,
            hits=hits,
            openings_per_hit=50,
            now=now,
            created_with="steelyard test",
            marks=lambda item: [(1, prefilled[item.segment_id])] if item.segment_id in prefilled else [],
        )
    store.close()


def _placed(items: list[Item]) -> tuple[PlacedItem, ...]:
    return tuple(PlacedItem(item.item_id, position, 1) for position, item in enumerate(items, start=1))


def _by_segment(campaign: Campaign) -> dict[str, list[tuple[str, str, str]]]:
    """System, segment and text of every translation."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for each in campaign.each_translation():
        row = (each.system_id, each.segment_id, each.text)
        found.setdefault(each.segment_id, []).append(row)
    return found


@pytest.fixture(scope="session")
def lively_site(tmp_path_factory: pytest.TempPathFactory, small_example: str) -> Iterator[LiveServer]:
    """A campaign in which four workers have submitted a HIT and three have left one."""
    folder = tmp_path_factory.mktemp("lively")
    text = small_example.replace("lease_minutes = 120", "lease_minutes = 30")
    (folder / "campaign.toml").write_text(text, "utf-8")
    db = str(folder / "lively.db")
    now = datetime.now(UTC)
    create(folder / "campaign.toml", db, now=now - timedelta(hours=2))
    with open_campaign(db) as campaign:
        added = add_workers(campaign, 10, base_url="", now=now - timedelta(hours=2))
        hands = make_hands(campaign, 7, seed=7)
        for number, (link, hand) in enumerate(zip(added, hands, strict=False)):
            # Nobody asks for work after the last three have left, so their places wait for a manager.
            n_answers, minutes = (HIT_SIZE, 50) if number < 4 else (3, 45)
            _judge(campaign, link.worker_id, hand, n_answers, now - timedelta(minutes=minutes))
    with _serving(db) as server:
        yield server


def _judge(campaign: OpenCampaign, worker_id: str, hand: Hand, n_answers: int, now: datetime) -> None:
    view = next_item(campaign, worker_id, now=now)
    for _ in range(n_answers):
        assert isinstance(view, NextItem)
        answer, milliseconds = hand.judge(view.assignment_id, view.item.item_id)
        given = Submission(str(uuid4()), view.assignment_id, view.item.item_id, answer, milliseconds)
        view = submit(campaign, worker_id, given, now=now).next


@pytest.fixture
def serve_database() -> Iterator[Callable[[str], LiveServer]]:
    """Serves the campaign in a database until the test ends."""
    with ExitStack() as running:
        yield lambda db: running.enter_context(_serving(db))


@contextmanager
def _serving(db: str, *, below: str = "") -> Iterator[LiveServer]:
    with open_campaign(db) as campaign, _running(AtUrl(create_app(campaign), below)) as root:
        base_url = f"{root}{below}"
        [worker] = add_workers(campaign, 1, base_url=base_url, now=datetime.now(UTC))
        found = links(campaign, base_url=base_url)
        yield LiveServer(base_url, worker.url, found.open_url, found.manager_url, db)


@contextmanager
def _running(app: ASGIApp) -> Iterator[str]:
    """Serve an app from a thread; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        _wait_until(lambda: server.started)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(START_SECONDS)


@dataclass(frozen=True)
class SeriesSite:
    """A running series: the link of its manager, and the open links of its campaigns."""

    manager_url: str
    open_urls: dict[str, str]


@pytest.fixture(scope="session")
def series_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeriesSite]:
    """A series of two small campaigns, en-cs and en-de, and a database that cannot be read, en-uk."""
    folder = tmp_path_factory.mktemp("event") / "wmt"
    folder.mkdir()
    for name in ("en-cs", "en-de"):
        _write_small(str(folder / f"{name}.db"), "da", {"name": name, "title": f"Campaign {name}"})
    (folder / "en-uk.db").write_text("This is no database.", "utf-8")
    series = find_series(str(folder))
    assert series is not None
    with open_series(series) as opened, _running(create_series_app(series, opened)) as base_url:
        yield SeriesSite(
            series_door(series).url(base_url),
            {
                one.name: links(one.result, base_url=f"{base_url}/c/{one.name}").open_url
                for one in opened
                if one.result is not None
            },
        )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), playwright.chromium.executable_path)
        if not Path(path).exists():
            pytest.fail("Chromium is missing: run `make test`, or install Debian's chromium package")
        launched = playwright.chromium.launch(executable_path=path, args=CHROMIUM_OPTIONS)
        yield launched
        launched.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    opened.set_default_timeout(15_000)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture(scope="session")
def scripts(browser: Browser, small_site: Callable[..., LiveServer]) -> Iterator[Page]:
    """A page in which functions of our scripts can be called; no test changes it."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(small_site("da").base_url)
    yield page
    context.close()


@pytest.fixture
def worker_url(live_server: LiveServer) -> str:
    """The link of a worker who has judged nothing yet."""
    return live_server.join()


@pytest.fixture
def heard(page: Page) -> dict[str, list[Any]]:
    """What the page asks for and complains about: `requests`, `responses`, `errors`."""
    found: dict[str, list[Any]] = {"requests": [], "responses": [], "errors": []}
    page.on("request", lambda request: found["requests"].append(request))
    page.on("response", lambda response: found["responses"].append(response))
    page.on("pageerror", lambda error: found["errors"].append(str(error)))
    page.on("console", lambda line: found["errors"].append(line.text) if line.type == "error" else None)
    return found


@pytest.fixture(scope="session")
def assert_accessible() -> Callable[..., None]:
    """Lets axe-core look at a page as it is now: in full when wide and light, then at its look elsewhere."""
    script = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
    views = ((1280, "light", None), (1280, "dark", LOOK_RULES), (390, "light", LOOK_RULES))

    def check(page: Page) -> None:
        before = page.viewport_size
        # Not as an element of the page: its policy would refuse that.
        page.evaluate(f"typeof axe === 'undefined' && (() => {{ {script} }})()")
        for width, colours, rules in views:
            page.set_viewport_size({"width": width, "height": 844})
            page.emulate_media(color_scheme=colours)
            found = page.evaluate(FIND_BARRIERS, rules)
            assert not found, f"{page.url}, {colours}, {width} px:\n" + "\n".join(found)
        if before:
            page.set_viewport_size(before)
        page.emulate_media(color_scheme="light")

    return check


def _wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            pytest.fail("The server under test did not start.")
        time.sleep(0.02)
