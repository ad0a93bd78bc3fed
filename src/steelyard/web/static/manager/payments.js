// What each worker is due, with the evidence of the check beside it.

import { make, makeButton } from "../dom.js";
import { complain } from "./ask.js";
import { Resource, desk, fetchFile } from "./desk.js";
import { freshness } from "./freshness.js";
import { anchor, redraw, saveReply } from "./parts.js";
import { makeTable } from "./table.js";
import { verdictChip } from "./verdict.js";
import { money, number } from "./words.js";

const payments = new Resource("/payments");
const currency = () => payments.data?.currency ?? desk.campaign?.rules?.currency ?? "USD";

const COLUMNS = [
  {
    name: "Worker",
    isHeading: true,
    className: "name",
    by: (row) => row.worker_id,
    cell: (row) => [anchor(row.worker_id, `#/workers/${encodeURIComponent(row.worker_id)}`, `pay ${row.worker_id}`), row.name ? make("span", "soft under", row.name) : null],
  },
  { name: "HITs", className: "figure", by: (row) => row.n_hits, cell: (row) => number(row.n_hits) },
  { name: "Items", className: "figure", by: (row) => row.n_items, cell: (row) => number(row.n_items) },
  { name: "Hours", className: "figure", by: (row) => row.hours, cell: (row) => number(row.hours, 2) },
  { name: "Due", className: "figure", by: (row) => row.due, cell: (row) => money(row.due, currency()) },
  { name: "Check", by: (row) => row.verdict, cell: (row) => verdictChip(row) },
  { name: "Suggestion", by: (row) => row.suggestion, className: "wide", cell: (row) => [make("strong", "", row.suggestion ?? "–"), row.reason ? make("span", "soft under", row.reason) : null] },
];

export function makePayments() {
  const table = makeTable({
    label: "Table of payments",
    noun: "worker",
    columns: COLUMNS,
    keyOf: (row) => row.worker_id,
    textOf: (row) => [row.worker_id, row.name, row.email, row.suggestion, row.reason].join(" "),
    empty: "Nobody has judged anything yet.",
    order: { column: "Worker" },
  });
  const summary = make("div", "summary");
  const download = makeButton("Download as CSV", async () => {
    download.disabled = true;
    try {
      await saveReply(await fetchFile("/payments.csv"), `${desk.campaign.campaign.name}-payments.csv`);
    } catch (error) {
      complain(error);
    }
    download.disabled = false;
  }, "button quiet small");
  return {
    title: "Payments",
    element: make("div", "", make("section", "panel", summary, table.element)),
    needs: () => [payments],
    update() {
      const rows = payments.data?.payments ?? payments.data?.workers ?? (Array.isArray(payments.data) ? payments.data : []);
      redraw(summary, [payments.version, payments.error?.message, freshness.key(payments)], () => [
        make("p", "soft", payments.error?.message ?? summaryWords(rows), ...freshness.parts(payments)),
        download,
      ]);
      table.update(rows);
    },
  };
}

function summaryWords(rows) {
  if (payments.version === null) return "One moment …";
  const total = rows.reduce((sum, { due }) => sum + (due ?? 0), 0);
  const wage = desk.campaign?.rules?.wage ?? desk.campaign?.rules?.pay_per_hit;
  if (!wage) return "No wage is set, so nothing can be said about money. Set it on the tab Settings.";
  return `${money(total, currency())} due in all, for what was submitted. Suggestions rest on the check: a person decides.`;
}
