// The page of a series: all campaigns at a glance, each with a link to its own dashboard.

import { make } from "./dom.js";
import { inApp } from "./http.js";
import { act } from "./manager/ask.js";
import { call, desk, follow, reportPath } from "./manager/desk.js";
import { anchor, chip, meter, namedButton, redraw, tile } from "./manager/parts.js";
import { STATES, stateChip } from "./manager/state.js";
import { makeTable } from "./manager/table.js";
import { ago, counted, day, minute, money, moment, number } from "./manager/words.js";

// What can be done to several campaigns at once, and to which.
const MOVES = [
  { to: "paused", among: ["open"], label: "Pause all", what: "No HIT is given out and no answer is taken until you resume.", done: "paused" },
  { to: "open", among: ["paused"], label: "Resume all", what: "Workers can take HITs and judge again.", done: "open" },
  { to: "open", among: ["draft"], label: "Open all drafts", what: "Workers can take HITs and judge from now on. A campaign that was opened does not become a draft again.", done: "open" },
];
const SHORT_FORECAST = { done: "Complete", draft: "Not open yet", paused: "Paused", closed: "Closed", too_early: "Too early to say" };

const view = document.getElementById("view");
const tiles = make("div", "tiles");
const concerns = make("section", "panel");
concerns.setAttribute("aria-label", "What needs attention");
const table = makeTable({
  label: "Campaigns",
  noun: "campaign",
  columns: [
    { name: "Campaign", by: (row) => row.campaign, cell: nameCell, isHeading: true },
    { name: "State", by: (row) => row.glance?.state ?? "", cell: stateCell },
    { name: "Judged", by: (row) => share(row.glance), cell: judgedCell, className: "figure" },
    { name: "HITs idle", by: (row) => row.glance?.places.idle, cell: idleCell },
    { name: "Workers", by: (row) => row.glance?.n_workers, cell: (row) => (row.glance ? number(row.glance.n_workers) : ""), className: "figure" },
    { name: "Spent", by: (row) => row.glance?.spent, cell: spentCell, className: "figure" },
    { name: "End", by: (row) => row.glance?.forecast.expected_at, cell: endCell },
    { name: "Last answer", by: (row) => row.glance?.last_at, cell: lastCell },
  ],
  keyOf: (row) => row.campaign,
  textOf: (row) => `${row.campaign} ${row.glance?.title ?? ""} ${row.glance?.source_language ?? ""} ${row.glance?.target_language ?? ""}`,
  filters: [
    ["All", () => true],
    ["Open", (row) => row.glance?.state === "open"],
    ["With idle HITs", (row) => (row.glance?.places.idle ?? 0) > 0],
    ["Not available", (row) => row.glance === null],
  ],
  empty: "There is no campaign.",
  order: { column: "Campaign" },
});

function share(glance) {
  return glance?.n_wanted ? 1 - glance.n_left / glance.n_wanted : null;
}

function nameCell({ campaign, glance, manager_url: url }) {
  if (glance === null) return campaign;
  const languages = `${glance.source_language} → ${glance.target_language}`;
  return [anchor(campaign, url, `campaign ${campaign}`), make("span", "under soft", languages)];
}

function stateCell({ glance }) {
  return glance === null ? chip("fail", "✕", "Not available") : stateChip(glance.state);
}

function judgedCell({ glance }) {
  if (glance === null) return "";
  const words = `${number(100 * (share(glance) ?? 0))} %`;
  return [meter(share(glance) ?? 0), make("span", "under soft", `${words}, ${number(glance.n_judgements)} of ${number(glance.n_wanted)}`)];
}

function idleCell({ glance }) {
  if (glance === null) return "";
  return glance.places.idle ? chip("idle", "◔", counted(glance.places.idle, "HIT")) : "0";
}

function spentCell({ glance }) {
  if (glance === null || glance.spent === null) return "";
  return [money(glance.spent, glance.currency), make("span", "under soft", `of ${money(glance.expected, glance.currency)}`)];
}

function endCell({ glance }) {
  if (glance === null) return "";
  const { status, text, expected_at: expected } = glance.forecast;
  const words = make("span", "", status === "expected" ? `about ${day(expected)}` : SHORT_FORECAST[status] ?? text);
  words.title = text;
  return words;
}

function lastCell({ glance }) {
  if (!glance?.last_at) return "";
  const time = make("time", "", ago(glance.last_at));
  time.dateTime = glance.last_at;
  time.title = moment(glance.last_at);
  return time;
}

// Amounts of each currency for themselves.
function sums(glances, key) {
  const found = new Map();
  for (const glance of glances) {
    if (Number.isFinite(glance[key])) found.set(glance.currency, (found.get(glance.currency) ?? 0) + glance[key]);
  }
  return [...found].map(([currency, amount]) => money(amount, currency)).join(" + ");
}

function total(glances, count) {
  return glances.reduce((sum, glance) => sum + count(glance), 0);
}

function drawTiles(glances) {
  const left = total(glances, (glance) => glance.n_left);
  const wanted = total(glances, (glance) => glance.n_wanted);
  const idle = total(glances, (glance) => glance.places.idle);
  const held = total(glances, (glance) => glance.places.open);
  const ends = glances.map(({ forecast }) => forecast.expected_at).filter(Boolean).sort();
  const unforeseen = glances.filter(({ forecast }) => !["expected", "done", "closed"].includes(forecast.status)).length;
  const spent = sums(glances, "spent");
  return [
    tile("Judged", wanted ? `${number(100 * (1 - left / wanted))} %` : "–", `${number(total(glances, (glance) => glance.n_judgements))} judgements`, meter(wanted ? 1 - left / wanted : 0)),
    tile("Idle HITs", number(idle), `of ${counted(idle + held, "HIT")} begun`),
    spent ? tile("Spent", spent, `of ${sums(glances, "expected")} expected`) : null,
    tile("Last end", ends.length ? day(ends.at(-1)) : unforeseen ? "–" : "Complete", "", unforeseen ? make("p", "soft", `No forecast yet for ${counted(unforeseen, "campaign")}.`) : null),
  ];
}

// What is wrong with campaigns that are not available, and what the others warn of; the same warning once.
function concernsOf(campaigns) {
  const found = new Map();
  for (const { campaign, glance, error } of campaigns) {
    for (const text of glance?.warnings ?? [error]) found.set(text, [...(found.get(text) ?? []), campaign]);
  }
  return [...found];
}

function drawConcerns(found) {
  const lines = found.map(([text, names]) => make("li", "", make("strong", "", names.join(", ")), `: ${text}`));
  return [make("ul", "concerns", ...lines)];
}

function drawAbout(campaigns) {
  const counts = Object.keys(STATES).map((state) => [state, campaigns.filter(({ glance }) => glance?.state === state).length]);
  const broken = campaigns.filter(({ glance }) => glance === null).length;
  const words = counts.filter(([, count]) => count).map(([state, count]) => `${count} ${state}`);
  if (broken) words.push(`${broken} not available`);
  return [make("span", "", `${counted(campaigns.length, "campaign")}: ${words.join(", ")}`)];
}

function drawMoves(campaigns) {
  return MOVES.map((move) => {
    const concerned = campaigns.filter(({ glance }) => move.among.includes(glance?.state));
    return concerned.length ? namedButton(move.label, `move ${move.label}`, () => ask(move, concerned), "button quiet") : null;
  });
}

function ask({ to, among, label, what, done }, concerned) {
  const names = concerned.map(({ campaign }) => campaign).join(", ");
  return act({
    title: `${label}?`,
    text: [what, `${counted(concerned.length, "campaign")}: ${names}.`],
    confirm: label,
    reason: to === "paused" ? "optional" : undefined,
    send: (reason) => call("POST", "/series/state", { state: to, among, reason }),
    done: (changed) => `${counted(changed.filter(({ state, before }) => state === to && before !== to).length, "campaign is", "campaigns are")} ${done} now.`,
  });
}

function draw() {
  const { campaigns } = desk.campaign;
  const glances = campaigns.map(({ glance }) => glance).filter(Boolean);
  const found = concernsOf(campaigns);
  if (!tiles.isConnected) view.replaceChildren(tiles, concerns, make("section", "panel", table.element));
  redraw(document.getElementById("about"), campaigns.map(({ glance }) => glance?.state), () => drawAbout(campaigns));
  redraw(document.getElementById("actions"), campaigns.map(({ campaign, glance }) => [campaign, glance?.state]), () => drawMoves(campaigns));
  concerns.hidden = found.length === 0;
  redraw(concerns, found, () => drawConcerns(found));
  redraw(tiles, [glances, minute()], () => drawTiles(glances));
  table.update(campaigns);
}

document.body.dataset.role = "owner";
document.getElementById("report").href = inApp(reportPath);
follow({
  path: "/series",
  needs: () => [],
  draw,
  say: (text) => {
    document.getElementById("notice").textContent = text;
  },
});
