// The small window at a place where several marks lie: which of them is meant.

import { make, makeButton } from "../dom.js";
import { drawWindow } from "./mark_editor.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/**
 * @param {Record<string, any>} words
 * @param {{label: string, onChoose: () => void}[]} marks
 * @param {{anew: () => void, close: () => void}} actions
 */
export function drawMarkList(words, marks, { anew, close }) {
  const { several, anew: anewLabel } = words.spans;
  const buttons = [
    ...marks.map(({ label, onChoose }) => makeButton(label, onChoose, "mark-action mark-listed")),
    makeButton(anewLabel, anew, "mark-action"),
  ];
  const element = drawWindow(words, make("p", "mark-question", several), ...buttons);
  element.setAttribute("aria-label", several);
  element.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(event.target);
    if (event.key === "Escape") close();
    else if (event.key in STEPS && at >= 0) buttons.at((at + STEPS[event.key]) % buttons.length).focus();
    else return;
    event.preventDefault();
  });
  return { element, focus: () => buttons[0].focus({ preventScroll: true }) };
}
