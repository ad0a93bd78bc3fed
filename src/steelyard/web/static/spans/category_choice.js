// Choosing the category of a mark: a row of main ones, and below it those of the chosen one. Letters find them too.

import { make } from "../dom.js";
import { drawChoiceRow } from "./choice_row.js";
import { categoryLabel, subcategoryLabel } from "./mark_words.js";

// Letters that follow each other this soon belong to one word.
const PAUSE_MS = 1000;

/**
 * @param {Record<string, string[]>} categories
 * @param {Record<string, any>} words
 * @param {(category: string) => void} onChoose
 */
export function drawCategoryChoice(categories, words, onChoose) {
  const mainChoices = Object.keys(categories).map((main) => ({ key: main, text: categoryLabel(words, main) }));
  const mains = drawChoiceRow(words.spans.category, mainChoices, onChoose);
  const below = make("div", "mark-subcategories");
  const needed = make("p", "mark-needed", words.spans.category_needed);
  const element = make("div", "mark-categories", needed, mains.element, below);
  let shown = null;
  let subs = null;
  let typed = "";
  let typedAt = 0;
  // The label that letters have found, while more of its letters may follow.
  let taken = "";

  function showBelow(main) {
    if (main === shown) return;
    shown = main;
    subs = null;
    below.replaceChildren();
    if (!categories[main]?.length) return;
    const choices = categories[main].map((sub) => {
      const key = `${main}/${sub}`;
      return { key, text: subcategoryLabel(words, key) };
    });
    subs = drawChoiceRow(words.spans.subcategory, choices, onChoose);
    below.append(subs.element);
  }

  return {
    element,
    /** @param {string|undefined} category */
    show(category, isWhole) {
      const [main] = category?.split("/") ?? [];
      mains.show(main);
      showBelow(main);
      subs?.show(category);
      needed.hidden = isWhole;
    },
    focus: () => (subs ?? mains).focus(),
    /** A letter that somebody types: goes to the first category that begins so, and takes the only one. */
    type(letter) {
      const now = performance.now();
      typed = now - typedAt > PAUSE_MS ? letter : typed + letter;
      typedAt = now;
      if (taken && typed !== letter && beginsSo(taken, typed)) return;
      if (taken) typed = letter;
      taken = "";
      const inRow = (row) => row?.buttons.filter(({ textContent }) => beginsSo(textContent, typed)) ?? [];
      const found = inRow(subs).length ? inRow(subs) : inRow(mains);
      if (found.length) found[0].focus();
      if (found.length !== 1) return;
      taken = found[0].textContent;
      found[0].click();
    },
  };
}

function beginsSo(label, letters) {
  return label.toLocaleLowerCase().startsWith(letters.toLocaleLowerCase());
}
