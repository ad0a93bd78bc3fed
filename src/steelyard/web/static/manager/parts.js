// What all tabs of the dashboard are made of.

import { copyText } from "../clipboard.js";
import { make, makeButton } from "../dom.js";

const COPIED_MS = 1_500;
const drawn = new WeakMap();

/**
 * Redraws a box if what it shows has changed; focus stays on the element with the same `data-focus`.
 * @param {HTMLElement} box
 * @param {any} data  what the parts depend on
 * @param {() => (Node|null)[]} drawParts
 */
export function redraw(box, data, drawParts) {
  const state = JSON.stringify(data);
  if (drawn.get(box) === state) return;
  drawn.set(box, state);
  keepingFocus(box, () => box.replaceChildren(...drawParts().filter(Boolean)));
}

/** Does something to the elements inside `box`, and gives focus back to the one that had it or to its successor. */
export function keepingFocus(box, change) {
  const before = box.contains(document.activeElement) ? document.activeElement : null;
  change();
  if (before === null || document.activeElement === before) return;
  const name = before.dataset.focus;
  const after = before.isConnected ? before : name && box.querySelector(`[data-focus="${CSS.escape(name)}"]`);
  // Where what had it is gone, as a decision that was taken, the next best is what begins the same row or part.
  (after ?? box.querySelector("[data-focus]"))?.focus({ preventScroll: true });
}

/** A part of a page with its own heading. */
export function panel(heading, ...children) {
  const title = make("h3", "", heading);
  const section = make("section", "panel", title, ...children);
  title.id = `heading-${heading.toLowerCase().replace(/[^a-z]+/g, "-")}`;
  section.setAttribute("aria-labelledby", title.id);
  return section;
}

/** A number to decide on, with what it means. */
export function tile(label, value, after, ...details) {
  const words = make("p", "tile-value", make("span", "figure-value", value), after ? make("span", "soft", ` ${after}`) : null);
  const box = make("div", "panel tile", make("h3", "", label), words, ...details);
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  return box;
}

/** Names and values in two columns. @param {[string, string][]} pairs */
export function facts(pairs) {
  return make("dl", "facts", ...pairs.map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))));
}

/** A button that is found again by its name after a redraw. */
export function namedButton(label, focus, onClick, className = "button quiet small") {
  const button = makeButton(label, onClick, className);
  button.dataset.focus = focus;
  return button;
}

/** A button for managers only: viewers do not see what would be refused. */
export function managersButton(label, focus, onClick, className = "button quiet small") {
  return namedButton(label, focus, onClick, `${className} needs-manager`);
}

/** @param {string} text @param {string} href @param {string} [focus] */
export function anchor(text, href, focus) {
  const link = make("a", "", text);
  link.href = href;
  if (focus) link.dataset.focus = focus;
  return link;
}

/**
 * A labelled control. `hint` stands below it and is read with it.
 * @param {string} label @param {HTMLElement} control @param {string} [hint]
 */
export function field(label, control, hint = "") {
  control.id ||= `field-${label.toLowerCase().replace(/[^a-z]+/g, "-")}-${(fields += 1)}`;
  const title = make("label", "", label);
  title.htmlFor = control.id;
  const box = make("div", "field", title, control);
  if (hint) {
    const note = make("p", "hint", hint);
    note.id = `${control.id}-hint`;
    control.setAttribute("aria-describedby", note.id);
    box.append(note);
  }
  return box;
}

let fields = 0;

/** @param {string} type @param {string|number} value @param {Object} [attributes] */
export function input(type, value = "", attributes = {}) {
  const control = make("input");
  control.type = type;
  control.value = String(value);
  for (const [name, setting] of Object.entries(attributes)) control.setAttribute(name, String(setting));
  return control;
}

/** @param {[string, string][]} options  value and words @param {string} value */
export function select(options, value) {
  const control = make("select");
  for (const [name, words] of options) {
    const option = make("option", "", words);
    option.value = name;
    control.append(option);
  }
  control.value = value;
  return control;
}

/** Where something stands, as a word with a shape of its own: never by colour alone. */
export function chip(kind, mark, words) {
  const sign = make("span", "chip-mark", mark);
  sign.setAttribute("aria-hidden", "true");
  return make("span", `chip ${kind}`, sign, words);
}

/** How much of something is done, for the eye only: the number stands beside it. */
export function meter(share) {
  const done = make("div", "progress-done");
  done.style.width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
  const bar = make("div", "progress-bar", done);
  bar.setAttribute("aria-hidden", "true");
  return bar;
}

/** A button that copies `text`; `what` says what that is. */
export function copyButton(text, what, focus) {
  const button = namedButton("Copy", focus, async () => {
    await copyText(text);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, COPIED_MS);
  });
  button.setAttribute("aria-label", `Copy ${what}`);
  return button;
}
