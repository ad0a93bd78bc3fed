// The small window beside a mark: how serious the error is, of which kind, where it begins and ends; or it is removed.

import { make, makeButton } from "../dom.js";
import { drawCategoryChoice } from "./category_choice.js";
import { drawChoiceRow } from "./choice_row.js";
import { editorKey } from "./editor_keys.js";
import { rankOf } from "./look.js";
import { severityLabel } from "./mark_words.js";
import { isOnToken, isUnseen, isWhole } from "./marks.js";

/**
 * What can be done with the mark of which the window is open.
 * @typedef {Object} EditorActions
 * @property {(changes: Object) => void} change
 * @property {(side: "start"|"end", step: 1|-1) => void} move
 * @property {(side: "start"|"end", step: 1|-1) => boolean} canMove
 * @property {() => void} accept
 * @property {() => void} remove
 * @property {() => void} anew  begin another mark here
 * @property {() => void} undo
 * @property {() => void} close  and go back to the text
 */

/**
 * @param {Object} options
 * @param {Record<string, any>} options.words
 * @param {string[]} options.severities
 * @param {Record<string, string[]>|null} options.categories
 * @param {boolean} options.isMirrored  whether the text runs from right to left
 * @param {EditorActions} actions
 */
export function drawMarkEditor({ words, severities, categories, isMirrored }, actions) {
  const said = words.spans;
  let shown = null;
  const severity = drawSeverities(words, severities, actions);
  const category = categories ? drawCategoryChoice(categories, words, choose) : null;
  const accept = makeButton(said.accept, actions.accept, "mark-action mark-accept");
  const beforehand = make("p", "mark-question", said.prefilled, " ", accept);
  const ends = drawEnds(said, isMirrored, actions);
  const close = makeButton("×", actions.close, "mark-action mark-close");
  close.setAttribute("aria-label", said.close);
  const element = drawWindow(
    words,
    beforehand,
    make("div", "mark-head", severity.element, close),
    category?.element,
    make(
      "div",
      "mark-foot",
      ends.element,
      makeButton(said.anew, actions.anew, "mark-action"),
      makeButton(said.remove, actions.remove, "mark-action mark-remove"),
    ),
  );

  function choose(chosen) {
    actions.change({ category: chosen });
    // On to what is below it.
    if (!isWhole(shown, categories)) category.focus();
  }

  element.addEventListener("keydown", (event) => {
    const act = editorKey(event, { mark: shown, severities, categories, category, isMirrored }, actions);
    if (!act) return;
    event.preventDefault();
    act();
  });

  return {
    element,
    /** @param {import("./marks.js").KeptMark} mark @param {string} label */
    show(mark, label) {
      shown = mark;
      element.setAttribute("aria-label", label);
      beforehand.hidden = !isUnseen(mark);
      severity.show(mark.severity);
      category?.show(mark.category, isWhole(mark, categories));
      ends.element.hidden = isOnToken(mark);
      if (!isOnToken(mark)) ends.refresh();
    },
    focus: () => (isUnseen(shown) ? accept.focus({ preventScroll: true }) : severity.focus()),
  };
}

/** The frame of a small window; keys within it mean nothing to the page around. */
export function drawWindow(words, ...children) {
  const element = make("div", "mark-window", ...children);
  element.setAttribute("role", "dialog");
  element.lang = words.language;
  element.dir = "auto";
  // Above everything else, and not cut off by what it lies in.
  element.popover = "manual";
  element.addEventListener("keydown", (event) => event.stopPropagation());
  return element;
}

function drawSeverities(words, severities, actions) {
  const choices = severities.map((name) => ({
    key: name,
    text: severityLabel(words, name),
    className: `mark-severity mark-severity-${rankOf(name, severities)}`,
  }));
  return drawChoiceRow(words.spans.severity, choices, (severity) => actions.change({ severity }));
}

function drawEnds(said, isMirrored, actions) {
  const [towardsStart, towardsEnd] = isMirrored ? ["→", "←"] : ["←", "→"];
  const arrows = [
    { side: "start", step: -1, name: said.adjust_start_back, arrow: towardsStart },
    { side: "start", step: 1, name: said.adjust_start_on, arrow: towardsEnd },
    { side: "end", step: -1, name: said.adjust_end_back, arrow: towardsStart },
    { side: "end", step: 1, name: said.adjust_end_on, arrow: towardsEnd },
  ].map(({ side, step, name, arrow }) => {
    const button = makeButton(arrow, () => actions.move(side, step), "mark-action mark-arrow");
    button.setAttribute("aria-label", name);
    button.title = name;
    return { side, step, button };
  });
  const pairs = ["start", "end"].map((side) => {
    const own = arrows.filter((arrow) => arrow.side === side).map(({ button }) => button);
    const pair = make("span", "mark-arrows", ...own);
    // As the text runs, whatever the language of the words.
    pair.dir = isMirrored ? "rtl" : "ltr";
    return make("span", "mark-end", make("span", "mark-end-label", said[side]), pair);
  });
  return {
    element: make("div", "mark-ends", ...pairs),
    refresh() {
      for (const { side, step, button } of arrows) {
        // Not `disabled`, which would take the focus away from under a key.
        button.setAttribute("aria-disabled", String(!actions.canMove(side, step)));
      }
    },
  };
}
