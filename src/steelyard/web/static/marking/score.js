// The score of a translation: a line with landmarks, and what is said where a low score has no error beside it.

import { make, makeButton } from "../dom.js";
import { keep } from "../keep.js";
import { drawLine } from "../scales/line.js";
import { worded } from "./texts.js";

// The item whose worker has been asked: nobody is asked twice, not even after a reload.
const asked = keep("asked");

/**
 * A line whose landmarks stand along it.
 * @param {import("../texts.js").Options} options
 * @param {{draft?: Object, label?: string}} own  the draft and the name of this line
 * @param {() => void} onChange
 */
export function drawScore(options, { draft, label }, onChange) {
  const words = label ? { ...options.words, scale_label: label } : options.words;
  const presentation = { ...options.presentation, keyboard: "line" };
  return drawLine({ ...options, words, presentation, draft }, words.marks, onChange);
}

/**
 * The question for one who gave a low score and marked nothing.
 * @param {string} itemId
 * @param {import("../texts.js").Options} options
 * @param {() => void} onMark  called if there is something to mark
 * @returns {{element: HTMLElement, isDue: (rating: number|undefined, nMarks: number) => boolean,
 *   open: (goOn: () => void) => void, close: () => void}}
 */
export function drawGentleQuestion(itemId, options, onMark) {
  const { words, presentation } = options;
  let goOn = () => {};
  const close = () => {
    element.hidden = true;
  };
  const closeAnd = (act) => () => {
    close();
    act();
  };
  const mark = makeButton(words.spans.ask_no, closeAnd(onMark), "button");
  const keepIt = makeButton(words.spans.ask_yes, closeAnd(() => goOn()), "button quiet");
  const text = worded(make("p", "asking-text", make("strong", "", words.spans.ask_title), " ", words.spans.ask_text), options);
  text.id = "asking";
  const element = worded(make("div", "asking", text, make("p", "asking-actions", mark, keepIt)), options);
  element.setAttribute("role", "group");
  element.setAttribute("aria-labelledby", text.id);
  element.hidden = true;
  return {
    element,
    isDue: (rating, nMarks) =>
      !nMarks && rating < presentation.spans.ask_below && element.hidden && asked.read() !== itemId,
    open(next) {
      goOn = next;
      asked.write(itemId);
      element.hidden = false;
      mark.focus();
    },
    close,
  };
}
