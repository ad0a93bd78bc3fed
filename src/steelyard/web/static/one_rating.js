// An item with one question: the statement, the texts, and the answers below them.

import { make } from "./dom.js";
import { drawTexts } from "./texts.js";

/** The element that describes the scale to screen readers. */
export const STATEMENT_ID = "statement";

/**
 * A scale that is drawn and waits for its answer.
 * @typedef {Object} DrawnScale
 * @property {HTMLElement} element
 * @property {() => Object|null} answer  null before the first touch
 * @property {() => void} [destroy]
 */

/**
 * Draw an item with one translation into `root`.
 * @param {HTMLElement} root
 * @param {import("./texts.js").Texts} item
 * @param {import("./texts.js").Options} options
 * @param {DrawnScale} scale
 * @param {...Node} more  below the scale
 * @returns {{answer: () => Object|null, isComplete: () => boolean, destroy: () => void}}
 */
export function mountRating(root, item, options, scale, ...more) {
  return mountQuestion(root, options, drawTexts(item, options), scale, ...more);
}

/** The same with texts that the widget has drawn itself. */
export function mountQuestion(root, options, texts, scale, ...more) {
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
