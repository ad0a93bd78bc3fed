// A still picture of a text and its marks: earlier segments, and what was expected in practice.

import { directionOf } from "../direction.js";
import { make } from "../dom.js";
import { fragmentsOf, layersOf, paint, setDepth } from "./look.js";
import { countInWords, linesOf } from "./mark_words.js";
import { countCodePoints } from "./offsets.js";

/**
 * @param {string} text
 * @param {import("./marks.js").Mark[]} marks
 * @param {{language: string, direction: "ltr"|"rtl", severities: string[], words: Record<string, any>}} options
 * @returns {HTMLElement}
 */
export function drawMarked(text, marks, { language, direction, severities, words }) {
  const counted = countCodePoints(text);
  const numbered = marks.map((mark, id) => ({ ...mark, id }));
  const { painted, depth } = layersOf(numbered, { severities });
  const body = make("span", "marked-text");
  body.lang = language;
  body.dir = directionOf(text, direction);
  setDepth(body, depth);
  for (const { start, end, layers } of fragmentsOf({ start: 0, end: counted.length }, painted)) {
    body.append(drawFragment(counted.slice(start, end), layers));
  }
  for (const token of new Set(marks.flatMap((mark) => mark.token ?? []))) {
    const layers = painted.filter((mark) => mark.token === token).map(({ layer }) => layer);
    const shown = drawFragment(token, layers, "markable-token");
    setDepth(shown, layers.length);
    body.append(" ", shown);
  }
  const lines = linesOf(words, numbered, counted.slice).map((line) => make("li", "", line));
  const none = make("span", "visually-hidden", countInWords(words, 0));
  const list = lines.length ? make("ul", "visually-hidden", ...lines) : none;
  list.lang = words.language;
  return make("div", "marked", body, list);
}

function drawFragment(text, layers, className = "") {
  if (!layers.length) return text;
  const fragment = make("span", className, text);
  paint(fragment, layers);
  return fragment;
}
