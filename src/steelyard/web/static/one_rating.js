// An item with one question: the statement, the texts, and the answers below them.

import { make } from "./dom.js";
import { drawTexts } from "./texts.js";

/** The elements that describe the scale to screen readers: what is asked, and about which texts. */
const STATEMENT_ID = "statement";
const TEXTS_ID = "texts";
export const DESCRIBED_BY = `${STATEMENT_ID} ${TEXTS_ID}`;

/**
 * A scale that is drawn and waits for its answer.
 * @typedef {Object} DrawnScale
 * @property {HTMLElement} element
 * @property {() => Object|null} answer  null before the first touch
 * @property {() => void} [destroy]
 * @property {() => void} [focus]  so that the keyboard answers at once
 * @property {(wanted: {expected?: number[]|null, preferred?: string[]|null, spans?: Object[][]|null}) => string} [reveal]
 *   shows which answers were expected, without numbers, and gives the same in words
 * @property {number} [width]  in pixels, if it has one of its own
 */

/**
 * An item that is drawn. The shell puts its button at the end of `panel.element`, and holds the panel, with
 * `panel.question` moved to its head, in view where the texts are longer than the window; see answer_panel.js. A panel
 * without a question holds itself in view.
 * @typedef {Object} Mounted
 * @property {() => Object|null} answer
 * @property {() => boolean} isComplete
 * @property {() => string} [missing]  what is still to be done before the answer can be sent; empty for nothing
 * @property {() => string|null} [nextLabel]  what the button says, if not the usual
 * @property {() => {label?: string, take: (goOn: () => void) => void}|null} [step]
 *   what the button does before it sends: something within the item; it may call `goOn` to send after all
 * @property {() => void} destroy
 * @property {() => void} [focus]
 * @property {DrawnScale["reveal"]} [reveal]
 * @property {{element: HTMLElement, question?: HTMLElement}} [panel]
 */

/**
 * Draw an item with one translation into `root`.
 * @param {HTMLElement} root
 * @param {import("./texts.js").Texts} item
 * @param {import("./texts.js").Options} options
 * @param {DrawnScale} scale
 * @param {...Node} more  above the scale
 * @returns {Mounted}
 */
export function mountRating(root, item, options, scale, ...more) {
  return mountQuestion(root, options, drawTexts(item, options), scale, ...more);
}

/** The same with texts that the widget has drawn itself. */
export function mountQuestion(root, options, texts, scale, ...more) {
  const question = drawStatement(options);
  const panel = make("div", "answers", scale.element);
  if (scale.width) panel.style.setProperty("--scale-width", `${scale.width}px`);
  texts.element.id = TEXTS_ID;
  root.replaceChildren(question, texts.element, ...more, panel);
  return {
    answer: scale.answer,
    isComplete: () => scale.answer() !== null,
    focus: scale.focus,
    reveal: scale.reveal,
    panel: { element: panel, question },
    destroy() {
      texts.destroy();
      scale.destroy?.();
      root.replaceChildren();
    },
  };
}

/** The question that an item asks. */
export function drawStatement({ words, attribute }) {
  const leadIn = make("span", "lead-in", `${words.lead_in} `);
  const paragraph = make("p", "statement", leadIn, make("strong", "", words.statements[attribute]));
  paragraph.id = STATEMENT_ID;
  paragraph.lang = words.language;
  paragraph.dir = "auto";
  return paragraph;
}
