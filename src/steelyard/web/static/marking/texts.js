// The texts of an item whose errors are marked: sheets with a name, a text that can be marked, and its tools.

import { directionOf } from "../direction.js";
import { fill, make, makeButton } from "../dom.js";
import { drawMarked } from "../spans/drawn.js";
import { countInWords } from "../spans/mark_words.js";
import { drawMarkable } from "../spans/markable.js";
import { drawPointable } from "../spans/pointable.js";
import { drawText, languagesOf } from "../texts.js";

/** @typedef {import("../spans/markable.js").Mark} Mark */

// Written without spaces between words, as the server knows them: `presentation.spans.by` is about translations.
const WITHOUT_SPACES = ["bo", "dz", "ja", "km", "lo", "my", "th", "yue", "zh"];

/** A text of the protocol's words with `{name}`s filled in. @param {import("../texts.js").Options} options */
export function phrase({ words }, key, values = {}) {
  return fill(words.spans[key], values, words.language);
}

/** An element whose text is in the protocol's language. @param {HTMLElement} element */
export function worded(element, { words }) {
  element.lang = words.language;
  element.dir = "auto";
  return element;
}

/**
 * A sheet with a text that can be marked.
 * @param {string} text
 * @param {import("../texts.js").Options} options
 * @param {Object} look
 * @param {string} look.label
 * @param {"source"|"target"} [look.side]
 * @param {Mark[]} look.marks  to begin with
 * @param {Object} [look.engine]  more options of drawMarkable
 * @param {() => void} look.onChange
 * @param {(share: number|null) => void} look.onPoint
 * @returns {Object} `element`, the `markable` itself, and what is needed of it
 */
export function drawMarkingSheet(text, options, { label, side = "target", marks, engine = {}, onChange, onPoint }) {
  const { presentation: { spans }, words } = options;
  const language = languagesOf(options)[side];
  const undo = makeButton(words.spans.undo, takeBack, "link-button sheet-undo");
  undo.setAttribute("aria-label", `${words.spans.undo} (${label})`);
  const markable = drawMarkable(text, {
    language: language.language,
    direction: directionOf(text, language.direction),
    label,
    by: side === "target" ? spans.by : unitOfSource(options),
    tokens: side === "target" ? spans.tokens : [],
    marks,
    severities: spans.severities,
    categories: spans.categories,
    most: spans.most,
    words,
    elapsed: options.elapsed,
    onChange: () => {
      follow();
      onChange();
    },
    onPoint,
    ...engine,
  });
  const body = make("div", "sheet-body", markable.element);
  // Enter marks here; it does not send.
  body.dataset.enter = "own";
  const count = worded(make("span", "sheet-count"), options);
  const tools = make("p", "sheet-tools", count, worded(undo, options));
  // On the side of the text, whatever the language of the words.
  const name = make("p", "text-label", worded(make("bdi", "", label), options));
  const element = make("div", `sheet sheet-${side}`, name, body, tools);

  function takeBack() {
    markable.undo();
    // The last step takes the button out of use, and the focus with it.
    if (undo.disabled) markable.focus();
  }

  function follow() {
    undo.disabled = !markable.canUndo();
    const { length } = markable.marks();
    count.dataset.n = length;
    count.textContent = countInWords(words, length);
  }

  follow();
  return {
    element,
    markable,
    marks: markable.marks,
    setMarks(next) {
      markable.setMarks(next);
      follow();
    },
    isComplete: () => markable.isComplete(),
    pointAt: markable.pointAt,
    /** Whether it can be marked for now. */
    lock(isLocked) {
      body.inert = isLocked;
    },
    destroy: markable.destroy,
  };
}

/**
 * Passes places on once somebody uses the item: it gets the focus before that, which points at nothing.
 * @param {HTMLElement} root
 * @param {(share: number|null) => void} onPoint
 */
export function onceUsed(root, onPoint) {
  let isUsed = false;
  for (const name of ["pointermove", "pointerdown", "keydown"]) {
    root.addEventListener(name, () => { isUsed = true; }, { once: true, capture: true });
  }
  return (share) => isUsed && onPoint(share);
}

/**
 * The source where it is only read, with the place that is pointed at elsewhere.
 * @param {string} text
 * @param {import("../texts.js").Options} options
 * @param {(share: number|null) => void} onPoint
 * @returns {{element: HTMLElement, pointAt: (share: number|null) => void, destroy: () => void}}
 */
export function drawReadSource(text, options, onPoint) {
  const { words: { labels } } = options;
  const { language, direction } = languagesOf(options).source;
  if (!text.trim() || !isPlain(options)) {
    const drawn = drawSourceText(text, options, true);
    const element = make("div", "sheet sheet-source", drawn.element);
    return { ...keepScrollable(element, labels.source, [drawn]), pointAt: () => {} };
  }
  const body = drawPointable(text, { language, direction, by: unitOfSource(options), onPoint });
  const name = worded(make("p", "text-label", labels.source), options);
  const element = make("div", "sheet sheet-source", name, make("div", "sheet-body", body.element));
  return { ...keepScrollable(element, labels.source, [body]), pointAt: body.pointAt };
}

/** Whether sources are mere texts, which can be marked and pointed at. */
export function isPlain({ presentation }) {
  return !presentation.source_markup && !presentation.texts_as_images;
}

function drawSourceText(text, options, isLabelled) {
  const look = { colour: "grey", label: options.words.labels.source, isLabelled, ...languagesOf(options).source };
  return drawText(text, look, options);
}

function unitOfSource({ sourceLanguage }) {
  return WITHOUT_SPACES.includes(sourceLanguage.split("-")[0].toLowerCase()) ? "character" : "word";
}

// A long source has a part of the screen, and the keyboard must be able to scroll it.
function keepScrollable(element, label, parts) {
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", label);
  const sizes = new ResizeObserver(() => {
    if (element.scrollHeight > element.clientHeight + 1) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  });
  sizes.observe(element);
  const destroy = () => {
    sizes.disconnect();
    parts.forEach((part) => part.destroy());
  };
  return { element, destroy };
}

/**
 * A text that is not judged now: small, with the marks it was given.
 * @param {string} text
 * @param {Mark[]} marks
 * @param {"source"|"target"} side
 * @param {import("../texts.js").Options} options
 * @param {string} label  only spoken
 * @returns {{element: HTMLElement, destroy: () => void}}
 */
export function drawStill(text, marks, side, options, label) {
  if (side === "source" && !isPlain(options)) return drawSourceText(text, options, false);
  const { language, direction } = languagesOf(options)[side];
  const still = drawMarked(text, marks, {
    language,
    direction: directionOf(text, direction),
    severities: options.presentation.spans.severities,
    words: options.words,
  });
  const spoken = worded(make("span", "visually-hidden", `${label}: `), options);
  const element = make("div", `still still-${side}`, spoken, still);
  element.dir = directionOf(text, direction);
  return { element, destroy: () => {} };
}
