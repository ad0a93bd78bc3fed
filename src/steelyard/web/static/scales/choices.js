// A few answers to choose from: radio buttons that also respond to digits and arrow keys.

import { make } from "../dom.js";
import { DESCRIBED_BY } from "../one_rating.js";
import { followDigits } from "./digits.js";
import { startTally } from "./tally.js";

const ANY_DIGIT = /^(?:Digit|Numpad)(\d)$/;

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
export function drawAnswers({ words, direction, elapsed, draft }, field, choices, onChange) {
  const kept = choices.findIndex((choice) => choice.value === draft?.[field]);
  const tally = startTally(elapsed, kept < 0 ? undefined : draft);
  const buttons = choices.map((choice) => drawChoice(field, choice, words));
  const group = make("div", "choices", ...buttons.map(({ label }) => label));
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", words.scale_label);
  group.setAttribute("aria-describedby", DESCRIBED_BY);
  const hint = make("p", "scale-hint", words.hint);
  hint.dir = "auto";
  const element = make("div", "scale", group, hint);
  element.dir = direction;
  element.lang = words.language;

  let value = null;

  function show(index) {
    buttons[index].input.checked = true;
    value = choices[index].value;
    hint.classList.add("scale-hint-done");
  }

  function choose(index) {
    buttons[index].input.focus();
    if (value === choices[index].value) return;
    tally.touch();
    tally.move();
    show(index);
    onChange();
  }

  if (kept >= 0) show(kept);

  buttons.forEach(({ input }, index) => {
    input.addEventListener("change", () => choose(index));
    input.addEventListener("keydown", (event) => {
      const step = stepOfKey(event, direction === "rtl");
      if (step === 0) return;
      event.preventDefault();
      choose((index + step + buttons.length) % buttons.length);
    });
  });
  const stopDigits = followDigits(element, ANY_DIGIT, (digit) => {
    const index = choices.findIndex((choice) => choice.digit === digit);
    if (index >= 0) choose(index);
  });
  return {
    element,
    answer: () => tally.answer(field, value),
    focus: () => (buttons.find(({ input }) => input.checked) ?? buttons[0]).input.focus({ preventScroll: true }),
    reveal: ({ expected, preferred }) => {
      const marked = choices.filter(({ value: each }) => isExpected(each, expected, preferred));
      for (const choice of marked) markExpected(buttons[choices.indexOf(choice)].label, words);
      return marked.map(({ value: each }) => words.choices[each]).join("; ");
    },
    destroy: stopDigits,
  };
}

/** The answer that was given earlier, as its label says it. @param {Object} answer @param {string} field */
export function recallChoice(answer, field, { words }) {
  const label = words.choices[answer[field]];
  if (label === undefined) return null;
  const element = make("span", "recall", label);
  element.lang = words.language;
  element.dir = "auto";
  return element;
}

function isExpected(value, expected, preferred) {
  if (preferred) return preferred.includes(value);
  return Boolean(expected) && expected[0] <= value && value <= expected[1];
}

function markExpected(label, words) {
  label.classList.add("choice-expected");
  label.append(make("span", "visually-hidden", ` (${words.expected})`));
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
