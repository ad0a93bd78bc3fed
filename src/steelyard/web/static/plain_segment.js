// A segment of a document around the one that is judged now, for protocols that draw none themselves.

import { drawTexts } from "./texts.js";

/**
 * @param {import("./texts.js").Texts} texts
 * @param {import("./texts.js").Options} options
 * @returns {{element: HTMLElement, destroy: () => void}}
 */
export function drawPlainSegment(texts, options) {
  return drawTexts(texts, options);
}
