// The texts of an item on their sheet: what is meant, and below or beside it what is judged. Campaigns whose look is
// "labelled" name each text above it; in older ones black and grey alone tell them apart, as their statements say.

import { directionOf } from "./direction.js";
import { make } from "./dom.js";
import { drawMarkup, plainTextOf } from "./markup.js";
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
 * @property {Object} [draft]                an answer to this item, as `answer()` gave it before a reload
 */

/** @typedef {{text: string, reference?: string, source?: string}} Texts */

// Our choice: about 90 and 200 words of English. Beyond, the type gets a step smaller; see texts.css.
const LONG = 500;
const LONGEST = 1100;
// As wide as two Latin letters.
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/gu;

/**
 * @param {Texts} texts
 * @param {Options} options
 * @returns {{element: HTMLElement, destroy: () => void}}
 */
export function drawTexts(texts, options) {
  const { labels } = options.words;
  const { source, target } = languagesOf(options);
  const isLabelled = isLabelledLook(options);
  const meant = { colour: "grey", isLabelled };
  const blocks = [];
  const draw = (text, look) => blocks.push(drawText(text, look, options));
  if (texts.source !== undefined) {
    draw(texts.source, { ...meant, label: isLabelled ? labels.source : labels.grey, ...source });
  }
  if (texts.reference !== undefined) {
    draw(texts.reference, { ...meant, label: isLabelled ? labels.reference : labels.grey, ...target });
  }
  // A text that stands alone needs no name.
  const isAlone = blocks.length === 0;
  const label = isAlone ? labels.text : isLabelled ? labels.translation : labels.black;
  draw(texts.text, { colour: "black", label, isLabelled: isLabelled && !isAlone, ...target });
  const element = make("div", `texts${isLabelled ? " texts-labelled" : ""}`, ...blocks.map((block) => block.element));
  // Where they stand side by side, what is meant comes first in the direction of reading.
  element.dir = options.direction;
  element.dataset.length = lengthStep([readableSource(texts.source, options), texts.reference, texts.text]);
  return { element, destroy: () => blocks.forEach((block) => block.destroy()) };
}

/** Whether the texts of this campaign carry their names, so that no word of it speaks of colours. */
export function isLabelledLook({ presentation }) {
  return presentation.look === "labelled";
}

/** The language and direction of sources, and of everything else that is shown; and whether sources are HTML. */
export function languagesOf(options) {
  const isMarkup = Boolean(options.presentation.source_markup);
  return {
    source: { language: options.sourceLanguage, direction: options.sourceDirection, isMarkup },
    target: { language: options.language, direction: options.direction },
  };
}

/** What there is to read in a source, without its tags where it is HTML. @param {string|undefined} source */
export function readableSource(source, { presentation }) {
  return source !== undefined && presentation.source_markup ? plainTextOf(source) : source;
}

/**
 * How long the longest of some texts is, as its style sheet needs to know.
 * @param {(string|undefined)[]} texts
 * @returns {"short"|"long"|"longest"}
 */
export function lengthStep(texts) {
  const length = Math.max(...texts.map((text = "") => text.length + (text.match(WIDE)?.length ?? 0)));
  return length <= LONG ? "short" : length <= LONGEST ? "long" : "longest";
}

/**
 * One text. Its label is only spoken, unless `isLabelled`: then it stands above the text.
 * @param {string} text
 * @param {{colour: "grey"|"black", label: string, isLabelled?: boolean, language: string, direction: "ltr"|"rtl",
 *   isMarkup?: boolean}} look
 * @param {Options} options
 * @returns {{element: HTMLElement, destroy: () => void}}
 */
export function drawText(text, look, { words, presentation }) {
  const { colour, label, isLabelled, language, direction } = look;
  const isEmpty = !text.trim();
  const shown = isEmpty ? words.empty : text;
  const block = make("div", `text text-${colour}${isEmpty ? " text-empty" : ""}`);
  const markup = look.isMarkup && !isEmpty ? drawMarkup(text, label) : null;
  const own = {
    language: isEmpty ? words.language : language,
    direction: directionOf(markup ? markup.text : shown, direction),
  };
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
  const body = markup ? markup.element : make("p", "text-body", shown);
  body.lang = own.language;
  body.dir = own.direction;
  if (!isLabelled) block.append(make("span", "visually-hidden", `${label}: `));
  block.append(body);
  return { element: block, destroy: () => markup?.destroy() };
}
