// An item that is answered with one number: the statement, the texts, the scale below them.

import { make } from "./dom.js";
import { drawTexts } from "./texts.js";

/** What the scale is described by, for screen readers. */
export const STATEMENT_ID = "statement";

/**
 * A scale that is drawn and waits for its answer.
 * @typedef {Object} DrawnScale
 * @property {HTMLElement} element
 * @property {() => Object|null} answer  null before the first touch
 * @property {() => void} [destroy]
 */

/**
 * Draw one item into `root`.
 * @param {HTMLElement} root
 * @param {import("./texts.js").Texts} item
 * @param {import("./texts.js").Options} options
 * @param {DrawnScale} scale
 * @param {...Node} more  below the scale
 * @returns {{answer: () => Object|null, isComplete: () => boolean, destroy: () => void}}
 */
export function mountRating(root, item, options, scale, ...more) {
  const texts = drawTexts(item, options);
  root.replaceChildren(drawStatement(options), texts.element, scale.element, ...more);
  return {
    answer: scale.answer,
    isComplete: () => scale.answer() !== null,
    destroy() {
      texts.destroy();
      scale.destroy?.();
      root.replaceChildren();
    },
  };
}

function drawStatement({ words, attribute }) {
  const paragraph = make("p", "statement", `${words.lead_in} `, make("strong", "", words.statements[attribute]));
  paragraph.id = STATEMENT_ID;
  paragraph.lang = words.language;
  paragraph.dir = "auto";
  return paragraph;
}
