// The place under the pointer in one text, softly shown in a text that is only read. Browsers that cannot do it do without.

import { countCodePoints, units } from "../spans/offsets.js";

const NAME = "pointed-at";
// Our choice: translations run alike only roughly, so a few words on either side are shown too.
const BESIDE = 1;

/**
 * @param {HTMLElement} body  holds the text as its only text node
 * @param {string} text
 * @param {{by: "word"|"character", language: string}} cut
 * @returns {{pointAt: (share: number|null) => void, destroy: () => void}}
 */
export function showPointed(body, text, { by, language }) {
  const highlight = CSS.highlights && highlightOf();
  const node = body?.firstChild;
  if (!highlight || node?.nodeType !== Node.TEXT_NODE) return { pointAt: () => {}, destroy: () => {} };
  const places = units(text, by, language);
  const counted = countCodePoints(text);
  let shown = null;

  function clear() {
    if (shown) highlight.delete(shown);
    shown = null;
  }

  function pointAt(share) {
    clear();
    if (share === null || !places.length) return;
    const at = share * counted.length;
    const found = places.findIndex((place) => at < place.end);
    const middle = found < 0 ? places.length - 1 : found;
    const first = places[Math.max(middle - BESIDE, 0)];
    const last = places[Math.min(middle + BESIDE, places.length - 1)];
    shown = new Range();
    shown.setStart(node, counted.toUtf16(first.start));
    shown.setEnd(node, counted.toUtf16(last.end));
    highlight.add(shown);
  }

  return { pointAt, destroy: clear };
}

function highlightOf() {
  if (!CSS.highlights.has(NAME)) CSS.highlights.set(NAME, new Highlight());
  return CSS.highlights.get(NAME);
}
