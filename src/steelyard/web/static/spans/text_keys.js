// The keyboard in a text: moving through it, and what is done at the unit that has the focus.

import { isLetterKey, isUndoKey } from "./editor_keys.js";

/**
 * @param {HTMLElement} element  the text
 * @param {ReturnType<typeof import("./caret.js").startCaret>} caret
 * @param {Object} on
 * @param {(index: number) => void} on.act     Enter: what a click does
 * @param {(index: number) => void} on.mark    Space: begin a mark or end it, whatever is marked there already
 * @param {(index: number) => void} on.remove
 * @param {(index: number) => void} on.move    the focus is at another unit
 * @param {() => boolean} on.cancel            whether there was anything to cancel
 * @param {() => void} on.undo
 * @param {() => boolean} on.isFrozen          nothing can be changed: then keys only move
 */
export function followTextKeys(element, caret, on) {
  const keys = { Enter: on.act, " ": on.mark, Delete: on.remove, Backspace: on.remove };

  /** Whether the key meant something, which is then done. */
  function take(event) {
    const index = caret.indexAfter(event);
    if (index !== undefined) {
      caret.put(index);
      caret.focus();
      caret.reveal();
      on.move(caret.at());
      return true;
    }
    if (event.altKey || event.shiftKey || on.isFrozen()) return false;
    if (event.ctrlKey || event.metaKey) {
      if (!isUndoKey(event)) return false;
      on.undo();
      return true;
    }
    if (event.key === "Escape") return on.cancel();
    const act = isLetterKey(event, "u") ? on.undo : keys[event.key];
    if (!act) return false;
    if (!event.repeat) act(caret.at());
    return true;
  }

  element.addEventListener("keydown", (event) => {
    if (event.isComposing || !take(event)) return;
    event.preventDefault();
    // On the page around, Enter sends the answer.
    event.stopPropagation();
  });
}
