// The ranking by any method, with any check, chosen here: the numbers of `steelyard analyse` with the same options.

import { intervalBars } from "../charts.js";
import { make } from "../dom.js";
import { inApp } from "../http.js";
import { Resource, reportPath } from "./desk.js";
import { freshness } from "./freshness.js";
import { anchor, field, panel, redraw, select } from "./parts.js";
import { counted, number } from "./words.js";

const USUAL = "";
const CHOICES = [
  ["method", "Method"],
  ["check", "Check of workers"],
  ["keep", "Workers who count"],
  ["exclusions", "What a person excluded"],
];
const KEEP = [[USUAL, "As the method needs it"], ["passing", "Only those who pass the check"], ["everyone", "Everyone"]];
const EXCLUSIONS = [[USUAL, "Left out"], ["ignore", "Counted all the same"]];
const methods = new Resource("/methods", { fixed: true });

/** @param {(choice: URLSearchParams) => void} go  shows another choice, at its own address */
export function makeRanking(go) {
  const controls = new Map(CHOICES.map(([name]) => [name, select([[USUAL, "Usual"]], USUAL)]));
  refill(controls.get("keep"), KEEP);
  refill(controls.get("exclusions"), EXCLUSIONS);
  for (const control of controls.values()) control.addEventListener("change", () => go(chosen()));
  const form = make("div", "tools choices", ...CHOICES.map(([name, label]) => field(label, controls.get(name))));
  const results = make("div", "results");
  let resource = new Resource("/analysis", { isHeavy: true });
  let wanted = new URLSearchParams();
  let isOffered = false;

  function chosen() {
    const given = [...controls].filter(([, control]) => control.value !== USUAL).map(([name, control]) => [name, control.value]);
    return new URLSearchParams(given);
  }

  // What the address asks for may be offered only when the server has said what there is.
  function choose() {
    for (const [name, control] of controls) {
      control.value = wanted.get(name) ?? USUAL;
      if (control.selectedIndex < 0) control.value = USUAL;
    }
  }

  function offer() {
    if (isOffered || !methods.data) return;
    isOffered = true;
    for (const [name, found] of [["method", methods.data.methods], ["check", methods.data.checks]]) {
      const usual = found.find((one) => one.name === methods.data[name]);
      const others = found.filter((one) => one !== usual).map((one) => [one.name, one.title]);
      refill(controls.get(name), [[USUAL, `${usual?.title ?? "Usual"} (usual)`], ...others]);
    }
    choose();
  }

  return {
    title: "Ranking",
    element: make("div", "", make("section", "panel", form, results)),
    needs: () => [methods, resource],
    open(choice) {
      wanted = choice;
      choose();
      const query = choice.toString();
      const path = query ? `/analysis?${query}` : "/analysis";
      if (path !== resource.path) resource = new Resource(path, { isHeavy: true });
    },
    update() {
      offer();
      results.setAttribute("aria-busy", String(resource.version === null));
      redraw(results, [resource.path, resource.version ?? resource.waitingWords, resource.error?.message, freshness.key(resource)], () => drawResults(resource));
    },
  };
}

function refill(control, options) {
  control.replaceChildren(...select(options, USUAL).children);
  control.value = USUAL;
}

/** @param {Resource} resource */
function drawResults(resource) {
  if (resource.version === null) return [make("p", "soft", resource.waitingWords)];
  if (resource.data === null) {
    return [make("p", "", resource.error?.message ?? ""), make("p", "soft", "The ranking will appear here.")];
  }
  const { systems, test, warnings = [], counts, signature, attributes = [] } = resource.data;
  const kept = counts
    ? `${number(counts.kept_judgements)} of ${counted(counts.judgements, "judgement")} by ${number(counts.kept_workers)} of ${counted(counts.workers, "worker")} count.`
    : "";
  return [
    make("p", "soft", kept, ...freshness.parts(resource)),
    rankingTable(systems),
    make("p", "soft", "Systems between two rules form a cluster: differences within a cluster may be due to chance. ", systems.length > 1 ? test?.words ?? "" : ""),
    ...attributes.map(({ attribute, systems: ranked }) => panel(attribute, rankingTable(ranked))),
    warnings.length ? make("ul", "warnings", ...warnings.map((text) => make("li", "", text))) : null,
    make("p", "", anchor("Report with these choices", inApp(`${reportPath}${resource.path.replace("/analysis", "")}`))),
    make("p", "signature", signature),
  ];
}

/** The systems in order, a rule between clusters, the interval drawn beside each score. */
export function rankingTable(systems) {
  const bar = intervalBars(systems);
  // Comparisons have no ratings to take the mean of.
  const hasRatings = systems.some((system) => Number.isFinite(system.mean_rating));
  const columns = ["Rank", "System", "Score", "", "Interval", ...(hasRatings ? ["Mean rating"] : []), "Judgements"];
  const table = make("table", "stacked ranking");
  const head = table.createTHead().insertRow();
  for (const column of columns) {
    const cell = make(column ? "th" : "td", "", column);
    if (column) cell.scope = "col";
    head.append(cell);
  }
  let body = null;
  let cluster = null;
  for (const system of systems) {
    if (body === null || system.cluster !== cluster) {
      cluster = system.cluster;
      body = table.createTBody();
    }
    const cells = [
      make("td", "figure rank", ranks(system)),
      make("th", "", system.system_id),
      make("td", "figure", number(system.score, 3)),
      make("td", "wide", bar(system)),
      make("td", "figure soft", range(system)),
      ...(hasRatings ? [make("td", "figure", number(system.mean_rating, 1))] : []),
      make("td", "figure", number(system.n_judgements)),
    ];
    cells.forEach((cell, index) => {
      if (cell.tagName === "TH") cell.scope = "row";
      else if (columns[index]) cell.dataset.label = columns[index];
    });
    body.append(make("tr", "", ...cells));
  }
  const box = make("div", "scroll", table);
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Ranking");
  return box;
}

function ranks({ rank, rank_low: low, rank_high: high }) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return number(rank);
  return low === high ? String(low) : `${low}–${high}`;
}

function range({ lower, upper }) {
  return Number.isFinite(lower) && Number.isFinite(upper) ? `${number(lower, 3)} to ${number(upper, 3)}` : "–";
}
