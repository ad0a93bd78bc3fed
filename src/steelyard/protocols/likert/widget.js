// Likert scale in the browser: five answers to choose from.

import { mountRating } from "../../static/one_rating.js";
import { drawChoices, recallChoice } from "../../static/scales/choices.js";

/** Draw one item into `root`; see one_rating.js. */
export function mount(root, item, options, onChange) {
  return mountRating(root, item, options, drawChoices(options, { hasNumbers: false }, onChange));
}

/** An earlier answer in a word. */
export function recall(answer, options) {
  return recallChoice(answer, "rating", options);
}
