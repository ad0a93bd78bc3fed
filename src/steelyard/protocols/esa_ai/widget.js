// Error span annotation with errors that are marked beforehand: each is kept, changed or removed.

import { mountMarked, drawMarkedSegment } from "../../static/marking/one_translation.js";
import { drawSuggestions } from "../../static/marking/suggestions.js";
import { recallLine } from "../../static/scales/line.js";

/** Draw one item into `root`; see one_translation.js. */
export function mount(root, item, options, onChange) {
  return mountMarked(root, item, options, onChange, {
    begin: (given) => given.map((mark, prefilled) => ({ ...mark, prefilled })),
    extra: (parts) => drawSuggestions(item, options, parts),
  });
}

export const drawSegment = drawMarkedSegment;
export const recall = recallLine;
