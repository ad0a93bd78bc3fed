// Direct assessment in the browser: a line with a word at either end.

import { mountRating } from "../../static/one_rating.js";
import { drawAnchoredLine, recallLine } from "../../static/scales/line.js";

/** Draw one item into `root`; see one_rating.js. */
export function mount(root, item, options, onChange) {
  return mountRating(root, item, options, drawAnchoredLine(options, onChange));
}

export const recall = recallLine;
