// How wide the intervals are, over time and against the plan.

import { lineChart, roundTicks } from "../charts.js";
import { make } from "../dom.js";
import { freshness } from "./freshness.js";
import { tile } from "./parts.js";
import { number } from "./words.js";

/** How wide the intervals are now. @param {import("./desk.js").Resource} resource  of /precision */
export function widthTile(resource) {
  const last = resource.data?.points?.at(-1);
  return tile("Width of the intervals", number(last?.width, 2), "", make("p", "soft", last ? "" : "Not known yet."));
}

/** @param {import("./desk.js").Resource} resource  of /precision */
export function drawPrecision(resource) {
  if (resource.version === null) return [make("p", "soft", "One moment …")];
  const { points = [], planned = [] } = resource.data ?? {};
  if (points.length < 2) return [make("p", "soft", resource.error?.message ?? "The width of the intervals appears here as soon as systems can be ranked.")];
  const measured = points.map(({ n_judgements: n, width }) => [n, width]);
  const plan = planned.map(({ n_judgements: n, width }) => [n, width]);
  const now = measured[measured.length - 1];
  const all = [...measured, ...plan];
  const ticks = roundTicks(Math.max(...all.map(([, width]) => width)));
  const most = Math.max(...all.map(([n]) => n));
  const label = `Width of the intervals: ${number(now[1], 3)} after ${number(now[0])} judgements`;
  return [
    make("p", "soft", `Half the width of an interval, on average: ${number(now[1], 3)} now.`, ...freshness.parts(resource)),
    lineChart({
      label,
      lines: [
        { name: "Measured", points: measured, className: "line-main" },
        { name: "Plan", points: plan, className: "line-plan" },
      ],
      across: [[0, "0"], [most, `${number(most)} judgements`]],
      up: ticks.map((tick) => [tick, number(tick, 2)]),
    }),
  ];
}
