// What is sent with an answer: when the scale was first touched, and how often the answer was changed.

/** @param {() => number} elapsed  milliseconds the item has been visible */
export function startTally(elapsed) {
  let firstTouchMs = null;
  let moves = 0;
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
