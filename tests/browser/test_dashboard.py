"""The manager's dashboard in a real browser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from steelyard.web.pages import REPORT_POLICY

ANALYSIS = "**/api/v1/analysis*"
CAMPAIGN = "**/api/v1/campaign"
VERDICTS = "**/api/v1/verdicts"


def open_tab(page: Page, tab: str) -> None:
    """By its link, as a person does."""
    page.locator("#tabs").get_by_role("link", name=tab, exact=True).click()
    expect(page.locator("#view-title")).to_have_text(tab)


def system(name: str, rank_low: int, rank_high: int, *, cluster: int, score: float) -> dict[str, Any]:
    return {
        "system_id": name,
        "rank": rank_low,
        "rank_low": rank_low,
        "rank_high": rank_high,
        "cluster": cluster,
        "score": score,
        "lower": score - 0.0625,
        "upper": score + 0.0625,
        "mean_rating": 70.25,
        "n_segments": 40,
        "n_judgements": 1234,
        "wins": 0,
    }


def finding(worker_id: str, verdict: str, p_value: float | None, n_pairs: int) -> dict[str, Any]:
    return {
        "worker_id": worker_id,
        "verdict": verdict,
        "p_value": p_value,
        "n_pairs": n_pairs,
        "flags": ["time"] if verdict == "fail" else [],
    }


@pytest.fixture
def changing_campaign(live_server: Any) -> dict[str, Any]:
    """What the server of `analysed` says of its campaign; tests may change it."""
    names = ("w-pass", "w-fail", "w-few", "w-new")
    reply = json.loads(live_server.call("GET", "/api/v1/campaign", live_server.manager_url))
    reply["progress"] |= {
        "n_judgements": 1234,
        "n_wanted": 5000,
        "n_submitted": 24,
        "n_openings": 100,
        "history": [["2026-01-01T08:00:00Z", 10], ["2026-01-01T09:00:00Z", 1234]],
        "workers": [
            {
                "worker_id": name,
                "n_assignments": 2,
                "n_submitted": 1,
                "n_done": 75,
                "n_items": 100,
                "seconds_per_item": 12.34,
                "last_at": "2026-01-01T09:00:00Z",
            }
            for name in names
        ],
    }
    return reply


@pytest.fixture
def analysed(page: Page, live_server: Any, changing_campaign: dict[str, Any]) -> Page:
    """A dashboard whose campaign and analysis are made up, all else being real."""
    analysis = {
        "signature": "steelyard:0.2|campaign:made-up|seed:7",
        "systems": [
            system("best", 1, 1, cluster=1, score=0.5),
            system("middle-a", 2, 3, cluster=2, score=0.25),
            system("middle-b", 2, 3, cluster=2, score=-0.125),
        ],
        "workers": [
            finding("w-pass", "pass", 0.0004, 10),
            finding("w-fail", "fail", 0.25, 10),
            finding("w-few", "insufficient", None, 1),
        ],
        "warnings": ["One thing to mind."],
    }
    page.route(CAMPAIGN, lambda route: route.fulfill(json=changing_campaign))
    page.route(ANALYSIS, lambda route: route.fulfill(json=analysis))
    page.route(VERDICTS, lambda route: route.fulfill(json=analysis))
    page.goto(f"{live_server.manager_url}#/ranking")
    expect(page.locator(".ranking")).to_be_visible()
    return page


def judge_one_item(context: BrowserContext, worker_url: str) -> None:
    page = context.new_page()
    page.goto(worker_url)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("slider").press("End")
    page.get_by_role("slider").press("Enter")
    expect(page.locator(".progress-text")).to_have_text("1 of 50 complete")
    page.close()


def test_figures_follow_the_workers_without_a_reload(context, page, live_server, worker_url) -> None:
    page.goto(live_server.manager_url)
    value = page.get_by_role("group", name="Judgements").locator(".figure-value")
    expect(value).not_to_be_empty()
    before = int(value.inner_text().replace(",", ""))

    judge_one_item(context, worker_url)

    expect(value).to_have_text(f"{before + 1:,}", timeout=20_000)


def test_too_little_data_is_said_in_the_servers_words(page, live_server) -> None:
    message = "mean-z: no worker has given two ratings yet."
    error = {"error": {"code": "not_enough_data", "message": message, "field": None}}
    page.route(ANALYSIS, lambda route: route.fulfill(status=409, json=error))

    page.goto(f"{live_server.manager_url}#/ranking")

    expect(page.locator("#view")).to_contain_text(message)
    expect(page.locator("#notice")).to_be_empty()


def test_the_ranking_is_in_order_on_one_scale_and_progress_is_held_against_what_is_wanted(
    heard, analysed: Page, live_server
) -> None:
    expect_clusters_in_order(analysed)
    expect_intervals_on_one_common_scale(analysed)
    # Warnings and the signature stand below the ranking.
    expect(analysed.locator("#view")).to_contain_text("One thing to mind.")
    expect(analysed.locator("#view")).to_contain_text("steelyard:0.2|campaign:made-up|seed:7")

    open_tab(analysed, "Overview")

    tile = analysed.get_by_role("group", name="Judgements")
    expect(tile).to_contain_text("1,234 of 5,000")
    expect(tile).to_contain_text("24 of 100 HITs submitted")
    expect(analysed.get_by_role("img", name="Judgements over time")).to_be_visible()
    # It works without errors and without anyone else.
    assert heard["errors"] == []
    urls = [request.url for request in heard["requests"]]
    assert [url for url in urls if not url.startswith(live_server.base_url)] == []


def expect_clusters_in_order(analysed: Page) -> None:
    """A group of rows for each cluster."""
    clusters = analysed.locator(".ranking tbody")

    assert [cluster.locator("th").all_inner_texts() for cluster in clusters.all()] == [
        ["best"],
        ["middle-a", "middle-b"],
    ]
    expect(clusters.nth(1).locator("tr").first).to_contain_text("2–3")
    expect(clusters.nth(1).locator("tr").last).to_contain_text("−0.188 to −0.063")


def expect_intervals_on_one_common_scale(analysed: Page) -> None:
    dots = analysed.locator(".ranking .bar-score")

    places = [dot.bounding_box()["x"] for dot in dots.all()]

    assert places == sorted(places, reverse=True)
    # 0.5, 0.25 and -0.125: the second gap is one and a half times the first.
    assert (places[1] - places[2]) / (places[0] - places[1]) == pytest.approx(1.5, abs=0.05)


def test_verdicts_are_said_in_words_and_counted(analysed: Page) -> None:
    open_tab(analysed, "Workers")
    expect(analysed.locator("#view")).to_contain_text(
        "4 workers · 1 passed · 1 failed · 1 not enough pairs yet"
    )

    cells = {
        worker_id: analysed.locator("tbody tr", has_text=worker_id).locator(".verdict-cell").inner_text()
        for worker_id in ("w-pass", "w-fail", "w-few", "w-new")
    }

    words = {
        worker_id: " ".join(part for part in cell.split() if part not in "✓✕…")
        for worker_id, cell in cells.items()
    }
    assert words == {
        "w-pass": "passed p < 0.001, 10 pairs",
        "w-fail": "failed p = 0.250, 10 pairs",
        "w-few": "not enough pairs yet 1 pair",
        "w-new": "nothing to check yet",
    }


def test_a_table_of_workers_is_sorted_searched_and_filtered(analysed: Page) -> None:
    open_tab(analysed, "Workers")
    names = analysed.locator("tbody th")
    # The worst first: that is what a manager looks for.
    expect(names).to_have_text(["w-fail", "w-few", "w-pass", "w-new"])

    analysed.get_by_role("button", name="Worker").click()
    expect(names).to_have_text(["w-fail", "w-few", "w-new", "w-pass"])
    analysed.get_by_role("button", name="Worker").click()
    expect(names).to_have_text(["w-pass", "w-new", "w-few", "w-fail"])
    expect(analysed.get_by_role("columnheader", name="Worker")).to_have_attribute("aria-sort", "descending")

    analysed.get_by_label("Search").fill("FAIL")
    expect(names).to_have_text(["w-fail"])
    analysed.get_by_label("Search").fill("")
    analysed.get_by_label("Show").select_option(label="Failed the check (1)")
    expect(names).to_have_text(["w-fail"])


def test_a_refresh_leaves_focus_and_order_where_they_are(analysed: Page, changing_campaign) -> None:
    open_tab(analysed, "Workers")
    analysed.get_by_role("button", name="Worker").click()
    link = analysed.get_by_role("link", name="w-pass")
    link.focus()

    changing_campaign["progress"]["workers"][0]["n_done"] = 76

    expect(analysed.locator("tbody tr", has_text="w-pass")).to_contain_text("76", timeout=20_000)
    expect(link).to_be_focused()
    expect(analysed.locator("tbody th").first).to_have_text("w-fail")


def test_tabs_have_addresses_back_works_and_the_first_tab_stop_skips_the_head(analysed: Page) -> None:
    open_tab(analysed, "Workers")
    analysed.get_by_role("link", name="Skip to the content").focus()
    analysed.keyboard.press("Enter")
    expect(analysed.locator("#view-title")).to_be_focused()
    expect(analysed.locator("#view-title")).to_have_text("Workers")

    analysed.get_by_role("link", name="w-fail").click()
    expect(analysed.locator("#view-title")).to_have_text("Worker w-fail")

    analysed.go_back()
    expect(analysed.locator("#view-title")).to_have_text("Workers")
    analysed.go_back()

    expect(analysed.locator("#view-title")).to_have_text("Ranking")
    assert analysed.url.endswith("#/ranking")


def test_the_link_of_each_worker_is_listed_and_the_open_one_copied(
    context: BrowserContext, page: Page, live_server
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{live_server.manager_url}#/people")
    expect(page.get_by_text(live_server.worker_url)).to_be_visible()

    page.get_by_role("button", name="Copy the open link").click()

    expect(page.get_by_role("button", name="Copy the open link")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == live_server.open_url


def test_the_judgements_are_downloaded_under_the_campaigns_name(
    context, page, live_server, worker_url
) -> None:
    judge_one_item(context, worker_url)
    page.goto(live_server.manager_url)
    expect(page.locator("#about")).not_to_be_empty()

    with page.expect_download() as download:
        page.get_by_role("button", name="Judgements as CSV").click()

    header, *rows = download.value.path().read_text("utf-8").splitlines()
    assert download.value.suggested_filename == "demo-de-en.judgements.csv"
    assert "worker" in header.split(",")
    assert rows


def test_a_hidden_dashboard_asks_for_nothing(analysed: Page, heard) -> None:
    analysed.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    analysed.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    analysed.wait_for_load_state("networkidle")
    heard["requests"].clear()

    # Longer than the time between two refreshes.
    analysed.wait_for_timeout(4_000)

    assert heard["requests"] == []


def test_an_unchanged_campaign_is_not_analysed_again(analysed: Page, heard) -> None:
    heard["requests"].clear()

    with analysed.expect_request_finished(lambda request: request.url.endswith("/campaign")):
        pass
    with analysed.expect_request_finished(lambda request: request.url.endswith("/campaign")):
        pass

    assert [request.url for request in heard["requests"] if request.url.endswith("/analysis")] == []


def test_the_report_is_one_click_away_and_a_silent_server_is_mentioned_and_forgiven(
    page: Page, live_server
) -> None:
    page.goto(live_server.manager_url)
    expect(page.locator("#about")).not_to_be_empty()
    link = page.get_by_role("link", name="Report")
    expect(link).to_have_attribute("href", f"{live_server.manager_url}/report")

    # The report may run no script: the dashboard prints it, once it is there.
    page.context.add_init_script("window.print = () => { window.printed = document.body.textContent; }")
    policy = {"Content-Security-Policy": REPORT_POLICY}
    page.context.route(
        "**/report",
        lambda route: route.fulfill(body="<p>whole</p>", content_type="text/html", headers=policy),
    )
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Report as PDF").click()
    opened.value.wait_for_load_state("load")
    assert opened.value.evaluate("window.printed") == "whole"
    opened.value.close()

    page.route(CAMPAIGN, lambda route: route.abort())
    expect(page.locator("#notice")).to_contain_text("is not responding", timeout=20_000)
    page.unroute(CAMPAIGN)

    expect(page.locator("#notice")).to_be_empty(timeout=20_000)


def test_names_are_shown_as_they_are_and_never_run(page: Page, live_server) -> None:
    name = "<img src=x onerror=alert(1)>"
    analysis = {"signature": name, "systems": [system(name, 1, 1, cluster=1, score=0.0)], "warnings": [name]}
    page.route(ANALYSIS, lambda route: route.fulfill(json=analysis))

    page.goto(f"{live_server.manager_url}#/ranking")

    expect(page.locator(".ranking tbody th")).to_have_text(name)
    assert page.locator("#view img").count() == 0


@pytest.mark.parametrize(
    ("pasted", "people"),
    [
        ("Ada Lovelace, ada@example.org", [("Ada Lovelace", "ada@example.org")]),
        ("Ada <ada@example.org>\n\n  Alan\n", [("Ada", "ada@example.org"), ("Alan", "")]),
        ("alan@example.org", [("", "alan@example.org")]),
        ("Ada\tada@example.org", [("Ada", "ada@example.org")]),
        ('"Lovelace, Ada";ada@example.org', [("Lovelace Ada", "ada@example.org")]),
    ],
)
def test_pasted_people_are_read(scripts: Page, pasted: str, people: list[tuple[str, str]]) -> None:
    found = scripts.evaluate(
        "async (text) => (await import('/static/manager/people.js')).readPeople(text)", pasted
    )

    assert [(each["name"], each["email"]) for each in found] == people


def test_a_slow_reply_waits_for_a_person_and_others_do_not(scripts: Page) -> None:
    due = scripts.evaluate("""async () => {
      const { Resource, desk, versionOf } = await import("/static/manager/desk.js");
      const campaignWith = (n) => ({ campaign: {}, progress: { n_judgements: n, workers: [] } });
      return [1_000, 60_000].map((milliseconds) => {
        desk.campaign = campaignWith(100);
        const found = new Resource("/analysis");
        found.version = versionOf(false);
        found.judgements = 100;
        found.tookMs = milliseconds;
        found.loadedAt = performance.now() - 3_600_000;
        const before = found.isDue;
        desk.campaign = campaignWith(412);
        return [before, found.isDue, found.behind];
      });
    }""")

    assert due == [[False, True, 312], [False, False, 312]]


@pytest.mark.parametrize(("most", "ticks"), [(7, [0, 2, 4, 6, 8]), (1428, [0, 500, 1000, 1500]), (0, [0, 1])])
def test_axes_have_round_numbers(scripts: Page, most: float, ticks: list[float]) -> None:
    found = scripts.evaluate("async (most) => (await import('/static/charts.js')).roundTicks(most)", most)

    assert found == ticks
