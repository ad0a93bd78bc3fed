// Direct assessment in the browser: the texts and a line without numbers. Draws one item and
// reports one answer; the network, the clock and the Next button belong to the shell.

const MAXIMUM = 100;
const SMALL_STEP = 1;
const LARGE_STEP = 10;
const MARKS = [25, 50, 75];
// A quarter of the line is spoken as three stretches: just after its first mark, halfway, just
// before the next. They end after this many points.
const STRETCHES = [8, 16];

/** Seconds a worker needs per item, for the estimate before the start [Graham2014]. */
export const secondsPerItem = { adequacy: 18, fluency: 13 };

/**
 * @typedef {Object} Options
 * @property {Record<string, any>} words     the protocol's words, `{language}` already replaced
 * @property {{line_width_px: number}} presentation  as recorded with the campaign
 * @property {"adequacy"|"fluency"} attribute
 * @property {string} language               of the texts, a BCP 47 code
 * @property {"ltr"|"rtl"} direction         of the target language
 * @property {() => number} elapsed          milliseconds this item has been visible
 */

/**
 * Draw one item into `root`.
 * @param {HTMLElement} root
 * @param {{text: string, reference?: string}} item
 * @param {Options} options
 * @param {() => void} onChange  called whenever `answer()` may have changed
 * @returns {{answer: () => Object|null, isComplete: () => boolean, destroy: () => void}}
 */
export function mount(root, item, options, onChange) {
  const { words, attribute } = options;
  const scale = drawScale(options, onChange);
  root.replaceChildren(
    drawStatement(words.lead_in, words.statements[attribute]),
    drawTexts(item, options),
    scale.element,
  );
  return {
    answer: scale.answer,
    isComplete: () => scale.answer() !== null,
    destroy: () => root.replaceChildren(),
  };
}

function drawStatement(leadIn, statement) {
  const paragraph = make("p", "da-statement");
  paragraph.id = "da-statement";
  const strong = make("strong", "", statement);
  paragraph.append(`${leadIn} `, strong);
  return paragraph;
}

function drawTexts(item, { words, language }) {
  const sheet = make("div", "da-texts");
  const add = (role, label, text) => {
    const block = make("div", `da-text da-${role}`);
    const body = make("p", "", text);
    body.lang = language;
    body.dir = "auto";
    block.append(make("span", "visually-hidden", `${label}: `), body);
    sheet.append(block);
  };
  if (item.reference !== undefined) add("reference", words.labels.reference, item.reference);
  add("translation", item.reference === undefined ? words.labels.text : words.labels.translation, item.text);
  return sheet;
}

// `value` is null until the first touch and counts towards agreement: where the line is mirrored
// for a right-to-left language, 100 is its left end.
function drawScale({ words, presentation, direction, elapsed }, onChange) {
  const isMirrored = direction === "rtl";
  const element = make("div", "da-scale");
  element.style.setProperty("--line-width", `${presentation.line_width_px}px`);
  element.dir = isMirrored ? "rtl" : "ltr";
  const { slider, line, handle } = drawLine(words);
  const hint = make("p", "da-hint", words.hint);
  hint.dir = "auto";
  element.append(slider, drawAnchors(words.anchors), hint);

  let value = null;
  let firstTouchMs = null;
  let moves = 0;

  function place(next) {
    if (firstTouchMs === null) firstTouchMs = Math.round(elapsed());
    show(next);
  }

  function show(next) {
    value = next;
    handle.hidden = value === null;
    hint.classList.toggle("da-hint-done", value !== null);
    if (value === null) {
      slider.removeAttribute("aria-valuenow");
      slider.setAttribute("aria-valuetext", words.unanswered);
    } else {
      handle.style.insetInlineStart = `${value}%`;
      slider.setAttribute("aria-valuenow", String(value));
      slider.setAttribute("aria-valuetext", placeInWords(value, words.position));
    }
    onChange();
  }

  function valueAt(clientX) {
    const box = line.getBoundingClientRect();
    const share = (clientX - box.left) / box.width;
    return clamp(Math.round(MAXIMUM * (isMirrored ? 1 - share : share)));
  }

  followPointer(slider, {
    start: () => ({ value, firstTouchMs }),
    move: (clientX) => place(valueAt(clientX)),
    end: () => {
      moves += 1;
    },
    // The finger wanted to scroll the page: as if it had never touched the line.
    cancel: (before) => {
      firstTouchMs = before.firstTouchMs;
      show(before.value);
    },
  });
  slider.addEventListener("keydown", (event) => {
    const next = valueAfterKey(event, value, isMirrored);
    if (next === null) return;
    event.preventDefault();
    moves += 1;
    place(next);
  });

  const answer = () =>
    value === null ? null : { rating: value, first_touch_ms: firstTouchMs, n_moves: Math.max(moves, 1) };
  return { element, answer };
}

function drawLine(words) {
  const slider = make("div", "da-slider");
  slider.tabIndex = 0;
  slider.setAttribute("role", "slider");
  slider.setAttribute("aria-label", words.scale_label);
  slider.setAttribute("aria-describedby", "da-statement");
  slider.setAttribute("aria-valuemin", "0");
  slider.setAttribute("aria-valuemax", String(MAXIMUM));
  slider.setAttribute("aria-valuetext", words.unanswered);
  const line = make("div", "da-line");
  for (const mark of MARKS) line.append(make("span", `da-mark da-mark-${mark}`));
  const handle = make("span", "da-handle");
  handle.hidden = true;
  line.append(handle);
  slider.append(line);
  return { slider, line, handle };
}

function drawAnchors(anchors) {
  const row = make("div", "da-anchors");
  for (const end of ["low", "high"]) {
    const anchor = make("span", `da-anchor-${end}`, anchors[end]);
    anchor.dir = "auto";
    row.append(anchor);
  }
  return row;
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

/** Where a value lies, in words that hold no number. */
function placeInWords(value, position) {
  const quarter = MAXIMUM / 4;
  const passed = Math.floor(value / quarter);
  const beyond = value - passed * quarter;
  const phrase =
    beyond === 0 ? position.at
    : beyond <= STRETCHES[0] ? position.just_after
    : beyond <= STRETCHES[1] ? position.between
    : position.just_before;
  return phrase.replace("{mark}", position.marks[passed]).replace("{next}", position.marks[passed + 1] ?? "");
}

function clamp(value) {
  return Math.min(Math.max(value, 0), MAXIMUM);
}

function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}
