// What is around a text that can be marked: its name, a line that says what comes next, and what screen readers are told.

import { make } from "../dom.js";
import { kindOf } from "./mark_words.js";
import { marksAt } from "./marks.js";

const BRIEFLY_MS = 5000;

/**
 * @param {string} text
 * @param {HTMLElement} body  its units
 * @param {{words: Record<string, any>, label: string, language: string, isMirrored: boolean}} options
 */
export function drawFrame(text, body, { words, label, language, isMirrored }) {
  const isEmpty = !text.trim();
  if (body.querySelector("[role=option]")) {
    body.setAttribute("role", "listbox");
    body.setAttribute("aria-multiselectable", "true");
    body.setAttribute("aria-orientation", "horizontal");
    body.setAttribute("aria-label", label);
  }
  body.lang = language;
  body.dir = isMirrored ? "rtl" : "ltr";
  // A list of words is no text to be read: here it is, in one piece.
  const whole = make("p", "visually-hidden", isEmpty ? "" : text);
  whole.lang = language;
  whole.dir = body.dir;
  const empty = isEmpty ? make("p", "markable-empty", words.empty) : null;
  const shownNote = make("p", "markable-note");
  const spoken = make("p", "visually-hidden");
  spoken.setAttribute("role", "status");
  for (const each of [shownNote, spoken, empty].filter(Boolean)) {
    each.lang = words.language;
    each.dir = "auto";
  }
  shownNote.setAttribute("aria-hidden", "true");
  shownNote.hidden = true;
  const element = make("div", "markable", whole, empty, body, make("div", "markable-note-place", shownNote), spoken);
  let fading;
  return {
    element,
    /** Shown until there is another, or only briefly. */
    note(line, { isBrief = false } = {}) {
      clearTimeout(fading);
      shownNote.textContent = line;
      shownNote.hidden = !line;
      if (isBrief) fading = setTimeout(() => (shownNote.hidden = true), BRIEFLY_MS);
    },
    announce(line) {
      // The same line again is news too.
      spoken.textContent = spoken.textContent === line ? `${line}\u00a0` : line;
    },
  };
}

/** Tell screen readers which units are marked, and how. */
export function nameUnits(units, marks, words) {
  for (const unit of units) {
    const here = marksAt(marks, unit);
    const name = here.length ? `${unit.element.textContent}, ${here.map((mark) => kindOf(words, mark)).join("; ")}` : "";
    if (name === unit.name) continue;
    unit.name = name;
    unit.element.setAttribute("aria-selected", String(here.length > 0));
    if (name) unit.element.setAttribute("aria-label", name);
    else unit.element.removeAttribute("aria-label");
  }
}

/** Calls `onPoint` with the place of a unit along the text, once for each frame of the screen at most. */
export function reportPlace(units, length, onPoint = () => {}) {
  let asked = null;
  let told = null;
  let wanted = null;
  const point = (index) => {
    const unit = units[index];
    wanted = unit?.start === undefined ? null : (unit.start + unit.end) / 2 / length;
    asked ??= requestAnimationFrame(() => {
      asked = null;
      if (wanted !== told) onPoint(wanted);
      told = wanted;
    });
  };
  point.stop = () => cancelAnimationFrame(asked);
  return point;
}

/** Highlights the unit at this share of the text, and no other. */
export function makePointer(units, length) {
  let pointed = null;
  return (share) => {
    pointed?.element.classList.remove("markable-pointed");
    const at = share === null ? null : Math.min(Math.max(share, 0), 1) * length;
    pointed = at === null ? null : units.find(({ end }) => end > at) ?? units.findLast(({ end }) => end !== undefined);
    pointed?.element.classList.add("markable-pointed");
  };
}
