// What marks are called, on the screen and by screen readers.

import { fill } from "../dom.js";
import { asAnswer, inTextOrder } from "./marks.js";

// Longer texts are cut in the middle.
const LONGEST = 60;

/** @param {Record<string, any>} words  the protocol's */
export function severityLabel(words, severity) {
  return words.severities?.[severity] ?? severity;
}

/** A category as its key says it ("main" or "main/sub"), main and sub with a colon between. */
export function categoryLabel(words, category) {
  const [main] = category.split("/");
  if (main === category) return words.categories?.[main] ?? main;
  return `${categoryLabel(words, main)}: ${subcategoryLabel(words, category)}`;
}

/** Only what is below the main category. */
export function subcategoryLabel(words, category) {
  return words.categories?.[category] ?? category.slice(category.indexOf("/") + 1);
}

/** How serious and of which kind, in one line. */
export function kindOf(words, { severity, category }) {
  const kind = severityLabel(words, severity);
  return category === undefined ? kind : `${kind}, ${categoryLabel(words, category)}`;
}

/**
 * A mark in words, with its number among all marks of its text.
 * @param {import("./marks.js").KeptMark} mark
 * @param {import("./marks.js").KeptMark[]} marks
 * @param {(start: number, end: number) => string} slice  of the text
 */
export function markLabel(words, mark, marks, slice) {
  const number = [...marks].sort(inTextOrder).findIndex((one) => one.id === mark.id) + 1;
  return fill(words.spans.mark_label, { number, total: marks.length, ...spoken(words, mark, slice) }, words.language);
}

/** The values that stand for one mark in a text with `{severity}` and `{text}`. */
export function spoken(words, mark, slice) {
  const text = mark.token ?? shortened(slice(mark.start, mark.end));
  return { severity: kindOf(words, mark), text };
}

/** How many marks there are, in words. */
export function countInWords(words, n) {
  return n ? fill(words.spans.some, { n }, words.language) : words.spans.none;
}

/** One line for each mark. */
export function linesOf(words, marks, slice, template = words.spans.mark_label) {
  const ordered = asAnswer(marks);
  return ordered.map((mark, at) =>
    fill(template, { number: at + 1, total: ordered.length, ...spoken(words, mark, slice) }, words.language),
  );
}

function shortened(text) {
  const plain = text.replace(/\s+/gu, " ");
  if (plain.length <= LONGEST) return plain;
  const characters = [...plain];
  return `${characters.slice(0, LONGEST / 2).join("")}…${characters.slice(-LONGEST / 2).join("")}`;
}
