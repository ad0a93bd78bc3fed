// Direct assessment in the browser: a line with a word at either end.

import { mountRating } from "../../static/one_rating.js";
import { drawLine } from "../../static/scales/line.js";

/** Draw one item into `root`; see one_rating.js. */
export function mount(root, item, options, onChange) {
  const { low, high } = options.words.anchors;
  return mountRating(root, item, options, drawLine(options, { 0: low, 100: high }, onChange));
}
