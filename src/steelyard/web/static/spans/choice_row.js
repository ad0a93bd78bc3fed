// A row of buttons of which one is chosen. It is one stop of the Tab key; the arrow keys move within it.

import { make, makeButton } from "../dom.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * @param {string} label
 * @param {{key: string, text: string, className?: string}[]} choices
 * @param {(key: string) => void} onChoose
 */
export function drawChoiceRow(label, choices, onChoose) {
  const buttons = choices.map(({ key, text, className = "" }) => {
    const button = makeButton(text, () => onChoose(key), `mark-choice ${className}`.trim());
    button.setAttribute("role", "radio");
    return button;
  });
  const element = make("div", "mark-choices", ...buttons);
  element.setAttribute("role", "radiogroup");
  element.setAttribute("aria-label", label);
  element.addEventListener("keydown", (event) => {
    const from = buttons.indexOf(event.target);
    if (from < 0 || !(event.key in STEPS) || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const isMirrored = getComputedStyle(element).direction === "rtl" && event.key.match(/Left|Right/);
    const to = from + (isMirrored ? -STEPS[event.key] : STEPS[event.key]);
    buttons[(to + buttons.length) % buttons.length].focus();
  });
  const row = {
    element,
    buttons,
    /** @param {string|undefined} key */
    show(key) {
      const chosen = choices.findIndex((choice) => choice.key === key);
      buttons.forEach((button, index) => {
        button.setAttribute("aria-checked", String(index === chosen));
        button.tabIndex = index === Math.max(chosen, 0) ? 0 : -1;
      });
    },
    focus: () => buttons.find(({ tabIndex }) => tabIndex === 0)?.focus({ preventScroll: true }),
  };
  row.show(undefined);
  return row;
}
