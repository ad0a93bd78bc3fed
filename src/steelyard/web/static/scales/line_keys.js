// What the keys do to a line. Campaigns whose keyboard is "row" begin nowhere in particular: the number row lies along
// the line as it lies before the worker, and the first arrow key puts the mark at a random place. "line" is the same, but
// digits count only while the line has the focus: there may be several. Older campaigns keep the middle.

export const MAXIMUM = 100;
const SMALL_STEP = 1;
const LARGE_STEP = 10;

/** The middle of the tenth of the line that lies where a key lies in the row from 1 to 0: 1 at the left, 0 at the right. */
export function placeOfDigit(digit, isMirrored) {
  const fromLeft = ((digit + 9) % 10) * 10 + 5;
  return isMirrored ? MAXIMUM - fromLeft : fromLeft;
}

/**
 * The value after a key, or null if the key means nothing to the line.
 * @param {KeyboardEvent} event
 * @param {number|null} value  null before the first touch
 * @param {{isMirrored: boolean, isRow: boolean}} keys
 */
export function valueAfterKey(event, value, { isMirrored, isRow }) {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  const step = event.shiftKey ? LARGE_STEP : SMALL_STEP;
  const change = {
    ArrowRight: isMirrored ? -step : step,
    ArrowLeft: isMirrored ? step : -step,
    ArrowUp: step,
    ArrowDown: -step,
    // The line has the focus from the start, and a long text must scroll.
    ...(isRow ? {} : { PageUp: LARGE_STEP, PageDown: -LARGE_STEP }),
  }[event.key];
  if (change !== undefined) return value === null ? firstPlace(isRow) : clamp(value + change);
  if (event.key === "Home") return 0;
  if (event.key === "End") return MAXIMUM;
  return null;
}

function firstPlace(isRow) {
  return isRow ? Math.floor(Math.random() * (MAXIMUM + 1)) : MAXIMUM / 2;
}

function clamp(value) {
  return Math.min(Math.max(value, 0), MAXIMUM);
}
