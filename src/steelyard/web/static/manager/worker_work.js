// What a worker judged: ratings and times as pictures, control pairs side by side, HITs, and every judgement.

import { histogram } from "../charts.js";
import { make } from "../dom.js";
import { excludeButton, reinstateButton } from "./decisions.js";
import { chip } from "./parts.js";
import { makeTable } from "./table.js";
import { ago, counted, duration, number } from "./words.js";

const WORST_PAIRS = 4;
const JUDGEMENTS_A_PAGE = 10;
const TIME_BARS = 20;
const CAREFUL_RATING = "A careful worker rates a damaged copy below its original, and a repeat about the same.";
const CAREFUL_CHOICE = "A careful worker finds the original better than its damaged copy.";
const KINDS = { degraded: "Damaged copy", repeat: "Repeat", reference: "Human reference" };
const STATUS = {
  accepted: ["open", "●", "open"],
  submitted: ["submitted", "✓", "submitted"],
  expired: ["quiet", "↺", "expired"],
  returned: ["quiet", "↩", "returned"],
};

/** How often each rating was given, and how long items were on screen. */
export function drawRatings({ histogram: bars, items, finding }) {
  const parts = [];
  if (bars.length) {
    const total = bars.reduce((sum, { n }) => sum + n, 0);
    const top = bars.reduce((one, other) => (other.n > one.n ? other : one));
    const label = `${counted(total, "rating")}, mean ${number(finding?.mean, 1)}; most often from ${number(top.low)} to ${number(top.high)}`;
    parts.push(make("h4", "", "Ratings given"), histogram(bars.map(({ low, high, n }) => ({ from: point(low), to: point(high, -1), count: n })), label));
  }
  const times = items.map(({ seconds }) => seconds).sort((one, other) => one - other);
  if (times.length > 1) {
    const middle = times[Math.floor(times.length / 2)];
    // The slowest few would press all others together.
    const last = Math.max(times[Math.floor(0.98 * (times.length - 1))], 1);
    const width = last / TIME_BARS;
    const counts = Array.from({ length: TIME_BARS }, (_, index) => ({ from: Math.round(index * width), to: `${Math.ceil((index + 1) * width)} s`, count: 0 }));
    for (const seconds of times) counts[Math.min(Math.floor(seconds / width), TIME_BARS - 1)].count += 1;
    parts.push(make("h4", "", "Seconds per item"), histogram(counts, `Seconds per item: half took less than ${number(middle, 1)}`));
  }
  return parts.length ? parts : [make("p", "soft", "Nothing judged yet.")];
}

// A bar for one point of a scale reaches half a point to both sides of it.
function point(edge, side = 1) {
  return Number.isInteger(edge) ? edge : edge + 0.5 * side;
}

/** The HITs of a worker, each to exclude or to count again. */
export function drawHits({ worker_id: worker, hits, excluded }) {
  if (!hits.length) return [make("p", "soft", "None yet.")];
  const reasons = new Map(excluded.map((each) => [each.hit_id, each.reason]));
  const isOut = reasons.has(null);
  return [
    make(
      "ul",
      "plain-list rows",
      ...hits.map((hit) => {
        const [kind, mark, words] = STATUS[hit.status] ?? ["quiet", "", hit.status];
        const isExcluded = reasons.has(hit.hit_id);
        const button = isExcluded ? reinstateButton(worker, hit.hit_id, reasons.get(hit.hit_id)) : excludeButton(worker, hit.hit_id);
        return make(
          "li",
          "",
          make(
            "span",
            "",
            make("strong", "", hit.hit_id),
            " ",
            isExcluded || isOut ? chip("excluded", "⊘", "excluded") : chip(kind, mark, words),
            make("span", "soft under", `${number(hit.n_done)} of ${number(hit.n_items)} items in ${duration(hit.seconds)} on screen, ${ago(hit.last_at ?? hit.accepted_at)}`),
          ),
          isOut || !hit.n_done ? null : button,
        );
      }),
    ),
  ];
}

/** Controls beside what they were made from, those that speak against the worker first. */
export function drawPairs({ pairs }) {
  if (!pairs.length) return [make("p", "soft", "No pair is complete yet.")];
  const order = (pair) => (pair.kind === "degraded" ? pair.difference ?? (pair.preferred === false ? -1 : 1) : 1000 - Math.abs(pair.difference ?? 0));
  const sorted = [...pairs].sort((one, other) => order(one) - order(other));
  const rest = sorted.slice(WORST_PAIRS);
  return [
    make("p", "soft", `${pairs.some((pair) => Number.isFinite(pair.difference)) ? CAREFUL_RATING : CAREFUL_CHOICE} The worst are first.`),
    ...sorted.slice(0, WORST_PAIRS).map(drawPair),
    rest.length ? make("details", "", make("summary", "", `${counted(rest.length, "more pair")}`), ...rest.map(drawPair)) : null,
  ];
}

function drawPair(pair) {
  const [base, control] = differing(pair.base_text, pair.control_text);
  return make(
    "article",
    "pair",
    make("h4", "", `${KINDS[pair.kind] ?? pair.kind}: ${verdictOn(pair)}`),
    make("p", "soft", `${pair.hit_id}, ${pair.system_id}, segment ${pair.segment_id}${pair.source ? `. Source: ${pair.source}` : ""}`),
    make(
      "div",
      "pair-texts",
      pairText("Original", pair.base_rating, pair.base_position, base),
      pairText(KINDS[pair.kind] ?? "Control", pair.control_rating, pair.control_position, control),
    ),
  );
}

function pairText(name, rating, position, text) {
  const words = Number.isFinite(rating) ? `${name}, rated ${number(rating)}` : name;
  return make("div", "", make("p", "pair-head", words, make("span", "soft", ` item ${position}`)), text);
}

function verdictOn({ kind, difference, preferred }) {
  if (!Number.isFinite(difference)) return preferred === null ? "no difference seen" : preferred ? "the original was found better" : "found better than the original";
  if (difference === 0) return "rated the same";
  const points = counted(Math.abs(Math.round(difference)), "point");
  const words = `rated ${points} ${difference > 0 ? "lower" : "higher"}`;
  return kind === "degraded" && difference < 0 ? `${words} than its original` : words;
}

// What differs between two texts, marked in both: all but their common beginning and end.
function differing(one, other) {
  const [first, second] = [one.split(" "), other.split(" ")];
  let begin = 0;
  while (begin < first.length && begin < second.length && first[begin] === second[begin]) begin += 1;
  let end = 0;
  while (end < first.length - begin && end < second.length - begin && first[first.length - 1 - end] === second[second.length - 1 - end]) end += 1;
  return [first, second].map((words) => {
    const middle = words.slice(begin, words.length - end).join(" ");
    const tail = words.slice(words.length - end).join(" ");
    return make("p", "", `${words.slice(0, begin).join(" ")} `, middle ? make("mark", "", middle) : null, tail ? ` ${tail}` : null);
  });
}

/** A table of all judgements. */
export function makeJudgements() {
  return makeTable({
    label: "Table of judgements",
    noun: "judgement",
    columns: [
      { name: "Text", isHeading: true, className: "name text-cell", cell: (row) => row.translations.map(({ text }) => make("span", "under", text)) },
      { name: "Answer", className: "figure", by: (row) => ratingOf(row), cell: answerWords },
      { name: "System", by: (row) => row.translations[0].system_id, cell: (row) => row.translations.map(({ system_id: system }) => system).join(", ") },
      { name: "Kind", by: (row) => row.kind, cell: (row) => row.kind },
      { name: "Seconds", className: "figure", by: (row) => row.seconds, cell: (row) => number(row.seconds, 1) },
      { name: "Item", className: "figure", by: (row) => `${row.hit_id} ${row.position}`, cell: (row) => `${row.hit_id}, ${row.position}` },
    ],
    keyOf: (row) => `${row.hit_id} ${row.position}`,
    textOf: (row) => [row.kind, row.hit_id, ...row.translations.flatMap(({ text, system_id: system }) => [text, system])].join(" "),
    empty: "Nothing judged yet.",
    pageSize: JUDGEMENTS_A_PAGE,
    order: { column: "Item" },
  });
}

const ratingOf = ({ translations }) => Object.values(translations[0].ratings)[0];

function answerWords(row) {
  const ratings = row.translations.flatMap((text) => Object.values(text.ratings)).map((rating) => number(rating));
  const better = { a: "first better", b: "second better", tie: "equal", both_bad: "both bad" }[row.preference];
  const spans = row.n_spans ? counted(row.n_spans, "error") : null;
  return [ratings.join(", "), better, spans].filter(Boolean).join("; ") || "–";
}
