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
  const { source, target } = languagesOf(options);
  const blocks = [];
  const grey = { colour: "grey", label: labels.grey };
  if (texts.source !== undefined) blocks.push(drawText(texts.source, { ...grey, ...source }, options));
  if (texts.reference !== undefined) blocks.push(drawText(texts.reference, { ...grey, ...target }, options));
  const label = blocks.length ? labels.black : labels.text;
  blocks.push(drawText(texts.text, { colour: "black", label, ...target }, options));
  return {
    element: make("div", "texts", ...blocks.map((block) => block.element)),
    destroy: () => blocks.forEach((block) => block.destroy()),
  };
}

/** The language and direction of sources, and of everything else that is shown. */
export function languagesOf(options) {
  return {
    source: { language: options.sourceLanguage, direction: options.sourceDirection },
    target: { language: options.language, direction: options.direction },
  };
}

/**
 * One text. Its label is only spoken, unless `isLabelled`: then it stands above the text.
 * @param {string} text
 * @param {{colour: "grey"|"black", label: string, isLabelled?: boolean, language: string, direction: "ltr"|"rtl"}} look
 * @param {Options} options
 * @returns {{element: HTMLElement, destroy: () => void}}
 */
export function drawText(text, { colour, label, isLabelled, language, direction }, { words, presentation }) {
  const isEmpty = !text.trim();
  const shown = isEmpty ? words.empty : text;
  const block = make("div", `text text-${colour}${isEmpty ? " text-empty" : ""}`);
  const own = { language: isEmpty ? words.language : language, direction: directionOf(shown, direction) };
  if (isLabelled) {
    const heading = make("p", "text-label", label);
    heading.lang = words.language;
    heading.dir = "auto";
    block.append(heading);
  }
  if (presentation.texts_as_images) {
    const image = drawTextImage(shown, { label, ...own });
    block.append(image.element);
    return { element: block, destroy: image.destroy };
  }
  const body = make("p", "text-body", shown);
  body.lang = own.language;
  body.dir = own.direction;
  if (!isLabelled) block.append(make("span", "visually-hidden", `${label}: `));
  block.append(body);
  return { element: block, destroy: () => {} };
}
