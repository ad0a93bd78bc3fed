// A mark of which only the first unit is chosen yet.

/**
 * @param {ReturnType<typeof import("./text_pieces.js").drawPieces>} pieces
 * @param {{onBegin: () => void, onEnd: () => void}} on
 */
export function keepHalfMark({ element, units, placeOf, showPending }, { onBegin, onEnd }) {
  let from = null;

  function cancel() {
    if (from === null) return false;
    from = null;
    showPending(null);
    document.removeEventListener("click", onClick, true);
    onEnd();
    return true;
  }

  function onClick({ target }) {
    if (!element.contains(target)) cancel();
  }

  return {
    isBegun: () => from !== null,
    begin(index) {
      from = index;
      showPending(placeOf(index, index));
      document.addEventListener("click", onClick, true);
      onBegin();
    },
    /** Shows what it would be if it ended here. */
    reach(index) {
      if (from !== null && units[index]?.start !== undefined) showPending(placeOf(from, index));
    },
    /** @returns {import("./offsets.js").Place} */
    end(index) {
      const place = placeOf(from, index);
      cancel();
      return place;
    },
    cancel,
  };
}
