// Contrastive error span annotation in the browser: translations side by side, each marked and scored.

import { drawSegmentOfSeveral, mountSeveral } from "../../static/marking/several.js";

/** Draw one item into `root`; see several.js. */
export function mount(root, item, options, onChange) {
  return mountSeveral(root, item, options, onChange);
}

export const drawSegment = drawSegmentOfSeveral;
