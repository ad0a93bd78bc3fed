// The worker's page as a surface: its words, its progress bar, and one screen at a time.

import { fill, make, makeButton, readPage } from "./dom.js";

const read = readPage();
export const page = read.page;
export const token = read.token;
const main = document.getElementById("main");
const progress = document.getElementById("progress");

/** What every item of this campaign has in common; see Options in texts.js. */
export const options = {
  words: page.protocol.words,
  presentation: page.protocol.presentation,
  attribute: page.attribute,
  language: page.language,
  direction: page.direction,
  sourceLanguage: page.source_language,
  sourceDirection: page.source_direction,
};

export const say = (key, values = {}) => fill(page.words[key], values, page.words.language);

/** Replaces the screen, and moves focus to its heading so that screen readers follow. */
export function showScreen(screen) {
  const heading = screen.querySelector("h1") ?? screen;
  heading.tabIndex = -1;
  main.replaceChildren(screen);
  main.removeAttribute("aria-busy");
  window.scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}

/** Without a total the bar is hidden. @param {HTMLElement|null} beside  stands at the other end of its line */
export function showProgress(done = 0, total = 0, beside = null) {
  const text = progress.querySelector(".progress-text");
  text.textContent = total ? say("progress", { done, total }) : "";
  progress.querySelector(".progress-done").style.width = total ? `${(100 * done) / total}%` : "0";
  progress.querySelector(".progress-beside")?.remove();
  if (beside) text.after(make("div", "progress-beside", beside));
  progress.hidden = !total;
}

/** A screen of its own for something the worker should know. @param {...(Node|null)} more */
export function showMessage(title, text, ...more) {
  showScreen(make("section", "screen", make("h1", "", title), make("p", "large", text), ...more));
}

/** A dialog that is already open; it goes away once it is closed. @param {string} title @param {...(Node|null)} children */
export function openDialog(title, ...children) {
  const heading = make("h2", "", title);
  heading.id = "dialog-title";
  const dialog = make("dialog", "confirm", heading, ...children);
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks in a dialog; false also for Escape. @returns {Promise<boolean>} */
export function isConfirmed({ title, text, yes, no }) {
  return new Promise((resolve) => {
    const close = (answer) => () => dialog.close(answer);
    const keepIt = makeButton(no, close("no"), "button quiet");
    keepIt.autofocus = true;
    const actions = make("p", "actions", makeButton(yes, close("yes")), keepIt);
    const dialog = openDialog(title, make("p", "", text), actions);
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
  });
}

/** Marks a text of the protocol: the page around it may lack a translation into its language. */
export function inProtocolLanguage(element) {
  element.lang = page.protocol.words.language;
  element.dir = "auto";
  return element;
}

/** Marks a text that the organiser wrote for the workers. */
export function inCampaignLanguage(element) {
  element.lang = page.language;
  element.dir = "auto";
  return element;
}
