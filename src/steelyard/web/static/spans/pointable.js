// A text that is only read, and shows which place of another text is pointed at: a source without marks, for instance.

import { directionOf } from "../direction.js";
import { make } from "../dom.js";
import { makePointer, reportPlace } from "./place_pointer.js";
import { drawPieces } from "./text_pieces.js";

/**
 * @param {string} text
 * @param {{language: string, direction: "ltr"|"rtl", by: "word"|"character",
 *   onPoint?: (share: number|null) => void}} options
 * @returns {{element: HTMLElement, pointAt: (share: number|null) => void, destroy: () => void}}
 */
export function drawPointable(text, { language, direction, by, onPoint }) {
  const { element: body, units, counted, indexOf } = drawPieces(text, { by, language, tokens: [] });
  body.lang = language;
  body.dir = directionOf(text, direction);
  const point = reportPlace(units, counted.length, onPoint);
  body.addEventListener("pointermove", ({ target }) => point(indexOf(target)));
  body.addEventListener("pointerleave", () => point(-1));
  return { element: make("div", "pointable", body), pointAt: makePointer(units, counted.length), destroy: point.stop };
}
