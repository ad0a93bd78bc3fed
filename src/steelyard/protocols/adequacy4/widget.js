// Adequacy on four points in the browser: the answers, and what they mean with an example each.

import { make } from "../../static/dom.js";
import { mountRating } from "../../static/one_rating.js";
import { drawChoices, recallChoice } from "../../static/scales/choices.js";
import { drawTexts } from "../../static/texts.js";

/** Draw one item into `root`; see one_rating.js. */
export function mount(root, item, options, onChange) {
  const meanings = drawMeanings(options);
  const help = make("details", "meanings-fold", make("summary", "", options.words.help), meanings.element);
  const scale = drawChoices(options, { hasNumbers: true }, onChange);
  const mounted = mountRating(root, item, options, scale, help);
  return {
    ...mounted,
    destroy() {
      meanings.destroy();
      mounted.destroy();
    },
  };
}

/** Definitions and examples, for the screen before the first item. */
export function introduction(options) {
  const meanings = drawMeanings(options);
  const element = make("section", "", make("h2", "", options.words.help), meanings.element);
  return { element, destroy: meanings.destroy };
}

/** An earlier answer in a word. */
export function recall(answer, options) {
  return recallChoice(answer, "rating", options);
}

function drawMeanings(options) {
  const { words, presentation } = options;
  const drawn = [];
  const entries = presentation.examples.map(({ rating, reference, text }) => {
    const texts = drawTexts({ reference, text }, options);
    drawn.push(texts);
    const title = make("p", "meaning-title", make("strong", "", `${rating.toLocaleString(words.language)} ${words.choices[rating]}`));
    return make(
      "li",
      "meaning",
      title,
      make("p", "", words.definitions[rating]),
      make("p", "meaning-example", words.example),
      texts.element,
    );
  });
  const element = make("ul", "meanings", ...entries);
  element.lang = words.language;
  return { element, destroy: () => drawn.forEach((texts) => texts.destroy()) };
}
