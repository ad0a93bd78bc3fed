// How to mark, in one line: other words where there is a finger instead of a mouse.

import { make } from "../dom.js";

/** @param {Record<string, any>} words  the protocol's */
export function drawMarkHint(words) {
  const { hint, hint_touch: hintTouch } = words.spans;
  const forMouse = make("span", "mark-hint-mouse", hint);
  const element = make("p", "mark-hint", forMouse, make("span", "mark-hint-touch", hintTouch));
  element.lang = words.language;
  element.dir = "auto";
  return element;
}
