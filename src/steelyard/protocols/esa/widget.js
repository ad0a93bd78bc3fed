// Error span annotation in the browser: mark the errors of a translation, then score it.

import { drawMarkedSegment, mountMarked } from "../../static/marking/one_translation.js";
import { recallLine } from "../../static/scales/line.js";

/** Draw one item into `root`; see one_translation.js. */
export function mount(root, item, options, onChange) {
  return mountMarked(root, item, options, onChange);
}

export const drawSegment = drawMarkedSegment;
export const recall = recallLine;
