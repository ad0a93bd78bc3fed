// The small window beside a mark: how serious the error is, of which kind, where it begins and ends, or that there is none.

import { make, makeButton } from "../dom.js";
import { drawCategoryChoice } from "./category_choice.js";
import { drawChoiceRow } from "./choice_row.js";
import { rankOf } from "./look.js";
import { severityLabel } from "./mark_words.js";
import { isOnToken, isUnseen, isWhole } from "./marks.js";
import { placeBeside } from "./placing.js";

// Between a mark and the window, in pixels: the handles at the ends of the mark are there.
const GAP = 14;
const GAP_FOR_FINGERS = 30;

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
  const severity = drawChoiceRow(
    said.severity,
    severities.map((name) => ({
      key: name,
      text: severityLabel(words, name),
      className: `mark-severity mark-severity-${rankOf(name, severities)}`,
    })),
    (name) => actions.change({ severity: name }),
  );
  const category = categories ? drawCategoryChoice(categories, words, choose) : null;
  const beforehand = make("p", "mark-beforehand", said.prefilled, " ", makeButton(said.accept, actions.accept, "mark-action mark-accept"));
  const { element: ends, refresh: refreshEnds } = drawEnds(said, isMirrored, actions);
  const anew = makeButton(said.anew, actions.anew, "mark-action");
  const remove = makeButton(said.remove, actions.remove, "mark-action mark-remove");
  const close = makeButton("×", actions.close, "mark-action mark-close");
  close.setAttribute("aria-label", said.close);
  const element = make(
    "div",
    "mark-editor",
    beforehand,
    make("div", "mark-head", severity.element, close),
    category?.element,
    make("div", "mark-foot", ends, remove, anew),
  );
  element.setAttribute("role", "dialog");
  element.lang = words.language;
  element.dir = "auto";
  element.popover = "manual";
  let shown = null;

  function choose(chosen) {
    actions.change({ category: chosen });
    // On to what is below it.
    if (!isWhole(shown, categories)) category.focus();
  }

  element.addEventListener("keydown", (event) => {
    // Digits, letters and Enter mean something else on the page.
    event.stopPropagation();
    const isDone = isEditorKey(event, { shown, severities, categories, category, isMirrored, actions });
    if (isDone) event.preventDefault();
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
      ends.hidden = isOnToken(mark);
      refreshEnds();
    },
    place(boxes) {
      const isForFingers = matchMedia("(pointer: coarse)").matches;
      placeBeside(element, boxes, isForFingers ? GAP_FOR_FINGERS : GAP);
    },
    focus: severity.focus,
  };
}

function drawEnds(said, isMirrored, actions) {
  const buttons = [];
  const pair = (side, label, back, on) => {
    const arrows = [[-1, back, isMirrored ? "→" : "←"], [1, on, isMirrored ? "←" : "→"]].map(([step, name, arrow]) => {
      const button = makeButton(arrow, () => actions.move(side, step), "mark-action mark-arrow");
      button.setAttribute("aria-label", name);
      button.title = name;
      buttons.push({ button, side, step });
      return button;
    });
    const both = make("span", "mark-arrows", ...arrows);
    // As the text runs, whatever the language of the words.
    both.dir = isMirrored ? "rtl" : "ltr";
    return make("span", "mark-end", make("span", "mark-end-label", label), both);
  };
  return {
    element: make(
      "div",
      "mark-ends",
      pair("start", said.start, said.adjust_start_back, said.adjust_start_on),
      pair("end", said.end, said.adjust_end_back, said.adjust_end_on),
    ),
    // Not `disabled`, which would take the focus away from under a key.
    refresh: () => buttons.forEach(({ button, side, step }) => button.setAttribute("aria-disabled", String(!actions.canMove(side, step)))),
  };
}

/** Whether a key meant something, which is then done. */
function isEditorKey(event, { shown, severities, categories, category, isMirrored, actions }) {
  const isWithControl = event.ctrlKey || event.metaKey;
  if (event.isComposing || event.altKey) return false;
  if (isWithControl) return event.key.toLowerCase() === "z" && (actions.undo(), true);
  if (event.key === "Escape") return actions.close(), true;
  if (event.key === "Delete" || event.key === "Backspace") return actions.remove(), true;
  if (event.shiftKey && /^Arrow(Left|Right)$/.test(event.key)) {
    return actions.move("end", (event.key === "ArrowRight") === isMirrored ? -1 : 1), true;
  }
  const named = severities[Number(/^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1]) - 1];
  if (named !== undefined) return actions.change({ severity: named }), true;
  // What is chosen already need not be chosen again.
  const isChosen = event.target.getAttribute("aria-checked") === "true";
  if (event.key === "Enter" && isChosen && isWhole(shown, categories) && !isUnseen(shown)) return actions.close(), true;
  if (category && /^\p{L}$/u.test(event.key)) return category.type(event.key), true;
  return false;
}
