// What workers wrote to the organisers: comments after a set, problems with an item.

import { make } from "../dom.js";
import { Resource } from "./desk.js";
import { anchor, chip, redraw } from "./parts.js";
import { makeTable } from "./table.js";
import { counted, moment, number, secondsSince } from "./words.js";

// No judgement announces a remark, so they are asked for from time to time.
const ASK_AGAIN_MS = 60_000;
const A_DAY = 86_400;

export const remarks = new Resource("/remarks", { fixed: true, everyMs: ASK_AGAIN_MS });

/** Marks what a remark is. */
export function kindChip({ kind }) {
  return kind === "problem" ? chip("idle", "!", "problem") : chip("quiet", "“", "comment");
}

/** Which item a remark is about, in words. */
export function placeWords({ hit_id: hit, position }) {
  if (!hit) return "–";
  return position ? `${hit}, item ${number(position)}` : hit;
}

/** What was written in the last day, or null. @returns {string|null} */
export function newRemarks() {
  const fresh = (remarks.data?.remarks ?? []).filter(({ made_at: time }) => secondsSince(time) < A_DAY);
  return fresh.length ? `${counted(fresh.length, "remark")} from workers in the last 24 hours.` : null;
}

const COLUMNS = [
  { name: "When", by: (row) => Date.parse(row.made_at), cell: (row) => moment(row.made_at) },
  {
    name: "Worker",
    isHeading: true,
    className: "name",
    by: (row) => row.worker_id,
    cell: (row) => anchor(row.worker_id, `#/workers/${encodeURIComponent(row.worker_id)}`, `remark ${row.remark_id}`),
  },
  { name: "Kind", by: (row) => row.kind, cell: kindChip },
  { name: "What they wrote", className: "wide", cell: (row) => ownWords(row) },
  { name: "About", by: placeWords, cell: (row) => [placeWords(row), row.segment_id ? make("span", "soft under", `segment ${row.segment_id}`) : null] },
];

/** The text of a remark, in whatever language and direction it is. */
export function ownWords({ text }) {
  const words = make("span", "own-words", text);
  words.dir = "auto";
  return words;
}

export function makeRemarks() {
  const table = makeTable({
    label: "Table of remarks",
    noun: "remark",
    columns: COLUMNS,
    keyOf: (row) => row.remark_id,
    textOf: (row) => [row.worker_id, row.text, row.hit_id, row.segment_id].join(" "),
    filters: [
      ["All remarks", () => true],
      ["Problems", (row) => row.kind === "problem"],
      ["Comments", (row) => row.kind === "comment"],
    ],
    empty: "Nobody has written anything yet. Workers can report a problem below each text, and leave a comment after a set.",
    order: { column: "When", isDown: true },
  });
  const more = make("p", "soft");
  return {
    title: "Remarks",
    element: make("div", "", make("section", "panel", table.element, more)),
    needs: () => [remarks],
    update() {
      const { remarks: rows = [], n_remarks: total = 0 } = remarks.data ?? {};
      table.update(rows);
      redraw(more, [rows.length, total], () => [total > rows.length ? `The newest ${number(rows.length)} of ${number(total)}. The command steelyard remarks writes all of them to a file.` : null]);
    },
  };
}
