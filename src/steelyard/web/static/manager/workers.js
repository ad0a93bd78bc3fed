// The workers: how far each is, what the check says of them, and the way to their pages.

import { make } from "../dom.js";
import { desk, verdicts } from "./desk.js";
import { freshness } from "./freshness.js";
import { anchor, chip, redraw } from "./parts.js";
import { makeTable } from "./table.js";
import { VERDICTS, evidence, flagWords, verdictChip } from "./verdict.js";
import { ago, counted, number } from "./words.js";

const VERDICT_ORDER = { fail: 0, insufficient: 1, pass: 2 };

/** Each worker as the table needs them: progress, link, finding. */
export function workerRows() {
  const { progress, links } = desk.campaign;
  const people = new Map((links?.workers ?? []).map((link) => [link.worker_id, link]));
  const findings = new Map((verdicts.data?.workers ?? []).map((finding) => [finding.worker_id, finding]));
  return progress.workers.map((worker) => {
    const { name = "", email = "" } = people.get(worker.worker_id) ?? {};
    const finding = findings.get(worker.worker_id);
    const { verdict, p_value, n_pairs, flags = [], remarks = [] } = finding ?? {};
    return { ...worker, name, email, finding: finding && { verdict, p_value, n_pairs, flags, remarks } };
  });
}

/** Marks of what a person decided about a worker. */
export function decisionChips(row) {
  return [
    row.is_excluded ? chip("excluded", "⊘", "excluded") : null,
    row.is_blocked ? chip("excluded", "■", "blocked") : null,
    row.is_revoked ? chip("excluded", "✕", "link revoked") : null,
    row.is_simulated ? chip("quiet", "~", "simulated") : null,
  ].filter(Boolean);
}

/** Where the worker's open HIT stands. */
function openWords(row) {
  if (!row.open) return "–";
  const { is_idle: isIdle, n_done: nDone, n_items: nItems, hit_id: hit } = row.open;
  return [isIdle ? chip("idle", "◔", "idle") : chip("open", "●", "working"), make("span", "soft under", `${hit}, ${number(nDone)} of ${number(nItems)}`)];
}

const COLUMNS = [
  {
    name: "Worker",
    isHeading: true,
    className: "name",
    by: (row) => row.worker_id,
    cell: (row) => [
      anchor(row.worker_id, `#/workers/${encodeURIComponent(row.worker_id)}`, `worker ${row.worker_id}`),
      row.name || row.email ? make("span", "soft under", row.name || row.email) : null,
    ],
  },
  {
    name: "Check",
    by: (row) => (row.finding ? VERDICT_ORDER[row.finding.verdict] ?? 3 : 4),
    className: "verdict-cell",
    cell: (row) => [verdictChip(row.finding), ...decisionChips(row), make("span", "soft under", evidence(row.finding))],
  },
  {
    name: "To look at",
    by: (row) => -flagWords(row.finding).length,
    className: "wide",
    cell: (row) => {
      const words = flagWords(row.finding);
      return words.length ? make("ul", "flags", ...words.map((text) => make("li", "", text))) : "–";
    },
  },
  { name: "HITs", className: "figure", by: (row) => row.n_submitted, cell: (row) => number(row.n_submitted) },
  { name: "Items", className: "figure", by: (row) => row.n_done, cell: (row) => number(row.n_done) },
  { name: "Now", by: (row) => (row.open ? (row.open.is_idle ? 0 : 1) : 2), cell: openWords },
  { name: "Seconds per item", className: "figure", by: (row) => row.seconds_per_item, cell: (row) => number(row.seconds_per_item, 1) },
  { name: "Last seen", by: (row) => -Date.parse(row.last_at ?? 0), cell: (row) => ago(row.last_at) },
];

export function makeWorkers() {
  const table = makeTable({
    label: "Table of workers",
    noun: "worker",
    columns: COLUMNS,
    keyOf: (row) => row.worker_id,
    textOf: (row) => [row.worker_id, row.name, row.email, VERDICTS[row.finding?.verdict]?.text, ...flagWords(row.finding)].join(" "),
    filters: [
      ["All workers", () => true],
      ["Failed the check", (row) => row.finding?.verdict === "fail"],
      ["To look at", (row) => flagWords(row.finding).length > 0],
      ["Excluded or blocked", (row) => Boolean(row.is_blocked || row.is_excluded)],
      ["Working now", (row) => Boolean(row.open)],
      ["Not started", (row) => !row.n_done],
    ],
    empty: "Nobody has started yet. Send out the links of the tab People.",
    order: { column: "Check" },
  });
  const summary = make("p", "soft");
  const element = make("div", "", make("section", "panel", summary, table.element));
  return {
    title: "Workers",
    element,
    needs: () => [verdicts],
    open: (choice) => table.filterBy(choice.get("show") ?? ""),
    update() {
      const rows = workerRows();
      redraw(summary, [rows.length, rows.map((row) => row.finding?.verdict), freshness.key(verdicts)], () => [
        make("span", "", verdictCounts(rows)),
        ...freshness.parts(verdicts),
      ]);
      table.update(rows);
    },
  };
}

/** How many workers there are, and how many of them got which verdict. */
export function verdictCounts(rows) {
  const counts = Object.entries(VERDICTS)
    .map(([verdict, { text }]) => [rows.filter((row) => row.finding?.verdict === verdict).length, text])
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${number(count)} ${text}`);
  return [counted(rows.length, "worker"), ...counts].join(" · ");
}
