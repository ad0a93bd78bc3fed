// A few answers to choose from: radio buttons that also respond to digits and arrow keys.

import { make } from "../dom.js";
import { STATEMENT_ID } from "../one_rating.js";
import { startTally } from "./tally.js";

/**
 * Ratings to choose from: those of `words.choices`; `presentation.order` says which comes first.
 * @param {import("../texts.js").Options} options
 * @param {{hasNumbers: boolean}} look  whether each choice shows its rating
 * @param {() => void} onChange  called whenever `answer()` may have changed
 * @returns {import("../one_rating.js").DrawnScale}
 */
export function drawChoices(options, { hasNumbers }, onChange) {
  const { words, presentation } = options;
  // Whole numbers as keys always come in ascending order.
  const ratings = Object.keys(words.choices).map(Number);
  if (presentation.order === "descending") ratings.reverse();
  const number = (rating) => (hasNumbers ? rating.toLocaleString(words.language) : null);
  const choices = ratings.map((rating) => ({ value: rating, digit: rating, number: number(rating) }));
  return drawAnswers(options, "rating", choices, onChange);
}

/**
 * Answers to choose from, in this order. `words.choices` has the label of each value.
 * @param {import("../texts.js").Options} options
 * @param {string} field  the field of the answer that holds the chosen value
 * @param {{value: number|string, digit: number, number?: string|null}[]} choices
 *   `digit`: the key that chooses it; `number`: shown with it
 * @param {() => void} onChange  called whenever `answer()` may have changed
 * @returns {import("../one_rating.js").DrawnScale}
 */
export function drawAnswers({ words, direction, elapsed }, field, choices, onChange) {
  const tally = startTally(elapsed);
  const buttons = choices.map((choice) => drawChoice(field, choice, words));
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
    if (value === choices[index].value) return;
    value = choices[index].value;
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
  // Digits work wherever the focus is, so that workers need not Tab to the answers every time.
  const onDigit = (event) => {
    const digit = digitOf(event);
    const index = choices.findIndex((choice) => choice.digit === digit);
    if (index >= 0 && !element.closest("[inert]")) choose(index);
  };
  document.addEventListener("keydown", onDigit);
  return {
    element,
    answer: () => tally.answer(field, value),
    destroy: () => document.removeEventListener("keydown", onDigit),
  };
}

function drawChoice(field, { value, number }, words) {
  const input = make("input", "choice-input");
  input.type = "radio";
  input.name = field;
  input.value = String(value);
  const text = make("span", "choice-text", words.choices[value]);
  text.dir = "auto";
  const shownNumber = number ? make("span", "choice-number", number) : null;
  return { input, label: make("label", "choice", input, shownNumber, text) };
}

/** 1 towards the next choice on the screen, -1 towards the previous one, 0 for any other key. */
function stepOfKey(event, isMirrored) {
  if (event.altKey || event.ctrlKey || event.metaKey) return 0;
  const right = isMirrored ? -1 : 1;
  return { ArrowDown: 1, ArrowUp: -1, ArrowRight: right, ArrowLeft: -right }[event.key] ?? 0;
}

/** The digit of a key, even if the keyboard layout puts another character there; or NaN. */
function digitOf(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return NaN;
  return Number(/^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1] ?? NaN);
}
