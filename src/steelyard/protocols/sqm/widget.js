// Scalar quality metric in the browser: a line that says at each mark what it means.

import { mountRating } from "../../static/one_rating.js";
import { drawLine, recallLine } from "../../static/scales/line.js";

/** Draw one item into `root`; see one_rating.js. */
export function mount(root, item, options, onChange) {
  return mountRating(root, item, options, drawLine(options, options.words.marks, onChange));
}

export const recall = recallLine;
