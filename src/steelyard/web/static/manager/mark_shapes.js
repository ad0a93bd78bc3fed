// Marks as the server has them and as the span engine does, and how the texts they are in are shown.

import { page } from "./desk.js";

export const MISSING = "[missing]";

/** Marks as the span engine has them. @param {Object[]} marks  as the server has them @param {"target"|"source"} side */
export function ofSide(marks, side) {
  return marks.filter((mark) => mark.side === side).map(({ start, end, severity, category }) => {
    const kind = { severity, ...(side === "source" ? { side } : {}) };
    if (start !== null) return { ...kind, start, end, ...(category ? { category } : {}) };
    if (category?.startsWith("[")) return { ...kind, token: category };
    return { ...kind, token: MISSING, ...(category ? { category } : {}) };
  });
}

/** What the span engine gives, as the server takes it. */
export function forServer({ start, end, severity, category, side, token }) {
  const kind = token && token !== MISSING ? token : category;
  const place = token ? {} : { start, end };
  return { ...place, severity, ...(kind ? { category: kind } : {}), ...(side ? { side } : {}) };
}

/** How texts of both sides are shown. */
export function looks(found) {
  const words = page.marking_words;
  const common = { severities: found.severities, words };
  return {
    target: { ...common, language: page.language, direction: page.direction },
    source: { ...common, language: page.source_language, direction: page.source_direction },
  };
}
