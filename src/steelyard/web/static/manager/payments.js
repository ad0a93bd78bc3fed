// What each worker is due, with the evidence of the check beside it.

import { make } from "../dom.js";
import { Resource, desk, may } from "./desk.js";
import { fileButton } from "./files.js";
import { freshness } from "./freshness.js";
import { anchor, chip, redraw } from "./parts.js";
import { makeTable } from "./table.js";
import { evidence, verdictChip } from "./verdict.js";
import { money, number } from "./words.js";

const payments = new Resource(may("manager") ? "/payments?people=true" : "/payments", { isHeavy: true });
const currency = () => payments.data?.currency ?? desk.campaign?.rules?.currency ?? "USD";

const COLUMNS = [
  {
    name: "Worker",
    isHeading: true,
    className: "name",
    by: (row) => row.worker_id,
    cell: (row) => [anchor(row.worker_id, `#/workers/${encodeURIComponent(row.worker_id)}`, `pay ${row.worker_id}`), row.name ? make("span", "soft under", row.name) : null],
  },
  { name: "HITs", className: "figure", by: (row) => row.hits, cell: (row) => number(row.hits, Number.isInteger(row.hits) ? 0 : 2) },
  { name: "Items", className: "figure", by: (row) => row.items, cell: (row) => number(row.items) },
  { name: "Hours", className: "figure", by: (row) => row.hours, cell: (row) => number(row.hours, 2) },
  { name: "Due", className: "figure", by: (row) => row.pay, cell: (row) => money(row.pay, currency()) },
  { name: "Per hour", className: "figure", by: (row) => row.hourly_pay, cell: (row) => money(row.hourly_pay, currency()) },
  {
    name: "Check",
    by: (row) => row.verdict,
    className: "verdict-cell",
    cell: (row) => [verdictChip(row), row.excluded ? chip("excluded", "⊘", "excluded") : null, make("span", "soft under", evidence(row))],
  },
  {
    name: "Suggestion",
    by: (row) => row.suggestion,
    className: "wide",
    cell: (row) => [make("strong", "", row.suggestion ?? "–"), ...[row.reason, row.excluded && `Excluded: ${row.excluded}`].filter(Boolean).map((text) => make("span", "soft under", text))],
  },
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
  const downloads = make("p", "buttons", fileButton("Download CSV", "/payments.csv", "payments.csv"), fileButton("CSV with names", "/payments.csv?people=true", "payments.csv", "button quiet small needs-manager"));
  return {
    title: "Payments",
    element: make("div", "", make("section", "panel", summary, table.element)),
    needs: () => [payments],
    update() {
      const rows = payments.data?.workers ?? [];
      redraw(summary, [payments.version ?? payments.waitingWords, payments.error?.message, freshness.key(payments)], () => [
        make("div", "", ...summaryWords().map((text) => make("p", "soft", text)), ...freshness.parts(payments)),
        downloads,
      ]);
      table.update(rows);
    },
  };
}

function summaryWords() {
  if (payments.version === null) return [payments.waitingWords];
  if (payments.data === null) return [payments.error?.message ?? ""];
  const { total, notes = [] } = payments.data;
  const fee = total.fee ? `, with fees ${money(total.cost, currency())}` : "";
  const sum = Number.isFinite(total.pay) ? [`${money(total.pay, currency())} due in all${fee}.`] : [];
  return [...sum, ...notes];
}
