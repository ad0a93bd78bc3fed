// The manager's dashboard: tabs with addresses of their own, refreshed while the page is visible.

import { make } from "./dom.js";
import { inApp } from "./http.js";
import { desk, follow, keepFresh, page, reportPath } from "./manager/desk.js";
import { fileButton } from "./manager/files.js";
import { makeHits } from "./manager/hits.js";
import { makeMarkedText } from "./manager/marked_text.js";
import { makeMarks } from "./manager/marks.js";
import { makeOverview } from "./manager/overview.js";
import { redraw } from "./manager/parts.js";
import { makePayments } from "./manager/payments.js";
import { makePeople } from "./manager/people.js";
import { makePlatform } from "./manager/platform.js";
import { makeRanking } from "./manager/ranking.js";
import { makeRemarks } from "./manager/remarks.js";
import { makeSettings } from "./manager/settings.js";
import { stateChip } from "./manager/state.js";
import { makeWorker } from "./manager/worker.js";
import { makeWorkers } from "./manager/workers.js";

const TABS = {
  overview: makeOverview,
  ranking: () => makeRanking((choice) => go("ranking", choice)),
  workers: makeWorkers,
  hits: makeHits,
  marks: makeMarks,
  people: makePeople,
  payments: makePayments,
  platform: makePlatform,
  remarks: makeRemarks,
  settings: makeSettings,
};
// What is shown of one thing in a tab, by its names in the address.
const DETAILS = { workers: makeWorker, marks: makeMarkedText };
const FRAMES = { ratings: "Ratings", preferences: "Preferences", spans: "Spans" };

const main = document.getElementById("view");
const heading = document.getElementById("view-title");
const notice = document.getElementById("notice");
/** Views that were opened keep their order, search and place. */
const views = new Map();
let view = null;

function go(tab, choice) {
  const query = choice.toString();
  location.hash = `#/${tab}${query ? `?${query}` : ""}`;
}

// The address says which view: #/workers, #/workers/W0001, #/marks/SEGMENT/SYSTEM, #/ranking?method=mean-rating.
function readAddress() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [tab = "", ...names] = path.split("/").map(decodeURIComponent);
  return { tab: tab in TABS ? tab : "overview", names, choice: new URLSearchParams(query) };
}

function show() {
  const { tab, names, choice } = readAddress();
  const key = tab in DETAILS && names[0] ? [tab, ...names].join("/") : tab;
  const isOther = view !== views.get(key) || view === null;
  if (!views.has(key)) views.set(key, key === tab ? TABS[tab]() : DETAILS[tab](...names));
  view = views.get(key);
  view.open?.(choice);
  if (isOther) {
    main.replaceChildren(view.element);
    heading.textContent = view.title;
    // The tab itself shows the title of its view.
    heading.classList.toggle("visually-hidden", key === tab);
    document.title = `${view.title} · ${page.title} · Steelyard`;
    for (const link of document.querySelectorAll("#tabs a")) {
      if (link.hash === `#/${tab}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
  draw();
  keepFresh();
}

// By a link inside the page, not by loading it: whoever listens hears where they are now.
function changeAddress() {
  const before = view;
  show();
  if (view === before) return;
  heading.focus({ preventScroll: true });
  window.scrollTo({ top: 0 });
}

function draw() {
  if (desk.campaign === null) return;
  const { campaign, you } = desk.campaign;
  if (you) document.body.dataset.role = you.role;
  const title = campaign.title ?? page.title;
  redraw(document.getElementById("campaign-title"), title, () => [title]);
  const languages = `${campaign.source_language} → ${campaign.target_language}`;
  const about = [campaign.protocol, campaign.attribute, languages].filter(Boolean).join(" · ");
  redraw(document.getElementById("about"), [about, campaign.state], () => [campaign.state ? stateChip(campaign.state) : null, make("span", "", about)]);
  view.update();
}

function say(text) {
  if (notice.textContent !== text) notice.textContent = text;
}

// What the protocol gives: a file for each frame.
function drawDownloads() {
  const frames = page.gives ?? ["ratings"];
  const label = (frame) => (frames.length > 1 ? `${FRAMES[frame] ?? frame} as CSV` : "Judgements as CSV");
  const buttons = frames.map((frame) => fileButton(label(frame), `/judgements.csv?frame=${frame}`, `${frame}.csv`, "button quiet"));
  document.getElementById("downloads").replaceChildren(...buttons);
}

document.getElementById("report").href = inApp(reportPath);
// The report has no script of its own, so this page opens the printing dialogue, which saves files as PDF.
document.getElementById("report-pdf").addEventListener("click", () => {
  const report = window.open(inApp(reportPath));
  report?.addEventListener("load", () => report.print());
});
drawDownloads();
document.body.dataset.role = page.role ?? "owner";
// The part after # is the address of the view: this link leads elsewhere without changing it.
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  heading.focus();
});
window.addEventListener("hashchange", changeAddress);
show();
follow({ needs: () => view.needs(), draw, say });
