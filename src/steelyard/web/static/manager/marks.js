// Translations in which workers marked errors, those that they marked most differently first.

import { make } from "../dom.js";
import { Resource } from "./desk.js";
import { freshness } from "./freshness.js";
import { anchor, chip, meter, redraw } from "./parts.js";
import { makeTable } from "./table.js";
import { counted, number } from "./words.js";

/** All translations with marks, and which of them were decided on. */
export const marks = new Resource("/marks", { isHeavy: true });

/** Where one translation is shown. */
export function addressOf({ segment_id: segment, system_id: system }) {
  return `#/marks/${encodeURIComponent(segment)}/${encodeURIComponent(system)}`;
}

const COLUMNS = [
  {
    name: "Segment",
    isHeading: true,
    className: "name",
    by: (row) => row.segment_id,
    cell: (row) => anchor(row.segment_id, addressOf(row), `marks ${row.segment_id} ${row.system_id}`),
  },
  { name: "System", by: (row) => row.system_id, cell: (row) => [row.system_id, ...row.credited].join(", ") },
  {
    name: "Disagreement",
    className: "figure",
    by: (row) => row.disagreement,
    cell: (row) => (row.disagreement === null ? "–" : [number(row.disagreement, 2), meter(row.disagreement)]),
  },
  { name: "Workers", className: "figure", by: (row) => row.n_workers, cell: (row) => number(row.n_workers) },
  { name: "Marks", className: "figure", by: (row) => row.n_marks, cell: (row) => number(row.n_marks) },
  { name: "Scores", className: "figure", by: (row) => spread(row), cell: (row) => scoreWords(row) },
  { name: "Decision", by: (row) => Number(row.is_decided), cell: (row) => (row.is_decided ? chip("pass", "✓", "decided") : "–") },
];

function spread({ lowest, highest }) {
  return lowest === null ? null : highest - lowest;
}

function scoreWords({ lowest, highest }) {
  if (lowest === null) return "–";
  return lowest === highest ? number(lowest) : `${number(lowest)} to ${number(highest)}`;
}

export function makeMarks() {
  const table = makeTable({
    label: "Table of marked translations",
    noun: "translation",
    columns: COLUMNS,
    keyOf: (row) => `${row.segment_id} ${row.system_id}`,
    textOf: (row) => [row.segment_id, row.document_id, row.system_id, ...row.credited].join(" "),
    filters: [
      ["All translations", () => true],
      ["Several workers", (row) => row.n_workers > 1],
      ["Not decided", (row) => !row.is_decided],
      ["Decided", (row) => row.is_decided],
    ],
    empty: "Nobody has marked anything yet.",
    order: { column: "Disagreement", isDown: true },
  });
  const summary = make("div", "summary");
  const hint = "Disagreement goes from 0, the same marks and scores, to 1. Choose a segment to see everybody’s marks and to decide.";
  return {
    title: "Marks",
    element: make("div", "", make("section", "panel", summary, make("p", "soft", hint), table.element)),
    needs: () => [marks],
    update() {
      const { translations: rows = [], n_translations: total = 0, n_decided: decided = 0 } = marks.data ?? {};
      redraw(summary, [marks.version, marks.error?.message, freshness.key(marks), marks.data === null], () => {
        if (marks.data === null) return [make("p", "soft", marks.error?.message ?? marks.waitingWords)];
        const left = total > rows.length ? ` The ${number(rows.length)} most disputed are listed.` : "";
        const words = `${counted(total, "translation")} marked, ${number(decided)} decided.${left}`;
        return [make("p", "soft", words, ...freshness.parts(marks))];
      });
      table.update(rows);
    },
  };
}
