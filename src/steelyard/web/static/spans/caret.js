// Moving through the units of a text with the keyboard. One of them is a stop of the Tab key; the arrow keys move it.

const ACROSS = { ArrowRight: 1, ArrowLeft: -1 };
const ALONG = { ArrowDown: 1, ArrowUp: -1 };

/**
 * @param {ReturnType<typeof import("./text_pieces.js").drawPieces>} pieces
 * @param {{isMirrored: boolean, strides: () => number[], stops: () => number[]}} options
 *   `strides`: where sentences begin; `stops`: the units at which marks begin
 */
export function startCaret({ units }, { isMirrored, strides, stops }) {
  let at = 0;

  function put(index) {
    // Not without the attribute: what has the focus would lose it.
    units[at]?.element.setAttribute("tabindex", "-1");
    at = Math.min(Math.max(index, 0), units.length - 1);
    units[at]?.element.setAttribute("tabindex", "0");
  }

  const indexAtOffset = (offset) => units.findIndex(({ start, token }) => token !== undefined || start >= offset);
  const jump = (step) => {
    const starts = [...strides().map(indexAtOffset), units.length - 1];
    return step > 0 ? starts.find((index) => index > at) : starts.findLast((index) => index >= 0 && index < at);
  };
  const nextMark = (step) => {
    const starts = stops();
    return step > 0 ? starts.find((index) => index > at) : starts.findLast((index) => index < at);
  };

  put(0);
  return {
    at: () => at,
    put,
    focus() {
      units[at]?.element.focus({ preventScroll: true });
    },
    /** Scrolls to it, if it is out of sight. */
    reveal() {
      units[at]?.element.scrollIntoView({ block: "nearest" });
    },
    /** The unit that a key leads to; undefined if it means nothing here. @param {KeyboardEvent} event */
    indexAfter(event) {
      if (event.altKey || event.shiftKey) return undefined;
      const isFar = event.ctrlKey || event.metaKey;
      if (event.key in ACROSS) {
        const step = isMirrored ? -ACROSS[event.key] : ACROSS[event.key];
        return isFar ? jump(step) ?? at : at + step;
      }
      if (event.key in ALONG && !isFar) return onOtherLine(units, at, ALONG[event.key]);
      if (event.key === "Home") return isFar ? 0 : endOfLine(units, at, -1);
      if (event.key === "End") return isFar ? units.length - 1 : endOfLine(units, at, 1);
      if (event.key === "PageDown") return nextMark(1) ?? at;
      if (event.key === "PageUp") return nextMark(-1) ?? at;
      return undefined;
    },
  };
}

/** The unit of the line below or above that is nearest on the screen. */
function onOtherLine(units, at, step) {
  const from = boxOf(units[at]);
  const middle = (from.left + from.right) / 2;
  let best = at;
  let line = null;
  for (let index = at + step; index >= 0 && index < units.length; index += step) {
    const box = boxOf(units[index]);
    if (isSameLine(box, from)) continue;
    if (line && !isSameLine(box, line)) break;
    const distance = Math.abs((box.left + box.right) / 2 - middle);
    if (!line || distance < line.distance) {
      line = { top: box.top, bottom: box.bottom, distance };
      best = index;
    }
  }
  return best;
}

function endOfLine(units, at, step) {
  const from = boxOf(units[at]);
  let index = at;
  while (units[index + step] && isSameLine(boxOf(units[index + step]), from)) index += step;
  return index;
}

function boxOf({ element }) {
  return element.getBoundingClientRect();
}

function isSameLine(one, other) {
  return Math.abs((one.top + one.bottom) / 2 - (other.top + other.bottom) / 2) < (other.bottom - other.top) / 2;
}
