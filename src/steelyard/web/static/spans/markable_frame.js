// What is around a text that can be marked: its name, a line with what comes next, and what screen readers are told.

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
  nameList(body, label);
  for (const token of body.querySelectorAll(".markable-token")) token.title = words.spans.tokens;
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

// For screen readers, its units are a list to choose from.
function nameList(body, label) {
  const units = body.querySelectorAll(".markable-unit");
  if (!units.length) return;
  body.setAttribute("role", "listbox");
  body.setAttribute("aria-multiselectable", "true");
  body.setAttribute("aria-orientation", "horizontal");
  body.setAttribute("aria-label", label);
  for (const unit of units) {
    unit.setAttribute("role", "option");
    unit.setAttribute("aria-selected", "false");
  }
}

/** Tell screen readers which units are marked, and how. */
export function nameUnits(units, marks, words) {
  for (const unit of units) {
    const here = marksAt(marks, unit);
    const kinds = here.map((mark) => kindOf(words, mark)).join("; ");
    const name = kinds && `${unit.element.textContent}, ${kinds}`;
    if (name === unit.name) continue;
    unit.name = name;
    unit.element.setAttribute("aria-selected", String(here.length > 0));
    if (name) unit.element.setAttribute("aria-label", name);
    else unit.element.removeAttribute("aria-label");
  }
}
