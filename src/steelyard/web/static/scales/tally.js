// What is sent with an answer: when the scale was first touched, and how often the answer was changed.

/**
 * @param {() => number} elapsed  milliseconds the item has been visible
 * @param {{first_touch_ms?: number, n_moves?: number}} [draft]  an answer to go on from
 */
export function startTally(elapsed, draft) {
  let firstTouchMs = draft?.first_touch_ms ?? null;
  let moves = draft?.n_moves ?? 0;
  return {
    touch() {
      firstTouchMs ??= Math.round(elapsed());
    },
    move() {
      moves += 1;
    },
    /** As if nothing had been touched yet. */
    forget() {
      firstTouchMs = null;
    },
    /** The whole answer. @param {string} field  such as "rating" @param {number|string|null} value  null: none yet */
    answer: (field, value) =>
      value === null ? null : { [field]: value, first_touch_ms: firstTouchMs, n_moves: Math.max(moves, 1) },
  };
}
