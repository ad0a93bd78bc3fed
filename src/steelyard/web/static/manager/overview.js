// What a manager decides on, in the best place; how it came about below.

import { lineChart, roundTicks } from "../charts.js";
import { make } from "../dom.js";
import { makeAttention } from "./attention.js";
import { Resource, desk, may, verdicts } from "./desk.js";
import { anchor, facts, meter, managersButton, panel, redraw, tile } from "./parts.js";
import { drawPrecision, widthTile } from "./precision.js";
import { remarks } from "./remarks.js";
import { askToRelease, askToReleaseAll } from "./release.js";
import { statePanel } from "./state.js";
import { ago, counted, day, minute, money, moment, number } from "./words.js";

const MOST_IDLE = 5;
const precision = new Resource("/precision", { isHeavy: true });

export function makeOverview() {
  const state = make("section", "panel state-panel");
  state.setAttribute("aria-label", "State of the campaign");
  const tiles = make("div", "tiles");
  const attention = makeAttention();
  const lying = make("div", "");
  const width = make("div", "");
  const history = make("div", "");
  return {
    title: "Overview",
    element: make(
      "div",
      "",
      state,
      tiles,
      make("div", "two", panel("Needs attention", attention.element), panel("Idle HITs", lying)),
      make("div", "two", panel("Width of the intervals", width), panel("Judgements over time", history)),
    ),
    needs: () => [verdicts, precision, remarks],
    update() {
      const { campaign, progress, money: sums, forecast } = desk.campaign;
      const idle = idlePlaces(progress);
      const nOpen = progress.n_taken - progress.n_submitted;
      redraw(state, [campaign.state, nOpen], () => statePanel(campaign.state ?? "open", nOpen));
      redraw(tiles, [progress.n_judgements, progress.n_wanted, progress.n_submitted, progress.n_openings, progress.workers.length, sums, forecast, precision.version], () => [
        tile("Judgements", number(progress.n_judgements), `of ${number(progress.n_wanted)}`, meter(progress.n_wanted ? progress.n_judgements / progress.n_wanted : 0), hitWords(progress)),
        endTile(forecast),
        moneyTile(sums),
        widthTile(precision),
      ]);
      redraw(lying, [idle, minute()], () => drawIdle(idle));
      attention.update();
      redraw(width, [precision.version, precision.error?.message], () => drawPrecision(precision));
      redraw(history, progress.history ?? [], () => drawHistory(progress));
    },
  };
}

// HITs whose workers have done nothing for longer than a lease lasts.
function idlePlaces(progress) {
  return progress.workers.filter(({ open }) => open?.is_idle).map(({ worker_id: worker, open }) => ({ ...open, worker_id: worker }));
}

const note = (text) => make("p", "soft", text);

function hitWords(progress) {
  const active = progress.workers.filter((worker) => worker.n_done > 0).length;
  return note(`${number(progress.n_submitted)} of ${counted(progress.n_openings, "HIT")} submitted · ${counted(active, "worker")}`);
}

function endTile(forecast) {
  if (!forecast?.expected_at) return tile("Expected end", forecast?.n_left === 0 ? "Complete" : "–", "", note(forecast?.text ?? "Too little was judged to say."));
  return tile("Expected end", day(forecast.expected_at), "", note(forecast.text));
}

function moneyTile(sums) {
  if (!Number.isFinite(sums?.spent?.cost)) {
    return tile("Money", "–", "", make("p", "soft", "No wage is set. ", may("manager") ? anchor("Set it", "#/settings", "set wage") : null));
  }
  const { currency, spent, committed, expected } = sums;
  return tile(
    "Money",
    money(spent.cost, currency),
    "spent",
    facts([["Committed", money(committed.cost, currency)], ["Expected in all", money(expected.cost, currency)], ["Paid per hour", money(sums.hourly_pay, currency)]]),
  );
}

function drawIdle(idle) {
  if (!idle.length) return [note("None: nobody has left a HIT unfinished for longer than the rules allow.")];
  const longest = [...idle].sort((one, other) => Date.parse(one.last_at) - Date.parse(other.last_at));
  const rows = longest.slice(0, MOST_IDLE).map((place) => {
    const { worker_id: worker, hit_id: hit, n_done: nDone, n_items: nItems, last_at: last } = place;
    const button = managersButton("Release", `release ${place.assignment_id}`, () => askToRelease(place));
    button.setAttribute("aria-label", `Release ${hit} from ${worker}`);
    const words = make("span", "soft", ` ${hit}, ${number(nDone)} of ${number(nItems)} items, last answer ${ago(last)}`);
    return make("li", "", make("span", "", anchor(worker, `#/workers/${encodeURIComponent(worker)}`, `idle ${worker}`), words), button);
  });
  const all = managersButton(idle.length === 1 ? "Release it" : `Release all ${idle.length}`, "release all", () => askToReleaseAll(idle), "button small");
  return [make("ul", "plain-list", ...rows), make("p", "buttons", all, anchor("All HITs", "#/hits?show=Idle", "idle hits"))];
}

function drawHistory({ history = [], n_wanted: wanted }) {
  if (history.length < 2) return [note("The curve begins with the second judgement.")];
  const points = history.map(([time, count]) => [Date.parse(time), count]);
  const [first, last] = [history[0], history[history.length - 1]];
  const label = `Judgements over time: ${number(first[1])} on ${moment(first[0])}, ${number(last[1])} on ${moment(last[0])}, of ${number(wanted)} wanted`;
  const ticks = roundTicks(Math.max(last[1], 1));
  return [
    lineChart({
      label,
      lines: [{ name: "Judgements", points, className: "line-main", isFilled: true }],
      across: [[points[0][0], moment(first[0])], [points[points.length - 1][0], moment(last[0])]],
      up: ticks.map((tick) => [tick, number(tick)]),
    }),
  ];
}
