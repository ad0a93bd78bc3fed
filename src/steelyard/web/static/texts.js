// The texts of an item on their sheet of paper: what is meant in grey, what is judged in black.

import { directionOf } from "./direction.js";
import { make } from "./dom.js";
import { drawTextImage } from "./text_image.js";

/**
 * What the shell hands to a widget.
 * @typedef {Object} Options
 * @property {Record<string, any>} words     the protocol's words
 * @property {Record<string, any>} presentation  as recorded with the campaign
 * @property {string} attribute
 * @property {string} language               of the translations, a BCP 47 code
 * @property {"ltr"|"rtl"} direction
 * @property {string} sourceLanguage
 * @property {"ltr"|"rtl"} sourceDirection
 * @property {() => number} elapsed          milliseconds this item has been visible
 */

/** @typedef {{text: string, reference?: string, source?: string}} Texts */

/**
 * @param {Texts} texts
 * @param {Options} options
 * @returns {{element: HTMLElement, destroy: () => void}}
 */
export function drawTexts(texts, options) {
  const { labels } = options.words;
  const target = { language: options.language, direction: options.direction };
  const source = { language: options.sourceLanguage, direction: options.sourceDirection };
  const blocks = [];
  if (texts.source !== undefined) blocks.push(drawBlock("grey", labels.grey, texts.source, source, options));
  if (texts.reference !== undefined) blocks.push(drawBlock("grey", labels.grey, texts.reference, target, options));
  const label = blocks.length ? labels.black : labels.text;
  blocks.push(drawBlock("black", label, texts.text, target, options));
  return {
    element: make("div", "texts", ...blocks.map((block) => block.element)),
    destroy: () => blocks.forEach((block) => block.destroy()),
  };
}

function drawBlock(colour, label, text, { language, direction }, { words, presentation }) {
  const isEmpty = !text.trim();
  const shown = isEmpty ? words.empty : text;
  const block = make("div", `text text-${colour}${isEmpty ? " text-empty" : ""}`);
  const own = { language: isEmpty ? words.language : language, direction: directionOf(shown, direction) };
  if (presentation.texts_as_images) {
    const image = drawTextImage(shown, { label, ...own });
    block.append(image.element);
    return { element: block, destroy: image.destroy };
  }
  const body = make("p", "", shown);
  body.lang = own.language;
  body.dir = own.direction;
  block.append(make("span", "visually-hidden", `${label}: `), body);
  return { element: block, destroy: () => {} };
}
