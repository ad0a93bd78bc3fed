// A line from 0 to 100 without numbers, answered by pointing, dragging or with the keyboard.

import { make } from "../dom.js";
import { DESCRIBED_BY } from "../one_rating.js";
import { followDigits } from "./digits.js";
import { MAXIMUM, placeOfDigit, valueAfterKey } from "./line_keys.js";
import { placeInWords } from "./line_words.js";
import { startTally } from "./tally.js";

const NUMBER_ROW = /^Digit(\d)$/;

/** The line with a word at either end. */
export function drawAnchoredLine(options, onChange) {
  const { low, high } = options.words.anchors;
  return drawLine(options, { 0: low, 100: high }, onChange);
}

/**
 * The line has a tick at each of `words.marks`. `labels` are written along it, keyed by their place;
 * the protocol's style sheet positions them (`.line-label-<place>`).
 *
 * The value counts from the low end: where the line is mirrored for a right-to-left language, 100 is
 * its left end. It is null until the first touch, and there is no handle before that.
 * @param {import("../texts.js").Options} options
 * @param {Record<string, string>} labels
 * @param {() => void} onChange  called whenever `answer()` may have changed
 * @returns {import("../one_rating.js").DrawnScale}
 */
export function drawLine({ words, presentation, direction, elapsed, draft }, labels, onChange) {
  const isMirrored = direction === "rtl";
  const kept = isOnLine(draft?.rating) ? draft : undefined;
  const tally = startTally(elapsed, kept);
  const { slider, line, handle } = drawSlider(words);
  const hint = make("p", "scale-hint", words.hint);
  hint.dir = "auto";
  const element = make("div", "scale line-scale", slider, ...drawLabels(labels), hint);
  element.style.setProperty("--line-width", `${presentation.line_width_px}px`);
  element.dir = direction;
  element.lang = words.language;

  let value = null;
  let first = kept?.first_rating ?? null;

  function place(next) {
    tally.touch();
    first ??= next;
    show(next);
    onChange();
  }

  function show(next) {
    value = next;
    handle.hidden = value === null;
    hint.classList.toggle("scale-hint-done", value !== null);
    if (value === null) {
      slider.removeAttribute("aria-valuenow");
      slider.setAttribute("aria-valuetext", words.unanswered);
    } else {
      handle.style.insetInlineStart = `${value}%`;
      slider.setAttribute("aria-valuenow", String(value));
      slider.setAttribute("aria-valuetext", placeInWords(value, words));
    }
  }

  function valueAt(clientX) {
    const box = line.getBoundingClientRect();
    const share = (clientX - box.left) / box.width;
    return Math.min(Math.max(Math.round(MAXIMUM * (isMirrored ? 1 - share : share)), 0), MAXIMUM);
  }

  followPointer(slider, {
    start: () => value,
    move: (clientX) => place(valueAt(clientX)),
    end: tally.move,
    // The finger was scrolling the page: treat the line as untouched.
    cancel: (before) => {
      if (before === null) {
        tally.forget();
        first = null;
      }
      show(before);
      onChange();
    },
  });
  const keys = { isMirrored, isRow: ["row", "line"].includes(presentation.keyboard) };
  slider.addEventListener("keydown", (event) => {
    const next = valueAfterKey(event, value, keys);
    if (next === null) return;
    event.preventDefault();
    tally.move();
    place(next);
  });
  const stopDigits = keys.isRow
    ? followDigits(slider, NUMBER_ROW, (digit) => {
        if (presentation.keyboard === "line" && document.activeElement !== slider) return;
        slider.focus({ preventScroll: true });
        tally.move();
        place(placeOfDigit(digit, isMirrored));
      })
    : () => {};
  if (kept) show(kept.rating);
  return {
    element,
    answer: () => value === null ? null : { ...tally.answer("rating", value), first_rating: first ?? value },
    focus: () => slider.focus({ preventScroll: true }),
    reveal: ({ expected }) => (expected ? revealRange(slider, line, expected, words) : ""),
    destroy: stopDigits,
    width: presentation.line_width_px,
  };
}

/** A small line with the mark of an earlier answer. @param {{rating: number}} answer */
export function recallLine({ rating }, { words, direction }) {
  if (!isOnLine(rating)) return null;
  const mark = make("span", "recall-mark");
  mark.style.insetInlineStart = `${rating}%`;
  const element = make("span", "recall recall-line", mark);
  element.dir = direction;
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", placeInWords(rating, words));
  return element;
}

function isOnLine(value) {
  return typeof value === "number" && value >= 0 && value <= MAXIMUM;
}

// A soft band along the line, and words for those who do not see it.
function revealRange(slider, line, [low, high], words) {
  const band = make("span", "line-expected");
  band.style.insetInlineStart = `${low}%`;
  band.style.inlineSize = `${high - low}%`;
  line.prepend(band);
  const [from, to] = [low, high].map((place) => placeInWords(place, words));
  const said = make("p", "visually-hidden", words.position.expected.replace("{low}", from).replace("{high}", to));
  // There may be several lines.
  said.id = `expected-${document.getElementsByClassName("line-expected").length}`;
  slider.after(said);
  slider.setAttribute("aria-describedby", said.id);
  return said.textContent;
}

function drawSlider(words) {
  const slider = make("div", "line-slider");
  slider.tabIndex = 0;
  slider.setAttribute("role", "slider");
  slider.setAttribute("aria-label", words.scale_label);
  slider.setAttribute("aria-describedby", DESCRIBED_BY);
  slider.setAttribute("aria-valuemin", "0");
  slider.setAttribute("aria-valuemax", String(MAXIMUM));
  slider.setAttribute("aria-valuetext", words.unanswered);
  const line = make("div", "line");
  for (const mark of Object.keys(words.marks)) {
    const tick = make("span", "line-mark");
    tick.style.insetInlineStart = `${mark}%`;
    line.append(tick);
  }
  const handle = make("span", "line-handle");
  handle.hidden = true;
  line.append(handle);
  slider.append(line);
  return { slider, line, handle };
}

function drawLabels(labels) {
  // The words keep their own direction; the line decides where they stand.
  return Object.entries(labels).map(([place, text]) =>
    make("span", `line-label line-label-${place}`, make("bdi", "", text)),
  );
}

// One press with mouse, pen or finger, from down to up, followed even outside the line.
function followPointer(target, { start, move, end, cancel }) {
  let pressed = null;
  target.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    pressed = { id: event.pointerId, before: start() };
    target.setPointerCapture(event.pointerId);
    move(event.clientX);
  });
  target.addEventListener("pointermove", (event) => {
    if (pressed?.id === event.pointerId) move(event.clientX);
  });
  target.addEventListener("pointerup", (event) => {
    if (pressed?.id !== event.pointerId) return;
    pressed = null;
    end();
  });
  target.addEventListener("pointercancel", (event) => {
    if (pressed?.id !== event.pointerId) return;
    const { before } = pressed;
    pressed = null;
    cancel(before);
  });
}
