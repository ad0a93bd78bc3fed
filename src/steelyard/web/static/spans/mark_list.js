// The small window at a place where several marks lie: which of them is meant.

import { make, makeButton } from "../dom.js";
import { placeBeside } from "./placing.js";

const GAP = 14;

/**
 * @param {Record<string, any>} words
 * @param {{label: string, onChoose: () => void}[]} marks
 * @param {{anew: () => void, close: () => void}} actions
 */
export function drawMarkList(words, marks, { anew, close }) {
  const said = words.spans;
  const buttons = marks.map(({ label, onChoose }) => makeButton(label, onChoose, "mark-action mark-listed"));
  const element = make("div", "mark-editor", make("p", "mark-beforehand", said.several), ...buttons, makeButton(said.anew, anew, "mark-action"));
  element.setAttribute("role", "dialog");
  element.setAttribute("aria-label", said.several);
  element.lang = words.language;
  element.dir = "auto";
  element.popover = "manual";
  element.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = buttons.indexOf(event.target);
    if (step && at >= 0) {
      event.preventDefault();
      buttons[(at + step + buttons.length) % buttons.length].focus();
    }
  });
  return {
    element,
    place: (boxes) => placeBeside(element, boxes, GAP),
    focus: () => buttons[0].focus({ preventScroll: true }),
  };
}
