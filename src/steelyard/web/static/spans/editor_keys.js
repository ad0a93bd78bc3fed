// What keys mean in the window beside a mark.

import { isUnseen, isWhole } from "./marks.js";

const DIGIT = /^(?:Digit|Numpad)([1-9])$/;

/**
 * What a key is for; null where it means what it always does.
 * @param {KeyboardEvent} event
 * @param {Object} editor
 * @param {import("./marks.js").KeptMark} editor.mark
 * @param {string[]} editor.severities
 * @param {Record<string, string[]>|null} editor.categories
 * @param {{type: (letter: string) => void}|null} editor.category
 * @param {boolean} editor.isMirrored
 * @param {import("./mark_editor.js").EditorActions} actions
 * @returns {(() => void)|null}
 */
export function editorKey(event, editor, actions) {
  const { key, code } = event;
  if (event.isComposing || event.altKey) return null;
  if (event.ctrlKey || event.metaKey) return isUndoKey(event) ? actions.undo : null;
  if (key === "Escape") return actions.close;
  if (key === "Delete" || key === "Backspace") return actions.remove;
  if (event.shiftKey && (key === "ArrowLeft" || key === "ArrowRight")) {
    const step = (key === "ArrowRight") === editor.isMirrored ? -1 : 1;
    return () => actions.move("end", step);
  }
  if (key === "Enter") return isSettled(event.target, editor) ? actions.close : null;
  // By its place on the keyboard, since some layouts have other characters there.
  const severity = editor.severities[Number(DIGIT.exec(code)?.[1]) - 1];
  if (severity !== undefined) return () => actions.change({ severity });
  return editor.category && /^\p{L}$/u.test(key) ? () => editor.category.type(key) : null;
}

/** Whether this key with Ctrl or Cmd takes the last step back. */
export function isUndoKey(event) {
  return !event.shiftKey && !event.altKey && isLetterKey(event, "z");
}

/** Whether this is the key of a Latin letter: where a layout has other letters, its place counts. */
export function isLetterKey({ key, code }, letter) {
  return /^[a-z]$/i.test(key) ? key.toLowerCase() === letter : code === `Key${letter.toUpperCase()}`;
}

// What is chosen already need not be chosen again, and nothing else is missing.
function isSettled(button, { mark, categories }) {
  return button.getAttribute("aria-checked") === "true" && isWhole(mark, categories) && !isUnseen(mark);
}
