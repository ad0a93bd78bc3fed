// The manager's dashboard: progress, ranking, workers and links, refreshed while the page is visible.

import { historyLine } from "./charts.js";
import { make, makeButton, readPage } from "./dom.js";
import { ApiError, fetchWithToken, inApp, request } from "./http.js";
import { number, rankingTable, workersSummary, workersTable } from "./tables.js";

const REFRESH_MS = 2_000;
// An analysis can be a lot of work for the server. It is requested again only if there are new judgements,
// and after this many times as long as the last one took.
const ANALYSIS_REST = 5;
const COPIED_MS = 1_500;

const { token } = readPage();
const notice = document.getElementById("notice");

let campaign = null;
let analysis = null;
let analysisError = null;
let analysedJudgements = null;
let nextAnalysisAt = 0;
let timer = 0;
const shown = new Map();

// Redraws a part only if what it shows has changed, so that focus and selection survive.
function update(id, data, drawParts) {
  const state = JSON.stringify(data);
  if (shown.get(id) === state) return;
  shown.set(id, state);
  document.getElementById(id).replaceChildren(...drawParts());
}

async function refresh() {
  campaign = await request("GET", "/api/v1/campaign", token);
  showCampaign();
  await refreshAnalysis();
  showFindings();
}

async function refreshAnalysis() {
  const { n_judgements: judgements } = campaign.progress;
  if (judgements === analysedJudgements || performance.now() < nextAnalysisAt) return;
  const started = performance.now();
  try {
    analysis = await request("GET", "/api/v1/analysis", token);
    analysisError = null;
    analysedJudgements = judgements;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    analysis = null;
    analysisError = error.message;
    analysedJudgements = judgements;
  } finally {
    nextAnalysisAt = performance.now() + ANALYSIS_REST * (performance.now() - started);
  }
}

async function keepFresh() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    await refresh();
    say("");
  } catch (error) {
    if (error instanceof ApiError && [401, 403, 404].includes(error.status)) {
      say("This link does not work. Please use the manager’s link exactly as `steelyard links` prints it.");
      return;
    }
    say("The server is not responding; trying again. What you see may be out of date.");
  }
  clearTimeout(timer);
  timer = setTimeout(keepFresh, REFRESH_MS);
}

function say(text) {
  if (notice.textContent !== text) notice.textContent = text;
}

function showCampaign() {
  const { progress, links } = campaign;
  const { protocol, attribute, source_language: from, target_language: to } = campaign.campaign;
  document.getElementById("about").textContent = [protocol, attribute, `${from} → ${to}`].filter(Boolean).join(" · ");
  const active = progress.workers.filter((worker) => worker.n_done > 0).length;
  update("figures", [progress.n_judgements, progress.n_wanted, progress.n_submitted, progress.n_openings, active], () => [
    figure("Judgements", progress.n_judgements, progress.n_wanted),
    figure("HITs submitted", progress.n_submitted, progress.n_openings),
    figure("Workers", active),
  ]);
  showHistory(progress.history ?? []);
  update("links", links, () => drawLinks(links));
}

function figure(label, value, wanted) {
  const amount = make("dd", "", make("span", "figure-value", number(value)));
  if (Number.isFinite(wanted)) {
    amount.append(make("span", "soft", ` of ${number(wanted)}`), meter(wanted ? value / wanted : 0));
  }
  return make("div", "", make("dt", "", label), amount);
}

function meter(share) {
  const done = make("div", "progress-done");
  done.style.width = `${100 * Math.min(share, 1)}%`;
  const bar = make("div", "progress-bar", done);
  bar.setAttribute("aria-hidden", "true");
  return bar;
}

function showHistory(history) {
  const box = document.getElementById("history");
  box.hidden = history.length < 2;
  if (box.hidden) return;
  const [first, last] = [history[0], history[history.length - 1]];
  const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const times = [first, last].map(([time]) => moment.format(new Date(time)));
  const label = `Judgements over time: ${number(first[1])} on ${times[0]}, ${number(last[1])} on ${times[1]}`;
  update("history", history, () => [
    make("p", "soft", "Judgements over time"),
    historyLine(history, label),
    make("figcaption", "soft axis", make("span", "", times[0]), make("span", "", times[1])),
  ]);
}

function showFindings() {
  update("ranking", [analysis?.systems, analysis?.signature, analysis?.warnings, analysisError], drawRanking);
  const findings = new Map((analysis?.workers ?? []).map((finding) => [finding.worker_id, finding]));
  const { workers } = campaign.progress;
  // The minute counts as a change: "last seen" grows older even if nobody works.
  update("workers", [workers, [...findings.values()], Math.floor(Date.now() / 60_000)], () =>
    workers.length
      ? [workersSummary(workers, findings), workersTable(workers, findings)]
      : [make("p", "soft", "Nobody has started yet. Send out the links below.")],
  );
}

function drawRanking() {
  if (analysis === null) {
    return [make("p", "", analysisError ?? "One moment …"), make("p", "soft", "The ranking will appear here.")];
  }
  const warnings = analysis.warnings ?? [];
  return [
    rankingTable(analysis.systems),
    make("p", "soft", "Systems between two rules form a cluster: differences within a cluster may be due to chance."),
    warnings.length ? make("ul", "warnings", ...warnings.map((text) => make("li", "", text))) : null,
    make("p", "signature", analysis.signature),
  ].filter(Boolean);
}

function drawLinks({ open_url: openUrl, workers }) {
  const parts = [];
  if (openUrl) {
    parts.push(
      make("p", "soft", "The open link: everyone who joins with it becomes a worker."),
      make("ul", "links", linkRow("Open link", openUrl)),
    );
  }
  if (workers?.length) {
    const rows = workers.map(({ worker_id: worker, url }) => linkRow(worker, url));
    parts.push(
      make("details", "", make("summary", "", `Personal links of workers (${number(workers.length)})`), make("ul", "links tall", ...rows)),
    );
  }
  return parts.length ? parts : [make("p", "soft", "There are no links yet. Create some with `steelyard links --add N`.")];
}

function linkRow(label, url) {
  const link = make("a", "", url);
  link.href = url;
  const button = makeButton("Copy", () => copy(url, button), "button quiet small");
  button.setAttribute("aria-label", `Copy the link: ${label}`);
  return make("li", "", make("span", "name", label), link, button);
}

async function copy(text, button) {
  await (navigator.clipboard ? navigator.clipboard.writeText(text) : copyOldWay(text));
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, COPIED_MS);
}

// Pages served over plain http have no clipboard object.
function copyOldWay(text) {
  const field = make("textarea", "visually-hidden", text);
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

async function downloadCsv(event) {
  const button = event.currentTarget;
  button.disabled = true;
  try {
    const response = await fetchWithToken("GET", "/api/v1/judgements.csv", token);
    const link = make("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = `${campaign?.campaign.name ?? "campaign"}-judgements.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    say(`The file could not be downloaded: ${error.message}`);
  }
  button.disabled = false;
}

document.getElementById("report").href = inApp(`/m/${encodeURIComponent(token)}/report`);
document.getElementById("csv").addEventListener("click", downloadCsv);
document.addEventListener("visibilitychange", keepFresh);
keepFresh();
