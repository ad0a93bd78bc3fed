// Pairwise comparison in the browser: two translations side by side, and which of them is better.

import { make } from "../../static/dom.js";
import { mountQuestion } from "../../static/one_rating.js";
import { drawAnswers, recallChoice } from "../../static/scales/choices.js";
import { drawText, languagesOf, lengthStep, readableSource } from "../../static/texts.js";

// The keys 1 and 2 are the numbers of the translations.
const ANSWERS = ["a", "b", "tie", "both_bad"].map((value, index) => ({ value, digit: index + 1 }));

/**
 * Draw one item into `root`; see one_rating.js. The first translation is `a`: on the left, on the right
 * where the language runs from right to left, or on top.
 * @param {{translations: {text: string}[], source?: string, reference?: string}} item
 */
export function mount(root, item, options, onChange) {
  const answers = drawAnswers(options, "preference", ANSWERS, onChange);
  return mountQuestion(root, options, drawPair(item, options), answers);
}

/** An earlier answer in words. */
export function recall(answer, options) {
  return recallChoice(answer, "preference", options);
}

/** What a worker will see, before the steps that every campaign with this attribute has. */
export function steps({ words, presentation }) {
  const roles = ["source", "reference"].filter((role) => presentation.shows.includes(role));
  return [words.shown[roles.join("_") || "text"]];
}

function drawPair(item, options) {
  const { labels } = options.words;
  const { source, target } = languagesOf(options);
  const drawn = [];
  const draw = (text, label, colour, language) => {
    const block = drawText(text, { label, colour, isLabelled: true, ...language }, options);
    drawn.push(block);
    return block.element;
  };
  const above = [];
  if (item.source !== undefined) above.push(draw(item.source, labels.source, "grey", source));
  if (item.reference !== undefined) above.push(draw(item.reference, labels.reference, "grey", target));
  const pair = make("div", "pair", ...item.translations.map(({ text }, index) => {
    const label = index ? labels.second : labels.first;
    const sheet = make("div", "texts translation", draw(text, label, "black", target));
    sheet.setAttribute("role", "group");
    sheet.setAttribute("aria-label", label);
    return sheet;
  }));
  const element = make("div", "comparison", above.length ? make("div", "texts meant", ...above) : null, pair);
  // In the language of the texts, also where the page around them has another direction.
  element.dir = options.direction;
  element.dataset.length = lengthStep([readableSource(item.source, options), item.reference, ...item.translations.map(({ text }) => text)]);
  return { element, destroy: () => drawn.forEach((block) => block.destroy()) };
}
