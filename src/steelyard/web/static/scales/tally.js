// What is sent with a rating: when the scale was first touched, and how often the answer was given.

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
    /** @param {number|null} rating */
    answer: (rating) =>
      rating === null ? null : { rating, first_touch_ms: firstTouchMs, n_moves: Math.max(moves, 1) },
  };
}
