// The dashboard's tables. On a narrow screen every row becomes a card; `data-label` then stands
// in for the column's heading.

import { intervalBars } from "./charts.js";
import { make } from "./dom.js";

const VERDICTS = {
  pass: { mark: "✓", text: "passed" },
  fail: { mark: "✕", text: "failed" },
  insufficient: { mark: "…", text: "not enough pairs yet" },
};
const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** @param {number|null|undefined} value @param {number} digits */
export function number(value, digits = 0) {
  if (!Number.isFinite(value)) return "–";
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}

/** The systems in order, a rule between clusters, the interval drawn beside each score. */
export function rankingTable(systems) {
  const bar = intervalBars(systems);
  // Comparisons have no ratings to take the mean of.
  const hasRatings = systems.some((system) => Number.isFinite(system.mean_rating));
  const mean = hasRatings ? ["Mean rating"] : [];
  const columns = ["Rank", "System", "Score", "", "Interval", ...mean, "Judgements"];
  const table = tableWith(columns, "stacked ranking");
  let body = null;
  let cluster = null;
  for (const system of systems) {
    if (body === null || system.cluster !== cluster) {
      cluster = system.cluster;
      body = table.createTBody();
    }
    body.append(
      labelled(columns, [
        make("td", "figure", ranks(system)),
        make("th", "", system.system_id),
        make("td", "figure", number(system.score, 3)),
        make("td", "wide", bar(system)),
        make("td", "figure soft", range(system)),
        ...(hasRatings ? [make("td", "figure", number(system.mean_rating, 1))] : []),
        make("td", "figure", number(system.n_judgements)),
      ]),
    );
  }
  return scrolling(table, "Ranking", "scroll");
}

function ranks({ rank, rank_low: low, rank_high: high }) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return number(rank);
  return low === high ? String(low) : `${low}–${high}`;
}

function range({ lower, upper }) {
  return Number.isFinite(lower) && Number.isFinite(upper) ? `${number(lower, 3)} to ${number(upper, 3)}` : "–";
}

/** How many workers there are, and how many of them got which verdict. */
export function workersSummary(workers, findings) {
  const verdicts = workers.map(({ worker_id: worker }) => findings.get(worker)?.verdict);
  const counts = Object.entries(VERDICTS)
    .map(([verdict, { text }]) => [verdicts.filter((found) => found === verdict).length, text])
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${number(count)} ${text}`);
  const total = `${number(workers.length)} ${workers.length === 1 ? "worker" : "workers"}`;
  return make("p", "soft", [total, ...counts].join(" · "));
}

/** @param {Object[]} workers  of the progress @param {Map<string, Object>} findings  of the analysis, by worker */
export function workersTable(workers, findings) {
  const columns = ["Worker", "HITs submitted", "Items judged", "Seconds per item", "Last seen", "Quality check"];
  const table = tableWith(columns, "stacked");
  const body = table.createTBody();
  for (const worker of workers) {
    body.append(
      labelled(columns, [
        make("th", "name", worker.worker_id),
        make("td", "figure", `${number(worker.n_submitted)} of ${number(worker.n_assignments)}`),
        make("td", "figure", `${number(worker.n_done)} of ${number(worker.n_items)}`),
        make("td", "figure", number(worker.seconds_per_item, 1)),
        make("td", "", ago(worker.last_at)),
        verdictCell(findings.get(worker.worker_id)),
      ]),
    );
  }
  return scrolling(table, "Table of workers", "scroll tall");
}

function verdictCell(finding) {
  const cell = make("td", "wide");
  const verdict = VERDICTS[finding?.verdict];
  if (!verdict) {
    cell.append(make("span", "soft", "not checked yet"));
    return cell;
  }
  const mark = make("span", "verdict-mark", verdict.mark);
  mark.setAttribute("aria-hidden", "true");
  cell.append(make("span", `verdict ${finding.verdict}`, mark, ` ${verdict.text}`));
  const facts = [];
  if (Number.isFinite(finding.p_value)) facts.push(finding.p_value < 0.001 ? "p < 0.001" : `p = ${number(finding.p_value, 3)}`);
  if (Number.isFinite(finding.n_pairs)) facts.push(`${number(finding.n_pairs)} ${finding.n_pairs === 1 ? "pair" : "pairs"}`);
  facts.push(...(finding.flags ?? []));
  cell.append(" ", make("span", "soft facts", facts.join(", ")));
  if (finding.reason) cell.title = finding.reason;
  return cell;
}

function ago(time) {
  const seconds = time ? (Date.now() - Date.parse(time)) / 1000 : NaN;
  if (!Number.isFinite(seconds)) return "–";
  const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  for (const [unit, length] of STEPS) {
    if (seconds >= length) return words.format(-Math.floor(seconds / length), unit);
  }
  return "just now";
}

// A box that can be focused and scrolled with the keyboard.
function scrolling(table, label, className) {
  const box = make("div", className, table);
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  return box;
}

function tableWith(columns, className) {
  const table = make("table", className);
  const row = table.createTHead().insertRow();
  for (const column of columns) {
    const cell = make(column ? "th" : "td", "", column);
    if (column) cell.scope = "col";
    row.append(cell);
  }
  return table;
}

function labelled(columns, cells) {
  const row = make("tr");
  cells.forEach((cell, index) => {
    if (cell.tagName === "TH") cell.scope = "row";
    else if (columns[index]) cell.dataset.label = columns[index];
    row.append(cell);
  });
  return row;
}
