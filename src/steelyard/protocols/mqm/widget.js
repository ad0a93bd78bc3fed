// Multidimensional quality metrics in the browser: errors with their categories, on the source too.

import { make, makeButton } from "../../static/dom.js";
import { drawMarkedSegment, mountMarked } from "../../static/marking/one_translation.js";
import { phrase, worded } from "../../static/marking/texts.js";
import { recallLine } from "../../static/scales/line.js";
import { countCodePoints } from "../../static/spans/offsets.js";

// Main categories with a meaning of their own: the whole text is no translation; the source is wrong.
const NO_TRANSLATION = "non-translation!";
const ONLY_SOURCE = "source issue";

/** Draw one item into `root`; see one_translation.js. */
export function mount(root, item, options, onChange) {
  const { categories } = options.presentation.spans;
  return mountMarked(root, item, options, onChange, {
    engine: {
      source: { categories: without(categories, [NO_TRANSLATION]) },
      target: { categories: without(categories, [NO_TRANSLATION, ONLY_SOURCE]) },
    },
    extra: (parts) => drawBelow(item, options, parts),
  });
}

export const drawSegment = drawMarkedSegment;
export const recall = recallLine;

function without(categories, names) {
  return categories && Object.fromEntries(Object.entries(categories).filter(([name]) => !names.includes(name)));
}

// One mark for the whole text instead of all others, which come back if it is taken away.
function drawBelow(item, options, { target, source, all, refresh }) {
  const { severities, categories } = options.presentation.spans;
  const whole = {
    start: 0,
    end: countCodePoints(item.text).length,
    severity: severities.at(-1),
    category: NO_TRANSLATION,
  };
  const isWhole = () => all().some((mark) => mark.category === NO_TRANSLATION);
  let before = [[], []];

  function toggle() {
    const parts = [target, source];
    if (isWhole()) parts.forEach((part, at) => part.setMarks(before[at]));
    else {
      before = parts.map((part) => part.marks());
      // What is wrong with the source itself still is.
      source.setMarks(source.marks().filter((mark) => mark.category === ONLY_SOURCE));
      target.setMarks([{ ...whole, at_ms: Math.round(options.elapsed()) }]);
    }
    refresh();
  }

  const button = worded(makeButton(phrase(options, "whole"), toggle, "button quiet whole-button"), options);
  const element = make("div", "below-text", categories?.[NO_TRANSLATION] && whole.end > 0 ? button : null);
  return {
    element,
    follow() {
      button.setAttribute("aria-pressed", String(isWhole()));
      target.lock(isWhole());
    },
    nextLabel: () => (all().length ? null : phrase(options, "no_errors")),
  };
}
