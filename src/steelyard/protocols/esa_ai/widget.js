// Error span annotation with errors that are marked beforehand: each is kept, changed or removed.

import { drawMarkedSegment, mountMarked } from "../../static/marking/one_translation.js";
import { asMarks, drawPrefilled } from "../../static/marking/prefilled_list.js";
import { recallLine } from "../../static/scales/line.js";

/** Draw one item into `root`; see one_translation.js. */
export function mount(root, item, options, onChange) {
  const given = asMarks(item.spans ?? [], options);
  return mountMarked(root, item, options, onChange, {
    begin: given,
    extra: (parts) => drawPrefilled(given, item, options, parts),
  });
}

export const drawSegment = drawMarkedSegment;
export const recall = recallLine;
