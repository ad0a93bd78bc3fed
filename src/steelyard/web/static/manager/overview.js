// What a manager decides on, in the best place; how it came about below.

import { lineChart, roundTicks } from "../charts.js";
import { make } from "../dom.js";
import { makeAttention } from "./attention.js";
import { Resource, analysis, desk } from "./desk.js";
import { anchor, meter, namedButton, panel, redraw } from "./parts.js";
import { drawPrecision } from "./precision.js";
import { askToRelease, askToReleaseAll } from "./release.js";
import { statePanel } from "./state.js";
import { ago, counted, day, minute, money, moment, number } from "./words.js";

const MOST_IDLE = 5;
const precision = new Resource("/precision");

export function makeOverview() {
  const state = make("section", "panel state-panel");
  state.setAttribute("aria-label", "State of the campaign");
  const tiles = make("div", "tiles");
  const attention = makeAttention();
  const width = make("div", "");
  const history = make("div", "");
  return {
    title: "Overview",
    element: make("div", "", state, tiles, panel("What needs you", attention.element), make("div", "two", panel("Precision", width), panel("Judgements over time", history))),
    needs: () => [analysis, precision],
    update() {
      const { campaign, progress, money: sums, forecast } = desk.campaign;
      const idle = idlePlaces(progress);
      const nOpen = progress.n_taken - progress.n_submitted;
      redraw(state, [campaign.state, nOpen], () => statePanel(campaign.state ?? "open", nOpen));
      redraw(tiles, [progress.n_judgements, progress.n_wanted, progress.n_submitted, progress.n_openings, progress.workers.length, sums, forecast, idle, minute()], () => [
        tile("Judgements", number(progress.n_judgements), `of ${number(progress.n_wanted)}`, meter(progress.n_wanted ? progress.n_judgements / progress.n_wanted : 0), hitWords(progress)),
        endTile(forecast),
        moneyTile(sums),
        idleTile(idle),
      ]);
      attention.update(idle);
      redraw(width, [precision.version, precision.error?.message], () => drawPrecision(precision));
      redraw(history, progress.history ?? [], () => drawHistory(progress));
    },
  };
}

// HITs whose workers have done nothing for longer than a lease lasts.
function idlePlaces(progress) {
  return progress.workers.filter(({ open }) => open?.is_idle).map(({ worker_id: worker, open }) => ({ ...open, worker_id: worker }));
}

/** A number to decide on. */
function tile(label, value, after, ...details) {
  const words = make("p", "tile-value", make("span", "figure-value", value), after ? make("span", "soft", ` ${after}`) : null);
  return make("section", "panel tile", make("h3", "", label), words, ...details);
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
    return tile("Money", "–", "", make("p", "soft", "No wage is set. ", anchor("Set it", "#/settings", "set wage")));
  }
  const { currency, spent, committed, expected } = sums;
  return tile(
    "Money",
    money(spent.cost, currency),
    "spent",
    facts([["Committed", money(committed.cost, currency)], ["Expected in all", money(expected.cost, currency)], ["Paid per hour", money(sums.hourly_pay, currency)]]),
  );
}

/** Names and values in two columns. @param {[string, string][]} pairs */
function facts(pairs) {
  return make("dl", "facts", ...pairs.map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))));
}

function idleTile(idle) {
  if (!idle.length) return tile("Idle HITs", "0", "", note("Nobody has left a HIT lying."));
  const longest = [...idle].sort((one, other) => Date.parse(one.last_at ?? one.since) - Date.parse(other.last_at ?? other.since));
  const rows = longest.slice(0, MOST_IDLE).map((place) => {
    const button = namedButton("Release", `release ${place.assignment_id}`, () => askToRelease(place));
    button.setAttribute("aria-label", `Release ${place.hit_id} from ${place.worker_id}`);
    return make("li", "", make("span", "", anchor(place.worker_id, `#/workers/${encodeURIComponent(place.worker_id)}`), make("span", "soft", ` ${place.hit_id}, ${ago(place.last_at ?? place.since)}`)), button);
  });
  const all = namedButton(idle.length === 1 ? "Release it" : `Release all ${idle.length}`, "release all", () => askToReleaseAll(idle), "button small");
  return tile("Idle HITs", number(idle.length), "", make("ul", "plain-list", ...rows), make("p", "buttons", all, anchor("All HITs", "#/hits?show=Idle", "idle hits")));
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
