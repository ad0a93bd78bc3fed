// A text in pieces that can be painted and pointed at: units, what is between them, and tokens after it.

import { make } from "../dom.js";
import { fragmentsOf, paint, setDepth } from "./look.js";
import { countCodePoints, units } from "./offsets.js";

/** @typedef {{start?: number, end?: number, token?: string, element: HTMLElement, painted: string}} Unit */

/**
 * @param {string} text
 * @param {{by: "word"|"character", language: string, tokens: string[]}} options
 */
export function drawPieces(text, { by, language, tokens }) {
  const counted = countCodePoints(text);
  const places = units(text, by, language);
  const pieces = cutAtUnits(places, counted);
  const drawToken = (token) => make("span", "markable-unit markable-token", token);
  const onTokens = tokens.map((token) => ({ token, element: drawToken(token), painted: "" }));
  const found = [...pieces.filter(({ isUnit }) => isUnit), ...onTokens];
  const indexes = new Map(found.map((unit, index) => [unit.element, index]));
  const element = make("div", "markable-text", ...pieces.map((piece) => piece.element));
  for (const { element: token } of onTokens) element.append(" ", token);

  return {
    element,
    units: found,
    places,
    counted,
    /** The index of the unit that an element of the page is in, -1 for none. */
    indexOf: (node) => indexes.get(node?.closest?.(".markable-unit")) ?? -1,
    /** From one unit to another, whichever comes first. @returns {import("./offsets.js").Place} */
    placeOf: (from, to) => ({ start: found[Math.min(from, to)].start, end: found[Math.max(from, to)].end }),
    /**
     * Paint what has changed, and only that.
     * @param {import("./look.js").Painted[]} painted
     * @param {number} below  how many lines there are below each other
     * @param {number} above  and above the text
     */
    repaint(painted, below, above) {
      setDepth(element, below, above);
      for (const piece of pieces) repaintPiece(piece, fragmentsOf(piece, painted), counted.slice);
      for (const unit of onTokens) {
        const layers = painted.filter(({ token }) => token === unit.token).map(({ layer }) => layer);
        setDepth(unit.element, layers.filter(({ isTarget }) => !isTarget).length, above);
        repaintPiece(unit, [{ layers }]);
      }
    },
    /** What will be marked, if it is. @param {import("./offsets.js").Place|null} place */
    showPending(place) {
      for (const piece of pieces) {
        const isPending = place !== null && piece.start < place.end && place.start < piece.end;
        if (isPending === piece.isPending) continue;
        piece.isPending = isPending;
        piece.element.classList.toggle("markable-pending", isPending);
      }
    },
    /** The boxes on the screen of a mark, in the order of the text. @returns {DOMRect[]} */
    boxesOf({ start, end, token }) {
      const within = token === undefined ? pieces.filter((piece) => piece.start < end && start < piece.end) : [];
      if (!within.length) return boxes(onTokens.find((unit) => unit.token === token)?.element ?? element);
      const range = document.createRange();
      range.setStart(...nodeAt(within[0], start, counted));
      range.setEnd(...nodeAt(within.at(-1), end, counted));
      return boxes(range);
    },
  };
}

// The whole text: its units, and what is between them.
function cutAtUnits(places, counted) {
  const pieces = [];
  const add = (start, end, isUnit) => {
    const element = make("span", isUnit ? "markable-unit" : "markable-gap", counted.slice(start, end));
    if (start < end) pieces.push({ start, end, isUnit, isPending: false, element, painted: "" });
  };
  let at = 0;
  for (const { start, end } of places) {
    add(at, start, false);
    add(start, end, true);
    at = end;
  }
  add(at, counted.length, false);
  return pieces;
}

function boxes(what) {
  const found = [...what.getClientRects()].filter(({ width }) => width > 0);
  return found.length ? found : [what.getBoundingClientRect()];
}

function repaintPiece(piece, fragments, slice) {
  const wanted = JSON.stringify(fragments);
  if (wanted === piece.painted) return;
  const isWhole = piece.element.childElementCount === 0;
  piece.painted = wanted;
  if (fragments.length === 1) {
    if (!isWhole) piece.element.textContent = slice(piece.start, piece.end);
    paint(piece.element, fragments[0].layers);
    return;
  }
  paint(piece.element, []);
  const parts = fragments.map(({ start, end, layers }) => {
    const part = make("span", "", slice(start, end));
    paint(part, layers);
    return part;
  });
  piece.element.replaceChildren(...parts);
}

// The text node at a place within a piece, and the browser's offset in it.
function nodeAt(piece, at, counted) {
  let left = counted.toUtf16(Math.min(Math.max(at, piece.start), piece.end)) - counted.toUtf16(piece.start);
  const walker = document.createTreeWalker(piece.element, NodeFilter.SHOW_TEXT);
  let node = walker.nextNode();
  while (node.length < left) {
    left -= node.length;
    node = walker.nextNode();
  }
  return [node, left];
}
