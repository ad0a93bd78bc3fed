// A few answers to choose one from: radio buttons, also answered by digits and arrow keys.

import { make } from "../dom.js";
import { STATEMENT_ID } from "../one_rating.js";
import { startTally } from "./tally.js";

/**
 * The choices are those of `words.choices`, by rating; `presentation.order` says which comes first.
 * @param {import("../texts.js").Options} options
 * @param {{hasNumbers: boolean}} look  whether each choice shows its rating
 * @param {() => void} onChange  called whenever `answer()` may have changed
 * @returns {import("../one_rating.js").DrawnScale}
 */
export function drawChoices({ words, presentation, direction, elapsed }, { hasNumbers }, onChange) {
  const tally = startTally(elapsed);
  // Whole numbers as keys always come in ascending order.
  const ratings = Object.keys(words.choices).map(Number);
  if (presentation.order === "descending") ratings.reverse();
  const buttons = ratings.map((rating) => drawChoice(rating, words, hasNumbers));
  const group = make("div", "choices", ...buttons.map(({ label }) => label));
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", words.scale_label);
  group.setAttribute("aria-describedby", STATEMENT_ID);
  const hint = make("p", "scale-hint", words.hint);
  hint.dir = "auto";
  const element = make("div", "scale", group, hint);
  element.dir = direction;
  element.lang = words.language;

  let value = null;

  function choose(index) {
    const { input } = buttons[index];
    input.checked = true;
    input.focus();
    if (value === ratings[index]) return;
    value = ratings[index];
    tally.touch();
    tally.move();
    hint.classList.add("scale-hint-done");
    onChange();
  }

  buttons.forEach(({ input }, index) => {
    input.addEventListener("change", () => choose(index));
    input.addEventListener("keydown", (event) => {
      const step = stepOfKey(event, direction === "rtl");
      if (step === 0) return;
      event.preventDefault();
      choose((index + step + buttons.length) % buttons.length);
    });
  });
  // Digits choose from wherever the focus is, so that a worker need not Tab to the scale every time.
  const onDigit = (event) => {
    const index = ratings.indexOf(digitOf(event));
    if (index >= 0 && !element.closest("[inert]")) choose(index);
  };
  document.addEventListener("keydown", onDigit);
  return {
    element,
    answer: () => tally.answer(value),
    destroy: () => document.removeEventListener("keydown", onDigit),
  };
}

function drawChoice(rating, words, hasNumbers) {
  const input = make("input", "choice-input");
  input.type = "radio";
  input.name = "rating";
  input.value = String(rating);
  const text = make("span", "choice-text", words.choices[rating]);
  text.dir = "auto";
  const number = hasNumbers ? make("span", "choice-number", rating.toLocaleString(words.language)) : null;
  return { input, label: make("label", "choice", input, number, text) };
}

/** 1 towards the next choice on the screen, -1 towards the previous one, 0 for any other key. */
function stepOfKey(event, isMirrored) {
  if (event.altKey || event.ctrlKey || event.metaKey) return 0;
  const right = isMirrored ? -1 : 1;
  return { ArrowDown: 1, ArrowUp: -1, ArrowRight: right, ArrowLeft: -right }[event.key] ?? 0;
}

/** The digit of a key, also where the keyboard writes another character with it, or NaN. */
function digitOf(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return NaN;
  return Number(/^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1] ?? NaN);
}
