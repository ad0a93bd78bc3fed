// Every HIT: which places are free, who holds the others and since when.

import { make } from "../dom.js";
import { Resource } from "./desk.js";
import { freshness } from "./freshness.js";
import { anchor, chip, managersButton, redraw } from "./parts.js";
import { askToRelease, askToReleaseAll } from "./release.js";
import { makeTable } from "./table.js";
import { ago, counted, minute, moment, number } from "./words.js";

const STATES = {
  idle: { mark: "◔", order: 0 },
  open: { mark: "●", order: 1 },
  submitted: { mark: "✓", order: 2 },
  excluded: { mark: "⊘", order: 3 },
  expired: { mark: "↺", order: 4 },
  returned: { mark: "↩", order: 5 },
  free: { mark: "○", order: 6 },
};

/** The places of all HITs. */
export const hits = new Resource("/hits");

/** A row for each place; the free places of a HIT share one. */
export function placeRows(found) {
  return (found ?? []).flatMap((hit) => {
    const { hit_id, part, round, n_items } = hit;
    const about = { hit_id, part, round, n_items };
    const nFree = hit.places.filter(({ state }) => state === "free").length;
    const taken = hit.places.filter(({ state }) => state !== "free").map((place) => ({ ...about, ...place, n: 1 }));
    const left = (hit.released ?? []).map((place) => ({ ...about, ...place, isReleased: true, n: 1 }));
    return [...taken, ...(nFree ? [{ ...about, state: "free", n: nFree }] : []), ...left];
  });
}

const COLUMNS = [
  { name: "HIT", isHeading: true, by: (row) => row.hit_id, cell: (row) => row.hit_id },
  {
    name: "State",
    by: (row) => STATES[row.state]?.order,
    cell: (row) => chip(row.state, STATES[row.state]?.mark ?? "", row.n > 1 ? `${row.state} × ${number(row.n)}` : row.state),
  },
  {
    name: "Worker",
    by: (row) => row.worker_id,
    cell: (row) => (row.worker_id ? anchor(row.worker_id, `#/workers/${encodeURIComponent(row.worker_id)}`, `hit ${row.hit_id} ${row.worker_id}`) : "–"),
  },
  { name: "Items done", className: "figure", by: (row) => row.n_done, cell: (row) => (row.worker_id ? `${number(row.n_done)} of ${number(row.n_items)}` : "–") },
  { name: "Taken", by: (row) => (row.since ? -Date.parse(row.since) : null), cell: (row) => (row.since ? timed(row.since) : "–") },
  {
    name: "Last answer",
    by: (row) => (row.last_at ? -Date.parse(row.last_at) : null),
    cell: (row) => (row.last_at ? timed(row.last_at) : "–"),
  },
  { name: "Round", className: "figure", by: (row) => 1000 * (row.part ?? 1) + row.round, cell: (row) => (row.part > 1 ? `${number(row.round)} (part ${row.part})` : number(row.round)) },
  {
    name: "Action",
    cell: (row) => {
      if (row.isReleased || (row.state !== "open" && row.state !== "idle")) return "";
      const button = managersButton("Release", `release ${row.assignment_id}`, () => askToRelease(row));
      button.setAttribute("aria-label", `Release ${row.hit_id} from ${row.worker_id}`);
      return button;
    },
  },
];

function timed(time) {
  const words = make("time", "", ago(time));
  words.dateTime = time;
  words.title = moment(time);
  return words;
}

export function makeHits() {
  const is = (state) => (row) => row.state === state;
  const table = makeTable({
    label: "Table of HITs",
    noun: "row",
    columns: COLUMNS,
    keyOf: (row) => `${row.hit_id} ${row.assignment_id ?? "free"}`,
    textOf: (row) => [row.hit_id, row.worker_id, row.state].join(" "),
    filters: [
      ["All HITs", () => true],
      ["Idle", is("idle")],
      ["Open", is("open")],
      ["Free", is("free")],
      ["Submitted", is("submitted")],
      ["Excluded", is("excluded")],
      ["Given up", (row) => Boolean(row.isReleased)],
    ],
    empty: "There are no HITs.",
    order: { column: "State" },
  });
  const summary = make("div", "summary");
  let shown = "";
  return {
    title: "HITs",
    element: make("div", "", make("section", "panel", summary, table.element)),
    needs: () => [hits],
    open: (choice) => table.filterBy(choice.get("show") ?? ""),
    update() {
      if (hits.version === null) return redraw(summary, "waiting", () => [make("p", "soft", "One moment …")]);
      // Tens of thousands of rows are not made again without need.
      const state = JSON.stringify([hits.version, hits.error?.message, freshness.key(hits), minute()]);
      if (state === shown) return undefined;
      shown = state;
      const rows = placeRows(hits.data);
      const idle = rows.filter(is("idle"));
      redraw(summary, state, () => [
        make("p", "soft", hits.error?.message ?? placeCounts(hits.data ?? [], rows), ...freshness.parts(hits)),
        idle.length ? managersButton(`Release ${counted(idle.length, "idle HIT")}`, "release all", () => askToReleaseAll(idle), "button small") : null,
      ]);
      table.update(rows);
      return undefined;
    },
  };
}

function placeCounts(found, rows) {
  const count = (state) => rows.filter((row) => row.state === state && !row.isReleased).reduce((sum, { n }) => sum + n, 0);
  const states = ["submitted", "open", "idle", "free", "excluded"].map((state) => [count(state), state]).filter(([n]) => n > 0);
  return `${counted(found.length, "HIT")}. Places: ${states.map(([n, state]) => `${number(n)} ${state}`).join(" · ")}`;
}
