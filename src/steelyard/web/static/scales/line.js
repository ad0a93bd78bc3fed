// A line from 0 to 100 without numbers, answered by pointing, dragging or with the keyboard.

import { make } from "../dom.js";
import { STATEMENT_ID } from "../one_rating.js";
import { startTally } from "./tally.js";

const MAXIMUM = 100;
const SMALL_STEP = 1;
const LARGE_STEP = 10;

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
export function drawLine({ words, presentation, direction, elapsed }, labels, onChange) {
  const isMirrored = direction === "rtl";
  const tally = startTally(elapsed);
  const { slider, line, handle } = drawSlider(words);
  const hint = make("p", "scale-hint", words.hint);
  hint.dir = "auto";
  const element = make("div", "scale line-scale", slider, ...drawLabels(labels), hint);
  element.style.setProperty("--line-width", `${presentation.line_width_px}px`);
  element.dir = direction;
  element.lang = words.language;

  let value = null;

  function place(next) {
    tally.touch();
    show(next);
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
    onChange();
  }

  function valueAt(clientX) {
    const box = line.getBoundingClientRect();
    const share = (clientX - box.left) / box.width;
    return clamp(Math.round(MAXIMUM * (isMirrored ? 1 - share : share)));
  }

  followPointer(slider, {
    start: () => value,
    move: (clientX) => place(valueAt(clientX)),
    end: tally.move,
    // The finger was scrolling the page: treat the line as untouched.
    cancel: (before) => {
      if (before === null) tally.forget();
      show(before);
    },
  });
  slider.addEventListener("keydown", (event) => {
    const next = valueAfterKey(event, value, isMirrored);
    if (next === null) return;
    event.preventDefault();
    tally.move();
    place(next);
  });
  return { element, answer: () => tally.answer("rating", value) };
}

function drawSlider(words) {
  const slider = make("div", "line-slider");
  slider.tabIndex = 0;
  slider.setAttribute("role", "slider");
  slider.setAttribute("aria-label", words.scale_label);
  slider.setAttribute("aria-describedby", STATEMENT_ID);
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

/** The value after a key, or null if the key means nothing to the line. */
function valueAfterKey(event, value, isMirrored) {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  const step = event.shiftKey ? LARGE_STEP : SMALL_STEP;
  const change = {
    ArrowRight: isMirrored ? -step : step,
    ArrowLeft: isMirrored ? step : -step,
    ArrowUp: step,
    ArrowDown: -step,
    PageUp: LARGE_STEP,
    PageDown: -LARGE_STEP,
  }[event.key];
  if (change !== undefined) return value === null ? MAXIMUM / 2 : clamp(value + change);
  if (event.key === "Home") return 0;
  if (event.key === "End") return MAXIMUM;
  return null;
}

/** Where a value lies, in words without numbers: at a mark, or in which third of the way to the next. */
function placeInWords(value, { marks, position }) {
  const places = Object.keys(marks).map(Number);
  const passed = places.findLastIndex((place) => place <= value);
  const [mark, next] = [places[passed], places[passed + 1]];
  const share = next === undefined ? 0 : (value - mark) / (next - mark);
  const phrase =
    share === 0 ? position.at
    : share < 1 / 3 ? position.just_after
    : share < 2 / 3 ? position.between
    : position.just_before;
  return phrase.replace("{mark}", marks[mark]).replace("{next}", marks[next] ?? "");
}

function clamp(value) {
  return Math.min(Math.max(value, 0), MAXIMUM);
}
