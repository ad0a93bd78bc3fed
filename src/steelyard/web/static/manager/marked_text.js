// One translation with everybody's marks above each other, and the manager's decision on what its errors are.

import { make } from "../dom.js";
import { drawMarkup } from "../markup.js";
import { drawMarked } from "../spans/drawn.js";
import { kindOf } from "../spans/mark_words.js";
import { Resource, page } from "./desk.js";
import { MISSING, looks, ofSide } from "./mark_shapes.js";
import { makeDecision } from "./marks_decision.js";
import { anchor, chip, managersButton, panel, redraw } from "./parts.js";
import { counted, moment, number } from "./words.js";

/** @param {string} segment @param {string} system */
export function makeMarkedText(segment, system) {
  const query = new URLSearchParams({ segment, system });
  const resource = new Resource(`/marks/translation?${query}`, { isHeavy: true });
  const about = make("section", "panel");
  about.setAttribute("aria-label", "About this translation");
  const rows = make("ol", "marked-rows");
  const decision = makeDecision();
  const details = make("div", "", panel("Everybody’s marks", rows), panel("Decision", decision.element));
  return {
    title: `Segment ${segment} by ${system}`,
    element: make("div", "marks-page", make("p", "", anchor("← All translations", "#/marks")), about, details),
    needs: () => [resource],
    update() {
      const found = resource.data;
      details.hidden = !found;
      redraw(about, [resource.version, resource.error?.message], () =>
        found ? drawAbout(found) : [make("p", "soft", resource.error?.message ?? resource.waitingWords)],
      );
      if (!found) return;
      redraw(rows, [found.workers, found.majority], () => drawRows(found, decision));
      decision.update(found);
    },
  };
}

function drawAbout(found) {
  const { n_workers: n, disagreement, credited } = found.translation;
  const words = [
    `Marked by ${counted(n, "worker")}`,
    disagreement === null ? null : `disagreement ${number(disagreement, 2)}`,
    credited.length ? `the same text came from ${credited.join(", ")}` : null,
  ];
  const isMarkup = page.protocol.presentation.source_markup;
  const source = isMarkup ? drawMarkup(found.source, "Source").element : make("p", "", found.source);
  source.classList.add("marks-source");
  source.lang = page.source_language;
  source.dir = "auto";
  return [
    make("p", "soft", `${words.filter(Boolean).join("; ")}.`),
    found.source ? make("div", "", make("h3", "", "Source"), source) : null,
    legend(found),
  ];
}

/** What each severity looks like: the line tells them apart, not the colour alone. */
function legend(found) {
  const look = looks(found).target;
  const shown = found.severities.map((severity) => {
    const text = page.marking_words.severities?.[severity] ?? severity;
    const sample = drawMarked(text, [{ start: 0, end: [...text].length, severity }], { ...look, language: "en", direction: "ltr" });
    // What it says to those who hear it is the word itself.
    sample.querySelector("ul")?.remove();
    return sample;
  });
  return make("div", "marks-legend", make("span", "soft", "Severities: "), ...shown);
}

function drawRows(found, decision) {
  const majority = { marks: found.majority, name: "More than half", focus: "majority" };
  const people = found.workers.map((worker, index) => ({ ...worker, name: worker.worker_id, focus: `worker ${index}` }));
  return [...people, majority].map((row) => drawRow(row, found, decision));
}

function drawRow(row, found, decision) {
  const { worker_id: worker, rating, seconds, submitted_at: time } = row;
  const name = worker ? anchor(worker, `#/workers/${encodeURIComponent(worker)}`, `of ${row.focus}`) : make("strong", "", row.name);
  const facts = [
    Number.isFinite(rating) ? `score ${number(rating)}` : null,
    counted(row.marks.length, "mark"),
    Number.isFinite(seconds) ? `${number(seconds)} s` : null,
    time ? moment(time) : null,
  ].filter(Boolean);
  const take = managersButton("Begin with these", `take ${row.focus}`, () => decision.begin(row.marks));
  take.setAttribute("aria-label", `Begin with these: the marks of ${worker ?? "more than half"}`);
  const flag = row.is_excluded ? chip("excluded", "⊘", "excluded") : row.is_repeat ? chip("quiet", "↻", "seen again") : null;
  const head = make("div", "marked-head", name, flag, make("span", "soft", facts.join(" · ")), take);
  const look = looks(found);
  const source = ofSide(row.marks, "source");
  return make(
    "li",
    worker ? "marked-row" : "marked-row majority",
    head,
    drawMarked(found.text, ofSide(row.marks, "target"), look.target),
    source.length ? drawMarked(found.source, source, look.source) : null,
    listOf(row.marks, found),
  );
}

// Category and time of each mark, which the picture does not show.
function listOf(marks, found) {
  const told = marks.filter(({ category, marked_seconds: at }) => category || Number.isFinite(at));
  if (!told.length) return null;
  const lines = told.map(({ start, end, severity, category, side, marked_seconds: at }) => {
    const text = start === null ? MISSING : [...(side === "source" ? found.source : found.text)].slice(start, end).join("");
    const quoted = make("q", "", text);
    quoted.dir = "auto";
    const kind = kindOf(page.marking_words, { severity, category: category ?? undefined });
    return make("li", "", quoted, ` ${kind}${Number.isFinite(at) ? `, after ${number(at, 1)} s` : ""}`);
  });
  return make("ul", "marked-list soft", ...lines);
}
