// Which of several translations is on a narrow screen, and which are done: a row of numbers.

import { fill, make, makeButton } from "../dom.js";
import { phrase, worded } from "./texts.js";

/** What the style sheet calls narrow. */
export const NARROW = "(max-width: 700px)";

/**
 * @param {number} n
 * @param {import("../texts.js").Options} options
 * @param {(place: number) => void} onChoose
 * @returns {{element: HTMLElement, follow: (shown: number, states: ("open"|"done"|"refused")[]) => void}}
 */
export function drawPlaces(n, options, onChoose) {
  const number = (place) => fill("{n}", { n: place + 1 }, options.words.language);
  const buttons = Array.from({ length: n }, (_, place) =>
    makeButton(number(place), () => onChoose(place), "place"),
  );
  const element = worded(make("div", "places", ...buttons), options);
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", phrase(options, "places"));
  return {
    element,
    follow(shown, states) {
      buttons.forEach((button, place) => {
        const label = fill(options.words.labels.numbered, { number: place + 1 }, options.words.language);
        button.dataset.state = states[place];
        button.setAttribute("aria-label", phrase(options, `place_${states[place]}`, { label }));
        if (place === shown) button.setAttribute("aria-current", "true");
        else button.removeAttribute("aria-current");
      });
    },
  };
}
