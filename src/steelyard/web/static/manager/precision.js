// How wide the intervals of the systems are, over time and against the plan.

import { lineChart, roundTicks } from "../charts.js";
import { make } from "../dom.js";
import { freshness } from "./freshness.js";
import { tile } from "./parts.js";
import { counted, number } from "./words.js";

const DIGITS = 2;
/** Differences from the plan below this share are none. */
const CLOSE = 0.05;

/** How wide the intervals are now, and what was planned for as many judgements. @param {import("./desk.js").Resource} resource  of /precision */
export function widthTile(resource) {
  const { points = [], planned = [] } = resource.data ?? {};
  const now = points.at(-1);
  if (!Number.isFinite(now?.half_width)) return tile("Width of the intervals", "–", "", make("p", "soft", now?.why || waiting(resource)));
  const plan = plannedAt(planned, now.n_judgements);
  const end = planned.at(-1);
  return tile(
    "Width of the intervals",
    `± ${number(now.half_width, DIGITS)}`,
    "",
    Number.isFinite(plan) ? make("p", "soft", `${compared(now.half_width, plan)}: ± ${number(plan, DIGITS)} by now, ± ${number(end.half_width, DIGITS)} at the end.`) : make("p", "soft", "There is no plan to compare this with."),
  );
}

/** @param {import("./desk.js").Resource} resource  of /precision */
export function drawPrecision(resource) {
  const { points = [], planned = [], unit = "", level, notes = [], n_wanted: wanted } = resource.data ?? {};
  const measured = points.filter((point) => Number.isFinite(point.half_width)).map(({ n_judgements: n, half_width: width }) => [n, width]);
  if (!measured.length) return [make("p", "soft", points.at(-1)?.why || waiting(resource))];
  const plan = planned.map(({ n_judgements: n, half_width: width }) => [n, width]);
  const all = [...measured, ...plan];
  const ticks = roundTicks(Math.max(...all.map(([, width]) => width)));
  const most = Math.max(wanted ?? 0, ...all.map(([n]) => n));
  const [n, width] = measured[measured.length - 1];
  const label = `Half the width of the intervals, measured and planned: ± ${number(width, DIGITS)} ${unit} after ${counted(n, "judgement")}`;
  return [
    ...freshness.parts(resource),
    lineChart({
      label,
      lines: [
        { name: "Measured", points: measured, className: "line-main", hasDots: true },
        ...(plan.length ? [{ name: "Plan", points: plan, className: "line-plan" }] : []),
      ],
      across: [[0, "0"], [most, `${number(most)} judgements`]],
      up: ticks.map((tick) => [tick, number(tick, DIGITS)]),
    }),
    make(
      "details",
      "about-chart",
      make("summary", "", "How to read this"),
      make("p", "soft", `Half the width of the systems’ ${number(100 * level)} % intervals on average, in ${unit}, after the first judgements and now.`),
      ...notes.map((note) => make("p", "soft", note)),
    ),
  ];
}

function waiting(resource) {
  if (resource.version === null) return "One moment …";
  return resource.error?.message ?? "Not known before systems can be ranked.";
}

function compared(width, plan) {
  const share = width / plan - 1;
  if (Math.abs(share) < CLOSE) return "As planned";
  return share > 0 ? "Wider than planned" : "Narrower than planned";
}

// Between two points of the plan the width falls with a power of the number of judgements.
function plannedAt(planned, n) {
  const after = planned.findIndex((point) => point.n_judgements >= n);
  if (after < 0) return planned.at(-1)?.half_width;
  if (after === 0) return planned[0].n_judgements === n ? planned[0].half_width : NaN;
  const [one, other] = [planned[after - 1], planned[after]];
  const share = Math.log(n / one.n_judgements) / Math.log(other.n_judgements / one.n_judgements);
  return one.half_width * (other.half_width / one.half_width) ** share;
}
