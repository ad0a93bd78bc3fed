// Marked errors in the browser: for now the texts and the line, without marks.

import { mountRating } from "../../static/one_rating.js";
import { drawLine, recallLine } from "../../static/scales/line.js";

/** Draw one item into `root`; see one_rating.js. Words: spans, severities, categories, tokens. */
export function mount(root, item, options, onChange) {
  const mounted = mountRating(root, item, options, drawLine(options, options.words.marks, onChange));
  return { ...mounted, answer: () => (mounted.answer() ? { spans: [], ...mounted.answer() } : null) };
}

export const recall = recallLine;
